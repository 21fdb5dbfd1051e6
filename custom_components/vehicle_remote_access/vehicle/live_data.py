"""What one car sends by itself, so that it need not be asked."""

from collections.abc import Callable
from datetime import datetime
import math
import time
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..account.live_stream import LiveStream
from ..api.fields import Field
from ..api.signals import SignalReader
from ..api.stream import Message
from .known import KnownVehicle

# Signals are merged together, because a car that is driven sends several a second.
_MERGED_AFTER: Final = 1.0
# A stream that is back so soon has missed little, and polling would flicker.
_GRACE: Final = 60.0
# A car that is awake sends something more often, unless the service does not get its signals.
_LONGEST_SILENCE: Final = 1800.0


class LiveData:
    """Merges the messages of a stream into what is known of one car."""

    def __init__(self, hass: HomeAssistant, known: KnownVehicle, request_list: Callable[[], object]) -> None:
        """`request_list` requests the list soon, which shows the car's state."""
        self._hass = hass
        self._known = known
        self._request_list = request_list
        self.reader = SignalReader()
        self.stream: LiveStream | None = None
        """The stream with the car's data, if there is one."""
        self._heard_at = -math.inf
        """When the last signal was received. Without any, the car can't send, or was not asked to."""
        self._is_disconnected = self._sends_states = False
        self._pending: dict[Field[Any], Any] = {}
        self._sent_at = 0.0
        self._timers: dict[Callable[..., None], CALLBACK_TYPE] = {}

    @property
    def is_live(self) -> bool:
        """Whether the car sends what changes. Some cars can't, and then the stream says nothing of them."""
        if self.stream is None:
            return False
        now = time.monotonic()
        is_recent = now - self._heard_at < _LONGEST_SILENCE
        if self.stream.is_connected and self._heard_at >= self.stream.changed_at:
            return is_recent or self._known.vehicle.is_online is False
        return is_recent and now - self.stream.changed_at < _GRACE

    @property
    def since(self) -> float | None:
        """The time, in Unix seconds, from which on a read completes what the stream sends; None if not live.

        Some services begin a stream with all that is known. Others only send what changes from then on.
        """
        if self.stream is None or not self.is_live:
            return None
        stream_type = self._known.provider.type.stream
        if stream_type is not None and stream_type.has_snapshot:
            return 0.0
        return time.time() - (time.monotonic() - self.stream.changed_at)

    @property
    def needs_list(self) -> bool:
        """Whether only the list shows the car's state now."""
        return not self.is_live or (self._is_disconnected and not self._sends_states)

    @callback
    def on_stream_changed(self) -> None:
        """Show that the stream was connected or disconnected, and plan again when it stays away."""
        self._known.notify()
        if (cancel := self._timers.pop(self._plan, None)) is not None:
            cancel()
        self._call_later(_GRACE, self._plan)

    @callback
    def on_message(self, message: Message) -> None:
        was_live, now = self.is_live, time.monotonic()
        if message.record is not None:
            self._known.merge_answer(message.record, dt_util.now(), now)
        if message.state is not None:
            self._sends_states = True
            self._known.update_from_record({"vin": message.vin, "state": message.state})
        if message.is_connected is not None:
            self._is_disconnected = not message.is_connected
            # It fell asleep, or has no coverage. Or it changes networks, and is back soon.
            self._call_later(_GRACE, self._check_state)
        if message.signals:
            self._heard_at = now
            sent_at = time.time() if message.sent_at is None else message.sent_at.timestamp()
            self._pending |= self.reader.read(message.signals, sent_at)
            self._sent_at = max(self._sent_at, sent_at)
            self._call_later(_MERGED_AFTER, self._merge)
        if self.is_live is not was_live:
            self._known.notify()

    @callback
    def stop(self) -> None:
        while self._timers:
            self._timers.popitem()[1]()

    def _call_later(self, delay: float, function: Callable[[datetime], None]) -> None:
        if function not in self._timers:
            self._timers[function] = async_call_later(self._hass, delay, function)

    @callback
    def _merge(self, _now: datetime) -> None:
        del self._timers[self._merge]
        values, self._pending = self._pending, {}
        if values:
            self._known.merge_pushed(values, dt_util.utc_from_timestamp(self._sent_at))

    @callback
    def _plan(self, _now: datetime) -> None:
        del self._timers[self._plan]
        self._known.notify()

    @callback
    def _check_state(self, _now: datetime) -> None:
        del self._timers[self._check_state]
        if self._is_disconnected and not self._sends_states:
            self._request_list()
