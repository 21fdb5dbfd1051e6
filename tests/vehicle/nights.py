"""Nights at home with the charging plan: what tests prepare, let happen, and look at."""

from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.util import dt as dt_util

from custom_components.vehicle_remote_access.drive_log.entries import Charge, Entries

from ..conftest import CHARGING, HOUR, MINUTE, Home

PLAN: Final = ("switch", "charging_plan")
START: Final = ("sensor", "charging_plan.start")
READY_BY: Final = ("time", "charging_plan.ready_by")
CHARGE: Final = ("switch", CHARGING[1])
LIMIT: Final = ("number", "charge_state.charge_limit_soc")
PRICE: Final = "sensor.price"


def set_prices(home: Home, *cheap: int, hours: int = 24) -> None:
    """List the prices of each hour until so many hours from now: 10 cents in the cheap ones, else 30."""
    now = dt_util.now().replace(minute=0, second=0, microsecond=0)
    rows = []
    for hour in range(-12, hours):
        start = now + timedelta(hours=hour)
        price = 0.1 if start.hour in cheap else 0.3
        rows.append({"start": start.isoformat(), "price": price})
    home.hass.states.async_set(PRICE, "0.3", {"unit_of_measurement": "EUR/kWh", "prices": rows})


async def prepare(home: Home, *, level: float = 60.0, **options: Any) -> None:
    """Let an unplugged car be at home, with the plan on, and with known charges of 10 kWh per hour."""
    car, now = home.car, dt_util.utcnow().timestamp()
    await home.hass.config.async_update(latitude=car.home.latitude, longitude=car.home.longitude)
    car.unplug()
    car.set_level(level)
    charges = [
        Charge(
            f"charge-{number}",
            now - (30 - number) * 24 * HOUR,
            now - (30 - number) * 24 * HOUR + 2 * HOUR,
            start_energy=20.0 * number,
            end_energy=20.0 * (number + 1),
            start_battery=50.0,
            end_battery=76.0,
            latitude=car.home.latitude,
            longitude=car.home.longitude,
        )
        for number in range(5)
    ]
    await home.coordinator.log_manager.async_insert(Entries(charges=charges))
    await home.set_car_options(**({"price_entity": PRICE} | options))
    set_prices(home, 2, 3, 4)
    await home.call("switch", "turn_on", PLAN[1])
    await home.poll()


async def plug_in(home: Home) -> None:
    """Plug the car in. It starts by itself, and within two minutes the plan knows the power of tonight."""
    home.car.plug_in()
    await home.poll()
    await home.advance(2 * MINUTE)


def commands_sent(home: Home) -> list[str]:
    """Return what starts, stops or wakes the car since the last call, in order."""
    names = [path.rpartition("/")[2] for path in home.requests()]
    home.simulator.requests.clear()
    return [name for name in names if name in ("charge_start", "charge_stop", "wake_up")]


async def during(home: Home, hours: float) -> list[str]:
    """Let hours pass, and return what starts, stops or wakes the car in them."""
    sent = []
    while hours > 0:
        await home.advance_while_pending(min(hours, 0.25) * HOUR, step=30)
        sent += commands_sent(home)
        hours -= 0.25
    return sent


async def until_start(home: Home, hours_before: float = 0.1) -> list[str]:
    """Let time pass until shortly before the planned start, and return what was sent."""
    start = dt_util.parse_datetime(home.shown(*START).state, raise_on_error=True)
    return await during(home, (start - dt_util.utcnow()).total_seconds() / HOUR - hours_before)


def plan_reason(home: Home) -> str:
    shown = home.shown(*START)
    return str(shown.attributes.get("reason", shown.state))


def planned_hours(home: Home) -> list[tuple[float, float]]:
    """Return the local hours of the day in which the plan charges."""

    def hour(moment: datetime) -> float:
        return moment.hour + moment.minute / 60

    return [(hour(slot["start"]), hour(slot["end"])) for slot in home.shown(*START).attributes["slots"]]


async def read_wrong(home: Home, wrong: dict[str, Any], times: int = 1) -> None:
    """Read the car so many times while paths have other values."""
    for path, value in wrong.items():
        home.simulator.faults.corrupt(path, value)
    for _ in range(times):
        home.skip(20)
        await home.poll()
    home.simulator.faults.clear()
