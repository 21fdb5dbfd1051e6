"""Entries as actions return them, and as files."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from .columns import COLUMNS, Column, Quantity, to_csv
from .entries import Entries
from .sums import entry_sums
from .units import LogUnits
from .view import LogView


def log_of(
    view: LogView, entries: Entries, kinds: Collection[str], *, for_import: bool = False
) -> dict[str, Any]:
    """Return the entries of some kinds, also `for_import`, and the totals of all."""
    sums = entry_sums(view, entries)
    temperature = {"temperature": view.units.temperature_unit} if for_import else {}
    return {
        **{
            kind: [view.shown(entry, for_import=for_import) for entry in entries_of_kind if kind in kinds]
            for kind, entries_of_kind in entries._asdict().items()
        },
        "totals": {name: sums[name] for name in ("distance", "energy_added", "cost")},
        "units": view.units.names | temperature,
    }


def csv_of(view: LogView, wanted: Entries, kind: str) -> bytes:
    """Return the entries of one kind with local times."""
    entries = [view.shown(entry, for_import=True) for entry in getattr(wanted, kind)]
    # Positions are only there if they are kept.
    known = {name for entry in entries for name in entry}
    columns = [column for column in COLUMNS[kind] if column.name in known or not column.is_position]
    return to_csv(
        [column.header(view.units.one_of(column.units)) for column in columns],
        ([_cell(column, entry.get(column.name), view.units) for column in columns] for entry in entries),
    )


def _cell(column: Column, value: Any, units: LogUnits) -> Any:
    match column.quantity:
        case Quantity.TIME if value is not None:
            return datetime.fromisoformat(value).astimezone(units.zone).isoformat()
        case Quantity.WORDS:
            return " ".join(value)
    return value
