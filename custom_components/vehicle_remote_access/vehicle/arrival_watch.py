"""Follows one car on its way home, for the triggers and conditions that wait for it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
import math
import time
from typing import Any, Final, NamedTuple

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.event import async_call_later
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from ..api.records import DriveState
from ..const import DOMAIN
from ..drive_log.manager import log_zones
from ..polling.arrival import EXTRA_READS, Approach, Home, PastDrive, next_read
from ..polling.modes import TIMER_TOLERANCE
from .known import KnownVehicle

# How many drives are searched for those near home, and how many of these are used
_DRIVES_SEARCHED: Final = 60
_DRIVES_USED: Final = 12


class ArrivalListener(NamedTuple):
    """A trigger or a condition that waits for cars to arrive."""

    seconds: float
    """How long before the arrival."""
    find: Callable[[], set[str]]
    """Returns the entities *Driving* of these cars."""
    fire: Callable[[str], object] | None = None


CONF_MINUTES: Final = "minutes"
MINUTES: Final = {vol.Required(CONF_MINUTES, default=2): vol.All(vol.Coerce(int), vol.Range(1, 10))}
"""The option of triggers and conditions: how many minutes before the arrival."""
_LISTENERS: Final[HassKey[dict[object, ArrivalListener]]] = HassKey(f"{DOMAIN}_arrival_listeners")


def add_arrival_listener(hass: HomeAssistant, listener: ArrivalListener) -> CALLBACK_TYPE:
    """Add a listener, and return what removes it. It lasts longer than the accounts of its cars."""
    key = object()
    hass.data.setdefault(_LISTENERS, {})[key] = listener
    return partial(hass.data[_LISTENERS].__delitem__, key)


class ArrivalWatch:
    """Follows one car."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any], known: KnownVehicle) -> None:
        self._hass = hass
        self._entry = entry
        self._known = known
        self._approach = Approach()
        self._seen_at = -math.inf
        self._waits: dict[object, bool] = {}
        """Whether a listener still waits. After a restart or a reload, it may have fired before."""
        self._extra_reads = 0
        self.read_at = math.inf
        """When a live read shows better when the car is home, in Unix seconds."""
        self._is_followed = False
        self._entity_id = ""
        self.stop: CALLBACK_TYPE = lambda: None

    @property
    def _home(self) -> Home | None:
        zone = next((zone for zone in log_zones(self._hass).all if zone.is_home), None)
        return zone and Home((zone.latitude, zone.longitude), zone.radius, zone.name)

    def seconds_left(self) -> float | None:
        """Return in how many seconds the car is home, or None if that is unknown or it is not coming."""
        home = self._home
        return None if home is None else self._approach.seconds_left(time.time(), home)

    def update(self) -> None:
        """Add what was seen of the car, and plan the next live read."""
        seen_at, now = self._known.seen_at, time.time()
        if seen_at <= self._seen_at or not self._hass.data.get(_LISTENERS) or (home := self._home) is None:
            return
        self._seen_at, drive = seen_at, self._known.vehicle.drive_state
        if self._approach.update(drive, now - (time.monotonic() - seen_at), home):
            self._extra_reads, self._waits = 0, dict.fromkeys([*self._hass.data[_LISTENERS]], True)
        self._extra_reads += now >= self.read_at - TIMER_TOLERANCE
        self.read_at = math.inf
        listeners = self._listeners() if drive.is_driving else {}
        if listeners and not self._is_followed:
            self._entry.async_create_background_task(
                self._hass, self._find_past_drives(home), f"{DOMAIN} past drives"
            )
        self._is_followed = bool(listeners)
        self._check(listeners)
        if self._extra_reads < EXTRA_READS:
            wanted = [listener.seconds for key, listener in listeners.items() if self._waits.get(key, True)]
            self.read_at = next_read(self.seconds_left(), wanted, now)

    def _listeners(self) -> dict[object, ArrivalListener]:
        """Return what waits for this car."""
        unique_id = f"{self._known.vin}-{DriveState.shift_state.path}"
        entity_id = er.async_get(self._hass).async_get_entity_id(Platform.BINARY_SENSOR, DOMAIN, unique_id)
        self._entity_id = entity_id or ""
        listeners = self._hass.data.get(_LISTENERS, {})
        return {key: listener for key, listener in listeners.items() if entity_id in listener.find()}

    def _check(self, listeners: dict[object, ArrivalListener]) -> None:
        """Fire the triggers whose time has come, and set the timer for the next one."""
        self.stop()
        left = self.seconds_left()
        if left is None or self._known.is_shut_down:
            return
        waits = []
        for key, listener in listeners.items():
            if left > listener.seconds + TIMER_TOLERANCE:
                if self._waits.setdefault(key, True):
                    waits.append(left - listener.seconds)
            elif self._waits.get(key) and listener.fire is not None:
                self._waits[key] = False
                listener.fire(self._entity_id)
        if waits:
            self.stop = async_call_later(self._hass, min(waits), self._on_timer)

    @callback
    def _on_timer(self, _now: datetime) -> None:
        self._check(self._listeners())

    async def _find_past_drives(self, home: Home) -> None:
        """Find drives of the log that were near home."""
        log = self._known.log_manager
        drives = log.log.drives[-_DRIVES_SEARCHED:]
        samples = (await log.samples.load_months(drives)).of_drives(drives)
        found = []
        for drive in drives:
            points: list[tuple[float, Any, Any]] = [
                *((each.at, each.latitude, each.longitude) for each in samples[drive.id]),
                (drive.end, drive.end_latitude, drive.end_longitude),
            ]
            track = [(at, (north, east)) for at, north, east in points if None not in (north, east)]
            found.append(PastDrive.of(track, home) if track else None)
        self._approach.past_drives = [each for each in found if each is not None][-_DRIVES_USED:]
