"""What energy costs at each moment, and the units of prices, as sensors write them."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
import re
from typing import Any, Final, Self

from ..util.immutable import replace
from ..util.tariff import Tariff
from .entries import PriceChange, from_table, to_table

# While the price is unknown, the last one counts for this time.
_LONGEST_OUTAGE: Final = 3600.0
# A price that changes more often costs memory, and does not change what a charge costs.
_SHORTEST: Final = 60.0
_AT: Final = attrgetter("at")
# A hundredth of a currency, or a currency by its code, symbol or name. Only the case tells GBp from GBP.
_UNIT: Final = re.compile(
    r"""(?: (?P<rp>rp) | (?P<hundredth>(?-i:[A-Z]{2}[cp]) | gbx | p|pence | rappen | [øöo]re | snt|sentti\w*
            | (?:[a-z]{3}|euro|us|[$£€])?(?:cts?|cents?|[c¢]) | gr|gros\w+ | c[eéê]nt(?:im|av)[eo]s?
            | hal\w+ | fill[ée]r | bani? | stotink\w+ | kuru[sş] | pais[ae] | sen | kop\w* | коп\w*)
        | (?-i:[A-Z]{3}) | [a-z]{3}(?=/|pe?r) | (?-i:[A-Z]{0,3})[$£¥฿₠-₿] | euros? | kr | k[čc] | z[łl]
        | ft | lei | lv|лв | грн | rs | rm | tl | s?fr | r | ) (?:(?:/|pe?r)(?P<energy>[km]?wh).*)?""",
    re.VERBOSE | re.IGNORECASE,
)
_PER_UNIT: Final = {"mwh": 1000.0, "wh": 0.001}
# A kWh costs more rupiah, and fewer Rappen.
_RUPIAH: Final = 200.0


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices of one kWh: at home by a sensor or fixed, at some places, and elsewhere."""

    home: float | None = None
    """The fixed price at home."""
    tariff: Tariff | None = None
    """The fixed prices at home by the time of day, instead of `home`."""
    away: float | None = None
    places: Mapping[str, float] = field(default_factory=dict)
    """The prices at places away from home by name, instead of `away`."""
    source: str | None = None
    changes: Sequence[PriceChange] = ()
    """The changes of the sensor's price, which replace the fixed prices. The first one has a price."""

    @property
    def may_become_known(self) -> bool:
        """Whether a price that is unknown now may be set, or shown by the sensor, later."""
        return not self.changes or self.changes[-1].price is None

    @property
    def is_fixed(self) -> bool:
        """Whether the price at home is the same at all times."""
        return not self.changes and self.tariff is None

    def with_options(
        self,
        home: float | None,
        away: float | None,
        source: str | None,
        places: Mapping[str, float],
        tariff: Tariff | None = None,
    ) -> Self:
        changes = self.changes if source == self.source else ()
        return type(self)(home=home, tariff=tariff, away=away, places=places, source=source, changes=changes)

    def changed(self, at: float, price: float | None) -> Self:
        """Return the prices after the sensor changed. `price`: None if it became unavailable."""
        if self.changes and self.changes[-1].at <= at and self.changes[-1].price == price:
            return self
        changes = list(self.not_after(at).changes)
        if price is not None and changes and at - changes[-1].at < _SHORTEST:
            at = changes.pop().at
        last_price = changes[-1].price if changes else None
        if last_price != price:
            changes.append(PriceChange(at, price))
        return replace(self, changes=changes)

    def interrupted(self, at: float) -> Self:
        """Return the prices with an unknown price from this moment on. Home Assistant may have been off."""
        if self.may_become_known:
            return self
        return replace(self, changes=(*self.changes, PriceChange(max(at, self.changes[-1].at))))

    def since(self, start: float) -> Self:
        first = max(0, bisect_right(self.changes, start, key=_AT) - 1)
        if first and self.changes[first].price is None:
            first -= 1
        return replace(self, changes=self.changes[first:]) if first else self

    def not_after(self, now: float) -> Self:
        """Return the prices without a moment later than now: the clock can be set back."""
        return replace(self, changes=[change._replace(at=min(change.at, now)) for change in self.changes])

    def at_place(self, place: str | None) -> float | None:
        return self.away if place is None else self.places.get(place, self.away)

    def mean(self, start: float, end: float) -> float | None:
        """Return the mean price of a time at home, None if it is unknown at any moment of it."""
        if not self.changes:
            if self.tariff is None:
                return self.home
            changes = [PriceChange(*change) for change in self.tariff.changes(start, end)]
            return replace(self, changes=changes).mean(start, end)
        # The first known price also counts for the hour before it.
        if self.changes[0].at - start > _LONGEST_OUTAGE:
            return None
        first = max(0, bisect_right(self.changes, start, key=_AT) - 1)
        last = max(first + 1, bisect_left(self.changes, end, key=_AT))
        moments = [start, *map(_AT, self.changes[first + 1 : last]), end]
        total, price = 0.0, None
        for index, (begins, until) in enumerate(pairwise(moments), first):
            price = self._price_since(index, until)
            if price is None:
                return None
            total += price * (until - begins)
        return total / (end - start) if end > start else price

    def _price_since(self, index: int, until: float) -> float | None:
        """Return the price from a change to a moment before the next one."""
        at, price = self.changes[index]
        if price is not None:
            return price
        before, after = self.changes[index - 1].price, self.changes[index + 1 : index + 2]
        is_short = until - at <= _LONGEST_OUTAGE
        return before if is_short or (after and after[0].price == before) else None

    def as_json(self) -> dict[str, Any]:
        return {"source": self.source, "changes": to_table(PriceChange, self.changes)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(source=stored["source"], changes=from_table(PriceChange, stored["changes"]))


def is_price_unit(unit: Any) -> bool:
    return per_kwh(0.0, unit) is not None


def per_kwh(price: float | None, unit: Any) -> float | None:
    """Return the price of one kWh, None if its unit is not understood. Without a unit, it is per kWh."""
    if price is None or (found := _UNIT.fullmatch(re.sub(r"[\s.-]", "", str(unit or "")))) is None:
        return None
    price /= _PER_UNIT.get((found["energy"] or "").lower(), 1.0)
    is_hundredth = found["hundredth"] or (found["rp"] and price < _RUPIAH)
    return price / 100 if is_hundredth else price
