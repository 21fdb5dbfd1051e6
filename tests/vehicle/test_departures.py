"""The plan knows when the car is needed: on each weekday, or by the events of a calendar."""

from datetime import timedelta
from typing import Any, Final

from homeassistant.core import ServiceCall, SupportsResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util import dt as dt_util
import pytest

from ..conftest import HOUR, MINUTE, Home
from .nights import START, plan_reason, plug_in, prepare

CALENDAR: Final = "calendar.work"
DAYS: Final = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def _event(hours: float, **values: str) -> dict[str, str]:
    start = dt_util.now() + timedelta(hours=hours)
    return {"start": start.isoformat(), "end": (start + timedelta(hours=1)).isoformat(), **values}


class _Calendar:
    def __init__(self, home: Home) -> None:
        self.events: list[dict[str, str]] | None = []
        self.reads = 0
        home.hass.states.async_set(CALENDAR, "off")
        home.hass.services.async_register(
            "calendar", "get_events", self._answer, supports_response=SupportsResponse.ONLY
        )

    async def _answer(self, call: ServiceCall) -> dict[str, Any]:
        self.reads += 1
        if self.events is None:
            raise HomeAssistantError
        return {call.data["entity_id"]: {"events": self.events}}


def _hours_left(home: Home) -> float | None:
    ready_by = home.shown(*START).attributes["ready_by"]
    return None if ready_by is None else round(float((ready_by - dt_util.now()).total_seconds()) / HOUR, 1)


@pytest.mark.parametrize(
    ("events", "hours"),
    [
        ({3: "", 9: "Station"}, 9),
        ({3: "", 9: ""}, 3),
        ({-1: "Here", 30: "There"}, 30),
        ({-20: "Here", 6: ""}, 6),
    ],
    ids=["with a location", "without one", "that has begun", "without one since yesterday"],
)
async def test_events_are_departures(home: Home, events: dict[float, str], hours: float) -> None:
    """An event of a whole day is none."""
    calendar = _Calendar(home)
    of_a_day = {"start": "2026-05-05", "end": "2026-05-06", "location": "Sea"}
    calendar.events = [of_a_day, *(_event(start, location=place) for start, place in events.items())]
    await prepare(home, departure_calendar=CALENDAR)
    await plug_in(home)
    assert abs((_hours_left(home) or 0) - hours) < 0.2


async def test_calendar_that_changes(home: Home) -> None:
    """A new event is seen within a quarter of an hour. While the calendar fails, the last events count."""
    calendar = _Calendar(home)
    await prepare(home, departure_calendar=CALENDAR)
    await plug_in(home)
    assert (plan_reason(home), _hours_left(home)) == ("not_needed", None)
    calendar.events = [_event(10)]
    await home.advance(16 * MINUTE, step=60)
    assert (plan_reason(home), _hours_left(home)) == ("latest", 9.7)
    calendar.events = None
    home.hass.states.async_remove(CALENDAR)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.advance(16 * MINUTE, step=60)
    assert plan_reason(home) == "latest"
    assert _hours_left(home) == 9.5
    await home.set_car_options(departure_calendar=None)
    assert _hours_left(home) != 9.5
    await home.call("switch", "turn_off", "charging_plan")
    reads = calendar.reads
    await home.advance(HOUR, step=60)
    assert calendar.reads == reads


async def test_weekdays(home: Home) -> None:
    """On a Monday, the car is next needed on Wednesday. Without any day, only a low battery is charged."""
    await prepare(home)
    departures: list[dict[str, Any]] = [{"days": ["tuesday"]}, {"days": ["wednesday"], "time": "09:00:00"}]
    await home.set_car_options(departures=departures)
    await plug_in(home)
    assert home.shown(*START).attributes["ready_by"].isoformat() == "2026-05-06T09:00:00-07:00"
    await home.set_car_options(departures=[{"days": DAYS}])
    assert (plan_reason(home), home.car.charging.active) == ("not_needed", False)
    home.car.set_level(10)
    await home.poll()
    await home.advance(5 * MINUTE)
    assert (plan_reason(home), home.car.charging.active) == ("low_level", True)


async def test_calendar_that_is_removed_while_the_account_is_not_loaded(home: Home) -> None:
    """Its last events no longer count."""
    calendar = _Calendar(home)
    calendar.events = [_event(10)]
    await prepare(home, departure_calendar=CALENDAR)
    await plug_in(home)
    assert _hours_left(home) == 10.0
    subentry = home.entry.subentries[home.coordinator.subentry_id]
    await home.unload()
    data = {name: value for name, value in subentry.data.items() if name != "departure_calendar"}
    home.hass.config_entries.async_update_subentry(home.entry, subentry, data=data)
    await home.load()
    await home.poll()
    assert _hours_left(home) not in (None, 10.0)
