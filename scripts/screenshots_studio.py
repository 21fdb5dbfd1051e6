"""Takes pictures of Home Assistant in a browser, for `scripts/screenshots`."""
# ruff: noqa: INP001 - a script, not a module

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
import sys
import time
from typing import Any, Final, Literal

from PIL import Image
from playwright.sync_api import FloatRect, Locator, Page, Playwright, expect

from development.browser import ARGUMENTS
from development.process import DevelopProcess
from development.user import TIMEOUT_MILLISECONDS, User

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURES: Final = ROOT / "docs" / "pictures"

HOUR: Final = 18
"""The local time in the pictures."""
FIRST_OFFSET: Final = -11
TIME_ZONES: Final = (
    *("Pacific/Pago_Pago", "Pacific/Honolulu", "Pacific/Gambier", "Pacific/Pitcairn", "America/Phoenix"),
    *("America/Costa_Rica", "America/Bogota", "America/Puerto_Rico", "America/Sao_Paulo"),
    *("Atlantic/South_Georgia", "Atlantic/Cape_Verde", "Africa/Abidjan", "Africa/Lagos"),
    *("Africa/Johannesburg", "Africa/Nairobi", "Asia/Dubai", "Asia/Karachi", "Asia/Dhaka", "Asia/Bangkok"),
    *("Asia/Singapore", "Asia/Tokyo", "Australia/Brisbane", "Pacific/Noumea", "Pacific/Fiji"),
)
"""A time zone for each hour, without daylight saving time. The first is 11 hours behind UTC."""
SCALE: Final = 2
"""Pixels of a picture per pixel of the page."""
COLORS: Final = 256
MARGIN: Final = 28
"""Space around a dialog."""
MILLISECONDS_BETWEEN_TRIES: Final = 250
TIMES_STILL: Final = 3
MAX_TRIES: Final = 20

FRAME_SECONDS: Final = 0.08
SLOW_MOTION: Final = 5
"""How much slower the page is while it is recorded, so that there is time for each frame."""
QUALITY, METHOD = 70, 4
"""Parameters of the WebP format."""

COLLAPSE_SIDEBAR: Final = """home =>
    home.dispatchEvent(new CustomEvent("hass-dock-sidebar", { detail: { dock: "auto" } }))"""
IS_READY: Final = "document.querySelector('home-assistant')?.hass?.entities !== undefined"
HAS_STATE: Final = """([entity_id, state]) =>
    document.querySelector("home-assistant").hass.states[entity_id]?.state === state"""
# Entities are found by their translation keys, because their ids come from their English names.
FIND_ENTITY: Final = """(home, key) => {
    const [platform, translation_key] = key.split(".");
    const isWanted = (entity) => entity.platform === "vehicle_remote_access" &&
        entity.translation_key === translation_key && entity.entity_id.startsWith(`${platform}.`);
    return Object.values(home.hass.entities).find(isWanted).entity_id;
}"""
DEVICE_ID: Final = "(home, entity_id) => home.hass.entities[entity_id].device_id"
BOX: Final = """element => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
}"""
DIALOG: Final = "dialog[open]"
HIDE_PAGE: Final = """dialog => {
    const style = document.createElement("style");
    style.textContent = "dialog::backdrop { background: #e8ecef !important }";
    dialog.getRootNode().append(style);
}"""
SHOW_FINGER: Final = """([x, y]) => {
    const finger = document.createElement("div");
    finger.popover = "manual";
    finger.style = `inset: ${y - 22}px auto auto ${x - 22}px; width: 44px; height: 44px; padding: 0;
        margin: 0; border: 0; border-radius: 50%; background: rgb(0 0 0 / 0.3); pointer-events: none`;
    document.body.append(finger);
    finger.showPopover();
    const tap = [
        { transform: "scale(1.4)", opacity: 0 },
        { transform: "scale(1)", opacity: 1, offset: 0.4 },
        { transform: "scale(0.8)", opacity: 1, offset: 0.7 },
        { transform: "scale(1.2)", opacity: 0 },
    ];
    finger.animate(tap, 500).finished.then(() => finger.remove());
}"""


class Studio(User):
    """A browser with Home Assistant, in which a user has signed in."""

    def __init__(
        self,
        driver: Playwright,
        browser: str,
        running: DevelopProcess,
        folder: Path,
        wanted: set[str],
        time_zone: str | None = None,
    ) -> None:
        """Sign in. `browser`: its path. `folder`: Home Assistant's data. `wanted`: the pictures to save.

        `time_zone`: the one of the browser. The default is one in which it is day.
        """
        time_zone = time_zone or TIME_ZONES[(HOUR - datetime.now(UTC).hour - FIRST_OFFSET) % len(TIME_ZONES)]
        context = driver.chromium.launch(executable_path=browser, args=ARGUMENTS).new_context(
            base_url=running.home_assistant_url,
            device_scale_factor=SCALE,
            timezone_id=time_zone,
            bypass_csp=True,  # to replace the font of the simulator's page
        )
        context.set_default_timeout(TIMEOUT_MILLISECONDS)
        expect.set_options(timeout=TIMEOUT_MILLISECONDS)
        self.driver = driver
        self.running = running
        self.folder = folder
        super().__init__(context.new_page(), None)
        self.sign_in()
        self.evaluate(COLLAPSE_SIDEBAR)
        self._wanted = wanted

    # Home Assistant

    def show(self, path: str, width: int, height: int, scheme: Literal["light", "dark"] = "light") -> None:
        """Open a page of Home Assistant on a screen of this size."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme)
        self.open(path)
        self.page.wait_for_function(IS_READY)

    def end_at(self, y: float) -> None:
        """Make the screen end at this place."""
        width = self.page.evaluate("innerWidth")
        self.page.set_viewport_size({"width": width, "height": round(y)})

    def entity_id(self, key: str) -> str:
        """Return the id of an entity, for example of `button.refresh`: its platform and translation key."""
        entity_id: str = self.evaluate(FIND_ENTITY, key)
        return entity_id

    def device_id(self, key: str) -> str:
        """Return the id of an entity's device."""
        device_id: str = self.evaluate(DEVICE_ID, self.entity_id(key))
        return device_id

    def act(self, key: str, action: str, **data: Any) -> None:
        """Perform an action of an entity's platform on this entity."""
        platform = key.partition(".")[0]
        self.perform(f"{platform}.{action}", entity_id=self.entity_id(key), **data)

    def wait_for_state(self, key: str, state: str) -> None:
        """Wait until an entity has this state."""
        self.page.wait_for_function(HAS_STATE, arg=[self.entity_id(key), state])

    # Pictures

    def take(self, name: str, clip: FloatRect | None = None) -> None:
        """Save a picture of the page, or of a part of it."""
        if name in self._wanted:
            picture = Image.open(BytesIO(self.wait_until_still(clip))).convert("RGB")
            picture.quantize(COLORS).save(PICTURES / name, optimize=True)
            report(name)

    def take_dialog(self, name: str) -> None:
        """Save a picture of the open dialog on a plain background."""
        dialog = self.page.locator(DIALOG).last
        dialog.evaluate(HIDE_PAGE)
        self.wait_until_still()
        self.take(name, around(dialog, MARGIN))

    def wait_until_still(self, clip: FloatRect | None = None) -> bytes:
        """Wait until nothing changes on the page, or on a part of it. Return a screenshot."""
        self.page.mouse.move(0, 0)
        screenshot, times = b"", 0
        for _ in range(MAX_TRIES):
            before, screenshot = screenshot, self.page.screenshot(clip=clip, animations="disabled")
            times = times + 1 if screenshot == before else 0
            if times == TIMES_STILL:
                break
            self.page.wait_for_timeout(MILLISECONDS_BETWEEN_TRIES)
        return screenshot


class Film:
    """An animation of a part of the page, recorded in slow motion."""

    def __init__(self, page: Page, clip: FloatRect) -> None:
        """Slow down the page."""
        self._page = page
        self._clip = clip
        self._frames: list[Image.Image] = []
        self._next_frame = time.monotonic()
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Animation.enable")
        self._devtools.send("Animation.setPlaybackRate", {"playbackRate": 1 / SLOW_MOTION})

    def record(self, seconds: float) -> None:
        """Record what the page shows. `seconds`: the time that this takes in the animation."""
        for _ in range(round(seconds / FRAME_SECONDS)):
            self._page.wait_for_timeout(1000 * max(0, self._next_frame - time.monotonic()))
            self._next_frame = time.monotonic() + FRAME_SECONDS * SLOW_MOTION
            frame = self._page.screenshot(clip=self._clip)
            self._frames.append(Image.open(BytesIO(frame)).convert("RGB"))

    def tap(self, element: Locator) -> None:
        """Show a finger that taps an element, and click the element."""
        box = around(element)
        self._page.evaluate(SHOW_FINGER, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
        self.record(0.32)
        element.click()

    def save(self, name: str) -> None:
        """Save the animation, and let the page run at its own speed again."""
        self._devtools.detach()
        first, *others = self._frames
        first.save(
            PICTURES / name,
            save_all=True,
            append_images=others,
            duration=round(1000 * FRAME_SECONDS),
            loop=0,
            quality=QUALITY,
            method=METHOD,
        )
        report(name)


def bottom(element: Locator) -> float:
    """Return the position of the lower edge of an element."""
    box = around(element)
    return box["y"] + box["height"]


def around(element: Locator, margin: float = 0) -> FloatRect:
    """Return the rectangle of an element with a margin."""
    box = element.evaluate(BOX)
    return {
        "x": box["x"] - margin,
        "y": box["y"] - margin,
        "width": box["width"] + 2 * margin,
        "height": box["height"] + 2 * margin,
    }


def report(name: str) -> None:
    """Print the name and the size of a picture."""
    size = (PICTURES / name).stat().st_size
    sys.stdout.write(f"{name}: {size // 1000} kB\n")
    sys.stdout.flush()
