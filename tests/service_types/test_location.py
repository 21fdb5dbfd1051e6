"""The option to ask for the location only while the car drives, because the car shows when it is asked."""

from typing import Any, Final

import pytest

from ..conftest import MINUTE, MOVING, READ, Home
from ..flow import Flow
from .conftest import each_service

TRACKER: Final = ("device_tracker", "drive_state")
OPTION: Final = "location_only_driving"


def _asked(home: Home) -> list[bool]:
    """Return for each live read whether it asked for the location, and forget the reads."""
    sent = list(home.simulator.requests)
    home.simulator.requests.clear()
    return ["location_data" in each.query["endpoints"] for each in sent if each.path.endswith(READ)]


def _place(home: Home) -> tuple[float, float]:
    attributes = home.shown(*TRACKER).attributes
    return attributes["latitude"], attributes["longitude"]


def _true_place(home: Home) -> Any:
    latitude, longitude = home.car.driving.point
    return pytest.approx(latitude, abs=1e-5), pytest.approx(longitude, abs=1e-5)


async def _enable(home: Home) -> None:
    await home.set_car_options(location_only_driving=True)
    home.simulator.requests.clear()


@each_service("tesla_fleet", "other", other=True)
async def test_option_exists_only_for_a_service_that_can_leave_out_the_location(flow: Flow) -> None:
    home = flow.home
    await home.set_up()
    await flow.start_vehicle_options(home.entry)
    if home.simulator.service == "other":
        assert OPTION not in flow.values
        return
    assert flow.values[OPTION] is False
    await home.poll()
    assert all(_asked(home))
    await flow.submit(**{**flow.values, OPTION: True})
    assert flow.abort_reason == "reconfigure_successful"
    home.simulator.requests.clear()
    await home.poll()
    assert _asked(home) == [False]


@each_service("tesla_fleet")
async def test_parked_car_keeps_its_place_and_a_car_that_drives_is_followed(home: Home) -> None:
    await _enable(home)
    place = _place(home)
    assert place == _true_place(home)
    for _ in range(2):
        await home.poll()
    assert _asked(home) == [False, False]
    assert _place(home) == place
    home.start_drive(10)
    await home.advance(5 * MINUTE)
    assert home.shown(*MOVING).state == "on"
    # The first read is sent again, because it finds the car driving.
    first, *others = _asked(home)
    assert not first
    assert all(others)
    await home.poll()
    assert _place(home) == _true_place(home) != place
    await home.advance(30 * MINUTE)
    assert home.shown(*MOVING).state == "off"
    # The first read after it parked still asks for it.
    assert _place(home) == _true_place(home)
    reads = _asked(home)
    assert reads == sorted(reads, reverse=True)
    assert not reads[-1]


async def test_location_is_asked_for_once_if_the_odometer_shows_a_move(home: Home) -> None:
    await _enable(home)
    place = _place(home)
    duration = home.start_drive(3)
    home.simulator.faults.answer(500, only="/api/", times=1000)
    await home.advance(duration + MINUTE, step=30)
    home.simulator.faults.clear()
    home.simulator.requests.clear()
    await home.poll()
    assert _asked(home) == [False, True]
    assert _place(home) == _true_place(home) != place
    await home.poll()
    assert _asked(home) == [False]


async def test_place_is_known_after_a_restart(home: Home) -> None:
    await _enable(home)
    place = _place(home)
    await home.restart()
    await home.poll()
    reads = _asked(home)
    assert reads
    assert not any(reads)
    assert _place(home) == place


async def test_unknown_place_of_a_parked_car_is_asked_for(empty_home: Home) -> None:
    home = empty_home
    for name in ("latitude", "longitude", "native_latitude", "native_longitude"):
        home.simulator.faults.remove(f"drive_state.{name}")
    await home.set_up()
    await _enable(home)
    await home.poll()
    assert all(_asked(home))
    home.simulator.faults.clear()
    await home.poll()
    await home.poll()
    assert _asked(home) == [True, False]
    assert _place(home) == _true_place(home)


@pytest.mark.parametrize("value", [None, "x", 7, [], {}])
async def test_record_that_is_no_object_does_not_stop_the_reads(home: Home, value: Any) -> None:
    await _enable(home)
    place = _place(home)
    for record in ("drive_state", "vehicle_state"):
        home.simulator.faults.corrupt(record, value)
        await home.poll()
        assert home.coordinator.last_update_success
        home.simulator.faults.clear()
        await home.poll()
    assert _place(home) == place
    assert home.shown("lock", "vehicle_state.locked").state == "locked"


@pytest.mark.parametrize("service", ["tessie"])
async def test_sleeping_car_keeps_its_place_if_the_service_answers_with_old_data(home: Home) -> None:
    await _enable(home)
    place = _place(home)
    home.car.unplug()
    home.car.charging.close_port()
    await home.poll()
    home.car.fall_asleep()
    home.simulator.requests.clear()
    await home.poll()
    assert _asked(home) == [False]
    assert home.shown("sensor", "state").state == "asleep"
    assert _place(home) == place
