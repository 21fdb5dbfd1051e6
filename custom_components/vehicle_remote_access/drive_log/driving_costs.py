"""What drives cost: the battery is a store of energy with an average price."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Final, NamedTuple, Self

from .entries import Charge, Drive, Entries

_LEAST_KNOWN: Final = 0.5
"""The share of the energy of a drive that must have a known price."""
_LEAST_ENERGY: Final = 1e-6
"""Less kWh are a rounding error."""


class DriveCost(NamedTuple):
    """What a drive cost."""

    known_share: float = 0.0
    """The share of its energy whose price is known. Below 1, the cost is an estimate."""
    cost: float | None = None
    """None if the price of too much of its energy is unknown."""


class EnergyStore(NamedTuple):
    """The energy in the battery, in kWh. It is empty when the log begins."""

    priced: float = 0.0
    unpriced: float = 0.0
    """Of charges without a cost. It is assumed to cost as much as the other energy."""
    cost: float = 0.0
    """What `priced` cost, to the cent."""

    @property
    def energy(self) -> float:
        return self.priced + self.unpriced

    @property
    def known_share(self) -> float:
        return self.priced / self.energy if self.energy > 0 else 0.0

    @property
    def price(self) -> float | None:
        """The price of one kWh, None if it is unknown for more than half of the energy."""
        return self.cost / self.priced if self.known_share >= _LEAST_KNOWN else None

    def charged(self, energy: float, cost: float | None) -> Self:
        if cost is None:
            return self._replace(unpriced=self.unpriced + energy)
        return self._replace(priced=self.priced + energy, cost=round(self.cost + cost, 2))

    def after_loss(self, energy: float, *, is_paid: bool) -> Self:
        """Return the store with at most this energy. `is_paid`: whether the loss takes its cost with it."""
        if energy >= self.energy:
            return self
        return self._with_energy(energy, self.cost * energy / self.energy if is_paid else self.cost)

    def used(self, energy: float) -> tuple[Self, DriveCost]:
        """Return the store after a drive, and its cost. A drive that regains energy costs nothing."""
        if self.energy < _LEAST_ENERGY:
            return self, DriveCost()
        cost = self.cost * min(1.0, max(0.0, energy) / self.energy)
        left = self._with_energy(max(0.0, self.energy - energy), self.cost - round(cost, 2))
        # If it needs more energy than the store has, the log lacks a charge.
        share = self.priced / max(energy, self.energy)
        return left, DriveCost(share, None if share < _LEAST_KNOWN else round(cost / share, 2))

    def _with_energy(self, energy: float, cost: float) -> Self:
        share = energy / self.energy
        return type(self)(self.priced * share, self.unpriced * share, round(cost, 2))


class DrivingCosts(NamedTuple):
    """The costs of drives with a known energy by id, and what is in the battery after the last one."""

    costs: Mapping[str, DriveCost]
    store: EnergyStore


def driving_costs(
    entries: Entries, energy_of: Callable[[Drive], float | None], currency: str
) -> DrivingCosts:
    """Return what the drives cost in a currency.

    A charge mixes its energy into the store at its cost, and a drive takes energy out at the average price.
    What a parked car loses makes the rest more expensive. If the energy of all drives is known, and the price
    of all energy, the drives and the store together cost what the charges cost.
    """
    store, costs = EnergyStore(), dict[str, DriveCost]()
    full = _full_energy(entries.charges)
    has_unknown_use = False
    drives = sorted(entries.drives, key=attrgetter("start"))
    both: list[Drive | Charge] = [*drives, *entries.charges]
    for entry in sorted(both, key=attrgetter("end")):
        if isinstance(entry, Charge):
            # The times of a drive and of the next charge can overlap, because they are guesses.
            started = bisect_right(drives, entry.start, key=attrgetter("start"))
            is_within_drive = started > 0 and drives[started - 1].end > entry.end
            if not is_within_drive:
                if full is not None and entry.end_battery is not None:
                    before = max(0.0, entry.end_battery / 100 * full - entry.energy_added)
                    store = store.after_loss(before, is_paid=has_unknown_use)
                has_unknown_use = False
            store = store.charged(entry.energy_added, entry.cost_in(currency))
        elif (energy := energy_of(entry)) is None:
            has_unknown_use = True
        else:
            store, costs[entry.id] = store.used(energy)
    return DrivingCosts(costs, store)


def _full_energy(charges: Iterable[Charge]) -> float | None:
    """Return about the energy of a full battery. It is known long before the capacity is exact enough."""
    energy = percent = 0.0
    for charge in charges:
        if charge.start_battery is not None and charge.end_battery is not None and charge.energy_added > 0:
            energy += charge.energy_added
            percent += charge.end_battery - charge.start_battery
    return 100 * energy / percent if percent > 0 else None
