"""A browser that is on this machine already, at a Home Assistant of its own for every file of tests."""

from collections.abc import Iterator
import os
from pathlib import Path
import re
import shutil
from typing import Final, Literal

from playwright.sync_api import ConsoleMessage, Page, Playwright, expect, sync_playwright
import pytest

from ..developing import Developing, developing
from .visitor import MILLISECONDS_TO_APPEAR, Bystander, Visitor

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS: Final = (
    "--no-sandbox",  # it sees nothing but our own pages, and inside a container there is no other way
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
)
PHONE: Final = (390, 844)
DESKTOP: Final = (1280, 900)

# Map tiles and the pictures of other integrations come from the internet, which a test machine may not have.
# So do the sources that 2026.8 loads to report an error. The error itself is caught separately.
FROM_THE_INTERNET: Final = re.compile(
    r"/api/(?:map_tiles|brands/integration/(?!vehicle_remote_access/))|/unknown/node_modules/"
    r"|^https://(?:basemaps\.cartocdn|raw\.githubusercontent)\.com/"
)
ERRORS_OF_THE_FRONTEND: Final = {
    # A virtual list that is removed before its layout rejects a promise that nothing awaits.
    "disconnected",
    # 2026.8 updates the element of a custom panel once more after the panel has become a dashboard.
    "Cannot read properties of undefined (reading 'html_url')",
}
COMPLAINT: Final = re.compile(
    r"^\S+ \S+ (?:(?:ERROR|CRITICAL) .*|WARNING .*(?:vehicle_remote_access|will stop working).*)$",
    re.MULTILINE,
)
SAID_OF_EVERY_CUSTOM_INTEGRATION: Final = "We found a custom integration vehicle_remote_access which has not"


@pytest.fixture(autouse=True)
def _real_integration_over_real_http(socket_enabled: None) -> None:
    """Let the tests reach the programs. Home Assistant is one of them: there is none in the tests."""


@pytest.fixture(autouse=True)
def verify_cleanup() -> None:
    """Look for no remains of a Home Assistant: there is none here, and the driver's threads may end late."""


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is: $CHROMIUM, or the first that is found."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing = f"no {', '.join(BROWSERS)} is installed, and $CHROMIUM names none"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="module")
def options() -> tuple[str, ...]:
    """What `scripts/develop` is told; a file of tests that wants something else says so."""
    return ()


@pytest.fixture(scope="module")
def expected_complaint() -> str:
    """What Home Assistant has to complain of, because the tests bring it about."""
    return SAID_OF_EVERY_CUSTOM_INTEGRATION


@pytest.fixture(scope="module")
def developed(
    tmp_path_factory: pytest.TempPathFactory, chromium: str, options: tuple[str, ...], expected_complaint: str
) -> Iterator[Developing]:
    """A Home Assistant, with nothing in its log at the end that somebody would have to look into."""
    with developing(tmp_path_factory.mktemp("browser") / "home", *options) as running:
        yield running
        complaints = COMPLAINT.findall(running.log.read_text())
    known = (SAID_OF_EVERY_CUSTOM_INTEGRATION, expected_complaint)
    assert not [each for each in complaints if not any(words in each for words in known)]


@pytest.fixture
def token(developed: Developing) -> str:
    """The token that the service accepts."""
    return developed.token


@pytest.fixture
def playwright() -> Iterator[Playwright]:
    """What drives the browser."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture
def bystander(playwright: Playwright, developed: Developing) -> Iterator[Bystander]:
    """Somebody beside the car, which nobody else drives meanwhile."""
    simulator = playwright.request.new_context(base_url=f"{developed.simulator}/simulator/")
    person = Bystander(simulator)
    person.do("routine", on=False)
    yield person
    simulator.dispose()


@pytest.fixture
def size() -> tuple[int, int]:
    """How wide and high the window is."""
    return DESKTOP


@pytest.fixture
def scheme() -> Literal["light", "dark"]:
    """Whether the person's device is `light` or `dark`."""
    return "light"


@pytest.fixture
def page(
    playwright: Playwright,
    chromium: str,
    developed: Developing,
    size: tuple[int, int],
    scheme: Literal["light", "dark"],
) -> Iterator[Page]:
    """A page of a browser that was never here before, and finds nothing wrong with what it is given."""
    browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
    context = browser.new_context(
        base_url=developed.home,
        color_scheme=scheme,
        viewport={"width": size[0], "height": size[1]},
    )
    context.set_default_timeout(MILLISECONDS_TO_APPEAR)
    expect.set_options(timeout=MILLISECONDS_TO_APPEAR)
    page = context.new_page()
    errors: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error" and not FROM_THE_INTERNET.search(message.location["url"]):
            errors.append(f"{message.text} ({message.location['url']})")

    page.on("console", listen)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    browser.close()
    assert not [error for error in errors if error not in ERRORS_OF_THE_FRONTEND]


@pytest.fixture
def visitor(page: Page, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    """A person who has signed in; what they see is kept in the folder $SCREENSHOTS, if there is one."""
    pictures = os.environ.get("SCREENSHOTS")
    person = Visitor(page, Path(pictures) / request.node.name if pictures else None)
    person.sign_in()
    yield person
    person.take_picture("at last")
