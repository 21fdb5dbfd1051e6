"""Test that every documented field shows up in Home Assistant.

The expectations are written by hand, not derived from the integration's field table: the fields come from
the interface document, and `TABLE` lists where users find each of them.
"""

from collections.abc import Mapping
import json
from typing import Any, Final, Literal

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.cover import CoverEntityFeature
from homeassistant.components.diagnostics import REDACTED
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics

from .api.raw_records import DOCUMENTED, found_in
from .conftest import Home
from .field_places import NOT_IN_VIEW, PLACES, ROWS, SEATS, another, report, shown_in

type Profile = Literal["current-2019", "legacy-2018"]


# Gate → a value that closes it, a value that opens it, and what exists only if it is open
GATES: Final[Mapping[str, tuple[Any, Any, str]]] = {
    "gui_settings.gui_range_display": ("Ideal", "Rated", "sensor charge_state.battery_range enabled"),
    "charge_state.charge_limit_soc_std": (None, 90, "button charge_standard"),
    "vehicle_config.can_actuate_trunks": (False, True, "cover vehicle_state.rt"),
    "vehicle_config.motorized_charge_port": (False, True, "cover charge_state.charge_port_door_open CLOSE"),
    "vehicle_config.plg": (False, True, "cover vehicle_state.rt CLOSE"),
    "vehicle_config.rear_seat_heaters": (0, 3, "sensor climate_state.seat_heater_rear_left"),
    "vehicle_config.sun_roof_installed": (0, 2, "cover vehicle_state.sun_roof_percent_open"),
    "vehicle_config.third_row_seats": ("None", SEATS, "sensor climate_state.seat_heater_third_row_left"),
}


def _documented_paths(profile: Profile) -> list[str]:
    return [path for path, field in DOCUMENTED.items() if profile.partition("-")[0] in field["variants"]]


EACH_PROFILE: Final = pytest.mark.parametrize("profile", ["current-2019", "legacy-2018"])


def _features(home: Home) -> set[str]:
    """Return the entities of the car, whether they are enabled, and the features of its covers."""
    features = set()
    for entry in home.entities():
        name = f"{entry.domain} {entry.unique_id.partition('-')[2]}"
        features |= {name} if entry.disabled_by else {name, f"{name} enabled"}
        if entry.domain == "cover":
            features |= {f"{name} {feature.name}" for feature in CoverEntityFeature(entry.supported_features)}
    return features


def test_table_contains_each_documented_field_exactly_once_and_gates_contains_each_gate() -> None:
    assert set(PLACES) == set(DOCUMENTED)
    assert len(PLACES) == len(ROWS)
    assert set(GATES) == {path for path, places in PLACES.items() if "gate" in places}


@EACH_PROFILE
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_field_that_changes_changes_something_in_each_of_its_places(
    empty_home: Home, freezer: FrozenDateTimeFactory, profile: Profile
) -> None:
    empty_home.simulator.switches.profile = profile
    await empty_home.set_up()
    not_shown = []
    for path in _documented_paths(profile):
        if places := PLACES[path] - NOT_IN_VIEW:
            # The coordinator ignores records with an older timestamp.
            freezer.tick(2)
            not_shown += [f"{path}: {place}" for place in places - await shown_in(empty_home, path)]
    assert not not_shown, "\n".join(not_shown)


@pytest.mark.parametrize(
    ("path", "value", "exists"),
    [
        *((path, opened, True) for path, (_, opened, _) in GATES.items()),
        *((path, closed, False) for path, (closed, _, _) in GATES.items()),
        ("vehicle_config.sun_roof_installed", None, False),
    ],
)
async def test_gate_opens_its_feature(empty_home: Home, path: str, value: Any, *, exists: bool) -> None:
    empty_home.simulator.faults.corrupt(path, value)
    await empty_home.set_up()
    assert (GATES[path][2] in _features(empty_home)) is exists


@EACH_PROFILE
async def test_diagnostics_have_every_field_as_sent_or_redacted(empty_home: Home, profile: Profile) -> None:
    empty_home.simulator.switches.profile = profile
    await empty_home.set_up()
    raw = dict(empty_home.coordinator.known.merged.raw)
    sent = {path: another(path, found_in(raw, path)) for path in _documented_paths(profile)}
    await report(empty_home, sent)
    diagnostics = await async_get_config_entry_diagnostics(empty_home.hass, empty_home.entry)
    private = {path for path in sent if "redacted" in PLACES[path]}
    (vehicle,) = diagnostics["vehicles"]
    expected = {path: REDACTED if path in private else value for path, value in sent.items()}
    wrong = [path for path, value in expected.items() if found_in(vehicle["response"], path) != value]
    assert not wrong, "\n".join(wrong)
    text = json.dumps(diagnostics)
    # The tokens are a list.
    secrets = {path: sent[path] if isinstance(sent[path], list) else [sent[path]] for path in private}
    assert not [path for path in private if any(str(secret) in text for secret in secrets[path])]


async def test_retired_entity_exists_only_where_an_earlier_version_has_registered_it(home: Home) -> None:
    """A new car lacks it. An owner who uses it keeps it, and it stays disabled for others."""
    registry = er.async_get(home.hass)
    unused = {path for path, places in PLACES.items() if places == {"diagnostics"}}
    assert not unused & {entry.unique_id.partition("-")[2] for entry in home.entities()}
    used, disabled = (
        registry.async_get_or_create("sensor", DOMAIN, f"{home.car.vin}-{path}", disabled_by=disabled_by)
        for path, disabled_by in (
            ("vehicle_state.last_autopark_error", None),
            ("vehicle_state.autopark_style", er.RegistryEntryDisabler.INTEGRATION),
        )
    )
    await home.restart()
    for error in ("no_error", "obstacle"):
        await report(home, {"vehicle_state.last_autopark_error": error})
        assert home.shown("sensor", "vehicle_state.last_autopark_error").entity_id == used.entity_id
        assert home.shown("sensor", "vehicle_state.last_autopark_error").state == error
    assert home.hass.states.get(disabled.entity_id) is None
    assert registry.entities[disabled.entity_id].disabled


async def test_sensor_that_had_statistics_keeps_them(home: Home) -> None:
    """Version 1.0.0 had statistics of each measurement. Without them, Home Assistant shows a repair."""
    registry = er.async_get(home.hass)
    paths = "drive_state.speed", "log.standby_loss"
    sensors = [home.shown("sensor", path) for path in paths]
    assert not any("state_class" in sensor.attributes for sensor in sensors)
    await home.unload()
    for sensor in sensors:
        registry.async_update_entity(sensor.entity_id, capabilities={"state_class": "measurement"})
    await home.load()
    for _ in range(2):
        await home.restart()
        shown = [home.shown("sensor", path).attributes["state_class"] for path in paths]
        assert shown == ["measurement", "measurement"]
