"""Markdown tables for the reports."""

from collections.abc import Iterable, Sequence


def table(titles: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table with a row of titles."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
