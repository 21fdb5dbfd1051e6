"""Stale records: answers that are older than the known state."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.vehicle.stale_records import RecordTimes

from ..conftest import Home

NOON: Final = datetime(2026, 5, 4, 12, tzinfo=UTC)
LEVEL: Final = ("sensor", "charge_state.battery_level")
LIMIT: Final = ("number", "charge_state.charge_limit_soc")
PRESENT: Final = ("binary_sensor", "vehicle_state.is_user_present")


def reported(seconds: float | None) -> Vehicle:
    """Return a car whose charge record has a time of so many seconds after noon."""
    moment = None if seconds is None else 1000 * (NOON.timestamp() + seconds)
    return Vehicle.parse({"charge_state": {"timestamp": moment}, "drive_state": {"timestamp": 1}})


def stale_answers(seconds: list[float | None], now: float = 600) -> list[bool]:
    """Return which of the answers are stale, in order."""
    times, known = RecordTimes(), reported(None)
    results = []
    for second in seconds:
        times, stale = times.after(reported(second), known, NOON + timedelta(seconds=now), received_at=0)
        names = list(stale)
        assert names in ([], ["charge_state"])
        results.append(bool(names))
        known = known if names else reported(second)
    return results


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
    ids=["in order", "same time", "stale", "stale once", "no time at first", "no time"],
)
def test_record_is_stale_if_it_is_older(seconds: list[float | None], expected: list[bool]) -> None:
    """A record is stale if its time is before that of the known record. A record without a time never is."""
    assert stale_answers(seconds) == expected


def test_repeated_old_record_stays_stale() -> None:
    """A cache that repeats the same old record is never trusted."""
    assert stale_answers([60, *[0.0] * 20]) == [False, *[True] * 20]


def test_records_of_a_lagging_cache_stay_stale() -> None:
    """If one of two caches lags behind, its records stay stale."""
    newer, older = range(600, 1200, 60), range(0, 600, 60)
    alternating = [second for pair in zip(newer, older, strict=True) for second in pair]
    assert stale_answers([float(second) for second in alternating], now=1200) == [False, True] * 10


def test_clock_set_back_is_accepted_after_steady_records() -> None:
    """If the car's clock was set back, its records are accepted once they increase steadily."""
    assert stale_answers([3600, 0, 60, 120, 180, 240], now=7200) == [False, True, True, True, False, False]


def test_record_from_the_future_does_not_hide_later_ones() -> None:
    """A record with a time in the future does not make later records stale."""
    assert stale_answers([3600, 60], now=60) == [False, False]
    assert stale_answers([3600, 3500], now=3500) == [False, True]


async def _poll_raw(home: Home) -> dict[str, Any]:
    await home.poll()
    return dict(home.coordinator.raw)


async def test_stale_record_is_not_shown(home: Home) -> None:
    """A stale record is ignored, and the rest of the same answer is shown."""
    old = dict((await _poll_raw(home))["charge_state"])
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


async def test_stale_record_does_not_revert_a_command(home: Home) -> None:
    """An answer from before a command does not revert the command's effect."""
    await home.advance(10)
    old = dict((await _poll_raw(home))["charge_state"])
    await home.advance(10)
    await home.poll()
    home.simulator.faults.corrupt("charge_state", old)
    await home.call(LIMIT[0], "set_value", LIMIT[1], value=60)
    assert home.shown(*LIMIT).state == "60"
    await home.advance(20)
    assert home.shown(*LIMIT).state == "60"


async def test_stale_record_counts_no_energy(home: Home) -> None:
    """A stale charge record adds no energy to the lifetime counter."""
    lifetime = ("sensor", "charge_state.charge_energy_added.lifetime")
    home.simulator.faults.corrupt("charge_state.charge_energy_added", 1)
    old = dict((await _poll_raw(home))["charge_state"])
    for added in (5, 6):
        home.simulator.faults.corrupt("charge_state.charge_energy_added", added)
        await home.advance(10)
        await home.poll()
    before = home.shown(*lifetime).state
    home.simulator.faults.corrupt("charge_state", old)
    await home.poll()
    await home.poll()
    assert home.shown(*lifetime).state == before
