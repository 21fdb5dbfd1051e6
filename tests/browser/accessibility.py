"""Checks the accessibility of the own elements: with axe-core, and their contrast in screenshots."""

from collections import Counter
from collections.abc import Mapping
from io import BytesIO
from itertools import batched
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page

Color = tuple[int, ...]

SOLID_SHARE: Final = 0.25
"""The share of an element's pixels that must have the contrast. The others are its smoothed edges."""
ENLARGE: Final = """card => {
    card.style = "position: fixed; inset: 0; width: 1100px; z-index: 99";
    for (const svg of card.shadowRoot.querySelectorAll("svg")) svg.style.maxHeight = "none";
    for (const vehicle of card.shadowRoot.querySelectorAll("svg .vehicle")) vehicle.style.filter = "none";
}"""
"""Enlarge the picture, so that thin lines have solid pixels, and remove its shadow."""
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


def low_contrasts(card: Locator, needed: Mapping[str, float]) -> dict[str, float]:
    """Return the elements of a car's card that have less contrast with what is behind them than needed.

    `needed`: the contrast for each selector. The result contains the measured contrast.
    """
    card.evaluate(ENLARGE)

    def take(area: FloatRect) -> list[Color]:
        picture = Image.open(BytesIO(card.page.screenshot(clip=area))).convert("RGB")
        return list(batched(picture.tobytes(), 3, strict=True))

    too_low = {}
    for selector, minimum in needed.items():
        element = card.locator(selector)
        area = element.bounding_box()
        assert area is not None, f"{selector} is not visible"
        assert area["height"], f"{selector} is empty"
        shown = take(area)
        element.evaluate("element => { element.style.visibility = 'hidden' }")
        hidden = take(area)
        element.evaluate("element => { element.style.visibility = '' }")
        measured = _solid_contrast(shown, hidden)
        if measured < minimum:
            too_low[selector] = measured
    return too_low


def _solid_contrast(shown: list[Color], hidden: list[Color]) -> float:
    """Return the contrast between two pictures. Smoothed edges of the element don't count."""
    differing = Counter(pair for pair in zip(shown, hidden, strict=True) if pair[0] != pair[1])
    contrasts = sorted(((_contrast(*pair), count) for pair, count in differing.items()), reverse=True)
    pixels = 0
    for contrast, count in contrasts:
        pixels += count
        if pixels >= differing.total() * SOLID_SHARE:
            return contrast
    return 1


def _contrast(one: Color, other: Color) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    """Return the relative luminance, as WCAG defines it."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
