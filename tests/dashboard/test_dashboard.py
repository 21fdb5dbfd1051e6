"""The dashboard: its scripts, and its panel in the sidebar while there is an account."""

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
EDITED_CONFIG: Final = {"views": [{"title": "Mine"}]}
FAILED: Final = "The dashboard cannot be shown"
STORAGE_KEY: Final = f"lovelace.{DOMAIN}.cars"


@pytest.fixture
async def web(hass: HomeAssistant) -> None:
    """Set up the web interface."""
    assert await async_setup_component(hass, "frontend", {})


@pytest.fixture
async def starting(web: None, hass: HomeAssistant) -> None:
    """Set the state in which Home Assistant is still starting, so no page was loaded yet."""
    hass.set_state(CoreState.starting)


@pytest.fixture
async def home_with_web(web: None, home: Home) -> Home:
    """Return a home with its car and the web interface."""
    return home


def script_urls(hass: HomeAssistant) -> list[str]:
    """Return the URLs of this integration's scripts that every page loads."""
    return [url for url in hass.data[DATA_EXTRA_MODULE_URL].urls if DOMAIN in url]


def sidebar_title(hass: HomeAssistant) -> str | None:
    """Return the title of the dashboard in the sidebar, or None if it is not there."""
    panel = hass.data[DATA_PANELS].get(PATH)
    return None if panel is None else panel.sidebar_title


async def request(hass_ws_client: WebSocketGenerator, command: str, **values: Any) -> Any:
    """Send a command as the web interface does. Return the result, or the code of the error."""
    client = await hass_ws_client()
    await client.send_json_auto_id({"type": f"lovelace/{command}", **values})
    answer = await client.receive_json()
    return answer["result"] if answer["success"] else answer["error"]["code"]


# Scripts


async def test_script_is_loaded_once(home_with_web: Home) -> None:
    """A page loads one script, however often accounts are set up."""
    await home_with_web.restart()
    await home_with_web.submit(await home_with_web.start_flow("simulator"), vehicles=1, speed=1)
    assert len(script_urls(home_with_web.hass)) == 1


async def test_loaded_script_is_main(home_with_web: Home, hass_client: ClientSessionGenerator) -> None:
    """The script that every page loads is `main.js`, which loads the others."""
    response = await (await hass_client()).get(script_urls(home_with_web.hass)[0])
    assert await response.text() == SCRIPTS["main.js"]


@pytest.mark.parametrize("name", SCRIPTS)
async def test_scripts_are_served(
    name: str, home_with_web: Home, hass_client: ClientSessionGenerator
) -> None:
    """Each script is served with the content type of JavaScript."""
    folder = script_urls(home_with_web.hass)[0].rpartition("/")[0]
    response = await (await hass_client()).get(f"{folder}/{name}")
    assert (response.status, response.content_type) == (200, "text/javascript")
    assert await response.text() == SCRIPTS[name]


async def test_changed_script_has_another_url(
    web: None, empty_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed scripts have another URL, so browsers don't use cached scripts of another version."""
    (tmp_path / "main.js").write_text("// another version")
    ours = dashboard._fingerprint()  # noqa: SLF001
    monkeypatch.setattr(dashboard, "SCRIPTS", tmp_path)
    await empty_home.set_up()
    assert ours not in script_urls(empty_home.hass)[0]


async def test_without_web_interface_nothing_is_added(
    empty_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a web interface, neither scripts nor a dashboard are added, and nothing fails."""
    await empty_home.set_up()
    assert FAILED not in caplog.text
    assert not {DATA_EXTRA_MODULE_URL, DATA_PANELS, LOVELACE_DATA} & set(empty_home.hass.data)


# The dashboard


async def test_dashboard_is_in_the_sidebar(home_with_web: Home) -> None:
    """Adding an account adds the dashboard to the sidebar."""
    assert sidebar_title(home_with_web.hass) == ENGLISH["common"]["cars"]


async def test_page_that_was_loaded_before_gets_the_scripts(
    home_with_web: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """A page that was loaded before the first account loads the scripts first, and then the dashboard."""
    panels = home_with_web.hass.data[DATA_PANELS]
    arrival = panels[PATH].config
    assert arrival is not None
    assert arrival["_panel_custom"]["module_url"] == script_urls(home_with_web.hass)[0].replace(
        "main.js", "arrival.js"
    )
    client = await hass_ws_client()
    await client.send_json_auto_id({"type": f"{DOMAIN}/arrived"})
    assert (await client.receive_json())["success"]
    assert (panels[PATH].component_name, sidebar_title(home_with_web.hass)) == ("lovelace", "Cars")


async def test_page_gets_no_dashboard_without_an_account(
    home_with_web: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """If the last account was removed meanwhile, a page that loaded the scripts gets no dashboard."""
    await home_with_web.hass.config_entries.async_remove(home_with_web.entry.entry_id)
    client = await hass_ws_client()
    await client.send_json_auto_id({"type": f"{DOMAIN}/arrived"})
    assert (await client.receive_json())["success"]
    assert sidebar_title(home_with_web.hass) is None


async def test_pages_after_startup_have_the_scripts(starting: None, empty_home: Home) -> None:
    """If Home Assistant starts with an account, all pages have the scripts, so the panel is the dashboard."""
    await empty_home.set_up()
    assert empty_home.hass.data[DATA_PANELS][PATH].component_name == "lovelace"


async def test_dashboard_is_generated(home_with_web: Home, hass_ws_client: WebSocketGenerator) -> None:
    """An unedited dashboard is generated by the script."""
    assert await request(hass_ws_client, "config", url_path=PATH) == GENERATED


async def test_dashboard_survives_a_reload(home_with_web: Home) -> None:
    """Reloading the account does not replace the panel, so open pages keep showing it."""
    panel = home_with_web.hass.data[DATA_PANELS][PATH]
    await home_with_web.restart()
    assert home_with_web.hass.data[DATA_PANELS][PATH] is panel


async def test_dashboard_stays_with_another_account(home_with_web: Home) -> None:
    """If one of two accounts is removed, the dashboard stays."""
    await home_with_web.submit(await home_with_web.start_flow("simulator"), vehicles=1, speed=1)
    await home_with_web.idle()
    await home_with_web.hass.config_entries.async_remove(home_with_web.entry.entry_id)
    assert sidebar_title(home_with_web.hass) is not None


async def test_dashboard_is_removed_with_the_last_account(
    home_with_web: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """Removing the last account removes the dashboard."""
    await home_with_web.hass.config_entries.async_remove(home_with_web.entry.entry_id)
    assert sidebar_title(home_with_web.hass) is None
    assert await request(hass_ws_client, "config", url_path=PATH) == "config_not_found"


async def test_disabled_account_has_no_dashboard(home_with_web: Home) -> None:
    """While the only account is disabled, there is no dashboard."""
    entries, entry_id = home_with_web.hass.config_entries, home_with_web.entry.entry_id
    await entries.async_set_disabled_by(entry_id, ConfigEntryDisabler.USER)
    assert sidebar_title(home_with_web.hass) is None
    await entries.async_set_disabled_by(entry_id, None)
    assert sidebar_title(home_with_web.hass) is not None


async def test_edits_are_stored(
    home_with_web: Home, hass_ws_client: WebSocketGenerator, hass_storage: dict[str, Any]
) -> None:
    """Edits of the dashboard are stored and shown."""
    await request(hass_ws_client, "config/save", url_path=PATH, config=EDITED_CONFIG)
    assert hass_storage[STORAGE_KEY]["data"] == {"config": EDITED_CONFIG}
    assert await request(hass_ws_client, "config", url_path=PATH) == EDITED_CONFIG


async def test_edits_survive_a_restart(
    hass_storage: dict[str, Any], web: None, empty_home: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """Edits from before a restart are shown after it."""
    hass_storage[STORAGE_KEY] = {"version": 1, "key": STORAGE_KEY, "data": {"config": EDITED_CONFIG}}
    await empty_home.set_up()
    assert await request(hass_ws_client, "config", url_path=PATH) == EDITED_CONFIG


async def test_deleted_edits_restore_the_dashboard(
    home_with_web: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """Deleting the edits restores the generated dashboard."""
    await request(hass_ws_client, "config/save", url_path=PATH, config=EDITED_CONFIG)
    await request(hass_ws_client, "config/delete", url_path=PATH)
    assert await request(hass_ws_client, "config", url_path=PATH) == GENERATED


async def test_edits_update_open_pages(home_with_web: Home, hass_ws_client: WebSocketGenerator) -> None:
    """Open pages are notified of edits, with the path of the dashboard."""
    updates = async_capture_events(home_with_web.hass, EVENT_LOVELACE_UPDATED)
    await request(hass_ws_client, "config/save", url_path=PATH, config=EDITED_CONFIG)
    assert [event.data for event in updates] == [{"url_path": PATH}]


async def test_settings_do_not_list_the_dashboard(
    home_with_web: Home, hass_ws_client: WebSocketGenerator
) -> None:
    """The settings don't list the dashboard, because it can't be renamed or deleted there."""
    assert await request(hass_ws_client, "dashboards/list") == []


async def test_user_dashboard_of_the_same_path_is_unchanged(
    hass_storage: dict[str, Any],
    empty_home: Home,
    hass_ws_client: WebSocketGenerator,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A user's dashboard with the same path is unchanged, both with an account and after its removal."""
    mine = {"id": "mine", "url_path": PATH, "title": "Mine", "mode": "storage"}
    items = [{**mine, "require_admin": False, "show_in_sidebar": True}]
    for key, data in {
        "lovelace_dashboards": {"items": items},
        "lovelace.mine": {"config": EDITED_CONFIG},
    }.items():
        hass_storage[key] = {"version": 1, "key": key, "data": data}
    assert await async_setup_component(empty_home.hass, "frontend", {})
    await empty_home.set_up()
    assert sidebar_title(empty_home.hass) == "Mine"
    assert await request(hass_ws_client, "config", url_path=PATH) == EDITED_CONFIG
    await empty_home.hass.config_entries.async_remove(empty_home.entry.entry_id)
    assert sidebar_title(empty_home.hass) == "Mine"
    assert FAILED not in caplog.text


async def test_changed_internals_affect_only_the_dashboard(
    web: None, empty_home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """If Home Assistant's dashboards change internally, the account works, and the error is logged once."""
    monkeypatch.delattr(lovelace, "LovelaceStorage")
    monkeypatch.delitem(sys.modules, f"{dashboard.__package__}.panel", raising=False)
    await empty_home.set_up()
    await empty_home.restart()
    assert empty_home.entry.state is ConfigEntryState.LOADED
    assert caplog.text.count(FAILED) == 1
    assert script_urls(empty_home.hass)
    assert sidebar_title(empty_home.hass) is None


# Names in the scripts

SCRIPT_ENTITIES: Final = re.findall(
    r'^ *(?:const \w+ = { )?(\w+): "([a-z_]+\.[a-z_]+)"', SCRIPTS["cars.js"], re.MULTILINE
)
"""The scripts' names for entities, each with its platform and translation key."""
CAR_ENTITIES: Final = {name for name, key in SCRIPT_ENTITIES if ".simulation_" not in key}
SHOWN_ENTITIES: Final = set(
    re.findall(
        r'(?:\bshows\.|#state\("|#text\("|data-\w+="|\bdoor\("|\blid\(")(\w+)', "".join(SCRIPTS.values())
    )
)
"""The names of the entities that the scripts show."""


@pytest.mark.parametrize("key", [key for _, key in SCRIPT_ENTITIES])
def test_entity_of_the_scripts_exists(key: str) -> None:
    """Each entity that the scripts look up is an entity of this integration."""
    platform, _, translation_key = key.partition(".")
    assert translation_key in ENGLISH["entity"][platform]


def test_scripts_show_only_known_names() -> None:
    """The scripts show no misspelled name, which would show nothing without an error."""
    assert not SHOWN_ENTITIES - CAR_ENTITIES - {"range"}  # one of three entities


def test_scripts_show_all_their_entities() -> None:
    """The scripts show every entity of a car that they look up."""
    assert not CAR_ENTITIES - SHOWN_ENTITIES


def test_words_of_scripts_are_translated() -> None:
    """Every word of the scripts is translated, and there is no unused translation."""
    assert set(re.findall(r'\bwords\(\s*"(\w+)"', "".join(SCRIPTS.values()))) == set(ENGLISH["common"])
