"""The memory of a process, and benchmarks in processes of their own, for the tests."""

import os
from pathlib import Path
import subprocess
import sys
from typing import Final

_ROOT: Final = Path(__file__).parents[3]


def private_memory(pid: int) -> float:
    """Return the MiB of a process without mapped files, which vary."""
    resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE") / 2**20


def run_benchmark(name: str, *options: str) -> tuple[str, int]:
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *options]
    process = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert process.stdout, process.stderr
    return process.stdout, process.returncode
