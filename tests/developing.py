"""`scripts/develop` as a process: a Home Assistant with the integration in it, and a simulated service."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
import re
import signal
import subprocess
import sys
import time
from typing import Final

DEVELOP: Final = Path(__file__).parent.parent / "scripts" / "develop.py"
INTRODUCTION: Final = re.compile(
    r"Home Assistant +(http://\S+)\n.*\n +simulator +(http://\S+), token (\S+)\n"
)
SECONDS_TO_START: Final = 90
SECONDS_TO_END: Final = 30
SECONDS_BETWEEN_LOOKS: Final = 0.1


@dataclass(frozen=True)
class Developing:
    """`scripts/develop`, once it has said where everything is."""

    process: subprocess.Popen[bytes]
    log: Path
    home: str
    simulator: str
    token: str

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def status(self) -> int:
        """Wait until it has ended, and return how."""
        return self.process.wait(SECONDS_TO_END)


@contextmanager
def developing(folder: Path, *options: str) -> Iterator[Developing]:
    """Run it on free ports, unless told otherwise."""
    log = folder.with_suffix(".log")
    with log.open("w") as output:
        process = subprocess.Popen(  # noqa: S603 - nothing in it is from elsewhere
            (sys.executable, DEVELOP, "--port", "0", "--simulator-port", "0", "--folder", folder, *options),
            stdout=output,
            stderr=output,
        )
    try:
        yield Developing(process, log, *introduced(process, log))
    finally:
        process.terminate()
        process.wait(SECONDS_TO_END)


def introduced(process: subprocess.Popen[bytes], log: Path) -> tuple[str, ...]:
    """Wait until it says where everything is, and return that."""
    end = time.monotonic() + SECONDS_TO_START
    while not (said := INTRODUCTION.search(log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return said.groups()
