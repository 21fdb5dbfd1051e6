"""Who is told what is new, and when: as the entities of an account are."""

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from homeassistant.core import HomeAssistant

from custom_components.vehicle_remote_access.vehicle.listeners import Telling

A_CAR = "A car"


async def test_each_is_told_once(hass: HomeAssistant) -> None:
    """Whoever is to be told of several things is told once, in the order in which it was asked for."""
    telling, told = Telling(hass), list[int]()
    updates = [partial(told.append, number) for number in range(100)]
    telling.tell(A_CAR, [*updates, *updates])
    assert 0 < len(told) < 100
    await hass.async_block_till_done()
    assert told == list(range(100))


async def test_spared(hass: HomeAssistant) -> None:
    """Whoever does not want to know any more is not told, be it its turn."""
    telling, told = Telling(hass), list[int]()
    last = partial(told.append, 2)
    telling.tell(A_CAR, [partial(told.append, 1), partial(telling.spare, last), last])
    await hass.async_block_till_done()
    assert told == [1]


async def test_telling_more_while_being_told(hass: HomeAssistant) -> None:
    """Who is told may have others told, also those that just were, and however many there are: all are."""
    telling, told = Telling(hass), list[int]()

    def tell(number: int) -> None:
        told.append(number)
        if number in (0, 31) and told.count(number) == 1:
            telling.tell(A_CAR, [updates[5]])

    updates: list[Callable[[], None]] = [partial(tell, number) for number in range(60)]
    telling.tell(A_CAR, updates)
    telling.tell(A_CAR, [updates[0]])
    await hass.async_block_till_done()
    assert set(told) == set(range(60))
    assert told.count(5) == 2
    telling.tell(A_CAR, [updates[7]])
    assert told[-1] == 7


async def test_room_for_all(hass: HomeAssistant) -> None:
    """Whoever waits for room gets it, a few in a turn, while others are told; and all of them are."""
    telling, told, came = Telling(hass), list[int](), list[int]()

    async def come(number: int) -> None:
        await telling.room()
        came.append(number)

    coming = [asyncio.create_task(come(number)) for number in range(10)]
    telling.tell(A_CAR, [partial(told.append, number) for number in range(100)])
    seen = [0]
    while not all(each.done() for each in coming):
        await asyncio.sleep(0)
        seen.append(len(came))
    assert came == list(range(10))
    assert max(after - before for before, after in pairwise(seen)) < 10
    await hass.async_block_till_done()
    assert told == list(range(100))
