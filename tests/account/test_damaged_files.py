"""One wrong byte in a file of an account, of a car, or of samples: everything starts, and goes on.

The files of a log are tested in `tests/drive_log/test_damage.py`.
"""

from pathlib import Path
import random

from homeassistant.config_entries import ConfigEntryState
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import BATTERY, HOUR, MINUTE, REAL_FILES, Home, logged_problems
from ..drive_log.activities import drive, end_charge, start_charge, start_drive


def read(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.glob(f"{DOMAIN}.*")}


def replace(folder: Path, files: dict[Path, bytes]) -> None:
    for path in read(folder):
        path.unlink()
    for path, content in files.items():
        path.write_bytes(content)


@REAL_FILES
@pytest.mark.parametrize("count", [12, pytest.param(500, marks=pytest.mark.exhaustive)])
async def test_wrong_byte_fails_no_start(home: Home, caplog: pytest.LogCaptureFixture, count: int) -> None:
    await start_charge(home)
    await home.advance(HOUR, step=60)
    await end_charge(home)
    await drive(home, 5, seconds=2 * HOUR)
    await start_drive(home, 50)
    await home.advance(5 * MINUTE, step=20)
    drives = home.coordinator.log.drives
    await home.unload()
    folder = home.storage
    files = read(folder)
    others = sorted(path for path in files if not path.suffix.startswith((".log_open", ".log.")))
    assert len(others) == 4
    chance = random.Random(1)  # noqa: S311 - the same in each run
    for _ in range(count):
        damaged = chance.choice(others)
        content = bytearray(files[damaged])
        content[chance.randrange(len(content))] = chance.choice(b'"}],:09-ex \n\xff')
        replace(folder, {**files, damaged: bytes(content)})
        caplog.clear()
        await home.load()
        assert home.entry.state is ConfigEntryState.LOADED
        await home.poll()
        assert home.shown(*BATTERY).state not in ("unknown", "unavailable")
        assert home.coordinator.log.drives[:1] == drives
        # Home Assistant says that a file is not JSON.
        assert not [each for each in logged_problems(caplog, may_warn=True) if "parse JSON" not in each]
        await home.unload()
    await home.load()
