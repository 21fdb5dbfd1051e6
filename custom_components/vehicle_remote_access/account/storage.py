"""Storage of data across restarts: one file for each vehicle, and one for the account."""

from collections.abc import Callable
import errno
import math
from pathlib import Path
from typing import Any, Final, override

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryNotReady, UnsupportedStorageVersionError
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.json import json_bytes, json_dumps
from homeassistant.helpers.storage import STORAGE_DIR, Store
from homeassistant.loader import async_get_loaded_integration
from homeassistant.util import dt as dt_util
from homeassistant.util.file import AtomicWriter
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.json import json_loads, json_loads_object

from ..const import DOMAIN, LOGGER, TROUBLESHOOTING

_VERSION: Final = 1
# Seconds until a change is saved. Flash memory wears out, and a driving vehicle changes every minute.
SAVE_RARELY: Final = 3600.0
SAVE_NORMALLY: Final = 300.0
SAVE_SOON: Final = 2.0
_RETRY: Final = 60.0
_ISSUE: Final = "not_stored"
_ISSUES: Final = {errno.ENOSPC: "disk_full", errno.EROFS: "disk_read_only"}
_UNSAVED: HassKey[dict[str, Any]] = HassKey(f"{DOMAIN}_unsaved")
"""What could not be written, by the name of its file."""


class DataStore(Store[dict[str, Any]]):
    """Saves data a while after it changed, and when it is closed. Retries what could not be written."""

    def __init__(
        self,
        hass: HomeAssistant,
        name: str,
        get_data: Callable[[], dict[str, Any]],
        on_saved: Callable[[Any], None] | None = None,
    ) -> None:
        """Store what `get_data` returns under a name. `on_saved` is called with what is stored now."""
        super().__init__(hass, _VERSION, f"{DOMAIN}.{name}", private=True)
        if (file := getattr(self, "_io", None)) is not None:
            # Since Home Assistant 2026.11, this object writes.
            file._write = self._write_prepared_data  # noqa: SLF001
        self._name = name
        self._get_data = get_data
        self._on_saved = on_saved
        self._save_due_at = math.inf
        self._has_saved = False
        self.is_closed = False
        """Whether the last save was the final one."""
        self.damaged: Path | None = None
        """The file that is damaged, and was renamed."""

    @property
    def is_unsaved(self) -> bool:
        return self._name in _unsaved(self.hass)

    async def restore(self) -> dict[str, Any]:
        """Load the data. What could not be written before a reload is written soon."""
        if self.is_unsaved:
            self.schedule_save(SAVE_SOON)
        return await self.load()

    async def load(self) -> dict[str, Any]:
        """Return the stored data, or an empty dict. An unreadable file is set aside."""
        if unsaved := _unsaved(self.hass).get(self._name):
            # The account was reloaded while the disk was full.
            return json_loads_object(json_dumps(unsaved))
        problem, stored = "", None
        try:
            stored = await self.async_load()
        except UnsupportedStorageVersionError:
            problem = "newer"
        except Exception as error:  # The integration also works without its stored data.
            if isinstance(error.__cause__, OSError):  # The file may be valid, and have the only tokens.
                raise ConfigEntryNotReady(translation_domain=DOMAIN, translation_key="not_read") from error
            problem = "damaged"
        if stored is not None and not isinstance(stored, dict):
            problem = "damaged"
        if problem:
            await self.set_aside(problem)
            return {}
        if stored is None:
            self.damaged = await self.hass.async_add_executor_job(self._find_damaged)
        return stored or {}

    def _find_damaged(self) -> Path | None:
        """Return the file that Home Assistant has just renamed, or that was renamed before a power cut."""
        path = Path(self.path)
        if path.exists():
            return None
        files = [*path.parent.glob(f"{path.name}.corrupt.*"), *path.parent.glob(f"{path.name}.damaged.*")]
        return max(files, key=lambda file: file.stat().st_mtime, default=None)

    async def set_aside(self, problem: str) -> None:
        """Rename a file that is damaged or newer, so that the user or a newer version can still use it."""
        path = Path(self.path)
        copy = path.with_name(f"{path.name}.{problem}.{dt_util.utcnow():%Y%m%dT%H%M%S}")
        try:
            await self.hass.async_add_executor_job(path.rename, copy)
        except OSError as error:
            LOGGER.warning("Cannot rename unreadable stored data (%s). Starting without it", error.strerror)
        else:
            self.damaged = copy if problem == "damaged" else None
            LOGGER.warning("The stored data is %s. Its file was renamed to %s", problem, copy.name)

    def schedule_save(self, within: float = SAVE_NORMALLY) -> None:
        """Save within this many seconds, or earlier if a save is already scheduled."""
        due_at = self.hass.loop.time() + within
        if due_at < self._save_due_at and not self.is_closed:
            self._save_due_at = due_at
            self.async_delay_save(self._data_to_save, within)

    def _data_to_save(self) -> dict[str, Any]:
        self._save_due_at, self._has_saved = math.inf, True
        return self._get_data()

    @override
    async def _async_write_data(self, data: dict[str, Any]) -> None:
        unsaved = _unsaved(self.hass)
        try:
            await super()._async_write_data(data)
        except Exception as error:  # noqa: BLE001 - whatever it is, the data is not stored
            if not unsaved:
                LOGGER.error("Cannot store data: %r. It is kept in memory until that is possible", error)
            unsaved[self._name] = data.get("data", {})
            self._report(error)
            self.schedule_save(_RETRY)
        else:
            _forget_unsaved(self.hass, self._name)
            if self._on_saved is not None:
                self._on_saved(data["data"])

    @override
    def _write_prepared_data(self, mode: str, json_data: str | bytes) -> None:
        # Home Assistant's own functions log each attempt that fails, and write each value on its own line.
        Path(self.path).parent.mkdir(exist_ok=True)
        with AtomicWriter(self.path, "wb", overwrite=True).open() as file:
            file.write(json_bytes(json_loads(json_data)))

    def _report(self, error: Exception) -> None:
        key = _ISSUES.get(getattr(error, "errno", 0), _ISSUE)
        documentation = async_get_loaded_integration(self.hass, DOMAIN).documentation
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            _ISSUE,
            is_fixable=False,
            learn_more_url=f"{documentation}{TROUBLESHOOTING}#{key}",
            severity=ir.IssueSeverity.ERROR,
            translation_key=key,
            translation_placeholders={
                "folder": str(Path(self.path).parent),
                "error": getattr(error, "strerror", None) or type(error).__name__,
            },
        )

    async def save(self, *, is_last: bool = False) -> bool:
        """Save now, and return whether that succeeded. If not, it is retried unless `is_last`."""
        self.is_closed = self.is_closed or is_last
        await self.async_save(self._data_to_save())
        return not self.is_unsaved

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
        self.make_read_only()
        # A write in progress would restore the file. This save waits for it.
        await self.async_save({})
        await remove_stores(self.hass, self._name)


def _unsaved(hass: HomeAssistant) -> dict[str, Any]:
    return hass.data.setdefault(_UNSAVED, {})


def _forget_unsaved(hass: HomeAssistant, *names: str) -> None:
    unsaved = _unsaved(hass)
    forgotten = [unsaved.pop(name) for name in names if name in unsaved]
    if forgotten and not unsaved:
        LOGGER.warning("All data is stored again")
        ir.async_delete_issue(hass, DOMAIN, _ISSUE)


def log_names(name: str) -> tuple[str, str, str]:
    """Return the names of a vehicle's log: the archive, the journal, and what is open."""
    return f"{name}.log", f"{name}.log_open", f"{name}.log_latest"


def samples_name(name: str, month: str = "") -> str:
    """Return the name of the samples of a vehicle's log, of a month such as 2026_11 or of what is open."""
    return f"{name}.log_samples_{month}" if month else f"{name}.log_samples"


async def sample_months(hass: HomeAssistant, name: str) -> set[str]:
    """Return the months that have samples in a file, or not stored yet, for example `2026_11`."""
    files = await _files(hass, f"{samples_name(name)}_????_??")
    return {file.name[-len("2026_11") :] for file in files} | unsaved_months(hass, name)


def unsaved_months(hass: HomeAssistant, name: str) -> set[str]:
    """Return the months whose samples could not be written."""
    prefix = f"{samples_name(name)}_"
    return {each.removeprefix(prefix) for each in _unsaved(hass) if each.startswith(prefix)}


async def stored_logs(hass: HomeAssistant) -> set[str]:
    return {file.name.removeprefix(f"{DOMAIN}.").partition(".")[0] for file in await _files(hass, "*.log*")}


async def remove_log(hass: HomeAssistant, name: str, files: str = "*") -> None:
    """Delete the files of a log. `files`: `*.*` for only those that were set aside."""
    archive, *_ = log_names(name)
    if files == "*":
        _forget_unsaved(hass, *(each for each in _unsaved(hass) if each.startswith(archive)))
    await _remove_files(hass, f"{archive}{files}")


async def has_log_copies(hass: HomeAssistant, name: str) -> bool:
    """Return whether any file of a vehicle's log was set aside."""
    archive, *_ = log_names(name)
    return bool(await _files(hass, f"{archive}*.*"))


async def remove_stores(hass: HomeAssistant, *names: str) -> None:
    """Delete the files with these names, and those that were set aside."""
    _forget_unsaved(hass, *names)
    for name in names:
        await Store[Any](hass, _VERSION, f"{DOMAIN}.{name}").async_remove()
        # The names of a vehicle's log continue with `.log`.
        await _remove_files(hass, f"{name}.[!l]*")


async def _files(hass: HomeAssistant, pattern: str) -> list[Path]:
    folder = Path(hass.config.path(STORAGE_DIR))
    return await hass.async_add_executor_job(lambda: list(folder.glob(f"{DOMAIN}.{pattern}")))


async def _remove_files(hass: HomeAssistant, pattern: str) -> None:
    for file in await _files(hass, pattern):
        await hass.async_add_executor_job(file.unlink, True)
