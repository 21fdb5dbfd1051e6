"""The position of a car."""

from typing import Any

from .conftest import Home
from .field_places import report

PATH = "drive_state"
POSITION = ("native_latitude", "native_longitude", "latitude", "longitude")


def _coordinates(home: Home) -> tuple[Any, Any]:
    attributes = home.shown("device_tracker", PATH).attributes
    return attributes.get("latitude"), attributes.get("longitude")


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
        reported = {
            "native_location_supported": supported,
            "native_type": native_type,
            **dict(zip(POSITION, (*native, *other), strict=True)),
            **dict.fromkeys(missing),
        }
        await report(home, {f"{PATH}.{name}": value for name, value in reported.items()})
        assert _coordinates(home) == expected, (supported, native_type, missing)


async def test_last_coordinates_stay_if_the_car_reports_none(home: Home) -> None:
    before = _coordinates(home)
    assert None not in before
    await report(home, {f"{PATH}.{name}": None for name in POSITION})
    assert _coordinates(home) == before


async def test_position_is_unknown_until_the_car_reports_it(empty_home: Home) -> None:
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.shown("device_tracker", PATH).state == "unknown"
    assert _coordinates(empty_home) == (None, None)
