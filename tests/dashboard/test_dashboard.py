"""The dashboard: scripts for the web interface, and a place in the sidebar as long as there is an account."""

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
from custom_components.vehicle_remote_access.dashboard import resources as dashboard
from tests.conftest import Home
from tests.repository.test_architecture import ENGLISH

PATH: Final = "vehicle-remote-access"
GENERATED: Final = {"strategy": {"type": "custom:vehicle-remote-access"}}
SCRIPTS: Final = {path.name: path.read_text() for path in sorted(dashboard.SCRIPTS.iterdir())}
EDITED: Final = {"views": [{"title": "Mine"}]}
FAILED: Final = "The dashboard cannot be shown"
STORE: Final = f"lovelace.{DOMAIN}.cars"


@pytest.fixture
async def web(hass: HomeAssistant) -> None:
    """The web interface."""
    assert await async_setup_component(hass, "frontend", {})


@pytest.fixture
async def starting(web: None, hass: HomeAssistant) -> None:
    """Home Assistant is just starting, so that no page has been loaded yet."""
    hass.set_state(CoreState.starting)


@pytest.fixture
async def seen_home(web: None, home: Home) -> Home:
    """A home with its car, and with the web interface."""
    return home


def scripts_of(hass: HomeAssistant) -> list[str]:
    """Return the URLs of our scripts that every page loads."""
    return [url for url in hass.data[DATA_EXTRA_MODULE_URL].urls if DOMAIN in url]


def title_in_sidebar(hass: HomeAssistant) -> str | None:
    """Return what the sidebar says where our dashboard has its place, or None if it says nothing."""
    panel = hass.data[DATA_PANELS].get(PATH)
    return None if panel is None else panel.sidebar_title


async def ask(hass_ws_client: WebSocketGenerator, command: str, **values: Any) -> Any:
    """Ask as the web interface does; return the answer, or the code of the error."""
    client = await hass_ws_client()
    await client.send_json_auto_id({"type": f"lovelace/{command}", **values})
    answer = await client.receive_json()
    return answer["result"] if answer["success"] else answer["error"]["code"]


# Scripts


async def test_script_is_loaded_once(seen_home: Home) -> None:
    """However often accounts are set up, a page loads one script of ours."""
    await seen_home.restart()
    await seen_home.submit(await seen_home.start_flow("simulator"), vehicles=1, speed=1)
    assert len(scripts_of(seen_home.hass)) == 1


async def test_loaded_script_is_there(seen_home: Home, hass_client: ClientSessionGenerator) -> None:
    """The script that every page loads is the one that loads the others."""
    response = await (await hass_client()).get(scripts_of(seen_home.hass)[0])
    assert await response.text() == SCRIPTS["main.js"]


@pytest.mark.parametrize("name", SCRIPTS)
async def test_scripts_are_served(name: str, seen_home: Home, hass_client: ClientSessionGenerator) -> None:
    """Each script is what a browser takes for one."""
    folder = scripts_of(seen_home.hass)[0].rpartition("/")[0]
    response = await (await hass_client()).get(f"{folder}/{name}")
    assert (response.status, response.content_type) == (200, "text/javascript")
    assert await response.text() == SCRIPTS[name]


async def test_changed_script_has_another_url(
    web: None, empty_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser that kept the scripts of another version does not take them for these."""
    (tmp_path / "main.js").write_text("// another version")
    ours = dashboard._fingerprint()  # noqa: SLF001
    monkeypatch.setattr(dashboard, "SCRIPTS", tmp_path)
    await empty_home.set_up()
    assert ours not in scripts_of(empty_home.hass)[0]


async def test_without_web_interface_there_is_nothing(
    empty_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """A Home Assistant without a web interface gets neither scripts nor a dashboard, and misses nothing."""
    await empty_home.set_up()
    assert FAILED not in caplog.text
    assert not {DATA_EXTRA_MODULE_URL, DATA_PANELS, LOVELACE_DATA} & set(empty_home.hass.data)


# The dashboard


async def test_dashboard_is_in_the_sidebar(seen_home: Home) -> None:
    """Who adds an account has a dashboard of its cars."""
    assert title_in_sidebar(seen_home.hass) == ENGLISH["common"]["cars"]


async def test_page_that_was_loaded_before_gets_the_scripts(
    seen_home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """A page from before the first account has none of the scripts: it is given them, then the dashboard."""
    panels = seen_home.hass.data[DATA_PANELS]
    arrival = panels[PATH].config
    assert arrival is not None
    assert arrival["_panel_custom"]["module_url"] == scripts_of(seen_home.hass)[0].replace(
        "main.js", "arrival.js"
    )
    client = await hass_ws_client()
    await client.send_json_auto_id({"type": f"{DOMAIN}/arrived"})
    assert (await client.receive_json())["success"]
    assert (panels[PATH].component_name, title_in_sidebar(seen_home.hass)) == ("lovelace", "Cars")


async def test_page_that_arrives_too_late(seen_home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """If the last account has gone meanwhile, a page that got the scripts gets no dashboard."""
    await seen_home.hass.config_entries.async_remove(seen_home.entry.entry_id)
    client = await hass_ws_client()
    await client.send_json_auto_id({"type": f"{DOMAIN}/arrived"})
    assert (await client.receive_json())["success"]
    assert title_in_sidebar(seen_home.hass) is None


async def test_pages_of_a_later_start_have_the_scripts(starting: None, empty_home: Home) -> None:
    """Once Home Assistant starts with an account, every page is loaded with the scripts."""
    await empty_home.set_up()
    assert empty_home.hass.data[DATA_PANELS][PATH].component_name == "lovelace"


async def test_dashboard_is_generated(seen_home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """As long as nobody edited it, our script says what is on it."""
    assert await ask(hass_ws_client, "config", url_path=PATH) == GENERATED


async def test_dashboard_survives_a_reload(seen_home: Home) -> None:
    """Who looks at it while the account is set up anew is not sent away."""
    panel = seen_home.hass.data[DATA_PANELS][PATH]
    await seen_home.restart()
    assert seen_home.hass.data[DATA_PANELS][PATH] is panel


async def test_dashboard_stays_with_another_account(seen_home: Home) -> None:
    """One of two accounts can go; the dashboard stays."""
    await seen_home.submit(await seen_home.start_flow("simulator"), vehicles=1, speed=1)
    await seen_home.idle()
    await seen_home.hass.config_entries.async_remove(seen_home.entry.entry_id)
    assert title_in_sidebar(seen_home.hass) is not None


async def test_dashboard_goes_with_the_last_account(
    seen_home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """Without an account there is no dashboard."""
    await seen_home.hass.config_entries.async_remove(seen_home.entry.entry_id)
    assert title_in_sidebar(seen_home.hass) is None
    assert await ask(hass_ws_client, "config", url_path=PATH) == "config_not_found"


async def test_dashboard_goes_and_comes_with_what_is_disabled(seen_home: Home) -> None:
    """While the only account is disabled there is no dashboard."""
    entries, entry_id = seen_home.hass.config_entries, seen_home.entry.entry_id
    await entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
    assert title_in_sidebar(seen_home.hass) is None
    await entries.async_set_disabled_by(entry_id, None)
    assert title_in_sidebar(seen_home.hass) is not None


async def test_edits_are_kept(
    seen_home: Home, hass_ws_client: WebSocketGenerator, hass_storage: dict[str, Any]
) -> None:
    """What somebody makes of the dashboard is stored, and shown."""
    await ask(hass_ws_client, "config/save", url_path=PATH, config=EDITED)
    assert hass_storage[STORE]["data"] == {"config": EDITED}
    assert await ask(hass_ws_client, "config", url_path=PATH) == EDITED


async def test_edits_survive_a_restart(
    hass_storage: dict[str, Any], web: None, empty_home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """What somebody made of the dashboard before Home Assistant was restarted is there again."""
    hass_storage[STORE] = {"version": 1, "key": STORE, "data": {"config": EDITED}}
    await empty_home.set_up()
    assert await ask(hass_ws_client, "config", url_path=PATH) == EDITED


async def test_deleted_edits_bring_ours_back(seen_home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """Who deletes what they made of the dashboard has ours again."""
    await ask(hass_ws_client, "config/save", url_path=PATH, config=EDITED)
    await ask(hass_ws_client, "config/delete", url_path=PATH)
    assert await ask(hass_ws_client, "config", url_path=PATH) == GENERATED


async def test_who_looks_sees_edits_at_once(seen_home: Home, hass_ws_client: WebSocketGenerator) -> None:
    """Whoever has the dashboard open is told that it changed, and which one it is."""
    told = async_capture_events(seen_home.hass, EVENT_LOVELACE_UPDATED)
    await ask(hass_ws_client, "config/save", url_path=PATH, config=EDITED)
    assert [event.data for event in told] == [{"url_path": PATH}]


async def test_settings_list_what_they_can_change(
    seen_home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """In the list of dashboards, where each can be renamed and deleted, ours is not: it cannot."""
    assert await ask(hass_ws_client, "dashboards/list") == []


async def test_dashboard_of_the_same_path_is_left_alone(
    hass_storage: dict[str, Any],
    empty_home: Home,
    hass_ws_client: WebSocketGenerator,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Somebody's own dashboard of the same path stays theirs, with an account and after it."""
    mine = {"id": "mine", "url_path": PATH, "title": "Mine", "mode": "storage"}
    items = [{**mine, "require_admin": False, "show_in_sidebar": True}]
    for key, data in {"lovelace_dashboards": {"items": items}, "lovelace.mine": {"config": EDITED}}.items():
        hass_storage[key] = {"version": 1, "key": key, "data": data}
    assert await async_setup_component(empty_home.hass, "frontend", {})
    await empty_home.set_up()
    assert title_in_sidebar(empty_home.hass) == "Mine"
    assert await ask(hass_ws_client, "config", url_path=PATH) == EDITED
    await empty_home.hass.config_entries.async_remove(empty_home.entry.entry_id)
    assert title_in_sidebar(empty_home.hass) == "Mine"
    assert FAILED not in caplog.text


async def test_changed_dashboards_cost_only_ours(
    web: None, empty_home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """If the insides of dashboards are others one day, the account is set up, and the log tells it once."""
    monkeypatch.delattr(lovelace, "LovelaceStorage")
    monkeypatch.delitem(sys.modules, f"{dashboard.__package__}.sidebar", raising=False)
    await empty_home.set_up()
    await empty_home.restart()
    assert empty_home.entry.state is ConfigEntryState.LOADED
    assert caplog.text.count(FAILED) == 1
    assert scripts_of(empty_home.hass)
    assert title_in_sidebar(empty_home.hass) is None


# What the scripts know of us

LOOKED_FOR: Final = re.findall(
    r'^ *(?:const \w+ = { )?(\w+): "([a-z_]+\.[a-z_]+)"', SCRIPTS["cars.js"], re.MULTILINE
)
"""The scripts' own names for entities, each with the platform and the translation key that it stands for."""
OF_A_CAR: Final = {name for name, key in LOOKED_FOR if ".simulation_" not in key}
SHOWN: Final = set(
    re.findall(
        r'(?:\bshows\.|#state\("|#text\("|data-\w+="|\bdoor\("|\blid\(")(\w+)', "".join(SCRIPTS.values())
    )
)
"""The names that the scripts use, to show what they stand for."""


@pytest.mark.parametrize("key", [key for _, key in LOOKED_FOR])
def test_entity_that_scripts_look_for_exists(key: str) -> None:
    """What the scripts look for is an entity of ours."""
    platform, _, translation_key = key.partition(".")
    assert translation_key in ENGLISH["entity"][platform]


def test_scripts_show_only_what_they_look_for() -> None:
    """No name is misspelt: a name that stands for nothing would show nothing, and nobody would know."""
    assert not SHOWN - OF_A_CAR - {"range"}  # which is one of three entities


def test_scripts_show_all_that_they_look_for() -> None:
    """No entity of a car is looked for in vain."""
    assert not OF_A_CAR - SHOWN


def test_words_of_scripts_are_translated() -> None:
    """Each word that the scripts use is in the translations, and none is left of one that they do not."""
    assert set(re.findall(r'\bwords\(\s*"(\w+)"', "".join(SCRIPTS.values()))) == set(ENGLISH["common"])
