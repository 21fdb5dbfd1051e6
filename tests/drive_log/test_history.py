"""Drives from the time before the log, by the odometer at the end of each hour."""

from collections.abc import Sequence
from typing import Any

import pytest

from custom_components.vehicle_remote_access.drive_log.history import Hour, drives_by_hour

HOUR = 3600


def drives(*odometers: float | None) -> list[tuple[float, float, float, float]]:
    """Return the first and last hour and odometer of each drive. None: an hour without statistics."""
    hours = [
        Hour(number * HOUR, (number + 1) * HOUR, odometer)
        for number, odometer in enumerate(odometers)
        if odometer is not None
    ]
    found: Any = drives_by_hour(hours)
    return [
        (each.start_earliest / HOUR, each.end_latest / HOUR, each.start_odometer, each.end_odometer)
        for each in found
    ]


@pytest.mark.parametrize(
    ("odometers", "expected"),
    [
        ([], []),
        ([100, 100, 100], []),
        ([100, 110, 110], [(1, 2, 100, 110)]),
        ([100, 110, 160, 170, 170], [(1, 4, 100, 170)]),
        ([100, 110, 110, 120], [(1, 2, 100, 110), (3, 4, 110, 120)]),
        ([100, None, None, 120], [(1, 4, 100, 120)]),
        ([100, 110, None, 120], [(1, 2, 100, 110), (2, 4, 110, 120)]),
        ([100, 100.3, 100.4, 100.6], [(3, 4, 100, 100.6)]),
        ([9000, 0, 9000, 9010], [(3, 4, 9000, 9010)]),
        ([100, 9000, 9010], [(2, 3, 9000, 9010)]),
        ([100, 110, 5, 15], [(1, 2, 100, 110), (3, 4, 5, 15)]),
    ],
)
def test_hours_in_a_row_in_which_the_odometer_rose_are_one_drive(
    odometers: Sequence[float | None], expected: Sequence[tuple[float, float, float, float]]
) -> None:
    assert drives(*odometers) == expected


def test_drive_is_in_the_middle_of_the_time_in_which_it_must_be() -> None:
    (drive,) = drives_by_hour([Hour(0, HOUR, 100), Hour(HOUR, 2 * HOUR, 105)])
    assert (drive.start, drive.end) == (1.5 * HOUR - 300, 1.5 * HOUR + 300)
    assert drive.seen == "afterwards"
