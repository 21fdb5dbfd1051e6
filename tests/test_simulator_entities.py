"""The controls of a simulated car, as somebody uses them who tries automations on it."""

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
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.vehicle_remote_access.api.records import DOORS
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import async_get_device_diagnostics
from custom_components.vehicle_remote_access.simulator import MISHAPS, NONE, Simulator
from custom_components.vehicle_remote_access.simulator_entities import (
    OF_A_VEHICLE,
    OF_THE_SERVICE,
    Amount,
    Choice,
    Control,
    Deed,
    Toggle,
)

from .conftest import Home
from .repository.test_architecture import ENGLISH, ROOT

PLATFORM: Final = {
    Deed: Platform.BUTTON,
    Toggle: Platform.SWITCH,
    Choice: Platform.SELECT,
    Amount: Platform.NUMBER,
}
SERVICE: Final = {
    Platform.BUTTON: "press",
    Platform.SELECT: "select_option",
    Platform.NUMBER: "set_value",
}


class Stage:
    """A home with one simulated car that nobody but the test touches."""

    def __init__(self, home: Home) -> None:
        """Stand beside its car."""
        self.home = home

    @property
    def simulator(self) -> Simulator:
        """The service inside Home Assistant."""
        simulator = self.home.entry.runtime_data.connection.simulator
        assert simulator is not None
        return simulator

    def _entity_id(self, control: str) -> str:
        owners = {each.name: self.home.car.vin for each in OF_A_VEHICLE}
        owner = owners.get(control, self.home.entry.entry_id)
        platform = next(
            PLATFORM[type(each)] for each in (*OF_A_VEHICLE, *OF_THE_SERVICE) if each.name == control
        )
        return self.home.entity_id(platform, f"simulation.{control}", owner)

    def shown(self, control: str) -> str:
        """Return what a control shows."""
        state = self.home.hass.states.get(self._entity_id(control))
        assert state is not None
        return state.state

    async def use(self, control: str, value: Any = None) -> None:
        """Press a button, turn a switch, choose or set; then wait until all is quiet."""
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
async def stage(empty_home: Home) -> AsyncIterator[Stage]:
    """A simulated account that was added through the dialog, its car's owner at rest."""
    form = await empty_home.start_flow("simulator")
    result = await empty_home.submit(form, vehicles=1, speed=1)
    assert result["type"] == "create_entry", result
    await empty_home.idle()
    stage = Stage(empty_home)
    elsewhere, empty_home.simulator = empty_home.simulator, stage.simulator
    await stage.use("routine", False)
    await stage.use("weather", False)
    # What was looked at is not looked at again at once.
    await empty_home.advance(10)
    yield stage
    empty_home.simulator = elsewhere


def _entities(home: Home, part: str = "-simulation.") -> dict[str, er.RegistryEntry]:
    ours = er.async_entries_for_config_entry(er.async_get(home.hass), home.entry.entry_id)
    return {each.unique_id: each for each in ours if part in each.unique_id}


# What there is


async def test_every_control_is_there(stage: Stage) -> None:
    """Each line of the tables is an entity: of the car's second device, or of the account's."""
    home, vin = stage.home, stage.home.car.vin
    entities = _entities(home)
    assert set(entities) == {
        *(f"{vin}-simulation.{control.name}" for control in OF_A_VEHICLE),
        *(f"{home.entry.entry_id}-simulation.{control.name}" for control in OF_THE_SERVICE),
    }
    devices = dr.async_get(home.hass)
    simulation = devices.async_get_device_by_identifier((DOMAIN, f"{vin}-simulation"), home.entry.entry_id)
    account = devices.async_get_device_by_identifier((DOMAIN, home.entry.entry_id), home.entry.entry_id)
    assert simulation is not None
    assert account is not None
    assert (simulation.name, simulation.via_device_id) == ("Aurora simulation", home.device.id)
    for unique_id, entity in entities.items():
        assert entity.device_id == (simulation.id if unique_id.startswith(vin) else account.id)


async def test_real_account_has_none(home: Home) -> None:
    """An account at a service of its own has no controls of a simulation, and no device for them."""
    assert not _entities(home)
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert {device.name for device in devices} == {"Aurora", "127.0.0.1"}


@pytest.mark.parametrize("control", [*OF_A_VEHICLE, *OF_THE_SERVICE], ids=lambda control: control.name)
def test_every_control_has_words(control: Control[Any]) -> None:
    """A control has a name, and each of its options has one; what opens says so."""
    words = ENGLISH["entity"][PLATFORM[type(control)]][f"simulation_{control.name}"]
    states = set(words.get("state", {}))
    assert words["name"]
    if isinstance(control, Choice):
        assert states == set(control.options)
    else:
        assert states == ({"on", "off"} if control.name in {door.name for door in DOORS} else set())


def test_no_words_are_left_over() -> None:
    """No control is named that there is not."""
    known = {(PLATFORM[type(each)], f"simulation_{each.name}") for each in (*OF_A_VEHICLE, *OF_THE_SERVICE)}
    named = {(platform, key) for platform, keys in ENGLISH["entity"].items() for key in keys}
    assert {each for each in named if each[1].startswith("simulation_")} == known


async def test_cars_are_at_home(stage: Stage) -> None:
    """A simulated car is parked where Home Assistant is, so that automations at home can be tried."""
    assert stage.home.shown("device_tracker", "drive_state").state == "home"


async def test_device_stays(stage: Stage, hass_ws_client: WebSocketGenerator) -> None:
    """The controls' device cannot be deleted while its car is there."""
    home = stage.home
    device = dr.async_get(home.hass).async_get_device_by_identifier(
        (DOMAIN, f"{home.car.vin}-simulation"), home.entry.entry_id
    )
    assert device is not None
    assert not await home.delete_device(hass_ws_client, device.id)


# What they do


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
async def test_control_shows_in_the_car(
    control: str, value: Any, platform: str, path: str, shown: str, stage: Stage
) -> None:
    """What is done by hand is seen at the car at once, as if *Refresh* had been pressed."""
    if value == "charging_point":
        await stage.use("battery_level", 40)
        await stage.use("cable", "unplugged")
        await stage.home.advance(10)
    await stage.use(control, value)
    assert stage.home.shown(platform, path).state == shown
    if value is not None:
        assert stage.shown(control) == str({True: "on", False: "off"}.get(value, value))


async def test_walk_away(stage: Stage) -> None:
    """Who walks away leaves nobody in the car and nothing open; whether it is locked is another matter."""
    await stage.use("user_present", True)
    await stage.use("rt", True)
    await stage.use("walk_away")
    shown = [stage.shown(control) for control in ("user_present", "rt")]
    assert (shown, stage.home.car.body.locked) == (["off", "off"], False)
    await stage.use("lock")
    assert stage.home.car.body.locked


async def test_drive(stage: Stage) -> None:
    """The car drives the miles that are set, shows how many are left, and is somewhere else then."""
    await stage.use("cable", "unplugged")
    await stage.home.advance(10)
    await stage.use("drive", 5)
    assert stage.home.shown("sensor", "drive_state.shift_state").state == "d"
    await stage.home.advance(180)
    assert 0 < float(stage.shown("drive")) < 5
    await stage.home.advance(240)
    assert float(stage.shown("drive")) == 0
    assert stage.home.shown("device_tracker", "drive_state").state == "not_home"


async def test_drive_ends_early(stage: Stage) -> None:
    """A drive is ended by setting its miles to nothing."""
    await stage.use("cable", "unplugged")
    await stage.use("drive", 50)
    await stage.home.advance(60)
    await stage.use("drive", 0)
    assert stage.home.car.driving.shift_state == "P"


async def test_impossible_control(stage: Stage) -> None:
    """What cannot be done is an error that says why, and changes nothing."""
    with pytest.raises(HomeAssistantError, match="a cable is in the charge port") as refused:
        await stage.use("drive", 5)
    assert refused.value.translation_key == "control_refused"
    assert float(stage.shown("drive")) == 0


async def test_same_cable_again(stage: Stage) -> None:
    """A cable that is chosen a second time is not pulled out and put in again."""
    await stage.use("cable", "charging_point")
    assert stage.home.car.charging.state == "Stopped"


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
async def test_what_is_so_already(control: str, value: Any, stage: Stage) -> None:
    """What is so already can be chosen once more, and nothing happens by it."""
    stage.home.car.cabin.on = True
    steady = [each.name for each in OF_A_VEHICLE if not isinstance(each, Deed) and each.name != "inside_temp"]
    before = {name: stage.shown(name) for name in steady}
    await stage.use(control, value)
    assert {name: stage.shown(name) for name in before} == before
    assert (stage.home.car.cabin.on, stage.home.car.charging.state) == (True, "Stopped")


async def test_control_right_after_a_look(stage: Stage) -> None:
    """What is done right after the car was looked at is seen at once as well."""
    await stage.home.call("button", "press", "refresh")
    await stage.use("df", True)
    assert stage.home.shown("binary_sensor", "vehicle_state.df").state == "on"


@pytest.mark.parametrize("control", ["speed", "fault_requests", "drive", "battery_level", "outside_temp"])
async def test_number_that_is_none(control: str, stage: Stage) -> None:
    """What is no number is refused in words, and nothing is so by it."""
    before = stage.shown(control)
    with pytest.raises(HomeAssistantError):
        await stage.use(control, float("nan"))
    assert stage.shown(control) == before


async def test_diagnostics_of_the_controls(stage: Stage) -> None:
    """The diagnostics of the second device are those of the car."""
    device = dr.async_get(stage.home.hass).async_get_device_by_identifier(
        (DOMAIN, f"{stage.home.car.vin}-simulation"), stage.home.entry.entry_id
    )
    assert device is not None
    report = await async_get_device_diagnostics(stage.home.hass, stage.home.entry, device)
    assert len(report["vehicles"]) == 1


async def test_several_things_at_once(stage: Stage) -> None:
    """After several controls in a row, the car shows the last of them some seconds later."""
    await stage.use("df", True)
    await stage.use("df", False)
    await stage.home.advance(6)
    assert stage.home.shown("binary_sensor", "vehicle_state.df").state == "off"


async def test_weather_comes_back(stage: Stage) -> None:
    """A temperature that was set holds until the weather is let in again."""
    await stage.use("outside_temp", -7)
    assert stage.shown("weather") == "off"
    await stage.use("weather", True)
    assert float(stage.shown("outside_temp")) > -7


async def test_time_factor(stage: Stage) -> None:
    """At time factor 60, a minute charges as much as an hour; what the car says is never from the future."""
    await stage.use("speed", 60)
    await stage.use("battery_level", 40)
    await stage.use("cable", "unplugged")
    await stage.use("cable", "charging_point")
    await stage.home.advance(70)
    assert float(stage.home.shown("sensor", "charge_state.battery_level").state) == pytest.approx(52, abs=3)
    said = datetime.fromisoformat(stage.home.shown("sensor", "charge_state.timestamp").state)
    assert said <= datetime.now(ZoneInfo("UTC"))


@pytest.mark.parametrize("speed", [60, 600])
async def test_fast_charging_is_seen_to_its_end(speed: int, stage: Stage) -> None:
    """However fast a car charges, it does not sleep before it was seen that charging has ended."""
    await stage.use("speed", speed)
    await stage.use("battery_level", 60)
    await stage.use("cable", "unplugged")
    await stage.use("cable", "charging_point")
    seen = set()
    for _ in range(25):
        await stage.home.advance(10)
        seen.add(stage.home.shown("sensor", "charge_state.charging_state").state)
    assert "complete" in seen


async def test_nothing_happens_while_nobody_asks(stage: Stage, freezer: FrozenDateTimeFactory) -> None:
    """A simulated car is computed when somebody asks, and costs nothing until then."""
    computed_to = stage.home.car.timeline.now
    freezer.tick(7 * 86_400)
    await stage.home.idle()
    assert stage.home.car.timeline.now == computed_to
    await stage.home.poll()
    assert stage.home.car.timeline.now >= computed_to + 7 * 86_400


async def test_owner_drives_to_work(stage: Stage) -> None:
    """With its routine on, the car comes and goes by itself."""
    await stage.use("routine", True)
    await stage.use("speed", 10)
    seen = set()
    for _ in range(24 * 12):
        await stage.home.advance(30, step=30)
        seen.add(stage.home.shown("device_tracker", "drive_state").state)
    assert seen == {"home", "not_home"}


async def test_documented_example(stage: Stage) -> None:
    """The script that the documentation shows does what it is for."""
    await stage.use("routine", True)
    documentation = (ROOT / "docs" / "simulator.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", documentation, re.DOTALL)
    hass = stage.home.hass
    assert await async_setup_component(hass, "script", {"script": {"example": parse_yaml(example)}})
    await hass.services.async_call("script", "example", blocking=True)
    await stage.home.idle()
    shown = [stage.shown(control) for control in ("routine", "cable", "battery_level")]
    assert shown == ["off", "unplugged", "18"]


# What the service does wrongly


async def test_fault_for_some_requests(stage: Stage) -> None:
    """A fault is given to as many requests as were asked for, counts down, and is over then."""
    await stage.use("fault_requests", 2)
    await stage.use("fault", "internal_error")
    assert (stage.shown("fault"), float(stage.shown("fault_requests"))) == ("internal_error", 2)
    await stage.home.poll()
    assert (stage.shown("fault"), float(stage.shown("fault_requests"))) == ("internal_error", 1)
    await stage.home.poll()
    assert (stage.shown("fault"), float(stage.shown("fault_requests"))) == (NONE, 2)
    assert [request.status for request in stage.simulator.requests][-2:] == [500, 500]


async def test_fault_is_taken_back(stage: Stage) -> None:
    """A fault ends at once when none is chosen."""
    await stage.use("fault_requests", 50)
    await stage.use("fault", "maintenance")
    await stage.use("fault", NONE)
    await stage.home.poll()
    assert stage.simulator.requests[-1].status == 200


async def test_fault_at_commands_alone(stage: Stage) -> None:
    """A fault can be kept for commands: who locks hears of it, what is shown does not suffer."""
    await stage.use("fault", "too_many_requests")
    await stage.use("fault_where", "commands")
    await stage.home.poll()
    assert stage.shown("fault") == "too_many_requests"
    with pytest.raises(HomeAssistantError):
        await stage.home.call("lock", "unlock", "vehicle_state.locked")
    assert stage.shown("fault") == NONE


@pytest.mark.parametrize(
    ("fault", "where"), [*((each, "reads") for each in MISHAPS), (next(iter(MISHAPS)), "every_request")]
)
async def test_every_fault_is_given(fault: str, where: str, stage: Stage) -> None:
    """Each fault of the list is really given, once."""
    await stage.use("fault_where", where)
    await stage.use("fault", fault)
    await stage.home.while_time_passes(stage.home.coordinator.async_refresh())
    assert (stage.simulator.faults.injected.total(), stage.shown("fault")) == (1, NONE)


async def test_token_refused_and_given_again(stage: Stage) -> None:
    """A simulated token that is refused twice opens the dialog, which asks for no token."""
    home = stage.home
    await stage.use("fault_requests", 10)
    await stage.use("fault", "token_refused")
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


# What stays over a restart


async def _restart(stage: Stage) -> None:
    await stage.home.restart()
    stage.home.simulator = stage.simulator


async def test_car_goes_on_where_it_was(stage: Stage) -> None:
    """What was done to a car is so after a restart, and time has passed for it as for everybody."""
    await stage.use("battery_level", 40)
    await stage.use("rt", True)
    await stage.use("outside_temp", -7)
    await stage.use("cable", "unplugged")
    await stage.use("cable", "charging_point")
    before = stage.home.car
    await stage.home.leave()
    await stage.home.advance(1800, step=600)
    await _restart(stage)
    assert stage.home.car is not before
    shown = [stage.shown(control) for control in ("rt", "outside_temp", "cable", "routine")]
    assert shown == ["on", "-7.0", "charging_point", "off"]
    # The cold battery is heated, and the charging point gives eleven percent in an hour.
    assert float(stage.shown("battery_level")) == pytest.approx(45.5, abs=1)


async def test_no_pin_is_kept(stage: Stage, hass_storage: dict[str, Any]) -> None:
    """A PIN that was given to a simulated car is not written down, only that there is one."""
    await stage.home.act("set_valet_mode", on=True, password="7391")
    await stage.home.act("speed_limit_activate", pin="8462")
    await stage.home.leave()
    # As a text, as PINs are: as part of some longer number, any four digits occur by chance.
    written = json.dumps(hass_storage)
    assert '"7391"' not in written
    assert '"8462"' not in written
    await _restart(stage)
    assert stage.home.car.body.speed_limit.pin is not None
    await stage.home.act("speed_limit_deactivate", pin="8462")
    await stage.home.act("set_valet_mode", on=False, password="7391")
    assert not stage.home.car.body.valet.on


async def test_home_that_has_moved(stage: Stage) -> None:
    """A car whose home is elsewhere after a restart is parked there."""
    await stage.use("cable", "unplugged")
    await stage.use("drive", 100)
    await stage.home.leave()
    await stage.home.hass.config.async_update(latitude=52.37, longitude=4.89)
    await _restart(stage)
    assert stage.home.car.driving.point == pytest.approx((52.37, 4.89), abs=1e-3)
    assert stage.home.car.driving.shift_state in ("P", None)


async def test_time_factor_stays(stage: Stage) -> None:
    """The time factor holds after a restart; while Home Assistant was down, time ran as everywhere."""
    await stage.use("speed", 600)
    ahead = stage.simulator.clock.now() - datetime.now(ZoneInfo("UTC")).timestamp()
    await stage.home.leave()
    await stage.home.advance(3600, step=3600)
    await _restart(stage)
    assert float(stage.shown("speed")) == 600
    assert stage.simulator.clock.now() - datetime.now(ZoneInfo("UTC")).timestamp() == pytest.approx(ahead)


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
        "moment",
    ],
)
async def test_damaged_state_begins_anew(damage: Any, stage: Stage, hass_storage: dict[str, Any]) -> None:
    """Cars of which nothing sensible was kept begin anew, and all else goes on."""
    home = stage.home
    await stage.use("battery_level", 40)
    await home.leave()
    data = hass_storage[f"{DOMAIN}.{home.entry.entry_id}"]["data"]
    kept = json.loads(json.dumps(data["simulator"]))
    if damage == "timeline":
        kept["vehicles"][home.car.vin]["timeline"]["due"] = {"wakes": ["soon"]}
        kept["vehicles"][home.car.vin]["driving"] = None
    elif damage == "point":
        kept["vehicles"][home.car.vin]["driving"]["point"] = ["a", "b"]
    elif damage == "scheduled":
        kept["vehicles"][home.car.vin]["charging"]["scheduled_start"] = "soon"
    elif damage == "moment":
        kept["vehicles"][home.car.vin]["timeline"]["now"] = 1e300
    elif isinstance(damage, str):
        del kept[damage]
    data["simulator"] = kept if isinstance(damage, str) else damage
    await home.restart()
    home.simulator = stage.simulator
    assert home.entry.state is ConfigEntryState.LOADED
    assert float(stage.shown("battery_level")) == 72


async def test_state_is_kept_soon(stage: Stage, hass_storage: dict[str, Any]) -> None:
    """What was done by hand is written down within minutes, so that it outlives a power cut."""
    await stage.use("battery_level", 41)
    await stage.home.advance(301, step=60)
    data = hass_storage[f"{DOMAIN}.{stage.home.entry.entry_id}"]["data"]
    assert data["simulator"]["vehicles"][stage.home.car.vin]["charging"]["level"] == pytest.approx(
        41, abs=0.2
    )


async def test_second_account_has_cars_of_its_own(stage: Stage) -> None:
    """A second simulated account has other cars under other names."""
    form = await stage.home.start_flow("simulator")
    await stage.home.submit(form, vehicles=3, speed=1)
    await stage.home.idle()
    first, second = stage.home.hass.config_entries.async_entries(DOMAIN)
    names = [{each.title for each in entry.subentries.values()} for entry in (first, second)]
    assert len(names[1]) == 3
    assert names[0].isdisjoint(names[1])
