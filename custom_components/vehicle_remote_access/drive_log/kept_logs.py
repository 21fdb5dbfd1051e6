"""The logs of removed vehicles. They are kept for 30 days, in case the vehicle is added again.

The files of a log never move: the vehicle that continues it has its name. So whatever a power cut interrupts,
a log either has a vehicle or is found here.
"""

import asyncio
from collections.abc import Collection
import time
from typing import Final, NamedTuple

from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant
from homeassistant.util.hass_dict import HassKey

from ..account.storage import DataStore, has_log_copies, remove_log, stored_logs
from ..api.value_types import NUMBER
from ..const import CONF_LOG_NAME, CONF_VIN, DOMAIN
from ..polling.local_time import DAY
from .drive_log import DriveLog
from .stores import LogStore

_KEPT_FOR: Final = 30 * DAY
# Logs are checked at least daily. If more time has passed, Home Assistant was off, or the clock was wrong.
_LONGEST_STEP: Final = 2 * DAY
_CHECKED_AT: Final = "checked_at"
_LOCK: HassKey[asyncio.Lock] = HassKey(f"{DOMAIN}_kept_logs")


class KeptLog(NamedTuple):
    """The log of a removed vehicle."""

    name: str
    vin: str
    log: DriveLog


def log_name(subentry: ConfigSubentry) -> str:
    """Return the name of a vehicle's log: its own id, or the one of the log that it continues."""
    name: str = subentry.data.get(CONF_LOG_NAME, subentry.subentry_id)
    return name


async def update_kept_logs(hass: HomeAssistant) -> list[str]:
    """Keep the logs that no vehicle has any more, and delete those that were kept for long enough.

    Return the names of those that are kept, in the order of their removal.
    """
    async with hass.data.setdefault(_LOCK, asyncio.Lock()):
        removed: dict[str, float] = {}
        store = DataStore(hass, "removed_logs", lambda: {**removed, _CHECKED_AT: now})
        # Without this file, all of them would only be kept for longer.
        stored = await store.load()
        now = time.time()
        # An earlier version did not store it.
        checked_at = NUMBER.read(stored.get(_CHECKED_AT, now)) or now
        passed = min(max(now - checked_at, 0.0), _LONGEST_STEP)
        unused = await stored_logs(hass)
        unused -= {
            log_name(subentry)
            for entry in hass.config_entries.async_entries(DOMAIN)
            for subentry in entry.subentries.values()
        }
        for name in unused:
            removed_at = NUMBER.read(stored.get(name))
            if removed_at is None:
                # A log that could not be read may have entries.
                is_kept = await _load(hass, name) or await has_log_copies(hass, name)
                age = 0.0 if is_kept else _KEPT_FOR
            else:
                age = checked_at - removed_at
                # An older one would be deleted already, so a time is damaged.
                age = passed + (age if 0 <= age < _KEPT_FOR else 0.0)
            if age < _KEPT_FOR:
                removed[name] = now - age
            else:
                await remove_log(hass, name)
        if removed or stored:
            await (store.save(is_last=True) if removed else store.remove())
    return sorted(removed, key=removed.__getitem__)


async def find_kept_logs(hass: HomeAssistant, vins: Collection[str]) -> list[KeptLog]:
    """Return the kept logs of these vehicles, in the order of their removal."""
    logs = [await _load(hass, name) for name in await update_kept_logs(hass)]
    return [log for log in logs if log and log.vin in vins]


async def _load(hass: HomeAssistant, name: str) -> KeptLog | None:
    """Return a log. None if it has no entry, or is that of a simulated car, which has no VIN.

    The log of an earlier version may lack its VIN. Then no vehicle continues it.
    """
    log, journal = await LogStore(hass, name, DriveLog, dict).load()
    vin = journal.get(CONF_VIN, "")
    return KeptLog(name, vin, log) if vin is not None and (log.drives or log.charges) else None
