"""What drives cost: the drives and the battery together cost what the charges cost."""

from operator import attrgetter
from typing import Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.driving_costs import EnergyStore, driving_costs
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Entries

RANGE: Final = attrgetter("range_used")
"""Here, the energy of a drive is as much as its range."""
_ENTRIES: Final = st.lists(
    st.tuples(
        st.sampled_from(["drive", "charge"]),
        # kWh. A drive can regain energy.
        st.floats(-2, 40),
        # A price can be negative.
        st.floats(-20, 60),
        st.one_of(st.none(), st.floats(0, 100)),
    ),
    max_size=60,
)


def _entries(*rows: tuple[str, float, float | None, float | None]) -> Entries:
    """Return entries of a kind with an energy, a cost, and the level after a charge of 60 kWh at 100%."""
    drives, charges = [], []
    for number, (kind, energy, cost, level) in enumerate(rows):
        times = (number * 100.0, number * 100.0 + 50)
        if kind == "drive":
            drives.append(Drive(f"drive-{number}", *times, range_used=energy))
        else:
            charges.append(
                Charge(
                    f"charge-{number}",
                    *times,
                    start_energy=0.0,
                    end_energy=max(0.0, energy),
                    start_battery=None if level is None else level - energy / 60 * 100,
                    end_battery=level,
                    cost=cost,
                    currency=None if cost is None else "EUR",
                )
            )
    return Entries(drives, charges)


def _costs(*rows: tuple[str, float, float | None, float | None]) -> tuple[list[float | None], EnergyStore]:
    entries = _entries(*rows)
    costs, store = driving_costs(entries, RANGE, "EUR")
    return [costs[drive.id].cost if drive.id in costs else None for drive in entries.drives], store


@settings(max_examples=300, deadline=None)
@given(_ENTRIES)
def test_drives_and_battery_cost_what_was_paid(
    rows: list[tuple[str, float, float, float | None]],
) -> None:
    entries = _entries(*rows)
    costs, store = driving_costs(entries, RANGE, "EUR")
    # Where the log lacks charges, a drive took all that was left. Its cost is an estimate, or unknown.
    paid = sum(charge.cost_in("EUR") or 0.0 for charge in entries.charges)
    if all(each.known_share > 1 - 1e-9 for each in costs.values()):
        assert sum(each.cost or 0.0 for each in costs.values()) + store.cost == pytest.approx(paid, abs=0.005)
    assert store.energy >= 0
    assert all(0 <= each.known_share <= 1.000001 for each in costs.values())


def test_drive_costs_the_average_price_of_what_is_in_the_battery() -> None:
    costs, store = _costs(("charge", 20, 4, None), ("charge", 20, 12, None), ("drive", 10, None, None))
    assert costs == [4]
    assert (store.energy, store.cost, store.price) == (30, 12, 0.4)


def test_charge_without_a_cost_leaves_the_average() -> None:
    costs, store = _costs(("charge", 20, 5, None), ("charge", 20, None, None), ("drive", 10, None, None))
    assert costs == [2.5]
    assert (store.known_share, store.price) == (0.5, 0.25)


def test_cost_is_unknown_below_half_of_the_energy() -> None:
    costs, store = _costs(("charge", 19, 5, None), ("charge", 21, None, None), ("drive", 10, None, None))
    assert costs == [None]
    assert store.price is None


def test_drive_before_the_first_charge_has_no_cost() -> None:
    costs, _ = _costs(("drive", 10, None, None), ("charge", 20, 5, None), ("drive", 10, None, None))
    assert costs == [None, 2.5]


def test_drive_that_used_more_than_the_log_knows_costs_the_average_price_for_all_of_it() -> None:
    rows = (("charge", 20.0, 5.0, None), ("drive", 22.0, None, None), ("drive", 1.0, None, None))
    costs, store = _costs(*rows)
    assert costs == [5.5, None]
    assert (store.energy, store.cost) == (0, 0)


@pytest.mark.parametrize("without_cost", [0.0, 1.0, 4.15, 5.0])
def test_cost_of_a_drive_whose_price_is_partly_known_is_that_of_its_whole_energy(without_cost: float) -> None:
    """The price of the rest is unknown because a charge has no cost, because the log lacks one, or both."""
    entries = _entries(
        ("charge", 5.85, 1.95, None), ("charge", without_cost, None, None), ("drive", 10, None, None)
    )
    ((known, cost),) = driving_costs(entries, RANGE, "EUR").costs.values()
    assert cost == 3.33
    assert known == pytest.approx(5.85 / max(10, 5.85 + without_cost))


def test_what_a_parked_car_loses_makes_the_rest_more_expensive() -> None:
    # 30 kWh were charged, and only 24 were left before the next charge.
    rows = (("charge", 30.0, 6.0, None), ("charge", 6.0, 1.5, 50.0), ("drive", 30.0, None, None))
    assert _costs(*rows) == ([7.5], EnergyStore())


def test_energy_of_a_drive_with_unknown_energy_takes_its_cost_with_it() -> None:
    entries = _entries(
        ("charge", 30, 6, None), ("drive", 0, None, None), ("charge", 6, 1.2, 50), ("drive", 30, None, None)
    )
    costs, _ = driving_costs(entries, lambda drive: drive.range_used or None, "EUR")
    assert [each.cost for each in costs.values()] == [6]


def test_merged_drive_pays_for_the_charge_within_it() -> None:
    entries = _entries(
        *(("charge", 40, 12, 90), ("drive", 35, None, None), ("charge", 40, 24, 75)),
        *(("drive", 30, None, None), ("charge", 30, 9, 75), ("drive", 10, None, None)),
    )
    first, second, *others = entries.drives
    merged = first._replace(end=second.end, range_used=65)
    costs, store = driving_costs(entries._replace(drives=[merged, *others]), RANGE, "EUR")
    assert [each.cost for each in costs.values()] == [29.25, 3.5]
    assert (store.energy, store.cost) == (35, 12.25)


def test_drive_does_not_pay_for_the_charge_after_it_if_their_guessed_times_overlap() -> None:
    entries = _entries(("charge", 40, 12, 90), ("drive", 35, None, None), ("charge", 40, 24, 75))
    (drive,) = entries.drives
    overlapping = entries._replace(drives=[drive._replace(end=entries.charges[1].start + 10)])
    for each in (entries, overlapping):
        costs, _ = driving_costs(each, RANGE, "EUR")
        assert costs[drive.id].cost == 10.5


def test_charge_in_another_currency_has_no_known_price() -> None:
    entries = _entries(("charge", 20, 5, None), ("drive", 10, None, None))
    costs, store = driving_costs(entries, RANGE, "DKK")
    assert [each.cost for each in costs.values()] == [None]
    assert store.price is None
