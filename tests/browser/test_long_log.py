"""The page with a log of more than 5,500 drives."""

from datetime import datetime
from typing import Final

from custom_components.vehicle_remote_access.const import DOMAIN
from development.commuter_log import nine_years
from development.user import CARS, User

LOG: Final = nine_years
LOG_PAGE: Final = "vehicle-remote-access-log"
DRAWING_TIME: Final = """([home, path]) => new Promise((resolve) => {
    const { connection } = home.hass;
    const send = connection.sendMessagePromise;
    connection.sendMessagePromise = async (message) => {
        const result = await send.call(connection, message);
        if (!message.type.endsWith("/log/list")) return result;
        connection.sendMessagePromise = send;
        const start = performance.now();
        const wait = () => {
            const elements = [document.querySelector("home-assistant")];
            for (const element of elements) {
                if (element.localName === "vehicle-remote-access-log") {
                    if (!element.shadowRoot?.querySelector(".day")) break;
                    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
                    return;
                }
                elements.push(...(element.shadowRoot ?? element).children, ...element.children);
            }
            requestAnimationFrame(wait);
        };
        requestAnimationFrame(wait);
        return result;
    };
    history.pushState(null, "", path);
    window.dispatchEvent(new CustomEvent("location-changed"));
})"""
"""Open the log. Return the milliseconds from its data until the first page of entries is drawn."""
MILLISECONDS: Final = 200
TRIES: Final = 3
ENTRIES: Final = 450
"""Several pages of entries."""
SCROLL: Final = """async ([log, count]) => {
    const entries = () => [...log.shadowRoot.querySelectorAll("li")];
    while (entries().length < count) {
        log.shadowRoot.querySelector(".end").scrollIntoView();
        await new Promise(requestAnimationFrame);
    }
    return entries().map(entry => entry.textContent);
}"""
"""Scroll down. Return the texts of the entries."""


def test_first_page_is_drawn_at_once(user: User) -> None:
    """How long the log is does not matter for its first page. Another process may delay a try."""
    home = user.page.locator("home-assistant").element_handle
    times = []
    for _ in range(TRIES):
        user.open(CARS)
        user.see_card("vehicle-remote-access-car")
        path = f"{CARS}/{user.car_id()}-log"
        times.append(user.page.evaluate(DRAWING_TIME, [home(), path]))
    assert min(times) <= MILLISECONDS, times


def test_scrolling_leaves_no_gaps(user: User) -> None:
    """Each entry of the log is shown once, in order."""
    user.open(CARS)
    user.click("Log")
    user.see_card(f"{LOG_PAGE} .day")
    log = user.page.locator(LOG_PAGE)
    shown = user.page.evaluate(SCROLL, [log.element_handle(), ENTRIES])
    command = f"{DOMAIN}/log/list"
    entries = user.send(command, device_id=user.car_id(), limit=len(shown))["entries"]
    assert len(entries) == len(shown)
    for text, entry in zip(shown, entries, strict=True):
        assert time_of_day(entry["start"]) in text.replace("\u202f", " ")


def time_of_day(moment: str) -> str:
    """Return the time of day as the page shows it, in the local time of this machine."""
    return f"{datetime.fromisoformat(moment).astimezone():%-I:%M %p}"
