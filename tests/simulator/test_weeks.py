"""Random weeks of any car: its reports stay consistent, whatever is done to it."""

from contextlib import suppress
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.controls import CONTROLS, ControlError
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record, short_record
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from simulator_console.services import SimulatedService

from .conftest import send
from .documented import COMMANDS, differences, full_record_fields
from .invariants import AFTER_AN_ACTION, AT_ANY_MOMENT, WHILE_TIME_PASSES, Snapshot, level_stays

type Action = tuple[str, dict[str, Any]]
"""A command, or a control that a person beside the car uses, with its arguments."""


def _texts(*usual: str) -> st.SearchStrategy[str]:
    common = st.sampled_from(usual)
    nonsense = st.sampled_from(["", "nan", "-inf", "1e999", "-1", "true", "9" * 40, "x", "50 %", "٣"])
    any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    return st.sampled_from([common, common, common, nonsense, any_text]).flatmap(lambda texts: texts)


def _optional(**parameters: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(parameters) | st.fixed_dictionaries({}, optional=parameters)


TEMPERATURES: Final = _texts("21", "15", "28", "19.5", "-300", "40")
PINS: Final = _texts("1234", "0000", "4321", "123")
SWITCHED: Final = st.fixed_dictionaries({"on": st.booleans()})
MOSTLY_ON: Final = st.fixed_dictionaries({"on": st.sampled_from([True, True, True, False])})
NAMED: Final = st.fixed_dictionaries({"name": st.sampled_from(["df", "dr", "pf", "pr", "ft", "rt", "boot"])})
WINDOWS: Final = st.fixed_dictionaries({"name": st.sampled_from(["fd", "fp", "rd", "rp", "df"])})
HOURS: Final = st.floats() | st.sampled_from([0.5, 2.0, 12.0, 168.0])
BARS: Final = st.floats() | st.floats(0, 4)
MILES: Final = st.floats() | st.sampled_from([0.01, 0.5, 3.0, 25.0, 120.0, 1000.0])
SPEEDS: Final = st.floats() | st.sampled_from([5, 30, 65, 120])
SEATS: Final = st.sampled_from(["left", "rear_center", "third_row_right", "roof"])
DEGREES: Final = st.none() | st.floats(-70, 100) | st.sampled_from([-30.0, 0.0, 20.0, 45.0])
ARGUMENTS: Final[dict[str, st.SearchStrategy[dict[str, Any]]]] = {
    "set_temps": _optional(driver_temp=TEMPERATURES, passenger_temp=TEMPERATURES),
    "set_charge_limit": _optional(percent=_texts("50", "62.5", "80", "90", "100", "1", "1000")),
    "sun_roof_control": _optional(
        state=_texts("open", "closed", "comfort", "vent", "move"), percent=_texts("0", "15", "33.3", "100")
    ),
    "actuate_trunk": _optional(which_trunk=_texts("rear", "front")),
    "remote_start_drive": _optional(password=_texts("simulated", "simulated", "wrong")),
    "upcoming_calendar_entries": _optional(calendar_data=_texts("{}", '{"calendars": []}', "[]")),
    "set_valet_mode": _optional(on=_texts("true", "false", "ON", "0"), password=PINS),
    "speed_limit_activate": _optional(pin=PINS),
    "speed_limit_deactivate": _optional(pin=PINS),
    "speed_limit_clear_pin": _optional(pin=PINS),
    "speed_limit_set_limit": _optional(limit_mph=_texts("50", "65.5", "90", "91")),
    "plug_in": st.fixed_dictionaries({"fast": st.booleans()}),
    "power_supply": MOSTLY_ON,
    "schedule_charging": st.fixed_dictionaries({"hours": HOURS}),
    "open": NAMED,
    "close": NAMED,
    "open_window": WINDOWS,
    "close_window": WINDOWS,
    "set_tire_pressure": st.fixed_dictionaries({"tire": st.sampled_from(["fl", "rr", "x"]), "bar": BARS}),
    "play_media": SWITCHED,
    "drive": st.fixed_dictionaries({"miles": MILES, "speed": SPEEDS}),
    "weather": SWITCHED,
    "routine": SWITCHED,
    "coverage": MOSTLY_ON,
    "service": st.fixed_dictionaries({"on": st.sampled_from([False, False, False, True])}),
    "mobile_access": MOSTLY_ON,
    "sentry": SWITCHED,
    "climate_keeper": st.fixed_dictionaries({"mode": st.sampled_from(["off", "on", "dog", "camp", "cat"])}),
    "heat_seat": st.fixed_dictionaries({"seat": SEATS, "level": st.integers(-1, 4)}),
    "set_level": st.fixed_dictionaries({"percent": st.floats() | st.floats(0, 100) | st.integers(0, 100)}),
    "set_temperatures": st.fixed_dictionaries({"inside": DEGREES, "outside": DEGREES}),
}
# Actions that change much come most often. Otherwise most cars would be asleep or parked.
LIKELY: Final[list[Action]] = [
    *((name, {}) for name in ("wake", "unplug", "plug_in", "enter", "leave", "charge_start", "charge_stop")),
    *((name, {}) for name in ("charge_port_door_open", "auto_conditioning_start")),
    ("plug_in", {"fast": True}),
    ("set_level", {"percent": 30}),
    ("drive", {"miles": 25.0}),
    ("actuate_trunk", {"which_trunk": "rear"}),
    ("remote_start_drive", {"password": "simulated"}),
    ("sun_roof_control", {"state": "open"}),
]
ACTIONS: Final = st.sampled_from(LIKELY) | st.sampled_from(sorted([*CONTROLS, *COMMANDS])).flatmap(
    lambda name: st.tuples(st.just(name), ARGUMENTS.get(name, st.just({})))
)
PAUSES: Final = (
    st.sampled_from([0, 1, 4, 5, 12, 60, 119, 600, 661]) | st.integers(1, 7200) | st.integers(1, 259_200)
)
STEPS: Final = st.lists(st.tuples(ACTIONS, PAUSES), min_size=20, max_size=60)


def take_snapshot(car: SimulatedVehicle) -> Snapshot:
    car.catch_up()
    now = Snapshot(car.clock.now(), full_record(car), short_record(car))
    for check in AT_ANY_MOMENT:
        check(now)
    legacy = full_record(car, is_legacy=True)
    assert differences(legacy, full_record_fields("legacy"), "legacy") == []
    return now


def do(action: Action, car: SimulatedVehicle) -> None:
    name, arguments = action
    if name in CONTROLS:
        with suppress(ControlError):
            getattr(car, name)(**arguments)
    elif car.state == "online":
        with suppress(RequestError):
            send(car, name, **arguments)


def check_weeks(model: int, steps: list[tuple[Action, float]]) -> None:
    clock = ManualClock()
    car = SimulatedService(vehicles=model + 1, clock=clock).vehicles[model]
    before = take_snapshot(car)
    for action, pause in steps:
        do(action, car)
        done = take_snapshot(car)
        for check in AFTER_AN_ACTION:
            check(before, done)
        if action[0] != "set_level":
            level_stays(before, done)
        clock.advance(pause)
        before = take_snapshot(car)
        # The owner of a car with a routine uses it while time passes.
        if not car.follows_routine:
            for check in WHILE_TIME_PASSES:
                check(done, before)


@pytest.mark.parametrize("weeks", [50, pytest.param(500, marks=pytest.mark.exhaustive)])
def test_weeks(weeks: int) -> None:
    """After any actions in any order, all that a car reports is possible and follows from its past."""
    check = given(model=st.integers(0, 4), steps=STEPS)(check_weeks)
    settings(max_examples=weeks, deadline=None, derandomize=True, database=None)(check)()
