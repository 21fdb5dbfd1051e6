"""The cost of the requests of a month: counted, limited except for users, and shown."""

from datetime import timedelta
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import area_registry as ar, device_registry as dr
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.account.options import AccountOptions
from custom_components.vehicle_remote_access.account.request_budget import RequestBudget
from custom_components.vehicle_remote_access.api.service_types import TESLA_FLEET
from custom_components.vehicle_remote_access.device_info import account_device_info

from ..conftest import LIST, MINUTE, READ, Home, examples_in
from .fake_client import fake_client

SPENT: Final = "spent_this_month"
fleet = pytest.mark.parametrize("service", ["tesla_fleet"])


def _state(home: Home) -> Any:
    return home.shown("sensor", SPENT, home.entry.entry_id)


def _cost(home: Home) -> float:
    """Return what the requests cost that the service received."""
    prices = {READ: 1 / 500, "/command/": 1 / 1000, "/wake_up": 1 / 50}
    sent = [each for each in home.simulator.requests if each.status < 500]
    return sum(price for part, price in prices.items() for each in sent if part in each.path)


@fleet
async def test_spent_is_what_responses_below_500_cost(home: Home) -> None:
    home.simulator.requests.clear()
    before = 1 / 500
    assert home.entry.runtime_data.requests.spent == pytest.approx(before)
    home.car.fall_asleep()
    await home.poll()
    await home.run_until_complete(home.press("flash_lights"))
    await home.advance(MINUTE)
    home.simulator.faults.answer(500, times=3)
    with pytest.raises(HomeAssistantError):
        await home.press("refresh")
    await home.restart()
    home.simulator.faults.clear()
    await home.entry.runtime_data.async_poll_now()
    assert len(home.requests("/wake_up")) == len(home.requests("/command/")) == 1
    assert home.entry.runtime_data.requests.spent == pytest.approx(before + _cost(home))
    assert _state(home).state == f"{before + _cost(home):.2f}"
    assert _state(home).attributes["unit_of_measurement"] == "USD"


@pytest.mark.parametrize("service", ["tessie", "other"])
async def test_nothing_is_spent_without_prices(home: Home) -> None:
    assert home.entry.runtime_data.requests.spent is None
    with pytest.raises(AssertionError):
        _state(home)


@fleet
async def test_with_a_limit_of_0_only_users_read_the_car(home: Home) -> None:
    await home.set_account_options(spending_limit=0)
    home.start_drive(60)
    assert not await home.requests_during(20 * MINUTE, READ, step=20)
    assert home.requests(LIST)
    await home.press("refresh")
    await home.press("flash_lights")
    await home.advance(20)
    assert len(home.requests(READ)) == 3
    assert _state(home).attributes["left"] == 0


@fleet
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_trigger_fires_once_when_80_percent_are_spent(home: Home) -> None:
    await home.set_account_options(spending_limit=10)
    garage = ar.async_get(home.hass).async_get_or_create("Garage").id
    devices = dr.async_get(home.hass)
    account = devices.async_get_or_create(
        config_entry_id=home.entry.entry_id, **account_device_info(home.entry)
    )
    devices.async_update_device(account.id, area_id=garage)
    runs = await home.automate(examples_in("triggers/spending_near_limit.md")[0])
    client = home.entry.runtime_data.provider
    for wake_ups, expected in ((390, 0), (10, 1), (10, 1)):
        client.billed["wake_up"] += wake_ups
        await home.advance(6 * MINUTE, step=60)
        assert len(runs) == expected
    assert _state(home).attributes["left"] < 2
    # The spending limit also limits today's live reads.
    assert 0 < int(home.shown("sensor", "live_reads_left", home.entry.entry_id).state) < 2 / 28 / 0.002


def _budget(dollars: float, stored: dict[str, Any], **prices: float) -> RequestBudget:
    options = AccountOptions(spending_limit=dollars, prices=prices)
    return RequestBudget(fake_client(service_type=TESLA_FLEET), options, stored)


def test_what_is_left_is_divided_over_the_days_without_what_users_need(
    freezer: FrozenDateTimeFactory,
) -> None:
    freezer.move_to(dt_util.start_of_local_day().replace(2026, 11, 1))
    budget = _budget(6, {})
    assert budget.left(is_live_read=True) == 100
    client: Any = budget._client  # noqa: SLF001
    client.request_count = client.live_read_count = client.billed["live_read"] = 50
    assert budget.left(is_live_read=True) == 50
    client.billed["wake_up"] = 5
    assert budget.left(is_live_read=True) == 48
    # Ten cents a day for wake-ups, and 50 reads less than the budget of the first day
    freezer.tick(timedelta(days=1))
    budget = _budget(6.1, budget.as_json(is_last=True))
    assert budget.spent == pytest.approx(0.2)
    assert budget.left(is_live_read=True) == int((6.1 - 0.2 - 29 * 0.1) / 29 / 0.002)
    assert _budget(6, budget.as_json(is_last=True), live_read=0.004).spent == pytest.approx(0.3)
    # With free reads, there is nothing to limit.
    assert _budget(0, budget.as_json(is_last=True), live_read=0.0).left(is_live_read=True) is None
    freezer.tick(timedelta(days=29))
    budget = _budget(6, budget.as_json(is_last=True))
    assert budget.spent == 0
    assert budget.left(is_live_read=True) == int((6 - 31 * 0.05) / 31 / 0.002)
    # The clock was wrong.
    freezer.tick(timedelta(days=-29))
    budget.begin_day_if_new()
    assert budget.spent == pytest.approx(0.2)


def test_requests_for_the_costs_of_charges_leave_fewer_live_reads(freezer: FrozenDateTimeFactory) -> None:
    freezer.move_to(dt_util.start_of_local_day().replace(2026, 11, 30))
    budget = _budget(0.02, {})
    assert budget.left(is_live_read=True) == 10
    client: Any = budget._client  # noqa: SLF001
    client.request_count = client.billed["live_read"] = 4
    assert budget.left(is_live_read=True) == 6
    client.request_count = client.billed["live_read"] = 10
    client.live_read_count = 6
    assert budget.left(is_live_read=True) == 0
    assert budget.opens_at(is_live_read=True) > 0
