"""The package that `scripts/release` creates."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final
from zipfile import ZipFile

import pytest

from .test_architecture import INTEGRATION, ROOT

SCRIPT: Final = ROOT / "scripts" / "release"
MANIFEST: Final = "manifest.json"


def pack(package: Path, tag: str, script: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
    """Run the script to create the package of a tag."""
    return subprocess.run(  # noqa: S603 - all arguments come from the tests
        (sys.executable, script, tag, "--to", package), check=False, capture_output=True, text=True
    )


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package of a release."""
    path = tmp_path / "package.zip"
    assert pack(path, "v1.2.3").returncode == 0
    return path


def _content(package: Path) -> dict[str, bytes]:
    with ZipFile(package) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _manifest(content: bytes) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(content)
    return manifest


def test_package_contains_the_integration(package: Path) -> None:
    """The package contains all files of the integration and no others. Only the manifest differs."""
    files = {
        path.relative_to(INTEGRATION).as_posix(): path.read_bytes()
        for path in INTEGRATION.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    content = _content(package)
    assert set(content) == set(files)
    assert [name for name in files if content[name] != files[name]] == [MANIFEST]


@pytest.mark.parametrize(
    "folder", ["api", "blueprints", "brand", "dashboard/www", "simulator/vehicle", "translations"]
)
def test_package_contains_folder(folder: str, package: Path) -> None:
    """The package contains the subfolders, including those without Python modules."""
    assert any(name.startswith(f"{folder}/") for name in _content(package))


@pytest.mark.parametrize(
    ("tag", "version"), [("v1.2.3", "1.2.3"), ("1.2.3", "1.2.3"), ("v10.0.0b2", "10.0.0b2")]
)
def test_version_is_the_tag(tag: str, version: str, tmp_path: Path) -> None:
    """The manifest in the package has the version of the tag, and is otherwise unchanged."""
    pack(tmp_path / "package.zip", tag)
    manifest = _manifest(_content(tmp_path / "package.zip")[MANIFEST])
    assert manifest == _manifest((INTEGRATION / MANIFEST).read_bytes()) | {"version": version}


def test_package_is_reproducible(package: Path) -> None:
    """The package contains sorted names and fixed times, so that it can be created again and compared."""
    with ZipFile(package) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_compiled_modules_are_not_packed(tmp_path: Path) -> None:
    """The package does not contain compiled modules."""
    script, folder = tmp_path / "scripts" / "release", tmp_path / "custom_components" / INTEGRATION.name
    for path in (script, folder / MANIFEST, folder / "api" / "__pycache__" / "client.pyc"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    script.write_bytes(SCRIPT.read_bytes())
    pack(tmp_path / "package.zip", "v1.2.3", script)
    assert list(_content(tmp_path / "package.zip")) == [MANIFEST]


@pytest.mark.parametrize(
    "tag", ["", "v1", "v1.2", "latest", "v1.2.3-final", "v1.2.3 ", "../v1.2.3", "v\uff11.2.3"]
)
def test_tag_without_a_version(tag: str, tmp_path: Path) -> None:
    """A tag that is not a version is refused, and no package is created."""
    process = pack(tmp_path / "package.zip", tag)
    assert process.returncode == 2
    assert "is not a version" in process.stderr
    assert not list(tmp_path.iterdir())


def test_default_package_name() -> None:
    """The default name of the package is the name in `hacs.json`."""
    hacs = json.loads((ROOT / "hacs.json").read_text())
    assert f"default: {hacs['filename']}" in pack(Path(), "--help").stdout
