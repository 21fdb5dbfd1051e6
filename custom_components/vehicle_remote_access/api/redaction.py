"""What nobody may see, and the one place where it is taken out of what people see."""

from collections.abc import Iterable
import json
import re
from typing import Final
from urllib.parse import quote, quote_plus

CONCEALED: Final = "…"


class Secrets:
    """Values that nobody may see, by themselves and as an address or JSON spells them."""

    def __init__(self, values: Iterable[str], mark: str = CONCEALED) -> None:
        """Put `mark` where one of the values stood. Empty ones conceal nothing."""
        self._mark = mark
        spelt = {spelling for value in filter(None, values) for spelling in _spellings(value)}
        # The longest first: of one that holds another, nothing may be left over.
        alternatives = "|".join(map(re.escape, sorted(spelt, key=len, reverse=True)))
        self._pattern = re.compile(alternatives) if alternatives else None

    def stand_in(self, text: str) -> bool:
        """Return whether a text gives one of them away."""
        return self._pattern is not None and self._pattern.search(text) is not None

    def concealed(self, text: str) -> str:
        """Return a text without any of them, and without the query of any address in it."""
        if self._pattern is not None:
            text = self._pattern.sub(self._mark, text)
        # What is left of a query may hold them in yet another spelling.
        return re.sub(r"\?\S+", f"?{self._mark}", text)


def _spellings(value: str) -> set[str]:
    written = value.encode(errors="replace").decode()
    return {value, quote(written), quote(written, safe=""), quote_plus(written), json.dumps(value)[1:-1]}
