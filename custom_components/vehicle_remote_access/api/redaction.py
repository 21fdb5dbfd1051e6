"""Removes secrets from text that users and logs can show."""

from collections.abc import Iterable, Iterator, Mapping
import json
import re
from typing import Any, Final
from urllib.parse import quote, quote_plus

REDACTED: Final = "…"


class Secrets:
    """Values that must never be shown, in plain, URL-encoded and JSON spelling, and in any case."""

    def __init__(self, values: Iterable[Any], mark: str = REDACTED, shortest: int = 1) -> None:
        """Prepare to replace each text and position in the values with `mark`, from a length on."""
        self._mark = mark
        texts = [text for text in _texts_in([*values]) if len(text) >= shortest]
        spellings = {spelling for text in texts for spelling in _spellings(text)}
        # Longest first, so that a secret within a longer one leaves nothing of the longer one.
        self._spellings = sorted(spellings, key=len, reverse=True)

    def _found_in(self, text: str) -> list[str]:
        """Return the secrets in a text. A pattern of all would take long to compile: tokens can be many."""
        folded = text.casefold()
        return [spelling for spelling in self._spellings if spelling.casefold() in folded]

    def is_in(self, text: str) -> bool:
        return bool(self._found_in(text))

    def redact(self, text: str) -> str:
        """Return a text without the secrets, and without the query of any URL."""
        if found := self._found_in(text):
            text = re.sub("|".join(map(re.escape, found)), self._mark, text, flags=re.IGNORECASE)
        # A query can contain the secrets in yet another spelling.
        return re.sub(r"\?\S+", f"?{self._mark}", text)


def _texts_in(value: Any) -> Iterator[str]:
    """Return the texts of a value, which can be an object or a list. Integers and flags reveal nothing."""
    match value:
        case str() | float():
            yield str(value)
        case Mapping():
            yield from _texts_in([*value.values()])
        case list():
            for item in value:
                yield from _texts_in(item)


def _spellings(value: str) -> set[str]:
    valid = value.encode(errors="replace").decode()
    return {value, quote(valid), quote(valid, safe=""), quote_plus(valid), json.dumps(value)[1:-1]}
