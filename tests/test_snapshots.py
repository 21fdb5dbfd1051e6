"""Snapshots of the entities and devices of two cars, to detect unintended changes.

Dashboards and automations depend on them. After an intended change, `--snapshot-update` writes new snapshots.
"""

from typing import Any, Final
from unittest.mock import patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.const import ATTR_FRIENDLY_NAME, Platform
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.json import json_bytes
from homeassistant.util.json import json_loads
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.syrupy import HomeAssistantSnapshotExtension
from syrupy.assertion import SnapshotAssertion

from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS

from .conftest import Home

# Without the storage mock, the tests would share a file: the id of the account is always the same.
pytestmark = pytest.mark.usefixtures("hass_storage")

START: Final = "2020-03-14T12:00:00+00:00"
ENTRY_ID: Final = "the-account"
REGISTRY_ATTRIBUTES: Final = (
    "entity_id entity_category translation_key original_name original_device_class capabilities "
    "supported_features unit_of_measurement options"
)
DEVICE_ATTRIBUTES: Final = "name manufacturer model model_id serial_number sw_version hw_version"


@pytest.fixture
def cars() -> int:
    """A Model S with a sun roof, and a European Model X with a third row."""
    return 2


@pytest.fixture
def freezer(freezer: FrozenDateTimeFactory) -> FrozenDateTimeFactory:
    """Start at a fixed time, also for the simulated cars."""
    freezer.move_to(START)
    return freezer


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Use Home Assistant's format of snapshots. Otherwise, it depends on the load order of the plugins."""
    return snapshot.use_extension(HomeAssistantSnapshotExtension)


@pytest.fixture
def entry(empty_home: Home) -> MockConfigEntry:
    """An account with fixed ids. The config flow would create random ones."""
    simulator = empty_home.simulator
    entry = MockConfigEntry(
        domain=DOMAIN,
        title="Account",
        entry_id=ENTRY_ID,
        data={"base_url": simulator.url, "access_token": simulator.token},
        subentries_data=[
            ConfigSubentryDataWithId(
                data={"id": str(car.id), "vin": car.vin, "name": car.name},
                subentry_id=car.vin,
                subentry_type="vehicle",
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


def _entities(home: Home, platform: Platform) -> list[er.RegistryEntry]:
    return [entity for entity in home.entities() if entity.domain == platform]


def _as_json(content: Any) -> Any:
    """Return the content without Home Assistant's types, whose names change with its releases."""
    return json_loads(json_bytes(content))


def _describe(home: Home, entity: er.RegistryEntry, disabled_by: str | None) -> dict[str, Any]:
    """Return the registry entry, the initial `disabled_by`, and what the state has besides these."""
    registered = {name: value for name in REGISTRY_ATTRIBUTES.split() if (value := getattr(entity, name))}
    known = {**registered, "device_class": entity.original_device_class, **(entity.capabilities or {})}
    state = home.hass.states.get(entity.entity_id)
    assert state is not None, f"{entity.entity_id} has no state"
    known[ATTR_FRIENDLY_NAME] = state.name
    attributes = {name: value for name, value in state.attributes.items() if known.get(name) != value}
    # The number of requests may change without affecting a dashboard.
    value = "…" if entity.translation_key == "requests_today" else state.state
    description = {**registered, "disabled_by": disabled_by, "state": value, "attributes": attributes}
    return {name: value for name, value in description.items() if value}


# A service of the documented interface has no selects and no media player.
@pytest.mark.parametrize(
    "platform", [name for name in PLATFORMS if name not in (Platform.SELECT, Platform.MEDIA_PLAYER)]
)
async def test_entities(
    platform: Platform, empty_home: Home, entry: MockConfigEntry, snapshot: SnapshotAssertion
) -> None:
    """For the second car, the snapshot contains only the differences from the first car."""
    home = empty_home
    first, second = (car.vin for car in home.simulator.vehicles)
    with patch("custom_components.vehicle_remote_access.PLATFORMS", [platform]):
        await _start(home)
        disabled_by = {entity.unique_id: entity.disabled_by for entity in _entities(home, platform)}
        for entity in _entities(home, platform):
            er.async_get(home.hass).async_update_entity(entity.entity_id, disabled_by=None)
        assert await home.hass.config_entries.async_reload(ENTRY_ID)
        await home.idle()
        descriptions = {
            entity.unique_id: _describe(home, entity, disabled_by[entity.unique_id])
            for entity in _entities(home, platform)
        }
        await home.leave()
    for unique_id, description in descriptions.items():
        if unique_id.startswith(second):
            other = descriptions.get(unique_id.replace(second, first), {})
            names = [name for name in other | description if description.get(name) != other.get(name)]
            descriptions[unique_id] = {name: description.get(name) for name in names}
    assert _as_json(descriptions) == snapshot


async def test_devices(empty_home: Home, entry: MockConfigEntry, snapshot: SnapshotAssertion) -> None:
    await _start(empty_home)
    devices = dr.async_entries_for_config_entry(dr.async_get(empty_home.hass), ENTRY_ID)
    names = DEVICE_ATTRIBUTES.split()
    content = [{name: value for name in names if (value := getattr(device, name))} for device in devices]
    assert _as_json(content) == snapshot
