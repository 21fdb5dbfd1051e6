"""Units of prices, as sensors write them."""

import re
from typing import Final

# A hundredth of a currency, or a currency by its code, symbol or name. Only the case tells GBp from GBP.
_PRICE: Final = re.compile(
    r"""(?: (?P<rp>rp) | (?P<hundredth>(?-i:[A-Z]{2}[cp]) | gbx | p|pence | rappen | [øöo]re | snt|sentti\w*
            | (?:[a-z]{3}|euro|us|[$£€])?(?:cts?|cents?|[c¢]) | gr|gros\w+ | c[eéê]nt(?:im|av)[eo]s?
            | hal\w+ | fill[ée]r | bani? | stotink\w+ | kuru[sş] | pais[ae] | sen)
        | (?-i:[A-Z]{3}) | [a-z]{3}(?=/|pe?r) | (?-i:[A-Z]{0,3})[$£¥฿₠-₿] | euros? | kr | k[čc] | z[łl]
        | ft | lei | lv|лв | грн | rs | rm | tl | s?fr | r | ) (?:(?:/|pe?r)(?P<energy>[km]?wh).*)?""",
    re.VERBOSE | re.IGNORECASE,
)
_PER_UNIT: Final = {"mwh": 1000.0, "wh": 0.001}
# A kWh costs more rupiah, and fewer Rappen.
_RUPIAH: Final = 200.0


def per_kwh(price: float, unit: str) -> float | None:
    """Return the price of one kWh, None if its unit is not understood. Without a unit, it is per kWh."""
    if (found := _PRICE.fullmatch(re.sub(r"[\s.-]", "", unit))) is None:
        return None
    price /= _PER_UNIT.get((found["energy"] or "").lower(), 1.0)
    is_hundredth = found["hundredth"] or (found["rp"] and price < _RUPIAH)
    return price / 100 if is_hundredth else price
