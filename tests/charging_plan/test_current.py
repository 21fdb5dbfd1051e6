"""The cars share what the house leaves, and a current changes only if that is worth a command."""

from dataclasses import replace
import math
from typing import Any

import pytest

from custom_components.vehicle_remote_access.charging_plan.current import (
    MOST_CHANGES,
    CarLoad,
    HouseReading,
    HouseShare,
    SurplusCharge,
    house_shares,
)

NOW = 1_000_000.0


def _load(**values: Any) -> CarLoad:
    known: dict[str, Any] = {
        "drawn": 0.0,
        "least": 5.0,
        "most": 16.0,
        "watts": 690.0,
        "wants_charge": True,
        "takes_surplus": True,
        "priority": (True, NOW),
    }
    return CarLoad(**known | values)


def _shares(reading: HouseReading, *loads: CarLoad) -> list[HouseShare]:
    shares = house_shares(dict(enumerate(loads)), reading)
    return [shares[index] for index in range(len(loads))]


def _limits(reading: HouseReading, *loads: CarLoad) -> list[float | None]:
    return [share.limit for share in _shares(reading, *loads)]


def test_limit() -> None:
    """The car that must be ready first gets what it can take. No car gets less than it needs."""
    first, later = _load(priority=(True, NOW - 1)), _load()
    assert _limits(HouseReading(available=30), later, first) == [14, 30]
    assert _limits(HouseReading(available=20), later, first) == [4, 20]
    # A person's charge comes first.
    assert _limits(HouseReading(available=20), later._replace(priority=(False, NOW)), first) == [20, 4]
    # A car that does not charge now leaves all to the others.
    assert _limits(HouseReading(available=20), later, first._replace(wants_charge=False)) == [20, 20]
    # A car that needs more than is left does not keep it from the next one.
    assert _limits(HouseReading(available=8), later, first._replace(least=10)) == [8, 8]
    assert _limits(HouseReading(available=690 * 20, is_in_watts=True), later, first) == [4, 20]
    assert _limits(HouseReading(available=None), later, first) == [None, None]
    assert _limits(HouseReading(), later, first) == [math.inf, math.inf]


def test_car_takes_more_only_after_another_one_has_taken_less() -> None:
    first, later = _load(drawn=6, priority=(True, NOW - 1)), _load(drawn=14)
    assert _limits(HouseReading(available=20), first, later) == [6, 4]
    assert _limits(HouseReading(available=20), first, later._replace(drawn=0)) == [20, 4]


def test_surplus() -> None:
    """Cars that charge anyway use it first, and then the car that must be ready first."""
    first, later = (_load(wants_charge=False, priority=(True, NOW + each)) for each in (-1, 0))
    for watts, amps in ((690 * 20, [20, 4]), (690 * 4, [4, 4]), (-100, [0, 0])):
        shares = _shares(HouseReading(surplus=watts, has_surplus=True), first, later)
        assert [share.surplus for share in shares] == amps
    planned = later._replace(wants_charge=True, drawn=10)
    shares = _shares(HouseReading(surplus=690 * 18), first, planned)
    assert [share.surplus for share in shares] == [8, 18]
    assert _shares(HouseReading(surplus=None), first)[0].surplus is None


def _after(charge: SurplusCharge, *surpluses: float | None, step: float = 60.0) -> SurplusCharge:
    for index, surplus in enumerate(surpluses):
        charge = charge.next(NOW + step * index, 1, surplus, 5)
    return charge


def test_starts_and_stops() -> None:
    assert not _after(SurplusCharge(), *[6] * 5).is_on
    on = _after(SurplusCharge(), *[6] * 6)
    assert on.is_on
    # A cloud of two minutes begins the wait again.
    assert not _after(SurplusCharge(), *[6] * 4, 4, *[6] * 5).is_on
    # A car that charges takes up to half of its least current from the grid.
    assert _after(on, *[3] * 20).is_on
    assert _after(on, *[2] * 10).is_on
    assert not _after(on, *[2] * 11).is_on
    assert not _after(on, *[None] * 11).is_on


@pytest.mark.parametrize(("is_on", "surplus", "changes_it"), [(False, 6, False), (True, 0, True)])
def test_changes_of_a_day(*, is_on: bool, surplus: float, changes_it: bool) -> None:
    """When they are used up, the car can only stop. On the next day, it can start again."""
    used = SurplusCharge(is_on=is_on, day=1, changes=MOST_CHANGES - 1)
    assert (_after(used, *[surplus] * 20).is_on is not is_on) is changes_it
    assert _after(replace(used, day=0), *[surplus] * 20).is_on is not is_on


def test_current_that_is_worth_a_command() -> None:
    charge = SurplusCharge(changed_at=NOW)
    assert not charge.is_worth(NOW + 59, 30)
    assert charge.is_worth(NOW + 60, 10)
    assert not charge.is_worth(NOW + 299, -2)
    assert charge.is_worth(NOW + 300, -2)
    changed = charge.changed(NOW + 300, by_surplus=True)
    assert (changed.changed_at, changed.changes) == (NOW + 300, 1)
    assert charge.changed(NOW, by_surplus=False).changes == 0
