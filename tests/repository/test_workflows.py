"""What runs where the repository is published: nothing has more rights than it needs, or changes unasked."""

from pathlib import Path
import re
from typing import Any, Final

from homeassistant.util.yaml import load_yaml_dict
import pytest

from .test_architecture import ROOT

WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").iterdir())

each_workflow = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)


def _load(workflow: Path) -> dict[str, Any]:
    return load_yaml_dict(str(workflow))


def _steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in _load(workflow)["jobs"].values() for step in job["steps"]]


@each_workflow
def test_rights(workflow: Path) -> None:
    """A workflow has no rights; each of its jobs says which it needs."""
    loaded = _load(workflow)
    assert loaded["permissions"] == {}
    assert all(job["permissions"] for job in loaded["jobs"].values())


@each_workflow
def test_actions_are_pinned(workflow: Path) -> None:
    """What others wrote is named by its commit, and by the version that this is for people."""
    used = re.findall(r"uses: (.*)", workflow.read_text())
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # [\w.]+", each)] == []


@each_workflow
def test_checkout_leaves_no_key(workflow: Path) -> None:
    """What runs after the checkout finds no key to the repository in it."""
    checkouts = [step for step in _steps(workflow) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step["with"]["persist-credentials"] is not False] == []


@each_workflow
def test_text_of_others_is_no_command(workflow: Path) -> None:
    """What others can write, the name of a tag for instance, gets into a command through a variable only."""
    assert [step["run"] for step in _steps(workflow) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("check", ["home-assistant/actions/hassfest", "hacs/action"])
def test_others_check_too(check: str) -> None:
    """Home Assistant's and HACS's own checks run every day, as they may change, and nothing is excepted."""
    validate = ROOT / ".github" / "workflows" / "validate.yml"
    assert "  schedule:" in validate.read_text().splitlines()
    (step,) = (step for step in _steps(validate) if step.get("uses", "").startswith(f"{check}@"))
    assert "ignore" not in step.get("with", {})


def test_all_is_checked() -> None:
    """What has to hold before a change lands is what runs here too."""
    tests = ROOT / ".github" / "workflows" / "tests.yml"
    assert ".ci/run" in [step.get("run") for step in _steps(tests)]
    commands = (ROOT / ".ci" / "run").read_text().splitlines()
    assert {"scripts/lint", "scripts/test"} <= set(commands)
    assert any(each.startswith("scripts/test --home-assistant oldest tests/") for each in commands)


CALLED: Final = {
    path
    for workflow in WORKFLOWS
    for path in re.findall(r"run: ((?:\.ci|scripts)/\w+)", workflow.read_text())
}


@pytest.mark.parametrize("path", sorted(CALLED))
def test_called(path: str) -> None:
    """A script that is called is there, and can be."""
    assert (ROOT / path).stat().st_mode & 0o111
