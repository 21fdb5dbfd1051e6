"""Writes that fail: what was acknowledged is kept, stored later, and the owner is told.

With one wrong byte in a file of an account, of a car, or of samples, everything starts, and goes on.
The files of a log are tested in `tests/drive_log/test_damage.py`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
import errno
import json
import logging
import os
from pathlib import Path
import random
from typing import Any
from unittest.mock import patch

from homeassistant.config_entries import ConfigEntryState
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.kept_logs import log_name
from custom_components.vehicle_remote_access.drive_log.stores import LogStore
from custom_components.vehicle_remote_access.simulator import TOKEN_PATH, USUAL_TOKEN_LIFETIME

from ..conftest import BATTERY, HOUR, MINUTE, REAL_FILES, Home, logged_problems
from ..drive_log.activities import drive, end_charge, start_charge, start_drive
from ..issues import issue_keys, placeholders

pytestmark = REAL_FILES


@contextmanager
def failing_disk(number: int = errno.ENOSPC) -> Iterator[None]:
    """Let the system refuse each write of the integration, as on a full disk."""
    rename = os.rename

    def fail(source: Any, target: Any) -> None:
        if DOMAIN in str(target):
            raise OSError(number, os.strerror(number))
        rename(source, target)

    with patch("os.rename", fail):
        yield


def own_files(home: Home) -> dict[str, bytes]:
    """Return the integration's files, and temporary ones."""
    files = [path for path in home.storage.iterdir() if path.name.startswith((DOMAIN, "tmp"))]
    return {path.name: path.read_bytes() for path in files}


def distances(log: DriveLog) -> list[float]:
    return [round(drive.distance, 1) for drive in log.drives]


async def stored_log(home: Home) -> DriveLog:
    """Return the log as a start after a power cut finds it."""
    home.hass.data.pop(f"{DOMAIN}_unsaved", None)
    name = log_name(home.entry.subentries[home.coordinator.subentry_id])
    return await LogStore(home.hass, name, DriveLog).load()


@pytest.mark.parametrize("edits", [0, 1, 2])
async def test_disk_that_was_full_for_minutes_costs_nothing(home: Home, edits: int) -> None:
    for miles in (3, 4, 5):
        await drive(home, miles)
    await home.act("update_log_entry", id=home.coordinator.log.drives[0].id, tag="business")
    for miles in (6, 7):
        await drive(home, miles)
    with failing_disk():
        for number in range(edits):
            await home.act("update_log_entry", id=home.coordinator.log.drives[-1 - number].id, note="To Anna")
            await home.advance(5)
        await drive(home, 8)
    await home.advance(10 * MINUTE, step=60)
    log = home.coordinator.log
    stored = await stored_log(home)
    assert (stored.drives, stored.stays) == (log.drives, log.stays)
    assert distances(stored) == [3, 4, 5, 6, 7, 8]
    assert sum(drive.note == "To Anna" for drive in stored.drives) == edits


@pytest.mark.parametrize(
    ("number", "key"),
    [(errno.ENOSPC, "disk_full"), (errno.EROFS, "disk_read_only"), (errno.EACCES, "not_stored")],
)
async def test_repair_says_why_data_is_not_stored_until_it_is(home: Home, number: int, key: str) -> None:
    await home.poll()
    with failing_disk(number):
        await home.advance(6 * MINUTE, step=60)
        assert issue_keys(home) == [key]
        assert placeholders(home) == {"folder": str(home.storage), "error": os.strerror(number)}
    await home.advance(2 * MINUTE, step=30)
    assert issue_keys(home) == []


async def test_begin_and_end_are_logged_once(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await start_drive(home, 50)
    caplog.clear()
    with failing_disk():
        await home.advance(20 * MINUTE, step=20)
    await home.advance(5 * MINUTE, step=20)
    logged = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.name for record in logged] == ["custom_components.vehicle_remote_access"] * 2
    assert "No space left" in logged[0].getMessage()
    assert logged[1].getMessage() == "All data is stored again"


async def test_failed_write_leaves_nothing_behind_and_the_old_file_as_it_was(home: Home) -> None:
    await drive(home, 3)
    before = own_files(home)
    with failing_disk():
        await home.advance(HOUR, step=60)
    assert own_files(home).keys() == before.keys()
    path = home.stored_file("*.log_open")
    assert path.read_bytes() == before[path.name]
    await home.advance(HOUR, step=60)
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text()).keys() == {"version", "minor_version", "key", "data"}


async def test_file_that_cannot_be_replaced_is_retried_until_it_can(home: Home) -> None:
    """A real error of the system, which does not depend on the user who runs the tests."""
    await drive(home, 3)
    journal = home.stored_file("*.log_open")
    away = journal.rename(journal.with_name("away"))
    journal.mkdir()
    await home.act("update_log_entry", id="drive-1", note="To Anna")
    await home.advance(5 * MINUTE, step=30)
    assert issue_keys(home) == ["not_stored"]
    journal.rmdir()
    away.rename(journal)
    await home.advance(2 * MINUTE, step=30)
    assert issue_keys(home) == []
    assert [drive.note for drive in (await stored_log(home)).drives] == ["To Anna"]


async def test_reload_while_the_disk_is_full_loses_nothing(home: Home) -> None:
    await drive(home, 3)
    habits = home.coordinator.known.tracker.as_json()
    with failing_disk():
        await drive(home, 4)
        await home.act("update_log_entry", id="drive-2", note="To Anna")
        samples = await home.coordinator.log_manager.samples.load(home.coordinator.log.drives[1])
        for _ in range(2):
            await home.restart()
            log = home.coordinator.log
            assert distances(log) == [3, 4]
            assert [drive.note for drive in log.drives] == [None, "To Anna"]
        assert await home.coordinator.log_manager.samples.load(log.drives[1]) == samples != []
        assert home.coordinator.known.tracker.as_json().keys() == habits.keys()
    await home.advance(6 * MINUTE, step=60)
    assert issue_keys(home) == []
    assert (await stored_log(home)).drives == home.coordinator.log.drives


async def test_curves_are_stored_as_soon_as_the_disk_has_space(home: Home) -> None:
    with failing_disk():
        await drive(home, 20)
    (entry,) = home.coordinator.log.drives
    samples = await home.coordinator.log_manager.samples.load(entry)
    assert not list(home.storage.glob("*.log_samples_2026_05"))
    await home.advance(10 * MINUTE, step=60)
    assert home.stored_file("*.log_samples_2026_05").exists()
    await home.restart()
    assert await home.coordinator.log_manager.samples.load(entry) == samples != []


async def test_tokens_are_stored_as_soon_as_the_disk_has_space(empty_home: Home) -> None:
    """A lost refresh token would require the owner to enter a new one. A reload keeps it, too."""
    home = empty_home
    home.simulator.switches.token_lifetime = USUAL_TOKEN_LIFETIME
    await home.set_up(token_refresh=home.token_refresh)
    with failing_disk():
        await home.advance(7 * HOUR, step=600)
        assert home.requests(TOKEN_PATH)
        await home.restart()
        await home.poll()
    await home.advance(2 * MINUTE, step=30)
    stored = json.loads(home.stored_file("*_tokens").read_text())["data"]
    assert stored["refresh_token"] == home.simulator.tokens.refresh_token
    assert home.open_flows() == []


async def test_removed_car_leaves_no_report(home: Home) -> None:
    await drive(home, 3)
    with failing_disk():
        await home.advance(20 * MINUTE, step=60)
        assert issue_keys(home) == ["disk_full"]
        await home.hass.config_entries.async_remove(home.entry.entry_id)
    await home.advance(MINUTE)
    await home.idle()


async def test_stop_with_a_full_disk_raises_nothing(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await drive(home, 3)
    await start_drive(home, 4)
    with failing_disk():
        home.hass.bus.async_fire("homeassistant_final_write")
        await home.idle()
    assert not [record for record in caplog.records if record.exc_info]


def read(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.glob(f"{DOMAIN}.*")}


def replace(folder: Path, files: dict[Path, bytes]) -> None:
    for path in read(folder):
        path.unlink()
    for path, content in files.items():
        path.write_bytes(content)


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
    assert len(others) == 5
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
