"""The view of all cars, and what it shows of a command to one of them."""

import re
from typing import Final

from playwright.sync_api import expect
import pytest

from development.process import DevelopProcess
from development.user import CARS, SimulatorAdmin, User

from .accessibility import violations

OPTIONS: Final = ("--vehicles", "2")
CARD: Final = "vehicle-remote-access-car"
EXPECTED_PROBLEM: Final = "Error during service call to lock.unlock"
WAKING: Final = "Waking the car…"
OBSERVE: Final = """(element, text) => {
    let tapped;
    addEventListener("pointerdown", ({ timeStamp }) => (tapped = timeStamp), { capture: true, once: true });
    window.shownAfter = new Promise((resolve) => {
        const check = () => element.textContent === text && resolve(performance.now() - tapped);
        new MutationObserver(check).observe(element, { childList: true, characterData: true, subtree: true });
    });
}"""
"""Measures the milliseconds from a tap until an element shows a text."""
UNLOCK: Final = """({ hass }) =>
    hass.callService("lock", "unlock", { entity_id: "lock.comet_doors" }).catch(() => undefined)"""


@pytest.mark.parametrize("width", [390, 1280])
def test_card_of_a_car_opens_its_page(width: int, user: User) -> None:
    """The first view has a card for each car. Selecting one opens the page of its car."""
    user.page.set_viewport_size({"width": width, "height": 900})
    user.open(CARS)
    cards = user.page.locator(CARD)
    expect(cards).to_have_count(2)
    expect(cards.get_by_text("Parked at home")).to_have_count(2)
    assert violations(user.page) == {}
    assert not user.scrolls_sideways
    user.see_no_error()
    name = cards.last.get_by_role("link").inner_text()
    cards.last.click()
    expect(user.page).to_have_url(re.compile(f"{CARS}/{user.car_id(name)}$"))
    expect(cards).to_have_count(1)
    expect(cards.get_by_role("group", name=f"{name}, seen from above")).to_be_visible()


def test_command_is_shown_at_once(user: User, simulation: SimulatorAdmin, running: DevelopProcess) -> None:
    """A sleeping car that is told to warm up says so within 300 ms, also to others, and why it failed."""
    browser = user.page.context.browser
    assert browser is not None
    other = User(browser.new_page(base_url=running.home_assistant_url), None)
    other.sign_in()
    other.open(CARS)
    name = simulation.car["name"]
    user.page.set_viewport_size({"width": 390, "height": 844})
    user.open(f"{CARS}/{user.car_id(name)}")
    user.see("Climate Off")
    simulation.do("fall_asleep")
    user.refresh()
    headline = user.page.locator(CARD).locator(".headline")
    expect(headline).to_have_text(re.compile("^Asleep"))

    headline.evaluate(OBSERVE, WAKING)
    user.press("Climate Off")
    assert user.page.evaluate("shownAfter") < 300
    user.see("Start climate…")
    user.see("Climate Turning on…")
    busy = other.page.locator(CARD).filter(has_text="Start climate…")
    expect(busy).to_contain_text(WAKING)
    expect(busy).to_contain_text(name)
    expect(other.page.get_by_text(WAKING)).to_have_count(1)
    assert violations(user.page) == {}
    user.see("Parked at home")
    user.see("Climate On", "Climate Heating", "Climate Cooling", "Climate Idle")
    expect(busy).to_have_count(0)

    simulation.refuse_commands("low_soc")
    other.evaluate(UNLOCK)
    for each in (user, other):
        each.see("Unlock doors: The car refused because its battery level is too low.")
    user.see("Doors Locked")
    simulation.clear_faults()
    other.page.context.close()
