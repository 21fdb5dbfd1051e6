"""The package that `scripts/release` creates."""

import json
from pathlib import Path
import re
import subprocess
import sys
import tomllib
from typing import Final
from zipfile import ZipFile

import pytest

from ..source import INTEGRATION, ROOT

SCRIPT: Final = ROOT / "scripts" / "release"
MANIFEST: Final = "manifest.json"


def pack(package: Path, tag: str, script: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - all arguments come from the tests
        (sys.executable, script, tag, "--to", package), check=False, capture_output=True, text=True
    )


def _content(package: Path) -> dict[str, bytes]:
    with ZipFile(package) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2.3", "v10.0.0b2"])
def test_package(tag: str, tmp_path: Path) -> None:
    """The package contains all files, and only the version differs. It can be created again to compare."""
    package = tmp_path / "package.zip"
    assert pack(package, tag).returncode == 0
    files = {
        path.relative_to(INTEGRATION).as_posix(): path.read_bytes()
        for path in INTEGRATION.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    content = _content(package)
    version = {"version": tag.removeprefix("v")}
    assert json.loads(content.pop(MANIFEST)) == json.loads(files.pop(MANIFEST)) | version
    assert content == files
    with ZipFile(package) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_compiled_modules_are_not_packed(tmp_path: Path) -> None:
    """The package does not contain compiled modules. Its default name is the one in `hacs.json`."""
    script, folder = tmp_path / "scripts" / "release", tmp_path / "custom_components" / INTEGRATION.name
    for path in (script, folder / MANIFEST, folder / "api" / "__pycache__" / "client.pyc"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    script.write_bytes(SCRIPT.read_bytes())
    pack(tmp_path / "package.zip", "v1.2.3", script)
    assert list(_content(tmp_path / "package.zip")) == [MANIFEST]
    filename = json.loads((ROOT / "hacs.json").read_text())["filename"]
    assert f"default: {filename}" in pack(Path(), "--help").stdout


@pytest.mark.parametrize("tag", ["latest", "", "v1.2", "v1.2.3-final", "v1.2.3 ", "../v1.2.3", "v\uff11.2.3"])
def test_tag_without_a_version(tag: str, tmp_path: Path) -> None:
    """A tag that is not a version is refused, and no package is created."""
    process = pack(tmp_path / "package.zip", tag)
    assert process.returncode == 2
    assert "is not a version" in process.stderr
    assert not list(tmp_path.iterdir())


def test_version_is_the_same_everywhere() -> None:
    """The manifest, the project and the newest section of the changelog have the same version."""
    version = json.loads((INTEGRATION / MANIFEST).read_text())["version"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    releases = re.findall(r"^## \[(\d.*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (project["version"], releases[0]) == (version, version)
