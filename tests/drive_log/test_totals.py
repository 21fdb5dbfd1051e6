"""The totals of months and years, statements, and what the charges show of the battery."""

from dataclasses import replace
from datetime import UTC, datetime
import math
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.drive_log import statements
from custom_components.vehicle_remote_access.drive_log.export import csv_of, log_of
from custom_components.vehicle_remote_access.drive_log.summary import LogSummary
from custom_components.vehicle_remote_access.drive_log.units import LogUnits
from custom_components.vehicle_remote_access.drive_log.view import LogView
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones
from tests.source import ENGLISH

from .log_files import KILOMETERS, MILES, rows
from .writer import ZONE, Writer, at


@pytest.fixture
def writer() -> Writer:
    return Writer()


def totals_of(writer: Writer) -> dict[str, Any]:
    """Return what assistants see of the whole log."""
    view = LogView(writer.log, MILES)
    return LogSummary(view=view, start=-math.inf, end=math.inf, shows_places=True).as_totals(0)


def test_empty_log_has_no_months(writer: Writer) -> None:
    answer = writer.months()
    assert (answer["months"], answer["years"], answer["today"]) == ([], [], "2026-11-23")
    battery = writer.battery()
    assert (answer["total"], answer["temperatures"], answer["at_temperatures"]) == (None, [], [])
    assert (battery["capacity"], battery["standby"], battery["stored"]) == ([], None, None)
    assert [(year["year"], year["places"]) for year in battery["charges"]] == [(None, [])]
    assert (battery["range"], battery["own_range"]) == (None, None)


def test_month_has_the_sums_of_its_entries(writer: Writer) -> None:
    writer.drive(at(2026, 10, 5, 9), miles=10, used=12)
    writer.drive(at(2026, 10, 6, 9), miles=30, used=28, start_place="Home", end_place="Work")
    writer.charge(at(2026, 10, 7, 9), energy=20, cost=5, energy_used=22.5)
    writer.charge(at(2026, 10, 8, 9), energy=10, cost=3, energy_used=11)
    month = writer.month("2026-10")
    assert (month["distance"], month["drives"], month["driving"]) == (40, 2, 1)
    assert (month["energy"], month["consumption"]) == (10, 4)
    assert (month["charges"], month["energy_added"], month["energy_used"]) == (2, 30, 33.5)
    assert (month["cost"], month["cost_per_kwh"]) == (8, 0.267)
    assert month["most_energy"]["id"] == month["longest"]["id"] == "drive-2"
    assert (month["longest"]["start_place"], month["longest"]["end_place"]) == ("Home", "Work")
    assert writer.month("2026-10", units=KILOMETERS)["distance"] == 64.38


def test_entry_counts_in_the_local_month_and_year_in_which_it_began(writer: Writer) -> None:
    """Each drive takes half an hour."""
    writer.drive(at(2026, 1, 1, 0, 10))
    writer.drive(datetime(2026, 3, 31, 22, 29, tzinfo=UTC).timestamp())
    writer.drive(datetime(2026, 3, 31, 22, 30, tzinfo=UTC).timestamp())
    writer.drive(at(2026, 11, 1, 0, 29))
    answer = writer.months()
    drives = [(row["period"], row["drives"]) for row in answer["months"] + answer["years"]]
    assert drives[:4] == [("2026-11", 0), ("2026-10", 1), ("2026-04", 1), ("2026-03", 1)]
    assert drives[4:] == [("2025-12", 1), ("2026", 3), ("2025", 1)]


def test_charge_over_new_year_counts_in_the_year_in_which_it_began(writer: Writer) -> None:
    writer.charge(at(2026, 1, 1, 1), cost=4, place="Home")
    everything, year = writer.battery()["charges"]
    assert (everything["total"]["cost"], year["year"], year["total"]["cost"]) == (4, 2025, 4)
    assert writer.month("2025")["cost"] == 4


def test_last_month_is_there_without_entries(writer: Writer) -> None:
    writer.drive(at(2025, 12, 5))
    answer = writer.months(datetime(2027, 1, 5, tzinfo=ZONE))
    assert [row["period"] for row in answer["months"]] == ["2027-01", "2026-12", "2025-12"]
    assert [row["period"] for row in answer["years"]] == ["2027", "2026", "2025"]
    assert (answer["months"][1]["distance"], answer["months"][1]["cost"]) == (0, None)


def test_unknown_is_not_zero(writer: Writer) -> None:
    writer.drive(at(2026, 10, 5), miles=None, used=None)
    writer.charge(at(2026, 10, 6))
    month = writer.month("2026-10")
    names = ("distance", "energy", "consumption", "energy_used", "cost", "standby_per_day")
    assert [month[name] for name in names] == [None] * len(names)
    assert (month["drives_without_energy"], month["charges_without_cost"]) == (1, 1)
    assert (month["most_energy"], month["longest"]) == (None, None)
    writer.drive(at(2026, 10, 7), miles=10, used=8)
    writer.charge(at(2026, 10, 8), cost=4, energy_used=21)
    month = writer.month("2026-10")
    assert (month["distance"], month["energy"], month["consumption"]) == (10, 2, 5)
    assert (month["cost"], month["energy_used"]) == (4, None)


def test_costs_in_other_currencies_are_not_added(writer: Writer) -> None:
    writer.drive(at(2026, 10, 5), miles=100)
    writer.charge(at(2026, 10, 6), energy=20, cost=6)
    writer.charge(at(2026, 10, 7), energy=20, cost=9, currency="CHF")
    month = writer.month("2026-10")
    assert (month["cost"], month["other_costs"], month["charges_without_cost"]) == (6, {"CHF": 9}, 0)
    assert month["cost_per_kwh"] == 0.3


@pytest.mark.parametrize(("at_once", "saved"), [(7.5, 1.5), (4.995, -1), (None, None)])
def test_comparable_charges_have_a_saving(writer: Writer, at_once: float | None, saved: float | None) -> None:
    writer.charge(at(2026, 10, 6), cost=6.004, cost_at_once=at_once)
    writer.charge(at(2026, 10, 7), cost=5)
    writer.charge(at(2026, 10, 8), cost=5, cost_at_once=9, currency="CHF")
    month = writer.month("2026-10")
    assert (month["saved_by_charging_later"], month["cost"], month["cost_per_kwh"]) == (saved, 11, 0.275)


def test_period_has_the_year_before_if_the_log_is_that_long(writer: Writer) -> None:
    writer.drive(at(2025, 9, 30, 12), miles=1)
    writer.drive(at(2025, 10, 5), miles=20)
    writer.drive(at(2026, 10, 5), miles=30)
    assert writer.month("2026-10")["before"]["distance"] == 20
    # The log starts in the middle of 2025.
    assert writer.month("2026")["before"] is None
    assert writer.month("2025-10")["before"] is None


def test_current_period_is_compared_with_the_same_days(writer: Writer) -> None:
    writer.drive(at(2024, 12, 5), miles=1)
    writer.drive(at(2025, 11, 23, 11), miles=20)
    writer.drive(at(2025, 11, 23, 13), miles=40)
    writer.drive(at(2026, 11, 1), miles=30)
    for period in ("2026-11", "2026"):
        before = writer.month(period)["before"]
        assert (before["distance"], before["until"]) == (20, "2025-11-23")
    leap_day = datetime(2028, 2, 29, 12, tzinfo=ZONE)
    writer.drive(at(2027, 2, 28, 11), miles=5)
    before = writer.month("2028-02", leap_day)["before"]
    assert (before["distance"], before["until"]) == (5, "2027-02-28")


def test_consumption_at_round_temperatures_is_that_of_enough_distance(writer: Writer) -> None:
    for day, (miles, used, celsius) in enumerate(
        ((80, 120, 3.0), (20, 20, -4.0), (2, 20, 0.0), (50, 50, 11.0), (150, 120, 20.0), (150, 90, None)), 1
    ):
        writer.drive(at(2026, 10, day), miles=miles, used=used, outside_temperature=celsius)
    answer = writer.months(units=KILOMETERS)
    # Short drives, and drives without a temperature, are left out.
    assert answer["temperatures"] == [[3, 23.3], [-4, 15.5], [11, 15.5], [20, 12.4]]
    assert answer["at_temperatures"] == [[0, 21.7], [20, 12.4]]
    answer = writer.months(units=MILES)
    assert answer["at_temperatures"] == [[70, 5]]


def test_charger_is_not_shown_to_use_less_than_what_reached_the_battery(writer: Writer) -> None:
    """Earlier versions stored it of fast chargers. The cost stays, because a person may have entered it."""
    writer.charge(at(2026, 10, 7, 9), energy=44.77, energy_used=42.424, cost=23.33, current="dc")
    writer.charge(at(2026, 10, 8, 9), energy=10, energy_used=11.004)
    month = writer.month("2026-10")
    assert (month["energy_used"], month["cost"], month["cost_per_kwh"]) == (55.77, 23.33, 0.521)
    (charge, _) = log_of(writer.view(), writer.log.entries, ("charges",))["charges"]
    assert (charge["energy_added"], charge["energy_used"], charge["cost"]) == (44.77, 44.77, 23.33)


def test_cost_of_driving_is_an_estimate_if_the_price_is_partly_known(writer: Writer) -> None:
    """The log began after another charge, so the drive used more than the log has."""
    writer.charge(at(2026, 10, 7, 9), energy=5.85, cost=1.95)
    writer.drive(at(2026, 10, 8, 9), used=40)
    month, log = writer.month("2026-10"), writer.view()
    (drive,) = log_of(log, log.entries, ("drives",))["drives"]
    assert (drive["energy"], drive["cost"], drive["price_known"]) == (10, 3.33, 58)
    assert (month["driving_cost"], month["price_known"], month["driving_cost_per_100"]) == (3.33, 58, 33.3)
    exported = csv_of(LogView(writer.log, MILES), log.entries, "drives").decode()
    assert ",3.33,EUR,58," in exported
    summary = totals_of(writer)
    for shown in (summary["drives"], summary["drives"]["last"]):
        assert (shown["cost"], shown["price_known"]) == (3.33, 58)
    writer.charge(at(2026, 10, 9, 9), energy=20, cost=5)
    writer.drive(at(2026, 10, 10, 9), used=40)
    summary = totals_of(writer)
    assert "price_known" not in summary["drives"]["last"]


def test_cost_of_100_is_that_of_drives_with_a_cost(writer: Writer) -> None:
    writer.drive(at(2026, 10, 1, 9), miles=500, used=400)
    writer.charge(at(2026, 10, 2), energy=40, cost=10)
    writer.drive(at(2026, 10, 3), miles=50, used=40)
    month = writer.month("2026-10")
    assert (month["driving_cost"], month["drives_without_cost"]) == (2.5, 1)
    assert month["driving_cost_per_100"] == 5


def test_standby_loss_is_that_of_long_stays_without_charging_and_climate(writer: Writer) -> None:
    writer.stay(at(2026, 10, 5), 48, 2.0)
    writer.stay(at(2026, 10, 6), 24, 1.0, "sentry")
    writer.stay(at(2026, 10, 7), 3, 5.0)
    writer.stay(at(2026, 10, 8), 12, 9.0, "climate")
    writer.stay(at(2026, 10, 9), 12, None)
    month = writer.month("2026-10")
    assert (month["standby_days"], month["standby_lost"], month["standby_per_day"]) == (3, 3, 1)
    assert month["standby_energy"] is None
    for day in (10, 11):
        writer.charge(at(2026, 10, day))
    writer.log.update_estimates()
    assert writer.log.capacity is not None
    assert writer.month("2026-10")["standby_energy"] == 1.5


def test_battery_has_capacities_health_and_range(writer: Writer) -> None:
    for day in (1, 20):
        writer.charge(at(2026, 8, day), energy=19 + day / 20)
    writer.charge(at(2026, 10, 1), energy=17.05)
    writer.drive(at(2026, 10, 2), miles=10, used=20)
    writer.stay(at(2026, 10, 5), 48, 2.0)
    writer.log.update_estimates()
    battery = writer.battery()
    first, last = battery["capacity"]
    assert first == {"time": "2026-08-19T22:00:00+00:00", "energy": 48.8, "uncertainty": 0.7}
    assert battery["best"] == {"energy": 48.8, "uncertainty": 0.7}
    assert last["energy"] == battery["now"]["energy"] == 46.8
    assert battery["health"] == writer.log.health == 95.8
    assert (battery["range"], battery["own_range"]) == (187, 93.5)
    assert battery["standby"] == {"per_day": 1, "power": 19, "asleep": 0}
    # Without wide charges, only the standby loss in percent is known.
    del writer.log.charges[:]
    writer.log.update_estimates()
    battery = writer.battery()
    assert (battery["capacity"], battery["standby"]["power"]) == ([], None)
    assert (battery["now"], battery["best"], battery["health"]) == (None, None, None)


def test_chart_has_the_capacity_to_which_the_health_refers(writer: Writer) -> None:
    for number in range(40):
        writer.charge(at(2026, 8 + number // 20, 1 + number % 20), energy=21 if number == 1 else 20)
    writer.log.update_estimates()
    battery = writer.battery()
    highest = max(each["energy"] for each in battery["capacity"])
    assert (highest, battery["best"]["energy"]) == (51.2, 51.2)
    assert battery["capacity"][-1]["energy"] == battery["now"]["energy"]
    assert battery["health"] == 97.6
    assert [each["time"][:10] for each in battery["capacity"]] == ["2026-08-01", "2026-08-19", "2026-09-19"]


def test_charges_are_summed_up_by_place_and_kind(writer: Writer) -> None:
    writer.charge(at(2025, 8, 1), energy=5, cost=1, place="Home", current="ac")
    writer.charge(at(2026, 8, 2), energy=30, cost=15, current="dc")
    writer.charge(at(2026, 8, 3), energy=5, place="Home", current="ac")
    everything, newer, older = writer.battery()["charges"]
    assert (everything["year"], newer["year"], older["year"]) == (None, 2026, 2025)
    fast, home = everything["places"]
    assert (fast["place"], fast["current"], fast["cost_per_kwh"]) == (None, "dc", 0.5)
    assert (home["charges"], home["energy_added"], home["cost"]) == (2, 10, 1)
    assert (home["charges_without_cost"], home["cost_per_kwh"]) == (1, 0.2)
    assert (everything["total"]["charges"], everything["total"]["cost"]) == (3, 16)
    assert [place["charges"] for place in newer["places"]] == [1, 1]
    assert (older["total"]["charges"], older["total"]["cost"]) == (1, 1)


TEXTS: Final = ENGLISH["common"]
HOME: Final = Zone("Home", 52.5, 13.4, 100, is_home=True)
OCTOBER: Final = (at(2026, 10, 1), at(2026, 11, 1))


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
