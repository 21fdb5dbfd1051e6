"""What goes wrong between the car and Home Assistant leaves nothing behind: the benchmark, for three days."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final

_ROOT: Final = Path(__file__).parent.parent


def test_nothing_is_left_of_what_went_wrong() -> None:
    """After days of mishaps everything is right, nothing is held on to, and people were told in words."""
    command = [sys.executable, "-m", "tests.benchmarks.soak", "--json", "--days", "3"]
    ended = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.stdout, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    assert found["problems"] == []
    assert sum(found["injected"].values()) > 100
    assert found["outcomes"]["accepted"] > 10
    assert found["outcomes"]["failed"]
    assert ended.returncode == 0
