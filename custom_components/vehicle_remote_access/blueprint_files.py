"""Copies of the blueprints in Home Assistant's folder for blueprints, while an account has the option.

A blueprint that a person changed, imported, or deleted stays as it is.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from typing import Final

from homeassistant.config_entries import SIGNAL_CONFIG_ENTRY_CHANGED
from homeassistant.const import SERVICE_RELOAD
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.storage import Store

from .const import CONF_BLUEPRINTS, DOMAIN, LOGGER

AUTOMATION: Final = "automation"
SOURCE: Final = Path(__file__).parent / "blueprints" / AUTOMATION / DOMAIN
# Home Assistant puts a blueprint that a person imports from its source_url into the same folder.
FOLDER: Final = "vehicle-remote-access"
_VERSION: Final = 1


class BlueprintFiles:
    """Adds, updates and removes the copies."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._lock = asyncio.Lock()
        self._is_enabled: bool | None = None

    async def async_update(self, *_: object) -> None:
        """Add and update the copies if an account has the option. Otherwise, remove them."""
        async with self._lock:
            accounts = self._hass.config_entries.async_entries(DOMAIN)
            is_enabled = any(account.options.get(CONF_BLUEPRINTS) for account in accounts)
            # If the automations failed to load, it is unknown which blueprints they use.
            if is_enabled is self._is_enabled or AUTOMATION not in self._hass.config.components:
                return
            # A failure is not retried, because every change of any entry would log it again.
            self._is_enabled = is_enabled
            try:
                await (self._add() if is_enabled else self._remove())
            except Exception:  # noqa: BLE001 - the rest of the integration works without blueprints
                LOGGER.exception("The blueprints cannot be added or removed. Everything else works")

    async def _add(self) -> None:
        hashes = await self._store.async_load() or {}
        new_hashes = await self._hass.async_add_executor_job(_write, self._folder, hashes)
        if new_hashes != hashes:
            await self._store.async_save(new_hashes)
            await self._hass.services.async_call(AUTOMATION, SERVICE_RELOAD, blocking=True)

    async def _remove(self) -> None:
        """Remove unchanged copies that no automation uses."""
        # Imported here, because the module may change or not exist in another version of Home Assistant.
        from homeassistant.components.automation.helpers import async_get_blueprints  # noqa: PLC0415

        for name, known in (await self._store.async_load() or {}).items():
            if await self._hass.async_add_executor_job(_hash, self._folder / name) == known:
                # Raised for a blueprint that is in use
                with suppress(HomeAssistantError):
                    await async_get_blueprints(self._hass).async_remove_blueprint(f"{FOLDER}/{name}")
        await self._store.async_remove()

    @property
    def _store(self) -> Store[dict[str, str]]:
        """Store the hash of each copy by the name of its file."""
        return Store(self._hass, _VERSION, f"{DOMAIN}.blueprints")

    @property
    def _folder(self) -> Path:
        return Path(self._hass.config.path("blueprints", AUTOMATION, FOLDER))


@callback
def set_up_blueprints(hass: HomeAssistant) -> None:
    """Keep the copies up to date, as soon as all automations are loaded."""
    files = BlueprintFiles(hass)

    async def start(_hass: HomeAssistant) -> None:
        async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, files.async_update)
        await files.async_update()

    async_at_started(hass, start)


def _write(folder: Path, hashes: Mapping[str, str]) -> dict[str, str]:
    """Write the copies that are missing or outdated, and return the hashes of all copies."""
    folder.mkdir(parents=True, exist_ok=True)
    new_hashes = dict(hashes)
    for source in SOURCE.glob("*.yaml"):
        copy = folder / source.name
        new, current = _hash(source), _hash(copy)
        # With another hash, a person changed or imported it. With none, it is new, or a person deleted it.
        if current in (new, hashes.get(source.name)):
            new_hashes[source.name] = str(new)
            if current != new:
                copyfile(source, copy)
    return new_hashes


def _hash(file: Path) -> str | None:
    return sha256(file.read_bytes()).hexdigest() if file.exists() else None
