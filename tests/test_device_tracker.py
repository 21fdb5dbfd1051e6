"""The position of a car."""

from typing import Any

from .conftest import Home

PATH = "drive_state"


def _coordinates(home: Home) -> tuple[Any, Any]:
    attributes = home.shown("device_tracker", PATH).attributes
    return attributes.get("latitude"), attributes.get("longitude")


def _set_drive_state(home: Home, **values: Any) -> None:
    for name, value in values.items():
        home.simulator.faults.corrupt(f"drive_state.{name}", value)


async def test_coordinates(home: Home) -> None:
    """The native coordinates are shown if they are supported, WGS and complete, or the others incomplete."""
    native, other = (1.5, 2.5), (3.5, 4.5)
    for supported, native_type, missing, expected in (
        (1, "wgs", (), native),
        (0, "wgs", (), other),
        (1, "gcj", (), other),
        (None, None, (), other),
        (1, "wgs", ("native_latitude", "native_longitude"), other),
        (1, "wgs", ("native_longitude",), other),
        (1, "wgs", ("latitude", "longitude"), native),
        (0, "wgs", ("latitude",), native),
    ):
        pairs = {"native_latitude": 1.5, "native_longitude": 2.5, "latitude": 3.5, "longitude": 4.5}
        reported: dict[str, float | None] = {**pairs, **dict.fromkeys(missing)}
        _set_drive_state(home, native_location_supported=supported, native_type=native_type, **reported)
        await home.poll()
        assert _coordinates(home) == expected, (supported, native_type, missing)


async def test_last_coordinates_stay_if_the_car_reports_none(home: Home) -> None:
    before = _coordinates(home)
    assert None not in before
    _set_drive_state(home, latitude=None, longitude=None, native_latitude=None, native_longitude=None)
    await home.poll()
    assert _coordinates(home) == before


async def test_position_is_unknown_until_the_car_reports_it(empty_home: Home) -> None:
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.shown("device_tracker", PATH).state == "unknown"
    assert _coordinates(empty_home) == (None, None)
