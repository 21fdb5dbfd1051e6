"""Importing a log in the flow of a vehicle."""

from collections.abc import Awaitable, Callable
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from .conftest import Home
from .flow import Flow

HEADER: Final = b"start,end,start_odometer (mi),end_odometer (mi)\n"
FIRST: Final = b"2026-03-02T10:00:00Z,2026-03-02T10:30:00Z,10,20"
SECOND: Final = b"2026-03-03T10:00:00Z,2026-03-03T10:30:00Z,20,31"
DRIVES: Final = HEADER + FIRST + b"\n" + SECOND + b"\n"

type Import = Callable[[bytes], Awaitable[None]]


@pytest.fixture
def flow(home: Home) -> Flow:
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
    return [drive.distance for drive in flow.home.coordinator.log.drives]


async def test_log_is_imported_once_after_the_user_has_seen_its_contents(flow: Flow, upload: Import) -> None:
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


async def test_form_names_what_cannot_be_imported_and_imports_the_rest(flow: Flow, upload: Import) -> None:
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


async def test_form_names_the_first_wrong_line_if_no_line_is_right(flow: Flow, upload: Import) -> None:
    await upload(HEADER + b"2026-03-04,2026-03-05,x,1\n")
    assert flow.errors == {"file": "import_nothing_right"}
    first = {"line": "2", "column": "start_odometer", "reason": "x"}
    assert flow.placeholders.items() >= {"skipped": "0", "wrong": "1", **first}.items()
    await flow.submit(file=str(UUID(int=1)))
    assert flow.errors == {"file": "import_unreadable"}
    assert not distances(flow)


@pytest.mark.parametrize("change", [lambda home: home.remove_car(home.car.vin), Home.unload])
async def test_car_that_is_gone_when_the_form_is_submitted(flow: Flow, upload: Import, change: Any) -> None:
    await upload(DRIVES)
    await change(flow.home)
    await flow.submit()
    assert flow.abort_reason == "not_loaded"


async def test_import_needs_the_account_and_history_the_recorder(flow: Flow) -> None:
    await flow.start_vehicle_options(flow.home.entry, "import_history")
    await flow.submit(entity_id="sensor.odometer")
    assert flow.errors == {"entity_id": "import_no_history"}
    await flow.home.unload()
    await flow.submit(entity_id="sensor.odometer")
    assert flow.abort_reason == "not_loaded"
    await flow.start_vehicle_options(flow.home.entry, "import_log")
    assert flow.abort_reason == "not_loaded"
