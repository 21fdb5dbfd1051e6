"""Weeks in the life of any car, with whatever may be done to it: what it reports can always be."""

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
    Simulator,
    Vehicle,
)
from simulator_console.admin import add_admin

from .conftest import TOKEN, Client, Reply
from .documented import ENDPOINTS, FIELDS, Json, Variant, departures, documented, full_record
from .invariants import AT_ANY_MOMENT, WHEN_SOMETHING_IS_DONE, WHILE_TIME_PASSES, Look, level_stays

type Arguments = Mapping[str, Any]

COMMANDS: Final = sorted(each["path"].rpartition("/")[2] for each in ENDPOINTS if "/command/" in each["path"])
REFUSALS: Final = {400, 401, 405, 408}
"""With what the service may refuse; a car in gear, without a cable and so on refuses in words, with 200."""
MODELS: Final = 5


@dataclass(frozen=True)
class Command:
    """A command to the car, its parameters in the query."""

    name: str
    query: Arguments = field(default_factory=dict)


@dataclass(frozen=True)
class Control:
    """Something that a person does beside the car."""

    name: str
    arguments: Arguments = field(default_factory=dict)


@dataclass(frozen=True)
class Read:
    """A read of the car itself."""

    path: str


type Deed = Command | Control | Read

READS: Final[dict[str, tuple[Json, Variant]]] = {
    "data": (full_record("legacy"), "legacy"),
    "vehicle_data": (full_record("current"), "current"),
    "data_request/charge_state": (FIELDS["charge_state"], "current"),
    "data_request/drive_state": (FIELDS["drive_state"], "current"),
}


def _texts(*likely: str) -> st.SearchStrategy[str]:
    usual = st.sampled_from(likely)
    nonsense = st.sampled_from(["", "nan", "-inf", "1e999", "-1", "true", "9" * 40, "x", "50 %", "٣"])
    unheard_of = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    return st.sampled_from([usual, usual, usual, nonsense, unheard_of]).flatmap(lambda texts: texts)


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
# What brings a car furthest comes most often: else most deeds would meet a car that sleeps or stands.
LIKELY: Final[st.SearchStrategy[Deed]] = st.sampled_from(
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
ANY_COMMAND: Final[st.SearchStrategy[Deed]] = st.sampled_from(COMMANDS).flatmap(
    lambda name: st.builds(Command, st.just(name), QUERIES.get(name, NOTHING))
)
ANY_CONTROL: Final[st.SearchStrategy[Deed]] = st.sampled_from(sorted(ARGUMENTS)).flatmap(
    lambda name: st.builds(Control, st.just(name), ARGUMENTS[name])
)
ANY_READ: Final[st.SearchStrategy[Deed]] = st.builds(Read, st.sampled_from(sorted(READS)))
DEEDS: Final = st.sampled_from([LIKELY, LIKELY, LIKELY, ANY_COMMAND, ANY_CONTROL, ANY_READ]).flatmap(
    lambda deeds: deeds
)
PAUSES: Final = (
    st.sampled_from([0, 1, 4, 5, 12, 60, 119, 600, 661]) | st.integers(1, 7200) | st.integers(1, 259_200)
)
STEPS: Final = st.lists(st.tuples(DEEDS, PAUSES), min_size=20, max_size=60)


class Life:
    """A car, somebody with a token, and somebody beside it."""

    def __init__(self, client: Client, car: Vehicle, clock: ManualClock) -> None:
        """Look after this car."""
        self._client = client
        self._car = car
        self._clock = clock
        client.look_after(car)

    @property
    def has_routine(self) -> bool:
        """Whether an owner drives the car day by day, so that things happen while time passes."""
        return self._car.follows_routine

    async def look(self) -> Look:
        """Return what is seen of the car, after a look whether it can be."""
        records = (await self._client.get("/api/1/vehicles")).response
        listed = next(each for each in records if each["id"] == self._car.id)
        now = Look(self._clock.now(), await self._client.seen(), listed)
        for holds in AT_ANY_MOMENT:
            holds(now)
        return now

    async def do(self, deed: Deed) -> None:
        """Do something, or be refused."""
        match deed:
            case Control(name, arguments):
                try:
                    getattr(self._car, name)(**arguments)
                except ControlError:
                    return
            case Command(name, query):
                reply = await self._client.command(name, **query)
                if not _is_refused(reply):
                    assert departures(reply.response, documented("endpoints")["command_result"]) == []
                    assert reply.response["result"] is not bool(reply.response["reason"])
            case Read(path):
                reply = await self._client.get(f"{self._client.car}/{path}")
                if not _is_refused(reply):
                    assert departures(reply.response, *READS[path]) == []

    async def cannot_be_reached(self, now: Look) -> None:
        """Ask a car that is not online for something; it answers nothing and does nothing."""
        known = 405 if now.data["in_service"] else 408
        replies = [
            await self._client.get(f"{self._client.car}/vehicle_data"),
            await self._client.get(f"{self._client.car}/data_request/charge_state"),
            await self._client.command("door_unlock"),
        ]
        # Without mobile access it is that which is told.
        assert {reply.status for reply in replies} in ({known}, {401})
        assert all(_is_refused(reply) for reply in replies)
        assert await self._client.seen() == now.data


def _is_refused(reply: Reply) -> bool:
    """Return whether an answer is an error, which has to be one that may be, in the envelope."""
    if reply.status == 200 and reply.response is not None:
        return False
    assert reply.status in {200, *REFUSALS}
    assert set(reply.body) == {"response", "error", "error_description"}
    assert reply.response is None
    assert reply.body["error"]
    return True


def test_every_control_is_used() -> None:
    """The weeks know every control that there is."""
    assert ARGUMENTS.keys() == CONTROLS


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(model=st.integers(0, MODELS - 1), steps=STEPS)
async def test_weeks(model: int, steps: list[tuple[Deed, float]]) -> None:
    """Whatever is done to a car in whatever order, all that it says can be, and follows from what was."""
    # The event loop's debug mode makes a request several times as slow.
    asyncio.get_running_loop().set_debug(False)
    clock = ManualClock()
    simulator = Simulator(vehicles=model + 1, token=TOKEN, clock=clock, extend=add_admin)
    await simulator.start()
    try:
        async with ClientSession() as session:
            life = Life(Client(session, simulator), simulator.vehicles[model], clock)
            await live(life, clock, steps)
    finally:
        await simulator.stop()


async def live(life: Life, clock: ManualClock, steps: list[tuple[Deed, float]]) -> None:
    """Do one thing after the other, and hold what is seen against what was."""
    before = await life.look()
    for deed, pause in steps:
        await life.do(deed)
        done = await life.look()
        for holds in WHEN_SOMETHING_IS_DONE:
            holds(before, done)
        if not (isinstance(deed, Control) and deed.name == "set_level"):
            level_stays(before, done)
        clock.advance(pause)
        before = await life.look()
        if not life.has_routine:
            for holds in WHILE_TIME_PASSES:
                holds(done, before)
        if before.data["state"] != "online":
            await life.cannot_be_reached(before)
