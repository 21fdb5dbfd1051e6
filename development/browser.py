"""The browser in which scripts and tests use Home Assistant."""

import os
import shutil
from typing import Final

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER: Final = f"install one of {', '.join(BROWSERS)}, or set CHROMIUM to its path"
ARGUMENTS: Final = (
    "--no-sandbox",  # required in a container, and harmless with local pages
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
)


def find_browser() -> str | None:
    """Return the path of Chromium: $CHROMIUM, or the first installed browser."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
