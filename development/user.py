"""A user who finds elements in the browser by their text, and a control of the simulated car."""

from http import HTTPStatus
from pathlib import Path
import re
from typing import Any, Final

from playwright.sync_api import APIRequestContext, Error, Locator, Page, expect

CARS: Final = "/vehicle-remote-access"
"""The path of the dashboard."""
CARDS_OFF_SCREEN: Final = """
    cards => cards
        .map(card => card.getBoundingClientRect())
        .filter(({ left, right }) => left < 0 || right > innerWidth)
"""
ERROR_CARDS: Final = "hui-error-card, hui-warning"
TIMEOUT_MILLISECONDS: Final = 60_000

ANSWER_ALL: Final = """async () => {
    const { conn } = (await window.hassConnection) ?? {};
    if (!conn?.connected) return;
    const send = conn.sendMessage;
    conn.sendMessage = (message, id) => message.type === "ping" && send.call(conn, message, id);
    const asked = [...conn.commands].filter(([, command]) => !("subscribe" in command));
    do await conn.ping(); while (asked.some(([id]) => conn.commands.has(id)));
}"""
"""Let the page ask for nothing more, and wait until it has all answers. They come in order."""
EXPLAINED: Final = ".catch(error => { throw new Error(JSON.stringify(error)) })"
"""Turns Home Assistant's errors, which are objects, into exceptions with a message."""
CAR: Final = "(home, name) => Object.values(home.hass.devices).find(device => device.name === name).id"


class User:
    """Uses Home Assistant in the browser, and counts clicks and filled fields."""

    def __init__(self, page: Page, screenshots: Path | None) -> None:
        """Start with an empty page. `screenshots`: the folder for screenshots, or None for none."""
        self.page = page
        self.clicks = 0
        self.fields = 0
        self._screenshots = screenshots

    def sign_in(self, name: str = "demo") -> None:
        """Sign in without counting clicks and fields. `scripts/develop` creates the owner, demo."""
        self.open("/")
        self.fill("Username", name)
        self.fill("Password", name)
        self.press("Log in")
        self.see("Overview")
        self.clicks = self.fields = 0

    def open(self, path: str) -> None:
        """Open a page by its address."""
        leave(self.page)
        self.page.goto(path)

    def open_page_of_car(self, page: str, name: str = "Comet") -> None:
        """Open a page of a car on the dashboard: log, months, map or battery."""
        self.open(f"{CARS}/{self.car_id(name)}-{page}")

    def create_dashboard(self, path: str, view: dict[str, Any]) -> None:
        """Create a dashboard with one view."""
        self.send("lovelace/dashboards/create", url_path=path, title="New", mode="storage")
        self.send("lovelace/config/save", url_path=path, config={"views": [view]})

    def add_card(self) -> None:
        """Open the dialog that adds a card to a new dashboard."""
        grid = {"type": "grid", "cards": []}
        self.create_dashboard("new-dashboard", {"type": "sections", "sections": [grid]})
        self.open("/new-dashboard?edit=1")
        self.press("Add card")

    def find_integration(self) -> None:
        """Search for the integration in the dialog that adds one, and select it."""
        self.open("/config/integrations/dashboard")
        self.press("Add integration")
        self.fill("Search for a brand name", "Vehicle Remote")
        self.click("Vehicle Remote Access")

    def press(self, name: str, inside: str = "body") -> None:
        """Press a button, as soon as it is visible."""
        self._click_last(self.page.locator(inside).get_by_role("button", name=exactly(name)))
        self.clicks += 1

    def click(self, text: str) -> None:
        """Click an element that is not a button, by its text."""
        self._click_last(self.page.get_by_text(exactly(text)))
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        """Fill in a field."""
        name = exactly(label)
        fields = self.page.get_by_role("textbox", name=name).or_(self.page.get_by_placeholder(name))
        self._last(fields).fill(text)
        self.fields += 1

    def see(self, *texts: str) -> None:
        """Wait until one of these texts is visible."""
        name = exactly(*texts)
        elements = self.page.get_by_text(name).or_(self.page.get_by_role("button", name=name))
        expect(self._last(elements)).to_be_visible()
        self.take_screenshot(texts[0])

    def see_card(self, element: str) -> None:
        """Wait until a card with this element name is visible."""
        expect(self._last(self.page.locator(element))).to_be_visible()
        self.take_screenshot(element)

    def see_no_error(self) -> None:
        """Check that no card shows an error, and that all cards are within the screen."""
        expect(self.page.locator(ERROR_CARDS)).to_have_count(0)
        cards = self.page.locator("hui-card")
        expect(cards.filter(visible=True).first).to_be_visible()
        off_screen = cards.evaluate_all(CARDS_OFF_SCREEN)
        assert not off_screen, off_screen

    @property
    def scrolls_sideways(self) -> bool:
        """Whether the page is wider than the screen."""
        is_wider: bool = self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        return is_wider

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """Call a JavaScript function with the element of Home Assistant, and return its result."""
        return self.page.locator("home-assistant").evaluate(function, argument)

    def send(self, command: str, **values: Any) -> Any:
        """Send a command to the WebSocket API, and return its result."""
        function = f"(home, message) => home.hass.callWS(message){EXPLAINED}"
        return self.evaluate(function, {"type": command, **values})

    def post(self, path: str, **body: Any) -> Any:
        """Send a request to the REST API, and return its response."""
        function = f"(home, [path, body]) => home.hass.callApi('POST', path, body){EXPLAINED}"
        return self.evaluate(function, [path, body])

    def perform(self, action: str, **data: Any) -> None:
        """Perform an action, such as `button.press`."""
        self.post(f"services/{action.replace('.', '/')}", **data)

    def refresh(self) -> None:
        """Read the first car."""
        self.perform("button.press", entity_id="button.comet_refresh")

    def refresh_until(self, text: str | re.Pattern[str]) -> None:
        """Read the car until a text is visible. Reads at about the same time share one request."""
        pattern = exactly(text) if isinstance(text, str) else text
        wanted = self.page.get_by_text(pattern).filter(visible=True).first
        for _ in range(30):
            self.press("Refresh")
            try:
                expect(wanted).to_be_visible(timeout=2000)
            except AssertionError:
                continue
            return
        message = f"the car does not show {text}"
        raise AssertionError(message)

    def car_id(self, name: str = "Comet") -> str:
        """Return the device id of a car."""
        device_id: str = self.evaluate(CAR, name)
        return device_id

    def take_screenshot(self, name: str) -> None:
        """Save a screenshot, if there is a folder for them."""
        if self._screenshots is not None:
            number = len(list(self._screenshots.glob("*.png"))) + 1
            self.page.screenshot(path=self._screenshots / f"{number:02} {name}.png")

    def _click_last(self, elements: Locator) -> None:
        """Click the last visible element. While a page loads, its columns can change and hide that again."""
        for _ in range(11):
            try:
                self._last(elements).click(timeout=TIMEOUT_MILLISECONDS / 12)
            except Error:
                continue
            return
        self._last(elements).click(timeout=TIMEOUT_MILLISECONDS / 12)

    def _last(self, elements: Locator) -> Locator:
        """Return the last visible element: a dialog comes after the page that it covers."""
        return elements.filter(visible=True).last


def leave(page: Page) -> None:
    """Let Home Assistant finish what it sends to a page that is about to be left.

    Otherwise, aiohttp may find the connection closed after it has compressed a large message in a thread.
    Python 3.14 logs that as an error, because Home Assistant no longer waits for the message.
    """
    page.evaluate(ANSWER_ALL)


def exactly(*texts: str) -> re.Pattern[str]:
    """Return a pattern that matches one of these texts. Its words may be in several elements."""
    patterns = (r"\s*".join(map(re.escape, text.split())) for text in texts)
    return re.compile(rf"^\s*(?:{'|'.join(patterns)})\*?\s*$")  # a required field has an asterisk


class SimulatorAdmin:
    """Controls the first simulated car and the service through the admin page of the simulator."""

    def __init__(self, simulator: APIRequestContext) -> None:
        """Find the first car."""
        self._simulator = simulator
        self._vin = self.car["vin"]

    @property
    def car(self) -> dict[str, Any]:
        """The current state of the car. Reading it does not keep the car awake."""
        car: dict[str, Any] = self._simulator.get("state").json()["vehicles"][0]
        return car

    def do(self, control: str, **arguments: Any) -> None:
        """Use a control of the car."""
        self._post(f"vehicles/{self._vin}/{control}", arguments)

    def refuse_commands(self, reason: str) -> None:
        """Let the car refuse all commands."""
        refusal = {"response": {"result": False, "reason": reason}}
        self._post("faults", {"status": HTTPStatus.OK, "only": "/command/", "body": refusal, "times": 1000})

    def clear_faults(self) -> None:
        """Let the service work again."""
        response = self._simulator.delete("faults")
        assert response.ok, response.text()

    def _post(self, path: str, body: dict[str, Any]) -> None:
        response = self._simulator.post(path, data=body)
        assert response.ok, response.text()
