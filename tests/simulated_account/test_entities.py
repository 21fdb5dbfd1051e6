"""The controls of simulated cars and their service: entities, effects, faults and storage."""

from typing import Any, Final

from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import Platform
from homeassistant.core import State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import async_get_device_diagnostics
from custom_components.vehicle_remote_access.simulated_account.entities import (
    SIMULATOR_CONTROLS,
    VEHICLE_CONTROLS,
    SimulatorControl,
)
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.faults.presets import NONE
from custom_components.vehicle_remote_access.simulator.tariff import Tariff

from ..conftest import BATTERY, CHARGING, DAY, HOUR, MINUTE, Home, examples_in


def _platforms(table: dict[Platform, tuple[SimulatorControl, ...]]) -> dict[str, Platform]:
    return {control.description.key: platform for platform in table for control in table[platform]}


OF_CAR: Final = _platforms(VEHICLE_CONTROLS)
OF_SIMULATOR: Final = _platforms(SIMULATOR_CONTROLS)
TRACKER: Final = ("device_tracker", "drive_state")


class Controls:
    """The controls of a home with one simulated car, whose routine and weather are off."""

    def __init__(self, home: Home) -> None:
        self.home = home

    @property
    def simulator(self) -> Simulator:
        simulator = self.home.entry.runtime_data.provider.simulator
        assert simulator is not None
        return simulator

    def _entity_id(self, control: str) -> str:
        owner = self.home.car.vin if control in OF_CAR else self.home.entry.entry_id
        return self.home.entity_id((OF_CAR | OF_SIMULATOR)[control], f"simulation.{control}", owner)

    def shown(self, control: str) -> str:
        state = self.home.hass.states.get(self._entity_id(control))
        assert state is not None
        return state.state

    async def use(self, control: str, value: Any = None) -> None:
        entity_id = self._entity_id(control)
        platform = entity_id.partition(".")[0]
        service, name = {
            "button": ("press", None),
            "switch": ("turn_on" if value else "turn_off", None),
            "select": ("select_option", "option"),
            "number": ("set_value", "value"),
        }[platform]
        data = {"entity_id": entity_id} | ({name: value} if name else {})
        await self.home.hass.services.async_call(platform, service, data, blocking=True)
        await self.home.idle()

    async def restart(self) -> None:
        """Reload the account, which creates a new simulator."""
        await self.home.restart()
        self.home.simulator = self.simulator  # type: ignore[assignment]  # it has fewer faults


@pytest.fixture
async def controls(empty_home: Home) -> Controls:
    await empty_home.add_simulated_account()
    controls = Controls(empty_home)
    empty_home.simulator = controls.simulator  # type: ignore[assignment]  # it has fewer faults
    await controls.use("routine", False)
    await controls.use("weather", False)
    # A change of a control causes no read soon after the previous read.
    await empty_home.advance(10)
    return controls


def _entities(home: Home) -> dict[str, str | None]:
    entities = home.entities()
    return {entity.unique_id: entity.device_id for entity in entities if "-simulation." in entity.unique_id}


# Entities and devices


async def test_every_control_has_an_entity(controls: Controls, hass_ws_client: WebSocketGenerator) -> None:
    """Each control is an entity of the car's simulation device or of the account's device."""
    home, devices = controls.home, dr.async_get(controls.home.hass)
    account = devices.async_get_device_by_identifier((DOMAIN, home.entry.entry_id), home.entry.entry_id)
    identifier = (DOMAIN, f"{home.car.vin}-simulation")
    simulation = devices.async_get_device_by_identifier(identifier, home.entry.entry_id)
    assert account is not None
    assert simulation is not None
    assert (simulation.name, simulation.via_device_id) == ("Aurora simulation", home.device.id)
    assert account.manufacturer == simulation.manufacturer == "Vehicle Remote Access"
    assert _entities(home) == {
        **{f"{home.car.vin}-simulation.{control}": simulation.id for control in OF_CAR},
        **{f"{home.entry.entry_id}-simulation.{control}": account.id for control in OF_SIMULATOR},
    }
    # The diagnostics of the device are those of the car.
    report = await async_get_device_diagnostics(home.hass, home.entry, simulation)
    assert len(report["vehicles"]) == 1
    # The device cannot be deleted while the car exists.
    assert not await home.delete_device(hass_ws_client, simulation.id)
    # The car is parked in the home zone, so that users can try automations.
    assert home.shown(*TRACKER).state == "home"


async def test_real_account_has_no_controls(home: Home) -> None:
    assert not _entities(home)
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert {device.name for device in devices} == {"Aurora", "127.0.0.1"}


# Effects of controls


async def test_effect_of_a_control_is_shown_immediately(controls: Controls) -> None:
    for control, value, platform, path, state in (
        ("fall_asleep", None, "sensor", "state", "asleep"),
        ("cable", "unplugged", *CHARGING, "disconnected"),
        ("battery_level", 33, *BATTERY, "33"),
        ("cable", "charging_point", *CHARGING, "starting"),
        ("cable", "fast_charger", "binary_sensor", "charge_state.fast_charger_present", "on"),
        ("df", True, "binary_sensor", "vehicle_state.df", "on"),
        ("pr", True, "binary_sensor", "vehicle_state.pr", "on"),
        ("ft", True, "cover", "vehicle_state.ft", "open"),
        ("rt", True, "cover", "vehicle_state.rt", "open"),
        ("unlock", None, "lock", "vehicle_state.locked", "unlocked"),
        ("user_present", True, "binary_sensor", "vehicle_state.is_user_present", "on"),
        # After *Walk away*, nothing is open, but the car is not locked.
        ("walk_away", None, "binary_sensor", "vehicle_state.is_user_present", "off"),
        ("user_present", True, "binary_sensor", "vehicle_state.is_user_present", "on"),
        ("user_present", False, "binary_sensor", "vehicle_state.is_user_present", "off"),
        ("lock", None, "lock", "vehicle_state.locked", "locked"),
        ("sentry", True, "binary_sensor", "vehicle_state.sentry_mode", "on"),
        ("climate_keeper", "dog", "sensor", "climate_state.climate_keeper_mode", "dog"),
        ("inside_temp", 35.5, "sensor", "climate_state.inside_temp", "35.5"),
        ("outside_temp", -7.5, "sensor", "climate_state.outside_temp", "-7.5"),
        ("offer_update", None, "update", "vehicle_state.software_update", "on"),
        ("service", True, "binary_sensor", "in_service", "on"),
        ("service", False, "binary_sensor", "in_service", "off"),
        ("coverage", False, "sensor", "state", "offline"),
        ("coverage", True, "sensor", "state", "online"),
    ):
        await controls.use(control, value)
        if control == "walk_away":
            assert (controls.shown("rt"), controls.home.car.body.locked) == ("off", False)
        assert controls.home.shown(platform, path).state == state, (control, value)
        if value is not None:
            assert controls.shown(control) == {"True": "on", "False": "off"}.get(str(value), str(value))
        await controls.home.advance(10)


async def test_drive(controls: Controls) -> None:
    """The car is unplugged and drives the set distance in kilometers. It can be parked earlier."""
    home = controls.home
    await controls.use("drive", 8)
    assert controls.shown("drive") == "8.0"
    assert home.car.planned_miles == pytest.approx(8 / 1.609344)
    assert controls.shown("cable") == "charging_point"
    await controls.use("start_drive")
    assert controls.shown("cable") == "unplugged"
    await home.advance(10)
    assert home.shown("sensor", "drive_state.shift_state").state == "d"
    with pytest.raises(HomeAssistantError, match="the car is driving") as error:
        await controls.use("start_drive")
    assert error.value.translation_key == "control_refused"
    await home.advance(420, step=20)
    assert home.shown(*TRACKER).state == "not_home"
    await controls.use("start_drive")
    await home.advance(60, step=20)
    await controls.use("park")
    assert home.car.driving.shift_state == "P"


async def test_numbers_follow_the_car_in_steps(controls: Controls) -> None:
    """A number shows what was set exactly, and follows larger changes, because each is listed as activity."""
    for percent in (60, 62):
        await controls.use("battery_level", percent)
        assert controls.shown("battery_level") == str(percent)
    for level, shown in ((60, "62"), (59, "59")):
        controls.home.car.set_level(level)
        controls.simulator.notify_observers()
        assert controls.shown("battery_level") == shown


async def test_controls_without_effect(controls: Controls) -> None:
    """Setting a control to its current value changes nothing. NaN is refused."""
    controls.home.car.cabin.on = True
    stable = [key for key, platform in OF_CAR.items() if platform != Platform.BUTTON and key != "inside_temp"]
    stable += ["fault_requests"]
    before = {control: controls.shown(control) for control in stable}
    for control, value in {
        "cable": "charging_point",
        "power_supply": True,
        "climate_keeper": "off",
        "mobile_access": True,
        "weather": False,
    }.items():
        await controls.use(control, value)
    for control in ("fault_requests", "drive", "battery_level", "outside_temp"):
        with pytest.raises(HomeAssistantError):
            await controls.use(control, float("nan"))
    assert {control: controls.shown(control) for control in stable} == before
    assert (controls.home.car.cabin.on, controls.home.car.charging.state) == (True, "Stopped")


async def test_controls_in_a_row(controls: Controls) -> None:
    """Directly after *Refresh*, an effect is shown immediately. The last of several is shown in seconds."""
    await controls.home.call("button", "press", "refresh")
    await controls.use("df", True)
    assert controls.home.shown("binary_sensor", "vehicle_state.df").state == "on"
    await controls.use("df", False)
    await controls.home.advance(6)
    assert controls.home.shown("binary_sensor", "vehicle_state.df").state == "off"
    # The weather replaces a set temperature, and the other way round.
    await controls.use("outside_temp", -7)
    assert controls.shown("weather") == "off"
    await controls.use("weather", True)
    assert float(controls.shown("outside_temp")) > -7


async def test_documented_example(controls: Controls) -> None:
    await controls.use("routine", True)
    assert controls.shown("routine") == "on"
    (example,) = examples_in("simulator.md")
    hass = controls.home.hass
    assert await async_setup_component(hass, "script", {"script": {"example": example}})
    await hass.services.async_call("script", "example", blocking=True)
    await controls.home.idle()
    shown = [controls.shown(control) for control in ("routine", "cable", "battery_level")]
    assert shown == ["off", "unplugged", "18"]


# Faults


async def test_fault_for_some_requests(controls: Controls) -> None:
    """A fault affects the set number of requests, counts down, and then ends. It can be ended earlier."""
    await controls.use("fault_requests", 2)
    await controls.use("fault", "internal_error")
    assert (controls.shown("fault"), float(controls.shown("fault_requests"))) == ("internal_error", 2)
    await controls.home.poll()
    assert (controls.shown("fault"), float(controls.shown("fault_requests"))) == ("internal_error", 1)
    await controls.home.poll()
    assert (controls.shown("fault"), float(controls.shown("fault_requests"))) == (NONE, 2)
    assert [request.status for request in controls.simulator.requests][-2:] == [500, 500]
    await controls.use("fault", "forbidden")
    await controls.use("fault_where", "commands")
    await controls.home.poll()
    assert (controls.shown("fault"), controls.simulator.requests[-1].status) == ("forbidden", 200)
    with pytest.raises(HomeAssistantError):
        await controls.home.call("lock", "unlock", "vehicle_state.locked")
    await controls.use("fault", NONE)
    await controls.home.call("lock", "unlock", "vehicle_state.locked")


# Storage


async def test_car_is_restored(controls: Controls) -> None:
    """The car is restored after a restart, and the time of the restart has passed for the car."""
    await controls.use("rt", True)
    await controls.use("outside_temp", -7)
    for control, value in (("battery_level", 40), ("cable", "unplugged"), ("cable", "charging_point")):
        await controls.use(control, value)
    await controls.home.leave()
    await controls.home.advance(1800, step=600)
    await controls.restart()
    shown = [controls.shown(control) for control in ("rt", "outside_temp", "cable", "routine")]
    assert shown == ["on", "-7.0", "charging_point", "off"]
    # The home charger adds eleven percent in an hour, and some of the energy heats the cold battery.
    assert float(controls.shown("battery_level")) == pytest.approx(45.5, abs=1)


async def test_car_is_parked_where_the_home_is_if_that_moved_during_a_restart(controls: Controls) -> None:
    await controls.use("cable", "unplugged")
    await controls.use("drive", 160)
    await controls.use("start_drive")
    await controls.home.leave()
    await controls.home.hass.config.async_update(latitude=52.37, longitude=4.89)
    await controls.restart()
    assert controls.home.car.driving.point == pytest.approx((52.37, 4.89), abs=1e-3)
    assert controls.home.car.driving.shift_state in ("P", None)


async def test_car_is_stored_within_minutes(controls: Controls, hass_storage: dict[str, Any]) -> None:
    """Changes are stored within five minutes. An account whose stored cars are damaged loads anyway."""
    home = controls.home
    await controls.use("battery_level", 41)
    await home.advance(301, step=60)
    key = f"{DOMAIN}.{home.entry.entry_id}"
    level = hass_storage[key]["data"]["simulator"]["vehicles"][home.car.vin]["charging"]["level"]
    assert level == pytest.approx(41, abs=0.2)
    await home.leave()
    hass_storage[key]["data"]["simulator"] = None
    await controls.restart()
    assert home.entry.state is ConfigEntryState.LOADED
    assert float(controls.shown("battery_level")) == 72


async def test_log_that_was_ahead_continues(controls: Controls, hass_storage: dict[str, Any]) -> None:
    """In 1.0.0, the time of a simulated car could be fast. Then all that was stored was ahead."""

    async def drive() -> None:
        await controls.use("drive", 16)
        await controls.use("start_drive")
        await controls.home.advance(20 * MINUTE, step=MINUTE)

    home = controls.home
    await drive()
    await home.leave()
    home.skip(-DAY)
    now = dt_util.utcnow().timestamp()
    clock = {"laps": [[now - DAY, now - DAY, 1], [now - MINUTE, now + DAY - HOUR, 60]], "until": now}
    hass_storage[f"{DOMAIN}.{home.entry.entry_id}"]["data"]["simulator"]["clock"] = clock
    await controls.restart()
    await drive()
    first, second = home.coordinator.log.drives
    assert first.start == pytest.approx(now + DAY - 20 * MINUTE, abs=MINUTE)
    assert second.start == pytest.approx(now, abs=MINUTE)
    assert second.distance == pytest.approx(first.distance, abs=0.1)


async def test_time_factor_of_1_0_0_is_removed(controls: Controls) -> None:
    home, registry = controls.home, er.async_get(controls.home.hass)
    unique_id = f"{home.entry.entry_id}-simulation.speed"
    registry.async_get_or_create(Platform.NUMBER, DOMAIN, unique_id, config_entry=home.entry)
    await controls.restart()
    assert registry.async_get_entity_id(Platform.NUMBER, DOMAIN, unique_id) is None


# The price of electricity


def _prices(controls: Controls) -> State:
    price = controls.home.hass.states.get("sensor.simulated_electricity_price_1")
    assert price is not None
    return price


async def test_price_is_that_of_the_tariff(controls: Controls) -> None:
    """The sensor shows the price of this hour, and lists those of today, from 13:00 on also of tomorrow."""
    home = controls.home
    (subentry,) = home.entry.subentries.values()
    shown = _prices(controls)
    assert (shown.entity_id, shown.name) == (subentry.data["price_entity"], "Simulator Electricity price")
    assert shown.attributes["unit_of_measurement"] == "EUR/kWh"
    assert shown.state_info is not None
    assert "prices" in shown.state_info["unrecorded_attributes"]
    tariff = Tariff(0, "EUR", dt_util.get_default_time_zone())
    for hours, listed in ((0, 24), (1, 48), (10, 48), (1, 24)):
        await home.advance(hours * HOUR, step=HOUR)
        now = dt_util.now()
        assert float(_prices(controls).state) == tariff.at(now.timestamp()).price
        prices = _prices(controls).attributes["prices"]
        assert (prices[0]["start"], len(prices)) == (dt_util.start_of_local_day(now), listed)
        assert [slot["price"] for slot in prices if slot["start"] <= now < slot["end"]] == [
            float(_prices(controls).state)
        ]
        assert home.coordinator.log.prices.changes[-1].price == float(_prices(controls).state)
