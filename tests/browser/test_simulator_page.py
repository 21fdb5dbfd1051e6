"""The web page of the simulator."""

from typing import Final

from playwright.sync_api import Page, expect
import pytest

from development.process import DevelopProcess
from development.user import SimulatorAdmin, User

OPTIONS: Final = ("--vehicles", "3")

OVERLAPS: Final = """parts => parts
    .map((part) => (part.querySelector("svg") ?? part).getBoundingClientRect())
    .filter(({ top }, index, boxes) => index > 0 && top < boxes[index - 1].bottom)"""
"""The parts that begin before the one above them ends."""
CUT_CHOICE: Final = """select => {
    const context = document.createElement("canvas").getContext("2d");
    const { font, paddingLeft, paddingRight } = getComputedStyle(select);
    context.font = font;
    const text = context.measureText(select.selectedOptions[0].text).width;
    return text > select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}"""


@pytest.mark.parametrize("width", [390, 700, 800, 1400])
def test_widths(width: int, page: Page, running: DevelopProcess) -> None:
    """At every width, the parts of the car's card are one below the other, and nothing is cut off."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{running.simulator_url}/simulator/")
    expect(page.locator("#model")).not_to_be_empty()
    parts = page.locator("#car > *").filter(visible=True)
    assert parts.evaluate_all(OVERLAPS) == []
    assert not page.locator("#vehicles").evaluate(CUT_CHOICE)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_phone(user: User, simulation: SimulatorAdmin, running: DevelopProcess) -> None:
    """On a phone, the controls are in closed groups. The buttons On and Off show the present state."""
    page = user.page
    page.set_viewport_size({"width": 390, "height": 844})
    user.open(f"{running.simulator_url}/simulator/")
    user.see(simulation.car["name"])
    width, height = page.evaluate(
        "(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])(document.documentElement)"
    )
    assert width == 390
    assert height < 2000
    user.click("Doors and sentry mode")
    on, off = (page.get_by_role("button", name=f"Sentry: {state}") for state in ("On", "Off"))
    expect(off).to_have_attribute("aria-pressed", "true")
    on.click()
    expect(on).to_have_attribute("aria-pressed", "true")
    expect(off).to_have_attribute("aria-pressed", "false")
    simulation.do("sentry", on=False)
    expect(off).to_have_attribute("aria-pressed", "true")
    user.take_screenshot("Sentry mode")
