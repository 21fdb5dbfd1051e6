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

type Seconds = float | None


def reported(seconds: Seconds) -> Vehicle:
    """Return a car whose charge record has a time of so many seconds after noon."""
    moment = None if seconds is None else 1000 * (NOON.timestamp() + seconds)
    return Vehicle.parse({"charge_state": {"timestamp": moment}, "drive_state": {"timestamp": 1}})


def answers_after(
    seconds: list[Seconds], known_at: Seconds = None, now: float = 600, interval: float = 10
) -> list[str]:
    """Return whether each of the answers is stale, fresh, or from a cache."""
    times, known, results = RecordTimes(), reported(known_at), []
    for index, second in enumerate(seconds):
        moment = NOON + timedelta(seconds=now)
        times, stale = times.after(reported(second), known, moment, received_at=index * interval)
        assert stale <= {"charge_state"}
        known = known if stale else reported(second)
        results.append("stale" if stale else "fresh" if "charge_state" in times.fresh else "cached")
    return results


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([0, 60, 120], "fresh fresh fresh"),
        ([60, 60], "fresh cached"),
        ([60, 0, 120], "fresh stale fresh"),
        ([60, None], "fresh cached"),
        ([None, None], "fresh fresh"),
        ([60, None, 0, 120], "fresh cached cached fresh"),
        # A cache that repeats the same old record is never trusted.
        ([60, *[0.0] * 6], "fresh stale stale stale stale stale stale"),
    ],
    ids=["in order", "same time", "stale once", "no time", "never a time", "a time again", "repeated"],
)
def test_record_is_stale_if_it_is_older(seconds: list[Seconds], expected: str) -> None:
    """A record is stale if its time is before the known one, and fresh if it is newer than all records."""
    assert answers_after(seconds) == expected.split()


def test_repeated_record_is_fresh_for_seconds() -> None:
    """Two reads within a few seconds may get the same record from the car."""
    assert answers_after([60, 60, 60], interval=3) == ["fresh", "fresh", "cached"]


def test_record_that_is_older_than_the_restored_one_is_stale() -> None:
    """After a restart, the first record is stale if it is older than the stored one."""
    assert answers_after([0, 60, 120], known_at=60) == ["stale", "fresh", "fresh"]


def test_records_of_a_lagging_cache_stay_stale() -> None:
    """If one of two caches lags behind, its records stay stale."""
    newer, older = range(600, 1200, 60), range(0, 600, 60)
    alternating = [float(second) for pair in zip(newer, older, strict=True) for second in pair]
    assert answers_after([*alternating], now=1200) == ["fresh", "stale"] * 10


def test_clock_set_back_is_accepted_after_steady_records() -> None:
    """If the car's clock was set back, its records are accepted once they increase steadily."""
    expected = ["fresh", "stale", "stale", "stale", "fresh", "fresh"]
    assert answers_after([3600, 0, 60, 120, 180, 240], now=7200) == expected


def test_record_from_the_future_does_not_hide_later_ones() -> None:
    """A record with a time in the future does not make later records stale."""
    assert answers_after([3600, 60], now=60) == ["fresh", "fresh"]
    assert answers_after([3600, 3500], now=3500) == ["fresh", "stale"]


async def _poll_charge_state(home: Home) -> dict[str, Any]:
    await home.poll()
    return dict(home.coordinator.raw["charge_state"])


async def test_stale_record_is_not_shown(home: Home) -> None:
    """A stale record is ignored, and the rest of the same answer is shown."""
    old = await _poll_charge_state(home)
    await home.advance(10)
    home.car.set_level(80)
    home.car.enter()
    await home.poll()
    assert home.shown(*LEVEL).state == "80"
    home.car.leave()
    home.simulator.faults.corrupt("charge_state", old)
    assert (await _poll_charge_state(home))["battery_level"] == 80
    assert home.shown(*LEVEL).state == "80"
    assert home.shown(*PRESENT).state == "off"
    home.simulator.faults.clear()
    home.car.set_level(81)
    await home.advance(10)
    await home.poll()
    assert home.shown(*LEVEL).state == "81"


async def test_stale_record_does_not_revert_a_command(home: Home) -> None:
    """An answer from before a command does not revert the command's effect."""
    await home.advance(10)
    old = await _poll_charge_state(home)
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
    old = await _poll_charge_state(home)
    for added in (5, 6):
        home.simulator.faults.corrupt("charge_state.charge_energy_added", added)
        await home.advance(10)
        await home.poll()
    before = home.shown(*lifetime).state
    home.simulator.faults.corrupt("charge_state", old)
    await home.poll()
    await home.poll()
    assert home.shown(*lifetime).state == before
