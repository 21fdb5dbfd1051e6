"""Merges the data that one car sends by itself. While a car sends, polling does not read it."""

from collections.abc import Callable
from datetime import datetime
import math
import time
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util

from ..account.streams import Stream
from ..api.fields import Field
from ..api.signals import SignalReader
from ..api.stream import Message
from ..polling.modes import ONLINE
from ..util.local_time import HOUR
from .known import KnownVehicle
from .reader import VehicleReader

# Signals are merged together, because a car that is driven sends several a second.
_MERGED_AFTER: Final = 1.0
# Signals of different times are not merged together.
_SAME_TIME: Final = 5.0
# If a message is further in the future, the car's clock or Home Assistant's is wrong.
_CLOCK_ERROR: Final = 300.0
# A stream that reconnects so soon has missed little, and the polling mode would flicker.
_GRACE: Final = 60.0
# A car that is awake sends something more often, unless the service does not get its signals.
_LONGEST_SILENCE: Final = 1800.0
_CHECK_INTERVAL: Final = 300.0


class PushedData:
    """Merges the messages of a stream into what is known of one car."""

    def __init__(
        self,
        hass: HomeAssistant,
        known: KnownVehicle,
        reader: VehicleReader,
        request_list: Callable[[], object],
        request_signals: Callable[[], object],
    ) -> None:
        """`request_list` requests the car's state. `request_signals` sets `is_configured` if it succeeds."""
        self._hass = hass
        self._known = known
        self._reader = reader
        self._request_list = request_list
        self._request_signals = request_signals
        self._type = known.provider.type.stream
        self.is_configured = self._type is None or not self._type.is_configurable
        """Whether the service was asked for all signals that the entities need, if that is necessary."""
        self.signals = SignalReader()
        self.stream: Stream | None = None
        self._heard_at = -math.inf
        """When a signal was received. Without any, the car can't send, or was not asked to."""
        self._is_disconnected = self._sends_states = False
        self._pending: dict[Field[Any], Any] = {}
        self._sent_at = 0.0
        self._timers: dict[Callable[..., None], CALLBACK_TYPE] = {}

    @property
    def is_active(self) -> bool:
        """Whether the car sends its changes. Some cars can't, and then the stream has no signals of them."""
        if self.stream is None or not self.is_configured:
            return False
        now = time.monotonic()
        is_recent = now - self._heard_at < _LONGEST_SILENCE
        if self.stream.is_connected and self._heard_at >= self.stream.changed_at:
            return is_recent or self._known.vehicle.is_online is False
        return is_recent and now - self.stream.changed_at < _GRACE

    @property
    def is_complete(self) -> bool:
        """Whether a snapshot or one read has shown what changed before the stream was connected.

        A failed read counts, too, so that the car is not read again and again.
        """
        has_snapshot = self._type is not None and self._type.has_snapshot
        if self.stream is None or not self.stream.is_connected or has_snapshot:
            return True
        tracker, began = self._known.tracker, time.time() - (time.monotonic() - self.stream.changed_at)
        return max(tracker.read_at or 0.0, tracker.tried_at, tracker.cached_at) >= began

    @property
    def needs_list(self) -> bool:
        """Whether only the list shows the car's state now."""
        return self.stream is None or not self.is_active or (self._is_disconnected and not self._sends_states)

    def on_stream_changed(self, stream: Stream) -> None:
        """Show that the stream was connected or disconnected. Plan again after a while, and regularly."""
        if stream.is_connected:
            self._is_disconnected = False
            self._configure()
            self.signals = SignalReader(is_right_hand_drive=self._known.vehicle.vehicle_config.rhd)
        self._known.notify()
        self._call_later(_GRACE, self._check_silence)

    @callback
    def _configure(self, _now: datetime | None = None) -> None:
        """Ask for the signals that the service does not stream yet, and again if that has failed."""
        if not self.is_configured and self.stream is not None:
            self._request_signals()
            self._call_later(HOUR, self._configure)

    def on_message(self, message: Message) -> None:
        was_active, now = self.is_active, time.monotonic()
        if message.record is not None:
            self._known.merge_answer(message.record, dt_util.now(), now, is_requested=False)
        if message.signals:
            self._add(message, now)
        if message.state is not None:
            self._sends_states = True
            self._merge_now()
            self._known.update_from_record({"vin": message.vin, "state": message.state}, is_listed=False)
        if message.is_connected is not None:
            self._is_disconnected = not message.is_connected
            # The car fell asleep or lost coverage. Or it changes networks, and is back soon.
            self._call_later(_GRACE, self._check_state)
        if self.is_active is not was_active:
            self._known.notify()

    def _add(self, message: Message, now: float) -> None:
        """Add the signals of a message to those that are merged next."""
        sent_at = time.time() if message.sent_at is None else message.sent_at.timestamp()
        if sent_at > time.time() + _CLOCK_ERROR:
            sent_at = time.time()
        if not (values := self.signals.read(message.signals, sent_at)):
            return
        self._heard_at = now
        if self._pending and abs(sent_at - self._sent_at) > _SAME_TIME:
            self._merge_now()
        self._sent_at = max(self._sent_at, sent_at) if self._pending else sent_at
        self._pending |= values
        if self._merge not in self._timers:
            self._call_later(_MERGED_AFTER, self._merge)

    def stop(self) -> None:
        while self._timers:
            self._timers.popitem()[1]()

    def _call_later(self, delay: float, function: Callable[[datetime], None]) -> None:
        """Call a function after a delay. This replaces its earlier call."""
        if (cancel := self._timers.pop(function, None)) is not None:
            cancel()
        self._timers[function] = async_call_later(self._hass, delay, function)

    @callback
    def _merge(self, _now: datetime) -> None:
        del self._timers[self._merge]
        if self._reader.is_reading:
            self._call_later(_MERGED_AFTER, self._merge)
        else:
            self._merge_now()

    def _merge_now(self) -> None:
        values, self._pending = self._pending, {}
        if values:
            sent_at = dt_util.utc_from_timestamp(self._sent_at)
            self._known.merge_pushed(values, sent_at, is_complete=self.is_complete)

    @callback
    def _check_silence(self, _now: datetime) -> None:
        """Plan again, because the stream may have been disconnected, or silent, for too long.

        A stream reports a state once. So a car that it reported as asleep still sleeps if it sent nothing.
        """
        del self._timers[self._check_silence]
        state = self._known.tracker.state
        if self.is_active and self._sends_states and state not in (None, ONLINE):
            self._known.update_from_record({"vin": self._known.vin, "state": state}, is_listed=False)
        else:
            self._known.notify()
        if self.stream is not None:
            self._call_later(_CHECK_INTERVAL, self._check_silence)

    @callback
    def _check_state(self, _now: datetime) -> None:
        del self._timers[self._check_state]
        if self._is_disconnected and not self._sends_states:
            self._request_list()
