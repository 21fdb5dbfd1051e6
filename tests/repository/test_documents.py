"""The generated page of entities is up to date, the links of all pages work, and pages name what exists.

`--snapshot-update` generates the page again.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import re
from typing import Final

from homeassistant.const import Platform
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import async_get_platforms
import pytest

from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES, TESSIE
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.entity import AccountEntity, VehicleEntity
from custom_components.vehicle_remote_access.simulator import OTHER
from development.requests_picture import PICTURE, draw
from simulator_console.services import SERVICES

from ..conftest import Home
from ..source import ENGLISH, ROOT

DOCS: Final = ROOT / "docs"
PAGE: Final = DOCS / "entities.md"
ONLY_AT: Final = {True: "Fleet API", False: "another service"}
"""Marks of entities that exist only at services of the Fleet API's family, or only at other services."""
# With one car of each model, an entity that one of them lacks is an entity of some cars only.
MODELS: Final = 5
HEADINGS: Final = {
    Platform.LOCK: "Lock",
    Platform.CLIMATE: "Climate",
    Platform.COVER: "Covers",
    Platform.SWITCH: "Switches",
    Platform.TIME: "Times",
    Platform.NUMBER: "Numbers",
    Platform.BUTTON: "Buttons",
    Platform.SELECT: "Selects",
    Platform.MEDIA_PLAYER: "Media player",
    Platform.DEVICE_TRACKER: "Device trackers",
    Platform.UPDATE: "Update",
    Platform.SENSOR: "Sensors",
    Platform.BINARY_SENSOR: "Binary sensors",
    Platform.EVENT: "Events",
    Platform.CALENDAR: "Calendar",
}


async def generate_page(home: Home) -> str:
    """Enable all entities, and return the page that lists them, with its present introduction."""
    of_account: set[str] = set()
    registry, accounts = er.async_get(home.hass), home.hass.config_entries.async_entries(DOMAIN)
    registered = [each for each in registry.entities.values() if each.platform == DOMAIN]
    disabled = {entry.entity_id for entry in registered if entry.disabled_by}
    for entity_id in disabled:
        registry.async_update_entity(entity_id, disabled_by=None)
    for account in accounts:
        await home.hass.config_entries.async_reload(account.entry_id)
    await home.idle()
    entities: dict[Platform, dict[str, list[VehicleEntity]]] = {platform: {} for platform in HEADINGS}
    for platform in async_get_platforms(home.hass, DOMAIN):
        for entity in platform.entities.values():
            if isinstance(entity, VehicleEntity):
                path = str(entity.unique_id).partition("-")[2]
                entities[Platform(platform.domain)].setdefault(path, []).append(entity)
            elif isinstance(entity, AccountEntity):
                of_account.add(str(entity.name))
    introduction = PAGE.read_text().partition("\n## ")[0]
    priced = "With Teslemetry and the Tesla Fleet API also: Spent this month. With Teslemetry: Live data."
    last = f"## Account\n\n{', '.join(sorted(of_account))}. {priced}\n"
    return "\n".join((introduction, *_sections(entities, disabled), last))


def _sections(entities: dict[Platform, dict[str, list[VehicleEntity]]], disabled: set[str]) -> Iterator[str]:
    for platform, by_path in entities.items():
        yield f"## {HEADINGS[platform]}\n\n| name | field | values | |\n|---|---|---|---|"
        by_name = sorted(by_path.items(), key=lambda item: str(item[1][0].name).casefold())
        yield "\n".join(_row(path, same_path, disabled) for path, same_path in by_name) + "\n"


def _row(path: str, entities: list[VehicleEntity], disabled: set[str]) -> str:
    entity = entities[0]
    services = [type_ for type_ in (SERVICE_TYPES[OTHER], TESSIE) if entity.description.is_offered(type_)]
    expected = MODELS * len(services)
    notes = (
        "" if len(services) > 1 else ONLY_AT[services[0].is_fleet],
        "disabled by default" if entity.entity_id in disabled else "",
        "some cars" if len(entities) < expected else "",
        str(entity.entity_category or ""),
    )
    return f"| {entity.name} | `{path}` | {_values(entity)} | {', '.join(filter(None, notes))} |"


def _values(entity: VehicleEntity) -> str:
    options = getattr(entity, "options", None)
    if options and len(options) <= MODELS * 3:
        return ", ".join(f"`{option}`" for option in options)
    unit = getattr(entity, "native_unit_of_measurement", None) or entity.unit_of_measurement
    return ", ".join(filter(None, (str(entity.device_class or "").replace("_", " "), unit)))


@pytest.mark.parametrize(("cars", "service"), [(MODELS, "tessie")])
async def test_page_of_entities(empty_home: Home, pytestconfig: pytest.Config) -> None:
    """The page of entities lists all entities as they are, of a service of each kind."""
    home = empty_home
    await home.set_up(
        addresses={"base_url": home.simulator.url, "stream_url": home.simulator.url.replace("http", "ws")}
    )
    for car in home.simulator.vehicles:
        car.wake()
    home.car.model = replace(home.car.model, car_type="cybertruck")
    await home.poll()
    await home.add_simulated_account(MODELS)
    generated = await generate_page(home)
    if pytestconfig.option.update_snapshots:
        PAGE.write_text(generated)
    assert PAGE.read_text() == generated


COMPARED: Final = re.compile(r"(" + "|".join(name.replace("_", " ") for name in Platform) + r") \*([^*]+)\*")


def test_comparison_names_existing_entities() -> None:
    page = (DOCS / "comparison-of-entities.md").read_text()
    ours = {
        (platform.replace("_", " "), texts["name"])
        for platform, of_platform in ENGLISH["entity"].items()
        for texts in of_platform.values()
    }
    assert not set(COMPARED.findall(page)) - ours


LINK: Final = re.compile(r"\]\((?!https?://|<)([^)#\s]*)(?:#([^)]*))?\)")
IMAGE: Final = re.compile(r'<img src="(?!https?://)([^"]*)()"')
PAGES: Final = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page, and those of its headings."""
    text = page.read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="(\w+)">', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_targets(page: Path) -> None:
    text = page.read_text()
    for path, anchor in LINK.findall(text) + IMAGE.findall(text):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in _anchors(target), (path, anchor)


def test_troubleshooting_explains_all_messages() -> None:
    """Each error and each repair has a section on the troubleshooting page. Repairs link to it."""
    messages = ENGLISH["exceptions"].keys() | ENGLISH["issues"].keys()
    assert not messages - _anchors(DOCS / "troubleshooting.md")


def test_picture_of_requests() -> None:
    """The picture of a day's requests shows what the code does. development/requests_picture.py draws it."""
    assert PICTURE.read_text() == draw()


@pytest.mark.parametrize("service", SERVICES)
def test_switches_of_services(service: str) -> None:
    """The page of the simulator names every service that can be played, and each of its switches."""
    section = (DOCS / "simulator.md").read_text().partition("### Play a service of today")[2]
    names = {service, *SERVICES[service]} - {OTHER}
    assert {name for name in names if f"`{name}`" not in section} == set()
