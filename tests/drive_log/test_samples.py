"""The samples of drives and charges: which are kept, how they are stored, and when they are deleted."""

from datetime import UTC, datetime
from itertools import pairwise
import json
from pathlib import Path
from typing import Any, Final

from homeassistant.core import HomeAssistant
import pytest

from custom_components.vehicle_remote_access.account.storage import remove_log
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import (
    Charge,
    ChargeSample,
    Drive,
    DriveSample,
    Observation,
)
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.samples import MOST_SAMPLES, thinned
from custom_components.vehicle_remote_access.drive_log.stores import SampleStore

from ..conftest import MINUTE, Home
from .activities import start_drive
from .observations import NOON, charging, driving, parked

NEW_YEAR: Final = datetime(2027, 1, 1, tzinfo=UTC).timestamp()


class Recorded:
    """A log whose observations are sampled."""

    def __init__(self, hass: HomeAssistant, *observations: Observation, **values: Any) -> None:
        self.hass = hass
        self.log = DriveLog(currency="EUR", **values)
        self.store = SampleStore(hass, "x")
        self.add(*observations)

    def add(self, *observations: Observation) -> None:
        for observation in observations:
            changes = self.log.add(observation)
            self.store.update(self.log, changes, observation)

    async def samples(self, entry: Drive | Charge) -> list[Any]:
        """Return the samples of an entry as a new start finds them."""
        await self.hass.async_block_till_done()
        store = SampleStore(self.hass, "x")
        await store.restore()
        return await store.load(entry)


def rows_in(hass_storage: dict[str, Any], name: str) -> list[Any]:
    rows: list[Any] = json.loads(hass_storage[f"{DOMAIN}.x.{name}"]["data"]["samples"])["drives"]["rows"]
    return rows


DRIVE: Final = (
    parked(0, level=80.0),
    driving(1, 0.5, level=80.0, speed=31.26, drive_power=12.0, latitude=48.1234567, longitude=11.5),
    driving(2, 1.5, level=79.0, speed=65.0, drive_power=-20.0),
    parked(3, 2.5),
    parked(7, 2.5),
)


async def test_observations_in_gear_are_samples(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    recorded = Recorded(hass, *DRIVE)
    (drive,) = recorded.log.drives
    assert await recorded.samples(drive) == [
        DriveSample(NOON + 60, speed=31.3, power=12.0, level=80.0, latitude=48.12346, longitude=11.5),
        DriveSample(NOON + 120, speed=65.0, power=-20.0, level=79.0),
    ]
    assert hass_storage.keys() == {f"{DOMAIN}.x.log_samples_2026_09"}


async def test_charge_samples_have_power_and_cost(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    prices = Prices().changed(NOON, 0.2).changed(NOON + 120, 0.4)
    reads = [charging(minute, minute / 10, level=50.0 + minute, power=6.0) for minute in range(5)]
    recorded = Recorded(hass, parked(-1, energy=0.0), *reads, charging(5, 0.5, "complete"), prices=prices)
    (charge,) = recorded.log.charges
    samples = await recorded.samples(charge)
    assert samples[0] == ChargeSample(NOON, power=6.0, level=50.0, price=0.2, cost=0.0)
    assert [sample.price for sample in samples] == [0.2, 0.2, 0.4, 0.4, 0.4]
    assert [sample.cost for sample in samples] == [0.0, 0.02, 0.04, 0.08, 0.12]


async def test_samples_of_a_few_yards_are_deleted(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    recorded = Recorded(hass, parked(0), driving(1, 0.02), driving(2, 0.03))
    await recorded.store.close()
    recorded = Recorded(hass)
    await recorded.store.restore()
    recorded.add(parked(3, 0.04), parked(9, 0.04))
    await recorded.store.close()
    assert rows_in(hass_storage, "log_samples") == []


async def test_merged_drive_can_be_in_two_files(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    shift = (NEW_YEAR - NOON) / MINUTE
    recorded = Recorded(hass, parked(shift - 3))
    for number in range(2):
        start = shift + number * 10
        observations = [driving(start + minute, number * 9 + minute + 2) for minute in range(-2, 3)]
        recorded.add(*observations, parked(start + 3, number * 9 + 5), parked(start + 6.5, number * 9 + 5))
    recorded.log.merge_drives([drive.id for drive in recorded.log.drives])
    (drive,) = recorded.log.drives
    assert len(await recorded.samples(drive)) == 10
    assert hass_storage.keys() == {f"{DOMAIN}.x.log_samples_{month}" for month in ("2026_12", "2027_01")}


async def test_only_deleted_entry_loses_samples(hass: HomeAssistant, hass_storage: dict[str, Any]) -> None:
    later = [
        observation
        for minute in (20, 40)
        for observation in (driving(minute, minute / 4), parked(minute + 1, minute / 4 + 1))
    ]
    recorded = Recorded(hass, *DRIVE, *later, parked(50, 11))
    first, second, third = recorded.log.drives
    await hass.async_block_till_done()
    await recorded.store.delete(recorded.log.delete(second.id))
    assert [len(await recorded.samples(drive)) for drive in (first, second, third)] == [2, 0, 1]
    for drive in (first, third):
        await recorded.store.delete(drive)
    assert hass_storage == {}


def test_extreme_values_and_some_between_them_are_kept() -> None:
    samples: list[Any] = [DriveSample(float(at), speed=50.0, power=at % 7) for at in range(1000)]
    samples[333] = samples[333]._replace(speed=90.0)
    samples[777] = samples[777]._replace(power=-40.0)
    kept = thinned(samples)
    assert len(kept) <= MOST_SAMPLES
    assert {samples[0], samples[333], samples[777], samples[999]} <= set(kept)
    assert max(b.at - a.at for a, b in pairwise(kept)) <= 10
    assert thinned(samples[:MOST_SAMPLES]) == samples[:MOST_SAMPLES]


@pytest.mark.parametrize(
    "damage", [[], {"a": 1}, {"samples": 7}, {"samples": "{"}, {"samples": '{"drives":7,"charges":7}'}]
)
async def test_damaged_month_is_set_aside_and_later_samples_are_kept(
    hass: HomeAssistant, hass_storage: dict[str, Any], tmp_path: Path, damage: Any
) -> None:
    hass.config.config_dir = str(tmp_path)
    recorded = Recorded(hass, *DRIVE)
    await hass.async_block_till_done()
    (key,) = hass_storage
    file = tmp_path / ".storage" / key
    file.parent.mkdir()
    file.touch()
    hass_storage[key]["data"] = damage
    assert await recorded.samples(recorded.log.drives[0]) == []
    assert len(list(file.parent.glob(f"{key}.damaged.*"))) == 1
    recorded.add(driving(20, 4), parked(21, 5), parked(25, 5))
    await hass.async_block_till_done()
    assert len(rows_in(hass_storage, "log_samples_2026_09")) == 1


async def test_files_are_removed(hass: HomeAssistant, hass_storage: dict[str, Any], tmp_path: Path) -> None:
    hass.config.config_dir = str(tmp_path)
    folder = tmp_path / ".storage"
    folder.mkdir()
    others = f"{DOMAIN}.xy.log_samples_2026_08"
    for name in ("2026_08", "2026_08.damaged.20260809T101112", "2025_01"):
        (folder / f"{DOMAIN}.x.log_samples_{name}").touch()
    (folder / others).touch()
    await remove_log(hass, "x")
    assert [file.name for file in folder.iterdir()] == [others]


async def test_watched_drive_has_samples_without_positions(home: Home, hass_storage: dict[str, Any]) -> None:
    await home.set_car_options(keep_positions=False)
    await start_drive(home, 5)
    await home.advance(900, step=20)
    (drive,) = home.coordinator.log.drives
    assert (drive.seen, drive.start_latitude, drive.end_place) == ("live", None, None)
    samples: Any = await home.coordinator.log_manager.samples.load(drive)
    assert len(samples) >= 4
    assert max(sample.speed for sample in samples) == pytest.approx(drive.max_speed, abs=0.1)
    assert any(sample.power for sample in samples)
    assert {(sample.latitude, sample.longitude) for sample in samples} == {(None, None)}
    await home.act("delete_log_entry", id=drive.id)
    assert await home.coordinator.log_manager.samples.load(drive) == []


async def test_samples_of_a_movement_that_is_no_drive_are_deleted_in_a_charge(
    hass: HomeAssistant,
) -> None:
    recorded = Recorded(hass, parked(0), driving(1, 0.0), parked(2), charging(3, 100.0), charging(20, 102.0))
    assert recorded.log.charge_tracker.open is not None
    assert not recorded.store._open.of_type(DriveSample)  # noqa: SLF001 - no entry would show them
