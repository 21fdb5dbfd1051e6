"""GitHub workflows: minimal permissions, pinned actions, and the checks that they run."""

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
def test_permissions(workflow: Path) -> None:
    """A workflow has no permissions. Each of its jobs declares its own."""
    loaded = _load(workflow)
    assert loaded["permissions"] == {}
    assert all(job["permissions"] for job in loaded["jobs"].values())


@each_workflow
def test_actions_are_pinned(workflow: Path) -> None:
    """Each action is pinned to a commit, with its version in a comment."""
    actions = re.findall(r"uses: (.*)", workflow.read_text())
    assert actions
    assert [name for name in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # [\w.]+", name)] == []


@each_workflow
def test_checkout_stores_no_credentials(workflow: Path) -> None:
    """A checkout leaves no credentials for later steps."""
    checkouts = [step for step in _steps(workflow) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step["with"]["persist-credentials"] is not False] == []


@each_workflow
def test_commands_contain_no_expressions(workflow: Path) -> None:
    """Commands get untrusted text, for example the name of a tag, only through environment variables."""
    assert [step["run"] for step in _steps(workflow) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("check", ["home-assistant/actions/hassfest", "hacs/action"])
def test_external_checks_run_daily(check: str) -> None:
    """The checks of Home Assistant and HACS run every day, because they can change, and ignore nothing."""
    validate = ROOT / ".github" / "workflows" / "validate.yml"
    assert "  schedule:" in validate.read_text().splitlines()
    (step,) = (step for step in _steps(validate) if step.get("uses", "").startswith(f"{check}@"))
    assert "ignore" not in step.get("with", {})


def test_workflow_runs_all_checks() -> None:
    """The workflow runs `.ci/run`, which runs the linters, the tests, and tests on the oldest version."""
    tests = ROOT / ".github" / "workflows" / "tests.yml"
    assert ".ci/run" in [step.get("run") for step in _steps(tests)]
    commands = (ROOT / ".ci" / "run").read_text().splitlines()
    assert {"scripts/lint", "scripts/test"} <= set(commands)
    assert any(command.startswith("scripts/test --home-assistant oldest tests/") for command in commands)


SCRIPTS: Final = {
    path
    for workflow in WORKFLOWS
    for path in re.findall(r"run: ((?:\.ci|scripts)/\w+)", workflow.read_text())
}


@pytest.mark.parametrize("path", sorted(SCRIPTS))
def test_scripts_are_executable(path: str) -> None:
    """Each script that a workflow calls exists and is executable."""
    assert (ROOT / path).stat().st_mode & 0o111
