"""Timetables of drives and charges."""

from typing import Final

from .driver import Driver, miles_in

_HOME: Final = 0.0
_SHORT_STOPS: Final = (5, 12, 20)
_NEW_STOPS: Final = (8, 12, 16, 20, 25, 30, 34)
# Minutes. The fraction makes each drive start at another second.
_LONG_STOP: Final = 150.4


async def plain(driver: Driver, day: int) -> None:
    """Drive to work and back, then charge. The car is idle for 22 hours in three periods."""
    work = miles_in(30)
    await driver.wait_until("07:30")
    await driver.drive(to=work)
    await driver.wait_until("17:00")
    await driver.drive(to=_HOME)
    await driver.charge(60)


async def errands(driver: Driver, day: int) -> None:
    """Drive six times, 100 minutes in total, three times after a short stop. Charge at night."""
    work, school, restaurant = miles_in(25), miles_in(10), miles_in(25) + miles_in(12)
    first, second, third = (_SHORT_STOPS[(day + index) % len(_SHORT_STOPS)] for index in range(3))
    await driver.wait_until("07:20")
    await driver.drive(to=school)
    await driver.wait(first)
    await driver.drive(to=work)
    await driver.wait_until("12:10")
    await driver.drive(to=restaurant)
    await driver.wait(second)
    await driver.drive(to=work)
    await driver.wait_until("16:40")
    await driver.drive(to=_HOME)
    await driver.wait(third)
    await driver.drive_around(25)
    await driver.wait_until("22:30")
    await driver.charge(60)


async def surprises(driver: Driver, day: int) -> None:
    """A plain day, then one with drives that start at places where the car never was before."""
    if day == 0:
        return await plain(driver, day)
    place = _HOME
    for stop in _NEW_STOPS:
        await driver.wait(_LONG_STOP)
        await driver.drive(to=(place := place + miles_in(10)))
        await driver.wait(stop)
        await driver.drive(to=(place := place - miles_in(20)))
    return None


async def garage(driver: Driver, day: int) -> None:
    """A plain day. At night the car has no coverage; the morning's drive starts without coverage."""
    if day == 0:
        await driver.wait_until("00:30")
        driver.enter_garage()
    await plain(driver, day)
    await driver.wait(15)
    driver.enter_garage()
