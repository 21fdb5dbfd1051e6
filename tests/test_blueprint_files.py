"""The blueprints that the account's option adds to Home Assistant."""

from collections.abc import AsyncIterator
import json
from pathlib import Path
from shutil import copytree
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.automation import automations_with_blueprint
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import CoreState
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.vehicle_remote_access import blueprint_files
from custom_components.vehicle_remote_access.blueprint_files import (
    FOLDER,
    SOURCE,
    BlueprintFiles,
    set_up_blueprints,
)
from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home, request

ALL: Final = {path.name for path in SOURCE.iterdir()}
LOCK: Final = "lock_when_everybody_left.yaml"
RAIN: Final = "warn_before_rain.yaml"


class Library:
    """The blueprints of a Home Assistant with an account."""

    def __init__(self, home: Home, source: Path) -> None:
        self.home = home
        self.source = source
        self.folder = Path(home.hass.config.path("blueprints", "automation", FOLDER))
        self.configuration = Path(home.hass.config.path("configuration.yaml"))
        self.configuration.write_text("")

    @property
    def files(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    async def restart(self) -> None:
        await BlueprintFiles(self.home.hass).async_update()

    def change(self, name: str, folder: Path | None = None) -> str:
        """Change a copy, or the original if its folder is given, and return the new content."""
        file = (folder or self.folder) / name
        file.write_text(file.read_text().replace("name: Car\n", "name: My car\n"))
        return file.read_text()

    async def use(self, name: str) -> None:
        persons = [{"name": "Ann", "id": "ann"}]
        assert await async_setup_component(self.home.hass, "person", {"person": persons})
        inputs = {"car": self.home.device.id, "persons": ["person.ann"]}
        automation = {"alias": "It", "use_blueprint": {"path": f"{FOLDER}/{name}", "input": inputs}}
        self.configuration.write_text(json.dumps({"automation": [automation]}))
        await self.home.hass.services.async_call("automation", "reload", blocking=True)
        assert automations_with_blueprint(self.home.hass, f"{FOLDER}/{name}") == ["automation.it"]


@pytest.fixture
async def library(home: Home, tmp_path: Path) -> AsyncIterator[Library]:
    """Home Assistant with automations, whose blueprints are in a temporary folder."""
    home.hass.config.config_dir = str(tmp_path)
    copytree(SOURCE, tmp_path / "source")
    assert await async_setup_component(home.hass, "automation", {})
    await home.idle()
    library = Library(home, tmp_path / "source")
    with patch.object(blueprint_files, "SOURCE", library.source):
        yield library


async def test_option(library: Library, hass_ws_client: WebSocketGenerator) -> None:
    """With the option, Home Assistant lists all blueprints at once. Without it, they are removed."""
    client = await hass_ws_client(library.home.hass)

    async def listed() -> dict[str, Any]:
        blueprints = await request(client, "blueprint/list", domain="automation")
        return {path: each for path, each in blueprints.items() if path.startswith(f"{FOLDER}/")}

    assert not await listed()
    for _ in range(2):
        await library.home.set_account_options(blueprints=True)
        blueprints = await listed()
        assert {f"{FOLDER}/{name}" for name in ALL} == blueprints.keys()
        assert all(each["metadata"]["domain"] == "automation" for each in blueprints.values())
        await library.home.set_account_options(blueprints=False)
        assert not await listed()


async def test_imported_blueprint_is_neither_replaced_nor_removed(library: Library) -> None:
    library.folder.mkdir(parents=True)
    (library.folder / LOCK).write_text("imported")
    await library.home.set_account_options(blueprints=True)
    assert library.files == ALL
    assert (library.folder / LOCK).read_text() == "imported"
    await library.home.set_account_options(blueprints=False)
    assert library.files == {LOCK}


async def test_changed_and_deleted_copies_stay_so_after_an_update(library: Library) -> None:
    await library.home.set_account_options(blueprints=True)
    changed = library.change(LOCK)
    (library.folder / RAIN).unlink()
    for name in (LOCK, RAIN):
        (library.source / name).write_text("update")
    await library.restart()
    assert (library.folder / LOCK).read_text() == changed
    assert library.files == ALL - {RAIN}
    await library.home.set_account_options(blueprints=False)
    assert library.files == {LOCK}


async def test_update_replaces_unchanged_copies_and_reloads_their_automations(library: Library) -> None:
    await library.home.set_account_options(blueprints=True)
    await library.use(LOCK)
    (library.source / LOCK).write_text((library.source / LOCK).read_text().replace(": single", ": queued"))
    await library.restart()
    assert (library.folder / LOCK).read_text() == (library.source / LOCK).read_text()
    (automation,) = library.home.hass.states.async_all("automation")
    assert automation.attributes["mode"] == "queued"


async def test_copy_that_an_automation_uses_stays_and_is_updated_again(library: Library) -> None:
    await library.home.set_account_options(blueprints=True)
    await library.use(LOCK)
    await library.home.set_account_options(blueprints=False)
    assert library.files == {LOCK}
    await library.home.set_account_options(blueprints=True)
    updated = library.change(LOCK, library.source)
    await library.restart()
    assert (library.folder / LOCK).read_text() == updated


async def test_copies_are_removed_with_the_last_account_that_has_the_option(library: Library) -> None:
    await library.home.add_simulated_account()
    entries = library.home.hass.config_entries
    for entry in entries.async_entries(DOMAIN):
        entries.async_update_entry(entry, options={"blueprints": True})
    for entry in entries.async_entries(DOMAIN):
        await library.home.idle()
        assert library.files == ALL
        await entries.async_remove(entry.entry_id)
    await library.home.idle()
    assert not library.files


async def test_nothing_is_added_or_removed_before_all_automations_are_loaded(library: Library) -> None:
    hass = library.home.hass
    await library.home.set_account_options(blueprints=True)
    await library.use(LOCK)
    await library.home.set_account_options(blueprints=False)
    await library.home.set_account_options(blueprints=True)
    hass.config.components.remove("automation")
    await library.home.set_account_options(blueprints=False)
    assert library.files == ALL
    hass.config.components.add("automation")
    hass.set_state(CoreState.starting)
    set_up_blueprints(hass)
    await library.home.idle()
    assert library.files == ALL
    hass.set_state(CoreState.running)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await library.home.idle()
    assert library.files == {LOCK}


async def test_unusable_folder(library: Library, caplog: pytest.LogCaptureFixture) -> None:
    """If the folder cannot be written, the log says so, and everything else works."""
    library.folder.parent.mkdir(parents=True, exist_ok=True)
    library.folder.write_text("")
    await library.home.set_account_options(blueprints=True)
    assert "The blueprints cannot be added or removed. Everything else works" in caplog.text
    assert library.home.shown("lock", "vehicle_state.locked").state == "locked"
