"""A search in the log, page by page."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
import math
from typing import Any, Final
from unicodedata import combining, normalize

from .entries import KINDS, Charge, Drive, Entries, Stay
from .sums import entry_sums
from .units import LogUnits
from .view import LogView, shown_distance

LONGEST_SEARCH: Final = 200


@dataclass(frozen=True, kw_only=True)
class LogFilter:
    """What a search looks for. Stays match only by their time and kind."""

    kinds: Collection[str] = KINDS
    start: float = -math.inf
    end: float = math.inf
    """Entries that began in this period, as the months count them."""
    text: str = ""
    """Words, or parts of words, of places, tags and notes."""
    named_tag: str | None = None
    """A tag that the text also finds, because it is its name in the user's language."""
    tag: str | None = None
    longer_than: float | None = None
    """Drives of at least this distance."""
    without_cost: bool = False

    def matching(self, view: LogView) -> Entries:
        """Return the wanted entries of a log, oldest first."""
        found = view.entries.begun(self.start, self.end)
        is_only_time = self == LogFilter(kinds=self.kinds, start=self.start, end=self.end)
        if not is_only_time:
            drives = [drive for drive in found.drives if self._wants_drive(drive, view.units)]
            found = Entries(drives, list(filter(self._wants_charge, found.charges)))
        return Entries(**{kind: getattr(found, kind) for kind in self.kinds})

    def _wants_drive(self, drive: Drive, units: LogUnits) -> bool:
        is_long = self.longer_than is None or (shown_distance(drive, units) or 0.0) >= self.longer_than
        is_tagged = self.tag is None or drive.tag == self.tag
        is_named = drive.tag is not None and drive.tag == self.named_tag
        texts = drive.start_place, drive.end_place, drive.tag, drive.note
        return not self.without_cost and is_long and is_tagged and (is_named or self._has_text(*texts))

    def _wants_charge(self, charge: Charge) -> bool:
        is_for_drives = self.tag is not None or self.longer_than is not None
        has_unwanted_cost = self.without_cost and charge.cost is not None
        return not (is_for_drives or has_unwanted_cost) and self._has_text(charge.place, charge.note)

    @cached_property
    def _words(self) -> list[str]:
        return _plain(self.text).split()

    def _has_text(self, *texts: str | None) -> bool:
        """Return whether each word of the search is in one of the texts."""
        found = _plain(" ".join(filter(None, texts)))
        return all(word in found for word in self._words)


def search_page(view: LogView, before: float | None, limit: int, wanted: LogFilter) -> dict[str, Any]:
    """Return the newest matching entries that started before a moment, and the `before` of the next page."""
    is_search = wanted != LogFilter(kinds=wanted.kinds)
    found, tags = wanted.matching(view), Counter(drive.tag for drive in view.log.drives if drive.tag)
    # The stay after a drive without a duration starts at the same moment and is newer.
    entries: list[Drive | Charge | Stay] = [*found.stays, *found.charges, *found.drives]
    older = [entry for entry in entries if before is None or entry.start < before]
    older.sort(key=lambda entry: entry.start, reverse=True)
    end = min(limit, len(older))
    # The next page starts with another moment.
    while end < len(older) and older[end].start == older[end - 1].start:
        end += 1
    return {
        "entries": [view.shown_with_kind(entry) for entry in older[:end]],
        "next": older[end - 1].start if end < len(older) else None,
        "found": entry_sums(view, found) if is_search and before is None else None,
        # The most frequent one is the first.
        "tags": [tag for tag, _ in tags.most_common()],
        "units": view.units.names,
    }


def _plain(text: str) -> str:
    """Return a text without case and accents, as people enter it."""
    return "".join(letter for letter in normalize("NFKD", text.casefold()) if not combining(letter))
