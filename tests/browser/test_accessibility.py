"""The accessibility of the integration's pages and cards."""

from collections.abc import Sequence
from typing import Final, Literal

from playwright.sync_api import expect
import pytest

from .accessibility import violations
from .two_weeks import two_weeks
from .user import CARS, User

LOG: Final = two_weeks
type Scheme = Literal["light", "dark"]

SCHEMES: Final[Sequence[Scheme]] = ("light", "dark")
LOG_CARD: Final = "vehicle-remote-access-log-card"
BREAK: Final = """log => {
    log.shadowRoot.querySelector("h2").style.cssText = "color: #999; background: #aaa";
    log.shadowRoot.querySelector("ha-card").append(document.createElement("input"));
}"""
ADD_CARD: Final = """async ({ hass }) => {
    const url_path = "log-card";
    const device_id = Object.values(hass.devices).find(({ name }) => name === "Comet").id;
    await hass.callWS({ type: "lovelace/dashboards/create", url_path, title: "Card", mode: "storage" });
    const cards = [{ type: "custom:vehicle-remote-access-log-card", device_id }];
    await hass.callWS({ type: "lovelace/config/save", url_path, config: { views: [{ cards }] } });
}"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages(scheme: Scheme, width: int, user: User) -> None:
    """The page of a car, and the pages of its log with open details, violate no rule."""
    user.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    user.page.set_viewport_size({"width": width, "height": 900})
    user.open(CARS)
    user.see_card("vehicle-remote-access-car")
    user.see("Doors Locked")
    assert violations(user.page) == {}
    user.click("Log")
    for title in ("Home → Work", "Charge · Home"):
        entry = user.page.get_by_role("listitem").filter(has=user.page.get_by_role("button", name=title))
        entry.first.get_by_role("button").first.click()
        expect(entry.first.locator(".charts")).to_be_visible()
    user.page.locator("summary", has_text="Download").click()
    assert violations(user.page) == {}
    for name in ("Months", "Battery"):
        user.page.get_by_role("link", name=name).click()
        user.see_card(f"vehicle-remote-access-log-{name.lower()} dl")
        assert violations(user.page) == {}
        user.take_screenshot(name)


def test_log_card(user: User) -> None:
    """The card for the log violates no rule."""
    user.page.locator("home-assistant").evaluate(ADD_CARD)
    user.open("/log-card")
    for scheme in SCHEMES:
        user.page.emulate_media(color_scheme=scheme)
        expect(user.page.locator(LOG_CARD)).to_contain_text("Last drive")
        assert violations(user.page) == {}


def test_violations_are_found(user: User) -> None:
    """The check finds a text with too little contrast and a field without a name."""
    user.open(CARS)
    user.click("Log")
    user.see_card("vehicle-remote-access-log .day")
    user.page.locator("vehicle-remote-access-log").evaluate(BREAK)
    assert set(violations(user.page)) == {"color-contrast", "label"}
