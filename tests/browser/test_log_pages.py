"""The pages and the card that sum up the log of a car, with a log of more than two years."""

from datetime import datetime, timedelta
import re
from typing import Any, Final, Literal

from playwright.sync_api import Locator, expect
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from development.commuter_log import ZONE, two_years
from development.user import CARS, User

from .accessibility import low_contrasts, violations

type Scheme = Literal["light", "dark"]

LOG: Final = two_years
OPTIONS: Final = ("--vehicles", "2")
LOG_CARD: Final = "vehicle-remote-access-log-card"
MONTHS: Final = "vehicle-remote-access-log-months"
BATTERY: Final = "vehicle-remote-access-log-battery"
NEEDED_CONTRASTS: Final = {".line": 3.0}
"""The lowest contrast of graphics that WCAG accepts."""
OTHER_CAR: Final = "Zeemeeuw"
"""A car without a log."""
FAIL_ONCE: Final = """home => {
    const { connection } = home.hass;
    const original = connection.subscribeMessage;
    connection.subscribeMessage = (...values) => {
        const [, message] = values;
        if (!message.type.endsWith("/log/subscribe")) return original.apply(connection, values);
        connection.subscribeMessage = original;
        return Promise.reject({ code: "home_assistant_error", message: "The account is not loaded" });
    };
}"""
"""Let the subscription to a log fail once."""
in_both_schemes: Final = pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1400, "dark")])


def open_page(
    user: User, page: str, width: int = 1280, name: str = "Comet", scheme: Scheme = "light"
) -> None:
    user.page.set_viewport_size({"width": width, "height": 900})
    user.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    user.open_page_of_car(page, name)


def see_no_problem(user: User) -> None:
    """Check that the page fits, shows no error, and violates no rule of accessibility."""
    user.see_no_error()
    assert not user.scrolls_sideways
    assert violations(user.page) == {}


def newest(user: User, kind: str, **more: Any) -> list[dict[str, Any]]:
    page = user.send(f"{DOMAIN}/log/list", device_id=user.car_id(), kind=kind, **more)
    return list(page["entries"])


def months_ago(count: int) -> datetime:
    """Return the first day of the month that is this many months ago."""
    day = datetime.now(ZONE).replace(day=1)
    for _ in range(count):
        day = (day - timedelta(days=1)).replace(day=1)
    return day


def row_of(user: User, month: datetime) -> Locator:
    return user.page.get_by_role("row").filter(
        has=user.page.get_by_role("rowheader", name=f"{month:%B %Y}", exact=True)
    )


@in_both_schemes
def test_months(width: int, scheme: Scheme, user: User) -> None:
    """The first thing on the page says what this month cost, beside the last one and a year ago."""
    open_page(user, "months", width, scheme=scheme)
    this, last, before = months_ago(0), months_ago(1), months_ago(12)
    tiles = user.page.locator(f"{MONTHS} .times > div")
    expect(tiles).to_have_count(3)
    for tile, month in zip(tiles.all(), (this, last, before), strict=True):
        expect(tile.locator("dt")).to_contain_text(f"{month:%B}")
        # On the first day of a month, it has no entries.
        values = r"^(?:€[\d,.]+|—).*\skm" if month == this else r"€[\d,.]+.*\skm.*\skWh/100"
        expect(tile.locator("dd")).to_have_text(re.compile(values))
        assert tile.bounding_box()["y"] < 900  # type: ignore[index]
    expect(tiles.first.locator("dt")).to_have_text(f"{this:%B} so far")
    year_before = months_ago(13)
    expect(row_of(user, last).get_by_role("cell").first).to_have_text(
        re.compile(rf"\skm[+\u2212]?\d+% \({year_before:%b %Y}: [\d,]+\skm\)$")
    )
    # On a phone, a month is one line until it is selected.
    expect(row_of(user, last).get_by_role("cell").filter(visible=True)).to_have_count(2 if width < 640 else 4)
    user.see("Consumption by outside temperature")
    expect(user.page.get_by_text(re.compile(r"At 0\s°C \d+\.\d, at 20\s°C \d+\.\d\skWh/100"))).to_be_visible()
    see_no_problem(user)
    assert low_contrasts(user.page.locator(MONTHS), {".bars:not(.before)": 3.0, ".bars.before": 3.0}) == {}


def test_chart_of_months(user: User) -> None:
    """The chart shows a value of twelve months. Keys and taps select a month, and buttons other years."""
    open_page(user, "months", 390)
    slider = user.page.get_by_role("slider", name="Month")
    this = months_ago(0)
    expect(slider).to_have_attribute(
        "aria-valuetext",
        re.compile(rf"^{this:%B %Y} so far: [\d,]+\skm, {months_ago(12):%B %Y}: [\d,]+\skm$"),
    )
    slider.press("ArrowLeft")
    user.press("Consumption")
    expect(user.page.get_by_role("button", name="Consumption")).to_have_attribute("aria-pressed", "true")
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^{months_ago(1):%B %Y}: [\d.]+\skWh"))
    plot = user.page.locator(f"{MONTHS} .plot").first
    plot.click(position={"x": 3, "y": 50})
    shown = user.page.get_by_text(re.compile(rf"^{months_ago(11):%B %Y}: [\d.]+\skWh"))
    expect(shown).to_be_visible()
    expect(user.page.get_by_role("button", name="Later months")).to_be_disabled()
    user.press("Earlier months")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^{months_ago(12):%B %Y}: "))
    user.see_no_error()


def test_details_of_a_month_and_its_tags(user: User) -> None:
    """A row opens to show the other values and the tags, with links to the entries in the log."""
    (drive,) = newest(user, "drives", limit=1)
    user.perform(f"{DOMAIN}.update_log_entry", device_id=user.car_id(), id=drive["id"], tag="business")
    (charge,) = newest(user, "charges", limit=1)
    user.perform(f"{DOMAIN}.update_log_entry", device_id=user.car_id(), id=charge["id"], cost=None)
    open_page(user, "months", 390)
    without_cost = re.compile(r"^(?:1 charge has|\d+ charges have) no cost$")
    user.page.get_by_role("link", name=without_cost).first.focus()
    month = datetime.fromisoformat(drive["end"]).astimezone(ZONE)
    button = row_of(user, month).get_by_role("button")
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    details = user.page.locator(f"{MONTHS} .month.details")
    expect(details).to_contain_text(
        re.compile(r"Cost for 100\skm≈\s€\d.*Most energy in one drive[\d.]+\skWh")
    )
    expect(row_of(user, month).get_by_role("cell").filter(visible=True)).to_have_count(4)
    user.click("Charging cost · Cost of driving")
    expect(user.page.get_by_text(re.compile("whenever their energy is used"))).to_be_visible()
    link = details.get_by_role("link", name="Show in the log")
    assert (link.get_attribute("href") or "").endswith(f"-log?period={month:%Y-%m}")
    tagged = details.get_by_role("row").filter(has_text="Business")
    expect(tagged.get_by_role("cell").first).to_have_text(re.compile(r"^\d+\skm$"))
    by_year = user.page.get_by_role("table", name="By tag").last
    user.press(f"{month:%Y}", MONTHS)
    user.page.get_by_role("group", name="Period").get_by_role("button", name=f"{month:%Y}").click()
    tag = by_year.get_by_role("link", name="Business")
    assert (tag.get_attribute("href") or "").endswith(f"-log?period={month:%Y}&tag=business")
    everything = user.page.locator("section").filter(has_text="Altogether").last
    without = everything.get_by_role("link", name=re.compile(r"^\d+ charges have no cost$"))
    assert (without.get_attribute("href") or "").endswith("-log?kind=charges&without_cost")
    see_no_problem(user)
    without.click()
    user.see_card("vehicle-remote-access-log .day")
    user.perform(f"{DOMAIN}.update_log_entry", device_id=user.car_id(), id=charge["id"], cost=charge["cost"])


def test_years_open_and_close(user: User) -> None:
    """A year shows its totals, and its months if it is open. Older years are closed at first."""
    open_page(user, "months")
    table = user.page.get_by_role("table", name="Months")
    oldest = table.get_by_role("button", name=re.compile(r"^\d{4}$")).last
    expect(oldest).to_have_attribute("aria-expanded", "false")
    january = user.page.get_by_role("rowheader", name=f"January {oldest.text_content()}")
    expect(january).to_have_count(0)
    oldest.press("Enter")
    expect(january).to_be_visible()
    oldest.press("Enter")
    expect(january).to_have_count(0)


@in_both_schemes
def test_battery(width: int, scheme: Scheme, user: User) -> None:
    """The page shows the capacity with its uncertainty, and what charging cost at each place."""
    open_page(user, "battery", width, scheme=scheme)
    user.see("Range at 100%")
    expect(user.page.locator(f"{BATTERY} dd .main").first).to_have_text(
        re.compile(r"^[56]\d\.\d\skWh ±\s0\.\d$")
    )
    name = re.compile(r"^Battery capacity, 5\d\.\d\skWh to 6\d\.\d\skWh$")
    expect(user.page.get_by_role("img", name=name)).to_be_visible()
    slider = user.page.get_by_role("slider", name="Time")
    first = re.compile(r"^Jan 20\d\d, Battery capacity 6\d\.\d\skWh ±\s\d\.\d$")
    expect(slider).to_have_attribute("aria-valuetext", first)
    slider.press("End")
    expect(user.page.locator(f"{BATTERY} .heading .value")).to_have_text(
        re.compile(r"^[56]\d\.\d\skWh ±\s0\.\d$")
    )
    home = user.page.get_by_role("row").filter(has=user.page.get_by_role("rowheader", name="Home · AC"))
    expect(home.get_by_role("cell").last).to_have_text("€0.29")
    fast = user.page.get_by_role("row").filter(has=user.page.get_by_role("rowheader", name="Elsewhere · DC"))
    everything = fast.get_by_role("cell").first.text_content() or ""
    user.press(f"{datetime.now(ZONE).year - 1}")
    expect(fast.get_by_role("cell").first).not_to_have_text(everything)
    tile = user.page.locator(f"{BATTERY} dl > div").filter(has_text="In the battery")
    expect(tile.locator("dd")).to_have_text(re.compile(r"^[\d.]+\skWh€0\.\d\d/kWh$"))
    see_no_problem(user)
    assert low_contrasts(user.page.locator(BATTERY), NEEDED_CONTRASTS) == {}


def test_tabs_by_keyboard(user: User) -> None:
    """The keyboard moves from page to page and keeps the focus. Back leads to the page of the car."""
    user.open(f"{CARS}/{user.car_id()}")
    user.click("Log")
    links = user.page.get_by_role("navigation", name="Comet log").get_by_role("link")
    for name, card in (("Months", MONTHS), ("Battery", BATTERY)):
        link = user.page.get_by_role("link", name=name, exact=True)
        link.focus()
        link.press("Enter")
        user.see_card(f"{card} dl")
        expect(link).to_have_attribute("aria-current", "page")
        expect(link).to_be_focused()
        expect(links.filter(visible=True)).to_have_count(4)
    user.page.go_back()
    user.see("Controls")


@pytest.mark.parametrize(
    ("path", "later"),
    [
        ("log", "Each drive, each charge"),
        ("months", "The totals of each month appear here"),
        ("battery", "The battery's capacity"),
    ],
)
def test_empty_log(path: str, later: str, user: User) -> None:
    """Before the first entry, each page says what will appear there."""
    open_page(user, path, name=OTHER_CAR)
    user.see("No drives or charges yet")
    expect(user.page.get_by_role("status").filter(has_text=later)).to_be_visible()
    see_no_problem(user)


def test_error_can_be_retried(user: User) -> None:
    """While the account is not loaded, the page says so, and has a button that tries again."""
    open_page(user, "battery")
    user.see_card(f"{BATTERY} dl")
    user.evaluate(FAIL_ONCE)
    user.page.get_by_role("link", name="Log", exact=True).click()
    user.see("The log isn't available right now. Trying again automatically.")
    user.see("The account is not loaded")
    user.press("Try again")
    user.see_card("vehicle-remote-access-log .day")
    user.see_no_error()


def test_card_is_suggested(user: User) -> None:
    """The card picker suggests the card for a value of the log. Selecting the card opens the log."""
    user.add_card()
    user.fill("Search entities", "Comet Last drive distance")
    user.click("Last drive distance")
    user.see_card(LOG_CARD)
    user.open(f"{CARS}/{user.car_id()}")
    user.see_card(LOG_CARD)
    card = user.page.locator(LOG_CARD)
    expect(card).to_contain_text(re.compile(r"Last drive.*km.*Last charge.*kWh.*€", re.DOTALL))
    card.get_by_role("link", name="Comet log").press("Enter")
    user.see_card("vehicle-remote-access-log .day")


def test_open_page_shows_a_change_of_the_log_and_keeps_the_focus(user: User) -> None:
    (drive,) = newest(user, "drives", limit=1)
    name = f"{datetime.fromisoformat(drive['end']).astimezone(ZONE):%Y}"
    open_page(user, "months")
    rows = user.page.get_by_role("table", name="Months").get_by_role("row")
    row = rows.filter(has=user.page.get_by_role("button", name=name, exact=True))
    year = row.get_by_role("button").first
    year.focus()
    distance = row.locator("td .main").first
    expect(distance).to_be_visible()
    before = distance.text_content() or ""
    user.perform(f"{DOMAIN}.delete_log_entry", device_id=user.car_id(), id=drive["id"])
    expect(distance).not_to_have_text(before)
    expect(year).to_be_focused()
