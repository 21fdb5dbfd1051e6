"""The log as a file: CSV for spreadsheets, and what a JSON file has as `get_log` returns it."""

from collections.abc import Collection
import csv
from datetime import datetime
from io import StringIO
from typing import Any, Final, override

from .columns import COLUMNS, Column, Quantity, to_cell
from .view import LogView

# With it, Excel reads the file as UTF-8.
_BYTE_ORDER_MARK: Final = "\ufeff"


class LogExport(LogView):
    """Shows the entries of a log with all that is needed to import them again."""

    hidden_columns = frozenset()

    @override
    def period(self, start: float, end: float, kinds: Collection[str]) -> dict[str, Any]:
        log = super().period(start, end, kinds)
        log["units"]["temperature"] = self._units.temperature_unit
        return log

    def as_csv(self, start: float, end: float, kind: str) -> bytes:
        """Return the entries of one kind that ended in a period, with local times."""
        entries = self.period(start, end, (kind,))[kind]
        columns = [
            column
            for column in COLUMNS[kind]
            # Positions are only there if they are kept.
            if not column.is_position or any(column.name in entry for entry in entries)
        ]
        text = StringIO(newline="")
        text.write(_BYTE_ORDER_MARK)
        writer = csv.writer(text)
        writer.writerow(column.header(column.unit(self._units)) for column in columns)
        writer.writerows([self._cell(column, entry) for column in columns] for entry in entries)
        return text.getvalue().encode()

    def _cell(self, column: Column, entry: dict[str, Any]) -> Any:
        value = entry.get(column.name)
        if value is None:
            return ""
        match column.quantity:
            case Quantity.TIME:
                return datetime.fromisoformat(value).astimezone(self._units.zone).isoformat()
            case Quantity.WORDS:
                return to_cell(" ".join(value))
            case Quantity.TEXT:
                return to_cell(value)
        return value
