"""The package that `scripts/release` creates, and what HACS, hassfest and workflows do not check."""

import ast
import json
from pathlib import Path
import re
from runpy import run_path
import subprocess
import sys
import tomllib
from typing import Final
from zipfile import ZipFile

import hass_frontend
from homeassistant.util.yaml import load_yaml_dict
from PIL import Image
import pytest

from ..source import INTEGRATION, ROOT

SCRIPT: Final = ROOT / "scripts" / "release"
MANIFEST: Final = "manifest.json"
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").iterdir())
ICON_SIZE: Final = 256


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
def test_tag_that_is_not_a_version_is_refused_and_no_package_is_created(tag: str, tmp_path: Path) -> None:
    process = pack(tmp_path / "package.zip", tag)
    assert process.returncode == 2
    assert "is not a version" in process.stderr
    assert not list(tmp_path.iterdir())


def test_manifest_project_and_newest_section_of_the_changelog_have_the_same_version() -> None:
    version = json.loads((INTEGRATION / MANIFEST).read_text())["version"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    releases = re.findall(r"^## \[(\d.*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (project["version"], releases[0]) == (version, version)


# HACS


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


# GitHub


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_permissions(workflow: Path) -> None:
    """Jobs declare their permissions, actions are pinned to a commit, and commands get no untrusted text."""
    loaded = load_yaml_dict(str(workflow))
    assert loaded["permissions"] == {}
    assert all(job["permissions"] for job in loaded["jobs"].values())
    for step in (step for job in loaded["jobs"].values() for step in job["steps"]):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", f"-@{'0' * 40}"))
        assert "${{" not in step.get("run", "")
