"""Test the device tracker platform."""

from typing import Any

import pytest

from .conftest import Home

PATH = "drive_state"


def _coordinates(home: Home) -> tuple[Any, Any]:
    attributes = home.shown("device_tracker", PATH).attributes
    return attributes.get("latitude"), attributes.get("longitude")


def _set_drive_state(home: Home, **values: Any) -> None:
    for name, value in values.items():
        home.simulator.faults.corrupt(f"drive_state.{name}", value)


@pytest.mark.parametrize(
    ("supported", "native_type", "expected"),
    [(1, "wgs", (1.5, 2.5)), (0, "wgs", (3.5, 4.5)), (1, "gcj", (3.5, 4.5)), (None, None, (3.5, 4.5))],
)
async def test_coordinates(
    home: Home, supported: int | None, native_type: str | None, expected: tuple[float, float]
) -> None:
    """The native coordinates are shown if they are supported and WGS. Otherwise, the others are shown."""
    _set_drive_state(
        home,
        native_location_supported=supported,
        native_type=native_type,
        native_latitude=1.5,
        native_longitude=2.5,
        latitude=3.5,
        longitude=4.5,
    )
    await home.poll()
    assert _coordinates(home) == expected


@pytest.mark.parametrize(
    ("missing", "supported", "expected"),
    [
        (("native_latitude", "native_longitude"), 1, (3.5, 4.5)),
        (("native_longitude",), 1, (3.5, 4.5)),
        (("latitude", "longitude"), 1, (1.5, 2.5)),
        (("latitude",), 0, (1.5, 2.5)),
    ],
)
async def test_incomplete_pair(
    home: Home, missing: tuple[str, ...], supported: int, expected: tuple[float, float]
) -> None:
    """If one pair of coordinates is incomplete, the other pair is shown."""
    pairs = {"native_latitude": 1.5, "native_longitude": 2.5, "latitude": 3.5, "longitude": 4.5}
    _set_drive_state(
        home,
        native_location_supported=supported,
        native_type="wgs",
        **{**pairs, **dict.fromkeys(missing)},
    )
    await home.poll()
    assert _coordinates(home) == expected


async def test_drive_without_native_coordinates(home: Home) -> None:
    """The coordinates change during a drive even if the native ones are null."""
    before = _coordinates(home)
    _set_drive_state(home, native_latitude=None, native_longitude=None)
    home.car.unplug()
    home.car.drive(5)
    await home.advance(900)
    assert _coordinates(home) != before


async def test_missing_coordinates(home: Home) -> None:
    """The last known coordinates stay if the car reports none."""
    before = _coordinates(home)
    assert None not in before
    _set_drive_state(home, latitude=None, longitude=None, native_latitude=None, native_longitude=None)
    await home.poll()
    assert _coordinates(home) == before


async def test_drive(home: Home) -> None:
    """The coordinates change during a drive."""
    before = _coordinates(home)
    home.car.unplug()
    home.car.drive(5)
    await home.advance(900)
    assert _coordinates(home) != before


async def test_never_reported_coordinates(empty_home: Home) -> None:
    """The tracker is unknown and has no coordinates until the car reports some."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.shown("device_tracker", PATH).state == "unknown"
    assert _coordinates(empty_home) == (None, None)
