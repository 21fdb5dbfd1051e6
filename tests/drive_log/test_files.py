"""Exported files, and what can be imported."""

import csv
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
import json
from pathlib import Path
import re
from typing import Any, Final
from unittest.mock import patch

import pytest

from custom_components.vehicle_remote_access.drive_log import importer
from custom_components.vehicle_remote_access.drive_log.columns import from_cell, to_cell
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import (
    Charge,
    Drive,
    Entries,
    Observation,
    Stay,
    number_in,
)
from custom_components.vehicle_remote_access.drive_log.importer import LogFileError, new_entries, read_log

from .log_files import KILOMETERS, NOW, files, imported, rows, shown

ROOT: Final = Path(__file__).parents[2]
FIXTURES: Final = ROOT / "tests" / "fixtures"
START: Final = 1_700_000_000
NUMBER: Final = re.compile(r"-?[\d.]+(e-?\d+)?")
EVERYTHING: Final = {"tag": "=1+1", "note": 'He said "no";\r\n\n\'quoted, é', "seen": "partly"}
DRIVE: Final = Drive(
    id="drive-1",
    start=START,
    end=START + 900,
    start_earliest=START - 60,
    end_latest=START + 960,
    start_odometer=100.123456,
    end_odometer=112.7,
    start_battery=80.0,
    end_battery=76.0,
    range_used=14.07,
    start_place="@Home",
    end_place="Straße, 5",
    start_latitude=52.5,
    start_longitude=-13.4,
    end_latitude=-0.5,
    end_longitude=0.0,
    outside_temperature=-3.4,
    max_speed=65.0,
    **EVERYTHING,
)
CHARGE: Final = Charge(
    id="charge-1",
    start=START + 1000,
    end=START + 9000,
    start_energy=1000.25,
    end_energy=1042.5,
    energy_used=45.125,
    measured_by="meter",
    start_battery=20.0,
    end_battery=80.0,
    range_added=140.83,
    max_power=11.0,
    current="ac",
    place="-1",
    cost=12.34,
    cost_at_once=15.67,
    currency="SEK",
    note="+",
)
STAY: Final = Stay(
    id="stay-1",
    start=START + 900,
    end=START + 50_000,
    place="Home",
    battery_lost=-0.25,
    asleep=3.5,
    awake_reasons="charging climate",
)


def later[E: (Drive, Charge, Stay)](entry: E, day: int) -> E:
    shift, kind = day * 86_400, entry.id.partition("-")[0]
    return entry._replace(id=f"{kind}-{day}", start=entry.start + shift, end=entry.end + shift)


def log_with(count: int = 1) -> DriveLog:
    log = DriveLog()
    for day in range(1, count + 1):
        log.drives.append(later(DRIVE, day))
        log.charges.append(later(CHARGE, day))
        log.stays.append(later(STAY, day))
    log.drive_tracker = replace(log.drive_tracker, next_id=count + 1)
    log.charge_tracker = replace(log.charge_tracker, next_id=count + 1)
    log.update_estimates()
    return log


def test_csv_names_its_units_and_has_local_times() -> None:
    drives, charges, stays = files(log_with(), KILOMETERS)
    assert drives.startswith(b"\xef\xbb\xbfid,start,end,")
    assert drives.endswith(b"\r\n")
    (drive,), (charge,), (stay,) = map(rows, (drives, charges, stays))
    assert drive["start"] == "2023-11-15T23:13:20+01:00"
    assert (drive["distance (km)"], drive["max_speed (km/h)"]) == ("20.24", "105")
    assert (drive["energy (kWh)"], drive["consumption (kWh/100 km)"]) == ("", "")
    assert (drive["tag"], drive["start_place"]) == ("'=1+1", "'@Home")
    assert drive["note"] == EVERYTHING["note"]
    assert drive["start_longitude"] == "-13.4"
    assert (charge["place"], charge["note"], charge["cost"]) == ("'-1", "'+", "12.34")
    assert "latitude" not in charge
    assert (stay["battery_lost (%)"], stay["awake_reasons"]) == ("-0.25", "charging climate")


@pytest.mark.parametrize(
    "text",
    [
        *("=1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "'=1", "''", "'", "it's", "x=1", "a,=1"),
        *("x;=1+1", "x;'=1", "x;''@a", "a;b", "x\t-1", "two\r\n+lines", 'x;"=1+1;', "x;'a"),
    ],
)
def test_no_cell_is_a_formula_whatever_separates_the_columns(text: str) -> None:
    log = DriveLog(drives=[DRIVE._replace(note=text, tag=text)])
    content, *_ = files(log, KILOMETERS)
    for separator in ",;\t":
        for row in csv.reader(content.decode().splitlines(), delimiter=separator):
            assert not [cell for cell in row if cell.startswith(tuple("=+-@")) and not NUMBER.fullmatch(cell)]
    assert from_cell(to_cell(text)) == text
    (drive,) = imported(content).drives
    assert (drive.note, drive.tag) == (text, text)


def test_spreadsheet_with_semicolons_and_decimal_commas() -> None:
    text = "start;end;start_odometer (km);end_odometer (km);note\r\n"
    text += '2026-10-30 12:00;2026-10-30 12:30:30;10,5;20,5;"a;b"\r\n\r\n'
    (drive,) = read_log(text.encode(), KILOMETERS, NOW).entries.drives
    assert drive.distance == pytest.approx(6.2137, abs=1e-4)
    assert (drive.note, drive.seen) == ("a;b", "live")
    assert (drive.start, drive.end) == (1_793_358_000, 1_793_359_830)


@pytest.mark.parametrize(
    ("mark", "encoding"), [("", "utf-8"), *(("\ufeff", name) for name in ("utf-8", "utf-16-le", "utf-16-be"))]
)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_encodings_line_ends_and_separators(mark: str, encoding: str, ends: str, separator: str) -> None:
    lines = [
        "start|end|energy_added (kWh)|place|",
        "2026-01-01|2026-01-02|7|Köln|",
        "2026-01-03|2026-01-04|8||",
    ]
    content = (mark + ends.join(lines).replace("|", separator)).encode(encoding)
    one, other = read_log(content, KILOMETERS, NOW).entries.charges
    assert (one.energy_added, one.place, other.energy_added) == (7, "Köln", 8)


def test_currency_and_time_zone_of_home_assistant_are_the_defaults() -> None:
    text = "start,end,energy_added (kWh),cost,currency\n"
    text += "2026-01-01T00:00,2026-01-01T01:00,7.5,2,\n2026-01-02 00:00:00.6Z,2026-01-02T07:00+05:30,,,SEK\n"
    one, other = read_log(text.encode(), KILOMETERS, NOW).entries.charges
    assert (one.start, one.energy_added, one.cost, one.currency) == (1_767_222_000, 7.5, 2, "EUR")
    assert (other.start, other.end_energy, other.currency) == (1_767_312_001, None, None)


@pytest.mark.parametrize("kind", ["drives", "charges"])
def test_documented_command_for_teslamate_writes_the_columns_of_the_fixture(kind: str) -> None:
    command = (ROOT / "docs" / "log.md").read_text().partition(f"> {kind}.csv")[2].partition("\nSQL")[0]
    headers = re.findall(r' AS "?([^"\n]+?)"?,?$', command, re.MULTILINE)
    assert headers == (FIXTURES / f"teslamate_{kind}.csv").read_text().splitlines()[0].split(",")


def test_import_from_teslamate() -> None:
    log = imported(*((FIXTURES / f"teslamate_{kind}.csv").read_bytes() for kind in ("drives", "charges")))
    first, *_ = shown(log, KILOMETERS)["drives"]
    assert (first["distance"], first["start_battery"], first["end_place"]) == (26.44, 80, 'Work, "east"')
    assert (first["energy"], first["max_speed"]) == (4.35, 118)
    charges = shown(log, KILOMETERS)["charges"]
    assert [(charge["energy_added"], charge["current"], charge["cost"]) for charge in charges] == [
        (36.11, "ac", 12.01), (30.05, "dc", None), (14.4, None, 0),
    ]  # fmt: skip
    assert log.capacity is not None
    assert log.capacity.energy == pytest.approx(72, abs=0.2)


HEADER: Final = "start,end,start_odometer (km),end_odometer (km),end_battery (%),distance (km),note,seen"
TIMES: Final = "2026-01-01T00:00,2026-01-01T01:00"
LATER: Final = "2026-01-02T00:00,2026-01-02T01:00"


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("yesterday,2026-01-01T01:00,1,2,3,4,,", "start", "yesterday"),
        (",2026-01-01T01:00,1,2,3,4,,", "start", "-"),
        ("1969-01-01,2026-01-01T01:00,1,2,3,4,,", "start", "1969-01-01"),
        ("2026-01-01T02:00,2026-01-01T01:00,1,2,3,4,,", "end", "2026-01-01T01:00 < 2026-01-01T02:00"),
        ("2026-01-01T02:00,2126-01-01T01:00,1,2,3,4,,", "end", "2126-01-01T01:00"),
        (f"{TIMES},ten,2,3,4,,", "start_odometer", "ten"),
        (f"{TIMES},nan,2,3,4,,", "start_odometer", "nan"),
        (f"{TIMES},3,2,3,4,,", "end_odometer", "2.0"),
        (f"{TIMES},1,2,101,4,,", "end_battery", "101.0"),
        (f"{TIMES},,,3,4,,", "start_odometer", "-"),
        (f"{TIMES},1,2,3,4,{'x' * 10_001},", "note", "x" * 50),
        (f"{TIMES},1,2,3,4,,sometimes{'!' * 99}", "seen", f"sometimes{'!' * 41}"),
        (f"{TIMES},1,2,3,4,", "seen", "-"),
        (f"{TIMES},1,2,3,4,,,x", "9", "x"),
        (f'{TIMES},1,2,3,4,"x"y,', "-", '"'),
    ],
)
def test_problem_names_the_line_the_column_and_the_wrong_value(line: str, column: str, reason: str) -> None:
    text = f'{HEADER}\n{TIMES},1,2,3,4,"two\nlines",\n\n{line}\n{LATER},5,6,7,8,,\n'
    file = read_log(text.encode(), KILOMETERS, NOW)
    assert file.problems == [("5", column, reason)]
    assert [drive.note for drive in file.entries.drives] == ["two\nlines", None]


def test_only_the_first_problems_are_kept() -> None:
    file = read_log(json.dumps({"drives": [0] * 1000}).encode(), KILOMETERS, NOW)
    assert (file.wrong, len(file.problems), file.problems[-1].line) == (1000, 20, "drives[19]")


def test_quote_without_an_end_names_all_lines_that_were_not_read() -> None:
    file = read_log(
        f'{HEADER}\n{TIMES},1,2,3,4,,\n{LATER},5,6,7,8,"x,\n{LATER},6,7,,,,\n'.encode(), KILOMETERS, NOW
    )
    assert [problem.line for problem in file.problems] == ["3-4"]
    assert file.entries.total == 1


@pytest.mark.parametrize(
    ("kind", "days", "is_possible"),
    [
        *(("drives", 366, True), ("drives", 367, False), ("charges", 366, True), ("charges", 367, False)),
        *(("stays", 3653, True), ("stays", 3654, False)),
    ],
)
def test_entry_that_excludes_others_for_years_is_wrong(kind: str, days: int, *, is_possible: bool) -> None:
    start = datetime(2010, 1, 1, tzinfo=UTC)
    times = {"start": start.isoformat(), "end": (start + timedelta(days=days)).isoformat()}
    file = read_log(json.dumps({kind: [times]}).encode(), KILOMETERS, NOW)
    assert bool(file.entries.total) is is_possible
    assert [problem.column for problem in file.problems] == ([] if is_possible else ["end"])


def test_approximate_times_of_more_than_ten_years_are_a_problem() -> None:
    text = f"start,end,start_earliest,energy_added (kWh)\n{TIMES},2015-12-01,5\n{TIMES},2016-01-02,5\n"
    file = read_log(text.encode(), KILOMETERS, NOW)
    assert [(problem.line, problem.column) for problem in file.problems] == [("2", "start_earliest")]
    assert file.entries.total == 1


def test_unknown_columns_are_named_and_not_read() -> None:
    text = f"colour,start,end,,energy_added (kWh),km\nred,{TIMES},,7,5\n,{LATER},,8,,,,\n"
    file = read_log(text.encode(), KILOMETERS, NOW)
    assert (file.entries.total, file.problems, file.ignored) == (2, [], ["colour", "km"])
    times = dict(zip(("start", "end"), TIMES.split(","), strict=True))
    file = read_log(json.dumps({"stays": [{**times, "id": 1, "mood": 2}]}).encode(), KILOMETERS, NOW)
    assert (file.entries.total, file.problems, file.ignored) == (1, [], ["id", "mood"])


@pytest.mark.parametrize(
    ("kind", "entry", "column"),
    [
        ("drives", {"start": 5}, "start"),
        ("drives", {"start_odometer": True}, "start_odometer"),
        ("drives", {"note": 5}, "note"),
        ("drives", 5, "start"),
        ("stays", {"awake_reasons": [5]}, "awake_reasons"),
        ("stays", {"awake_reasons": "climate"}, "awake_reasons"),
        ("stays", {"battery_lost": 1e308}, "battery_lost"),
        ("stays", {"asleep": 2}, "asleep"),
        ("charges", {"cost": 5, "currency": "€"}, "currency"),
        ("charges", {"current": "three-phase"}, "current"),
    ],
)
def test_problem_in_a_json_file_names_the_entry_and_the_value(kind: str, entry: Any, column: str) -> None:
    times = {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z"}
    entries = [times, {**times, **entry} if isinstance(entry, dict) else entry]
    file = read_log(json.dumps({kind: entries}).encode(), KILOMETERS, NOW)
    assert [(problem.line, problem.column) for problem in file.problems] == [(f"{kind}[1]", column)]
    assert file.entries.total == 1


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\xff\xfe", "empty"),
        (b"\r\n \n", "empty"),
        ("start,end,place\nKöln".encode("cp1252"), "wrong_encoding"),
        ("start,end".encode("utf-16-le"), "wrong_encoding"),
        (b"\xff\xfe\x00", "wrong_encoding"),
        (b"PK\x03\x04\x14\x00\x06\x00", "wrong_encoding"),
        (b"start,end,start_odometer (km),end_odometer (km)\r\n\r\n", "no_entries"),
        (b'{"drives": [], "charges": [], "stays": [], "units": {}}', "no_entries"),
        (b'start,end,"start_odometer (km)\n', "unreadable"),
        (b"{", "unreadable"),
        (b"{}", "unreadable"),
        (b'{"drives": {"1": 2}}', "unreadable"),
        (b'{"drives": [1], "units": 5}', "unreadable"),
        (b'{"drives": [1], "units": {"distance": "m"}}', "wrong_column"),
        (b"a,b\n1,2\n", "unreadable"),
        (b"start,end,start_odometer,end_odometer (km)\n", "wrong_column"),
        (b"start,end,start_odometer (m),end_odometer (km)\n", "wrong_column"),
        (b"start (km),end,start_odometer (km)\n", "wrong_column"),
        (b"start,end,end,start_odometer (km)\n", "wrong_column"),
        (b"start,end,start_odometer (km),end_odometer (km),max_speed (knots)\n", "wrong_column"),
        (b"start,start_odometer (km),end_odometer (km)\n", "missing_column"),
        (b"start,end,start_odometer (km)\n", "missing_column"),
    ],
)
def test_error_says_why_a_file_is_not_a_log(content: bytes, key: str) -> None:
    with pytest.raises(LogFileError) as error:
        read_log(content, KILOMETERS, NOW)
    assert error.value.key == f"import_{key}"


def drive(start: float, end: float) -> Drive:
    return DRIVE._replace(id="", start=start, end=end, start_earliest=None, end_latest=None)


@pytest.mark.parametrize(
    ("start", "end", "is_new"),
    [
        (50, 100, True),
        (50, 101, False),
        (100, 200, False),
        (120, 130, False),
        (199, 250, False),
        (200, 300, True),
        (50, 1000, False),
        (400, 400, False),
        (150, 150, False),
        (560, 570, False),
        (605, 700, True),
    ],
)
def test_entry_that_overlaps_one_of_the_log_is_left_out(start: float, end: float, *, is_new: bool) -> None:
    log = DriveLog(drives=[drive(500, 600), drive(100, 200), drive(400, 400), drive(550, 555)])
    new = new_entries(log, Entries([drive(start, end)], [], []))
    assert bool(new.total) is is_new


def test_nothing_else_happened_between_approximate_times() -> None:
    log = DriveLog(drives=[drive(500, 600)._replace(start_earliest=300.0, end_latest=900.0)])
    entries = Entries([drive(200, 250), drive(350, 400), drive(700, 800), drive(900, 950)], [], [])
    assert new_entries(log, entries).drives == [entries.drives[0], entries.drives[3]]


def test_entries_of_a_file_can_overlap_each_other() -> None:
    entries = Entries([drive(100, 200), drive(150, 160), drive(200, 300)], [], [])
    assert new_entries(DriveLog(), entries) == entries


def test_file_whose_drives_are_all_at_the_same_time_is_read_soon() -> None:
    """Each pair of drives would be compared: a file of a few megabytes would take hours."""
    at = "{:%Y-%m-%dT%H:%M:%SZ}".format
    start = datetime(2021, 1, 1, tzinfo=UTC)
    begins = [start + timedelta(minutes=number) for number in range(1000)]
    lines = [f"{at(each)},{at(each + timedelta(days=9))},{n},{n}" for n, each in enumerate(begins)]
    header = "start,end,start_odometer (km),end_odometer (km)"
    with patch.object(importer, "_have_same_way", wraps=importer._have_same_way) as compare:  # noqa: SLF001
        assert imported("\n".join([header, *lines]).encode()).entries.total == 1000
    assert compare.call_count < 200 * 1000


def test_last_text_and_cost_of_a_repeated_entry_count() -> None:
    charge = "2026-01-01,2026-01-02,7"
    text = f"start,end,energy_added (kWh),cost,note\n{charge},1,old\n{charge},2,new\n{charge}1,,other\n"
    found = read_log(text.encode(), KILOMETERS, NOW).entries.charges
    assert [(each.end_energy, each.cost, each.note) for each in found] == [(7, 2, "new"), (71, None, "other")]


@pytest.mark.parametrize("is_merged_first", [True, False])
def test_merged_drive_and_its_parts_in_a_file_count_once(*, is_merged_first: bool) -> None:
    log = log_with(3)
    drives = [
        each._replace(start_odometer=10.0 * index, end_odometer=10.0 * index + 10)
        for index, each in enumerate(log.drives)
    ]
    log.drives = drives
    before, *_ = files(log, KILOMETERS)
    log.drives = [drives[0]._replace(end=drives[1].end, end_odometer=20.0), drives[2]]
    after, *_ = files(log, KILOMETERS)
    parts = (after, before) if is_merged_first else (before, after)
    text = parts[0] + parts[1].partition(b"\r\n")[2]
    found = read_log(text, KILOMETERS, NOW).entries.drives
    assert sum(each.distance for each in found) == pytest.approx(30, abs=0.01)


def test_drives_without_an_odometer_are_not_taken_for_the_same() -> None:
    times = dict(zip(("start", "end"), TIMES.split(","), strict=True))
    drives = [{"start_odometer": 1, "end_odometer": 2}, {"max_speed": 8}, {"max_speed": 9}]
    content = json.dumps({"drives": [{**times, **each} for each in drives]})
    assert len(read_log(content.encode(), KILOMETERS, NOW).entries.drives) == 3


def test_entries_since_the_last_observation_and_stays_since_the_last_drive_are_left_out() -> None:
    log = DriveLog()
    now = after_drive(log, START, 100)
    log.add(observed(now, 110))
    assert log.stay is not None
    began = log.stay.start
    entries = Entries(
        [drive(START - 100, START - 50), drive(now + 50, now + 100)],
        [CHARGE._replace(start=now + 50, end=now + 100)],
        [STAY._replace(start=began - 90, end=began), STAY._replace(start=now - 20, end=now - 10)],
    )
    assert new_entries(log, entries) == Entries(entries.drives[:1], [], entries.stays[:1])


def test_entry_that_overlaps_the_open_drive_is_left_out() -> None:
    log = DriveLog()
    for minute in range(3):
        log.add(Observation(at=START + minute * 60, is_driving=True, odometer=100.0 + minute))
    entries = Entries([drive(START + 30, START + 40), drive(START - 50, START - 40)], [], [])
    assert new_entries(log, entries).drives == [entries.drives[1]]


def observed(at: float, odometer: float, *, is_driving: bool = False) -> Observation:
    return Observation(at=at, odometer=odometer, is_driving=is_driving, level=70.0, range=200.0, energy=50.0)


def after_drive(log: DriveLog, at: float, odometer: float) -> float:
    """Add a drive of ten miles, and return the time after it."""
    for minute in range(15):
        log.add(observed(at + minute * 60, odometer + min(minute, 10), is_driving=0 < minute < 10))
    return at + 3600


def test_ids_of_imported_entries_survive_a_restart_and_stay_unique() -> None:
    log, now = DriveLog(), float(START + 10 * 86_400)
    now = after_drive(log, now, 500)
    (content,) = files(log_with(3), KILOMETERS)[:1]
    stays = files(log_with(3), KILOMETERS)[2]
    imported(content, stays, log=log)
    archive = log.start_archive()
    log.end_archive(archive)
    archive = json.loads(json.dumps(archive))
    now = after_drive(log, now, 510)
    now = after_drive(log, now, 520)
    journal = json.loads(json.dumps(log.journal()))
    assert len(journal["drives"]["rows"]) == 2
    restored = DriveLog.restored(archive, journal)
    assert (restored.drives, restored.stays, restored.stay) == (log.drives, log.stays, log.stay)
    assert len(restored.drives) == len({each.id for each in restored.drives}) == 6
    assert len(restored.stays) == len({each.id for each in restored.stays}) == 5
    assert all(one.start < other.start for one, other in pairwise(restored.drives))
    numbers = [number_in(each.id) for each in restored.drives]
    assert restored.drive_tracker.next_id > max(numbers)
    assert numbers[3] == 1
