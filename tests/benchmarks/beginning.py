"""How so many cars begin in a fresh process: how long it takes, what is asked, and what stays of it."""

from collections.abc import Iterator
from contextlib import contextmanager
import ctypes
import gc
import os
from pathlib import Path
from typing import Final

from .accounts import Accounts
from .answering import Service, answering, numbered
from .bare import Bare, Likeness, likenesses
from .found import Beginning
from .ours import Ours
from .pairs import taken
from .trial import Trial

_STATM: Final = Path("/proc/self/statm")
_ELSEWHERE: Final = 900_000
"""The number of a car in another account."""


async def begun(cars: Trial) -> tuple[Beginning, list[Likeness]]:
    """Set ours up, and return what it took, and what its entities look like."""
    with _another(cars) as service:
        await _pass_by(cars, Ours(cars.hass, service))
    found = await _begun(cars, cars.ours)
    return found, likenesses(cars.ours)


async def begun_bare(cars: Trial, like: list[Likeness]) -> Beginning:
    """Set entities up that look the same, and return what that took."""
    with _another(cars) as service:
        await _pass_by(cars, Bare(cars.hass, service, like))
    return await _begun(cars, Bare(cars.hass, cars.service, like))


@contextmanager
def _another(cars: Trial) -> Iterator[Service]:
    """Run a service with one more car."""
    vin = cars.service.cars[0].vin
    with answering(numbered(1, vin, first=_ELSEWHERE), cars.core) as service:
        service.tell(cars.told())
        yield service


async def _pass_by(cars: Trial, accounts: Accounts) -> None:
    """Set accounts up and remove them: what is loaded once per Home Assistant is loaded then."""
    await accounts.set_up()
    await cars.hass.async_block_till_done(wait_background_tasks=True)
    await accounts.remove()


async def _begun(cars: Trial, accounts: Accounts) -> Beginning:
    await cars.hass.async_block_till_done(wait_background_tasks=True)
    cars.say()
    before = _held()
    cold = await taken(accounts.set_up)
    asked = len(accounts.asked)
    await cars.hass.async_block_till_done(wait_background_tasks=True)
    memory = _held() - before
    entities = len(accounts.states())
    await accounts.unload()
    cars.say()
    warm = await taken(accounts.set_up)
    return Beginning(
        entities=entities,
        cold=cold,
        asked=asked,
        warm=warm,
        asked_again=len(accounts.asked),
        memory=memory,
    )


def _held() -> float:
    """Return the KiB that this process holds for itself: what it maps of files comes and goes."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    resident, shared = map(int, _STATM.read_text().split()[1:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 1024
