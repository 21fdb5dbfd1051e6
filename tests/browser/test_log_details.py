"""The details of drives and charges on the page with the log of a car."""

import re
from typing import Final

from playwright.sync_api import Locator, expect
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from development.user import CARS, SimulatorAdmin, User

from .accessibility import violations
from .two_weeks import two_weeks

LOG: Final = two_weeks
FOCUSED: Final = """() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.innerText.trim();
}"""


@pytest.fixture
def log(user: User) -> User:
    """A user who looks at the log on a phone."""
    user.page.set_viewport_size({"width": 390, "height": 844})
    open_log(user)
    return user


def open_log(user: User) -> None:
    user.open_page_of_car("log")
    expect(entries(user, "Charge · Home").first).to_be_visible()


def entries(user: User, title: str) -> Locator:
    """Return the entries with a title, newest first."""
    return user.page.get_by_role("listitem").filter(has=user.page.get_by_role("button", name=title))


def opened(user: User, title: str, index: int = 0) -> Locator:
    entry = entries(user, title).nth(index)
    entry.get_by_role("button").first.click()
    expect(entry.locator(".charts")).to_be_visible()
    return entry


def test_drive(log: User) -> None:
    """A drive has a map and curves with a common readout. Nothing is drawn where nothing was seen."""
    drive = opened(log, "Home → Work")
    expect(drive.locator("ha-map canvas, ha-map .leaflet-container").first).to_be_visible()
    charts = drive.get_by_role("img")
    expect(charts).to_have_count(3)
    expect(charts.first).to_have_accessible_name(re.compile(r"Speed, \d+\skm/h to 1\d\d\skm/h"))
    assert (charts.first.locator(".line").get_attribute("d") or "").count("M") == 2
    slider = drive.get_by_role("slider", name="Time")
    slider.focus()
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    shown = re.compile(r"8:02\sAM, Speed 29\skm/h, Power 8\skW, Battery 76%")
    expect(slider).to_have_attribute("aria-valuetext", shown)
    expect(drive.locator(".value").first).to_have_text("29\u00a0km/h")
    drive.locator(".plot").last.hover(position={"x": 2, "y": 40})
    expect(drive.locator(".moment")).to_have_text(re.compile(r"8:00\sAM"))
    log.see_no_error()


def test_charge(log: User) -> None:
    """A charge has its power, its battery, its cost with the price behind it, and what waiting saved."""
    charge = opened(log, "Charge · Home")
    saved = charge.get_by_text("Saved by charging later")
    expect(saved.locator("+ dd")).to_have_text("€1.20")
    charts = charge.get_by_role("img")
    expect(charts).to_have_count(3)
    expect(charts.last).to_have_accessible_name(re.compile(r"Cost · Price, €0\.00 to €8\.\d\d"))
    expect(charts.last.locator(".line")).to_have_count(2)
    log.page.set_viewport_size({"width": 1400, "height": 900})
    charge.locator(".plot").first.hover(position={"x": 1, "y": 40})
    expect(charge.locator(".value").last).to_have_text("€0.00 · €0.31/kWh")
    charge.get_by_label("Cost (EUR)").fill("3")
    charge.get_by_role("button", name="Save").click()
    expect(charge.get_by_role("status")).to_have_text("Saved")
    expect(charts.last).to_have_accessible_name(re.compile("^Price, "))
    expect(saved).to_have_count(0)


def test_form_of_a_charge_for_which_its_owner_was_paid_saves_a_note_and_a_cost(log: User) -> None:
    charge = opened(log, "Charge · Home", 3)
    expect(charge.get_by_label("Cost (EUR)")).to_have_value(re.compile(r"-8\.\d+"))
    for name, value in (("Note", "Windy"), ("Cost (EUR)", "-0.5")):
        charge.get_by_label(name).fill(value)
        charge.get_by_role("button", name="Save").click()
        expect(charge.get_by_role("status")).to_have_text("Saved")
        expect(charge.get_by_label(name)).to_have_value(value)
    expect(charge.get_by_role("button").first).to_contain_text("-€0.50")


def test_changed_entry_has_the_focus_and_says_that_it_is_saved_or_why_it_is_not(log: User) -> None:
    charge = opened(log, "Charge · Home", 2)
    charge.get_by_label("Note").fill("Guests")
    charge.get_by_label("Note").press("Enter")
    expect(charge.get_by_role("status")).to_have_text("Saved")
    expect(charge.get_by_role("button").first).to_contain_text("Guests")
    expect(charge.get_by_label("Note")).to_be_focused()
    drive = opened(log, "Home → Work", 1)
    drive.get_by_label("Tag").fill("commute")
    drive.get_by_role("button", name="Save").click()
    expect(drive.get_by_role("button").first).to_contain_text("Commute")
    expect(drive.get_by_role("button", name="Save")).to_be_focused()
    expect(drive.get_by_label("Tag")).to_have_value("Commute")
    drive.get_by_label("Note").fill("x" * 1000)
    drive.get_by_label("Note").evaluate("input => { input.removeAttribute('maxlength'); input.value += 'x' }")
    drive.get_by_role("button", name="Save").click()
    expect(drive.get_by_role("status")).to_have_text(re.compile("note"))


def test_merge_and_delete(log: User) -> None:
    """A merged drive keeps the focus. After a drive was deleted, the entry in its place has it."""
    count = entries(log, "Home → Work").count()
    drive = opened(log, "Home → Work", 3)
    drive.get_by_role("button", name="Merge with next drive").click()
    expect(entries(log, "Home → Home")).to_have_count(1)
    expect(entries(log, "Home → Work")).to_have_count(count - 1)
    merged = entries(log, "Home → Home")
    expect(merged.get_by_role("button", name="Merge with next drive")).to_be_focused()
    expect(merged.get_by_role("button", name="Merge with next drive")).to_be_in_viewport()
    merged.get_by_role("button", name="Delete").click()
    merged.get_by_role("button", name="Delete permanently").click()
    expect(merged).to_have_count(0)
    assert re.match("Work → Home|Home → Work|Charge · Home", log.page.evaluate(FOCUSED))
    log.see_no_error()


def test_only_a_second_click_later_deletes_an_entry_and_a_double_click_merges_once(log: User) -> None:
    drive = opened(log, "Home → Work", 4)
    drive.get_by_role("button", name="Delete").dblclick()
    expect(drive.get_by_role("button", name="Delete permanently")).to_be_visible()
    count = log.page.get_by_role("listitem").count()
    drive.get_by_role("button", name="Merge with next drive").dblclick()
    expect(log.page.get_by_role("listitem")).to_have_count(count - 2)  # and the stay between the drives
    expect(log.page.get_by_role("status").filter(has_text=re.compile("log has no"))).to_have_count(0)


def test_parked_for_days(log: User) -> None:
    expect(log.page.locator(".between")).to_have_text(re.compile(r"\d.*\d · Parked at Home"))


def test_open_drive(log: User, simulation: SimulatorAdmin) -> None:
    """A drive that has not ended has details that grow, and no form. The slider keeps the focus."""
    simulation.do("unplug")
    simulation.do("drive", miles=20, speed=65)
    log.refresh()
    drive = entries(log, "Driving")
    drive.get_by_role("button").click()
    for _ in range(2):
        log.page.wait_for_timeout(11_000)
        log.refresh()
    expect(drive.locator(".charts")).to_be_visible()
    day = log.page.locator("section.day").first
    # The header of the day has no total of it yet.
    ended = day.locator("header .secondary").inner_text()
    expect(day.locator(".strip")).not_to_have_attribute("aria-label", ended or "Parked")
    expect(drive.get_by_role("button")).to_have_count(1)
    slider = drive.get_by_role("slider", name="Time")
    slider.press("ArrowRight")
    last = slider.get_attribute("max") or ""
    log.page.wait_for_timeout(11_000)
    log.refresh()
    expect(slider).not_to_have_attribute("max", last)
    expect(slider).to_be_focused()
    expect(slider).to_have_value("1")


def test_user_who_may_not_control_the_car_sees_the_curves_and_nothing_to_change_the_entry(log: User) -> None:
    reader = log.send("config/auth/create", name="reader", group_ids=["system-read-only"])["user"]
    login = {"user_id": reader["id"], "username": "reader", "password": "reader"}
    log.send("config/auth_provider/homeassistant/create", **login)
    log.page.evaluate("localStorage.clear()")
    log.sign_in("reader")
    open_log(log)
    charge = opened(log, "Charge · Home")
    expect(charge.get_by_role("button")).to_have_count(1)
    expect(charge.get_by_role("textbox")).to_have_count(0)


def test_map_shows_the_tracks_and_the_places_of_a_year_and_of_all_time(user: User) -> None:
    drives = user.send(f"{DOMAIN}/log/list", device_id=user.car_id(), kind="drives")["entries"]
    years = [drive["end"][:4] for drive in drives]
    user.open(f"{CARS}/{user.car_id()}-map?period={years[0]}")
    shown = user.page.locator("vehicle-remote-access-log-map ha-map")
    expect(shown).to_be_visible()
    points = shown.evaluate("map => map.paths.map(({ points }) => points.length)")
    tracks, places = [length for length in points if length > 1], points.count(1)
    assert (len(tracks), places) == (years.count(years[0]), 2)
    assert min(tracks) > 2
    stays = sum(drive["end_place"] == "Work" and drive["end"].startswith(years[0]) for drive in drives)
    user.press(f"Work · {stays}\u00d7")
    user.see_no_error()
    assert violations(user.page) == {}
    user.page.get_by_label("Period").select_option("All time")
    expect(user.page).to_have_url(re.compile(r"-map\?period=all$"))
    expect(user.page.get_by_role("button", name=re.compile("^Work · ")).last).to_be_visible()
    position = shown.evaluate("map => map.paths[0].points[0].point")
    shown.evaluate(
        """(map, location) =>
        map.dispatchEvent(new CustomEvent("map-clicked", { detail: { location } }))""",
        position,
    )
    expect(user.page.locator("vehicle-remote-access-log .entry.drive").first).to_be_visible()
    assert re.search(r"-log\?period=20\d\d-\d\d-\d\d$", user.page.url)
