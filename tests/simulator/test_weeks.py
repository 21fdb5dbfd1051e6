"""Random weeks of any car: its reports stay consistent, whatever is done to it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientSession
from hypothesis import given, settings, strategies as st

from custom_components.vehicle_remote_access.simulator import (
    CONTROLS,
    ControlError,
    ManualClock,
    SimulatedVehicle,
    Simulator,
)
from simulator_console.admin import add_admin

from .conftest import TOKEN, Client, Reply
from .documented import ENDPOINTS, FIELDS, Json, Variant, differences, documented, full_record_fields
from .invariants import AFTER_AN_ACTION, AT_ANY_MOMENT, WHILE_TIME_PASSES, Snapshot, level_stays

type Arguments = Mapping[str, Any]

COMMANDS: Final = sorted(
    endpoint["path"].rpartition("/")[2] for endpoint in ENDPOINTS if "/command/" in endpoint["path"]
)
REFUSALS: Final = {400, 401, 405, 408}
"""Statuses of refused requests. A car that refuses a command gives a reason, with status 200."""
MODELS: Final = 5


@dataclass(frozen=True)
class Command:
    """A command to the car, its parameters in the query."""

    name: str
    query: Arguments = field(default_factory=dict)


@dataclass(frozen=True)
class Control:
    """A control, used by a person beside the car."""

    name: str
    arguments: Arguments = field(default_factory=dict)


@dataclass(frozen=True)
class Read:
    """A live read."""

    path: str


type Action = Command | Control | Read

READS: Final[dict[str, tuple[Json, Variant]]] = {
    "data": (full_record_fields("legacy"), "legacy"),
    "vehicle_data": (full_record_fields("current"), "current"),
    "data_request/charge_state": (FIELDS["charge_state"], "current"),
    "data_request/drive_state": (FIELDS["drive_state"], "current"),
}


def _texts(*usual: str) -> st.SearchStrategy[str]:
    common = st.sampled_from(usual)
    nonsense = st.sampled_from(["", "nan", "-inf", "1e999", "-1", "true", "9" * 40, "x", "50 %", "٣"])
    any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    return st.sampled_from([common, common, common, nonsense, any_text]).flatmap(lambda texts: texts)


def _optional(**parameters: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(parameters) | st.fixed_dictionaries({}, optional=parameters)


TEMPERATURES: Final = _texts("21", "15", "28", "19.5", "-300", "40")
PINS: Final = _texts("1234", "0000", "4321", "123")
QUERIES: Final[dict[str, st.SearchStrategy[dict[str, Any]]]] = {
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
}
NOTHING: Final[st.SearchStrategy[dict[str, Any]]] = st.just({})
SWITCHED: Final = st.fixed_dictionaries({"on": st.booleans()})
MOSTLY_ON: Final = st.fixed_dictionaries({"on": st.sampled_from([True, True, True, False])})
MOSTLY_OFF: Final = st.fixed_dictionaries({"on": st.sampled_from([False, False, False, True])})
NAMED: Final = st.fixed_dictionaries({"name": st.sampled_from(["df", "dr", "pf", "pr", "ft", "rt", "boot"])})
DEGREES: Final = st.none() | st.floats(-70, 100) | st.sampled_from([-30.0, 0.0, 20.0, 45.0])
ARGUMENTS: Final[dict[str, st.SearchStrategy[dict[str, Any]]]] = {
    "plug_in": st.fixed_dictionaries({"fast": st.booleans()}),
    "unplug": NOTHING,
    "power_supply": MOSTLY_ON,
    "schedule_charging": st.fixed_dictionaries(
        {"hours": st.floats() | st.sampled_from([0.5, 2.0, 12.0, 168.0])}
    ),
    "enter": NOTHING,
    "leave": NOTHING,
    "open": NAMED,
    "close": NAMED,
    "lock": NOTHING,
    "unlock": NOTHING,
    "drive": st.fixed_dictionaries(
        {
            "miles": st.floats() | st.sampled_from([0.01, 0.5, 3.0, 25.0, 120.0, 1000.0]),
            "speed": st.floats() | st.sampled_from([5, 30, 65, 120]),
        }
    ),
    "stop": NOTHING,
    "walk_away": NOTHING,
    "weather": SWITCHED,
    "routine": SWITCHED,
    "leave_valet_mode": st.fixed_dictionaries({"pin": PINS}),
    "set_screen": st.fixed_dictionaries({"distance": st.sampled_from(["mi/hr", "km/hr", None])}),
    "fall_asleep": NOTHING,
    "wake": NOTHING,
    "coverage": MOSTLY_ON,
    "service": MOSTLY_OFF,
    "mobile_access": MOSTLY_ON,
    "sentry": SWITCHED,
    "climate_keeper": st.fixed_dictionaries({"mode": st.sampled_from(["off", "on", "dog", "camp", "cat"])}),
    "heat_seat": st.fixed_dictionaries(
        {
            "seat": st.sampled_from(["left", "rear_center", "third_row_right", "roof"]),
            "level": st.integers(-1, 4),
        }
    ),
    "offer_update": NOTHING,
    "set_level": st.fixed_dictionaries({"percent": st.floats() | st.floats(0, 100) | st.integers(0, 100)}),
    "set_temperatures": st.fixed_dictionaries({"inside": DEGREES, "outside": DEGREES}),
}
# Actions that change much come most often. Otherwise most cars would be asleep or parked.
LIKELY: Final[st.SearchStrategy[Action]] = st.sampled_from(
    [
        Control("wake"),
        Control("unplug"),
        Control("plug_in"),
        Control("plug_in", {"fast": True}),
        Control("set_level", {"percent": 30}),
        Control("enter"),
        Control("leave"),
        Control("drive", {"miles": 25.0}),
        Command("charge_start"),
        Command("charge_stop"),
        Command("charge_port_door_open"),
        Command("auto_conditioning_start"),
        Command("actuate_trunk", {"which_trunk": "rear"}),
        Command("remote_start_drive", {"password": "simulated"}),
        Command("sun_roof_control", {"state": "open"}),
    ]
)
ANY_COMMAND: Final[st.SearchStrategy[Action]] = st.sampled_from(COMMANDS).flatmap(
    lambda name: st.builds(Command, st.just(name), QUERIES.get(name, NOTHING))
)
ANY_CONTROL: Final[st.SearchStrategy[Action]] = st.sampled_from(sorted(ARGUMENTS)).flatmap(
    lambda name: st.builds(Control, st.just(name), ARGUMENTS[name])
)
ANY_READ: Final[st.SearchStrategy[Action]] = st.builds(Read, st.sampled_from(sorted(READS)))
ACTIONS: Final = st.sampled_from([LIKELY, LIKELY, LIKELY, ANY_COMMAND, ANY_CONTROL, ANY_READ]).flatmap(
    lambda actions: actions
)
PAUSES: Final = (
    st.sampled_from([0, 1, 4, 5, 12, 60, 119, 600, 661]) | st.integers(1, 7200) | st.integers(1, 259_200)
)
STEPS: Final = st.lists(st.tuples(ACTIONS, PAUSES), min_size=20, max_size=60)


class Scenario:
    """A car, a client, and a person beside the car."""

    def __init__(self, client: Client, car: SimulatedVehicle, clock: ManualClock) -> None:
        """Select this car."""
        self._client = client
        self._car = car
        self._clock = clock
        client.select(car)

    @property
    def has_routine(self) -> bool:
        """Whether an owner uses the car, so that things happen while time passes."""
        return self._car.follows_routine

    async def take_snapshot(self) -> Snapshot:
        """Return a snapshot of the car, after checking what holds at any moment."""
        records = (await self._client.get("/api/1/vehicles")).response
        listed = next(record for record in records if record["id"] == self._car.id)
        now = Snapshot(self._clock.now(), await self._client.admin_data(), listed)
        for check in AT_ANY_MOMENT:
            check(now)
        return now

    async def do(self, action: Action) -> None:
        """Do an action. It may be refused."""
        match action:
            case Control(name, arguments):
                try:
                    getattr(self._car, name)(**arguments)
                except ControlError:
                    return
            case Command(name, query):
                reply = await self._client.command(name, **query)
                if not _is_refused(reply):
                    assert differences(reply.response, documented("endpoints")["command_result"]) == []
                    assert reply.response["result"] is not bool(reply.response["reason"])
            case Read(path):
                reply = await self._client.get(f"{self._client.vehicle_path}/{path}")
                if not _is_refused(reply):
                    assert differences(reply.response, *READS[path]) == []

    async def check_unreachable(self, now: Snapshot) -> None:
        """Send requests to a car that is not online. They are refused and change nothing."""
        known = 405 if now.data["in_service"] else 408
        replies = [
            await self._client.get(f"{self._client.vehicle_path}/vehicle_data"),
            await self._client.get(f"{self._client.vehicle_path}/data_request/charge_state"),
            await self._client.command("door_unlock"),
        ]
        # Without mobile access, the response says so.
        assert {reply.status for reply in replies} in ({known}, {401})
        assert all(_is_refused(reply) for reply in replies)
        assert await self._client.admin_data() == now.data


def _is_refused(reply: Reply) -> bool:
    """Return whether a response is an error. Check that the error is allowed and has the envelope."""
    if reply.status == 200 and reply.response is not None:
        return False
    assert reply.status in {200, *REFUSALS}
    assert set(reply.body) == {"response", "error", "error_description"}
    assert reply.response is None
    assert reply.body["error"]
    return True


def test_every_control_is_used() -> None:
    """The random weeks use every control."""
    assert ARGUMENTS.keys() == CONTROLS


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(model=st.integers(0, MODELS - 1), steps=STEPS)
async def test_weeks(model: int, steps: list[tuple[Action, float]]) -> None:
    """After any actions in any order, all that a car reports is possible and follows from its past."""
    # The event loop's debug mode makes a request several times as slow.
    asyncio.get_running_loop().set_debug(False)
    clock = ManualClock()
    simulator = Simulator(vehicles=model + 1, token=TOKEN, clock=clock, extend=add_admin)
    await simulator.start()
    try:
        async with ClientSession() as session:
            scenario = Scenario(Client(session, simulator), simulator.vehicles[model], clock)
            await run_steps(scenario, clock, steps)
    finally:
        await simulator.stop()


async def run_steps(scenario: Scenario, clock: ManualClock, steps: list[tuple[Action, float]]) -> None:
    """Do one action after the other, and check each snapshot against the one before."""
    before = await scenario.take_snapshot()
    for action, pause in steps:
        await scenario.do(action)
        done = await scenario.take_snapshot()
        for check in AFTER_AN_ACTION:
            check(before, done)
        if not (isinstance(action, Control) and action.name == "set_level"):
            level_stays(before, done)
        clock.advance(pause)
        before = await scenario.take_snapshot()
        if not scenario.has_routine:
            for check in WHILE_TIME_PASSES:
                check(done, before)
        if before.data["state"] != "online":
            await scenario.check_unreachable(before)
