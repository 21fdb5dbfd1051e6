"""A log belongs to its VIN: a car that is added again continues it. Without a car, it is kept for 30 days.

Its files are not renamed, because a power cut could separate them. The car stores the name of its log.
"""

from collections.abc import Mapping
from contextlib import suppress
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigError, ConfigSubentry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady

from ..account.storage import DataStore, has_log_copies, remove_log, stored_logs
from ..api.value_types import NUMBER
from ..const import CONF_LOG_NAME, CONF_SIMULATOR, CONF_VIN, DOMAIN
from ..util.local_time import DAY
from .drive_log import DriveLog
from .stores import LogStore

_KEPT_FOR: Final = 30 * DAY
# Logs are checked at least daily. If more time has passed, Home Assistant was off, or the clock was wrong.
_LONGEST_STEP: Final = 2 * DAY
_CHECKED_AT: Final = "checked_at"


def log_name(subentry: ConfigSubentry) -> str:
    """Return the name of a vehicle's log: its own id, or the one of the log that it continues."""
    return str(subentry.data.get(CONF_LOG_NAME, subentry.subentry_id))


async def update_kept_logs(hass: HomeAssistant) -> None:
    """Let each vehicle without a log continue that of its VIN. Delete the others after 30 days."""
    # Two updates at the same time decide the same.
    removed: dict[str, float] = {}
    store = DataStore(hass, "removed_logs", lambda: {**removed, _CHECKED_AT: now})
    # Without this file, all of them would only be kept for longer.
    stored, logs = await store.load(), await stored_logs(hass)
    now = time.time()
    entries = hass.config_entries.async_entries(DOMAIN)
    cars = {log_name(car): (entry, car) for entry in entries for car in entry.subentries.values()}
    new = {
        car.data[CONF_VIN]: (entry, car)
        for name, (entry, car) in cars.items()
        if name not in logs and CONF_SIMULATOR not in entry.data
    }
    # The newest log of a VIN is continued.
    for name in sorted(logs - cars.keys(), reverse=True):
        age = _age(stored, name, now)
        try:
            vin = await _vin(hass, name) if new or name not in stored else ""
        except ConfigEntryNotReady:
            # It may be the log of a new car, which must not begin another one.
            if new:
                raise
            vin = ""
        if vin is None or age >= _KEPT_FOR:
            await remove_log(hass, name)
        elif vin in new:
            entry, car = new.pop(vin)
            with suppress(ConfigError):  # It was removed in the meantime.
                hass.config_entries.async_update_subentry(entry, car, data={**car.data, CONF_LOG_NAME: name})
        else:
            removed[name] = now - age
    await (store.save(is_last=True) if removed else store.remove())


def _age(stored: Mapping[str, Any], name: str, now: float) -> float:
    """Return for how long a log was kept. A clock that jumps ahead counts as two days at most."""
    # 1.0.0 did not store it.
    checked_at = NUMBER.read(stored.get(_CHECKED_AT)) or now
    until = min(max(now, checked_at), checked_at + _LONGEST_STEP)
    age = until - (NUMBER.read(stored.get(name)) or until)
    # A log with another age would be deleted already, so a time is damaged.
    return age if 0 <= age < _KEPT_FOR + _LONGEST_STEP else 0.0


async def _vin(hass: HomeAssistant, name: str) -> str | None:
    """Return the VIN of a log, or None if it is not kept: it has no entry, or is that of a simulated car.

    It is empty if it can't be read, or if an earlier version stored the log. Then no vehicle continues it.
    """
    log = await LogStore(hass, name, DriveLog).load()
    # A log that could not be read may have entries.
    has_entries = log.drives or log.charges or await has_log_copies(hass, name)
    return str(log.vin) if has_entries and log.vin is not None else None
