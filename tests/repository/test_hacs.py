"""What HACS asks of a repository, as far as the repository itself can say it.

That it has a description, topics and issues, and is not archived, only the place where it is published knows.
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

from .test_architecture import HOUSE, ROOT

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
# The Apache License 2.0, as its authors publish it: what it is recognised by.
APACHE: Final = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
# Of an icon; a logo may be half as high
HEIGHT: Final = 256


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


HACS: Final = _load(ROOT / "hacs.json")


def test_hacs_json() -> None:
    """What HACS is told of the repository has all that it has to have, and nothing that is not known."""
    HACS_SCHEMA(HACS)


@pytest.mark.parametrize("fault", [{"name": None}, {"iot_class": "Cloud Polling"}, {"zip_release": "yes"}])
def test_hacs_json_with_a_fault(fault: dict[str, Any]) -> None:
    """It would not pass with something wrong in it."""
    with pytest.raises(Invalid):
        HACS_SCHEMA(HACS | fault)


def test_zip_has_a_name() -> None:
    """HACS fetches the package that is attached to a release, so it has to know what that is called."""
    assert HACS["zip_release"]
    assert HACS["filename"].endswith(".zip")


def test_minimum_is_supported() -> None:
    """HACS offers the integration only to versions of Home Assistant that can run it."""
    assert AwesomeVersion(HACS["homeassistant"]) <= AwesomeVersion(__version__)


@pytest.mark.parametrize(("major", "minor"), [(2026, 7), (2025, 12)])
def test_manual_copy_on_an_old_version(monkeypatch: pytest.MonkeyPatch, major: int, minor: int) -> None:
    """A version that HACS does not accept gets an error that says which version is needed."""
    monkeypatch.setattr("homeassistant.const.MAJOR_VERSION", major)
    monkeypatch.setattr("homeassistant.const.MINOR_VERSION", minor)
    minimum = HACS["homeassistant"].removesuffix(".0")
    with pytest.raises(ImportError, match=rf"needs Home Assistant {minimum} or newer"):
        run_path(str(HOUSE / "__init__.py"))


def test_old_python_can_read_the_error() -> None:
    """The module with that error has no syntax that is newer than the Python of an old Home Assistant."""
    ast.parse((HOUSE / "__init__.py").read_text(), feature_version=(3, 12))


def test_manifest() -> None:
    """The manifest says what HACS wants to know."""
    MANIFEST_SCHEMA(_load(HOUSE / "manifest.json"))


def test_one_integration() -> None:
    """There is one integration in the repository: HACS takes the first that it finds."""
    assert [path.name for path in HOUSE.parent.iterdir() if (path / "manifest.json").exists()] == [HOUSE.name]


def test_readme() -> None:
    """There is something to read about it, where HACS looks for it."""
    assert (ROOT / "README.md").read_text().startswith("# ")


def test_license() -> None:
    """The licence is the Apache License 2.0 to the letter, so that it is recognised as that."""
    assert sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE


@pytest.mark.parametrize("twice", ["", "@2x"])
@pytest.mark.parametrize("dark", ["", "dark_"])
@pytest.mark.parametrize("what", ["icon", "logo"])
def test_brand(what: str, dark: str, twice: str) -> None:
    """Icon and logo are there for bright and dark pages and either kind of screen: transparent, cut close."""
    most = HEIGHT * (2 if twice else 1)
    with Image.open(HOUSE / "brand" / f"{dark}{what}{twice}.png") as image:
        assert image.format == "PNG"
        alpha = image.convert("RGBA").getchannel("A")
    assert alpha.getextrema()[0] == 0
    left, top, right, bottom = alpha.getbbox() or (0, 0, 0, 0)
    assert (right - left == alpha.width) or (bottom - top == alpha.height)
    if what == "icon":
        assert alpha.size == (most, most)
    else:
        assert most // 2 <= min(alpha.size) <= most
