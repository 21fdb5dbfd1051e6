"""A search in the log."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
import math
from typing import Final
from unicodedata import combining, normalize

from .entries import KINDS, Charge, Drive, Entries
from .sums import shown_distance
from .units import LogUnits

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
    """Charges without a cost."""

    @property
    def is_everything(self) -> bool:
        return self == LogFilter(kinds=self.kinds)

    def of(self, entries: Entries, units: LogUnits) -> Entries:
        """Return the wanted entries, oldest first. `entries`: with the places that are shown."""
        begun = entries.begun(self.start, self.end)
        has_stays = LogFilter(kinds=self.kinds, start=self.start, end=self.end) == self
        return Entries(
            [each for each in begun.drives if self._wants_drive(each, units)]
            if "drives" in self.kinds
            else (),
            [each for each in begun.charges if self._wants_charge(each)] if "charges" in self.kinds else (),
            begun.stays if "stays" in self.kinds and has_stays else (),
        )

    def _wants_drive(self, drive: Drive, units: LogUnits) -> bool:
        return (
            not self.without_cost
            and (self.tag is None or drive.tag == self.tag)
            and (self.longer_than is None or (shown_distance(drive, units) or 0.0) >= self.longer_than)
            and (
                self._has_text(drive.start_place, drive.end_place, drive.tag, drive.note)
                or (drive.tag is not None and drive.tag == self.named_tag)
            )
        )

    def _wants_charge(self, charge: Charge) -> bool:
        return (
            self.tag is None
            and self.longer_than is None
            and not (self.without_cost and charge.cost is not None)
            and self._has_text(charge.place, charge.note)
        )

    @cached_property
    def _words(self) -> list[str]:
        return _plain(self.text).split()

    def _has_text(self, *texts: str | None) -> bool:
        """Return whether each word of the search is in one of the texts."""
        found = _plain(" ".join(filter(None, texts)))
        return all(word in found for word in self._words)


def _plain(text: str) -> str:
    """Return a text without case and accents, as people enter it."""
    return "".join(each for each in normalize("NFKD", text.casefold()) if not combining(each))
