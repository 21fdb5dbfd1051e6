"""The connections over which a service sends what changes. They stay open while the account is loaded."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
import logging
import math
from random import random
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from yarl import URL

from ..api.cooldown import backoff
from ..api.errors import AuthenticationError, ServiceError
from ..api.stream import Message
from ..const import DOMAIN
from .provider import Provider, service_type_of, stream_url_of

_LOGGER: Final = logging.getLogger(__package__)
_FIRST_DELAY: Final = 1.0
_LONGEST_DELAY: Final = 600.0
# A connection that lasted this long has worked, so the next one is not delayed longer than the first.
_WORKS_AFTER: Final = 60.0
# After this many messages, other tasks get a turn, so that a burst does not block Home Assistant.
_BATCH: Final = 10


class Stream:
    """One connection, which is opened again when it ends."""

    task: asyncio.Task[None]
    """Runs the stream until it is cancelled."""

    def __init__(
        self,
        provider: Provider,
        url: URL,
        on_message: Callable[[Message], None],
        on_change: Callable[[Stream], None],
        check_token: Callable[[], Awaitable[None]],
    ) -> None:
        """`on_change`: for changes of `is_connected`. `check_token`: sends a request if it was refused."""
        self._provider = provider
        self._url = url
        self._on_message = on_message
        self._on_change = on_change
        self._check_token = check_token
        self.is_connected = False
        self.changed_at = -math.inf
        """When it was connected or disconnected last, by the monotonic clock."""
        self._is_refused = False
        """Whether the service has refused a connection since the last one, for example without payment."""

    async def run(self) -> None:
        """Connect, and connect again after each end, until cancelled."""
        failures = 0
        while True:
            reason, retry_after = "closed, or its token was refreshed", 0.0
            try:
                await self._listen()
            except AuthenticationError as error:
                reason = error.key
                if not self._is_refused:
                    self._is_refused = True
                    await self._check_token()
            except ServiceError as error:
                reason, retry_after = error.key, error.retry_after
                if error.issue_scope is not None and not self._is_refused:
                    self._is_refused = True
                    _LOGGER.warning("%s refuses live data (%s). Cars are polled", self._url.host, reason)
            except Exception as error:  # noqa: BLE001 - the next connection may work
                reason = type(error).__name__
                _LOGGER.error("The stream of %s failed: %s", self._url.host, reason)  # noqa: TRY400
            has_worked = self.is_connected and time.monotonic() - self.changed_at > _WORKS_AFTER
            self._set_connected(is_connected=False)
            failures = 1 if has_worked else failures + 1
            delay = max(backoff(failures, _LONGEST_DELAY, _FIRST_DELAY) + random(), retry_after)  # noqa: S311
            _LOGGER.debug("Stream of %s: %s, next attempt in %.0f s", self._url.host, reason, delay)
            await asyncio.sleep(delay)

    async def _listen(self) -> None:
        count = 0
        async with aclosing(self._provider.messages(self._url)) as messages:
            async for message in messages:
                if message is None:
                    self._set_connected(is_connected=True)
                    continue
                try:
                    self._on_message(message)
                except Exception as error:  # noqa: BLE001 - one message must not end the stream of all cars
                    # The text and the traceback may contain values of the car.
                    text = "A message of the stream of %s failed: %s"
                    _LOGGER.error(text, self._url.host, type(error))  # noqa: TRY400
                count += 1
                if count % _BATCH == 0:
                    await asyncio.sleep(0)

    def _set_connected(self, *, is_connected: bool) -> None:
        if is_connected is self.is_connected:
            return
        self.is_connected, self.changed_at = is_connected, time.monotonic()
        self._is_refused = self._is_refused and not is_connected
        _LOGGER.debug("Stream of %s: %s", self._url.host, "connected" if is_connected else "disconnected")
        self._on_change(self)


class Streams:
    """The streams of an account: one for all cars, or one for each."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any], create: Callable[[URL], Stream]) -> None:
        self._hass = hass
        self._entry = entry
        self._create = create
        self._url = stream_url_of(entry.data)
        stream = service_type_of(entry.data).stream
        self._is_per_car = stream is not None and stream.is_per_car
        self._open: dict[str, Stream] = {}
        """By the VIN, or by an empty text if one stream has the data of all cars."""

    @property
    def is_shared(self) -> bool:
        """Whether one stream has the data of all cars."""
        return self._url is not None and not self._is_per_car

    def of(self, vin: str) -> Stream | None:
        """Return the stream with a car's data, None if it is closed."""
        return self._open.get(self._key(vin))

    @property
    def is_connected(self) -> bool:
        return any(stream.is_connected for stream in self._open.values())

    def _key(self, vin: str) -> str:
        return vin if self._is_per_car else ""

    def open(self, vins: Iterable[str]) -> None:
        """Open the streams for these cars, and close all others."""
        if self._url is None:
            return
        wanted = {vin: self._url / vin if vin else self._url for vin in map(self._key, vins)}
        for key in [key for key in self._open if key not in wanted]:
            self._open.pop(key).task.cancel()
        for key in [key for key in wanted if key not in self._open]:
            stream = self._open[key] = self._create(wanted[key])
            run = stream.run()
            stream.task = self._entry.async_create_background_task(self._hass, run, f"{DOMAIN} stream")
