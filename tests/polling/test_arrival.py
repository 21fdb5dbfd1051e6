"""When a car will be home, by the route, by earlier drives, and by the distance."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import DriveState, Vehicle
from custom_components.vehicle_remote_access.polling.arrival import (
    EXTRA_READS,
    Approach,
    Home,
    PastDrive,
    next_read,
)
from custom_components.vehicle_remote_access.util.positions import METERS_PER_DEGREE, Position

from ..benchmarks.arriving.drives import earlier_drives, make_drive
from ..benchmarks.arriving.judge import figures, follow

HOME: Final = Home((0.0, 0.0), 100.0, "Home")


def _north(meters: float, east: float = 0.0) -> Position:
    return meters / METERS_PER_DEGREE, east / METERS_PER_DEGREE


def _record(position: Position | None, at: float, **values: Any) -> DriveState:
    record = {"shift_state": "D", "speed": 22, "timestamp": at * 1000 + 1e12, "gps_as_of": at + 1e9}
    if position is not None:
        record["latitude"], record["longitude"] = position
    return Vehicle.parse({"drive_state": {**record, **values}}).drive_state


def _approach(
    begin: float = 1500, end: float = 600, *, way: PastDrive | None = None, **values: Any
) -> Approach:
    """Return the approach of a car that is driven southwards until 100 s."""
    approach = Approach(past_drives=[way] if way else [])
    for step in range(21):
        position = _north(begin + (end - begin) * step / 20)
        approach.update(_record(position, step * 5.0, **values), step * 5.0, HOME)
    return approach


def _way(*places: Position) -> PastDrive | None:
    return PastDrive.of([(index * 10.0, place) for index, place in enumerate(places)], HOME)


def test_time_left_falls_between_two_positions_but_not_for_long() -> None:
    approach = _approach()
    left = approach.seconds_left(100, HOME)
    assert left is not None
    assert approach.seconds_left(130, HOME) == left - 30
    assert approach.seconds_left(170, HOME) is None


@pytest.mark.parametrize(
    ("begin", "end", "speed"), [(600, 1500, 22), (1000, 1000, 22), (1500, 300, 60)], ids=str
)
def test_car_that_leaves_or_stays_away_or_is_too_fast_is_not_coming(
    begin: float, end: float, speed: int
) -> None:
    assert _approach(begin, end, speed=speed).seconds_left(100, HOME) is None


@pytest.mark.parametrize(
    ("values", "left"),
    [
        ({"active_route_latitude": 0.0, "active_route_longitude": 0.0}, 200),
        ({"active_route_latitude": 0.1, "active_route_longitude": 0.0}, None),
        ({}, None),
        ({"active_route_destination": "Home"}, 200),
    ],
    ids=str,
)
def test_route_home_has_its_own_time_minus_its_age_and_another_one_is_no_arrival(
    values: dict[str, Any], left: float | None
) -> None:
    route = {"active_route_destination": "Somewhere", **values}
    approach = _approach(1500, 1000, **route, active_route_minutes_to_arrival=4.0)
    # The minutes have not changed for 100 s, so they are too old.
    approach.update(_record(_north(990), 101, **route, active_route_minutes_to_arrival=3.5), 101, HOME)
    assert approach.seconds_left(111, HOME) == left


def test_earlier_drive_on_the_same_way_shows_the_time_that_is_left() -> None:
    """The earlier drive took a detour of 600 m at the end, at the same speed."""
    track = [_north(1500 - 100 * step) for step in range(10)]
    track += [_north(600, 100 * step) for step in (1, 2, 3)] + [_north(300, 300), _north(0, 300), _north(0)]
    way = _way(*track)
    assert way is not None
    assert _approach(way=way).seconds_left(100, HOME) == pytest.approx(60, abs=5)
    assert _approach(600, 1500, way=way).seconds_left(100, HOME) is None


def test_car_on_a_way_on_which_it_passed_by_is_not_coming() -> None:
    way = _way(*(_north(1500 - 100 * step) for step in range(40)))
    assert way is not None
    assert _approach(way=way).seconds_left(100, HOME) is None
    assert _way(*(_north(1500 - 100 * step) for step in range(10))) is None


def test_past_drive_that_ended_in_a_large_home_zone() -> None:
    past = PastDrive.of([(0.0, _north(9000)), (60.0, _north(6000))], Home((0.0, 0.0), 7000.0))
    assert past == PastDrive([(60.0, _north(6000))], 60.0)


def test_car_arrives_again_only_after_it_was_home_or_far_away() -> None:
    approach = Approach()
    places = (_north(50), _north(500), _north(3000), None)
    found = [approach.update(_record(place, 0, shift_state=None), 0, HOME) for place in places]
    assert found == [True, False, True, False]
    assert not approach.update(_record(_north(3000), 0), 0, HOME)


def test_reads_are_planned_at_half_of_the_time_that_is_left() -> None:
    assert next_read(300, [60, 120], 1000) == 1090
    assert next_read(65, [60], 1000) == 1010
    assert (
        next_read(50, [60], 1000) == next_read(None, [60], 1000) == next_read(300, [], 1000) == float("inf")
    )


@pytest.mark.parametrize("polled", [False, True])
def test_simulated_arrivals(*, polled: bool) -> None:
    """A part of the benchmark `arriving`, on known roads."""
    drives = [drive for drive in map(make_drive, range(45)) if drive.kind in ("town", "motorway", "passing")]
    outcomes = [follow(drive, polled=polled, earlier=earlier_drives(drive.seed, 3)) for drive in drives[::2]]
    found = figures(outcomes)
    assert found.right >= (0.6 if polled else 0.8)
    assert (found.twice, found.false) == (0, 0)
    assert found.most_reads <= EXTRA_READS
