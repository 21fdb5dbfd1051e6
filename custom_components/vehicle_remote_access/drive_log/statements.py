"""The columns and rows of statements for an employer or a tax office: tagged drives, and charges at home.

An entry counts in the period in which it began. Each number is the one that the log shows, and each sum adds
up the numbers of its column. So a statement also agrees with the months.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final, NamedTuple

from .columns import to_csv
from .entries import Charge, Drive, MeasuredBy, has_exact_times
from .sums import known_sum
from .view import LogView

USUAL_TAGS: Final = ("business", "private", "commute")
"""Tags that are shown in the user's language. A test compares them with those in the scripts."""
IN_BATTERY: Final = "battery"
"""Beside `MeasuredBy`: nothing was measured, so the energy is what reached the battery."""
_CENT: Final = Decimal("0.01")
_TARIFF_DIGITS: Final = 4
_MOST_DIGITS: Final = 6

type Texts = Mapping[str, str]
"""The texts in a user's language by key."""
type Row = dict[str, Any]
"""Values by the name of the column. Times are local, such as `2026-10-30T07:15:00+01:00`."""


class StatementColumn(NamedTuple):
    """A column of a statement."""

    name: str
    title: str
    """The key of its text."""
    unit: str = ""
    digits: int | None = None
    """Those after the decimal point, None for a text or a time."""
    is_summed: bool = False
    words: Collection[str] = ()
    """The values that have a text. Its key is made of the title and the value."""

    def header(self, texts: Texts) -> str:
        title = texts[self.title]
        return texts["amount_in"].format(amount=title, unit=self.unit) if self.unit else title

    def cell(self, row: Row, texts: Texts) -> Any:
        value = row[self.name]
        return texts[f"{self.title}_{value}"] if value in self.words else value


@dataclass(frozen=True, slots=True)
class Statement:
    """The rows of a statement."""

    columns: Sequence[StatementColumn]
    rows: Sequence[Row]
    remarks: Mapping[str, int]
    """What a reader must know to understand the sums: keys of texts, each with the number of rows."""

    @property
    def sums(self) -> dict[str, float | None]:
        """Return the sum of each column, without its unknown values. It is None if all are unknown."""
        names = [column.name for column in self.columns if column.is_summed]
        return {name: known_sum(row[name] for row in self.rows) if self.rows else 0 for name in names}

    def as_json(self, texts: Texts) -> dict[str, Any]:
        return {
            "columns": [
                {"name": column.name, "title": column.header(texts), "digits": column.digits}
                for column in self.columns
            ],
            "rows": [[column.cell(row, texts) for column in self.columns] for row in self.rows],
            "approximate": [row["is_approximate"] for row in self.rows],
            "sums": self.sums,
            "remarks": [texts[key].format(count=count) for key, count in self.remarks.items() if count],
        }

    def as_csv(self, texts: Texts) -> bytes:
        """Return the same columns and rows, with the sums in the last row."""
        shown, sums = self.as_json(texts), self.sums
        last = [texts["total"], *(sums.get(column.name) for column in self.columns[1:])]
        return to_csv([column["title"] for column in shown["columns"]], [*shown["rows"], last])


def mileage_statement(
    view: LogView, start: float, end: float, tag: str | None, rate: float | None
) -> Statement:
    """Return the drives with a tag, or all drives. `rate`: the amount for each kilometer or mile."""
    drives = [drive for drive in view.entries.begun(start, end).drives if tag is None or drive.tag == tag]
    distance, currency = view.units.distance_unit, view.units.currency
    columns = [
        StatementColumn("start", "start"),
        StatementColumn("end", "end"),
        StatementColumn("start_place", "from_place"),
        StatementColumn("end_place", "to_place"),
        *([StatementColumn("tag", "tag", words=USUAL_TAGS)] if tag is None else []),
        StatementColumn("note", "note"),
        StatementColumn("start_odometer", "start_odometer", distance, 2),
        StatementColumn("end_odometer", "end_odometer", distance, 2),
        StatementColumn("distance", "distance", distance, 2, is_summed=True),
    ]
    rows = [_row(view, drive) for drive in drives]
    if rate is not None:
        columns += [
            StatementColumn("rate", "rate", f"{currency}/{distance}", _digits(rate)),
            StatementColumn("amount", "amount", currency, 2, is_summed=True),
        ]
        for row in rows:
            row |= {"rate": rate, "amount": _amount(row["distance"], rate)}
    remarks = {
        "unknown_distances": sum(row["distance"] is None for row in rows),
        "approximate_times": sum(row["is_approximate"] for row in rows),
    }
    return Statement(columns, rows, remarks)


def charging_statement(view: LogView, start: float, end: float, rate: float | None) -> Statement:
    """Return the charges at home. `rate`: the amount for each kWh. Without it, the amount is the cost."""
    begun = view.entries.begun(start, end).charges
    charges = [charge for charge in begun if view.zones.is_charge_at_home(charge)]
    own = view.units.currency
    others = {charge.currency for charge in charges if charge.currency is not None} - {own}
    currencies = [own, *(sorted(others) if rate is None else ())]
    rows = [_charge_row(view, charge, currencies, rate) for charge in charges]
    columns = [
        StatementColumn("start", "start"),
        StatementColumn("end", "end"),
        StatementColumn("note", "note"),
        StatementColumn("energy", "energy", "kWh", 2, is_summed=True),
        StatementColumn("measured_by", "measured_by", words=(*MeasuredBy, IN_BATTERY)),
    ]
    # Each currency has its own columns.
    for currency in currencies:
        columns += [
            StatementColumn(f"price_{currency}", "price", f"{currency}/kWh", _digits(rate)),
            StatementColumn(f"amount_{currency}", "amount", currency, 2, is_summed=True),
        ]
    remarks = {
        "statement_without_cost": rate is None and sum(charge.cost is None for charge in charges),
        "unknown_energies": sum(row["energy"] is None for row in rows),
        "statement_fixed_price": rate is not None,
        **{
            f"measured_by_{name}_means": sum(row["measured_by"] == name for row in rows)
            for name in (*MeasuredBy, IN_BATTERY)
        },
        "approximate_times": sum(row["is_approximate"] for row in rows),
    }
    return Statement(columns, rows, remarks)


def _charge_row(view: LogView, charge: Charge, currencies: Sequence[str], rate: float | None) -> Row:
    row = _row(view, charge)
    energy = row["energy"] = row["energy_added"] if row["energy_used"] is None else row["energy_used"]
    if row["energy_used"] is None and energy is not None:
        row["measured_by"] = IN_BATTERY
    for currency in currencies:
        amount, price = charge.cost_in(currency), rate
        if rate is not None:
            amount = _amount(energy, rate)
        elif amount is not None and energy:
            price = round(amount / energy, _TARIFF_DIGITS)
        row |= {f"price_{currency}": price, f"amount_{currency}": amount}
    return row


def _row(view: LogView, entry: Drive | Charge) -> Row:
    start, end = (view.units.local_time(at).isoformat(timespec="seconds") for at in (entry.start, entry.end))
    return view.shown(entry) | {"start": start, "end": end, "is_approximate": not has_exact_times(entry)}


def _digits(rate: float | None) -> int:
    """Return the digits of a price: those of a rate that was entered, or those of a usual tariff."""
    if rate is None:
        return _TARIFF_DIGITS
    return min(max(2, -int(Decimal(str(rate)).as_tuple().exponent)), _MOST_DIGITS)


def _amount(quantity: float | None, rate: float) -> float | None:
    """Return an amount of money as a person would calculate it: half a cent is rounded up."""
    if quantity is None:
        return None
    exact = Decimal(str(quantity)) * Decimal(str(rate))
    return float(exact.quantize(_CENT, ROUND_HALF_UP))
