"""The dashboard: its scripts, and its panel in the sidebar while there is an account."""

import itertools
from pathlib import Path
import re
import sys
from typing import Any, Final

from homeassistant.components.frontend import DATA_EXTRA_MODULE_URL, DATA_PANELS
from homeassistant.components.lovelace import dashboard as lovelace
from homeassistant.components.lovelace.const import LOVELACE_DATA
from homeassistant.config_entries import ConfigEntryDisabler, ConfigEntryState
from homeassistant.const import EVENT_LOVELACE_UPDATED
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator, WebSocketGenerator

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.dashboard import download, resources as dashboard
from custom_components.vehicle_remote_access.dashboard.websocket import _LARGEST_LIMIT
from custom_components.vehicle_remote_access.drive_log import statements
from custom_components.vehicle_remote_access.drive_log.columns import COLUMNS
from custom_components.vehicle_remote_access.drive_log.entries import LONGEST_NOTE, LONGEST_TAG, MeasuredBy
from custom_components.vehicle_remote_access.drive_log.manager import log_units
from custom_components.vehicle_remote_access.drive_log.search import LONGEST_SEARCH
from custom_components.vehicle_remote_access.vehicle import past
from tests.conftest import Home, request
from tests.source import ENGLISH, ROOT

PATH: Final = "vehicle-remote-access"
GENERATED: Final = {"strategy": {"type": "custom:vehicle-remote-access"}}
SCRIPTS: Final = {path.name: path.read_text() for path in sorted(dashboard.SCRIPTS.iterdir())}
EDITED: Final = {"views": [{"title": "Mine"}]}
FAILED: Final = "The dashboard cannot be shown"
STORAGE_KEY: Final = f"lovelace.{DOMAIN}.cars"


@pytest.fixture
async def home_with_web(web: None, home: Home) -> Home:
    return home


def script_urls(hass: HomeAssistant) -> list[str]:
    """Return the URLs of this integration's scripts that every page loads."""
    return [url for url in hass.data[DATA_EXTRA_MODULE_URL].urls if DOMAIN in url]


def sidebar_title(hass: HomeAssistant) -> str | None:
    panel = hass.data[DATA_PANELS].get(PATH)
    return None if panel is None else panel.sidebar_title


# Scripts


async def test_page_loads_only_one_script(home_with_web: Home, hass_client: ClientSessionGenerator) -> None:
    await home_with_web.restart()
    await home_with_web.add_simulated_account()
    (url,) = script_urls(home_with_web.hass)
    folder, _, name = url.rpartition("/")
    assert name == "main.js"
    client = await hass_client()
    for name, content in SCRIPTS.items():
        response = await client.get(f"{folder}/{name}")
        assert (response.status, response.content_type) == (200, "text/javascript")
        assert await response.text() == content


def imported(script: str) -> set[str]:
    """Return the names of the scripts that a script imports, also indirectly."""
    names = set(re.findall(r'^import [^"]*"\./(\w+)\.js"', SCRIPTS[f"{script}.js"], re.MULTILINE))
    return names.union(*map(imported, names))


def listed_imports() -> dict[str, set[str]]:
    """Return what `main.js` loads with each script."""
    table = re.search(r"IMPORTS = \{\n(.*?)\n\}", SCRIPTS["main.js"], re.DOTALL)
    assert table
    parts = dict(re.findall(r"const (\w+_IMPORTS) = (\[.*\]);", SCRIPTS["main.js"]))

    def names(text: str) -> set[str]:
        known = [names(parts[part]) for part in re.findall(r"\b[A-Z_]+\b", text)]
        return set(re.findall(r'"(\w+)"', text)).union(*known)

    return {name: names(text) for name, text in re.findall(r"(\w+): (.*),", table[1])}


def test_pages_load_only_what_they_need_at_once() -> None:
    """The scripts of a card are loaded when it is shown, all at once."""
    always = imported("main") | {"main"}
    assert len(always) <= 3
    assert sum(len(SCRIPTS[f"{name}.js"].encode()) for name in always) <= 15 * 1024
    listed = listed_imports()
    assert listed == {name: imported(name) - always for name in listed}
    loaded = always.union(listed, *listed.values(), {"loader"})
    # This one is on a page of its own.
    assert imported("statement") <= loaded
    assert {f"{name}.js" for name in loaded | {"statement"}} == set(SCRIPTS)


async def test_changed_scripts_have_another_url(
    web: None, empty_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "main.js").write_text("// another version")
    ours = dashboard._fingerprint()  # noqa: SLF001
    monkeypatch.setattr(dashboard, "SCRIPTS", tmp_path)
    await empty_home.set_up()
    assert ours not in script_urls(empty_home.hass)[0]


async def test_without_frontend_nothing_is_added(empty_home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await empty_home.set_up()
    assert FAILED not in caplog.text
    assert not {DATA_EXTRA_MODULE_URL, LOVELACE_DATA} & set(empty_home.hass.data)
    # The calendar of Home Assistant adds its own panel.
    assert PATH not in empty_home.hass.data.get(DATA_PANELS, {})


# The dashboard


async def test_page_from_before_the_first_account_loads_the_scripts_before_the_dashboard(
    home_with_web: Home, hass_ws_client: WebSocketGenerator
) -> None:
    panels = home_with_web.hass.data[DATA_PANELS]
    assert sidebar_title(home_with_web.hass) == ENGLISH["common"]["cars"]
    loader = panels[PATH].config
    assert loader is not None
    url = script_urls(home_with_web.hass)[0].replace("main.js", "loader.js")
    assert loader["_panel_custom"]["module_url"] == url
    assert await request(await hass_ws_client(), f"{DOMAIN}/arrived") is None
    assert (panels[PATH].component_name, sidebar_title(home_with_web.hass)) == ("lovelace", "Cars")
    assert await request(await hass_ws_client(), "lovelace/config", url_path=PATH) == GENERATED
    # It can't be renamed or deleted in the settings.
    assert await request(await hass_ws_client(), "lovelace/dashboards/list") == []
    # Open pages keep showing it after another page has loaded the scripts, and after a reload of the account.
    panel = panels[PATH]
    assert await request(await hass_ws_client(), f"{DOMAIN}/arrived") is None
    await home_with_web.restart()
    assert panels[PATH] is panel


async def test_pages_after_a_start_with_an_account_have_the_scripts(web: None, empty_home: Home) -> None:
    empty_home.hass.set_state(CoreState.starting)
    await empty_home.set_up()
    assert empty_home.hass.data[DATA_PANELS][PATH].component_name == "lovelace"


async def test_dashboard_needs_an_account(home_with_web: Home, hass_ws_client: WebSocketGenerator) -> None:
    hass, entries = home_with_web.hass, home_with_web.hass.config_entries
    await entries.async_set_disabled_by(home_with_web.entry.entry_id, ConfigEntryDisabler.USER)
    assert sidebar_title(hass) is None
    await entries.async_set_disabled_by(home_with_web.entry.entry_id, None)
    assert sidebar_title(hass) is not None
    await home_with_web.add_simulated_account()
    await entries.async_remove(home_with_web.entry.entry_id)
    assert sidebar_title(hass) is not None
    await entries.async_remove(home_with_web.entry.entry_id)
    assert sidebar_title(hass) is None
    assert await request(await hass_ws_client(), "lovelace/config", url_path=PATH) == "config_not_found"
    # A page that loads the scripts only now gets no dashboard.
    assert await request(await hass_ws_client(), f"{DOMAIN}/arrived") is None
    assert sidebar_title(hass) is None


async def test_edits_are_stored_and_deleting_them_restores_the_generated_dashboard(
    home_with_web: Home, hass_ws_client: WebSocketGenerator, hass_storage: dict[str, Any]
) -> None:
    updates = async_capture_events(home_with_web.hass, EVENT_LOVELACE_UPDATED)
    await request(await hass_ws_client(), "lovelace/config/save", url_path=PATH, config=EDITED)
    assert hass_storage[STORAGE_KEY]["data"] == {"config": EDITED}
    assert await request(await hass_ws_client(), "lovelace/config", url_path=PATH) == EDITED
    assert [event.data for event in updates] == [{"url_path": PATH}]
    await request(await hass_ws_client(), "lovelace/config/delete", url_path=PATH)
    assert await request(await hass_ws_client(), "lovelace/config", url_path=PATH) == GENERATED


async def test_edits_survive_a_restart(
    hass_storage: dict[str, Any], web: None, empty_home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    hass_storage[STORAGE_KEY] = {"version": 1, "key": STORAGE_KEY, "data": {"config": EDITED}}
    await empty_home.set_up()
    assert await request(await hass_ws_client(), "lovelace/config", url_path=PATH) == EDITED


async def test_user_dashboard_of_the_same_path_is_unchanged(
    hass_storage: dict[str, Any],
    empty_home: Home,
    hass_ws_client: WebSocketGenerator,
    caplog: pytest.LogCaptureFixture,
) -> None:
    mine = {"id": "mine", "url_path": PATH, "title": "Mine", "mode": "storage"}
    items = [{**mine, "require_admin": False, "show_in_sidebar": True}]
    for key, data in {"lovelace_dashboards": {"items": items}, "lovelace.mine": {"config": EDITED}}.items():
        hass_storage[key] = {"version": 1, "key": key, "data": data}
    assert await async_setup_component(empty_home.hass, "frontend", {})
    await empty_home.set_up()
    assert sidebar_title(empty_home.hass) == "Mine"
    assert await request(await hass_ws_client(), "lovelace/config", url_path=PATH) == EDITED
    await empty_home.hass.config_entries.async_remove(empty_home.entry.entry_id)
    assert sidebar_title(empty_home.hass) == "Mine"
    assert FAILED not in caplog.text


async def test_changed_internals_affect_only_the_dashboard(
    web: None, empty_home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delattr(lovelace, "LovelaceStorage")
    monkeypatch.delitem(sys.modules, f"{dashboard.__package__}.panel", raising=False)
    await empty_home.set_up()
    await empty_home.restart()
    assert empty_home.entry.state is ConfigEntryState.LOADED
    assert caplog.text.count(FAILED) == 1
    assert script_urls(empty_home.hass)
    assert sidebar_title(empty_home.hass) is None


# Names in the scripts


def listed_entities(script: str) -> dict[str, list[str]]:
    """Return a script's names for entities, each with its platforms and translation keys."""
    listed = re.findall(r'\b(\w+): ("[a-z_]+\.[^"]+"|\[\s*"[a-z_]+\.[^]]+\])', SCRIPTS[f"{script}.js"])
    return {name: re.findall(r'"(.+?)"', keys) for name, keys in listed}


SIMULATION_ENTITIES: Final = listed_entities("simulation")
SUGGESTED_ENTITIES: Final = listed_entities("cars")
"""The entities that the card picker suggests cards for."""
CAR_ENTITIES: Final = SUGGESTED_ENTITIES | listed_entities("entities")
SHOWN_ENTITIES: Final = set(
    re.findall(
        r'(?:\bentities\.(?!js\b)|\b(?:state|text|number|isOn|door|lid|pane|tire)\("|data-\w+=")(\w+)',
        "".join(SCRIPTS.values()),
    )
)
"""The names of the entities that the scripts show."""


def test_entities_of_the_scripts_exist() -> None:
    for key in itertools.chain(*CAR_ENTITIES.values(), *SIMULATION_ENTITIES.values()):
        platform, _, translation_key = key.partition(".")
        assert translation_key in ENGLISH["entity"][platform], key


def test_scripts_show_every_entity_that_they_look_up() -> None:
    assert SHOWN_ENTITIES | SUGGESTED_ENTITIES.keys() == CAR_ENTITIES.keys()


def test_picture_is_suggested_for_everything_that_it_opens() -> None:
    opened = re.findall(r'data-opens="(\w+)"', SCRIPTS["picture.js"])
    assert opened
    assert SUGGESTED_ENTITIES.keys() >= set(opened)


def properties(interface: str) -> set[str]:
    """Return the names in a type of the answers about the log."""
    types = (ROOT / "typings" / "log.d.ts").read_text()
    found = re.search(rf"^interface {interface} {{\n(.*?)^}}", types, re.DOTALL | re.MULTILINE)
    assert found
    return set(re.findall(r"^  (\w+)\??:", found[1], re.MULTILINE))


def test_types_have_the_columns_and_units_of_the_log(hass: HomeAssistant) -> None:
    for kind, interface in {"drives": "Drive", "charges": "Charge", "stays": "Stay"}.items():
        columns = {column.name for column in COLUMNS[kind] if not column.is_for_import}
        assert properties(interface) == columns | {"kind", "id"}
    assert properties("LogUnits") == set(log_units(hass).names)


def test_every_word_of_the_scripts_is_translated_and_used() -> None:
    used = set(re.findall(r'\b(?:words\(|textKey\(|later =)\s*"(\w+)"', "".join(SCRIPTS.values())))
    for module in (statements, download, past):
        quoted = re.findall(r'"(\w+)"', Path(str(module.__file__)).read_text())
        used |= ENGLISH["common"].keys() & set(quoted)
    measured = [f"measured_by_{name}" for name in (*MeasuredBy, statements.IN_BATTERY)]
    used |= {*measured, *(f"{key}_means" for key in measured)}
    used |= {f"simulated_{place}" for place in ("work", "shop")}
    assert used == set(ENGLISH["common"])


def test_usual_tags_are_the_same_on_pages_and_in_statements() -> None:
    tags = re.findall(r'\["(\w+)", words\("tag_(\w+)"\)\]', SCRIPTS["log_texts.js"])
    assert tags == [(tag, tag) for tag in statements.USUAL_TAGS]


def test_scripts_know_the_limits_of_the_integration() -> None:
    limits = re.findall(r"const (LARGEST_\w+|LONGEST_\w+) = (\d+);", "".join(SCRIPTS.values()))
    assert dict(limits) == {
        "LARGEST_PAGE": str(_LARGEST_LIMIT),
        "LONGEST_TAG": str(LONGEST_TAG),
        "LONGEST_NOTE": str(LONGEST_NOTE),
        "LONGEST_SEARCH": str(LONGEST_SEARCH),
    }
