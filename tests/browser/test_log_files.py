"""A log as a file: import in the settings of the car, and export from its page."""

from pathlib import Path
import re
from typing import Final

from playwright.sync_api import expect

from development.user import CARS, User

DRIVES: Final = """\
start,end,start_odometer (km),end_odometer (km),start_place,end_place,note
2025-11-03T07:00:00Z,2025-11-03T07:30:00Z,100,116.5,Home,Work,
2026-01-04T07:00:00Z,2026-01-04T07:30:00Z,116.5,130,Home,Work,"=1+1"
"""


def test_import_and_export(user: User, tmp_path: Path) -> None:
    """A file is imported after a look at it. The page exports what it shows, and opens a statement."""
    file = tmp_path / "drives.csv"
    file.write_text(DRIVES)
    user.open("/config/integrations/integration/vehicle_remote_access")
    user.press("Vehicle settings")
    user.click("Log")
    user.click("Import a log")
    user.page.locator("input[type=file]").set_input_files(file)
    user.see("drives.csv")
    user.press("Submit")
    user.see("Import this log?")
    user.see("Drives: 2")
    user.press("Submit")
    user.see("The log was imported.")
    user.open(CARS)
    user.click("Log")
    user.see("16.5 km")
    user.press("Filter")
    period = user.page.locator(".filters").get_by_label("Period")
    expect(period.locator("option")).to_have_text(
        ["All time", "All of 2026", "January 2026", "All of 2025", "December 2025", "November 2025"]
    )
    period.select_option("2026")
    user.click("Export or print")
    form = user.page.locator("details[open] form")
    expect(form.get_by_label("Period")).to_be_hidden()
    user.take_screenshot("export")
    with user.page.expect_download() as download:
        user.press("Download")
    assert download.value.suggested_filename == "comet_drives_2026.csv"
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 2
    assert lines[1].endswith(",live,,'=1+1")
    user.see_no_error()
    form.get_by_label("File").select_option("Mileage")
    form.get_by_label("Period").select_option("2025-Q4")
    form.get_by_label("Rate (EUR/km)").fill("0.3")
    user.take_screenshot("statement")
    with user.page.context.expect_page() as opened:
        user.press("Open to print")
    statement = opened.value
    expect(statement.get_by_text("Q4 2025")).to_be_visible()
    expect(statement.get_by_role("row").last).to_have_text(re.compile("Total.*16.50.*4.95"))
    statement.emulate_media(media="print")
    expect(statement.get_by_text("Print", exact=True)).to_be_hidden()
