"""Asks the service what fast charges of one vehicle cost. Stores nothing: the log has what waits for it."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
import logging
import time
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.util import dt as dt_util

from ..api.charging_sessions import ChargingSession, read_session, session_records
from ..api.errors import NotFoundError, PermissionDeniedError, ServiceError
from ..drive_log.billing import BILLED_WITHIN, billed_charges, last_unbilled
from ..drive_log.manager import log_zones
from ..util.local_time import DAY, HOUR
from .known import KnownVehicle

_LOGGER: Final = logging.getLogger(__package__)
# After the end of a charge, and after a start
_FIRST_PAUSE: Final = 900.0
# Each pause is twice the age of the charge.
_SHORTEST_PAUSE: Final = 2 * HOUR
_LONGEST_PAUSE: Final = 12 * HOUR
_PAGE_SIZE: Final = 50
_MAX_PAGES: Final = 4


class ChargingCosts:
    """Asks while a charge waits for its bill. `opens_at`: when a request is allowed, 0 if it is."""

    def __init__(self, hass: HomeAssistant, known: KnownVehicle, opens_at: Callable[[], float]) -> None:
        self._hass, self._known, self._opens_at = hass, known, opens_at
        self._endpoints = [*known.provider.type.charging_costs]
        self._not_before = time.time() + _FIRST_PAUSE
        self.stop: CALLBACK_TYPE = lambda: None

    def update(self) -> None:
        """Set the timer for the next request, if a charge waits for its bill."""
        self.stop()
        ended = last_unbilled(self._known.log, log_zones(self._hass), time.time())
        if ended is not None and self._endpoints and not self._known.is_shut_down:
            due_at = dt_util.utc_from_timestamp(max(self._not_before, ended + _FIRST_PAUSE, self._opens_at()))
            self.stop = async_track_point_in_utc_time(self._hass, partial(self._on_timer, ended), due_at)

    async def _on_timer(self, ended: float, _: datetime) -> None:
        if not self._opens_at():
            now = time.time()
            self._not_before = now + min(max(2 * (now - ended), _SHORTEST_PAUSE), _LONGEST_PAUSE)
            await self._ask(now - BILLED_WITHIN - DAY)
        self.update()

    async def _ask(self, since: float) -> None:
        known = self._known
        try:
            sessions = await self._sessions(since)
        except ServiceError as error:
            if isinstance(error, NotFoundError | PermissionDeniedError):
                # Another endpoint is asked at once.
                del self._endpoints[0]
                self._not_before = 0.0
            _LOGGER.debug("%s: the costs of fast charges are unknown (%s)", known.title, error.key)
            return
        charges = billed_charges(known.log, log_zones(self._hass), sessions)
        _LOGGER.debug("%s: %d bills change %d charges", known.title, len(sessions), len(charges))
        if charges and not known.is_shut_down:
            await known.log_manager.async_edit(lambda log: log.bill(charges))

    async def _sessions(self, since: float) -> list[ChargingSession]:
        start, vin = f"{datetime.fromtimestamp(since, UTC):%Y-%m-%dT%H:%M:%SZ}", self._known.vin
        found: dict[float, ChargingSession] = {}
        for page in range(1, _MAX_PAGES + 1):
            values = {"vin": vin, "startTime": start, "from": since, "pageNo": page, "pageSize": _PAGE_SIZE}
            records = session_records(await self._known.provider.request(self._endpoints[0], **values))
            # A service can ignore the VIN.
            sessions = [read_session(record) for record in records if record.get("vin") == vin]
            found |= {session.start: session for session in sessions if session is not None}
            if len(records) < _PAGE_SIZE:
                break
        return [*found.values()]
