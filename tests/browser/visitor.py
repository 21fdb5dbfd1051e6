"""A person at a browser, who knows a page by the words on it; and somebody beside the simulated car."""

from http import HTTPStatus
from pathlib import Path
import re
from typing import Any, Final

from playwright.sync_api import APIRequestContext, Locator, Page, expect

CARS: Final = "/vehicle-remote-access"
"""Where the dashboard is."""
OVER_THE_EDGE: Final = """
    cards => cards
        .map(card => card.getBoundingClientRect())
        .filter(({ left, right }) => left < 0 || right > innerWidth)
"""
ERROR_CARDS: Final = "hui-error-card, hui-warning"
MILLISECONDS_TO_APPEAR: Final = 60_000

NEW_DASHBOARD: Final = """async (home) => {
    const ask = (message) => home.hass.connection.sendMessagePromise(message);
    const url_path = "new-dashboard";
    await ask({ type: "lovelace/dashboards/create", url_path, title: "New", mode: "storage" });
    const view = { type: "sections", sections: [{ type: "grid", cards: [] }] };
    await ask({ type: "lovelace/config/save", url_path, config: { views: [view] } });
}"""


class Visitor:
    """What a person does at Home Assistant, one step after another, and how much that was."""

    def __init__(self, page: Page, pictures: Path | None) -> None:
        """Begin at an empty page; take a picture of what is seen, if there is a folder for them."""
        self.page = page
        self.clicks = 0
        self.fields = 0
        self._pictures = pictures

    def sign_in(self) -> None:
        """Sign in as the owner that `scripts/develop` makes, which counts for nothing."""
        self.open("/")
        self.fill("Username", "demo")
        self.fill("Password", "demo")
        self.press("Log in")
        self.see("Overview")
        self.clicks = self.fields = 0

    def open(self, path: str) -> None:
        """Open a page by its address."""
        self.page.goto(path)

    def open_new_dashboard(self) -> None:
        """Make an empty dashboard and open it for editing."""
        self.page.locator("home-assistant").evaluate(NEW_DASHBOARD)
        self.open("/new-dashboard?edit=1")

    def press(self, name: str, inside: str = "body") -> None:
        """Press a button, as soon as it is there."""
        self._last(self.page.locator(inside).get_by_role("button", name=exactly(name))).click()
        self.clicks += 1

    def click(self, words: str) -> None:
        """Click what has these words and is no button."""
        self._last(self.page.get_by_text(exactly(words))).click()
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        """Fill in a field."""
        name = exactly(label)
        named = self.page.get_by_role("textbox", name=name).or_(self.page.get_by_placeholder(name))
        self._last(named).fill(text)
        self.fields += 1

    def see(self, *texts: str) -> None:
        """Wait until one of these texts is visible."""
        name = exactly(*texts)
        read = self.page.get_by_text(name).or_(self.page.get_by_role("button", name=name))
        expect(self._last(read)).to_be_visible()
        self.take_picture(texts[0])

    def see_card(self, element: str) -> None:
        """Wait until a card of this element is visible."""
        expect(self._last(self.page.locator(element))).to_be_visible()
        self.take_picture(element)

    def see_no_error(self) -> None:
        """Make sure that no card tells of an error, and none hangs over the edge."""
        expect(self.page.locator(ERROR_CARDS)).to_have_count(0)
        cards = self.page.locator("hui-card")
        expect(cards.first).to_be_visible()
        too_wide = cards.evaluate_all(OVER_THE_EDGE)
        assert not too_wide, too_wide

    @property
    def is_in_the_dark(self) -> bool:
        """Whether Home Assistant shows its dark colours."""
        dark: bool = self.page.locator("home-assistant").evaluate("home => home.hass.themes.darkMode")
        return dark

    def take_picture(self, name: str) -> None:
        """Keep what is to be seen now, if pictures are wanted."""
        if self._pictures is not None:
            number = len(list(self._pictures.glob("*.png"))) + 1
            self.page.screenshot(path=self._pictures / f"{number:02} {name}.png")

    def _last(self, found: Locator) -> Locator:
        """Return the last of what was found: a dialog comes after the page that it covers."""
        return found.filter(visible=True).last


def exactly(*texts: str) -> re.Pattern[str]:
    """Return a pattern for one of these texts and nothing else. Its words may be in several elements."""
    patterns = (r"\s*".join(map(re.escape, text.split())) for text in texts)
    return re.compile(rf"^\s*(?:{'|'.join(patterns)})\*?\s*$")  # a required field has a star


class Bystander:
    """Somebody beside the simulated car, who sees it as it is and lays hands on it, and on its service."""

    def __init__(self, simulator: APIRequestContext) -> None:
        """Take the first car."""
        self._simulator = simulator
        self._vin = self.car["vin"]

    @property
    def car(self) -> dict[str, Any]:
        """The car as it is, without keeping it awake."""
        car: dict[str, Any] = self._simulator.get("state").json()["vehicles"][0]
        return car

    def do(self, control: str, **arguments: Any) -> None:
        """Do something to the car by hand."""
        self._post(f"vehicles/{self._vin}/{control}", arguments)

    def refuse_token(self) -> None:
        """Let the service refuse the token of every request."""
        self._post("faults", {"status": HTTPStatus.UNAUTHORIZED, "times": 1000})

    def accept_token(self) -> None:
        """Let the service accept its token again."""
        answer = self._simulator.delete("faults")
        assert answer.ok, answer.text()

    def _post(self, path: str, body: dict[str, Any]) -> None:
        answer = self._simulator.post(path, data=body)
        assert answer.ok, answer.text()
