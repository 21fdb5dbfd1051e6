"""How fast the integration is can be measured: the benchmark with few cars, and what it is made of."""

import asyncio
from datetime import timedelta
import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final

from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.records import DriveState, Vehicle

from .benchmarks import turns
from .benchmarks.driven import ALL, changed, driven, told_at
from .benchmarks.found import BARE, CHARGE_LIMIT, KINDS, LOCK, OURS, TESSIE, TESSIE_BARE, Facts, Refresh
from .benchmarks.moved import moved
from .benchmarks.pairs import Took, times, usual

_ROOT: Final = Path(__file__).parent.parent
_CARS: Final = 2
_SMALL: Final = {"vehicles": 2, "rounds": 1, "refreshes": 4, "commands": 2, "processes": 1, "imports": 0}

type Figures = dict[str, Any]


@pytest.fixture(scope="module")
def found() -> Figures:
    """Return the figures of a small measurement; how good they are depends on what else the machine does."""
    size = [f"--{name}={value}" for name, value in _SMALL.items()]
    command = [sys.executable, "-m", "tests.benchmarks.speed", "--json", *size]
    ended = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.stdout, ended.stderr
    figures: Figures = json.loads(ended.stdout)
    return figures


def refresh(found: Figures, kind: str) -> Figures:
    """Return what was found of a kind of refresh."""
    (row,) = (row for row in found["refreshes"] if row["kind"] == kind)
    assert isinstance(row, dict)
    return row


def differing(record: Figures, other: Figures) -> set[str]:
    """Return the paths of the fields that mean something else in another record."""
    return {field.path for field in Vehicle.parse(other).changed_since(Vehicle.parse(record))}


@pytest.mark.parametrize("kind", KINDS)
def test_a_car_is_asked_once_in_a_refresh(found: Figures, kind: str) -> None:
    """A refresh asks for each car once, and for nothing else."""
    assert refresh(found, kind)["requests"] == _CARS


@pytest.mark.parametrize("kind", KINDS)
def test_everybody_is_measured_in_turn(found: Figures, kind: str) -> None:
    """Ours, the floor, tessie and the bare reads are measured equally often, and each takes some time."""
    row = refresh(found, kind)
    assert row["pairs"] == 3
    assert len(row["microseconds"]) == 5
    assert all(took["wall"] > 0 for took in row["microseconds"].values())


def test_what_is_unchanged_is_not_written(found: Figures) -> None:
    """A refresh that brings nothing but new times writes only the states that tell of the reading itself."""
    assert set(refresh(found, "unchanged")["changed"]) == {
        "sensor charge_state.timestamp",
        "sensor drive_state.gps_as_of",
        "sensor next_read",
        "sensor requests_today",
    }


@pytest.mark.parametrize("fields", [1, 30])
def test_a_field_that_changed_is_written_once(found: Figures, fields: int) -> None:
    """Of each field that is another the entity is written once, of each car."""
    record = driven()
    paths = differing(record, changed(record, fields))
    kind = next(kind for kind, count in KINDS.items() if count == fields)
    written = {path.partition(" ")[2]: times for path, times in refresh(found, kind)["changed"].items()}
    assert len(paths) == fields
    assert {path: written.get(path) for path in paths} == dict.fromkeys(paths, _CARS)


def test_bare_entities_are_as_many(found: Figures) -> None:
    """Memory is compared with as many entities as ours."""
    (begun,) = found["beginnings"]
    assert begun["bare"][0]["entities"] == begun["ours"][0]["entities"]
    assert begun["bare"][0]["entities"] == refresh(found, "unchanged")["entities"]["ours"]


def test_entities_do_not_wait_for_the_service_again(found: Figures) -> None:
    """With all remembered, an account asks at most once before its entities are there."""
    (begun,) = found["beginnings"]
    assert begun["ours"][0]["asked_again"] <= 1


@pytest.mark.parametrize("command", [LOCK, CHARGE_LIMIT])
def test_a_command_is_measured_beside_its_floor(found: Figures, command: str) -> None:
    """A command to one car has a floor of its own."""
    (row,) = (row for row in found["commands"] if row["kind"] == command)
    assert row["pairs"] == 2
    assert set(row["microseconds"]) == {"ours", "floor"}


def test_what_holds_the_loop_really_happens(found: Figures) -> None:
    """While the service fails nothing of the cars is shown, and all of it when it is back."""
    unavailable = {row["what"]: row["unavailable"] for row in found["holdings"]}
    entities = refresh(found, "unchanged")["entities"]["ours"]
    assert unavailable["unchanged"] == unavailable["it is back"] == 0
    assert entities - 5 < unavailable["the service fails"] < entities


def test_what_is_missed_is_named(found: Figures) -> None:
    """Each goal that does not hold is among those missed."""
    assert found["goals"]
    assert len(found["missed"]) == sum(not goal["holds"] for goal in found["goals"])


def test_ratios_are_taken_pair_by_pair() -> None:
    """What slows both of a pair leaves their ratio as it is."""
    ours = [Took(2, 20), Took(3, 30), Took(200, 40)]
    floor = [Took(1, 5), Took(1, 10), Took(100, 8)]
    assert times(ours, floor) == Took(2, 4)
    assert usual(ours) == Took(3, 30)


def test_growth_is_that_of_one_car() -> None:
    """Ten times as many cars in twenty times the time are twice as slow, each of them."""
    few, many = ([{OURS: [Took(wall, wall)]}] for wall in (10, 200))
    facts = Facts([], {}, {})
    fewer = Refresh("unchanged", 10, {}, facts, rounds=few)
    assert Refresh("unchanged", 100, {}, facts, rounds=many).growth(fewer, OURS) == 2


def test_own_time_is_what_a_bare_read_does_not_take() -> None:
    """Of ours and of tessie's time is compared what each takes more than its own bare read, in a round."""
    figures = {OURS: [5, 60, 7], BARE: [1, 1, 90], TESSIE: [15, 16, 90], TESSIE_BARE: [2, 4, 9]}
    took = {who: [Took(each, each) for each in walls] for who, walls in figures.items()}
    row = Refresh("unchanged", 1, {OURS: 30, TESSIE: 10}, Facts([], {}, {}), rounds=[took])
    assert row.of_tessie == Took(0.5, 0.5)
    assert row.of_tessie_by_entity == Took(0.5 / 3, 0.5 / 3)


@pytest.mark.parametrize("fields", [0, 1, 30])
def test_so_many_fields_are_others(fields: int) -> None:
    """A changed record differs in as many fields as it is to, and says nothing that means nothing."""
    record = driven()
    assert len(differing(record, changed(record, fields))) == fields


def test_all_fields_are_others() -> None:
    """Every number and flag that an entity of its own shows can be another."""
    record = driven()
    assert len(differing(record, changed(record, ALL))) > 60


def test_told_later_only_times_are_others() -> None:
    """The same said later differs in its times alone."""
    record = driven()
    paths = differing(told_at(record, 1_790_000_000), told_at(record, 1_790_000_060))
    assert {path.rpartition(".")[2] for path in paths} == {"timestamp", DriveState.gps_as_of.name}


def test_clocks_move_while_they_are_to() -> None:
    """A moved clock is ahead by as much, and right again afterwards."""
    before = dt_util.utcnow()
    with moved() as clock:
        clock.move(3600)
        assert dt_util.utcnow() - before >= timedelta(hours=1)
        assert dt_util.now() - before >= timedelta(hours=1)
    assert dt_util.utcnow() - before < timedelta(hours=1)


def test_longest_turn_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is all that the loop does between two looks at what has come, a callback one thing of it."""
    now = 0.0
    monkeypatch.setattr(turns, "perf_counter", lambda: now)
    longest = turns.Turns()

    def work(seconds: float) -> None:
        nonlocal now
        now += seconds

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with turns.watched(loop, longest):
            await asyncio.sleep(0)
            for seconds in (0.002, 0.004, 0.001):
                loop.call_soon(work, seconds)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    asyncio.run(main())
    assert longest.turn == pytest.approx(7)
    assert longest.callback == pytest.approx(4)
    assert "work" in longest.callback_of
