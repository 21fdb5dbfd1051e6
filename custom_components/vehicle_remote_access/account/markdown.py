"""Escaping of the service's texts where Home Assistant renders Markdown."""

from collections.abc import Mapping
import re
from typing import Final

# An ordinary name must not change, because the title of an issue shows the same text without Markdown.
_MARKUP: Final = re.compile(
    r"""
      [\\`*~\[\]<>|]                 # code, emphasis, strikethrough, links, images, HTML, tables
    | (?<![^\W_])_ | _(?![^\W_])     # emphasis, except between two letters or digits
    | &(?=\#?\w+;)                   # entities
    | :(?=//) | (?<=www)\.           # addresses, which become links without any markup
    | (?<=\S)@(?=\S)                 # e-mail addresses, for the same reason
    | ^[#=+-](?=[#=+-]*(?:\ |$))     # headings, bullets and rules
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LIST_NUMBER: Final = re.compile(r"^\d+(?=[.)](?: |$))")


def escape_markdown(text: str) -> str:
    """Return the text on one line, escaped so that Markdown shows it unchanged."""
    line = " ".join(text.split())
    return _LIST_NUMBER.sub(r"\g<0>\\", _MARKUP.sub(r"\\\g<0>", line))


def escape_placeholders(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return the placeholders of a text that Home Assistant renders as Markdown, escaped."""
    return {name: escape_markdown(text) for name, text in placeholders.items()}
