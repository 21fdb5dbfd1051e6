"""`scripts/release` for real: what a release brings into somebody's Home Assistant."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final
from zipfile import ZipFile

import pytest

from .test_architecture import HOUSE, ROOT

RELEASE: Final = ROOT / "scripts" / "release"
MANIFEST: Final = "manifest.json"


def pack(package: Path, tag: str, release: Path = RELEASE) -> subprocess.CompletedProcess[str]:
    """Make the package of a tag."""
    return subprocess.run(  # noqa: S603 - nothing in it is from elsewhere
        (sys.executable, release, tag, "--to", package), check=False, capture_output=True, text=True
    )


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package of a release."""
    made = tmp_path / "package.zip"
    assert pack(made, "v1.2.3").returncode == 0
    return made


def _content(package: Path) -> dict[str, bytes]:
    with ZipFile(package) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _manifest(content: bytes) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(content)
    return manifest


def test_package_is_the_folder(package: Path) -> None:
    """The package holds each file of the integration as it is, with no folder around, and nothing else."""
    files = {
        path.relative_to(HOUSE).as_posix(): path.read_bytes()
        for path in HOUSE.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    content = _content(package)
    assert set(content) == set(files)
    assert [name for name in files if content[name] != files[name]] == [MANIFEST]


@pytest.mark.parametrize(
    "folder", ["api", "blueprints", "brand", "dashboard/www", "simulator/vehicle", "translations"]
)
def test_package_has_its_folders(folder: str, package: Path) -> None:
    """What is no module is in the package too."""
    assert any(name.startswith(f"{folder}/") for name in _content(package))


@pytest.mark.parametrize(
    ("tag", "version"), [("v1.2.3", "1.2.3"), ("1.2.3", "1.2.3"), ("v10.0.0b2", "10.0.0b2")]
)
def test_version_is_the_tag(tag: str, version: str, tmp_path: Path) -> None:
    """The package's manifest has the version of the tag, and is for the rest the repository's."""
    pack(tmp_path / "package.zip", tag)
    manifest = _manifest(_content(tmp_path / "package.zip")[MANIFEST])
    assert manifest == _manifest((HOUSE / MANIFEST).read_bytes()) | {"version": version}


def test_package_can_be_made_again(package: Path) -> None:
    """The package does not say when it was made, so that it can be made again and compared."""
    with ZipFile(package) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_compiled_modules_stay_behind(tmp_path: Path) -> None:
    """What Python has made of the modules is no part of the package."""
    release, house = tmp_path / "scripts" / "release", tmp_path / "custom_components" / HOUSE.name
    for path in (release, house / MANIFEST, house / "api" / "__pycache__" / "client.pyc"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    release.write_bytes(RELEASE.read_bytes())
    pack(tmp_path / "package.zip", "v1.2.3", release)
    assert list(_content(tmp_path / "package.zip")) == [MANIFEST]


@pytest.mark.parametrize(
    "tag", ["", "v1", "v1.2", "latest", "v1.2.3-final", "v1.2.3 ", "../v1.2.3", "v\uff11.2.3"]
)
def test_tag_that_is_no_version(tag: str, tmp_path: Path) -> None:
    """Of a tag that nobody could put in order, no package is made."""
    made = pack(tmp_path / "package.zip", tag)
    assert made.returncode == 2
    assert "is no version" in made.stderr
    assert not list(tmp_path.iterdir())


def test_package_has_the_name_that_hacs_looks_for() -> None:
    """Unless told otherwise, the package is called as HACS will look for it."""
    hacs = json.loads((ROOT / "hacs.json").read_text())
    assert f"else {hacs['filename']}" in pack(Path(), "--help").stdout
