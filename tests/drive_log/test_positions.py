"""Positions of the log: the zones that name them, how all of them are forgotten, and tracks of few points."""

from collections.abc import Mapping
import json
import math
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log import tracks
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import (
    Charge,
    Drive,
    DriveSample,
    Entries,
    Stay,
)
from custom_components.vehicle_remote_access.drive_log.tracks import drive_tracks, simplified, visited_places
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones
from custom_components.vehicle_remote_access.simulator.car.location import Point
from custom_components.vehicle_remote_access.util.positions import degrees_between

from ..conftest import MINUTE, Home
from ..flow import Flow
from .activities import end_charge, start_charge, start_drive
from .observations import charging, driving, log_of, parked

LAKE: Final[dict[str, Any]] = {"is_home": False, "latitude": 48.125, "longitude": 11.25}
HILL: Final[dict[str, Any]] = {"is_home": False, "latitude": 48.375, "longitude": 11.75}
ZONES: Final = Zones([Zone("Lake", 48.125, 11.25, 100), Zone("Hill", 48.375, 11.75, 100)])
HOUSE: Final = Zone("Home", 52.0, 5.0, 100, is_home=True)
TOWN: Final = Zone("Town", 52.0, 5.0, 5000)
CHARGER: Final = Zone("Fast charger", 52.2, 5.0, 100, is_passive=True)
PARK: Final = Zone("Park", 52.2, 5.0, 4000)
ISLAND: Final = Zone("Island", 0.0, 179.9999, 100)


@pytest.mark.parametrize(
    ("position", "name"),
    [
        ((52.0005, 5.001), "Home"),
        ((52.02, 5.0), "Town"),
        ((52.2, 5.0), "Fast charger"),
        ((52.3, 5.0), None),
        ((0.0, -179.9999), "Island"),
        ((None, None), None),
    ],
    ids=["smallest", "larger", "passive", "outside", "date line", "unknown"],
)
def test_zone_at_a_position(position: tuple[float | None, float | None], name: str | None) -> None:
    zone = Zones([TOWN, CHARGER, HOUSE, ISLAND]).containing(*position)
    assert (zone and zone.name) == name


def test_passive_zone_counts_only_where_there_is_no_other() -> None:
    zone = Zones([CHARGER, PARK]).containing(52.2, 5.0)
    assert zone == PARK


def test_entry_without_a_place_has_the_name_of_the_zone_at_its_position() -> None:
    there: dict[str, Any] = {"end_latitude": 52.2, "end_longitude": 5.0}
    drive = Drive("drive-1", 0.0, 10.0, start_place="Old", start_latitude=52.2, start_longitude=5.0, **there)
    charge = Charge("charge-1", 20.0, 30.0, latitude=52.2, longitude=5.0)
    unknown = Charge("charge-2", 40.0, 50.0)
    drives, charges, stays = Zones([CHARGER]).named(
        Entries([drive], [charge, unknown], [Stay("stay-1", 10.0, 60.0), Stay("stay-2", 70.0, 80.0)])
    )
    assert (drives[0].start_place, drives[0].end_place) == ("Old", "Fast charger")
    assert [each.place for each in charges] == ["Fast charger", None]
    assert [each.place for each in stays] == ["Fast charger", None]


def add_zone(home: Home, name: str, point: Point, **attributes: Any) -> None:
    state = {"friendly_name": name, **point._asdict(), "radius": 200, **attributes}
    home.hass.states.async_set(f"zone.{name.lower()}", "0", state)


async def drives(home: Home) -> list[Mapping[str, Any]]:
    response: Any = await home.act("get_log", start="2020-01-01 00:00:00")
    return list(response["drives"])


@pytest.mark.parametrize("keep_positions", [True, False])
async def test_passive_zone_names_new_entries(home: Home, *, keep_positions: bool) -> None:
    """The name is stored, so it stays if the zone is removed, also without positions."""
    await home.set_car_options(keep_positions=keep_positions)
    add_zone(home, "Charger", home.car.driving.point, passive=True)
    await start_charge(home)
    await home.advance(20 * MINUTE, step=60)
    home.hass.states.async_remove("zone.charger")
    charge = await end_charge(home)
    assert charge.place == "Charger"
    assert (charge.latitude is not None) is keep_positions


async def test_passive_zone_names_earlier_entries_only_as_long_as_it_exists(home: Home) -> None:
    add_zone(home, "Start", home.car.driving.point)
    await home.poll()
    await start_drive(home, 5)
    await home.advance(900, step=20)
    add_zone(home, "Charger", home.car.driving.point, passive=True)
    (drive,) = await drives(home)
    assert (drive["start_place"], drive["end_place"]) == ("Start", "Charger")
    for name in ("start", "charger"):
        home.hass.states.async_remove(f"zone.{name}")
    (drive,) = await drives(home)
    assert (drive["start_place"], drive["end_place"]) == ("Start", None)


def open_log() -> DriveLog:
    """Return a log with two drives and a charge, and an open drive and charge."""
    log = log_of(
        parked(0, energy=100.0, **LAKE),
        driving(1, 1, **LAKE),
        parked(9, 6, energy=100.0, **HILL),
        parked(20, 6, energy=100.0, **HILL),
        charging(30, 100.0, **HILL),
        charging(60, 105.0, **HILL),
        charging(61, 105.0, "complete", **HILL),
        driving(62, 7, energy=105.0, **HILL),
        parked(70, 12, energy=105.0, **LAKE),
        parked(80, 12, energy=105.0, **LAKE),
        charging(90, 105.0, **LAKE),
        charging(99, 107.0, **LAKE),
        driving(100, 13, energy=107.0, charging="charging", **LAKE),
    )
    assert len(log.drives) == len(log.stays) + 1 == 2
    assert log.drive_tracker.open is not None
    assert log.charge_tracker.open is not None
    return log


@pytest.mark.parametrize("zones", [ZONES, Zones()], ids=["zones", "no zones"])
def test_nothing_that_is_stored_of_a_log_has_a_position_after_it_forgot_them(zones: Zones) -> None:
    log = open_log()
    log.end_archive(log.start_archive())
    shown, opened = zones.named(log.entries), zones.named(log.open_entries)
    stored = json.dumps([log.journal(), log.start_archive()])
    assert not log.is_archive_due
    coordinates = {str(place[name]) for place in (LAKE, HILL) for name in ("latitude", "longitude")}
    assert all(coordinate in stored for coordinate in coordinates)
    log.forget_positions(zones)
    assert log.is_archive_due
    stored = json.dumps([log.journal(), log.start_archive()])
    assert not any(coordinate in stored for coordinate in coordinates)
    restored = DriveLog.restored(json.loads(stored)[1], json.loads(stored)[0])
    for forgotten in (log, restored):
        assert places(forgotten.entries) == places(shown)
        assert places(forgotten.open_entries) == places(opened)
        assert forgotten.energy_per_rated_mile == log.energy_per_rated_mile


def places(entries: Any) -> list[Any]:
    """Return all but the positions of entries."""
    return [
        {name: value for name, value in entry._asdict().items() if not name.endswith("itude")}
        for entry in entries.all
    ]


async def test_files_forget_positions(home: Home, hass_storage: dict[str, Any], tmp_path: Path) -> None:
    """What zones name, the curves, and the setting stay. This is so at once, and after a restart."""
    home.hass.config.config_dir = str(tmp_path)
    await start_drive(home, 5)
    await home.advance(900, step=20)
    await start_drive(home, 30)
    await home.advance(600, step=20)
    await home.restart()
    manager, flow = home.coordinator.log_manager, Flow(home)
    (drive,), (open_drive, *_) = manager.log.drives, manager.log.open_entries.drives
    samples = [*await manager.samples.load(drive), *await manager.samples.load(open_drive)]
    tracks = [sample for sample in samples if isinstance(sample, DriveSample)]
    known = {drive.start_latitude, drive.end_longitude, open_drive.end_latitude}
    known |= {position for sample in tracks for position in (sample.latitude, sample.longitude)}
    coordinates = {f"{position:.4f}"[:-1] for position in known if position is not None}
    assert len(coordinates) > 10
    before = log_texts(hass_storage)
    assert len(before) == 4
    assert all(any(each in text for each in coordinates) for text in before.values())
    # The storage of the tests has no files, but the months are found by their files.
    (tmp_path / ".storage").mkdir()
    for name in before:
        (tmp_path / ".storage" / name).touch()
        (tmp_path / ".storage" / f"{name}.damaged.20260504T120000").touch()
    add_zone(home, "End", Point(drive.end_latitude or 0.0, drive.end_longitude or 0.0))
    await flow.start_vehicle_options(home.entry, "forget_positions")
    assert log_texts(hass_storage) == before
    await flow.submit()
    assert flow.abort_reason == "positions_forgotten"
    assert home.entry.subentries[home.coordinator.subentry_id].data["keep_positions"] is True
    home.hass.states.async_remove("zone.end")
    assert not list((tmp_path / ".storage").glob("*.damaged.*"))
    # From now on, what is found is old.
    await home.set_car_options(keep_positions=False)
    for _ in range(2):
        stored = log_texts(hass_storage)
        assert stored.keys() >= before.keys()
        assert not [each for text in stored.values() for each in coordinates if each in text]
        (kept,) = manager.log.drives
        assert kept.end_place == "End"
        assert kept.end_odometer == drive.end_odometer
        opened = manager.log.open_entries.drives[0]
        loaded = [*await manager.samples.load(kept), *await manager.samples.load(opened)]
        assert [each.power for each in loaded][: len(samples)] == [each.power for each in samples]
        await home.restart()
        manager = home.coordinator.log_manager


def log_texts(hass_storage: dict[str, Any]) -> dict[str, str]:
    return {name: json.dumps(file["data"]) for name, file in hass_storage.items() if ".log" in name}


async def test_positions_can_not_be_forgotten_while_the_account_is_not_loaded(home: Home) -> None:
    flow, entry = Flow(home), home.entry
    await home.unload()
    await flow.start_vehicle_options(entry, "forget_positions")
    assert flow.abort_reason == "not_loaded"


_POINTS = st.lists(st.tuples(st.floats(-80, 80), st.floats(-170, 170), st.just(0.0)), min_size=1, max_size=50)


def _drive(number: int, start: tuple[float, float], end: tuple[float, float]) -> Drive:
    return Drive(f"drive-{number}", number * 100.0, number * 100.0 + 50)._replace(
        start_latitude=start[0], start_longitude=start[1], end_latitude=end[0], end_longitude=end[1]
    )


def _samples(*positions: tuple[float, float]) -> list[DriveSample]:
    return [DriveSample(0.0, latitude=north, longitude=east) for north, east in positions]


@settings(max_examples=100, deadline=None)
@given(_POINTS, st.floats(0, 10))
def test_ends_of_a_track_stay(points: list[tuple[float, float, float]], tolerance: float) -> None:
    left = simplified(points, tolerance)
    assert (left[0], left[-1]) == (points[0], points[-1])
    assert set(left) <= set(points)


def test_points_on_a_line_are_left_out_and_a_corner_stays() -> None:
    street = [(52.0, 5.0 + step / 1000, 0.0) for step in range(100)]
    corner = street[-1]
    lane = [(52.0 + step / 1000, corner[1], 0.0) for step in range(1, 100)]
    assert simplified([*street, *lane], 0.0001) == [street[0], corner, lane[-1]]


def test_drives_that_follow_each_other_are_one_line() -> None:
    """Each line costs the map much time."""
    home, work, far = (52.0, 5.0), (52.1, 5.1), (54.0, 9.0)
    way = _samples((52.05, 5.0))
    drives = [_drive(1, home, work), _drive(2, work, home), _drive(3, home, work), _drive(4, far, home)]
    lines = drive_tracks(drives, {"drive-1": way, "drive-2": way})
    assert [(line["is_track"], [point[2] for point in line["points"]]) for line in lines] == [
        (True, [100, 100, 100, 200, 200]),
        (False, [300, 300]),
        (False, [400, 400]),
    ]


def test_repeated_places_are_counted_by_their_name_or_by_where_the_car_was_parked() -> None:
    home, near_home, market, other_row = (52.0, 5.0), (52.002, 5.0), (53.0, 6.0), (53.0005, 6.0)
    drives = [
        *(
            _drive(number, market, to)._replace(end_place="Home")
            for number, to in enumerate([home, near_home])
        ),
        *(_drive(2 + number, home, to) for number, to in enumerate([market, other_row, market])),
        _drive(5, home, (54.0, 6.0)),
        Drive("drive-6", 600, 650),
    ]
    found = [(place["place"], place["stays"], place["start"]) for place in visited_places(drives)]
    assert found == [(None, 3, 400), ("Home", 2, 100)]


def test_places_far_from_each_other_are_not_compared() -> None:
    """All time can have thousands of them."""
    south, north = (53.00049, 6.0), (53.00051, 6.0)
    ends = [south, north, *((54.0 + number / 100, 6.0) for number in range(50))]
    with patch.object(tracks, "degrees_between", wraps=degrees_between) as compared:
        places = visited_places(_drive(number, south, end) for number, end in enumerate(ends))
    assert (places[0]["stays"], compared.call_count) == (2, 1)


def test_detour_in_a_large_area_is_not_visible() -> None:
    """What is visible depends on the size of the map."""
    round_trip = _samples(*((52.0 + math.sin(turn) / 1000, 5.0 + math.cos(turn) / 1000) for turn in range(6)))
    near = Drive("drive-2", 20, 30)
    (alone,) = drive_tracks([near], {"drive-2": round_trip})
    assert len(alone["points"]) == 6
    _, beside = drive_tracks([_drive(0, (50.0, 5.0), (54.0, 9.0)), near], {"drive-2": round_trip})
    assert len(beside["points"]) == 2
