"""Clocks that run in real time and can be advanced, so that a poll that is due in a minute is due now."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo
import time
from unittest.mock import patch

from homeassistant.util import dt as dt_util


@contextmanager
def shifted_time() -> Iterator[Callable[[float], None]]:
    """Patch all clocks that Home Assistant reads, except the one of its event loop.

    Returns a function that advances them by a number of seconds. This is the cheapest way: reading a clock
    costs a tenth of a microsecond more.
    """
    shift, seconds = timedelta(), 0.0
    utcnow, now, unix, monotonic = dt_util.utcnow, dt_util.now, time.time, time.monotonic

    def advance(by: float) -> None:
        nonlocal shift, seconds
        seconds += by
        shift = timedelta(seconds=seconds)

    def shifted_now(time_zone: tzinfo | None = None) -> datetime:
        return now(time_zone) + shift

    with (
        patch.object(dt_util, "utcnow", lambda: utcnow() + shift),
        patch.object(dt_util, "now", shifted_now),
        patch.object(time, "time", lambda: unix() + seconds),
        patch.object(time, "monotonic", lambda: monotonic() + seconds),
        patch.object(asyncio.BaseEventLoop, "time", lambda _loop: monotonic()),
    ):
        yield advance
