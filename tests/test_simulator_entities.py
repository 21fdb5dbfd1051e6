"""The controls of simulated cars and their service: entities, effects, faults and storage."""

from collections.abc import AsyncIterator
from datetime import datetime
import json
import re
from typing import Any, Final
from zoneinfo import ZoneInfo

from freezegun.api import FrozenDateTimeFactory
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity import EntityDescription
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.vehicle_remote_access.api.records import DOORS
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import async_get_device_diagnostics
from custom_components.vehicle_remote_access.simulator import NONE, PRESETS, Simulator
from custom_components.vehicle_remote_access.simulator_entities import (
    SIMULATOR_CONTROLS,
    VEHICLE_CONTROLS,
    SimulatorSelectEntityDescription,
)

from .conftest import Home
from .repository.test_architecture import ENGLISH, ROOT

VEHICLE_CONTROL_PLATFORMS: Final = {
    control.key: platform for platform, controls in VEHICLE_CONTROLS.items() for control in controls
}
SIMULATOR_CONTROL_PLATFORMS: Final = {
    control.key: platform for platform, controls in SIMULATOR_CONTROLS.items() for control in controls
}
SERVICE: Final = {
    Platform.BUTTON: "press",
    Platform.SELECT: "select_option",
    Platform.NUMBER: "set_value",
}


class Controls:
    """The controls of a home with one simulated car, whose routine and weather are off."""

    def __init__(self, home: Home) -> None:
        """Use the controls of this home."""
        self.home = home

    @property
    def simulator(self) -> Simulator:
        """The service inside Home Assistant."""
        simulator = self.home.entry.runtime_data.service.simulator
        assert simulator is not None
        return simulator

    def _entity_id(self, control: str) -> str:
        owner = self.home.car.vin if control in VEHICLE_CONTROL_PLATFORMS else self.home.entry.entry_id
        platform = (VEHICLE_CONTROL_PLATFORMS | SIMULATOR_CONTROL_PLATFORMS)[control]
        return self.home.entity_id(platform, f"simulation.{control}", owner)

    def shown(self, control: str) -> str:
        """Return the state of a control."""
        state = self.home.hass.states.get(self._entity_id(control))
        assert state is not None
        return state.state

    async def use(self, control: str, value: Any = None) -> None:
        """Press a button, turn a switch on or off, select an option or set a number. Wait for the effects."""
        entity_id = self._entity_id(control)
        platform = entity_id.partition(".")[0]
        service = SERVICE.get(Platform(platform)) or ("turn_on" if value else "turn_off")
        names = {Platform.SELECT: "option", Platform.NUMBER: "value"}
        data = {names[Platform(platform)]: value} if platform in names else {}
        await self.home.hass.services.async_call(
            platform, service, {"entity_id": entity_id, **data}, blocking=True
        )
        await self.home.idle()


@pytest.fixture
async def controls(empty_home: Home) -> AsyncIterator[Controls]:
    """The controls of a simulated account that was added through the config flow."""
    form = await empty_home.start_flow("simulator")
    result = await empty_home.submit(form, vehicles=1, speed=1)
    assert result["type"] == "create_entry", result
    await empty_home.idle()
    controls = Controls(empty_home)
    real_service, empty_home.simulator = empty_home.simulator, controls.simulator
    await controls.use("routine", False)
    await controls.use("weather", False)
    # A change of a control causes no read soon after the previous read.
    await empty_home.advance(10)
    yield controls
    empty_home.simulator = real_service


def _entities(home: Home, part: str = "-simulation.") -> dict[str, er.RegistryEntry]:
    entities = er.async_entries_for_config_entry(er.async_get(home.hass), home.entry.entry_id)
    return {entity.unique_id: entity for entity in entities if part in entity.unique_id}


# Entities and devices


async def test_every_control_has_an_entity(controls: Controls) -> None:
    """Each control is an entity of the car's simulation device or of the account's device."""
    home, vin = controls.home, controls.home.car.vin
    entities = _entities(home)
    assert set(entities) == {
        *(f"{vin}-simulation.{control}" for control in VEHICLE_CONTROL_PLATFORMS),
        *(f"{home.entry.entry_id}-simulation.{control}" for control in SIMULATOR_CONTROL_PLATFORMS),
    }
    devices = dr.async_get(home.hass)
    simulation = devices.async_get_device_by_identifier((DOMAIN, f"{vin}-simulation"), home.entry.entry_id)
    account = devices.async_get_device_by_identifier((DOMAIN, home.entry.entry_id), home.entry.entry_id)
    assert simulation is not None
    assert account is not None
    assert (simulation.name, simulation.via_device_id) == ("Aurora simulation", home.device.id)
    for unique_id, entity in entities.items():
        assert entity.device_id == (simulation.id if unique_id.startswith(vin) else account.id)


async def test_real_account_has_no_controls(home: Home) -> None:
    """An account of a real service has no simulation entities and no simulation devices."""
    assert not _entities(home)
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert {device.name for device in devices} == {"Aurora", "127.0.0.1"}


@pytest.mark.parametrize(
    ("platform", "control"),
    [
        pytest.param(platform, control, id=control.key)
        for table in (VEHICLE_CONTROLS, SIMULATOR_CONTROLS)
        for platform, controls in table.items()
        for control in controls
    ],
)
def test_every_control_is_translated(platform: Platform, control: EntityDescription) -> None:
    """Each control has a name. Options, and the states of doors, are translated."""
    texts = ENGLISH["entity"][platform][f"simulation_{control.key}"]
    states = set(texts.get("state", {}))
    assert texts["name"]
    if isinstance(control, SimulatorSelectEntityDescription):
        assert states == set(control.options or ())
    else:
        assert states == ({"on", "off"} if control.key in {door.name for door in DOORS} else set())


def test_every_translation_has_a_control() -> None:
    """No translation of a control is unused."""
    platforms = VEHICLE_CONTROL_PLATFORMS | SIMULATOR_CONTROL_PLATFORMS
    expected = {(platform, f"simulation_{key}") for key, platform in platforms.items()}
    translated = {(platform, key) for platform, keys in ENGLISH["entity"].items() for key in keys}
    assert {(platform, key) for platform, key in translated if key.startswith("simulation_")} == expected


async def test_cars_are_at_home(controls: Controls) -> None:
    """A simulated car is parked in the home zone, so that users can try automations at home."""
    assert controls.home.shown("device_tracker", "drive_state").state == "home"


async def test_device_cannot_be_deleted(controls: Controls, hass_ws_client: WebSocketGenerator) -> None:
    """The simulation device of a car cannot be deleted while the car exists."""
    home = controls.home
    device = dr.async_get(home.hass).async_get_device_by_identifier(
        (DOMAIN, f"{home.car.vin}-simulation"), home.entry.entry_id
    )
    assert device is not None
    assert not await home.delete_device(hass_ws_client, device.id)


# Effects of controls


@pytest.mark.parametrize(
    ("control", "value", "platform", "path", "shown"),
    [
        ("cable", "charging_point", "sensor", "charge_state.charging_state", "starting"),
        ("cable", "fast_charger", "binary_sensor", "charge_state.fast_charger_present", "on"),
        ("cable", "unplugged", "sensor", "charge_state.charging_state", "disconnected"),
        ("battery_level", 33, "sensor", "charge_state.battery_level", "33"),
        ("df", True, "binary_sensor", "vehicle_state.df", "on"),
        ("dr", True, "binary_sensor", "vehicle_state.dr", "on"),
        ("pf", True, "binary_sensor", "vehicle_state.pf", "on"),
        ("pr", True, "binary_sensor", "vehicle_state.pr", "on"),
        ("ft", True, "cover", "vehicle_state.ft", "open"),
        ("rt", True, "cover", "vehicle_state.rt", "open"),
        ("unlock", None, "lock", "vehicle_state.locked", "unlocked"),
        ("user_present", True, "binary_sensor", "vehicle_state.is_user_present", "on"),
        ("sentry", True, "binary_sensor", "vehicle_state.sentry_mode", "on"),
        ("climate_keeper", "dog", "sensor", "climate_state.climate_keeper_mode", "dog"),
        ("inside_temp", 35.5, "sensor", "climate_state.inside_temp", "35.5"),
        ("outside_temp", -7.5, "sensor", "climate_state.outside_temp", "-7.5"),
        ("service", True, "binary_sensor", "in_service", "on"),
        ("coverage", False, "sensor", "state", "offline"),
        ("fall_asleep", None, "sensor", "state", "asleep"),
        ("offer_update", None, "update", "vehicle_state.software_update", "on"),
    ],
)
async def test_control_updates_the_car(
    control: str, value: Any, platform: str, path: str, shown: str, controls: Controls
) -> None:
    """The effect of a control is shown immediately, as if *Refresh* had been pressed."""
    if value == "charging_point":
        await controls.use("battery_level", 40)
        await controls.use("cable", "unplugged")
        await controls.home.advance(10)
    await controls.use(control, value)
    assert controls.home.shown(platform, path).state == shown
    if value is not None:
        assert controls.shown(control) == str({True: "on", False: "off"}.get(value, value))


async def test_walk_away(controls: Controls) -> None:
    """After *Walk away*, the driver is not present and everything is closed, but the car is not locked."""
    await controls.use("user_present", True)
    await controls.use("rt", True)
    await controls.use("walk_away")
    shown = [controls.shown(control) for control in ("user_present", "rt")]
    assert (shown, controls.home.car.body.locked) == (["off", "off"], False)
    await controls.use("lock")
    assert controls.home.car.body.locked


async def test_drive(controls: Controls) -> None:
    """The car drives the set distance, shows the remaining distance, and is then not at home."""
    await controls.use("cable", "unplugged")
    await controls.home.advance(10)
    await controls.use("drive", 5)
    assert controls.home.shown("sensor", "drive_state.shift_state").state == "d"
    await controls.home.advance(180)
    assert 0 < float(controls.shown("drive")) < 5
    await controls.home.advance(240)
    assert float(controls.shown("drive")) == 0
    assert controls.home.shown("device_tracker", "drive_state").state == "not_home"


async def test_drive_can_be_ended(controls: Controls) -> None:
    """Setting the distance to zero ends a drive."""
    await controls.use("cable", "unplugged")
    await controls.use("drive", 50)
    await controls.home.advance(60)
    await controls.use("drive", 0)
    assert controls.home.car.driving.shift_state == "P"


async def test_impossible_control(controls: Controls) -> None:
    """A control that the car refuses results in an error with the reason, and changes nothing."""
    with pytest.raises(HomeAssistantError, match="a cable is in the charge port") as error:
        await controls.use("drive", 5)
    assert error.value.translation_key == "control_refused"
    assert float(controls.shown("drive")) == 0


async def test_selecting_the_same_cable(controls: Controls) -> None:
    """Selecting the current cable does not plug it in again."""
    await controls.use("cable", "charging_point")
    assert controls.home.car.charging.state == "Stopped"


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("power_supply", True),
        ("climate_keeper", "off"),
        ("drive", 0),
        ("mobile_access", True),
        ("weather", False),
    ],
)
async def test_control_without_effect(control: str, value: Any, controls: Controls) -> None:
    """Setting a control to its current value changes nothing."""
    controls.home.car.cabin.on = True
    stable_controls = [
        key
        for key, platform in VEHICLE_CONTROL_PLATFORMS.items()
        if platform is not Platform.BUTTON and key != "inside_temp"
    ]
    before = {name: controls.shown(name) for name in stable_controls}
    await controls.use(control, value)
    assert {name: controls.shown(name) for name in before} == before
    assert (controls.home.car.cabin.on, controls.home.car.charging.state) == (True, "Stopped")


async def test_control_after_refresh(controls: Controls) -> None:
    """The effect of a control is shown immediately, even directly after *Refresh*."""
    await controls.home.call("button", "press", "refresh")
    await controls.use("df", True)
    assert controls.home.shown("binary_sensor", "vehicle_state.df").state == "on"


@pytest.mark.parametrize("control", ["speed", "fault_requests", "drive", "battery_level", "outside_temp"])
async def test_not_a_number(control: str, controls: Controls) -> None:
    """NaN is refused with an error, and changes nothing."""
    before = controls.shown(control)
    with pytest.raises(HomeAssistantError):
        await controls.use(control, float("nan"))
    assert controls.shown(control) == before


async def test_diagnostics_of_the_simulation_device(controls: Controls) -> None:
    """The diagnostics of the simulation device are those of the car."""
    device = dr.async_get(controls.home.hass).async_get_device_by_identifier(
        (DOMAIN, f"{controls.home.car.vin}-simulation"), controls.home.entry.entry_id
    )
    assert device is not None
    report = await async_get_device_diagnostics(controls.home.hass, controls.home.entry, device)
    assert len(report["vehicles"]) == 1


async def test_several_controls_in_a_row(controls: Controls) -> None:
    """After several controls in a row, the effect of the last one is shown within seconds."""
    await controls.use("df", True)
    await controls.use("df", False)
    await controls.home.advance(6)
    assert controls.home.shown("binary_sensor", "vehicle_state.df").state == "off"


async def test_weather_replaces_the_set_temperature(controls: Controls) -> None:
    """A set outside temperature applies until the weather is turned on again."""
    await controls.use("outside_temp", -7)
    assert controls.shown("weather") == "off"
    await controls.use("weather", True)
    assert float(controls.shown("outside_temp")) > -7


async def test_time_factor(controls: Controls) -> None:
    """At time factor 60, a minute charges as much as an hour. Timestamps are not in the future."""
    await controls.use("speed", 60)
    await controls.use("battery_level", 40)
    await controls.use("cable", "unplugged")
    await controls.use("cable", "charging_point")
    await controls.home.advance(70)
    assert float(controls.home.shown("sensor", "charge_state.battery_level").state) == pytest.approx(
        52, abs=3
    )
    timestamp = datetime.fromisoformat(controls.home.shown("sensor", "charge_state.timestamp").state)
    assert timestamp <= datetime.now(ZoneInfo("UTC"))


@pytest.mark.parametrize("speed", [60, 600])
async def test_end_of_fast_charging_is_shown(speed: int, controls: Controls) -> None:
    """At any time factor, the end of charging is shown before the car falls asleep."""
    await controls.use("speed", speed)
    await controls.use("battery_level", 60)
    await controls.use("cable", "unplugged")
    await controls.use("cable", "charging_point")
    seen = set()
    for _ in range(25):
        await controls.home.advance(10)
        seen.add(controls.home.shown("sensor", "charge_state.charging_state").state)
    assert "complete" in seen


async def test_car_is_computed_on_request(controls: Controls, freezer: FrozenDateTimeFactory) -> None:
    """A simulated car is computed only when it is requested, so it costs nothing between requests."""
    computed_to = controls.home.car.timeline.now
    freezer.tick(7 * 86_400)
    await controls.home.idle()
    assert controls.home.car.timeline.now == computed_to
    await controls.home.poll()
    assert controls.home.car.timeline.now >= computed_to + 7 * 86_400


async def test_routine_drives_the_car(controls: Controls) -> None:
    """With its routine on, the car leaves home and returns by itself."""
    await controls.use("routine", True)
    await controls.use("speed", 10)
    seen = set()
    for _ in range(24 * 12):
        await controls.home.advance(30, step=30)
        seen.add(controls.home.shown("device_tracker", "drive_state").state)
    assert seen == {"home", "not_home"}


async def test_documented_example(controls: Controls) -> None:
    """The script in the documentation works."""
    await controls.use("routine", True)
    documentation = (ROOT / "docs" / "simulator.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", documentation, re.DOTALL)
    hass = controls.home.hass
    assert await async_setup_component(hass, "script", {"script": {"example": parse_yaml(example)}})
    await hass.services.async_call("script", "example", blocking=True)
    await controls.home.idle()
    shown = [controls.shown(control) for control in ("routine", "cable", "battery_level")]
    assert shown == ["off", "unplugged", "18"]


# Faults


async def test_fault_for_some_requests(controls: Controls) -> None:
    """A fault affects the set number of requests, counts down, and then ends."""
    await controls.use("fault_requests", 2)
    await controls.use("fault", "internal_error")
    assert (controls.shown("fault"), float(controls.shown("fault_requests"))) == ("internal_error", 2)
    await controls.home.poll()
    assert (controls.shown("fault"), float(controls.shown("fault_requests"))) == ("internal_error", 1)
    await controls.home.poll()
    assert (controls.shown("fault"), float(controls.shown("fault_requests"))) == (NONE, 2)
    assert [request.status for request in controls.simulator.requests][-2:] == [500, 500]


async def test_fault_can_be_ended(controls: Controls) -> None:
    """Selecting no fault ends the fault immediately."""
    await controls.use("fault_requests", 50)
    await controls.use("fault", "maintenance")
    await controls.use("fault", NONE)
    await controls.home.poll()
    assert controls.simulator.requests[-1].status == 200


async def test_fault_for_commands_only(controls: Controls) -> None:
    """A fault for commands affects only commands, not reads."""
    await controls.use("fault", "too_many_requests")
    await controls.use("fault_where", "commands")
    await controls.home.poll()
    assert controls.shown("fault") == "too_many_requests"
    with pytest.raises(HomeAssistantError):
        await controls.home.call("lock", "unlock", "vehicle_state.locked")
    assert controls.shown("fault") == NONE


@pytest.mark.parametrize(
    ("fault", "scope"), [*((fault, "reads") for fault in PRESETS), (next(iter(PRESETS)), "every_request")]
)
async def test_every_fault_is_injected(fault: str, scope: str, controls: Controls) -> None:
    """Each fault is injected once."""
    await controls.use("fault_where", scope)
    await controls.use("fault", fault)
    await controls.home.while_time_passes(controls.home.coordinator.async_refresh())
    assert (controls.simulator.faults.injected.total(), controls.shown("fault")) == (1, NONE)


async def test_reauthentication_of_a_simulated_account(controls: Controls) -> None:
    """After two rejections of a simulated token, reauthentication starts. It does not ask for a token."""
    home = controls.home
    await controls.use("fault_requests", 10)
    await controls.use("fault", "token_refused")
    await home.poll()
    await home.advance(6)
    (flow,) = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    form = await home.hass.config_entries.flow.async_configure(flow["flow_id"])
    assert form["data_schema"] is not None
    assert (form["step_id"], dict(form["data_schema"].schema)) == ("reauth_simulator", {})
    result = await home.submit(form)
    assert (result["type"], result["reason"]) == ("abort", "reauth_successful")
    await home.idle()
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.entry.runtime_data.is_reachable


# Storage


async def _restart(controls: Controls) -> None:
    await controls.home.restart()
    controls.home.simulator = controls.simulator


async def test_car_is_restored(controls: Controls) -> None:
    """The car is restored after a restart, and the time of the restart has passed for the car."""
    await controls.use("battery_level", 40)
    await controls.use("rt", True)
    await controls.use("outside_temp", -7)
    await controls.use("cable", "unplugged")
    await controls.use("cable", "charging_point")
    before = controls.home.car
    await controls.home.leave()
    await controls.home.advance(1800, step=600)
    await _restart(controls)
    assert controls.home.car is not before
    shown = [controls.shown(control) for control in ("rt", "outside_temp", "cable", "routine")]
    assert shown == ["on", "-7.0", "charging_point", "off"]
    # The home charger adds eleven percent in an hour, and some of the energy heats the cold battery.
    assert float(controls.shown("battery_level")) == pytest.approx(45.5, abs=1)


async def test_pin_is_not_stored(controls: Controls, hass_storage: dict[str, Any]) -> None:
    """The PIN of a simulated car is not stored, only whether a PIN is set."""
    await controls.home.act("set_valet_mode", on=True, password="7391")
    await controls.home.act("speed_limit_activate", pin="8462")
    await controls.home.leave()
    # Only complete strings: a longer number can contain the digits by chance.
    stored = json.dumps(hass_storage)
    assert '"7391"' not in stored
    assert '"8462"' not in stored
    await _restart(controls)
    assert controls.home.car.body.speed_limit.pin is not None
    await controls.home.act("speed_limit_deactivate", pin="8462")
    await controls.home.act("set_valet_mode", on=False, password="7391")
    assert not controls.home.car.body.valet.on


async def test_home_moved_during_restart(controls: Controls) -> None:
    """If the home location changed during a restart, the car is parked at the new location."""
    await controls.use("cable", "unplugged")
    await controls.use("drive", 100)
    await controls.home.leave()
    await controls.home.hass.config.async_update(latitude=52.37, longitude=4.89)
    await _restart(controls)
    assert controls.home.car.driving.point == pytest.approx((52.37, 4.89), abs=1e-3)
    assert controls.home.car.driving.shift_state in ("P", None)


async def test_time_factor_is_restored(controls: Controls) -> None:
    """The time factor is restored. It does not apply to the time when Home Assistant was stopped."""
    await controls.use("speed", 600)
    ahead = controls.simulator.clock.now() - datetime.now(ZoneInfo("UTC")).timestamp()
    await controls.home.leave()
    await controls.home.advance(3600, step=3600)
    await _restart(controls)
    assert float(controls.shown("speed")) == 600
    assert controls.simulator.clock.now() - datetime.now(ZoneInfo("UTC")).timestamp() == pytest.approx(ahead)


@pytest.mark.parametrize(
    "damage",
    [
        None,
        [],
        {"clock": {}},
        {"vehicles": "?"},
        "clock",
        "vehicles",
        "timeline",
        "point",
        "scheduled",
        "timestamp",
    ],
)
async def test_damaged_storage(damage: Any, controls: Controls, hass_storage: dict[str, Any]) -> None:
    """If the stored data is damaged, the account loads with cars in their initial state."""
    home = controls.home
    await controls.use("battery_level", 40)
    await home.leave()
    data = hass_storage[f"{DOMAIN}.{home.entry.entry_id}"]["data"]
    stored = json.loads(json.dumps(data["simulator"]))
    if damage == "timeline":
        stored["vehicles"][home.car.vin]["timeline"]["due"] = {"wakes": ["soon"]}
        stored["vehicles"][home.car.vin]["driving"] = None
    elif damage == "point":
        stored["vehicles"][home.car.vin]["driving"]["point"] = ["a", "b"]
    elif damage == "scheduled":
        stored["vehicles"][home.car.vin]["charging"]["scheduled_start"] = "soon"
    elif damage == "timestamp":
        stored["vehicles"][home.car.vin]["timeline"]["now"] = 1e300
    elif isinstance(damage, str):
        del stored[damage]
    data["simulator"] = stored if isinstance(damage, str) else damage
    await home.restart()
    home.simulator = controls.simulator
    assert home.entry.state is ConfigEntryState.LOADED
    assert float(controls.shown("battery_level")) == 72


async def test_car_is_stored_within_minutes(controls: Controls, hass_storage: dict[str, Any]) -> None:
    """Changes are stored within five minutes, so that they survive a power failure."""
    await controls.use("battery_level", 41)
    await controls.home.advance(301, step=60)
    data = hass_storage[f"{DOMAIN}.{controls.home.entry.entry_id}"]["data"]
    assert data["simulator"]["vehicles"][controls.home.car.vin]["charging"]["level"] == pytest.approx(
        41, abs=0.2
    )


async def test_second_account_has_other_cars(controls: Controls) -> None:
    """A second simulated account has other cars, with other names."""
    form = await controls.home.start_flow("simulator")
    await controls.home.submit(form, vehicles=3, speed=1)
    await controls.home.idle()
    first, second = controls.home.hass.config_entries.async_entries(DOMAIN)
    names = [{subentry.title for subentry in entry.subentries.values()} for entry in (first, second)]
    assert len(names[1]) == 3
    assert names[0].isdisjoint(names[1])
