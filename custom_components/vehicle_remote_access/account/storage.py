"""What is remembered over a restart: one small file for each car, and one for the account."""

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
# Flash memory wears out, and a car that drives says something new every minute.
SELDOM: Final = 3600.0
USUALLY: Final = 300.0
SOON: Final = 2.0


class Memory:
    """Keeps what `tell` returns, a while after it has changed, and at the end."""

    def __init__(
        self,
        hass: HomeAssistant,
        name: str,
        tell: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Keep it under a name that says nothing: a subentry's or an entry's id."""
        self._hass = hass
        self._tell = tell
        self._store = _store(hass, name)
        self._due_at = math.inf
        self._was_told = False
        self._is_closed = False

    async def recall(self) -> dict[str, Any]:
        """Return what was kept; empty if there is nothing, or nothing that can be read: that is put aside."""
        try:
            found = await self._store.async_load()
        except UnsupportedStorageVersionError:
            found, why = None, "newer"
        except Exception:  # noqa: BLE001 # What is remembered is a help, and no reason to fail.
            found, why = None, "damaged"
        else:
            why = "" if found is None or isinstance(found, dict) else "damaged"
        if why:
            await self._hass.async_add_executor_job(self._put_aside, why)
            return {}
        return found or {}

    def _put_aside(self, why: str) -> None:
        """Keep the file as a copy, for a person or a newer version."""
        path = Path(self._store.path)
        aside = path.with_name(f"{path.name}.{why}.{dt_util.utcnow():%Y%m%dT%H%M%S}")
        try:
            path.rename(aside)
        except OSError as error:
            LOGGER.warning("What was remembered cannot be read (%s); beginning anew", error.strerror)
        else:
            LOGGER.warning("What was remembered is %s and kept aside as %s; beginning anew", why, aside.name)

    @callback
    def changed(self, within: float = USUALLY) -> None:
        """Keep what there is within so many seconds, or at the end. What changes until then goes along."""
        due_at = self._hass.loop.time() + within
        if due_at < self._due_at and not self._is_closed:
            self._due_at = due_at
            self._store.async_delay_save(self._told, within)

    def _told(self) -> dict[str, Any]:
        self._due_at, self._was_told = math.inf, True
        return dict(self._tell())

    async def keep(self) -> None:
        """Keep it now, if it has changed, and nothing after that."""
        self._is_closed = True
        # What was told before may just be written: this waits for it.
        if self._due_at < math.inf or self._was_told:
            await self._store.async_save(self._told())

    async def forget(self) -> None:
        """Delete the file, and keep nothing more."""
        self._is_closed = True
        self._due_at = math.inf
        # What is being written at this moment would come after.
        await self._store.async_save({})
        await _delete(self._hass, self._store)


def _store(hass: HomeAssistant, name: str) -> Store[dict[str, Any]]:
    return Store(hass, _VERSION, f"{DOMAIN}.{name}", private=True)


async def forget(hass: HomeAssistant, *names: str) -> None:
    """Delete what was kept under these names, and what was put aside."""
    for name in names:
        await _delete(hass, _store(hass, name))


async def _delete(hass: HomeAssistant, store: Store[dict[str, Any]]) -> None:
    await store.async_remove()
    await hass.async_add_executor_job(_clear_away, Path(store.path))


def _clear_away(path: Path) -> None:
    for aside in path.parent.glob(f"{path.name}.*"):
        aside.unlink(missing_ok=True)
