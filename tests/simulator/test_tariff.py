"""The simulated tariff."""

from datetime import date, timedelta
from statistics import fmean
from zoneinfo import ZoneInfo

import pytest

from custom_components.vehicle_remote_access.simulator.tariff import AT_HOME, Tariff, in_currency

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = date(2026, 5, 4)
DAYS = [MONDAY + timedelta(days=index) for index in range(28)]
TARIFF = Tariff(0, "EUR", BERLIN)


def test_days_differ_and_are_the_same_for_the_same_seed() -> None:
    days = [tuple(hour.price for hour in TARIFF.day(day)) for day in DAYS]
    assert len(set(days)) == len(days)
    assert TARIFF.day(MONDAY) == Tariff(0, "EUR", BERLIN).day(MONDAY)
    assert TARIFF.day(MONDAY) != Tariff(1, "EUR", BERLIN).day(MONDAY)
    assert all(price > 0 for day in days for price in day)


def test_night_and_noon_are_cheap_and_weekends_cheaper() -> None:
    by_hour = [fmean(TARIFF.day(day)[hour].price for day in DAYS) for hour in range(24)]
    assert max(by_hour[3], by_hour[13]) < min(by_hour[8], by_hour[19]) / 1.3
    means = [fmean(hour.price for hour in TARIFF.day(day)) for day in DAYS]
    weekdays, weekends = (
        fmean(mean for mean, day in zip(means, DAYS, strict=True) if (day.weekday() >= 5) is is_weekend)
        for is_weekend in (False, True)
    )
    assert weekends < 0.9 * weekdays
    assert fmean(means) == pytest.approx(AT_HOME, rel=0.2)


def test_each_moment_has_a_price_also_on_the_day_on_which_the_clock_changes() -> None:
    for zone, day, hours in (
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("Australia/Lord_Howe", date(2026, 4, 5), 25),
        ("Asia/Kolkata", MONDAY, 24),
    ):
        tariff = Tariff(0, "EUR", ZoneInfo(zone))
        found, following = tariff.day(day), tariff.day(day + timedelta(days=1))
        assert len(found) == hours, zone
        assert [hour.end for hour in found] == [hour.start for hour in (*found[1:], following[0])], zone
        assert all(tariff.at(hour.start) == tariff.at(hour.end - 1) == hour for hour in found), zone
        start, end = found[2].start + 1, following[1].start
        assert tariff.between(start, end) == [*found[2:], *following[:2]], zone


def test_prices_have_the_size_of_the_currency() -> None:
    for currency, price in (("EUR", 0.28), ("JPY", 33.6), ("SEK", 2.8), ("USD", 0.28)):
        assert in_currency(AT_HOME, currency) == price, currency
