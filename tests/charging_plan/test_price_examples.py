"""The template sensors of the documentation show prices that are read."""

from datetime import UTC, datetime, timedelta
from typing import Any

from homeassistant.components.recorder.db_schema import MAX_STATE_ATTRS_BYTES
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.json import json_bytes
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.json import JsonValueType
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, async_fire_time_changed

from custom_components.vehicle_remote_access.charging_plan.price_list import read_prices
from custom_components.vehicle_remote_access.charging_plan.slots import Slot

from ..conftest import examples_in

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Template sensors wait for their next quarter of an hour."""
    return True


@pytest.fixture(autouse=True)
async def noon_in_stockholm(hass: HomeAssistant, freezer: Any) -> None:
    await hass.config.async_set_time_zone("Europe/Stockholm")
    freezer.move_to(NOW - timedelta(minutes=1))


async def sensor_of_example(hass: HomeAssistant, freezer: Any, action: str) -> list[Slot]:
    """Set up the example that calls an action, and read the prices of its sensor.

    The recorder drops attributes that are too large, and warns.
    """
    (example,) = [
        example
        for example in examples_in("charging.md")
        if "template" in example
        and any(step.get("action") == action for block in example["template"] for step in block["actions"])
    ]
    assert await async_setup_component(hass, "template", example)
    await hass.async_block_till_done()
    freezer.move_to(NOW)
    async_fire_time_changed(hass, NOW)
    await hass.async_block_till_done()
    state = hass.states.get("sensor.electricity_price")
    assert state is not None
    assert len(json_bytes(dict(state.attributes))) <= MAX_STATE_ATTRS_BYTES
    unit = state.attributes["unit_of_measurement"]
    zone = dt_util.get_default_time_zone()
    return read_prices(state.attributes, unit, float(state.state), NOW.timestamp(), zone)


def quarters(first: datetime, days: int = 1) -> list[datetime]:
    """Return the times at which the prices of these days start."""
    return [first + timedelta(minutes=15 * index) for index in range(96 * days)]


@pytest.mark.parametrize("is_tomorrow_known", [True, False])
async def test_nord_pool(hass: HomeAssistant, freezer: Any, *, is_tomorrow_known: bool) -> None:
    """The action answers as homeassistant/components/nordpool/services.py does: per MWh, times in UTC."""
    entry = MockConfigEntry(domain="nordpool")
    entry.add_to_hass(hass)
    er.async_get(hass).async_get_or_create(
        "sensor", "nordpool", "x", object_id_base="nord_pool_se3_current_price", config_entry=entry
    )

    async def prices(call: ServiceCall) -> ServiceResponse:
        assert (call.data["config_entry"], call.data["areas"]) == (entry.entry_id, "SE3")
        day = datetime.fromisoformat(call.data["date"]).replace(tzinfo=dt_util.get_default_time_zone())
        is_today = call.data["date"] == "2026-11-20"
        assert is_today or call.data["date"] == "2026-11-21"
        if not (is_today or is_tomorrow_known):
            return {"SE3": []}
        return {
            "SE3": [
                {
                    "start": start.isoformat(),
                    "end": (start + timedelta(minutes=15)).isoformat(),
                    "price": 250.73 + index - is_today,
                }
                for index, start in enumerate(quarters(day.astimezone(UTC)))
            ]
        }

    hass.services.async_register(
        "nordpool", "get_prices_for_date", prices, supports_response=SupportsResponse.ONLY
    )
    slots = await sensor_of_example(hass, freezer, "nordpool.get_prices_for_date")
    assert len(slots) == (192 if is_tomorrow_known else 96)
    assert slots[0].start == datetime(2026, 11, 19, 23, tzinfo=UTC).timestamp()
    assert slots[0].price == pytest.approx((0.24973 + 0.5) * 1.25, abs=1e-5)
    state = hass.states.get("sensor.electricity_price")
    assert state is not None
    assert float(state.state) == slots[52].price


async def test_tibber(hass: HomeAssistant, freezer: Any) -> None:
    """The action answers as homeassistant/components/tibber/services.py does: per kWh, times as text."""
    hass.states.async_set("sensor.electricity_price_home", "0.263", {"unit_of_measurement": "EUR/kWh"})
    first = datetime(2026, 11, 20, tzinfo=dt_util.get_default_time_zone())

    async def prices(call: ServiceCall) -> ServiceResponse:
        start, end = (dt_util.parse_datetime(call.data[key]) for key in ("start", "end"))
        assert (start, end) == (first, first + timedelta(days=2))
        rows: list[JsonValueType] = [
            {"start_time": at.isoformat(timespec="milliseconds"), "price": 0.25123 + index / 1000}
            for index, at in enumerate(quarters(first, days=2))
        ]
        return {"prices": {"Home": rows}}

    hass.services.async_register("tibber", "get_prices", prices, supports_response=SupportsResponse.ONLY)
    slots = await sensor_of_example(hass, freezer, "tibber.get_prices")
    assert [slot.price for slot in slots] == pytest.approx([0.25123 + index / 1000 for index in range(192)])
    assert (slots[0].start, slots[-1].end) == (first.timestamp(), (first + timedelta(days=2)).timestamp())
