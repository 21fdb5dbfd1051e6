"""The accessibility of the integration's pages and cards."""

from datetime import UTC, datetime, timedelta
import re
from typing import Final, Literal

from playwright.sync_api import expect
import pytest

from development.user import CARS, SimulatorAdmin, User

from .accessibility import violations
from .two_weeks import two_weeks

# A service whose cars have everything that the pages can show
OPTIONS: Final = ("--service", "tessie")
LOG: Final = two_weeks
type Scheme = Literal["light", "dark"]

ELEMENTS: Final = {
    "": "vehicle-remote-access-car",
    "-log": "vehicle-remote-access-log",
    "-months": "vehicle-remote-access-log-months",
    "-battery": "vehicle-remote-access-log-battery",
}
"""The elements of the pages, by the ends of their paths."""
SET_LANGUAGE: Final = "(home, language) => { localStorage.selectedLanguage = JSON.stringify(language); }"
LOG_CARD: Final = "vehicle-remote-access-log-card"
PLAN_CARD: Final = "vehicle-remote-access-charging-plan"
PLAN: Final = re.compile(r"^Charges .+ [AP]M, ready by (?:\w+ )?\d+:\d\d.[AP]M$")
CHARGING: Final = re.compile(", Charging$")
MEASURED: Final = re.compile(r", Surplus power: 4\.0.kW, Charging: 3\.0.kW$")
GRID: Final = {"state": "-1000", "attributes": {"unit_of_measurement": "W", "device_class": "power"}}
STATISTICS: Final = """(home, means) => {
    const { connection } = home.hass;
    const send = connection.sendMessagePromise;
    const rows = (mean) => [20, 15, 10].map((minutes) => ({ start: Date.now() - minutes * 60_000, mean }));
    connection.sendMessagePromise = (message, ...others) => message.period === "5minute"
        ? Promise.resolve(Object.fromEntries(message.statistic_ids.map((id, at) => [id, rows(means[at])])))
        : send.call(connection, message, ...others);
}"""
"""Gives the statistics of each sensor, in the order of the request, a mean power in kW."""
READS_FROM_LEFT: Final = """element => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const text = texts.nextNode();
    const left = (index) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
    };
    return left(text.data.search(/\\w/)) < left(text.data.search(/\\S\\W*$/));
}"""
"""Whether the first letter of a text is left of its last character."""
RING_IS_WITHIN: Final = """(row, outer) => {
    const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(row);
    const reach = parseFloat(outlineOffset) + parseFloat(outlineWidth);
    const [ring, limit] = [row, row.closest(outer)].map((each) => each.getBoundingClientRect());
    return outlineStyle !== "none" && ring.left - reach >= limit.left && ring.right + reach <= limit.right;
}"""
CUT_TEXTS: Final = """() => {
    const within = (root) => (root ? [...root.querySelectorAll("*")] : []);
    const elements = (root) => within(root).flatMap((each) => [each, ...elements(each.shadowRoot)]);
    return elements(document)
        .filter((each) => getComputedStyle(each).textOverflow === "ellipsis" && each.checkVisibility())
        .filter(({ scrollWidth, clientWidth }) => clientWidth && scrollWidth > clientWidth)
        .map(({ innerText }) => innerText);
}"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("de", "dark"), ("he", "light")])
def test_pages(language: str, scheme: Scheme, width: int, user: User, simulation: SimulatorAdmin) -> None:
    """The pages fit and violate no rule: also with long words, from right to left, and with warnings."""
    simulation.do("open_window", name="fd")
    simulation.do("set_tire_pressure", tire="rl", bar=1.5)
    user.refresh()
    user.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    user.page.set_viewport_size({"width": width, "height": 900})
    car = user.car_id()
    user.evaluate(SET_LANGUAGE, language)
    pages = {"": "svg", "-log": ".day", "-months": "dl", "-battery": "dl"}
    for path, element in pages.items():
        user.open(f"{CARS}/{car}{path}")
        user.see_card(f"{ELEMENTS[path]} {element}")
        if path == "":
            user.see_card(LOG_CARD)
        if path == "-log":
            open_details(user)
        expect(user.page.locator("html")).to_have_attribute("lang", language)
        assert violations(user.page) == {}
        assert not user.scrolls_sideways
        user.see_no_error()
        user.take_screenshot(f"{language}{path}")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_selection_of_drives(width: int, scheme: Scheme, user: User) -> None:
    """Selecting drives violates no rule, and the bar for them fits."""
    user.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    user.page.set_viewport_size({"width": width, "height": 900})
    user.open_page_of_car("log")
    log = user.page.locator(ELEMENTS["-log"])
    log.get_by_role("button", name="Select", exact=True).click()
    log.get_by_role("listitem").get_by_role("checkbox").first.check()
    expect(log.get_by_role("button", name="Set tag")).to_be_enabled()
    assert violations(user.page) == {}
    assert not user.scrolls_sideways


def test_language_without_translation(user: User) -> None:
    """In Arabic, English texts are marked as English, and they and amounts with units keep their order."""
    car = user.car_id()
    user.evaluate(SET_LANGUAGE, "ar")
    for path, end in ELEMENTS.items():
        user.open(f"{CARS}/{car}{path}")
        expect(user.page.locator("html")).to_have_attribute("dir", "rtl")
        expect(user.page.locator(end)).to_have_attribute("lang", "en")
        expect(user.page.locator(end)).to_have_attribute("dir", "ltr")
        if not path:
            texts = [
                user.page.locator(f"{end} .range"),
                user.page.get_by_text("The charts appear after the first day."),
            ]
            for text in texts:
                expect(text).to_be_visible()
                assert text.evaluate(READS_FROM_LEFT)
    user.evaluate(SET_LANGUAGE, "de")
    user.open(f"{CARS}/{car}")
    expect(user.page.locator(ELEMENTS[""])).to_have_attribute("lang", "de")


@pytest.mark.parametrize("width", [390, 1280, 1400])
def test_names_are_not_cut(width: int, user: User, simulation: SimulatorAdmin) -> None:
    """The names of all values that are shown only at times fit beside each other."""
    for door in ("df", "dr", "pf", "pr"):
        simulation.do("open", name=door)
    for window in ("fd", "rd", "fp", "rp"):
        simulation.do("open_window", name=window)
    simulation.do("set_tire_pressure", tire="rl", bar=1.5)
    user.page.set_viewport_size({"width": width, "height": 2000})
    user.open(CARS)
    user.see("Comet")
    user.perform("climate.turn_on", entity_id="climate.comet_climate")
    for name in ("Preconditioning On", "Passenger rear door Open", "Passenger rear window Open"):
        user.refresh_until(name)
    assert user.page.evaluate(CUT_TEXTS) == []


def test_charging_plan(user: User) -> None:
    """Turned on, the plan says when it charges, and draws that and the surplus. The keyboard works."""
    plan = user.page.locator(PLAN_CARD).filter(visible=True)
    user.open(CARS)
    user.see("Charging plan Off")
    expect(plan).to_have_count(0)
    # In the hours before it must be ready, there would not be enough time.
    ready_by = (datetime.now(UTC) + timedelta(hours=12)).strftime("%H:00:00")
    user.perform("time.set_value", entity_id="time.comet_ready_by", time=ready_by)
    user.press("Charging plan Off")
    expect(plan.get_by_text(PLAN)).to_be_visible()
    expect(plan.get_by_text("Home Assistant will start the charge")).to_be_visible()
    hours = plan.get_by_role("slider", name="Time")
    expect(hours).to_have_attribute("aria-valuetext", CHARGING)
    hours.press("Home")
    expect(hours).not_to_have_attribute("aria-valuetext", CHARGING)
    user.evaluate(STATISTICS, [-1, 3])
    user.post("states/sensor.grid", **GRID)
    flows = "config/config_entries/options/flow"
    (entry,) = user.send("config_entries/get", domain="vehicle_remote_access")
    flow = user.post(flows, handler=entry["entry_id"])
    options = {each["name"]: each.get("default", {}) for each in flow["data_schema"] if each["required"]}
    house = {"surplus_entity": "sensor.grid", "surplus_is_imported": True}
    user.post(f"{flows}/{flow['flow_id']}", **options, house=house)
    hours.press("Home")
    expect(hours).to_have_attribute("aria-valuetext", MEASURED)
    hours.press("End")
    expect(hours).not_to_have_attribute("aria-valuetext", MEASURED)
    assert violations(user.page) == {}
    user.press("Charging plan On")
    expect(plan).to_have_count(0)


def test_ring_around_the_row_of_the_log_that_has_the_focus_is_visible_on_all_sides(user: User) -> None:
    user.open_page_of_car("log")
    row = user.page.locator(f"{ELEMENTS['-log']} button.entry").first
    expect(row).to_be_visible()
    user.page.keyboard.press("Tab")
    row.focus()
    assert row.evaluate(RING_IS_WITHIN, ".day")


def open_details(user: User) -> None:
    """Open the details of a drive and of a charge, the filters, and the form for downloads."""
    log = user.page.locator(ELEMENTS["-log"])
    log.locator(".chip[aria-expanded]").click()
    for icon in ("mdi:car", "mdi:ev-station"):
        entry = user.page.locator("li", has=user.page.locator(f"ha-icon[icon='{icon}']")).first
        entry.get_by_role("button").first.click()
        expect(entry.locator(".charts")).to_be_visible()
    log.locator("summary").first.click()
