"""The requirements of HACS for a repository that can be checked in its files.

HACS also requires a description, topics and issues on GitHub, and that the repository is not archived.
"""

import ast
from hashlib import sha256
import json
from pathlib import Path
from runpy import run_path
from typing import Any, Final

from awesomeversion import AwesomeVersion
from homeassistant.const import __version__
from homeassistant.helpers import config_validation as cv
from PIL import Image
import pytest
from voluptuous import ALLOW_EXTRA, All, Coerce, Invalid, Optional, Required, Schema

from .test_architecture import INTEGRATION, ROOT

HACS_SCHEMA: Final = Schema(
    {
        Required("name"): str,
        Optional("content_in_root"): bool,
        Optional("country"): [str],
        Optional("filename"): str,
        Optional("hacs"): str,
        Optional("hide_default_branch"): bool,
        Optional("homeassistant"): str,
        Optional("persistent_directory"): str,
        Optional("zip_release"): bool,
    }
)
MANIFEST_SCHEMA: Final = Schema(
    {
        Required("codeowners"): list,
        Required("documentation"): cv.url,
        Required("domain"): str,
        Required("issue_tracker"): cv.url,
        Required("name"): str,
        Required("version"): All(str, Coerce(AwesomeVersion)),
    },
    extra=ALLOW_EXTRA,
)
# Checksum of the published text of the Apache License 2.0
APACHE: Final = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
# The size of an icon; the shorter side of a logo may be half of it
ICON_SIZE: Final = 256


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


HACS: Final = _load(ROOT / "hacs.json")


def test_hacs_json() -> None:
    """`hacs.json` has all required keys, and no unknown keys."""
    HACS_SCHEMA(HACS)


@pytest.mark.parametrize("change", [{"name": None}, {"iot_class": "Cloud Polling"}, {"zip_release": "yes"}])
def test_invalid_hacs_json(change: dict[str, Any]) -> None:
    """The schema rejects each of these changes."""
    with pytest.raises(Invalid):
        HACS_SCHEMA(HACS | change)


def test_zip_has_a_name() -> None:
    """HACS downloads the package of a release, so `hacs.json` contains its file name."""
    assert HACS["zip_release"]
    assert HACS["filename"].endswith(".zip")


def test_minimum_is_supported() -> None:
    """The minimum version in `hacs.json` is not newer than the tested version of Home Assistant."""
    assert AwesomeVersion(HACS["homeassistant"]) <= AwesomeVersion(__version__)


@pytest.mark.parametrize(("major", "minor"), [(2026, 7), (2025, 12)])
def test_manual_copy_on_an_old_version(monkeypatch: pytest.MonkeyPatch, major: int, minor: int) -> None:
    """On an older version, the import fails with an error that names the required version."""
    monkeypatch.setattr("homeassistant.const.MAJOR_VERSION", major)
    monkeypatch.setattr("homeassistant.const.MINOR_VERSION", minor)
    minimum = HACS["homeassistant"].removesuffix(".0")
    with pytest.raises(ImportError, match=rf"needs Home Assistant {minimum} or newer"):
        run_path(str(INTEGRATION / "__init__.py"))


def test_old_python_can_read_the_error() -> None:
    """The module with this error uses only syntax that the Python of an older Home Assistant supports."""
    ast.parse((INTEGRATION / "__init__.py").read_text(), feature_version=(3, 12))


def test_manifest() -> None:
    """The manifest has all keys that HACS requires."""
    MANIFEST_SCHEMA(_load(INTEGRATION / "manifest.json"))


def test_one_integration() -> None:
    """The repository contains one integration. HACS uses the first one that it finds."""
    assert [path.name for path in INTEGRATION.parent.iterdir() if (path / "manifest.json").exists()] == [
        INTEGRATION.name
    ]


def test_readme() -> None:
    """The repository has a README where HACS expects it."""
    assert (ROOT / "README.md").read_text().startswith("# ")


def test_license() -> None:
    """The license is the unchanged text of the Apache License 2.0, so that GitHub recognizes it."""
    assert sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE


@pytest.mark.parametrize("resolution", ["", "@2x"])
@pytest.mark.parametrize("dark", ["", "dark_"])
@pytest.mark.parametrize("image_type", ["icon", "logo"])
def test_brand(image_type: str, dark: str, resolution: str) -> None:
    """Icon and logo exist for both themes and resolutions. They are transparent and cropped."""
    size = ICON_SIZE * (2 if resolution else 1)
    with Image.open(INTEGRATION / "brand" / f"{dark}{image_type}{resolution}.png") as image:
        assert image.format == "PNG"
        alpha = image.convert("RGBA").getchannel("A")
    assert alpha.getextrema()[0] == 0
    left, top, right, bottom = alpha.getbbox() or (0, 0, 0, 0)
    assert (right - left == alpha.width) or (bottom - top == alpha.height)
    if image_type == "icon":
        assert alpha.size == (size, size)
    else:
        assert size // 2 <= min(alpha.size) <= size
