"""Statements of tagged drives and of charges at home."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.drive_log import statements
from custom_components.vehicle_remote_access.drive_log.units import LogUnits
from custom_components.vehicle_remote_access.drive_log.view import LogView
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones
from tests.source import ENGLISH

from .log_files import KILOMETERS, MILES, rows
from .writer import ZONE, Writer, at

TEXTS: Final = ENGLISH["common"]
HOME: Final = Zone("Home", 52.5, 13.4, 100, is_home=True)
OCTOBER: Final = (at(2026, 10, 1), at(2026, 11, 1))


@pytest.fixture
def writer() -> Writer:
    return Writer()


def view(writer: Writer, units: LogUnits = KILOMETERS, *zones: Zone) -> LogView:
    return LogView(writer.log, replace(units, zone=ZONE), Zones(zones))


def mileage(
    writer: Writer, tag: str | None = "business", rate: float | None = None, units: LogUnits = KILOMETERS
) -> statements.Statement:
    return statements.mileage_statement(view(writer, units), *OCTOBER, tag, rate)


def charging(writer: Writer, rate: float | None = None) -> statements.Statement:
    return statements.charging_statement(view(writer, KILOMETERS, HOME), *OCTOBER, rate)


def values(statement: statements.Statement, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in statement.rows]


def test_mileage_has_the_drives_with_a_tag(writer: Writer) -> None:
    places: Any = {"start_place": "Home", "end_place": "Work"}
    writer.drive(at(2026, 10, 5, 9), miles=20, tag="business", note="Customer", **places)
    writer.drive(at(2026, 10, 5, 18), miles=20, tag="private")
    writer.drive(at(2026, 10, 6, 9), miles=30, tag="business")
    statement = mileage(writer)
    assert values(statement, "start", "start_place", "end_place", "note", "start_odometer", "distance") == [
        ("2026-10-05T08:30:00+02:00", "Home", "Work", "Customer", 1609.34, 32.19),
        ("2026-10-06T08:30:00+02:00", None, None, None, 1673.72, 48.28),
    ]
    assert statement.sums == {"distance": 80.47}
    (first, *_) = rows(statement.as_csv(TEXTS))
    assert list(first) == [
        *("Start", "End", "From", "To", "Note", "Odometer at start (km)", "Odometer at end (km)"),
        "Distance (km)",
    ]
    assert values(mileage(writer, None), "tag") == [("business",), ("private",), ("business",)]
    assert [row["Tag"] for row in rows(mileage(writer, None).as_csv(TEXTS))] == [
        *("Business", "Private", "Business", "")
    ]


def test_times_are_clear_when_the_clocks_change(writer: Writer) -> None:
    """In this night, the hour from two to three is there twice."""
    writer.drive(datetime(2026, 10, 25, 1, 10, tzinfo=UTC).timestamp(), tag="business")
    (drive, _) = rows(mileage(writer).as_csv(TEXTS))
    assert (drive["Start"], drive["End"]) == ("2026-10-25T02:40:00+02:00", "2026-10-25T02:10:00+01:00")


def test_rate_gives_amounts_that_add_up_as_on_paper(writer: Writer) -> None:
    """Half a cent is rounded up, and the sum is that of the rounded amounts."""
    for day in (1, 2, 3):
        writer.drive(at(2026, 10, day, 9), miles=8.35, tag="business")
    statement = mileage(writer, rate=0.3, units=MILES)
    assert values(statement, "distance", "rate", "amount") == [(8.35, 0.3, 2.51)] * 3
    assert statement.sums == {"distance": 25.05, "amount": 7.53}
    total = rows(statement.as_csv(TEXTS))[-1]
    assert (total["Start"], total["Distance (mi)"], total["Rate (EUR/mi)"], total["Amount (EUR)"]) == (
        *("Total", "25.05", "", "7.53"),
    )


@pytest.mark.parametrize("tag", ["=1+1", "a, b", 'the "x"'])
def test_no_text_of_a_user_is_a_formula(writer: Writer, tag: str) -> None:
    writer.drive(at(2026, 10, 5, 9), tag=tag, note="=SUM(A1)", start_place="-1")
    (drive,) = rows(mileage(writer, tag).as_csv(TEXTS))[:-1]
    assert (drive["Note"], drive["From"]) == ("'=SUM(A1)", "'-1")
    (drive,) = rows(mileage(writer, None).as_csv(TEXTS))[:-1]
    assert drive["Tag"].removeprefix("'") == tag


def test_unknown_distance_is_not_zero(writer: Writer) -> None:
    writer.drive(at(2026, 10, 5, 9), miles=None, tag="business", start_earliest=at(2026, 10, 1))
    statement = mileage(writer, rate=0.3)
    assert values(statement, "distance", "amount") == [(None, None)]
    assert statement.sums == {"distance": None, "amount": None}
    assert statement.as_json(TEXTS)["remarks"] == [
        "Drives with an unknown distance: 1. The total doesn't include them.",
        "Entries with approximate times (≈): 1",
    ]
    assert rows(statement.as_csv(TEXTS))[-1]["Distance (km)"] == ""
    assert mileage(writer, "private").sums == {"distance": 0}


def test_charging_has_what_is_known_of_the_charges_at_home(writer: Writer) -> None:
    writer.charge(at(2026, 10, 5), energy=20, cost=6.6, energy_used=22, measured_by="meter", place="Home")
    writer.charge(at(2026, 10, 6), energy=10, cost=3.3, energy_used=11, measured_by="car", place="Home")
    writer.charge(at(2026, 10, 7), energy=10, cost=3.3, energy_used=11, place="Home")
    writer.charge(at(2026, 10, 8), energy=8, cost=2.4, latitude=52.5, longitude=13.4)
    writer.charge(at(2026, 10, 9), energy=40, cost=24, place="Work")
    writer.charge(at(2026, 10, 10), energy=40, cost=24)
    statement = charging(writer)
    assert values(statement, "energy", "measured_by", "price_EUR", "amount_EUR") == [
        (22, "meter", 0.3, 6.6),
        (11, "car", 0.3, 3.3),
        (11, None, 0.3, 3.3),
        (8, "battery", 0.3, 2.4),
    ]
    assert statement.sums == {"energy": 52, "amount_EUR": 15.6}
    shown = statement.as_json(TEXTS)
    assert shown["rows"][0][4] == "Meter"
    assert [remark.partition(":")[0] for remark in shown["remarks"]] == ["Meter", "Car", "Battery"]
    assert statements.charging_statement(view(writer), *OCTOBER, None).rows == [], "without a home zone"


def test_charges_without_a_cost_are_counted_and_not_free(writer: Writer) -> None:
    writer.charge(at(2026, 10, 5), cost=5, place="Home")
    writer.charge(at(2026, 10, 6), place="Home")
    writer.charge(at(2026, 10, 7), cost=-0.8, place="Home")
    statement = charging(writer)
    assert values(statement, "price_EUR", "amount_EUR") == [(0.25, 5), (None, None), (-0.04, -0.8)]
    assert statement.sums == {"energy": 60, "amount_EUR": 4.2}
    assert "Charges without a cost: 1. The total doesn't include them." in statement.as_json(TEXTS)["remarks"]
    assert [row["Amount (EUR)"] for row in rows(statement.as_csv(TEXTS))] == ["5", "", "-0.8", "4.2"]


def test_costs_in_another_currency_have_their_own_sum(writer: Writer) -> None:
    writer.charge(at(2026, 10, 5), cost=5, place="Home")
    writer.charge(at(2026, 10, 6), cost=38, currency="HRK", place="Home")
    statement = charging(writer)
    assert values(statement, "amount_EUR", "price_HRK", "amount_HRK") == [(5, None, None), (None, 1.9, 38)]
    assert statement.sums == {"energy": 40, "amount_EUR": 5, "amount_HRK": 38}
    assert "Amount (HRK)" in rows(statement.as_csv(TEXTS))[0]
    assert charging(writer, rate=0.3).sums == {"energy": 40, "amount_EUR": 12}


def test_rate_replaces_the_costs(writer: Writer) -> None:
    writer.charge(at(2026, 10, 5), energy=20, cost=9, energy_used=22.345, place="Home")
    writer.charge(at(2026, 10, 6), energy=20, energy_used=22, place="Home")
    writer.log.charges.append(
        writer.log.charges[0]._replace(id="charge-9", start_energy=None, energy_used=None)
    )
    statement = charging(writer, rate=0.3)
    assert sorted(values(statement, "energy", "price_EUR", "amount_EUR"), key=str) == [
        (22, 0.3, 6.6),
        (22.34, 0.3, 6.7),
        (None, 0.3, None),
    ]
    assert statement.sums == {"energy": 44.34, "amount_EUR": 13.3}
    assert statement.as_json(TEXTS)["remarks"] == [
        "Charges with an unknown energy: 1. The total doesn't include them.",
        "The price is a fixed rate. The charges may have cost more or less.",
    ]
