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
