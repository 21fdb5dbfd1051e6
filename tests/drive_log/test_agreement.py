"""All views of a log show the same sums, and a log that version 1.0.0 stored still has those of 1.0.0."""

from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
import json
import lzma
from pathlib import Path
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import KINDS, rounded
from custom_components.vehicle_remote_access.drive_log.export import csv_of, log_of
from custom_components.vehicle_remote_access.drive_log.search import LogFilter, search_page
from custom_components.vehicle_remote_access.drive_log.statements import charging_statement, mileage_statement
from custom_components.vehicle_remote_access.drive_log.statistics import LogStatistics
from custom_components.vehicle_remote_access.drive_log.summary import LogSummary
from custom_components.vehicle_remote_access.drive_log.sums import sensor_values
from custom_components.vehicle_remote_access.drive_log.totals import battery_totals, month_totals
from custom_components.vehicle_remote_access.drive_log.units import LogUnits, next_month
from custom_components.vehicle_remote_access.drive_log.view import LogView
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones

from .log_files import MILES, rows
from .simulated_year import UNTIL, ZONE
from .writer import HOUR, Writer

DAY: Final = 86_400.0
BEGIN: Final = datetime(2023, 11, 1, tzinfo=ZoneInfo("UTC")).timestamp()
CHARGER: Final = Zone("Fast charger", 52.2, 5.0, 100, is_passive=True)
ZONES: Final = Zones([Zone("Home", 52.0, 5.0, 100, is_home=True), CHARGER])


def three_years(random: Random) -> DriveLog:
    """Return a log with tags, missing and negative costs, two currencies, and places that only zones name.

    Entries of all kinds last over the end of a day and of a month.
    """
    writer, now = Writer(), BEGIN
    writer.log.currency = "EUR"
    while now < BEGIN + 3 * 365 * DAY:
        now += random.uniform(0.1, 3) * DAY
        miles = random.uniform(0.2, 180)
        end = round(now + miles * 80)
        writer.drive(
            end,
            miles if random.random() < 0.95 else None,
            round(miles * random.uniform(0.7, 1.6), 2) if random.random() < 0.95 else None,
            start=round(now),
            start_place=random.choice(["Home", "Work", None]),
            end_place=random.choice(["Home", "Work", None]),
            end_latitude=CHARGER.latitude,
            end_longitude=CHARGER.longitude,
            tag=random.choice([None, None, "business", "private", "=1+1"]),
            outside_temperature=random.uniform(-10, 30),
        )
        hours = random.uniform(1, 60)
        writer.stay(end + hours * HOUR, hours, random.choice([0.4, None]))
        if random.random() < 0.3:
            added = random.uniform(2, 50)
            cost = random.choice([None, round(added * random.uniform(-0.1, 0.6), 4)])
            now = end + 60 + added * 500
            writer.charge(
                round(now),
                added,
                cost,
                start=end + 60,
                energy_used=random.choice([None, added * random.uniform(0.9, 1.2)]),
                current=random.choice(["ac", "dc"]),
                start_battery=30.0,
                end_battery=min(100.0, 30.0 + added),
                place=random.choice(["Home", None]),
                latitude=CHARGER.latitude,
                longitude=CHARGER.longitude,
                cost_at_once=random.choice([None, cost and cost + 1.5]),
                currency=random.choice(["EUR", "EUR", "EUR", "DKK"]),
            )
    writer.log.update_estimates()
    return writer.log


def total(lines: list[dict[str, str]], name: str) -> float | None:
    """Return the sum of the cells of a column, None if all are empty."""
    cells = [cell for line in lines for column, cell in line.items() if column.split(" ")[0] == name and cell]
    return sum(map(float, cells)) if cells else None


def near(value: float | None) -> Any:
    return value if value is None else pytest.approx(value, abs=0.006)


@settings(max_examples=4, deadline=None)
@given(
    st.builds(Random, st.integers(0, 10**6)),
    # The second one is where the owner has moved to. Both change their clocks. In the others, an hour of the
    # recorder contains midnight, and one of them changes its clocks by half an hour.
    st.sampled_from(["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe"]),
    st.sampled_from(["km", "mi"]),
)
def test_every_view_has_the_same_sums(random: Random, zone: str, distance: str) -> None:
    units = LogUnits(distance_unit=distance, temperature_unit="°C", currency="EUR", zone=ZoneInfo(zone))
    log, now = three_years(random), BEGIN + 3 * 365 * DAY
    assert check_views(log, units, ZONES, now, random) == {"Home", "Fast charger"}
    for entries in log.entries:
        assert any(units.local_time(each.start).day != units.local_time(each.end).day for each in entries)


def check_views(log: DriveLog, units: LogUnits, zones: Zones, now: float, random: Random) -> set[str]:
    """Check that all views have the same sums, and return the places of charges."""
    view = LogView(log, units, zones)
    totals = month_totals(view, now)
    for row in (*random.sample(totals["months"], 6), *totals["years"]):
        year, month = (int(part) for part in f"{row['period']}-0".split("-")[:2])
        first = datetime(year, month or 1, 1, tzinfo=units.zone)
        last = next_month(first) if month else first.replace(year=year + 1)
        start, end = first.timestamp(), last.timestamp()
        entries = view.entries.begun(start, end)
        shown = log_of(view, entries, KINDS)
        assert {name: row[name] for name in shown["totals"]} == shown["totals"]
        drives, charges = (rows(csv_of(view, entries, kind)) for kind in ("drives", "charges"))
        assert (row["drives"], row["charges"]) == (len(drives), len(charges))
        own = [charge for charge in charges if charge["currency"] == "EUR"]
        assert (total(drives, "distance") or 0.0) == near(row["distance"] or 0.0)
        assert total(drives, "cost") == near(row["driving_cost"])
        assert (total(charges, "energy_added") or 0.0) == near(row["energy_added"] or 0.0)
        assert total(own, "cost") == near(row["cost"])
        for tag in row["tags"]:
            tagged = [drive for drive in drives if drive["tag"].lstrip("'") == (tag["tag"] or "")]
            assert (len(tagged), total(tagged, "distance")) == (tag["drives"], near(tag["distance"]))
        if row["tags"]:
            assert sum(tag["drives"] for tag in row["tags"]) == row["drives"]
        tags = [tag for tag in row["tags"] if tag["tag"]]
        for of_tag in ({"tag": None, **row}, *tags):
            statement = mileage_statement(view, start, end, of_tag["tag"], None)
            assert (len(statement.rows), statement.sums["distance"]) == (of_tag["drives"], of_tag["distance"])
        at_home = [charge for charge in charges if charge["place"] == "Home"]
        statement = charging_statement(view, start, end, None)
        assert len(statement.rows) == len(at_home)
        own_at_home = total([charge for charge in at_home if charge["currency"] == "EUR"], "cost")
        assert (statement.sums["amount_EUR"] or 0.0) == near(own_at_home or 0.0)
        found = search_page(view, None, 1, LogFilter(start=start, end=end))["found"]
        assert {name: row[name] for name in found} == found
        summary = LogSummary(view=view, start=start, end=end, shows_places=True).as_totals(now)
        assert (summary["drives"]["distance"], summary["drives"]["cost"]) == (
            row["distance"],
            row["driving_cost"],
        )
        assert (summary["charges"]["cost"], summary["charges"]["energy_added"]) == (
            row["cost"],
            rounded(row["energy_added"], 1),
        )
        if month:
            sensors = sensor_values(log, units, first)
            names = {"month_distance": "distance", "month_energy": "energy_added", "month_cost": "cost"}
            assert {name: sensors[name] for name in names} == {name: row[key] for name, key in names.items()}
    everything = totals["total"]
    hass: Any = None
    changes = LogStatistics(hass, "vin", "Aurora", lambda: view)._changes(view)  # noqa: SLF001
    statistics = {kind: rows for kind, rows, *_ in changes}
    for name in ("distance", "energy_added", "cost"):
        assert statistics[name][-1][1] == pytest.approx(everything[name], abs=0.05)
        assert sum(year[name] or 0.0 for year in totals["years"]) == pytest.approx(everything[name], abs=0.05)
    check_days(view, units, totals["months"], statistics, random)
    charges_by_year = battery_totals(view)["charges"]
    for year in charges_by_year:
        assert sum(place["cost"] or 0.0 for place in year["places"]) == near(year["total"]["cost"] or 0.0)
    assert charges_by_year[0]["total"]["cost"] == everything["cost"]
    return {place["place"] for place in charges_by_year[0]["places"]}


def check_days(
    view: LogView,
    units: LogUnits,
    months: list[dict[str, Any]],
    statistics: dict[str, list[tuple[float, float]]],
    random: Random,
) -> None:
    """Check that the page has each entry once, newest first, and that its days add up to the other views."""
    entries: list[dict[str, Any]] = []
    before: float | None = None
    while not entries or before is not None:
        found = search_page(view, before, random.randint(1, 300), LogFilter())
        entries, before = entries + found["entries"], found["next"]
    assert len(entries) == len({entry["id"] for entry in entries}) == view.entries.total
    starts = [datetime.fromisoformat(entry["start"]) for entry in entries]
    assert starts == sorted(starts, reverse=True)
    days: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry, start in zip(entries, starts, strict=True):
        day = days[f"{start.astimezone(units.zone):%Y-%m-%d}"]
        if entry["kind"] == "drive":
            day["driving_cost"] += entry["cost"] or 0.0
            day["distance"] += entry["distance"] or 0.0
        if entry["kind"] == "charge":
            day["energy_added"] += entry["energy_added"]
            day["cost"] += (entry["cost"] or 0.0) if entry["currency"] == units.currency else 0.0
            assert entry["energy_used"] is None or entry["energy_used"] >= entry["energy_added"]
    for month in months:
        of_month = [sums for name, sums in days.items() if name.startswith(month["period"])]
        for name in ("driving_cost", "distance", "energy_added", "cost"):
            assert sum(sums[name] for sums in of_month) == near(month[name] or 0.0)
    for name, hours in statistics.items():
        recorded: defaultdict[str, float] = defaultdict(float)
        for (_, last), (hour, total) in pairwise([(0.0, 0.0), *hours]):
            recorded[f"{units.local_time(hour):%Y-%m-%d}"] += total - last
        assert recorded == {
            date: near(sums[name])
            for date, sums in days.items()
            if date in recorded or abs(sums[name]) > 0.001
        }


FIXTURE: Final = Path(__file__).parents[1] / "fixtures" / "log_of_two_years_by_1.0.0.json.xz"


def _without_new(shown: Any, before: Any) -> Any:
    """Return what is shown without the values that newer versions added."""
    if isinstance(before, dict) and "rows" in before:
        columns = [shown["names"].index(name) for name in before["names"]]
        return {"names": before["names"], "rows": [[row[each] for each in columns] for row in shown["rows"]]}
    if isinstance(before, dict):
        return {name: _without_new(shown[name], value) for name, value in before.items()}
    if isinstance(before, list):
        # Newer versions also have the drives without a tag.
        same = [each for each in shown if not isinstance(each, dict) or each.get("tag", "") is not None]
        return [_without_new(*pair) for pair in zip(same, before, strict=True)]
    return shown


def test_log_of_two_years() -> None:
    """The log of a simulated car, and the totals that 1.0.0 showed."""
    stored = json.loads(lzma.decompress(FIXTURE.read_bytes()))
    log = DriveLog.restored(stored["archive"], stored["journal"])
    assert [len(log.drives), len(log.charges), len(log.stays)] == [1715, 594, 1714]
    view = LogView(log, replace(MILES, zone=ZONE))
    before = stored["months"]["total"]
    total = _without_new(month_totals(view, UNTIL)["total"], before)
    # A fast charger bills at least what reached the battery, which 1.0.0 did not know.
    assert 0 < total.pop("energy_used") - before.pop("energy_used") < 25
    assert total == before
    archive = stored["archive"]
    assert _without_new(json.loads(json.dumps(log.start_archive())), archive) == archive
