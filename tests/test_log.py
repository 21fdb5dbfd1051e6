"""The log in Home Assistant: actions, entities, triggers and statistics."""

from itertools import pairwise
import time
from typing import Any, Final

from homeassistant.exceptions import ServiceValidationError
from homeassistant.util.unit_system import METRIC_SYSTEM, US_CUSTOMARY_SYSTEM
import pytest
import voluptuous as vol

from .conftest import Home
from .vehicle.log.test_keeper import five_years

DAY: Final = 86_400.0


@pytest.fixture
def long_log(home: Home) -> Home:
    """A car whose log has five years."""
    home.coordinator.log.book = five_years()
    home.coordinator.log.book.factor = 0.3
    return home


async def get_log(home: Home, **data: Any) -> Any:
    """Return the response of the action."""
    return await home.act("get_log", **data)


async def test_month(long_log: Home) -> None:
    """A month is returned within 20 ms, and each entry is in exactly one month."""
    await get_log(long_log, start="2023-01-01 00:00:00", end="2023-02-01 00:00:00")
    started = time.perf_counter()
    january = await get_log(long_log, start="2023-01-01 00:00:00", end="2023-02-01 00:00:00")
    assert time.perf_counter() - started < 0.1
    assert len(january["drives"]) == 93
    drives = january["drives"]
    assert [drive["start"] for drive in drives] == sorted(drive["start"] for drive in drives)
    february = await get_log(long_log, start="2023-02-01 00:00:00", end="2023-03-01 00:00:00")
    both = await get_log(long_log, start="2023-01-01 00:00:00", end="2023-03-01 00:00:00")
    assert both["drives"] == drives + february["drives"]
    for kind, total in both["totals"].items():
        assert total == pytest.approx(january["totals"][kind] + february["totals"][kind], abs=0.01)


@pytest.mark.parametrize(
    ("units", "unit", "factor"), [(METRIC_SYSTEM, "km", 1.609344), (US_CUSTOMARY_SYSTEM, "mi", 1)]
)
async def test_units(long_log: Home, units: Any, unit: str, factor: float) -> None:
    """Distances are in the unit of Home Assistant, and add up to the odometer when rounded."""
    long_log.hass.config.units = units
    log = await get_log(long_log, kind="drives")
    drives = log["drives"]
    assert log["units"]["distance"] == unit
    assert (log["charges"], log["stays"]) == ([], [])
    assert drives[0]["distance"] == pytest.approx(10.123456 * factor, abs=0.01)
    assert drives[0]["energy"] == round(9.6 * 0.3, 2)
    assert drives[0]["consumption"] == pytest.approx(288 / 10.123456 / factor, abs=0.1)
    assert log["totals"]["distance"] == round(drives[-1]["end_odometer"] - drives[0]["start_odometer"], 2)
    assert all(one["end_odometer"] == other["start_odometer"] for one, other in pairwise(drives))


async def test_changes(long_log: Home) -> None:
    """Tags, notes and costs can be changed, drives merged, and entries deleted."""
    await long_log.act("update_log_entry", id="drive-5500", tag="business", note="To Anna")
    await long_log.act("update_log_entry", id="charge-1500", cost=0)
    await long_log.act("merge_drives", ids=["drive-5498", "drive-5499"])
    await long_log.act("delete_log_entry", id="charge-1499")
    log = await get_log(long_log)
    assert [drive["id"] for drive in log["drives"][-2:]] == ["drive-5498", "drive-5500"]
    assert log["drives"][-2]["distance"] == pytest.approx(32.58, abs=0.02)
    assert (log["drives"][-1]["tag"], log["drives"][-1]["note"]) == ("business", "To Anna")
    assert [charge["cost"] for charge in log["charges"][-2:]] == [pytest.approx(4.598, abs=0.01), 0]
    await long_log.act("update_log_entry", id="charge-1500", cost=None)
    log = await get_log(long_log, kind="charges")
    assert (log["charges"][-1]["cost"], log["charges"][-1]["currency"]) == (None, None)


@pytest.mark.parametrize(
    ("action", "data", "key"),
    [
        ("delete_log_entry", {"id": "drive-9999"}, "unknown_log_entry"),
        ("update_log_entry", {"id": "drive-1", "cost": 3}, "wrong_log_field"),
        ("update_log_entry", {"id": "charge-1", "tag": "x"}, "wrong_log_field"),
        ("merge_drives", {"ids": ["drive-1", "drive-3"]}, "drives_not_consecutive"),
    ],
)
async def test_impossible_changes(long_log: Home, action: str, data: dict[str, Any], key: str) -> None:
    """An impossible change has a message."""
    with pytest.raises(ServiceValidationError) as error:
        await long_log.act(action, **data)
    assert error.value.translation_key == key


async def test_invalid_values(home: Home) -> None:
    """Invalid data is refused."""
    for data in ({"start": "x"}, {"kind": "trips"}):
        with pytest.raises(vol.Invalid):
            await get_log(home, **data)
