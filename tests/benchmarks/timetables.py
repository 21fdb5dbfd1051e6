"""Days as people spend them with a car, written down as what they do."""

from typing import Final

from .driver import Driver, Timetable, miles_in

_HOME: Final = 0.0
_SHORT_STOPS: Final = (5, 12, 20)
_SURPRISES: Final = (8, 12, 16, 20, 25, 30, 34)
# Minutes; not whole ones, so that each drive begins at another second.
_PEACE: Final = 150.4


async def _plain(person: Driver, day: int) -> None:
    """To work and back, then charge; 22 hours of peace in three stretches."""
    work = miles_in(30)
    await person.until("07:30")
    await person.drives(to=work)
    await person.until("17:00")
    await person.drives(to=_HOME)
    await person.charges(60)


async def _errands(person: Driver, day: int) -> None:
    """Six drives of 100 minutes together, three of them after short stops, and a charge at night."""
    work, school, restaurant = miles_in(25), miles_in(10), miles_in(25) + miles_in(12)
    first, second, third = (_SHORT_STOPS[(day + index) % len(_SHORT_STOPS)] for index in range(3))
    await person.until("07:20")
    await person.drives(to=school)
    await person.waits(first)
    await person.drives(to=work)
    await person.until("12:10")
    await person.drives(to=restaurant)
    await person.waits(second)
    await person.drives(to=work)
    await person.until("16:40")
    await person.drives(to=_HOME)
    await person.waits(third)
    await person.drives_around(25)
    await person.until("22:30")
    await person.charges(60)


async def _surprises(person: Driver, day: int) -> None:
    """A plain day, then one on which somebody drives on from where the car has never been before."""
    if day == 0:
        return await _plain(person, day)
    place = _HOME
    for stop in _SURPRISES:
        await person.waits(_PEACE)
        await person.drives(to=(place := place + miles_in(10)))
        await person.waits(stop)
        await person.drives(to=(place := place - miles_in(20)))
    return None


async def _garage(person: Driver, day: int) -> None:
    """A plain day, whose nights are spent out of coverage; the morning's drive begins there."""
    if day == 0:
        await person.until("00:30")
        person.shuts_the_garage()
    await _plain(person, day)
    await person.waits(15)
    person.shuts_the_garage()


TIMETABLES: Final[dict[str, Timetable]] = {
    "plain": _plain,
    "errands": _errands,
    "surprises": _surprises,
    "garage": _garage,
}
