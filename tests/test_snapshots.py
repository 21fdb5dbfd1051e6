"""What an owner's dashboards and automations rest on, written down: what nobody meant to change shows here.

Of two cars with different equipment. After a change that is meant, `--snapshot-update` writes it down anew.
"""

from typing import Any, Final
from unittest.mock import patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.const import ATTR_FRIENDLY_NAME, CONF_ACCESS_TOKEN, CONF_ID, CONF_NAME, Platform
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.json import json_bytes
from homeassistant.util.json import json_loads
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.syrupy import HomeAssistantSnapshotExtension
from syrupy.assertion import SnapshotAssertion

from custom_components.vehicle_remote_access.const import (
    CONF_BASE_URL,
    CONF_VIN,
    DOMAIN,
    PLATFORMS,
    SUBENTRY_VEHICLE,
)

from .conftest import Home

# What is remembered over a restart is remembered under the account's id, which here is always the same.
pytestmark = pytest.mark.usefixtures("hass_storage")

MOMENT: Final = "2020-03-14T12:00:00+00:00"
ENTRY_ID: Final = "the-account"
REGISTERED: Final = (
    "entity_id",
    "entity_category",
    "translation_key",
    "original_name",
    "original_device_class",
    "capabilities",
    "supported_features",
    "unit_of_measurement",
    "options",
)
ON_THE_PAGE: Final = (
    "name",
    "manufacturer",
    "model",
    "model_id",
    "serial_number",
    "sw_version",
    "hw_version",
)


@pytest.fixture
def cars() -> int:
    """A Model S with a sun roof, and a European Model X with a third row."""
    return 2


@pytest.fixture
def freezer(freezer: FrozenDateTimeFactory) -> FrozenDateTimeFactory:
    """Time begins at the same moment whenever this runs, also for the simulated cars."""
    freezer.move_to(MOMENT)
    return freezer


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Snapshots as Home Assistant writes them: which plugin's are taken is otherwise a matter of order."""
    return snapshot.use_extension(HomeAssistantSnapshotExtension)


@pytest.fixture
def entry(empty_home: Home) -> MockConfigEntry:
    """An account whose ids are the same whenever this runs: the dialog would make new ones."""
    simulator = empty_home.simulator
    entry = MockConfigEntry(
        domain=DOMAIN,
        title="Account",
        entry_id=ENTRY_ID,
        data={CONF_BASE_URL: simulator.url, CONF_ACCESS_TOKEN: simulator.token},
        subentries_data=[
            ConfigSubentryDataWithId(
                data={CONF_ID: str(car.id), CONF_VIN: car.vin, CONF_NAME: car.name},
                subentry_id=car.vin,
                subentry_type=SUBENTRY_VEHICLE,
                title=car.name,
                unique_id=car.vin,
            )
            for car in simulator.vehicles
        ],
    )
    entry.add_to_hass(empty_home.hass)
    return entry


async def _start(home: Home) -> None:
    assert await home.hass.config_entries.async_setup(ENTRY_ID)
    await home.idle()


def _entities(home: Home) -> list[er.RegistryEntry]:
    return er.async_entries_for_config_entry(er.async_get(home.hass), ENTRY_ID)


async def _enable_all(home: Home) -> None:
    """Enable what is disabled by default, as its owner would."""
    for each in _entities(home):
        er.async_get(home.hass).async_update_entity(each.entity_id, disabled_by=None)
    assert await home.hass.config_entries.async_reload(ENTRY_ID)
    await home.idle()


def _plain(found: Any) -> Any:
    """Return it without Home Assistant's own types, whose names change with its releases."""
    return json_loads(json_bytes(found))


def _look(
    home: Home, entity: er.RegistryEntry, disabled_by: er.RegistryEntryDisabler | None
) -> dict[str, Any]:
    """Return how an entity is registered, by whom it is disabled at first, and what of its state is news.

    Its friendly name is left out: that is the car's name and its own.
    """
    registered = {name: value for name in REGISTERED if (value := getattr(entity, name))}
    said = {**registered, "device_class": entity.original_device_class, **(entity.capabilities or {})}
    state = home.hass.states.get(entity.entity_id)
    assert state is not None, f"{entity.entity_id} has no state"
    shown = {
        name: value
        for name, value in state.attributes.items()
        if name != ATTR_FRIENDLY_NAME and said.get(name) != value
    }
    # How often the service was asked is no business of a dashboard's.
    value = "…" if entity.translation_key == "requests_today" else state.state
    look = {**registered, "disabled_by": disabled_by, "state": value, "attributes": shown}
    return {name: value for name, value in look.items() if value}


def _beside(look: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return what of an entity is not as it is with the other car's."""
    return {name: look.get(name) for name in other | look if look.get(name) != other.get(name)}


@pytest.mark.parametrize("platform", [each for each in PLATFORMS if each != Platform.SELECT])
async def test_entities(
    platform: Platform, empty_home: Home, entry: MockConfigEntry, snapshot: SnapshotAssertion
) -> None:
    """The entities are those that they were, under the same names, and show the same.

    Of the second car stands there what differs from the first.
    """
    home = empty_home
    first, second = (car.vin for car in home.simulator.vehicles)
    with patch("custom_components.vehicle_remote_access.PLATFORMS", [platform]):
        await _start(home)
        by_default = {each.unique_id: each.disabled_by for each in _entities(home)}
        await _enable_all(home)
        looks = {each.unique_id: _look(home, each, by_default[each.unique_id]) for each in _entities(home)}
        await home.leave()
    looks |= {
        unique_id: _beside(look, looks.get(unique_id.replace(second, first), {}))
        for unique_id, look in looks.items()
        if unique_id.startswith(second)
    }
    assert _plain(looks) == snapshot


async def test_devices(empty_home: Home, entry: MockConfigEntry, snapshot: SnapshotAssertion) -> None:
    """The cars' pages say which car it is, and what it runs."""
    await _start(empty_home)
    devices = dr.async_entries_for_config_entry(dr.async_get(empty_home.hass), ENTRY_ID)
    pages = [{name: value for name in ON_THE_PAGE if (value := getattr(each, name))} for each in devices]
    assert _plain(pages) == snapshot
