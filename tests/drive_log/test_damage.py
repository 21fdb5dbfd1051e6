"""Damaged files and failed writes of a log: what is not damaged stays, and is stored again."""

from collections.abc import Iterator
import errno
import json
import logging
import os
from pathlib import Path
import random
import re
from typing import Any, Final
from unittest.mock import patch

from homeassistant.core import HomeAssistant
import pytest

from custom_components.vehicle_remote_access.account.storage import DataStore
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog, LogError
from custom_components.vehicle_remote_access.drive_log.energy_meter import EnergyMeter
from custom_components.vehicle_remote_access.drive_log.entries import Entries
from custom_components.vehicle_remote_access.drive_log.stores import LogStore

from ..conftest import REAL_FILES, exhaustive
from .observations import AWAY, HOME, charging, driving, log_of, parked

REPLACEMENTS: Final = b'"}],:05x \n\xff'
ARCHIVE, JOURNAL = FILES = ("log", "log_open")
CHANGES: Final = ("drive", "charge", "note", "delete", "merge", "import")
SAVES: Final = ("save edits", "save journal", "save latest", "save archive", "save all")
pytestmark = REAL_FILES


class Files:
    """The two files of a small log, in a folder of their own."""

    def __init__(self, hass: HomeAssistant, folder: Path) -> None:
        self.hass, self.folder = hass, folder
        self.log = DriveLog(meter=EnergyMeter(added=5.0, lifetime=9.0), vin="VIN")

    @property
    def store(self) -> LogStore:
        return LogStore(self.hass, "x", lambda: self.log)

    async def read(self) -> DriveLog:
        self.log = await self.store.load()
        return self.log

    async def read_again(self) -> DriveLog:
        """Return the log as the next start finds it."""
        await self.store.save_all(is_last=True)
        return await self.read()

    def path(self, name: str) -> Path:
        return self.folder / f"{DOMAIN}.x.{name}"

    def replace(self, files: dict[str, bytes]) -> None:
        for path in self.folder.iterdir():
            path.unlink()
        for name, content in files.items():
            self.path(name).write_bytes(content)


def day(number: int) -> list[Any]:
    """Return the observations of a day with a drive to work, a charge there, and a drive home."""
    start, miles, energy = number * 1440.0, number * 12.0, 100.0 + number * 9
    values: dict[str, Any] = {"level": 71.5, "range": 201.25, "latitude": 52.5, "longitude": -13.4}
    return [
        parked(start, miles, energy=energy, **values, **HOME),
        driving(start + 1, miles + 1, **values),
        parked(start + 9, miles + 6, energy=energy, **values, **AWAY),
        parked(start + 20, miles + 6, energy=energy, **values, **AWAY),
        *(charging(start + 30 + i, energy + i, miles=miles + 6, **values) for i in range(10)),
        charging(start + 41, energy + 9, "complete", miles=miles + 6, **values),
        driving(start + 60, miles + 7, energy=energy + 9, charging="disconnected", **values),
        parked(start + 70, miles + 12, energy=energy + 9, **values, **HOME),
        parked(start + 80, miles + 12, energy=energy + 9, **values, **HOME),
    ]


@pytest.fixture
async def files(hass: HomeAssistant, tmp_path: Path) -> Files:
    """Two days in the archive, a third one in the journal, and then a drive that has not ended."""
    folder = tmp_path / ".storage"
    hass.config.config_dir = str(tmp_path)
    files = Files(hass, folder)
    files.log = log_of(*day(0), *day(1))
    files.log.update(["drive-1"], {"note": 'To "Anna", [5] {x}: ü, ', "tag": "business"})
    await files.store.save_all(is_last=True)
    for observation in (*day(2), driving(2880 + 90, 36)):
        files.log.add(observation)
    store = files.store
    await store._journal.save()  # noqa: SLF001 - as after the end of a drive
    files.log.add(driving(2880 + 92, 36))
    await store._latest.save()  # noqa: SLF001 - as a minute after a read
    assert {*map(len, files.log.entries)} == {6, 3, 5}
    assert (await files.read()).entries == files.log.entries
    return files


def without_ids(entries: Entries) -> list[tuple[Any, ...]]:
    """Return what the entries have. An entry with a damaged id gets another one."""
    return [(type(entry), *entry[1:]) for entry in entries.all]


def ids_at(content: bytes, position: int) -> set[str]:
    """Return the ids of the entries whose rows have a byte or are beside it."""
    text = content.decode("latin-1")
    rows = re.finditer(r'\["((?:drive|charge|stay)-\d+)"', text)
    ends = {row: json.JSONDecoder().raw_decode(text, row.start())[1] for row in rows}
    return {row[1] for row, end in ends.items() if row.start() <= position + 1 and position <= end}


def damages(contents: dict[str, bytes], count: int | None) -> Iterator[tuple[str, int, int]]:
    """Yield files, positions and other bytes for them: some at random, or one for each position."""
    chance = random.Random(1)  # noqa: S311 - the same in each run
    places = [(name, position) for name in FILES for position in range(len(contents[name]))]
    for name, position in places if count is None else chance.sample(places, count):
        byte = chance.choice(REPLACEMENTS)
        # A later version may store other values.
        is_version = position < contents[name].index(b'"minor_version"')
        if contents[name][position] != byte and not is_version:
            yield name, position, byte


@pytest.mark.parametrize("count", [250, pytest.param(None, marks=pytest.mark.exhaustive)])
async def test_wrong_byte_costs_nothing_but_the_entry_that_has_it(
    files: Files, caplog: pytest.LogCaptureFixture, count: int | None
) -> None:
    before = {each.id: each for each in files.log.entries.all}
    contents = {name: files.path(name).read_bytes() for name in FILES}
    caplog.set_level(logging.CRITICAL)
    for name, position, byte in damages(contents, count):
        content = contents[name]
        damaged = content[:position] + bytes([byte]) + content[position + 1 :]
        files.replace({**contents, name: damaged})
        entries = (await files.read()).entries
        where = content[max(0, position - 40) : position + 40], bytes([byte])
        touched = ids_at(content, position)
        expected = [each for entry_id, each in before.items() if entry_id not in touched]
        found = without_ids(entries)
        assert [each for each in expected if without_ids(Entries([each]))[0] not in found] == [], where  # type: ignore[list-item]
        assert entries.total <= len(before), where
        assert (await files.read_again()).entries == entries, where


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", "drive-r"),
        ("id", "drivee2"),
        ("id", "charge-3"),
        ("id", "drive-1"),
        ("id", 3),
        ("start", -1),
        ("start", 5e9),
        ("start", 1e300),
        ("start", None),
        ("start", "text"),
        ("start", True),
        ("start", []),
        ("end", 1_000_000_000),
        ("end_latest", 5e9),
        ("start_odometer", "12"),
        ("end_odometer", 1e30),
        ("note", 5),
    ],
)
@pytest.mark.parametrize("name", FILES)
async def test_damaged_entry_is_set_aside_alone(files: Files, name: str, column: str, value: Any) -> None:
    """The file is kept under another name, and the log is stored again without the entry."""
    content = json.loads(files.path(name).read_text())
    table = content["data"]["drives"]
    row = table["rows"][1]
    damaged_id, row[table["names"].index(column)] = row[0], value
    files.path(name).write_text(json.dumps(content, indent=2))
    before, log = files.log, await files.read()
    others = [each for each in before.drives if each.id != damaged_id]
    assert [each for each in log.drives if each in others] == others
    assert (log.charges, log.stays) == (before.charges, before.stays)
    copies = list(files.folder.glob("*.damaged.*"))
    is_id_of_other_file = (name, value) == (JOURNAL, "drive-1")
    assert [json.loads(copy.read_text()) for copy in copies] == ([] if is_id_of_other_file else [content])
    for observation in day(3):
        log.add(observation)
    log.update([log.drives[-1].id], {"note": "new"})
    assert (await files.read_again()).entries == log.entries
    assert list(files.folder.glob("*.damaged.*")) == copies


@pytest.mark.parametrize(
    "damage",
    [
        lambda table: table["names"].remove("note"),
        lambda table: table["names"].append("other"),
        lambda table: table["rows"][1].pop(),
        lambda table: table["rows"].insert(1, "text"),
        lambda table: table["rows"].insert(1, {"id": "drive-2"}),
        lambda table: table.update(names=None),
        lambda table: table.pop("names"),
    ],
)
async def test_table_with_wrong_names_or_rows_loses_no_valid_row(files: Files, damage: Any) -> None:
    content = json.loads(files.path(ARCHIVE).read_text())
    damage(content["data"]["drives"])
    files.path(ARCHIVE).write_text(json.dumps(content, indent=2))
    before, log = files.log, await files.read()
    assert {each.id for each in before.drives} - {each.id for each in log.drives} <= {"drive-2"}


@pytest.mark.parametrize("part", ["drive_tracker", "charge_tracker", "stay", "prices", "revision", "meter"])
@pytest.mark.parametrize("value", [None, 5, "text", {}, {"at": -1}, {"at": 1e12, "next_id": 1, "base": "x"}])
async def test_what_happened_after_damage_is_not_lost(files: Files, part: str, value: Any) -> None:
    """The next entries continue the last ones, and have other ids."""
    content = json.loads(files.path(JOURNAL).read_text())
    content["data"][part] = value
    files.path(JOURNAL).write_text(json.dumps(content, indent=2))
    before, log = files.log, await files.read()
    assert log.entries == before.entries
    for observation in (*day(3), *day(4)):
        log.add(observation)
    drives, charges = log.drives, log.charges
    assert drives[-1].end_odometer == 1060
    assert sum(drive.distance for drive in drives) == 60
    assert sum(charge.energy_added for charge in charges) == pytest.approx(45)
    assert len({each.id for each in log.entries.all}) == log.entries.total
    assert (await files.read_again()).entries == log.entries


async def test_file_that_was_renamed_before_a_power_cut_is_read(files: Files) -> None:
    content = files.path(ARCHIVE).read_bytes().replace(b'"drive-2"', b'"drive-r"')
    files.path(ARCHIVE).write_bytes(content)
    for _ in range(3):
        log = await files.store.load()
        assert [each.id for each in log.drives] == ["drive-1", *(f"drive-{number}" for number in range(3, 7))]
        assert not files.path(ARCHIVE).exists()


async def test_newer_file_is_not_read(files: Files) -> None:
    content = files.path(ARCHIVE).read_bytes().replace(b'"version":1', b'"version":2')
    files.path(ARCHIVE).write_bytes(content)
    log = await files.read()
    assert [each.id for each in log.drives] == ["drive-5", "drive-6"]
    (copy,) = files.folder.glob("*.newer.*")
    assert copy.read_bytes() == content


async def test_damage_of_what_is_open_costs_no_entry(files: Files) -> None:
    entries, path = files.log.entries, files.path("log_latest")
    path.write_bytes(path.read_bytes().replace(b'"drive_tracker":{', b'"drive_tracker":{"at":"",', 1))
    log = await files.read()
    assert (log.entries, log.is_damaged) == (entries, False)


@pytest.mark.parametrize("damage", [None, ARCHIVE])
async def test_what_is_open_is_as_new_as_the_last_save(files: Files, damage: str | None) -> None:
    """The first save after a start is newer than what the journal has, also if the archive is damaged."""
    store = files.store
    files.log = await store.load()
    files.log.add(driving(2880 + 95, 40))
    store.schedule_save(is_urgent=True)
    await store.close()
    tracker = files.log.drive_tracker
    if damage is not None:
        files.path(damage).write_bytes(files.path(damage).read_bytes()[:-100])
    assert (await files.read()).drive_tracker == tracker
    assert files.log.is_damaged is (damage is not None)


async def test_log_of_two_damaged_files_is_empty(files: Files) -> None:
    for name in FILES:
        files.path(name).write_text('{"version": 1, "key": "x", "data": {"revision": null}}')
    assert (await files.read()).entries.all == []


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
        archive, journal, latest = self.store._stores  # noqa: SLF001 - the files
        match step:
            case "save edits":
                await self.store.save_edits()
            case "save journal":
                await journal.save()
            case "save latest" if self.log.revision == self.store._journal_revision:  # noqa: SLF001
                await latest.save()
            case "save archive" if self.log.is_archive_due:
                await archive.save()
            case "save all":
                await self.store.save_all()


@pytest.mark.parametrize("seed", [*range(40), *exhaustive(*range(40, 400))])
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
            step = chance.choices(steps, weights=[8, 4, 3, 1, 2, 1, 3, 3, 3, 3, 6, 3])[0]
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
