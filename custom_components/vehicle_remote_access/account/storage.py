"""Storage of data across restarts: one file for each vehicle, and one for the account."""

from collections.abc import Callable, Mapping
import math
from pathlib import Path
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import UnsupportedStorageVersionError
from homeassistant.helpers.storage import Store
from homeassistant.util import dt as dt_util

from ..const import DOMAIN, LOGGER

_VERSION: Final = 1
# Seconds until a change is saved. Flash memory wears out, and a driving vehicle changes every minute.
SAVE_RARELY: Final = 3600.0
SAVE_NORMALLY: Final = 300.0
SAVE_SOON: Final = 2.0


class DataStore:
    """Saves data a while after it changed, and when it is closed."""

    def __init__(self, hass: HomeAssistant, name: str, get_data: Callable[[], Mapping[str, Any]]) -> None:
        """Store under the id of an entry or subentry. `get_data` returns what to save."""
        self._hass = hass
        self._get_data = get_data
        self._store = _store(hass, name)
        self._save_due_at = math.inf
        self._has_saved = False
        self.is_closed = False
        """Whether the last save was the final one."""

    async def load(self) -> dict[str, Any]:
        """Return the stored data, or an empty dict. An unreadable file is set aside."""
        problem = ""
        stored = None
        try:
            stored = await self._store.async_load()
        except UnsupportedStorageVersionError:
            problem = "newer"
        except Exception:  # noqa: BLE001 - the integration also works without its stored data
            problem = "damaged"
        if stored is not None and not isinstance(stored, dict):
            problem = "damaged"
        if problem:
            await self.set_aside(problem)
            return {}
        return stored or {}

    async def set_aside(self, problem: str) -> None:
        """Rename the file. `problem`: damaged or newer."""
        await self._hass.async_add_executor_job(self._set_aside, problem)

    def _set_aside(self, problem: str) -> None:
        """Rename the file, so that the user or a newer version can still use it."""
        path = Path(self._store.path)
        copy = path.with_name(f"{path.name}.{problem}.{dt_util.utcnow():%Y%m%dT%H%M%S}")
        try:
            path.rename(copy)
        except OSError as error:
            LOGGER.warning(
                "Cannot rename the unreadable stored data (%s). Starting without it", error.strerror
            )
        else:
            LOGGER.warning(
                "The stored data is %s. Its file was renamed to %s. Starting without it", problem, copy.name
            )

    @callback
    def schedule_save(self, within: float = SAVE_NORMALLY) -> None:
        """Save within this many seconds, or earlier if a save is already scheduled."""
        due_at = self._hass.loop.time() + within
        if due_at < self._save_due_at and not self.is_closed:
            self._save_due_at = due_at
            self._store.async_delay_save(self._data_to_save, within)

    def _data_to_save(self) -> dict[str, Any]:
        self._save_due_at, self._has_saved = math.inf, True
        return dict(self._get_data())

    async def save(self) -> None:
        await self._store.async_save(self._data_to_save())

    async def close(self) -> None:
        """Save now if anything changed, and accept no further changes."""
        self.is_closed = True
        # An earlier save may still be writing. This save waits for it.
        if self._save_due_at < math.inf or self._has_saved:
            await self.save()

    async def remove(self) -> None:
        """Delete the file, and accept no further changes."""
        self.is_closed = True
        self._save_due_at = math.inf
        # A write in progress would restore the file. This save waits for it.
        await self._store.async_save({})
        await _remove(self._hass, self._store)


def _store(hass: HomeAssistant, name: str) -> Store[dict[str, Any]]:
    return Store(hass, _VERSION, f"{DOMAIN}.{name}", private=True)


def log_names(name: str) -> tuple[str, str]:
    """Return the names of the archive and the journal of a vehicle's log."""
    return f"{name}.log", f"{name}.log_open"


def samples_name(name: str, month: str = "") -> str:
    """Return the name of the samples of a vehicle's log, of a month such as 2026_11 or of what is open."""
    return f"{name}.log_samples_{month}" if month else f"{name}.log_samples"


async def sample_months(hass: HomeAssistant, name: str) -> list[str]:
    """Return the months that have a file of samples, for example `2026_11`."""
    path = Path(_store(hass, samples_name(name)).path)
    files = await hass.async_add_executor_job(_all, path, "_????_??")
    return [file.name.removeprefix(f"{path.name}_") for file in files]


async def stored_logs(hass: HomeAssistant) -> set[str]:
    """Return the names of all logs that have files."""
    path = Path(_store(hass, "").path)
    files = await hass.async_add_executor_job(_all, path, "*.log*")
    return {file.name.removeprefix(path.name).partition(".")[0] for file in files}


async def remove_log(hass: HomeAssistant, name: str) -> None:
    """Delete all files of a log, also those that were set aside."""
    archive, _ = log_names(name)
    await hass.async_add_executor_job(_remove_all, Path(_store(hass, archive).path), "*")


async def has_log_copies(hass: HomeAssistant, name: str) -> bool:
    """Return whether any file of a vehicle's log was set aside."""
    archive, _ = log_names(name)
    return bool(await hass.async_add_executor_job(_all, Path(_store(hass, archive).path), "*.*"))


async def remove_log_copies(hass: HomeAssistant, name: str) -> None:
    """Delete the files of a vehicle's log that were set aside."""
    archive, _ = log_names(name)
    await hass.async_add_executor_job(_remove_all, Path(_store(hass, archive).path), "*.*")


async def remove_stores(hass: HomeAssistant, *names: str) -> None:
    """Delete the files with these names, and those that were set aside."""
    for name in names:
        await _remove(hass, _store(hass, name))


async def _remove(hass: HomeAssistant, store: Store[dict[str, Any]]) -> None:
    await store.async_remove()
    # The names of a vehicle's log continue with `.log`.
    await hass.async_add_executor_job(_remove_all, Path(store.path), ".[!l]*")


def _all(path: Path, suffix: str) -> list[Path]:
    """Return the files whose names continue with a suffix, for example those that were set aside."""
    return list(path.parent.glob(f"{path.name}{suffix}"))


def _remove_all(path: Path, suffix: str) -> None:
    for copy in _all(path, suffix):
        copy.unlink(missing_ok=True)
