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
ELEMENTS: Final = {
    "": "vehicle-remote-access-car",
    "-log": "vehicle-remote-access-log",
    "-months": "vehicle-remote-access-log-months",
    "-battery": "vehicle-remote-access-log-battery",
}
"""The elements of the pages, by the ends of their paths."""
CAR: Final = "home => Object.values(home.hass.devices).find(({ name }) => name === 'Comet').id"
SET_LANGUAGE: Final = "(home, language) => { localStorage.selectedLanguage = JSON.stringify(language); }"
SCROLLS_SIDEWAYS: Final = "() => document.documentElement.scrollWidth > innerWidth"
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
@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("de", "dark"), ("he", "light")])
def test_pages(language: str, scheme: Scheme, width: int, user: User) -> None:
    """The pages fit and violate no rule: also with long words, and from right to left."""
    user.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    user.page.set_viewport_size({"width": width, "height": 900})
    home = user.page.locator("home-assistant")
    car = home.evaluate(CAR)
    home.evaluate(SET_LANGUAGE, language)
    pages = {"": "svg", "-log": ".day", "-months": "dl", "-battery": "dl"}
    for path, element in pages.items():
        user.open(f"{CARS}/{car}{path}")
        user.see_card(f"{ELEMENTS[path]} {element}")
        if path == "-log":
            open_details(user)
        expect(user.page.locator("html")).to_have_attribute("lang", language)
        assert violations(user.page) == {}
        assert not user.page.evaluate(SCROLLS_SIDEWAYS)
        user.see_no_error()
        user.take_screenshot(f"{language}{path}")


def open_details(user: User) -> None:
    """Open the details of a drive and of a charge, and the form for downloads."""
    for icon in ("mdi:car", "mdi:ev-station"):
        entry = user.page.locator("li", has=user.page.locator(f"ha-icon[icon='{icon}']")).first
        entry.get_by_role("button").first.click()
        expect(entry.locator(".charts")).to_be_visible()
    user.page.locator(f"{ELEMENTS['-log']} summary").first.click()


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
