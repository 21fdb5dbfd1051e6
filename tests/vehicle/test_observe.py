"""What a live read shows for the log, and which of its records are older than the known state."""

from datetime import UTC, datetime, timedelta
from itertools import chain
import time
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.vehicle.stale_records import RecordTimes

from ..conftest import BATTERY, HOUR, MINUTE, MOVING, Home
from .nights import plan_reason, plug_in, prepare

ENERGY: Final = "charge_state.charge_energy_added"
MILES: Final = "charge_state.charge_miles_added_rated"
NOON: Final = datetime(2026, 5, 4, 12, tzinfo=UTC)
PRESENT: Final = ("binary_sensor", "vehicle_state.is_user_present")


async def _read(home: Home, **records: Any) -> None:
    """Read the car after half a minute, with these records instead of its own."""
    await home.advance(30)
    for name, record in records.items():
        home.simulator.faults.corrupt(name, record)
    await home.poll()
    home.simulator.faults.clear()


async def test_drive_does_not_end_because_only_other_records_are_new(home: Home) -> None:
    """The drive's record comes from a cache, while the others are read from the car."""
    await home.disable_polling()
    home.start_drive(4)
    await _read(home)
    old = home.coordinator.known.merged.raw["drive_state"]
    for _ in range(8):
        await _read(home, drive_state=old)
        drive = home.coordinator.log.drive_tracker.open
        assert drive is not None
        assert drive.stopped_at is None
        assert home.shown(*MOVING).state == "on"
    await home.advance(60)
    await _read(home)
    drive = home.coordinator.log.drive_tracker.open
    assert drive is not None
    assert drive.stopped_at is not None


async def test_each_drive_of_a_shared_car_whose_gear_is_unknown_is_one_drive(empty_home: Home) -> None:
    """The account of its driver may not read the record that has the gear and the position."""
    home = empty_home
    home.simulator.faults.remove("drive_state")
    await home.set_up()
    home.car.unplug()
    for miles in (10, 40, 5):
        await home.advance(20 * MINUTE, step=20)
        seconds = home.car.drive(miles)
        started_at = time.time()
        await home.advance(seconds + 20 * MINUTE, step=20)
        drive = home.coordinator.log.drives[-1]
        assert drive.distance == pytest.approx(miles)
        assert (drive.start, drive.end) == pytest.approx((started_at, started_at + seconds), abs=5 * MINUTE)
    assert len(home.coordinator.log.drives) == 3


async def test_plan_says_that_the_position_of_a_shared_car_is_unknown(empty_home: Home) -> None:
    home = empty_home
    home.simulator.faults.remove("drive_state")
    await home.set_up()
    await prepare(home)
    await plug_in(home)
    assert plan_reason(home) == "position_unknown"


@pytest.mark.parametrize("state", ["Charging", "Complete"])
async def test_charger_that_only_heats_the_car_counts_at_home(home: Home, state: str) -> None:
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    home.car.charging.stop()
    await home.poll()
    values = {"charger_power": 5, "charger_actual_current": 22, "charger_voltage": 230, "charger_phases": 1}
    for name, value in {**values, "charging_state": state}.items():
        home.simulator.faults.corrupt(f"charge_state.{name}", value)
    home.simulator.faults.corrupt("climate_state.is_climate_on", True)
    await home.advance(HOUR, step=30)
    await home.poll()
    home.simulator.faults.clear()
    await home.advance(30 * MINUTE, step=30)
    shown = home.shown("sensor", "log.energy_charged_home").state
    assert float(shown) == pytest.approx(5.06, abs=0.1)
    assert not home.coordinator.log.charges


async def test_old_current_of_a_car_that_does_not_charge_is_no_energy(home: Home) -> None:
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    home.car.charging.stop()
    for name, value in {"charger_power": 0, "charger_actual_current": 22, "charger_voltage": 230}.items():
        home.simulator.faults.corrupt(f"charge_state.{name}", value)
    home.simulator.faults.corrupt("climate_state.is_climate_on", True)
    await home.advance(HOUR, step=30)
    assert home.shown("sensor", "log.energy_charged_home").state == "0.0"


@pytest.mark.parametrize("is_cached", [True, False], ids=["again from a cache", "again"])
async def test_fallen_energy_counter_is_not_confirmed_by_a_repetition(home: Home, *, is_cached: bool) -> None:
    await home.disable_polling()
    home.simulator.faults.corrupt(ENERGY, 20)
    home.simulator.faults.corrupt(MILES, 60)
    await home.poll()
    before = home.coordinator.log_manager.log.meter.lifetime
    await home.advance(30)
    home.simulator.faults.corrupt(ENERGY, 1)
    home.simulator.faults.corrupt(MILES, 3)
    await home.poll()
    wrong = home.coordinator.known.merged.raw["charge_state"]
    await _read(home, **({"charge_state": wrong} if is_cached else {ENERGY: 1, MILES: 3}))
    assert home.coordinator.log_manager.log.meter.lifetime == before + (0 if is_cached else 1)


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
