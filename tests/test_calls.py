"""The cost of a request: how often functions of the integration are called."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import sys
from types import FrameType
from typing import Final

import pytest

from custom_components import vehicle_remote_access
from custom_components.vehicle_remote_access import simulator

from .conftest import LIST, MINUTE, READ, Home
from .drive_log.five_years import five_years

_INTEGRATION: Final = str(Path(vehicle_remote_access.__file__).parent)
_SIMULATOR: Final = str(Path(simulator.__file__).parent)
_LIVE_READ: Final = 350
_LIST_REQUEST: Final = 250


@contextmanager
def _count_calls() -> Iterator[Counter[str]]:
    """Count the calls of each function of the integration. Resuming a coroutine counts as a call of it."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        name, file = frame.f_code.co_qualname, frame.f_code.co_filename
        if event == "call" and file.startswith(_INTEGRATION) and _SIMULATOR not in file:
            calls[f"{name} ({file.removeprefix(_INTEGRATION)})"] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def _check(calls: Counter[str], limit: int) -> None:
    most = "\n".join(f"{count:5} {name}" for name, count in calls.most_common(10))
    assert calls.total() <= limit, most


@pytest.fixture(params=["default", "limits and a long log"])
async def busy_home(request: pytest.FixtureRequest, home: Home) -> Home:
    """A home with default options, or with all that could make a request dearer."""
    if request.param != "default":
        log = home.coordinator.log_manager.log = five_years()
        # The journal has what is newer than the archive.
        log.end_archive(log.start_archive())
        await home.set_account_options(requests_per_day=700, live_reads_per_day=300)
    return home


async def test_live_read(busy_home: Home) -> None:
    """A live read of a car that drives."""
    busy_home.start_drive(miles=100)
    await busy_home.advance(10 * MINUTE)
    busy_home.simulator.requests.clear()
    with _count_calls() as calls:
        await busy_home.advance(MINUTE, step=20)
    (path,) = busy_home.requests()
    assert path.endswith(READ)
    _check(calls, _LIVE_READ)


async def test_list_request(busy_home: Home) -> None:
    """A request for the list while the car sleeps."""
    await busy_home.wait_until_car_sleeps()
    with _count_calls() as calls:
        while not busy_home.simulator.requests:
            await busy_home.advance(10, step=10)
    assert busy_home.requests() == [LIST]
    _check(calls, _LIST_REQUEST)
