"""The tracks of drives have few points, and look the same."""

import math

from hypothesis import given, settings, strategies as st

from custom_components.vehicle_remote_access.drive_log.entries import Drive, DriveSample
from custom_components.vehicle_remote_access.drive_log.tracks import simplified, tracks

_POINTS = st.lists(st.tuples(st.floats(-80, 80), st.floats(-170, 170)), min_size=1, max_size=50)


@settings(max_examples=100, deadline=None)
@given(_POINTS, st.floats(0, 10))
def test_ends_of_a_track_stay(points: list[tuple[float, float]], tolerance: float) -> None:
    left = simplified(points, tolerance)
    assert (left[0], left[-1]) == (points[0], points[-1])
    assert set(left) <= set(points)


def test_points_on_a_line_are_left_out_and_a_corner_stays() -> None:
    street = [(52.0, 5.0 + step / 1000) for step in range(100)]
    corner = street[-1]
    lane = [(52.0 + step / 1000, corner[1]) for step in range(1, 100)]
    assert simplified([*street, *lane], 0.0001) == [street[0], corner, lane[-1]]


def test_detour_in_a_large_area_is_not_visible() -> None:
    """What is visible depends on the size of the map."""
    far = Drive(
        "drive-1", 0, 10, start_latitude=50.0, start_longitude=5.0, end_latitude=54.0, end_longitude=9.0
    )
    round_trip = [(52.0 + math.sin(turn) / 1000, 5.0 + math.cos(turn) / 1000) for turn in range(6)]
    samples = [
        DriveSample(20.0 + index, latitude=lat, longitude=lon) for index, (lat, lon) in enumerate(round_trip)
    ]
    near = Drive("drive-2", 20, 30)
    (alone,) = tracks([near], {"drive-2": samples})
    assert len(alone["points"]) == 6
    _, beside = tracks([far, near], {"drive-2": samples})
    assert len(beside["points"]) == 2
