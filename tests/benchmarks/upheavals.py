"""What can happen to all cars at once, and for how long it holds Home Assistant's loop."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from .driven import ALL
from .found import Held
from .trial import Trial
from .turns import Turns, watched


@dataclass(frozen=True, slots=True)
class Upheaval:
    """Something that happens."""

    name: str
    fields: int = 0
    """How many are others than they were; all others are as they were at first."""
    state: str = "online"
    status: int = HTTPStatus.OK
    refreshes: int = 1
    minutes: float = 1
    """That pass before each."""
    doing: Callable[[Trial], Awaitable[None]] = lambda cars: cars.ours.refresh()
    """What is done then."""


UPHEAVALS: Final = (
    Upheaval("unchanged"),
    Upheaval("1 field", fields=1),
    Upheaval("30 fields", fields=30),
    Upheaval("30 fields, the floor", fields=30, doing=lambda cars: cars.floor("30 fields")),
    Upheaval("every field", fields=ALL),
    Upheaval("the service fails", status=HTTPStatus.SERVICE_UNAVAILABLE, refreshes=4, minutes=10),
    Upheaval("it is back", refreshes=2, minutes=20),
    Upheaval("all fall asleep", state="asleep", status=HTTPStatus.REQUEST_TIMEOUT, refreshes=2),
    Upheaval("all wake", refreshes=3, minutes=10),
    Upheaval("a setting changes", doing=lambda cars: cars.ours.change_settings()),
)


async def held(cars: Trial, times: int) -> dict[str, list[Held]]:
    """Let all of it happen so many times, and return what was found each time."""
    found: dict[str, list[Held]] = {each.name: [] for each in UPHEAVALS}
    await cars.settle()
    for _ in range(times):
        for each in UPHEAVALS:
            found[each.name].append(await _held_by(cars, each))
    return found


async def _held_by(cars: Trial, upheaval: Upheaval) -> Held:
    if upheaval.fields:
        cars.say()
        await cars.ours.refresh()
    # What is under way is not its doing.
    await cars.hass.async_block_till_done(wait_background_tasks=True)
    turns = Turns()
    for _ in range(upheaval.refreshes):
        cars.say(upheaval.fields, upheaval.state, upheaval.status, minutes=upheaval.minutes)
        with watched(asyncio.get_running_loop(), turns):
            await asyncio.sleep(0)
            await upheaval.doing(cars)
            await asyncio.sleep(0)
    return Held(turns, cars.ours.unavailable)
