"""Where the car is."""

from typing import Any

import pytest

from .conftest import Home

PATH = "drive_state"


def _place(home: Home) -> tuple[Any, Any]:
    shown = home.shown("device_tracker", PATH).attributes
    return shown.get("latitude"), shown.get("longitude")


def _drive_state(home: Home, **values: Any) -> None:
    for name, value in values.items():
        home.simulator.faults.corrupt(f"drive_state.{name}", value)


@pytest.mark.parametrize(
    ("supported", "native_type", "place"),
    [(1, "wgs", (1.5, 2.5)), (0, "wgs", (3.5, 4.5)), (1, "gcj", (3.5, 4.5)), (None, None, (3.5, 4.5))],
)
async def test_place(
    home: Home, supported: int | None, native_type: str | None, place: tuple[float, float]
) -> None:
    """The car's own coordinates are shown where it has them as satellites give them, else the others."""
    _drive_state(
        home,
        native_location_supported=supported,
        native_type=native_type,
        native_latitude=1.5,
        native_longitude=2.5,
        latitude=3.5,
        longitude=4.5,
    )
    await home.poll()
    assert _place(home) == place


@pytest.mark.parametrize(
    ("missing", "supported", "place"),
    [
        (("native_latitude", "native_longitude"), 1, (3.5, 4.5)),
        (("native_longitude",), 1, (3.5, 4.5)),
        (("latitude", "longitude"), 1, (1.5, 2.5)),
        (("latitude",), 0, (1.5, 2.5)),
    ],
)
async def test_other_pair_serves(
    home: Home, missing: tuple[str, ...], supported: int, place: tuple[float, float]
) -> None:
    """If one pair of coordinates is incomplete, the other pair is shown."""
    pairs = {"native_latitude": 1.5, "native_longitude": 2.5, "latitude": 3.5, "longitude": 4.5}
    _drive_state(
        home,
        native_location_supported=supported,
        native_type="wgs",
        **{**pairs, **dict.fromkeys(missing)},
    )
    await home.poll()
    assert _place(home) == place


async def test_drive_with_one_pair(home: Home) -> None:
    """A car whose native coordinates are null moves on the map while it drives."""
    before = _place(home)
    _drive_state(home, native_latitude=None, native_longitude=None)
    home.car.unplug()
    home.car.drive(5)
    await home.advance(900)
    assert _place(home) != before


async def test_lost_place(home: Home) -> None:
    """A car that does not know where it is, is still where it was."""
    before = _place(home)
    assert None not in before
    _drive_state(home, latitude=None, longitude=None, native_latitude=None, native_longitude=None)
    await home.poll()
    assert _place(home) == before


async def test_drive(home: Home) -> None:
    """A car that drives moves."""
    before = _place(home)
    home.car.unplug()
    home.car.drive(5)
    await home.advance(900)
    assert _place(home) != before


async def test_never_seen(empty_home: Home) -> None:
    """A car whose place was never told is nowhere, not at 0, 0."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.shown("device_tracker", PATH).state == "unknown"
    assert _place(empty_home) == (None, None)
