"""Importing a log in the flow of a vehicle."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from pathlib import Path
import threading
from typing import Any, Final
from unittest.mock import patch
from uuid import UUID

from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.vehicle_remote_access.drive_log.entries import Drive, Entries, Observation
from custom_components.vehicle_remote_access.drive_log.importer import new_entries

from .conftest import Home
from .flow import Flow

HEADER: Final = b"start,end,start_odometer (mi),end_odometer (mi)\n"
FIRST: Final = b"2026-03-02T10:00:00Z,2026-03-02T10:30:00Z,10,20"
SECOND: Final = b"2026-03-03T10:00:00Z,2026-03-03T10:30:00Z,20,31"
DRIVES: Final = HEADER + FIRST + b"\n" + SECOND + b"\n"
NEW_ENTRIES: Final = "custom_components.vehicle_remote_access.drive_log.manager.new_entries"

type Import = Callable[[bytes], Awaitable[None]]


@pytest.fixture
def flow(home: Home) -> Flow:
    """A flow that is not started."""
    return Flow(home)


@pytest.fixture
async def upload(
    flow: Flow, hass_client: ClientSessionGenerator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Import:
    """Submit the form for a file with this content."""
    # Home Assistant's own folder would be shared, and deleted, by tests that run at the same time.
    monkeypatch.setattr("homeassistant.components.file_upload.TEMP_DIR_NAME", str(tmp_path / "upload"))
    assert await async_setup_component(flow.home.hass, "file_upload", {})
    client = await hass_client()

    async def submit(content: bytes) -> None:
        response = await client.post("/api/file_upload", data={"file": BytesIO(content)})
        await flow.submit(file=(await response.json())["file_id"])

    await flow.start_vehicle_options(flow.home.entry, "import_log")
    return submit


def distances(flow: Flow) -> list[float]:
    """Return the distances of the drives in the log."""
    return [drive.distance for drive in flow.home.coordinator.log.drives]


async def test_import(flow: Flow, upload: Import) -> None:
    """A log is imported after the user has seen what it contains, and only once."""
    await upload(DRIVES)
    assert flow.step == "confirm_import"
    assert flow.placeholders.items() >= {
        "drives": "2", "charges": "0", "stays": "0", "skipped": "0",
        "start": "2026-03-02", "end": "2026-03-03", "ignored": "-",
    }.items()  # fmt: skip
    assert not distances(flow)
    await flow.submit()
    assert flow.abort_reason == "log_imported"
    assert distances(flow) == [10, 11]
    await flow.start_vehicle_options(flow.home.entry, "import_log")
    await upload(DRIVES)
    assert flow.errors == {"file": "import_nothing_new"}
    await upload(DRIVES + b"2026-03-04T10:00Z,2026-03-04T10:30Z,31,33\n")
    assert (flow.placeholders["drives"], flow.placeholders["skipped"]) == ("1", "2")


async def test_import_of_the_good_entries(flow: Flow, upload: Import) -> None:
    """The form names the entries and columns that can't be imported, and imports the others."""
    wrong = b"2026-03-04,2026-03-03,20,x|1*,"
    lines = [HEADER.strip() + b",colour|", FIRST + b",red", wrong, SECOND + b",", *[wrong] * 30]
    await upload(b"\n".join(lines))
    assert flow.step == "confirm_partial_import"
    assert (flow.placeholders["drives"], flow.placeholders["wrong"]) == ("2", "31")
    assert flow.placeholders["ignored"] == r"colour\|"
    rows = flow.placeholders["problems"].splitlines()
    assert rows[0] == r"| 3 | end_odometer | x\|1\* |"
    assert (len(rows), rows[-1]) == (21, "| + 11 | | |")
    assert not distances(flow)
    await flow.submit()
    assert flow.abort_reason == "log_imported"
    assert distances(flow) == [10, 11]


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "import_empty"),
        (HEADER, "import_no_entries"),
        ("K\u00f6ln".encode("latin-1"), "import_wrong_encoding"),
        (b"a,b\n1,2\n", "import_unreadable"),
    ],
)
async def test_import_of_other_files(flow: Flow, upload: Import, content: bytes, key: str) -> None:
    """The form says why a file can't be imported."""
    await upload(content)
    assert flow.errors == {"file": key}


async def test_import_of_wrong_file(flow: Flow, upload: Import) -> None:
    """If nothing can be imported, the form names the first line that is wrong."""
    await upload(HEADER + b"2026-03-04,2026-03-05,x,1\n")
    assert flow.errors == {"file": "import_nothing_right"}
    first = {"line": "2", "column": "start_odometer", "reason": "x"}
    assert flow.placeholders.items() >= {"skipped": "0", "wrong": "1", **first}.items()
    await flow.submit(file=str(UUID(int=1)))
    assert flow.errors == {"file": "import_unreadable"}
    assert not distances(flow)


async def test_import_does_not_block_home_assistant(flow: Flow, upload: Import) -> None:
    """A long file is read and compared with the log outside of the event loop."""
    threads = []

    def find(*args: Any) -> Entries:
        threads.append(threading.current_thread())
        return new_entries(*args)

    with patch(NEW_ENTRIES, find):
        await upload(DRIVES)
        await flow.submit()
    assert flow.abort_reason == "log_imported"
    assert len(threads) == 2
    assert threading.main_thread() not in threads


async def test_import_while_the_log_changes(flow: Flow, upload: Import) -> None:
    """An entry that is added or changed during an import is kept, and so is what the car does."""
    log, at = flow.home.coordinator.log, dt_util.utcnow().timestamp()
    log.insert([Drive(id="", start=at - 99, end=at - 90, start_odometer=50, end_odometer=60)], [], [])
    await upload(DRIVES)
    found: list[Entries] = []

    def change_meanwhile(*args: Any) -> Entries:
        found.append(new_entries(*args))
        if len(found) == 1:
            log.update(log.drives[0].id, {"note": "changed"})
        log.add(Observation(at=at + len(found), odometer=60.0))
        return found[-1]

    with patch(NEW_ENTRIES, change_meanwhile):
        await flow.submit()
    assert flow.abort_reason == "log_imported"
    assert len(found) == 2
    assert [drive.note for drive in log.drives] == [None, None, "changed"]
    assert len({drive.id for drive in log.drives}) == 3
    assert log.drive_tracker.at == at + 2


async def reload_account(home: Home) -> None:
    await home.hass.config_entries.async_reload(home.entry.entry_id)


async def remove_car(home: Home) -> None:
    home.hass.config_entries.async_remove_subentry(home.entry, next(iter(home.entry.subentries)))


async def unload_account(home: Home) -> None:
    await home.hass.config_entries.async_unload(home.entry.entry_id)


@pytest.mark.parametrize("change", [reload_account, remove_car])
async def test_import_while_the_account_changes(
    flow: Flow,
    upload: Import,
    change: Callable[[Home], Awaitable[None]],
    hass_storage: Mapping[str, Any],
) -> None:
    """If the account is reloaded or the car is removed during an import, the form says that it failed."""
    home, (subentry_id,) = flow.home, flow.home.entry.subentries
    has_started, may_go_on = asyncio.Event(), threading.Event()

    def wait(*args: Any) -> Entries:
        home.hass.loop.call_soon_threadsafe(has_started.set)
        assert may_go_on.wait(10)
        return new_entries(*args)

    await upload(DRIVES)
    with patch(NEW_ENTRIES, wait):
        import_ = asyncio.create_task(flow.submit())
        await has_started.wait()
        await change(home)
        may_go_on.set()
        await import_
    assert flow.abort_reason == "not_loaded"
    await home.idle()
    assert any(subentry_id in name for name in hass_storage) is (change is reload_account)
    assert not any(vehicle.log.drives for vehicle in home.entry.runtime_data.vehicles.values())


@pytest.mark.parametrize("change", [remove_car, unload_account])
async def test_import_after_the_account_changed(
    flow: Flow, upload: Import, change: Callable[[Home], Awaitable[None]]
) -> None:
    """If the car is removed or the account unloaded while the form is open, the form says so."""
    await upload(DRIVES)
    await change(flow.home)
    await flow.submit()
    assert flow.abort_reason == "not_loaded"


async def test_import_without_running_account(flow: Flow) -> None:
    """A log can be imported only while the account runs."""
    await unload_account(flow.home)
    await flow.start_vehicle_options(flow.home.entry, "import_log")
    assert flow.abort_reason == "not_loaded"


async def test_import_from_history_without_recorder(flow: Flow) -> None:
    """Without the recorder there is no history, and without the account no log."""
    await flow.start_vehicle_options(flow.home.entry, "import_history")
    await flow.submit(entity_id="sensor.odometer")
    assert flow.errors == {"entity_id": "import_no_history"}
    await unload_account(flow.home)
    await flow.submit(entity_id="sensor.odometer")
    assert flow.abort_reason == "not_loaded"
