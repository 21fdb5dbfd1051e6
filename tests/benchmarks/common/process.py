"""Runs a benchmark in its own process, for the tests. A benchmark patches clocks and the event loop."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any, Final

_ROOT: Final = Path(__file__).parents[3]


def run_benchmark(name: str, *options: str) -> tuple[dict[str, Any], int]:
    """Return the benchmark's figures and its exit status."""
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", "--json", *options]
    process = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert process.stdout, process.stderr
    figures: dict[str, Any] = json.loads(process.stdout)
    return figures, process.returncode
