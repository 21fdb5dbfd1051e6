"""The permissions of GitHub workflows, which a run does not show."""

from pathlib import Path
import re
from typing import Final

from homeassistant.util.yaml import load_yaml_dict
import pytest

from ..source import ROOT

WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").iterdir())


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_permissions(workflow: Path) -> None:
    """Jobs declare their permissions, actions are pinned to a commit, and commands get no untrusted text."""
    loaded = load_yaml_dict(str(workflow))
    assert loaded["permissions"] == {}
    assert all(job["permissions"] for job in loaded["jobs"].values())
    for step in (step for job in loaded["jobs"].values() for step in job["steps"]):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", f"-@{'0' * 40}"))
        assert "${{" not in step.get("run", "")
