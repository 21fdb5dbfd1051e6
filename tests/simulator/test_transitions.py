"""Every transition between states, and every refusal, as a client sees it."""

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from itertools import pairwise
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import (
    ControlError,
    ManualClock,
    SimulatedVehicle,
    Simulator,
    Switches,
)

from .conftest import TOKEN, Client
from .documented import ENDPOINTS

type Act = Callable[[SimulatedVehicle], object]

PASSWORD: Final = "simulated"


# The state


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("auto_conditioning_start", {}),
        ("actuate_trunk", {"which_trunk": "front"}),
    ],
)
async def test_command_leaves_a_reason_to_stay_awake(
    command: str, query: dict[str, str], clock: ManualClock, client: Client
) -> None:
    """A car stays awake as long as the effect of a command lasts."""
    await client.command(command, **query)
    clock.advance(3600)
    assert await client.state() == "online"


async def test_remote_start_delays_sleep(clock: ManualClock, client: Client) -> None:
    """A car falls asleep eleven minutes after remote start has ended."""
    await client.command("remote_start_drive", password=PASSWORD)
    clock.advance(120 + 659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_drive_keeps_the_car_awake(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A car falls asleep eleven minutes after parking, not earlier."""
    car.unplug()
    seconds = car.drive(40)
    clock.advance(seconds + 659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_download_keeps_the_car_awake(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A car falls asleep only after its software download."""
    car.offer_update()
    clock.advance(300 + 600 + 659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


WAKING: Final[dict[str, Act]] = {
    "a door opened": lambda car: car.open("df"),
    "unlocked": lambda car: car.unlock(),
    "a driver": lambda car: car.enter(),
    "unplugged": lambda car: car.unplug(),
    "plugged in": lambda car: (car.unplug(), car.fall_asleep(), car.plug_in()),
    "power restored": lambda car: (
        car.power_supply(on=False),
        car.fall_asleep(),
        car.power_supply(on=True),
    ),
    "sentry mode": lambda car: car.sentry(on=True),
    "a drive": lambda car: (car.unplug(), car.fall_asleep(), car.drive(1)),
}


@pytest.mark.parametrize("name", WAKING)
async def test_sleeping_car_wakes(name: str, car: SimulatedVehicle, client: Client) -> None:
    """A sleeping car wakes as soon as a person uses it."""
    car.fall_asleep()
    WAKING[name](car)
    assert await client.state() == "online"


@pytest.mark.parametrize("seconds", [2, 60])
async def test_time_to_wake_can_be_set(
    seconds: float, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """The time that a car needs to wake can be changed."""
    car.wake_after = seconds
    car.fall_asleep()
    await client.post(f"{client.vehicle_path}/wake_up")
    clock.advance(seconds - 1)
    assert await client.state() == "asleep"
    clock.advance(1)
    assert await client.state() == "online"


async def test_time_to_wake_may_vary(
    simulator: Simulator, switches: Switches, clock: ManualClock, client: Client
) -> None:
    """Some cars need a different time for each waking."""
    switches.wake_jitter = 30
    for vehicle in simulator.vehicles:
        vehicle.wake()
        vehicle.fall_asleep()
        await client.post(f"/api/1/vehicles/{vehicle.id}/wake_up")
    clock.advance(8)
    assert "asleep" in [record["state"] for record in (await client.get("/api/1/vehicles")).response]
    clock.advance(30)
    assert {record["state"] for record in (await client.get("/api/1/vehicles")).response} == {"online"}


async def test_read_prolongs_a_self_check(
    switches: Switches, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A car in a self-check stays awake for eleven more minutes if it is read."""
    switches.hourly_check = True
    car.fall_asleep()
    clock.advance(3600)
    await client.data()
    clock.advance(659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_self_check_comes_every_hour(
    switches: Switches, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A car checks itself again an hour after the last check."""
    switches.hourly_check = True
    car.fall_asleep()
    clock.advance(3600 + 150)
    assert await client.state() == "asleep"
    clock.advance(3600)
    assert await client.state() == "online"


COVERAGE: Final[list[tuple[Act, float, str]]] = [
    (lambda _: None, 600, "online"),
    (lambda _: None, 700, "asleep"),
    (lambda car: car.fall_asleep(), 600, "asleep"),
    (lambda car: car.enter(), 7200, "online"),
]


@pytest.mark.parametrize(("act", "seconds", "state"), COVERAGE)
async def test_coverage_comes_back(
    *, act: Act, seconds: float, state: str, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A car without coverage is offline. With coverage it has the state that it reached in the meantime."""
    act(car)
    car.coverage(on=False)
    clock.advance(seconds)
    assert await client.state() == "offline"
    car.coverage(on=True)
    assert await client.state() == state


@pytest.mark.parametrize("act", [lambda car: car.fall_asleep(), lambda car: car.coverage(on=False)])
async def test_service_from_any_state(act: Act, car: SimulatedVehicle, client: Client) -> None:
    """A car in service refuses reads for that reason, also if it is asleep or without coverage."""
    act(car)
    car.service(on=True)
    assert (await client.get(f"{client.vehicle_path}/vehicle_data")).status == 405
    assert (await client.command("honk_horn")).status == 405


async def test_service_ends(car: SimulatedVehicle, client: Client) -> None:
    """After its service a car can be read again."""
    car.service(on=True)
    car.service(on=False)
    assert (await client.data())["in_service"] is False


# Charging


def charge(car: SimulatedVehicle, level: float = 50) -> SimulatedVehicle:
    """Return the car in a charging session that started at a level."""
    with suppress(ControlError):
        car.unplug()
    car.set_level(level)
    car.plug_in()
    return car


SETUPS: Final[dict[str, Act]] = {
    "Disconnected": lambda car: car.unplug(),
    "Stopped": lambda _: None,
    "Starting": charge,
    "Charging": charge,
    "Complete": lambda car: charge(car, 80),
    "NoPower": lambda car: charge(car).power_supply(on=False),
}
"""How the first car, with its limit of 80 percent, gets into each charging state within ten seconds."""


async def begin(state: str, car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """Bring a car into a charging state."""
    SETUPS[state](car)
    clock.advance(0 if state == "Starting" else 10)
    assert await client.value("charge_state.charging_state") == state


CONTROLLED: Final[list[tuple[str, Act, list[str]]]] = [
    # The state before, the control, and the states immediately and ten seconds later
    ("Disconnected", lambda car: car.plug_in(), ["Starting", "Charging"]),
    ("Disconnected", lambda car: car.plug_in(fast=True), ["Starting", "Charging"]),
    ("Disconnected", lambda car: (car.set_level(80), car.plug_in()), ["Complete", "Complete"]),
    ("Disconnected", lambda car: (car.set_level(95), car.plug_in()), ["Complete", "Complete"]),
    ("Disconnected", lambda car: (car.power_supply(on=False), car.plug_in()), ["NoPower", "NoPower"]),
    ("Disconnected", lambda car: (car.schedule_charging(1), car.plug_in()), ["Stopped", "Stopped"]),
    ("Disconnected", lambda car: car.power_supply(on=False), ["Disconnected", "Disconnected"]),
    ("Starting", lambda car: car.power_supply(on=False), ["NoPower", "NoPower"]),
    ("Starting", lambda car: car.unplug(), ["Disconnected", "Disconnected"]),
    ("Charging", lambda car: car.power_supply(on=False), ["NoPower", "NoPower"]),
    ("Charging", lambda car: car.unplug(), ["Disconnected", "Disconnected"]),
    ("Charging", lambda car: car.set_level(80), ["Complete", "Complete"]),
    ("Stopped", lambda car: car.power_supply(on=False), ["NoPower", "NoPower"]),
    ("Stopped", lambda car: car.unplug(), ["Disconnected", "Disconnected"]),
    ("Complete", lambda car: car.power_supply(on=False), ["NoPower", "NoPower"]),
    ("Complete", lambda car: car.unplug(), ["Disconnected", "Disconnected"]),
    ("Complete", lambda car: (car.power_supply(on=False), car.power_supply(on=True)), ["Complete"]),
    ("NoPower", lambda car: car.power_supply(on=True), ["Starting", "Charging"]),
    ("NoPower", lambda car: car.unplug(), ["Disconnected", "Disconnected"]),
    ("NoPower", lambda car: (car.set_level(85), car.power_supply(on=True)), ["Complete", "Complete"]),
]


@pytest.mark.parametrize(("state", "act", "then"), CONTROLLED)
async def test_control_changes_charging(
    *, state: str, act: Act, then: list[str], car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A control changes the charging state."""
    await begin(state, car, clock, client)
    act(car)
    for expected in then:
        assert await client.value("charge_state.charging_state") == expected
        clock.advance(10)


async def test_stopped_charging_restarts_with_the_supply(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A stopped car starts to charge again after its power was off."""
    await begin("Stopped", car, clock, client)
    car.power_supply(on=False)
    car.power_supply(on=True)
    assert await client.value("charge_state.charging_state") == "Starting"


COMMANDED: Final[list[tuple[str, str, dict[str, str], str, str]]] = [
    # The state before, the command, the reason of a refusal, and the state afterwards
    ("Disconnected", "charge_start", {}, "disconnected", "Disconnected"),
    ("NoPower", "charge_start", {}, "no_power", "NoPower"),
    ("Starting", "charge_start", {}, "charging", "Starting"),
    ("Charging", "charge_start", {}, "charging", "Charging"),
    ("Complete", "charge_start", {}, "complete", "Complete"),
    ("Stopped", "charge_start", {}, "", "Starting"),
    ("Disconnected", "charge_stop", {}, "not_charging", "Disconnected"),
    ("NoPower", "charge_stop", {}, "not_charging", "NoPower"),
    ("Starting", "charge_stop", {}, "", "Stopped"),
    ("Charging", "charge_stop", {}, "", "Stopped"),
    ("Complete", "charge_stop", {}, "not_charging", "Complete"),
    ("Stopped", "charge_stop", {}, "not_charging", "Stopped"),
    ("Charging", "set_charge_limit", {"percent": "50"}, "", "Complete"),
    ("Charging", "charge_max_range", {}, "", "Charging"),
    ("Stopped", "set_charge_limit", {"percent": "95"}, "", "Stopped"),
    ("Stopped", "set_charge_limit", {"percent": "50"}, "", "Stopped"),
    ("Complete", "charge_max_range", {}, "", "Starting"),
    ("Complete", "charge_standard", {}, "", "Starting"),
    ("Complete", "set_charge_limit", {"percent": "60"}, "", "Complete"),
    ("NoPower", "charge_max_range", {}, "", "NoPower"),
    ("Disconnected", "charge_port_door_open", {}, "", "Disconnected"),
    ("NoPower", "charge_port_door_open", {}, "", "NoPower"),
    ("Starting", "charge_port_door_open", {}, "", "Stopped"),
    ("Charging", "charge_port_door_open", {}, "", "Stopped"),
    ("Complete", "charge_port_door_open", {}, "", "Complete"),
    ("Stopped", "charge_port_door_open", {}, "", "Stopped"),
    ("Charging", "charge_port_door_close", {}, "cable connected", "Charging"),
    ("Complete", "charge_port_door_close", {}, "cable connected", "Complete"),
    ("Disconnected", "charge_port_door_close", {}, "", "Disconnected"),
]


@pytest.mark.parametrize(("state", "command", "query", "reason", "then"), COMMANDED)
async def test_command_changes_charging(
    *,
    state: str,
    command: str,
    query: dict[str, str],
    reason: str,
    then: str,
    car: SimulatedVehicle,
    clock: ManualClock,
    client: Client,
) -> None:
    """In each charging state a command changes the state, or is refused with a reason."""
    await begin(state, car, clock, client)
    assert (await client.command(command, **query)).reason == reason
    assert await client.value("charge_state.charging_state") == then


PORT: Final = ("charge_port_latch", "charge_port_door_open", "conn_charge_cable")


@pytest.mark.parametrize("state", ["Starting", "Charging", "Complete", "Stopped", "NoPower"])
async def test_open_port_releases_the_cable(
    state: str, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Opening the port releases the cable in every charging state, and the door stays open."""
    await begin(state, car, clock, client)
    await client.command("charge_port_door_open")
    clock.advance(600)
    charge_state = (await client.admin_data())["charge_state"]
    assert [charge_state[name] for name in PORT] == ["Disengaged", True, "SAE"]


LATCHES: Final[list[tuple[Act, tuple[str, bool, str]]]] = [
    (charge, ("Engaged", True, "SAE")),
    (lambda car: car.unplug(), ("Disengaged", True, "<invalid>")),
]


@pytest.mark.parametrize(("act", "shown"), LATCHES)
async def test_latch(act: Act, shown: tuple[str, bool, str], car: SimulatedVehicle, client: Client) -> None:
    """The latch holds a cable. Without a cable it is open if the door is open."""
    act(car)
    charge_state = await client.value("charge_state")
    assert tuple(charge_state[name] for name in PORT) == shown


@pytest.mark.parametrize(
    "path", ["charge_energy_added", "charge_miles_added_rated", "charge_miles_added_ideal"]
)
async def test_counters_stay_after_unplugging(
    path: str, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """What a session added stays the same after the car is unplugged."""
    charge(car)
    clock.advance(1800)
    added = await client.value(f"charge_state.{path}")
    car.unplug()
    clock.advance(86_400)
    assert added > 0
    assert (await client.admin_data())["charge_state"][path] == added


async def test_ramp_charges_half(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """In the first ten seconds half as much energy is charged as in the next ten."""
    charge(car)
    clock.advance(5)
    energy = [await exact_energy(client)]
    for _ in range(2):
        clock.advance(10)
        energy.append(await exact_energy(client))
    ramp, flow = (after - before for before, after in pairwise(energy))
    assert ramp == pytest.approx(flow / 2, rel=0.5)


async def exact_energy(client: Client) -> float:
    """Return the battery's energy in kWh, with the digits of the range."""
    return float(await client.value("charge_state.battery_range")) * 0.3


async def test_rate_rises_with_the_power(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """While the current rises, the range grows more slowly."""
    charge(car)
    clock.advance(5 + 5)
    assert await client.value("charge_state.charge_rate") == pytest.approx(28.8 / 2, abs=0.1)


async def test_stop_ends_with_the_session(car: SimulatedVehicle, client: Client) -> None:
    """A stop by the user is reported until the car is unplugged."""
    charge(car)
    await client.command("charge_stop")
    car.unplug()
    state = await client.value("charge_state")
    assert (state["charge_enable_request"], state["user_charge_enable_request"]) == (True, None)


async def test_charging_wakes(car: SimulatedVehicle, client: Client) -> None:
    """A sleeping car wakes when it starts to charge."""
    charge(car, 80)
    car.fall_asleep()
    car.set_level(60)
    data = await client.admin_data()
    assert (data["charge_state"]["charging_state"], data["state"]) == ("Starting", "online")


# The rest of the car


async def test_drive_unlocks(car: SimulatedVehicle, client: Client) -> None:
    """A car that drives away is unlocked."""
    car.unplug()
    await client.command("door_lock")
    car.drive(5)
    assert await client.value("vehicle_state.locked") is False


ROOF: Final = {"open": 100, "comfort": 80, "move 16": 16, "vent": 15, "move 1": 1, "closed": 0}
NAMES: Final = {100: "open", 80: "open", 16: "open", 15: "vent", 1: "vent", 0: "closed"}


def roof_query(position: str) -> dict[str, str]:
    """Return the parameters that move the sunroof to a position."""
    state, _, percent = position.partition(" ")
    return {"state": state, "percent": percent} if percent else {"state": state}


@pytest.mark.parametrize("to", ROOF)
@pytest.mark.parametrize("start", ["open", "vent", "closed"])
async def test_sunroof_moves(start: str, to: str, clock: ManualClock, client: Client) -> None:
    """From any position the sunroof moves for five seconds, and then reports its new position."""
    await client.command("sun_roof_control", **roof_query(start))
    clock.advance(5)
    await client.command("sun_roof_control", **roof_query(to))
    clock.advance(4)
    assert await client.value("vehicle_state.sun_roof_state") == "moving"
    clock.advance(1)
    state = await client.value("vehicle_state")
    assert (state["sun_roof_percent_open"], state["sun_roof_state"]) == (ROOF[to], NAMES[ROOF[to]])


async def test_sunroof_changes_direction(clock: ManualClock, client: Client) -> None:
    """A moving sunroof moves to the position that was sent last."""
    await client.command("sun_roof_control", state="open")
    clock.advance(3)
    await client.command("sun_roof_control", state="vent")
    clock.advance(10)
    assert await client.value("vehicle_state.sun_roof_percent_open") == 15


AUTOPARK: Final[dict[str, tuple[Act, str]]] = {
    "parked and locked": (lambda _: None, "standby"),
    "owner nearby": (lambda car: car.unlock(), "ready"),
    "locked again": (lambda car: (car.unlock(), car.lock()), "standby"),
    "driving": (lambda car: (car.unplug(), car.drive(5)), "unavailable"),
    "in service": (lambda car: car.service(on=True), "unavailable"),
}


@pytest.mark.parametrize("name", AUTOPARK)
async def test_autopark(name: str, car: SimulatedVehicle, client: Client) -> None:
    """Autopark is ready with the owner nearby, and unavailable while driving or in service."""
    act, shown = AUTOPARK[name]
    act(car)
    assert (await client.admin_data())["vehicle_state"]["autopark_state_v2"] == shown


UNDONE: Final[list[tuple[Act, str, Any]]] = [
    (lambda car: (car.sentry(on=True), car.sentry(on=False)), "vehicle_state.sentry_mode", False),
    (
        lambda car: (car.climate_keeper("dog"), car.climate_keeper("off")),
        "climate_state.is_climate_on",
        False,
    ),
    (lambda car: (car.heat_seat("left", 2), car.heat_seat("left", 0)), "climate_state.seat_heater_left", 0),
    (lambda car: (car.open("pr"), car.close("pr")), "vehicle_state.pr", 0),
    (lambda car: (car.mobile_access(on=False), car.mobile_access(on=True)), "state", "online"),
]


@pytest.mark.parametrize(("act", "path", "value"), UNDONE)
async def test_control_is_undone(
    act: Act, path: str, value: Any, car: SimulatedVehicle, client: Client
) -> None:
    """A control can be undone."""
    act(car)
    assert await client.value(path) == value


# Refusals

COMMANDS: Final = [
    endpoint["path"].rpartition("/")[2] for endpoint in ENDPOINTS if "/command/" in endpoint["path"]
]
UNREACHABLE: Final[dict[str, tuple[Act, int, str]]] = {
    "asleep": (lambda car: car.fall_asleep(), 408, "vehicle unavailable: vehicle is offline or asleep"),
    "offline": (lambda car: car.coverage(on=False), 408, "vehicle unavailable: vehicle is offline or asleep"),
    "in service": (lambda car: car.service(on=True), 405, "vehicle is currently in service"),
    "access off": (lambda car: car.mobile_access(on=False), 401, "mobile_access_disabled"),
}
LIVE: Final = [
    *("data", "vehicle_data"),
    *(
        f"data_request/{record}"
        for record in ("charge_state", "climate_state", "drive_state", "gui_settings")
    ),
]


@pytest.mark.parametrize("name", UNREACHABLE)
async def test_unreachable_car_refuses_commands(name: str, car: SimulatedVehicle, client: Client) -> None:
    """A car that can't be contacted refuses every command for that reason, and changes nothing."""
    act, status, error = UNREACHABLE[name]
    act(car)
    before = await client.admin_data()
    for command in COMMANDS:
        reply = await client.command(command)
        assert (reply.status, reply.body) == (
            status,
            {"response": None, "error": error, "error_description": ""},
        )
    assert await client.admin_data() == before


@pytest.mark.parametrize("name", ["in service", "access off"])
async def test_refusing_car_is_not_read(name: str, car: SimulatedVehicle, client: Client) -> None:
    """A car that refuses contact also refuses live reads. The list still has its record."""
    act, status, error = UNREACHABLE[name]
    act(car)
    replies = [await client.get(f"{client.vehicle_path}/{read}") for read in LIVE]
    assert {(reply.status, reply.body["error"]) for reply in replies} == {(status, error)}
    assert (await client.get("/api/1/vehicles")).response[0]["vin"] == car.vin


@pytest.mark.parametrize(("supply", "reason"), [(True, ""), (False, "low_soc")])
async def test_low_battery(*, supply: bool, reason: str, car: SimulatedVehicle, client: Client) -> None:
    """With a low battery climate control starts only with power from a cable."""
    car.set_level(19)
    car.power_supply(on=supply)
    assert (await client.command("auto_conditioning_start")).reason == reason


@pytest.mark.parametrize("level", [19.4, 19.6, 20.4])
async def test_accepted_climate_continues(
    level: float, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Near the lowest level climate control is either refused, or runs for more than a moment."""
    car.unplug()
    car.set_level(level)
    refused = (await client.command("auto_conditioning_start")).reason
    clock.advance(1)
    assert await client.value("climate_state.is_climate_on") is not bool(refused)


async def test_valet_keeps_remote_access(car: SimulatedVehicle, client: Client) -> None:
    """In valet mode remote access can't be disabled in the car."""
    await client.command("set_valet_mode", on="true", password="1234")
    with pytest.raises(ControlError, match="valet"):
        car.mobile_access(on=False)
    assert (await client.get(f"{client.vehicle_path}/mobile_enabled")).response is True


WHILE_DRIVING: Final[list[tuple[str, dict[str, str], str]]] = [
    ("actuate_trunk", {"which_trunk": "front"}, "not_parked"),
    ("reset_valet_pin", {}, "not_parked"),
    ("set_valet_mode", {"on": "false"}, "not_parked"),
    ("honk_horn", {}, ""),
    ("flash_lights", {}, ""),
    ("auto_conditioning_start", {}, ""),
    ("auto_conditioning_stop", {}, ""),
    ("set_temps", {"driver_temp": "20"}, ""),
    ("set_charge_limit", {"percent": "70"}, ""),
    ("charge_max_range", {}, ""),
    ("charge_standard", {}, ""),
    ("door_lock", {}, ""),
    ("sun_roof_control", {"state": "vent"}, ""),
    ("upcoming_calendar_entries", {"calendar_data": "{}"}, ""),
    ("speed_limit_set_limit", {"limit_mph": "60"}, ""),
    ("speed_limit_activate", {"pin": "1234"}, ""),
]


@pytest.mark.parametrize(("command", "query", "reason"), WHILE_DRIVING)
async def test_command_while_driving(
    command: str, query: dict[str, str], reason: str, car: SimulatedVehicle, client: Client
) -> None:
    """A driving car refuses commands that need a parked car, and accepts the others."""
    car.unplug()
    car.drive(20)
    assert (await client.command(command, **query)).reason == reason


PINS: Final[list[tuple[list[tuple[str, dict[str, str]]], str]]] = [
    # The commands, of which all but the last are accepted, and the reason why the last is refused
    ([("speed_limit_clear_pin", {"pin": "1234"})], "incorrect pin"),
    (
        [
            ("speed_limit_activate", {"pin": "1234"}),
            ("speed_limit_clear_pin", {"pin": "1234"}),
            ("speed_limit_deactivate", {"pin": "1234"}),
        ],
        "already inactive",
    ),
    (
        [
            ("speed_limit_activate", {"pin": "1234"}),
            ("speed_limit_clear_pin", {"pin": "1234"}),
            ("speed_limit_activate", {"pin": "4321"}),
        ],
        "",
    ),
    (
        [
            ("speed_limit_activate", {"pin": "1234"}),
            ("speed_limit_deactivate", {"pin": "1234"}),
            ("speed_limit_set_limit", {"limit_mph": "55"}),
        ],
        "",
    ),
    ([("set_valet_mode", {"on": "true"}), ("set_valet_mode", {"on": "false"})], ""),
    (
        [("set_valet_mode", {"on": "true"}), ("set_valet_mode", {"on": "false", "password": "1234"})],
        "incorrect pin",
    ),
    (
        [
            ("set_valet_mode", {"on": "true", "password": "1234"}),
            ("set_valet_mode", {"on": "false"}),
            ("set_valet_mode", {"on": "true"}),
            ("set_valet_mode", {"on": "false", "password": "1234"}),
        ],
        "",
    ),
    (
        [
            ("set_valet_mode", {"on": "true", "password": "1234"}),
            ("set_valet_mode", {"on": "false"}),
            ("set_valet_mode", {"on": "true", "password": "4321"}),
            ("set_valet_mode", {"on": "false", "password": "1234"}),
        ],
        "incorrect pin",
    ),
    (
        [
            ("set_valet_mode", {"on": "true", "password": "1234"}),
            ("set_valet_mode", {"on": "false"}),
            ("reset_valet_pin", {}),
            ("set_valet_mode", {"on": "true"}),
            ("set_valet_mode", {"on": "false", "password": "1234"}),
        ],
        "incorrect pin",
    ),
    ([("reset_valet_pin", {})], ""),
]


@pytest.mark.parametrize(("commands", "reason"), PINS)
async def test_pin(commands: list[tuple[str, dict[str, str]]], reason: str, client: Client) -> None:
    """A PIN stays until it is deleted, and only the correct PIN is accepted."""
    *before, (last, query) = commands
    for command, parameters in before:
        assert not (await client.command(command, **parameters)).reason
    assert (await client.command(last, **query)).reason == reason


INVALID_PINS: Final = ["", "123", "12345", "12a4", " 123", "-123", "1.23", "١٢٣٤", "１２３４"]  # noqa: RUF001


@pytest.mark.parametrize("pin", INVALID_PINS)
@pytest.mark.parametrize(
    ("command", "query", "name"),
    [
        ("set_valet_mode", {"on": "true"}, "password"),
        ("speed_limit_activate", {}, "pin"),
        ("speed_limit_deactivate", {}, "pin"),
        ("speed_limit_clear_pin", {}, "pin"),
    ],
)
async def test_pin_has_four_digits(
    command: str, query: dict[str, str], name: str, pin: str, client: Client
) -> None:
    """A PIN that does not have four digits gets a 400 response."""
    reply = await client.command(command, **query, **{name: pin})
    assert (reply.status, reply.body["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("limit", ["49.9", "90.1", "-60"])
async def test_speed_limit_has_a_range(limit: str, client: Client) -> None:
    """A speed limit out of range gets a 400 response with the error invalid_field."""
    reply = await client.command("speed_limit_set_limit", limit_mph=limit)
    assert (reply.status, reply.body["error"]) == (400, "invalid_field")


@pytest.mark.parametrize("limit", ["50", "90"])
async def test_speed_limit_range_includes_its_ends(limit: str, client: Client) -> None:
    """The lowest and the highest speed limit are accepted."""
    assert not (await client.command("speed_limit_set_limit", limit_mph=limit)).reason
    assert await client.value("vehicle_state.speed_limit_mode.current_limit_mph") == float(limit)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"driver_temp": "10", "passenger_temp": "99"}, (15, 28)),
        ({"driver_temp": "15", "passenger_temp": "28"}, (15, 28)),
    ],
)
async def test_temperatures_have_a_range(
    query: dict[str, str], shown: tuple[float, float], client: Client
) -> None:
    """A temperature out of range becomes the nearest one in range."""
    assert not (await client.command("set_temps", **query)).reason
    state = await client.value("climate_state")
    assert (state["driver_temp_setting"], state["passenger_temp_setting"]) == shown


async def test_calendar_has_a_maximum_size(client: Client) -> None:
    """A calendar of more than 256 KiB gets a 400 response."""
    sent = {"calendar_data": {"name": "x" * 256 * 1024}}
    assert (
        await client.post(f"{client.vehicle_path}/command/upcoming_calendar_entries", json=sent)
    ).status == 400


async def test_charge_start_accepts_any_parameter(client: Client) -> None:
    """charge_start accepts unknown parameters: the document does not name the one that it has."""
    assert not (await client.command("charge_start", anything="at all")).reason


async def test_remote_start_is_renewed(clock: ManualClock, client: Client) -> None:
    """A second remote start restarts the two minutes."""
    await client.command("remote_start_drive", password=PASSWORD)
    clock.advance(60)
    await client.command("remote_start_drive", password=PASSWORD)
    clock.advance(119)
    assert await client.value("vehicle_state.remote_start") is True
    clock.advance(1)
    assert await client.value("vehicle_state.remote_start") is False


BODIES: Final[dict[str, dict[str, Any]]] = {
    "invalid UTF-8": {"data": b'{"percent": "\xff"}', "headers": {"Content-Type": "application/json"}},
    "unknown charset": {
        "data": b'{"percent": 70}',
        "headers": {"Content-Type": "application/json; charset=none"},
    },
    "too deeply nested": {"data": b"[" * 100_000, "headers": {"Content-Type": "application/json"}},
    "form without boundary": {
        "data": b"percent=70",
        "headers": {"Content-Type": "multipart/form-data"},
    },
    "number too long": {"data": b'{"percent": ' + b"9" * 5000 + b"}"},
    "infinity": {"data": b'{"percent": 1e999}'},
}


@pytest.mark.parametrize("name", BODIES)
async def test_unreadable_body(name: str, client: Client) -> None:
    """An unreadable body gets a 400 response with the envelope."""
    more = BODIES[name]
    token = {"Authorization": f"Bearer {TOKEN}"}
    headers = {**token, **more.get("headers", {})}
    reply = await client.post(
        f"{client.vehicle_path}/command/set_charge_limit", **{**more, "headers": headers}
    )
    assert reply.status == 400
    assert (reply.response, reply.body["error"]) == (None, "invalid_request")


@pytest.mark.parametrize(
    "body", [{"data": b'{"sound": NaN}'}, {"data": {"sound": BytesIO(b"horn")}}], ids=["NaN", "file"]
)
async def test_preferences_that_are_not_json(body: dict[str, Any], client: Client) -> None:
    """A preference that JSON can't represent gets a 400 response."""
    query = {"device_type": "ios"}
    reply = await client.post("/api/1/notification_preferences", params=query, **body)
    assert reply.status == 400
