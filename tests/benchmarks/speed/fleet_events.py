"""Events that affect all cars at once, and the event-loop lag that they cause."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from .fleet import Fleet
from .loop_lag import LoopLag, track_loop_lag
from .results import LagSample
from .vehicle_record import ALL_FIELDS


@dataclass(frozen=True, slots=True)
class FleetEvent:
    """An event that affects all cars."""

    name: str
    fields: int = 0
    """The number of changed fields."""
    state: str = "online"
    status: int = HTTPStatus.OK
    refreshes: int = 1
    minutes: float = 1
    """Minutes before each refresh."""
    action: Callable[[Fleet], Awaitable[None]] = lambda fleet: fleet.integration.refresh()


FLEET_EVENTS: Final = (
    FleetEvent("unchanged"),
    FleetEvent("1 field", fields=1),
    FleetEvent("30 fields", fields=30),
    FleetEvent("30 fields, baseline", fields=30, action=lambda fleet: fleet.run_baseline("30 fields")),
    FleetEvent("all fields", fields=ALL_FIELDS),
    FleetEvent("service fails", status=HTTPStatus.SERVICE_UNAVAILABLE, refreshes=4, minutes=10),
    FleetEvent("service recovers", refreshes=2, minutes=20),
    FleetEvent("all cars fall asleep", state="asleep", status=HTTPStatus.REQUEST_TIMEOUT, refreshes=2),
    FleetEvent("all cars wake up", refreshes=3, minutes=10),
    FleetEvent("option changes", action=lambda fleet: fleet.integration.change_interval()),
)


async def measure_loop_lag(fleet: Fleet, times: int) -> dict[str, list[LagSample]]:
    """Run all events a number of times, and return the samples by event."""
    samples: dict[str, list[LagSample]] = {event.name: [] for event in FLEET_EVENTS}
    await fleet.settle()
    for _ in range(times):
        for event in FLEET_EVENTS:
            samples[event.name].append(await _measure(fleet, event))
    return samples


async def _measure(fleet: Fleet, event: FleetEvent) -> LagSample:
    if event.fields:
        fleet.respond()
        await fleet.integration.refresh()
    # Pending work must not count for the event.
    await fleet.hass.async_block_till_done(wait_background_tasks=True)
    lag = LoopLag()
    for _ in range(event.refreshes):
        fleet.respond(event.fields, event.state, event.status, minutes=event.minutes)
        with track_loop_lag(asyncio.get_running_loop(), lag):
            await asyncio.sleep(0)
            await event.action(fleet)
            await asyncio.sleep(0)
    return LagSample(lag, fleet.integration.unavailable)
