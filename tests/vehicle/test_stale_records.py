"""Answers that come late: what is known is newer."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.vehicle.stale_records import Freshness

from ..conftest import Home

NOON: Final = datetime(2026, 5, 4, 12, tzinfo=UTC)
LEVEL: Final = ("sensor", "charge_state.battery_level")
LIMIT: Final = ("number", "charge_state.charge_limit_soc")
PRESENT: Final = ("binary_sensor", "vehicle_state.is_user_present")


def told(seconds: float | None) -> Vehicle:
    """Return a car whose charge was told so many seconds after noon."""
    moment = None if seconds is None else 1000 * (NOON.timestamp() + seconds)
    return Vehicle.parse({"charge_state": {"timestamp": moment}, "drive_state": {"timestamp": 1}})


def late(seconds: list[float | None], now: float = 600) -> list[bool]:
    """Return which of the answers were taken for late, each in its turn."""
    freshness, known = Freshness(), told(None)
    found = []
    for each in seconds:
        names = list(freshness.late(told(each), known, NOON + timedelta(seconds=now)))
        assert names in ([], ["charge_state"])
        found.append(bool(names))
        known = known if names else told(each)
    return found


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([0, 60, 120], [False, False, False]),
        ([60, 60], [False, False]),
        ([60, 0], [False, True]),
        ([60, 0, 120], [False, True, False]),
        ([None, 60, None, 30], [False, False, False, False]),
        ([60, None], [False, False]),
    ],
    ids=["in order", "the same", "late", "late once", "no time at first", "no time"],
)
def test_order(seconds: list[float | None], expected: list[bool]) -> None:
    """A record is late if its time lies before that of the known one; without a time it cannot be."""
    assert late(seconds) == expected


def test_memory_that_stands_still() -> None:
    """A memory that gives the same old record for ever is never believed."""
    assert late([60, *[0.0] * 20]) == [False, *[True] * 20]


def test_two_memories_in_turn() -> None:
    """Two memories of which one lags behind: its records are late, however long that goes on."""
    newer, older = range(600, 1200, 60), range(0, 600, 60)
    both = [each for pair in zip(newer, older, strict=True) for each in pair]
    assert late([float(each) for each in both], now=1200) == [False, True] * 10


def test_clock_set_back() -> None:
    """A car whose clock was set back is believed as soon as its records go on steadily."""
    assert late([3600, 0, 60, 120, 180, 240], now=7200) == [False, True, True, True, False, False]


def test_clock_that_ran_ahead() -> None:
    """A time that lies in the future hides nothing that comes after it."""
    assert late([3600, 60], now=60) == [False, False]
    assert late([3600, 3500], now=3500) == [False, True]


async def _answer_of(home: Home) -> dict[str, Any]:
    await home.poll()
    return home.coordinator.raw


async def test_late_record_is_not_shown(home: Home) -> None:
    """Of an answer in which one record is old, that one is left out, and the rest is shown."""
    old = dict((await _answer_of(home))["charge_state"])
    await home.advance(10)
    home.car.set_level(80)
    home.car.enter()
    await home.poll()
    assert home.shown(*LEVEL).state == "80"
    home.car.leave()
    home.simulator.faults.corrupt("charge_state", old)
    await home.poll()
    assert home.shown(*LEVEL).state == "80"
    assert home.shown(*PRESENT).state == "off"
    assert home.coordinator.raw["charge_state"]["battery_level"] == 80
    home.simulator.faults.clear()
    home.car.set_level(81)
    await home.advance(10)
    await home.poll()
    assert home.shown(*LEVEL).state == "81"


async def test_late_record_undoes_no_command(home: Home) -> None:
    """What a command has just brought about is not undone by an answer from before it."""
    await home.advance(10)
    old = dict((await _answer_of(home))["charge_state"])
    await home.advance(10)
    await home.poll()
    home.simulator.faults.corrupt("charge_state", old)
    await home.call(LIMIT[0], "set_value", LIMIT[1], value=60)
    assert home.shown(*LIMIT).state == "60"
    await home.advance(20)
    assert home.shown(*LIMIT).state == "60"


async def test_nothing_is_counted_twice(home: Home) -> None:
    """A late record of the charge counts nothing."""
    lifetime = ("sensor", "charge_state.charge_energy_added.lifetime")
    home.simulator.faults.corrupt("charge_state.charge_energy_added", 1)
    old = dict((await _answer_of(home))["charge_state"])
    for added in (5, 6):
        home.simulator.faults.corrupt("charge_state.charge_energy_added", added)
        await home.advance(10)
        await home.poll()
    before = home.shown(*lifetime).state
    home.simulator.faults.corrupt("charge_state", old)
    await home.poll()
    await home.poll()
    assert home.shown(*lifetime).state == before
