"""Polling and the log are the same with each service as with one of the documented interface."""

from typing import Any

import pytest

from ..conftest import HOUR, MINUTE, Home
from .conftest import each_service


@each_service("tessie", other=True)
async def test_drive_and_charge_of_a_day_are_logged_with_what_the_car_did(home: Home) -> None:
    car = home.car
    car.unplug()
    await home.advance(2 * MINUTE)
    odometer, place = car.driving.odometer, car.driving.point
    duration = car.drive(12)
    await home.advance(duration + 10 * MINUTE, step=20)
    car.set_level(60)
    car.plug_in()
    await home.advance(HOUR, step=30)
    car.unplug()
    await home.advance(10 * MINUTE, step=20)
    log: Any = await home.act("get_log")
    (drive,) = log["drives"]
    (charge,) = log["charges"]
    assert car.driving.odometer == pytest.approx(odometer + 12)
    assert car.driving.point != place
    assert drive["distance"] == pytest.approx(12 * 1.609344, abs=0.05)
    assert charge["energy_added"] == pytest.approx(car.charging.energy_added, rel=0.1)


@each_service("tesla_fleet", other=True)
async def test_limits_are_kept_during_a_long_drive_and_the_car_is_followed(home: Home) -> None:
    counter = home.entry.runtime_data.requests
    limits = {"requests_per_day": counter.today + 80, "live_reads_per_day": counter.live_reads + 30}
    await home.set_account_options(**limits)
    home.start_drive(150)
    requests = await home.requests_during(5 * HOUR, step=60)
    assert 5 < len(home.requests("/vehicle_data")) <= 30
    assert 20 < len(requests) <= 80
    assert counter.live_reads <= limits["live_reads_per_day"]
    log: Any = await home.act("get_log")
    (drive,) = log["drives"]
    assert drive["distance"] == pytest.approx(150 * 1.609344, rel=0.02)
