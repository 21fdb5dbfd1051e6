"""Fixtures: the installed browser, and a Home Assistant process for each test module."""

from collections.abc import Iterator
import os
from pathlib import Path
import re
from typing import Final

from playwright.sync_api import ConsoleMessage, Page, Playwright, expect, sync_playwright
import pytest

from development.browser import ARGUMENTS, NO_BROWSER, find_browser
from development.process import DevelopProcess, run_develop
from development.stored_log import write_log
from development.user import TIMEOUT_MILLISECONDS, SimulatorAdmin, User, leave

# Map tiles and the images of other integrations come from the internet, which may not be available in tests.
# So do the sources that 2026.8 loads to report an error. The error itself is detected separately.
FROM_THE_INTERNET: Final = re.compile(
    r"/api/(?:map_tiles|brands/integration/(?!vehicle_remote_access/))|/unknown/node_modules/"
    r"|^https://(?:basemaps\.cartocdn|raw\.githubusercontent)\.com/"
)
KNOWN_FRONTEND_ERRORS: Final = {
    # If a virtual list is removed before its layout, it rejects a promise that is not handled.
    "disconnected",
    # After a custom panel has become a dashboard, Home Assistant updates the element of the panel once more.
    "Cannot read properties of undefined (reading 'html_url')",
    "Cannot read properties of undefined (reading 'module_url')",
}
PROBLEM: Final = re.compile(
    r"^\S+ \S+ (?:(?:ERROR|CRITICAL) .*|WARNING .*(?:vehicle_remote_access|will stop working).*)$",
    re.MULTILINE,
)
CUSTOM_INTEGRATION_WARNING: Final = "We found a custom integration vehicle_remote_access which has not"


@pytest.fixture(autouse=True)
def verify_cleanup() -> None:
    """Skip the test plugin's cleanup check: the threads of the browser driver can end late."""


@pytest.fixture(scope="session")
def chromium() -> str:
    path = find_browser()
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(NO_BROWSER)
        pytest.skip(NO_BROWSER)
    return path


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, chromium: str, request: pytest.FixtureRequest
) -> Iterator[DevelopProcess]:
    """Home Assistant and an unused car. At the end, the log must contain no unexpected problems.

    A test module can set OPTIONS for `scripts/develop`, a function LOG that returns the log of the first car,
    and an EXPECTED_PROBLEM that its tests cause.
    """
    options = ["--no-routine", *getattr(request.module, "OPTIONS", ())]
    folder = tmp_path_factory.mktemp("browser") / "home"
    if create_log := getattr(request.module, "LOG", None):
        with run_develop(folder, *options) as process:
            options += ["--simulator-port", process.simulator_url.rpartition(":")[2]]
        write_log(folder, *create_log())
    with run_develop(folder, *options) as process:
        yield process
        expected = (CUSTOM_INTEGRATION_WARNING, getattr(request.module, "EXPECTED_PROBLEM", None))
        problems = PROBLEM.findall(process.log.read_text())
        assert not [each for each in problems if not any(text in each for text in expected if text)]


@pytest.fixture
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture
def simulation(playwright: Playwright, running: DevelopProcess) -> Iterator[SimulatorAdmin]:
    simulator = playwright.request.new_context(base_url=f"{running.simulator_url}/simulator/")
    yield SimulatorAdmin(simulator)
    simulator.dispose()


@pytest.fixture
def page(playwright: Playwright, chromium: str, running: DevelopProcess) -> Iterator[Page]:
    """A page in a new browser profile. At the end, the page must have no unexpected errors."""
    browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
    context = browser.new_context(
        base_url=running.home_assistant_url, viewport={"width": 1280, "height": 900}
    )
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    expect.set_options(timeout=TIMEOUT_MILLISECONDS)
    page = context.new_page()
    errors: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" and not FROM_THE_INTERNET.search(message.location["url"]):
            errors.append(f"{message.text} ({message.location['url']})")

    page.on("console", listen)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    leave(page)
    browser.close()
    assert not [error for error in errors if error not in KNOWN_FRONTEND_ERRORS]


@pytest.fixture
def user(page: Page, request: pytest.FixtureRequest) -> Iterator[User]:
    """A signed-in user. Screenshots are saved in the folder $SCREENSHOTS, if this variable is set."""
    screenshots = os.environ.get("SCREENSHOTS")
    user = User(page, Path(screenshots) / request.node.name if screenshots else None)
    user.sign_in()
    yield user
    user.take_screenshot("end")
