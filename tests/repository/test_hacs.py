"""What neither HACS nor hassfest, which a workflow runs, checks: the minimum version, images and icons."""

import ast
import json
import re
from runpy import run_path
from typing import Final

import hass_frontend
from PIL import Image
import pytest

from ..source import INTEGRATION, ROOT

ICON_SIZE: Final = 256


@pytest.mark.parametrize(("major", "minor"), [(2026, 7), (2025, 12)])
def test_manual_copy_on_an_old_version(monkeypatch: pytest.MonkeyPatch, major: int, minor: int) -> None:
    """On an older version, the import fails with an error that names the required version."""
    monkeypatch.setattr("homeassistant.const.MAJOR_VERSION", major)
    monkeypatch.setattr("homeassistant.const.MINOR_VERSION", minor)
    minimum = json.loads((ROOT / "hacs.json").read_text())["homeassistant"].removesuffix(".0")
    with pytest.raises(ImportError, match=rf"needs Home Assistant {minimum} or newer"):
        run_path(str(INTEGRATION / "__init__.py"))


def test_old_python_can_read_the_error() -> None:
    """The module with this error uses only syntax that the Python of an older Home Assistant supports."""
    ast.parse((INTEGRATION / "__init__.py").read_text(), feature_version=(3, 12))


@pytest.mark.parametrize("resolution", ["", "@2x"])
@pytest.mark.parametrize("name", ["icon", "logo", "dark_icon", "dark_logo"])
def test_brand(name: str, resolution: str) -> None:
    """Icon and logo exist for both themes and resolutions, in the size that Home Assistant requires."""
    size = ICON_SIZE * (2 if resolution else 1)
    with Image.open(INTEGRATION / "brand" / f"{name}{resolution}.png") as image:
        assert image.format == "PNG"
        if name.endswith("icon"):
            assert image.size == (size, size)
        else:
            # The shorter side of a logo may be half of it.
            assert size // 2 <= min(image.size) <= size


def test_icons_exist() -> None:
    icons = json.loads((hass_frontend.where() / "static/mdi/iconList.json").read_text())
    used = set(re.findall(r'"mdi:([^"]*)"', (INTEGRATION / "icons.json").read_text()))
    assert used
    assert used <= {icon["name"] for icon in icons}
