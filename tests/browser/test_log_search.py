"""A search in the log of a car, changes of several drives, and names for places."""

import re
from typing import Any, Final

from playwright.sync_api import Locator, expect
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.samples import Samples
from development.user import CARS, User

from .two_weeks import two_weeks

CLUB: Final[dict[str, Any]] = {"latitude": 52.6, "longitude": 13.5}
LOG_PAGE: Final = "vehicle-remote-access-log"
TAB: Final = "Tab"
IS_CHOICE: Final = """() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.matches("label.entry input");
}"""
"""Whether the checkbox of a drive has the focus."""


def LOG() -> tuple[DriveLog, Samples]:  # noqa: N802 - the name for the fixture
    """Return a log with a business trip, a charge without a cost, and two charges outside of zones."""
    log, samples = two_weeks()
    log.drives[4] = log.drives[4]._replace(tag="business", note="Meeting in Hamburg")
    log.charges[1] = log.charges[1]._replace(cost=None)
    for index in (-1, -2):
        log.charges[index] = log.charges[index]._replace(place=None, **CLUB)
    return log, samples


@pytest.fixture
def log(user: User) -> Locator:
    user.page.set_viewport_size({"width": 390, "height": 844})
    user.open_page_of_car("log")
    expect(entries(user.page.locator(LOG_PAGE)).first).to_be_visible()
    return user.page.locator(LOG_PAGE)


def entries(log: Locator) -> Locator:
    """Return the drives and charges, newest first."""
    return log.get_by_role("listitem").filter(has=log.page.get_by_role("button"))


def found(log: Locator) -> Locator:
    return log.get_by_role("search").locator("xpath=..").get_by_role("status")


def test_search_in_the_address(user: User, log: Locator) -> None:
    """A link shows its search, and says what it is. From there, one press shows everything."""
    count = entries(log).count()
    user.open(f"{CARS}/{user.car_id()}-log?tag=business")
    expect(found(log)).to_have_text(re.compile(r"^Business\nDrives: 1 · \d+\skm · "))
    expect(entries(log)).to_have_count(1)
    expect(log.get_by_text("Parked")).to_have_count(0)
    filters = log.get_by_role("button", name="Filter · 1")
    filters.click()
    expect(log.get_by_role("combobox", name="Tag")).to_have_value("business")
    log.get_by_role("button", name="Show everything").click()
    expect(entries(log)).to_have_count(count)
    assert "?" not in user.page.url
    user.evaluate("() => history.replaceState(null, '', '?kind=charges&without_cost')")
    user.evaluate("() => dispatchEvent(new CustomEvent('location-changed', { detail: {} }))")
    expect(found(log)).to_have_text(re.compile(r"^Charges without a cost\nCharges: 1 · "))
    expect(log.get_by_role("radio", name="Charges")).to_be_checked()
    expect(log.get_by_role("checkbox", name="Charges without a cost")).to_be_checked()
    user.see_no_error()


def test_search_in_a_period_without_an_entry(user: User, log: Locator) -> None:
    user.open(f"{CARS}/{user.car_id()}-log?period=2001-05")
    log.get_by_role("button", name="Filter · 1").click()
    period = log.get_by_role("combobox", name="Period")
    expect(period.locator("optgroup").first).to_be_attached()
    expect(period).to_have_value("2001-05")


def test_search_while_typing(user: User, log: Locator) -> None:
    """The field keeps the focus while results come, also those of new entries. The address has the search."""
    field = log.get_by_role("searchbox", name="Find in the log")
    field.press_sequentially("Business")
    expect(found(log)).to_have_text(re.compile("^Drives: 1"))
    expect(field).to_be_focused()
    assert user.page.url.endswith("-log?text=Business")
    field.fill("airport")
    expect(found(log)).to_have_text("Nothing found")
    command = {"device_id": user.car_id(), "kind": "drives"}
    drive = user.send(f"{DOMAIN}/log/list", **command)["entries"][5]
    user.perform(f"{DOMAIN}.update_log_entry", device_id=user.car_id(), id=drive["id"], note="Airport")
    expect(entries(log)).to_have_count(1)
    expect(field).to_be_focused()
    field.press_sequentially("s")
    expect(found(log)).to_have_text("Nothing found")
    field.fill("")
    expect(found(log)).to_have_text("")
    log.get_by_role("radio", name="Drives").check(force=True)
    expect(entries(log).filter(has_text="Charge")).to_have_count(0)
    log.get_by_role("button", name="Filter").click()
    log.get_by_label("At least").fill("500")
    expect(found(log)).to_have_text(re.compile(r"^At least 500\skm\sNothing found$"))
    user.see_no_error()


def test_keyboard_selects_drives_in_the_list_and_gives_them_the_same_tag(user: User, log: Locator) -> None:
    select = log.get_by_role("button", name="Select", exact=True)
    select.click()
    boxes = log.get_by_role("listitem").get_by_role("checkbox")
    expect(log.get_by_role("button", name="Set tag")).to_be_disabled()
    boxes.first.focus()
    for _ in range(3):
        user.page.keyboard.press("Space")
        user.page.keyboard.press(TAB)
        while not user.page.evaluate(IS_CHOICE):
            user.page.keyboard.press(TAB)
    expect(log.get_by_role("status").filter(has_text="Drives: 3 · 73")).to_be_visible()
    log.locator(".selection").get_by_label("Tag").fill("Customer")
    user.page.keyboard.press("Enter")
    expect(log.get_by_role("listitem").filter(has_text="· Customer")).to_have_count(3)
    expect(boxes).to_have_count(0)
    expect(select).to_be_focused()
    user.see_no_error()


def test_zone_names_all_entries_at_its_position_and_has_no_other_effect(user: User, log: Locator) -> None:
    charge = entries(log).filter(has_text="Charge").first
    charge.get_by_role("button").first.click()
    charge.get_by_role("button", name="Name this place").click()
    name = charge.get_by_label("Name this place")
    expect(name).to_be_focused()
    name.fill("Sports club")
    name.press("Enter")
    expect(entries(log).filter(has_text="Charge · Sports club")).to_have_count(2)
    expect(charge.get_by_role("button", name="Name this place")).to_have_count(0)
    expect(charge.get_by_role("button").first).to_be_focused()
    zones = user.send("zone/list")
    assert [zone["passive"] for zone in zones if zone["name"] == "Sports club"] == [True]
    user.see_no_error()


def test_delete_can_be_canceled(log: Locator) -> None:
    charge = entries(log).filter(has_text="Charge").nth(1)
    charge.get_by_role("button").first.click()
    charge.get_by_role("button", name="Delete").click()
    expect(charge.get_by_role("button", name="Delete permanently")).to_be_focused()
    charge.get_by_role("button", name="Cancel").click()
    expect(charge.get_by_role("button", name="Delete", exact=True)).to_be_focused()
    expect(charge.get_by_role("button", name="Cancel")).to_be_hidden()
