"""What hassfest, which a workflow runs, does not check: icons and requirements."""

import json
import re

import hass_frontend

from ..source import INTEGRATION


def test_icons_exist() -> None:
    """Each icon is an icon of Home Assistant."""
    icons = json.loads((hass_frontend.where() / "static/mdi/iconList.json").read_text())
    used = set(re.findall(r'"mdi:([^"]*)"', (INTEGRATION / "icons.json").read_text()))
    assert used
    assert used <= {icon["name"] for icon in icons}


def test_integration_has_no_requirements() -> None:
    """The integration installs no libraries."""
    assert json.loads((INTEGRATION / "manifest.json").read_text())["requirements"] == []
