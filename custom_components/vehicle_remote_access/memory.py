"""What is remembered over a restart: one small file for each car, and one for the account."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import UnsupportedStorageVersionError
from homeassistant.helpers.storage import Store

from .const import DOMAIN, LOGGER

_VERSION: Final = 1
# Flash memory wears out, and a car that drives says something new every minute.
_DELAY: Final = 300.0
_SOON: Final = 2.0


class Memory:
    """Keeps what `tell` returns, a while after it has changed, and at the end."""

    def __init__(
        self,
        hass: HomeAssistant,
        name: str,
        tell: Callable[[], Mapping[str, Any]],
        *,
        delay: float = _DELAY,
    ) -> None:
        """Keep it under a name that says nothing: a subentry's or an entry's id. `delay` in seconds."""
        self._hass = hass
        self._tell = tell
        self._delay = delay
        self._store = _store(hass, name)
        self._is_due = False

    async def recall(self) -> dict[str, Any]:
        """Return what was kept; empty if there is nothing, or nothing that can be read."""
        try:
            found = await self._store.async_load()
        except UnsupportedStorageVersionError:
            await self._hass.async_add_executor_job(self._put_aside)
            return {}
        except Exception as error:  # noqa: BLE001 # What is remembered is a help, and no reason to fail.
            LOGGER.warning("What was remembered cannot be read (%s); beginning anew", type(error).__name__)
            return {}
        return found if isinstance(found, dict) else {}

    def _put_aside(self) -> None:
        path = Path(self._store.path)
        aside = path.rename(path.with_name(f"{path.name}.newer"))
        LOGGER.warning("What a newer version remembered is kept aside as %s; beginning anew", aside.name)

    @callback
    def changed(self, *, soon: bool = False) -> None:
        """Keep what there is a while from now, or soon. What changes until then goes along."""
        if soon or not self._is_due:
            self._is_due = True
            self._store.async_delay_save(self._told, _SOON if soon else self._delay)

    def _told(self) -> dict[str, Any]:
        self._is_due = False
        return dict(self._tell())

    async def keep(self) -> None:
        """Keep it now, if it has changed."""
        if self._is_due:
            await self._store.async_save(self._told())

    async def forget(self) -> None:
        """Delete the file."""
        self._is_due = False
        await self._store.async_remove()


def _store(hass: HomeAssistant, name: str) -> Store[dict[str, Any]]:
    return Store(hass, _VERSION, f"{DOMAIN}.{name}", private=True)


async def forget(hass: HomeAssistant, *names: str) -> None:
    """Delete what was kept under these names."""
    for name in names:
        await _store(hass, name).async_remove()
