"""The charging plan charges the car in the cheapest hours, and leaves it alone otherwise."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.components.automation import EVENT_AUTOMATION_TRIGGERED  # noqa: F401 - imported by Home
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Entries

from ..conftest import CHARGING, HOUR, MINUTE, STATE, Home

PLAN: Final = ("switch", "charging_plan")
START: Final = ("sensor", "charging_plan.start")
READY_BY: Final = ("time", "charging_plan.ready_by")
PRICE: Final = "sensor.price"
COMMANDS: Final = ("charge_start", "charge_stop")


def _set_prices(home: Home, *cheap: int, known: float = 24.0) -> None:
    """List the prices of each hour from now: 10 cents in the cheap hours of the day, else 30."""
    now = dt_util.now().replace(minute=0, second=0, microsecond=0)
    hours = [now + timedelta(hours=hour) for hour in range(-12, int(known))]
    rows = [
        {
            "start": hour.isoformat(),
            "end": (hour + timedelta(hours=1)).isoformat(),
            "price": 0.1 if hour.hour in cheap else 0.3,
        }
        for hour in hours
    ]
    home.hass.states.async_set(PRICE, "0.3", {"unit_of_measurement": "EUR/kWh", "prices": rows})


async def _prepare(home: Home, *, level: float = 60.0, **options: Any) -> None:
    """Let the car be at home and unplugged, at noon, with known charges of 10 kWh per hour. Turn on the plan."""
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    home.car.unplug()
    home.car.set_level(level)
    at = dt_util.utcnow().timestamp() - 30 * 24 * HOUR
    charges = [
        Charge(
            f"charge-{day}",
            at + day * 24 * HOUR,
            at + day * 24 * HOUR + 2 * HOUR,
            start_energy=20.0 * day,
            end_energy=20.0 * (day + 1),
            start_battery=50.0,
            end_battery=76.0,
            current="ac",
            latitude=home.car.home.latitude,
            longitude=home.car.home.longitude,
        )
        for day in range(5)
    ]
    await home.coordinator.log_manager.async_insert(Entries(charges=charges))
    await home.set_car_options(**({"price_entity": PRICE} | options))
    _set_prices(home, 2, 3, 4)
    await home.call("switch", "turn_on", PLAN[1])
    await home.poll()


async def _plug_in(home: Home) -> None:
    home.car.plug_in()
    await home.poll()
    await home.advance(MINUTE)


def _sent(home: Home) -> list[str]:
    """Return the commands that start or stop charging, in order."""
    names = [path.rpartition("/")[2] for path in home.requests("/command/")]
    return [name for name in names if name in COMMANDS]


def _plan(home: Home) -> dict[str, Any]:
    return dict(home.shown(*START).attributes)


def _hours(home: Home) -> list[tuple[float, float]]:
    """Return the local hours of the day in which the plan charges."""
    return [
        tuple(moment.hour + moment.minute / 60 for moment in (slot["start"], slot["end"]))
        for slot in _plan(home)["slots"]
    ]


async def test_night(home: Home) -> None:
    """The car starts to charge when it is plugged in. It is stopped, sleeps, and charges in the cheap hours."""
    await _prepare(home)
    home.simulator.requests.clear()
    await _plug_in(home)
    assert _sent(home) == ["charge_stop"]
    assert home.shown(*CHARGING).state == "stopped"
    assert _hours(home) == [(3.25, 5.0)]
    assert _plan(home)["reason"] == "cheapest"
    assert home.shown(*START).state == "2026-05-05T10:15:00+00:00"
    await home.advance(15 * HOUR, step=60)
    assert home.shown(*STATE).state == "asleep"
    assert _sent(home) == ["charge_stop"]
    await home.advance_while_pending(3 * HOUR, step=30)
    assert _sent(home) == ["charge_stop", "charge_start"]
    assert len(home.requests("wake_up")) == 1
    assert home.shown(*CHARGING).state == "complete"
