"""The limits that the scripts of the dashboard know are those of the integration."""

import re

from custom_components.vehicle_remote_access.dashboard.resources import SCRIPTS
from custom_components.vehicle_remote_access.dashboard.websocket import _LARGEST_LIMIT
from custom_components.vehicle_remote_access.drive_log.entries import LONGEST_NOTE, LONGEST_TAG


def test_limits_of_the_scripts() -> None:
    """A form accepts the texts that the action accepts, and a page requests what the command returns."""
    limits = re.findall(r"export const (\w+) = (\d+);", (SCRIPTS / "limits.js").read_text())
    assert dict(limits) == {
        "LARGEST_PAGE": str(_LARGEST_LIMIT),
        "LONGEST_TAG": str(LONGEST_TAG),
        "LONGEST_NOTE": str(LONGEST_NOTE),
    }
