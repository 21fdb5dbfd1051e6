"""The logs of removed cars in files: how long each is kept, and what a wrong clock or a damaged list does."""

from collections.abc import Mapping
import json
from pathlib import Path
import re
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import Mock, patch

from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log import kept_logs
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Drive

from ..conftest import DAY, REAL_FILES

# Logs are found by their files.
pytestmark = REAL_FILES
NOW: Final = 1_777_900_000.0
VIN: Final = "5YJSA1E46KF123457"
INDEX: Final = "removed_logs"
JOURNAL: Final = "car.log_open"
NEWER: Final = '{"version": 99, "minor_version": 1, "key": "x", "data": {}}'


class Kept:
    """The log of a removed car in the files of a Home Assistant that has no account."""

    def __init__(self, hass: HomeAssistant, folder: Path) -> None:
        self.hass = hass
        self._folder = folder
        folder.mkdir(exist_ok=True)
        log = DriveLog()
        log.drives.append(Drive(id="drive-1", start=NOW - DAY, end=NOW - DAY + 600))
        self.write(JOURNAL, {**log.journal(), "vin": VIN})

    def path(self, name: str) -> Path:
        return self._folder / f"{DOMAIN}.{name}"

    def write(self, name: str, data: Mapping[str, Any]) -> None:
        file = {"version": 1, "minor_version": 1, "key": f"{DOMAIN}.{name}", "data": data}
        self.path(name).write_text(json.dumps(file))

    def read(self, name: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.path(name).read_text())["data"]
        return data

    async def check(self, *days: float) -> bool:
        """Check the kept logs on these days, and return whether any file of a log is left."""
        for day in days:
            with patch.object(kept_logs, "time", Mock(time=Mock(return_value=NOW + day * DAY))):
                await kept_logs.update_kept_logs(self.hass)
        return any(".log" in path.name for path in self._folder.iterdir())


@pytest.fixture
def kept(hass: HomeAssistant) -> Kept:
    return Kept(hass, Path(hass.config.path(".storage")))


async def test_time_between_checks_counts_as_two_days_at_most(kept: Kept) -> None:
    assert await kept.check(*range(0, 150, 10))
    assert not await kept.check(150)


@pytest.mark.parametrize("wrong", [-9000, 25, 365])
async def test_wrong_clock_at_a_start_counts_as_two_days_at_most(kept: Kept, wrong: float) -> None:
    """A machine without a clock of its own starts in the past or in the future, until it knows the time."""
    assert await kept.check(0, wrong, 0, wrong, 0, wrong, 0)
    assert await kept.check(*range(24))
    assert not await kept.check(*range(24, 31))


async def test_log_of_a_car_that_was_removed_with_a_wrong_clock_is_kept(kept: Kept) -> None:
    assert await kept.check(-9000, *range(28))
    assert not await kept.check(*range(28, 31))


@pytest.mark.parametrize(("age", "is_left"), [(20, True), (29, True), (31, False), (9000, True)])
async def test_time_of_1_0_0_counts_unless_it_is_wrong(kept: Kept, age: float, *, is_left: bool) -> None:
    kept.write(INDEX, {"car": NOW - age * DAY})
    assert await kept.check(0) is is_left
    assert not await kept.check(*range(31))


@pytest.mark.parametrize(
    "content", ["{", "[]", NEWER, '{"version": 1, "data": {}}'], ids=["damaged", "no list", "newer", "empty"]
)
async def test_damaged_list_only_keeps_logs_longer(kept: Kept, content: str) -> None:
    await kept.check(*range(20))
    kept.path(INDEX).write_text(content)
    assert await kept.check(*range(20, 50))
    assert not await kept.check(50)


@pytest.mark.parametrize(
    ("name", "value"), [(".*", "x"), (".*", None), ("checked_at", 1e12), ("checked_at", 7e8), ("car", 7e8)]
)
async def test_wrong_time_in_the_list_counts_from_now(kept: Kept, name: str, value: Any) -> None:
    await kept.check(0)
    stored = kept.read(INDEX)
    kept.write(INDEX, stored | dict.fromkeys([key for key in stored if re.match(name, key)], value))
    assert await kept.check(*range(30))
    assert not await kept.check(30)


async def test_log_that_cannot_be_read_is_kept_for_30_days(kept: Kept) -> None:
    """A newer version, or the owner, may still read its files."""
    kept.path(JOURNAL).write_text(NEWER)
    assert await kept.check(*range(30))
    assert list(kept.path(JOURNAL).parent.glob("*.newer.*"))
    assert not await kept.check(30)


@pytest.mark.parametrize("vin", [None, [], VIN, VIN.lower()])
async def test_car_without_a_log_continues_only_that_of_its_vin(kept: Kept, vin: Any) -> None:
    """1.0.0 stored the same journal and list. A damaged journal may have any VIN."""
    kept.write(JOURNAL, {**kept.read(JOURNAL), "vin": vin})
    kept.write(INDEX, {"car": NOW - 29 * DAY})
    car = ConfigSubentry(
        data=MappingProxyType({"id": "1", "vin": VIN}), subentry_type="vehicle", title="", unique_id=VIN
    )
    entry = MockConfigEntry(domain=DOMAIN, subentries_data=[{**car.as_dict()}])
    entry.add_to_hass(kept.hass)
    await kept.check(0)
    (car,) = entry.subentries.values()
    assert car.data.get("log_name") == ("car" if vin == VIN else None)
    assert kept.path(INDEX).exists() is (vin not in (None, VIN))
    assert kept.path(JOURNAL).exists() is (vin is not None)
