"""Runs `scripts/develop` as a process: Home Assistant with the integration, and the simulated service."""

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

ROOT: Final = Path(__file__).parents[1]
COMMAND: Final = (sys.executable, "-m", "scripts.develop")
READY_MESSAGE: Final = re.compile(
    r"Home Assistant +(http://\S+)\n.*\n +simulator +(http://\S+), token (\S+)\n"
)
SECONDS_TO_STOP: Final = 60


@dataclass(frozen=True)
class DevelopProcess:
    """A `scripts/develop` process that has reported that it is ready."""

    process: subprocess.Popen[bytes]
    log: Path
    home_assistant_url: str
    simulator_url: str
    token: str

    def interrupt(self) -> None:
        """Send the signal of Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def wait(self) -> int:
        """Wait until the process ends, and return its exit status."""
        return self.process.wait(SECONDS_TO_STOP)


@contextmanager
def run_develop(folder: Path, *options: str) -> Iterator[DevelopProcess]:
    """Run the script on free ports and without a past, unless the options say otherwise."""
    log = folder.with_suffix(".log")
    with log.open("w") as output:
        process = subprocess.Popen(  # noqa: S603 - all arguments come from the tests
            (*COMMAND, "--port", "0", "--simulator-port", "0", "--no-past", "--folder", folder, *options),
            stdout=output,
            stderr=output,
            cwd=ROOT,
        )
    try:
        yield DevelopProcess(process, log, *_wait_until_ready(process, log))
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> tuple[str, ...]:
    """Wait for the script's message, and return the two addresses and the token in it."""
    timeout = time.monotonic() + 180
    while not (message := READY_MESSAGE.search(log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < timeout, log.read_text()
        time.sleep(0.1)
    return message.groups()
