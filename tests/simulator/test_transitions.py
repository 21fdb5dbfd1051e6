"""Every way from one state to another, and every refusal, walked once as a client sees it."""

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from itertools import pairwise
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import (
    ControlError,
    ManualClock,
    Simulator,
    Switches,
    Vehicle,
)

from .conftest import TOKEN, Client
from .documented import ENDPOINTS

type Act = Callable[[Vehicle], object]

PASSWORD: Final = "simulated"


# Online, asleep, offline, in service


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
    """A car does not fall asleep on what it was told to do, however long that lasts."""
    await client.command(command, **query)
    clock.advance(3600)
    assert await client.state() == "online"


async def test_remote_start_delays_sleep(clock: ManualClock, client: Client) -> None:
    """A car that may be driven without a key sleeps eleven minutes after that has ended."""
    await client.command("remote_start_drive", password=PASSWORD)
    clock.advance(120 + 659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_drive_keeps_the_car_awake(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """A car sleeps eleven minutes after it was parked, not before."""
    car.unplug()
    seconds = car.drive(40)
    clock.advance(seconds + 659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_loading_keeps_the_car_awake(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """A car loads its software to the end before it falls asleep."""
    car.offer_update()
    clock.advance(300 + 600 + 659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


WAKING: Final[dict[str, Act]] = {
    "a hand on the handle": lambda car: car.open("df"),
    "the key": lambda car: car.unlock(),
    "somebody who sits down": lambda car: car.enter(),
    "a cable pulled out": lambda car: car.unplug(),
    "a cable put in": lambda car: (car.unplug(), car.fall_asleep(), car.plug_in()),
    "power at the cable": lambda car: (
        car.power_supply(on=False),
        car.fall_asleep(),
        car.power_supply(on=True),
    ),
    "sentry mode": lambda car: car.sentry(on=True),
    "a drive": lambda car: (car.unplug(), car.fall_asleep(), car.drive(1)),
}


@pytest.mark.parametrize("name", WAKING)
async def test_sleeping_car_wakes(name: str, car: Vehicle, client: Client) -> None:
    """A sleeping car is awake as soon as somebody does something with it."""
    car.fall_asleep()
    WAKING[name](car)
    assert await client.state() == "online"


@pytest.mark.parametrize("seconds", [2, 60])
async def test_time_to_wake_is_the_cars_own(
    seconds: float, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """A car may need longer to wake, or wake at once."""
    car.wake_after = seconds
    car.fall_asleep()
    await client.post(f"{client.car}/wake_up")
    clock.advance(seconds - 1)
    assert await client.state() == "asleep"
    clock.advance(1)
    assert await client.state() == "online"


async def test_waking_may_waver(
    simulator: Simulator, switches: Switches, clock: ManualClock, client: Client
) -> None:
    """Some cars do not take the same time to wake twice."""
    switches.wake_jitter = 30
    for vehicle in simulator.vehicles:
        vehicle.wake()
        vehicle.fall_asleep()
        await client.post(f"/api/1/vehicles/{vehicle.id}/wake_up")
    clock.advance(8)
    assert "asleep" in [each["state"] for each in (await client.get("/api/1/vehicles")).response]
    clock.advance(30)
    assert {each["state"] for each in (await client.get("/api/1/vehicles")).response} == {"online"}


async def test_check_is_extended_by_a_read(
    switches: Switches, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """A car that woke for its own check stays awake eleven minutes longer when it is read."""
    switches.hourly_check = True
    car.fall_asleep()
    clock.advance(3600)
    await client.data()
    clock.advance(659)
    assert await client.state() == "online"
    clock.advance(1)
    assert await client.state() == "asleep"


async def test_checks_come_every_hour(
    switches: Switches, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """An hour after a check of its own has ended a car checks itself again."""
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
    *, act: Act, seconds: float, state: str, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """A car without coverage is offline, and then as it has become in the meantime."""
    act(car)
    car.coverage(on=False)
    clock.advance(seconds)
    assert await client.state() == "offline"
    car.coverage(on=True)
    assert await client.state() == state


@pytest.mark.parametrize("act", [lambda car: car.fall_asleep(), lambda car: car.coverage(on=False)])
async def test_service_from_any_state(act: Act, car: Vehicle, client: Client) -> None:
    """A car in service refuses reads as such, whatever else keeps it from answering."""
    act(car)
    car.service(on=True)
    assert (await client.get(f"{client.car}/vehicle_data")).status == 405
    assert (await client.command("honk_horn")).status == 405


async def test_service_ends(car: Vehicle, client: Client) -> None:
    """A car that leaves the workshop is read as before."""
    car.service(on=True)
    car.service(on=False)
    assert (await client.data())["in_service"] is False


# Charging


def charge(car: Vehicle, level: float = 50) -> Vehicle:
    """Return the car in a session that began at a level."""
    with suppress(ControlError):
        car.unplug()
    car.set_level(level)
    car.plug_in()
    return car


BEGINNINGS: Final[dict[str, Act]] = {
    "Disconnected": lambda car: car.unplug(),
    "Stopped": lambda _: None,
    "Starting": charge,
    "Charging": charge,
    "Complete": lambda car: charge(car, 80),
    "NoPower": lambda car: charge(car).power_supply(on=False),
}
"""How the first car, with its limit of 80 percent, comes into each state of charging within ten seconds."""


async def begin(state: str, car: Vehicle, clock: ManualClock, client: Client) -> None:
    """Bring a car into a state of charging."""
    BEGINNINGS[state](car)
    clock.advance(0 if state == "Starting" else 10)
    assert await client.value("charge_state.charging_state") == state


CONTROLLED: Final[list[tuple[str, Act, list[str]]]] = [
    # from, what happens, and the states at once and ten seconds later
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
async def test_charging_goes_over(
    *, state: str, act: Act, then: list[str], car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """What a person or the supply does brings charging into the next state."""
    await begin(state, car, clock, client)
    act(car)
    for expected in then:
        assert await client.value("charge_state.charging_state") == expected
        clock.advance(10)


async def test_stopped_charging_goes_on_with_the_supply(
    car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """A car that was stopped begins again when the supply was lost and is back."""
    await begin("Stopped", car, clock, client)
    car.power_supply(on=False)
    car.power_supply(on=True)
    assert await client.value("charge_state.charging_state") == "Starting"


COMMANDED: Final[list[tuple[str, str, dict[str, str], str, str]]] = [
    # from, the command, the reason of its refusal, and the state after it
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
async def test_command_to_charging(
    *,
    state: str,
    command: str,
    query: dict[str, str],
    reason: str,
    then: str,
    car: Vehicle,
    clock: ManualClock,
    client: Client,
) -> None:
    """In each state of charging a command brings about the next state, or is refused for a reason."""
    await begin(state, car, clock, client)
    assert (await client.command(command, **query)).reason == reason
    assert await client.value("charge_state.charging_state") == then


PORT: Final = ("charge_port_latch", "charge_port_door_open", "conn_charge_cable")


@pytest.mark.parametrize("state", ["Starting", "Charging", "Complete", "Stopped", "NoPower"])
async def test_opened_port_lets_the_cable_go(
    state: str, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """Opening the port lets go of the cable in every state, and the door stays open."""
    await begin(state, car, clock, client)
    await client.command("charge_port_door_open")
    clock.advance(600)
    charge_state = (await client.seen())["charge_state"]
    assert [charge_state[name] for name in PORT] == ["Disengaged", True, "SAE"]


LATCHES: Final[list[tuple[Act, tuple[str, bool, str]]]] = [
    (charge, ("Engaged", True, "SAE")),
    (lambda car: car.unplug(), ("Disengaged", True, "<invalid>")),
]


@pytest.mark.parametrize(("act", "shown"), LATCHES)
async def test_latch(act: Act, shown: tuple[str, bool, str], car: Vehicle, client: Client) -> None:
    """The latch holds a cable, and is open with the door when there is none."""
    act(car)
    charge_state = await client.value("charge_state")
    assert tuple(charge_state[name] for name in PORT) == shown


@pytest.mark.parametrize(
    "path", ["charge_energy_added", "charge_miles_added_rated", "charge_miles_added_ideal"]
)
async def test_counters_outlast_the_cable(
    path: str, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """What a session added is the same after the cable is out, whatever becomes of the battery."""
    charge(car)
    clock.advance(1800)
    added = await client.value(f"charge_state.{path}")
    car.unplug()
    clock.advance(86_400)
    assert added > 0
    assert (await client.seen())["charge_state"][path] == added


async def test_ramp_brings_half(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """In the ten seconds in which the current rises, half the energy of the next ten arrives."""
    charge(car)
    clock.advance(5)
    energy = [await exact_energy(client)]
    for _ in range(2):
        clock.advance(10)
        energy.append(await exact_energy(client))
    ramp, flow = (after - before for before, after in pairwise(energy))
    assert ramp == pytest.approx(flow / 2, rel=0.5)


async def exact_energy(client: Client) -> float:
    """Return what the battery holds in kWh, as exactly as it can be seen."""
    return float(await client.value("charge_state.battery_range")) * 0.3


async def test_rate_rises_with_the_power(car: Vehicle, clock: ManualClock, client: Client) -> None:
    """The range is gained as fast as the power allows, so more slowly while the current rises."""
    charge(car)
    clock.advance(5 + 5)
    assert await client.value("charge_state.charge_rate") == pytest.approx(28.8 / 2, abs=0.1)


async def test_stop_ends_with_the_session(car: Vehicle, client: Client) -> None:
    """That charging was stopped is told while it is Stopped, and not once the cable is out."""
    charge(car)
    await client.command("charge_stop")
    car.unplug()
    state = await client.value("charge_state")
    assert (state["charge_enable_request"], state["user_charge_enable_request"]) == (True, None)


async def test_charging_wakes(car: Vehicle, client: Client) -> None:
    """A sleeping car that finds room below its limit is awake when it starts to charge."""
    charge(car, 80)
    car.fall_asleep()
    car.set_level(60)
    seen = await client.seen()
    assert (seen["charge_state"]["charging_state"], seen["state"]) == ("Starting", "online")


# The rest of the car


async def test_drive_unlocks(car: Vehicle, client: Client) -> None:
    """Whoever drives away has unlocked the doors."""
    car.unplug()
    await client.command("door_lock")
    car.drive(5)
    assert await client.value("vehicle_state.locked") is False


ROOF: Final = {"open": 100, "comfort": 80, "move 16": 16, "vent": 15, "move 1": 1, "closed": 0}
NAMES: Final = {100: "open", 80: "open", 16: "open", 15: "vent", 1: "vent", 0: "closed"}


def roof_query(position: str) -> dict[str, str]:
    """Return how the sun roof is sent to a position."""
    state, _, percent = position.partition(" ")
    return {"state": state, "percent": percent} if percent else {"state": state}


@pytest.mark.parametrize("to", ROOF)
@pytest.mark.parametrize("start", ["open", "vent", "closed"])
async def test_sun_roof_goes_over(start: str, to: str, clock: ManualClock, client: Client) -> None:
    """From wherever it is the roof moves for five seconds, and then is where it was sent, by its name."""
    await client.command("sun_roof_control", **roof_query(start))
    clock.advance(5)
    await client.command("sun_roof_control", **roof_query(to))
    clock.advance(4)
    assert await client.value("vehicle_state.sun_roof_state") == "moving"
    clock.advance(1)
    state = await client.value("vehicle_state")
    assert (state["sun_roof_percent_open"], state["sun_roof_state"]) == (ROOF[to], NAMES[ROOF[to]])


async def test_sun_roof_is_sent_elsewhere(clock: ManualClock, client: Client) -> None:
    """A roof under way goes where it was sent last."""
    await client.command("sun_roof_control", state="open")
    clock.advance(3)
    await client.command("sun_roof_control", state="vent")
    clock.advance(10)
    assert await client.value("vehicle_state.sun_roof_percent_open") == 15


AUTOPARK: Final[dict[str, tuple[Act, str]]] = {
    "parked and locked": (lambda _: None, "standby"),
    "with its owner nearby": (lambda car: car.unlock(), "ready"),
    "locked again": (lambda car: (car.unlock(), car.lock()), "standby"),
    "on the road": (lambda car: (car.unplug(), car.drive(5)), "unavailable"),
    "in the workshop": (lambda car: car.service(on=True), "unavailable"),
}


@pytest.mark.parametrize("name", AUTOPARK)
async def test_autopark(name: str, car: Vehicle, client: Client) -> None:
    """A car is ready to park by itself when its owner is near, and cannot on the road or in service."""
    act, shown = AUTOPARK[name]
    act(car)
    assert (await client.seen())["vehicle_state"]["autopark_state_v2"] == shown


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
async def test_control_is_undone(act: Act, path: str, value: Any, car: Vehicle, client: Client) -> None:
    """What a person does can be undone."""
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
async def test_car_out_of_reach_is_not_commanded(name: str, car: Vehicle, client: Client) -> None:
    """A car that cannot be asked refuses every command as such, right or wrong, and does nothing."""
    act, status, error = UNREACHABLE[name]
    act(car)
    before = await client.seen()
    for command in COMMANDS:
        reply = await client.command(command)
        assert (reply.status, reply.body) == (
            status,
            {"response": None, "error": error, "error_description": ""},
        )
    assert await client.seen() == before


@pytest.mark.parametrize("name", ["in service", "access off"])
async def test_refusing_car_is_not_read(name: str, car: Vehicle, client: Client) -> None:
    """A car that may not be asked refuses every live read, and the list says what is known without it."""
    act, status, error = UNREACHABLE[name]
    act(car)
    replies = [await client.get(f"{client.car}/{read}") for read in LIVE]
    assert {(reply.status, reply.body["error"]) for reply in replies} == {(status, error)}
    assert (await client.get("/api/1/vehicles")).response[0]["vin"] == car.vin


@pytest.mark.parametrize(("supply", "reason"), [(True, ""), (False, "low_soc")])
async def test_low_battery(*, supply: bool, reason: str, car: Vehicle, client: Client) -> None:
    """With little left and a cable in, the climate starts only if there is power at the cable."""
    car.set_level(19)
    car.power_supply(on=supply)
    assert (await client.command("auto_conditioning_start")).reason == reason


@pytest.mark.parametrize("level", [19.4, 19.6, 20.4])
async def test_accepted_climate_goes_on(
    level: float, car: Vehicle, clock: ManualClock, client: Client
) -> None:
    """Near the least level the climate is refused, or it runs for more than a moment."""
    car.unplug()
    car.set_level(level)
    refused = (await client.command("auto_conditioning_start")).reason
    clock.advance(1)
    assert await client.value("climate_state.is_climate_on") is not bool(refused)


async def test_valet_keeps_remote_access(car: Vehicle, client: Client) -> None:
    """In valet mode nobody in the car can disable remote access."""
    await client.command("set_valet_mode", on="true", password="1234")
    with pytest.raises(ControlError, match="valet"):
        car.mobile_access(on=False)
    assert (await client.get(f"{client.car}/mobile_enabled")).response is True


ON_THE_ROAD: Final[list[tuple[str, dict[str, str], str]]] = [
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


@pytest.mark.parametrize(("command", "query", "reason"), ON_THE_ROAD)
async def test_command_on_the_road(
    command: str, query: dict[str, str], reason: str, car: Vehicle, client: Client
) -> None:
    """A car in gear refuses what needs it to stand, and does the rest."""
    car.unplug()
    car.drive(20)
    assert (await client.command(command, **query)).reason == reason


PINS: Final[list[tuple[list[tuple[str, dict[str, str]]], str]]] = [
    # what was sent before and is accepted, the last command with its parameters, and why it is refused
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


@pytest.mark.parametrize(("told", "reason"), PINS)
async def test_pin(told: list[tuple[str, dict[str, str]]], reason: str, client: Client) -> None:
    """A PIN is kept from one time to the next until it is forgotten, and only the right one counts."""
    *before, (last, query) = told
    for command, parameters in before:
        assert not (await client.command(command, **parameters)).reason
    assert (await client.command(last, **query)).reason == reason


NO_PIN: Final = ["", "123", "12345", "12a4", " 123", "-123", "1.23", "١٢٣٤", "１２３４"]  # noqa: RUF001


@pytest.mark.parametrize("pin", NO_PIN)
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
    """What is not four digits is no PIN, and is answered 400."""
    reply = await client.command(command, **query, **{name: pin})
    assert (reply.status, reply.body["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("limit", ["49.9", "90.1", "-60"])
async def test_speed_limit_has_a_range(limit: str, client: Client) -> None:
    """A speed limit that the car cannot hold is answered 400, as a field and not as a request."""
    reply = await client.command("speed_limit_set_limit", limit_mph=limit)
    assert (reply.status, reply.body["error"]) == (400, "invalid_field")


@pytest.mark.parametrize("limit", ["50", "90"])
async def test_speed_limit_reaches_its_ends(limit: str, client: Client) -> None:
    """The ends of what the car says it can hold are in its reach."""
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
    """A temperature that the car cannot reach becomes the nearest that it can."""
    assert not (await client.command("set_temps", **query)).reason
    state = await client.value("climate_state")
    assert (state["driver_temp_setting"], state["passenger_temp_setting"]) == shown


async def test_calendar_may_not_be_endless(client: Client) -> None:
    """A calendar of more than 256 KiB is answered 400."""
    sent = {"calendar_data": {"name": "x" * 256 * 1024}}
    assert (await client.post(f"{client.car}/command/upcoming_calendar_entries", json=sent)).status == 400


async def test_charge_start_takes_any_parameter(client: Client) -> None:
    """The parameter of charge_start that has no name in the document is not missed, whatever it is."""
    assert not (await client.command("charge_start", anything="at all")).reason


async def test_remote_start_begins_anew(clock: ManualClock, client: Client) -> None:
    """A second start from afar begins the two minutes anew."""
    await client.command("remote_start_drive", password=PASSWORD)
    clock.advance(60)
    await client.command("remote_start_drive", password=PASSWORD)
    clock.advance(119)
    assert await client.value("vehicle_state.remote_start") is True
    clock.advance(1)
    assert await client.value("vehicle_state.remote_start") is False


BODIES: Final[dict[str, dict[str, Any]]] = {
    "no UTF-8": {"data": b'{"percent": "\xff"}', "headers": {"Content-Type": "application/json"}},
    "a charset that does not exist": {
        "data": b'{"percent": 70}',
        "headers": {"Content-Type": "application/json; charset=none"},
    },
    "too deep": {"data": b"[" * 100_000, "headers": {"Content-Type": "application/json"}},
    "a form without its boundary": {
        "data": b"percent=70",
        "headers": {"Content-Type": "multipart/form-data"},
    },
    "too long a number": {"data": b'{"percent": ' + b"9" * 5000 + b"}"},
    "infinite": {"data": b'{"percent": 1e999}'},
}


@pytest.mark.parametrize("name", BODIES)
async def test_body_that_cannot_be_read(name: str, client: Client) -> None:
    """A body that cannot be understood is answered 400, in the envelope."""
    more = BODIES[name]
    token = {"Authorization": f"Bearer {TOKEN}"}
    headers = {**token, **more.get("headers", {})}
    reply = await client.post(f"{client.car}/command/set_charge_limit", **{**more, "headers": headers})
    assert reply.status == 400
    assert (reply.response, reply.body["error"]) == (None, "invalid_request")


@pytest.mark.parametrize(
    "body", [{"data": b'{"sound": NaN}'}, {"data": {"sound": BytesIO(b"horn")}}], ids=["NaN", "a file"]
)
async def test_preferences_that_are_no_json(body: dict[str, Any], client: Client) -> None:
    """What JSON has no word for is not stored as a preference, and is answered 400."""
    query = {"device_type": "ios"}
    reply = await client.post("/api/1/notification_preferences", params=query, **body)
    assert reply.status == 400
