"""Checks the accessibility of the integration's own elements with axe-core."""

from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Home Assistant's pages have no landmark that could contain a card.
OPTIONS: Final = {"rules": {"region": {"enabled": False}}}


def violations(page: Page) -> dict[str, list[str]]:
    """Return the rules that the integration's own elements violate, with these elements."""
    found: dict[str, list[str]] = {}
    for rule in Axe().run(page, options=OPTIONS).response["violations"]:
        for node in rule["nodes"]:
            element = " ".join(map(str, _selectors(node["target"])))
            if "vehicle-remote-access" in element:
                found.setdefault(rule["id"], []).append(f"{element}: {node['failureSummary']}")
    return found


def _selectors(target: list[Any]) -> list[str]:
    """Return the selectors of an element, from the outermost shadow root to the innermost."""
    return [text for part in target for text in ([part] if isinstance(part, str) else part)]
