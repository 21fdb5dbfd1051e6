"""The tracks of drives have few points, and look the same."""

import math

from hypothesis import given, settings, strategies as st

from custom_components.vehicle_remote_access.drive_log.entries import Drive, DriveSample
from custom_components.vehicle_remote_access.drive_log.tracks import simplified, tracks

_POINTS = st.lists(st.tuples(st.floats(-80, 80), st.floats(-170, 170), st.just(0.0)), min_size=1, max_size=50)


def _drive(number: int, start: tuple[float, float], end: tuple[float, float]) -> Drive:
    return Drive(f"drive-{number}", number * 100.0, number * 100.0 + 50)._replace(
        start_latitude=start[0], start_longitude=start[1], end_latitude=end[0], end_longitude=end[1]
    )


def _samples(*positions: tuple[float, float]) -> list[DriveSample]:
    return [DriveSample(0.0, latitude=north, longitude=east) for north, east in positions]


@settings(max_examples=100, deadline=None)
@given(_POINTS, st.floats(0, 10))
def test_ends_of_a_track_stay(points: list[tuple[float, float, float]], tolerance: float) -> None:
    left = simplified(points, tolerance)
    assert (left[0], left[-1]) == (points[0], points[-1])
    assert set(left) <= set(points)


def test_points_on_a_line_are_left_out_and_a_corner_stays() -> None:
    street = [(52.0, 5.0 + step / 1000, 0.0) for step in range(100)]
    corner = street[-1]
    lane = [(52.0 + step / 1000, corner[1], 0.0) for step in range(1, 100)]
    assert simplified([*street, *lane], 0.0001) == [street[0], corner, lane[-1]]


def test_drives_that_follow_each_other_are_one_line() -> None:
    """Each line costs the map much time."""
    home, work, far = (52.0, 5.0), (52.1, 5.1), (54.0, 9.0)
    way = _samples((52.05, 5.0))
    drives = [_drive(1, home, work), _drive(2, work, home), _drive(3, home, work), _drive(4, far, home)]
    lines = tracks(drives, {"drive-1": way, "drive-2": way})
    assert [(line["is_track"], [point[2] for point in line["points"]]) for line in lines] == [
        (True, [100, 100, 100, 200, 200]),
        (False, [300, 300]),
        (False, [400, 400]),
    ]


def test_detour_in_a_large_area_is_not_visible() -> None:
    """What is visible depends on the size of the map."""
    round_trip = _samples(*((52.0 + math.sin(turn) / 1000, 5.0 + math.cos(turn) / 1000) for turn in range(6)))
    near = Drive("drive-2", 20, 30)
    (alone,) = tracks([near], {"drive-2": round_trip})
    assert len(alone["points"]) == 6
    _, beside = tracks([_drive(0, (50.0, 5.0), (54.0, 9.0)), near], {"drive-2": round_trip})
    assert len(beside["points"]) == 2
