"""What can still be read of a damaged file of a log, with or without line breaks between its values."""

from contextlib import suppress
from json import JSONDecoder
import re
from typing import Any, Final

from ..api.value_types import COUNT
from ..util.immutable import replace
from ..util.stored import DAMAGED
from .drive_log import DriveLog
from .entries import ENTRY_TYPES, from_table, to_table, with_own_ids

_DECODER: Final = JSONDecoder()
_AFTER_VALUE: Final = re.compile(r"\s*[],]\s*")


def read_damaged(text: str) -> dict[str, Any]:
    """Return a valid file: that of a new log, with all parts and all entries that are not damaged."""
    valid = DriveLog().journal()
    for match in re.finditer(rf'"({"|".join(valid)})":\s*', text):
        with suppress(*DAMAGED):
            value, _ = _DECODER.raw_decode(text, match.end())
            found = {**valid, match[1]: value}
            DriveLog.restored({}, found)
            valid = found
    for name, entry_type in ENTRY_TYPES.items():
        valid[name] = to_table(entry_type, _entries(entry_type, text))
    # The other file may have what is damaged in this one.
    return {**valid, "revision": COUNT.read(valid["revision"]) or 0, "is_whole": False}


def _entries(entry_type: Any, text: str) -> list[Any]:
    entries: list[Any] = []
    for match in re.finditer(rf'"{entry_type.__name__.lower()}-\d+"', text):
        with suppress(*DAMAGED):
            row, end = [], match.start()
            for _ in entry_type._fields:
                value, end = _DECODER.raw_decode(text, end)
                row.append(value)
                end = _AFTER_VALUE.match(text, end).end()  # type: ignore[union-attr]  # means damage
            entries += from_table(entry_type, {"names": entry_type._fields, "rows": [row]})
    return with_own_ids(entries)


def continue_entries(log: DriveLog) -> None:
    """Let a tracker that was damaged continue the last entry. What happened since then would be lost."""
    if log.drives and log.drive_tracker.base is None:
        end, odometer = log.drives[-1].end, log.drives[-1].end_odometer
        known = replace(log.drive_tracker, at=end, odometer=odometer, odometer_at=end, base=odometer)
        log.drive_tracker = known
    if log.charges and log.charge_tracker.base is None:
        end, energy = log.charges[-1].end, log.charges[-1].end_energy
        log.charge_tracker = replace(log.charge_tracker, at=end, energy=energy, base=energy)
