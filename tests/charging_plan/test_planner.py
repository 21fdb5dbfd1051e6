"""The plan reaches the limit in time, in the cheapest hours that are known, and says why."""

from itertools import combinations, groupby
from random import Random
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.charging_plan.cheapest import SHORTEST_BLOCK, cheapest_blocks
from custom_components.vehicle_remote_access.charging_plan.planner import (
    ChargingNeed,
    make_charging_plan,
    merged,
)
from custom_components.vehicle_remote_access.charging_plan.slots import Slot
from custom_components.vehicle_remote_access.drive_log.estimates import ChargingSpeed

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
SIX: Final = 1_800_000_000.0 // DAY * DAY + 18 * HOUR
"""Six in the evening"""
READY_BY: Final = SIX + 13 * HOUR
SPEED: Final = ChargingSpeed(added=10.0, used=11.0, per_percent=0.75)
# From six in the evening, for each hour until seven
PRICES: Final = (40, 38, 35, 30, 28, 25, 20, 10, 12, 11, 15, 22, 30)


def _hours(*cents: float | None, start: float = SIX) -> list[Slot]:
    return [
        Slot(start + index * HOUR, start + (index + 1) * HOUR, None if price is None else price / 100)
        for index, price in enumerate(cents)
    ]


def _need(**values: Any) -> ChargingNeed:
    needed: dict[str, Any] = {"now": SIX, "ready_by": READY_BY, "energy": 30.0, "speed": SPEED}
    return ChargingNeed(**{**needed, "prices": _hours(*PRICES), **values})


def _charges(**values: Any) -> tuple[str, list[tuple[float, float]]]:
    """Return the reason of the plan, and the hours after six in the evening in which it charges."""
    plan = make_charging_plan(_need(**values))
    return plan.reason, [((slot.start - SIX) / HOUR, (slot.end - SIX) / HOUR) for slot in plan.slots]


def test_cheapest_hours() -> None:
    plan = make_charging_plan(_need())
    assert _charges() == ("cheapest", [(7, 8), (8, 9), (9, 10)])
    assert (plan.is_reachable, plan.missing, plan.energy) == (True, 0, 30)
    # The charger draws 33 kWh at 11 cents on average.
    assert plan.cost == pytest.approx(3.63)
    assert plan.prices == _hours(*PRICES)
    assert (plan.is_charging_at(SIX), plan.is_charging_at(SIX + 7 * HOUR)) == (False, True)
    assert plan.changes_at(SIX) == SIX + 7 * HOUR
    assert plan.changes_at(SIX + 7 * HOUR) == SIX + 10 * HOUR


def test_plan_in_the_middle_of_a_step_needs_no_other_number_of_steps() -> None:
    since = SIX + 7 * HOUR
    followed = [
        _charges(now=since + minutes * 60, energy=28 - minutes / 6, charges_until=since)
        for minutes in (0, 6, 14, 21)
    ]
    assert [charged[0][0] for _, charged in followed] == [7, 7, 7, 7.25]
    assert all(charged[-1][1] == 10 for _, charged in followed)
    assert all(sum(end - start for start, end in charged) == 3 for _, charged in followed[:3])


def test_ends_a_quarter_of_an_hour_early() -> None:
    """The speed of charging is not known exactly."""
    assert _charges(prices=_hours(*([30] * 12), 1), energy=10) == ("cheapest", [(11.75, 12), (12, 12.75)])


def test_unknown_price_is_that_of_the_day_before() -> None:
    """Prices after midnight come in the afternoon. Until then, the last night says which hours are cheap."""
    last_night = _hours(*PRICES, start=SIX - DAY)
    prices = [*last_night, *_hours(*PRICES[:6])]
    assert _charges(prices=prices) == ("some_unknown", [(7, 10)])
    plan = make_charging_plan(_need(prices=prices))
    assert plan.cost is None
    unknown = [slot for slot in plan.prices if slot.price is None]
    assert (unknown[0].start, unknown[-1].end) == (SIX + 6 * HOUR, READY_BY)
    assert [slot.estimate for slot in unknown] == [slot.price for slot in merged(last_night[6:])]


def test_car_charges_at_once_and_reaches_the_limit_if_only_the_reserve_is_enough() -> None:
    plan = make_charging_plan(_need(energy=129.0))
    assert (plan.reason, plan.start, plan.end, plan.missing) == ("cheapest", SIX, READY_BY, 0)


def test_too_late() -> None:
    plan = make_charging_plan(_need(energy=150.0))
    assert (plan.reason, plan.start, plan.is_reachable, plan.energy) == ("too_late", SIX, False, 130)
    assert plan.missing == 20


def test_less_than_a_percent_is_not_too_late() -> None:
    """Levels are in whole percent. A plan that was too late stays so while anything is missing."""
    for is_too_late, reason, missing in ((False, "cheapest", 0), (True, "too_late", 0.5)):
        plan = make_charging_plan(_need(energy=130.5, is_too_late=is_too_late))
        assert (plan.reason, plan.missing) == (reason, missing)
    assert _charges(energy=129.9, is_too_late=True)[0] == "cheapest"


def test_low_battery_is_charged_at_once() -> None:
    assert _charges(urgent=5.0)[1] == [(0, 0.5), (7, 8), (8, 9), (9, 9.5)]


def test_running_charge_is_not_stopped_too_early() -> None:
    assert _charges(charges_until=SIX + 1200)[1][0] == (0, 0.5)
    assert _charges(charges_until=SIX)[1][0] == (7, 8)


def test_running_charge_goes_on_if_later_is_not_cheaper() -> None:
    prices = _hours(*([30] * 13))
    assert _charges(prices=prices, charges_until=SIX) == ("latest", [(0, 3)])


def test_at_limit_and_unknown_speed() -> None:
    assert _charges(energy=0.0) == ("at_limit", [])
    assert _charges(speed=None) == ("speed_unknown", [(0, 13)])


def test_mixed_lengths() -> None:
    """A step costs the mean of the prices in it. A gap makes it unknown."""
    parts = [Slot(SIX + 300 * index, SIX + 300 * (index + 1), index / 10) for index in range(3)]
    prices = [*parts, *_hours(9, start=SIX + HOUR)]
    plan = make_charging_plan(_need(ready_by=SIX + 2 * HOUR, energy=5.0, prices=prices))
    assert plan.prices[0][:2] == (SIX, SIX + 900)
    assert plan.prices[0].price == pytest.approx(0.1)
    assert plan.prices[1][:3] == (SIX + 900, SIX + HOUR, None)


def _by_trying_all(
    prices: list[int], steps: int, starts: int, running: int | None, start_price: int
) -> tuple[int, int, int] | None:
    """Return the lowest cost, its starts, and how early its steps are. None if no steps are allowed."""
    found = []
    for chosen in combinations(range(len(prices)), steps):
        blocks = [
            [index for _, index in block]
            for _, block in groupby(enumerate(chosen), key=lambda each: each[1] - each[0])
        ]
        if running is not None:
            if chosen[:running] != tuple(range(min(running, steps))):
                continue
            if blocks[0][0] == 0:
                del blocks[0]
        if len(blocks) <= starts and all(len(block) >= SHORTEST_BLOCK for block in blocks):
            cost = sum(prices[index] for index in chosen) + start_price * len(blocks)
            found.append((cost, len(blocks), -sum(chosen)))
    return min(found, default=None)


def test_same_as_trying_all() -> None:
    """In 10,000 random cases, the cost is the lowest. Of equal costs, the starts are the fewest."""
    random = Random(1)  # noqa: S311 - it is no secret
    for case in range(10_000):
        # Few different prices, so that many costs are equal
        prices = [random.randint(-2, 5) for _ in range(random.randint(2, 10))]
        steps, can_pause = random.randint(1, len(prices)), random.random() < 0.5
        running, start_price = random.choice([None, None, 0, 1, 3]), random.choice([0, 0, 1, 2])
        blocks = cheapest_blocks(prices, steps, running, start_price, can_pause=can_pause)
        chosen = [index for block in blocks for index in block]
        if running is None:
            steps = max(steps, SHORTEST_BLOCK)
        starts = 2 if running is None and can_pause else 1
        expected = _by_trying_all(prices, steps, starts, running, start_price)
        begun = len(blocks) - (running is not None and blocks[0].start == 0)
        found = sum(prices[index] for index in chosen) + start_price * begun, begun, -sum(chosen)
        assert found == expected, (case, prices, blocks)
