"""The parts of a charge: what was measured, and what its use costs at home."""

from hypothesis import given, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.charges import CostAtHome, MeasuredUse
from custom_components.vehicle_remote_access.drive_log.prices import Prices

from .observations import NOON

AMOUNTS = st.floats(0, 50)


@given(st.lists(st.tuples(AMOUNTS, st.sampled_from([0.0, 60.0, 5000.0]), st.sampled_from([None, 0.3]))))
def test_all_that_was_used_has_a_cost_or_waits_for_it(
    uses: list[tuple[float, float, float | None]],
) -> None:
    prices, cost, now = Prices(source="sensor.price").changed(NOON, 0.3), CostAtHome(), NOON
    for used, seconds, price in uses:
        prices = prices.changed(now, price)
        cost = cost.with_use(used, now, now + seconds, prices)
        now += seconds
        assert cost.cost is not None
        waiting = cost.unpriced or 0.0
        assert cost.cost == pytest.approx((cost.used - waiting) * 0.3)
        assert (cost.unpriced_since is None) == (cost.unpriced is None)
        assert cost.cost_at_home(prices, now) == (None if waiting else cost.cost)
    assert cost.used == pytest.approx(sum(used for used, *_ in uses))


@given(AMOUNTS, AMOUNTS, st.sampled_from(["ac", "dc", None]))
def test_at_least_what_reached_the_battery_is_billed(used: float, added: float, current: str | None) -> None:
    measured = MeasuredUse(current=current, measured_used=used, measured_added=added)
    assert measured.billed(0.9) >= added
    assert measured.efficiency is None or 0 < measured.efficiency <= 1
    assert measured.is_possible or current != "dc"
