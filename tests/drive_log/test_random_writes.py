"""Writes that fail or succeed, entries, a person's changes and power cuts, in any order."""

import errno
import os
from pathlib import Path
import random
from typing import Any, Final
from unittest.mock import patch

from homeassistant.core import HomeAssistant
import pytest

from custom_components.vehicle_remote_access.account.storage import DataStore
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog, LogError
from custom_components.vehicle_remote_access.drive_log.stores import LogStore

from .observations import driving, parked

CHANGES: Final = ("drive", "charge", "note", "delete", "merge", "import")
SAVES: Final = ("save edits", "save journal", "save archive", "save all")


@pytest.fixture
def hass_storage() -> dict[str, Any]:
    """Use real files instead of those of the test plugin."""
    return {}


class Car:
    """A car with a log whose files are written to the disk."""

    def __init__(self, hass: HomeAssistant, chance: random.Random) -> None:
        self.hass, self.chance = hass, chance
        self.log = DriveLog()
        self.minute, self.miles, self.energy = 0.0, 0.0, 100.0
        self.possible = [self.log.snapshot().entries]
        """What a start may find: the entries when all was stored, and as they were since then."""
        self.start()

    def start(self) -> None:
        self.store = LogStore(self.hass, "x", lambda: self.log)

    def drive(self) -> None:
        self.log.add(parked(self.minute, self.miles, energy=self.energy))
        for _ in range(3):
            self.minute, self.miles = self.minute + 1, self.miles + 1
            self.log.add(driving(self.minute, self.miles, energy=self.energy))
        for _ in range(2):
            self.minute += 5
            self.log.add(parked(self.minute, self.miles, energy=self.energy))

    def charge(self) -> None:
        for state in ("charging", "charging", "complete"):
            self.minute, self.energy = self.minute + 1, self.energy + 5
            values: dict[str, Any] = {"charging": state, "power": 6.0}
            self.log.add(parked(self.minute, self.miles, energy=self.energy, **values))

    def change(self, step: str) -> None:
        drives = self.log.drives
        entries: list[Any] = [*drives, *self.log.charges]
        match step:
            case "drive":
                self.drive()
            case "charge":
                self.charge()
            case "note" if entries:
                ids = [each.id for each in self.chance.sample(entries, min(2, len(entries)))]
                self.log.update(ids, {"note": str(self.minute)})
            case "delete" if entries:
                self.log.delete(self.chance.choice(entries).id)
            case "merge" if len(drives) > 1:
                first = self.chance.randrange(len(drives) - 1)
                try:
                    self.log.merge_drives([drives[first].id, drives[first + 1].id])
                except LogError:
                    return
            case "import" if drives:
                old = [each._replace(start=each.start - 1e6, end=each.end - 1e6) for each in drives[:2]]
                self.log.insert(old, [], [])
        self.possible.append(self.log.snapshot().entries)

    async def save(self, step: str) -> None:
        archive, journal = self.store._archive, self.store._journal  # noqa: SLF001 - the files
        match step:
            case "save edits":
                await self.store.save_edits()
            case "save journal":
                await journal.save()
            case "save archive" if self.log.is_archive_due:
                await archive.save()
            case "save all":
                await self.store.save_all()


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(40, 400))]
)
async def test_nothing_acknowledged_is_lost(hass: HomeAssistant, tmp_path: Path, seed: int) -> None:
    chance, failures = random.Random(seed), 0.0  # noqa: S311 - the same in each run
    hass.config.config_dir = str(tmp_path)
    car = Car(hass, chance)

    def sync(_descriptor: int) -> None:
        # The system may report the failure before or after the file is replaced.
        if chance.random() < failures:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with (
        patch("os.fsync", sync),
        patch(f"{DataStore.__module__}.DataStore._report"),
        patch(f"{DriveLog.__module__}._TAIL_LENGTH", 8),
    ):
        for _ in range(60):
            failures = chance.choice([0.0, 0.0, 0.3, 1.0])
            steps = [*CHANGES, *SAVES, "power cut"]
            step = chance.choices(steps, weights=[8, 4, 3, 1, 2, 1, 3, 3, 3, 6, 3])[0]
            if step in SAVES:
                await car.save(step)
                if step == "save all" and not hass.data.get("vehicle_remote_access_unsaved"):
                    car.possible = [car.log.snapshot().entries]
            elif step == "power cut":
                failures = 1.0
                await car.store.close()
                hass.data.pop("vehicle_remote_access_unsaved", None)
                car.start()
                car.log = await car.store.load()
                assert {*car.log.entries.all} in [{*each.all} for each in car.possible]
                assert not car.log.is_damaged
                ids = [each.id for each in car.log.entries.all]
                assert len(ids) == len({*ids})
                car.possible = [car.log.snapshot().entries]
            else:
                car.change(step)
    await car.store.close()
