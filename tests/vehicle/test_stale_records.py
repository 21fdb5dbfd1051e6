"""Stale records: answers that are older than the known state."""

from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.vehicle.stale_records import RecordTimes

from ..conftest import BATTERY, Home

NOON: Final = datetime(2026, 5, 4, 12, tzinfo=UTC)
ENERGY: Final = "charge_state.charge_energy_added"
PRESENT: Final = ("binary_sensor", "vehicle_state.is_user_present")

type Seconds = float | None


def reported(seconds: Seconds) -> Vehicle:
    """Return a car whose charge record has a time of so many seconds after noon."""
    moment = None if seconds is None else 1000 * (NOON.timestamp() + seconds)
    return Vehicle.parse({"charge_state": {"timestamp": moment}, "drive_state": {"timestamp": 1}})


def answers_after(
    seconds: list[Seconds],
    known_at: Seconds = None,
    now: float = 600,
    interval: float = 10,
    repeated: tuple[str, ...] = ("charge_state",),
) -> list[str]:
    """Return whether each of the answers is stale, fresh, or from a cache."""
    times, known, results = RecordTimes(), reported(known_at), []
    for index, second in enumerate(seconds):
        moment = NOON + timedelta(seconds=now)
        times, stale = times.after(reported(second), known, repeated, moment, index * interval)
        assert stale <= {"charge_state"}
        known = known if stale else reported(second)
        results.append("stale" if stale else "fresh" if "charge_state" in times.fresh else "cached")
    return results


@pytest.mark.parametrize(
    ("seconds", "how", "expected"),
    [
        pytest.param([0, 60, 120], {}, "fresh fresh fresh", id="in order"),
        pytest.param([60, 60], {}, "fresh cached", id="same time"),
        pytest.param([60, 0, 120], {}, "fresh stale fresh", id="stale once"),
        pytest.param([60, 60], {"repeated": ()}, "fresh fresh", id="same time, other values"),
        pytest.param([60, None], {}, "fresh cached", id="no time"),
        pytest.param([None, None], {}, "fresh fresh", id="never a time"),
        pytest.param([60, None, 0, 120], {}, "fresh cached cached fresh", id="a time again"),
        pytest.param([60, *[0.0] * 6], {}, "fresh" + " stale" * 6, id="same stale record from a cache"),
        pytest.param([60, 60, 60], {"interval": 3}, "fresh fresh cached", id="reads within seconds"),
        pytest.param([0, 60, 120], {"known_at": 60}, "stale cached fresh", id="the restored one and older"),
        pytest.param(
            [*chain(*zip(range(600, 1200, 60), range(0, 600, 60), strict=True))],
            {"now": 1200},
            "fresh stale " * 10,
            id="one of two caches lags behind",
        ),
        pytest.param(
            [3600, 0, 60, 120, 180, 240],
            {"now": 7200},
            "fresh stale stale stale fresh fresh",
            id="the car's clock was set back: accepted once records increase steadily",
        ),
        pytest.param([3600, 60], {"now": 60}, "fresh fresh", id="in the future: hides no later record"),
        pytest.param([3600, 3500], {"now": 3500}, "fresh stale", id="slightly in the future"),
    ],
)
def test_older_record_is_stale(seconds: list[Seconds], how: dict[str, Any], expected: str) -> None:
    assert answers_after(seconds, **how) == expected.split()


@pytest.mark.parametrize(
    ("answers", "ages"),
    [
        pytest.param([(0, 0), (100, 100)], [0, 0], id="read when they are asked for"),
        pytest.param([(0, 0), (100, 70)], [0, 30], id="cached for a while"),
        pytest.param([(0, 0), (100, 97)], [0, 0], id="on the way for seconds"),
        pytest.param([(0, -40), (100, 100), (200, 150)], [0, 0, 50], id="the first one was cached"),
        pytest.param([(0, 400), (100, 100.5)], [0, 0], id="the car's clock was set back"),
        pytest.param([(0, 200), (4000, 4000), (4100, 4070)], [0, 0, 30], id="set back while it slept"),
        pytest.param([(0, 900), (1000, 1000)], [0, 0], id="one time in the future"),
    ],
)
def test_age_of_an_answer_is_by_the_cars_clock(answers: list[tuple[float, float]], ages: list[float]) -> None:
    """`answers`: when each arrived, and the time of its record, in seconds after noon."""
    times, known, found = RecordTimes(), reported(None), []
    for received_at, second in answers:
        moment = NOON + timedelta(seconds=received_at)
        times, _ = times.after(reported(second), known, (), moment, received_at)
        known = reported(second)
        found.append(times.age)
    assert found == pytest.approx(ages)


async def _poll_charge_state(home: Home) -> dict[str, Any]:
    await home.poll()
    return dict(home.coordinator.known.merged.raw["charge_state"])


async def test_stale_record_changes_no_value_and_counts_no_energy(home: Home) -> None:
    home.simulator.faults.corrupt(ENERGY, 1)
    old = await _poll_charge_state(home)
    await home.advance(10)
    home.car.set_level(80)
    home.car.enter()
    home.simulator.faults.corrupt(ENERGY, 6)
    await home.poll()
    lifetime = home.shown("sensor", f"{ENERGY}.lifetime").state
    assert home.shown(*BATTERY).state == "80"
    home.car.leave()
    home.simulator.faults.corrupt("charge_state", old)
    for _ in range(2):
        assert (await _poll_charge_state(home))["battery_level"] == 80
    assert home.shown(*BATTERY).state == "80"
    assert home.shown(*PRESENT).state == "off"
    assert home.shown("sensor", f"{ENERGY}.lifetime").state == lifetime
    home.simulator.faults.clear()
    home.car.set_level(81)
    await home.advance(10)
    await home.poll()
    assert home.shown(*BATTERY).state == "81"
