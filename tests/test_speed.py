"""Tests the speed benchmark: a small run, and the parts that it is made of."""

import asyncio
from datetime import timedelta
from typing import Any, Final

from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.records import DriveState, Vehicle

from .benchmarks.common.process import run_benchmark
from .benchmarks.speed import loop_lag
from .benchmarks.speed.results import (
    CHARGE_LIMIT,
    INTEGRATION,
    LOCK,
    REFRESH_KINDS,
    REQUESTS_ONLY,
    TESSIE,
    TESSIE_REQUESTS_ONLY,
    Refresh,
    RefreshEffects,
)
from .benchmarks.speed.time_shift import shifted_time
from .benchmarks.speed.timing import Duration, median_duration, median_ratio
from .benchmarks.speed.vehicle_record import ALL_FIELDS, driving_record, with_changes, with_timestamps

_CARS: Final = 2
_SMALL: Final = {"vehicles": 2, "rounds": 1, "refreshes": 4, "commands": 2, "processes": 1, "imports": 0}
_NO_EFFECTS: Final = RefreshEffects([], {}, {})

type Figures = dict[str, Any]


@pytest.fixture(scope="module")
def figures() -> Figures:
    """Return the figures of a small run. They depend on the load of the machine."""
    result, _ = run_benchmark("speed", *(f"--{name}={value}" for name, value in _SMALL.items()))
    return result


def refresh(figures: Figures, kind: str) -> Figures:
    """Return the figures of a kind of refresh."""
    (row,) = (row for row in figures["refreshes"] if row["kind"] == kind)
    assert isinstance(row, dict)
    return row


def changed_paths(record: Figures, other: Figures) -> set[str]:
    """Return the paths of the fields whose values differ in two records."""
    return {field.path for field in Vehicle.parse(other).changed_since(Vehicle.parse(record))}


@pytest.mark.parametrize("kind", REFRESH_KINDS)
def test_refresh_sends_one_request_per_car(figures: Figures, kind: str) -> None:
    """A refresh sends one request for each car and no other request."""
    assert refresh(figures, kind)["requests"] == _CARS


@pytest.mark.parametrize("kind", REFRESH_KINDS)
def test_all_subjects_are_measured_equally_often(figures: Figures, kind: str) -> None:
    """The integration, the baseline, tessie and the requests alone have the same number of durations."""
    row = refresh(figures, kind)
    assert row["pairs"] == 3
    assert len(row["microseconds"]) == 5
    assert all(duration["wall"] > 0 for duration in row["microseconds"].values())


def test_unchanged_states_are_not_written(figures: Figures) -> None:
    """A refresh with only new timestamps writes only the states that describe the polling."""
    assert set(refresh(figures, "unchanged")["changed"]) == {
        "sensor charge_state.timestamp",
        "sensor drive_state.gps_as_of",
        "sensor next_read",
        "sensor requests_today",
    }


@pytest.mark.parametrize("fields", [1, 30])
def test_changed_field_is_written_once(figures: Figures, fields: int) -> None:
    """For each car, the entity of each changed field is written once."""
    record = driving_record()
    paths = changed_paths(record, with_changes(record, fields))
    kind = next(kind for kind, count in REFRESH_KINDS.items() if count == fields)
    changed = refresh(figures, kind)["changed"]
    written = {path.partition(" ")[2]: times for path, times in changed.items()}
    assert len(paths) == fields
    assert {path: written.get(path) for path in paths} == dict.fromkeys(paths, _CARS)


def test_null_integration_has_the_same_number_of_entities(figures: Figures) -> None:
    """The null integration has as many entities as the integration."""
    (startup,) = figures["startups"]
    assert startup["null integration"][0]["entities"] == startup["integration"][0]["entities"]
    assert (
        startup["null integration"][0]["entities"] == refresh(figures, "unchanged")["entities"]["integration"]
    )


def test_warm_startup_sends_at_most_one_request(figures: Figures) -> None:
    """With stored data, an account sends at most one request before its entities are added."""
    (startup,) = figures["startups"]
    assert startup["integration"][0]["warm_requests"] <= 1


@pytest.mark.parametrize("command", [LOCK, CHARGE_LIMIT])
def test_command_has_a_baseline(figures: Figures, command: str) -> None:
    """A command to one car is measured together with its own baseline."""
    (row,) = (row for row in figures["commands"] if row["kind"] == command)
    assert row["pairs"] == 2
    assert set(row["microseconds"]) == {"integration", "baseline"}


def test_fleet_events_take_effect(figures: Figures) -> None:
    """The entities of the cars are unavailable while the service fails, and available when it recovers."""
    unavailable = {row["event"]: row["unavailable"] for row in figures["loop_lag"]}
    entities = refresh(figures, "unchanged")["entities"]["integration"]
    assert unavailable["unchanged"] == unavailable["service recovers"] == 0
    assert entities - 5 < unavailable["service fails"] < entities


def test_missed_goals_are_listed(figures: Figures) -> None:
    """Each goal that is not met is in the list of missed goals."""
    assert figures["goals"]
    assert len(figures["missed"]) == sum(not goal["is_met"] for goal in figures["goals"])


def test_ratio_is_calculated_by_pairs() -> None:
    """If both durations of a pair are longer, their ratio is the same."""
    integration = [Duration(2, 20), Duration(3, 30), Duration(200, 40)]
    baseline = [Duration(1, 5), Duration(1, 10), Duration(100, 8)]
    assert median_ratio(integration, baseline) == Duration(2, 4)
    assert median_duration(integration) == Duration(3, 30)


def test_growth_is_per_car() -> None:
    """If ten times as many cars take twenty times as long, the growth is two."""
    few, many = ([{INTEGRATION: [Duration(wall, wall)]}] for wall in (10, 200))
    fewer = Refresh("unchanged", 10, {}, _NO_EFFECTS, rounds=few)
    assert Refresh("unchanged", 100, {}, _NO_EFFECTS, rounds=many).growth(fewer, INTEGRATION) == 2


def test_tessie_ratio_excludes_the_requests() -> None:
    """The ratio compares the times without each integration's own requests, round by round."""
    walls = {
        INTEGRATION: [5, 60, 7],
        REQUESTS_ONLY: [1, 1, 90],
        TESSIE: [15, 16, 90],
        TESSIE_REQUESTS_ONLY: [2, 4, 9],
    }
    durations = {subject: [Duration(wall, wall) for wall in row] for subject, row in walls.items()}
    row = Refresh("unchanged", 1, {INTEGRATION: 30, TESSIE: 10}, _NO_EFFECTS, rounds=[durations])
    assert row.tessie_ratio == Duration(0.5, 0.5)
    assert row.tessie_ratio_per_entity == Duration(0.5 / 3, 0.5 / 3)


@pytest.mark.parametrize("fields", [0, 1, 30])
def test_requested_number_of_fields_changes(fields: int) -> None:
    """A changed record differs in the requested number of fields, and all changed values are valid."""
    record = driving_record()
    assert len(changed_paths(record, with_changes(record, fields))) == fields


def test_all_fields_can_change() -> None:
    """Every number and flag that has its own entity can change."""
    record = driving_record()
    assert len(changed_paths(record, with_changes(record, ALL_FIELDS))) > 60


def test_only_timestamps_change_over_time() -> None:
    """The same record at a later time differs only in its timestamps."""
    record = driving_record()
    paths = changed_paths(with_timestamps(record, 1_790_000_000), with_timestamps(record, 1_790_000_060))
    assert {path.rpartition(".")[2] for path in paths} == {"timestamp", DriveState.gps_as_of.name}


def test_clocks_are_shifted_inside_the_context() -> None:
    """The clocks are ahead inside the context, and right after it."""
    before = dt_util.utcnow()
    with shifted_time() as clock:
        clock.advance(3600)
        assert dt_util.utcnow() - before >= timedelta(hours=1)
        assert dt_util.now() - before >= timedelta(hours=1)
    assert dt_util.utcnow() - before < timedelta(hours=1)


def test_longest_iteration_and_callback_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of an iteration is the sum of its callbacks. The longest callback is named."""
    now = 0.0
    monkeypatch.setattr(loop_lag, "perf_counter", lambda: now)
    lag = loop_lag.LoopLag()

    def work(seconds: float) -> None:
        nonlocal now
        now += seconds

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with loop_lag.track_loop_lag(loop, lag):
            await asyncio.sleep(0)
            for seconds in (0.002, 0.004, 0.001):
                loop.call_soon(work, seconds)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    asyncio.run(main())
    assert lag.iteration == pytest.approx(7)
    assert lag.callback == pytest.approx(4)
    assert "work" in lag.callback_name
