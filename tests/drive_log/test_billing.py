"""Bills find their charges by time, and change nothing else: a quarter, and the cases that are not simple."""

from collections.abc import Sequence
from dataclasses import replace
import json
from random import Random
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.charging_sessions import ChargingSession
from custom_components.vehicle_remote_access.drive_log.billing import (
    BILLED_WITHIN,
    billed_charges,
    last_unbilled,
)
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Stay
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.sums import charge_sums
from custom_components.vehicle_remote_access.drive_log.view import LogView
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones

from .log_files import KILOMETERS, imported, json_file

MINUTE: Final = 60.0
HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
NOON: Final = 1_790_000_000.0
HOME: Final = Zones([Zone("Home", 52.0, 4.0, 100, is_home=True)])


def session(start: float, minutes: float = 20, energy: float | None = 30, **more: Any) -> ChargingSession:
    """Return a session, `start` minutes after noon. It costs 0.50 for a kWh."""
    begins = NOON + start * MINUTE
    cost = None if energy is None else energy / 2
    values = {"place": "Breda", "cost": cost, "fees": 0.0, "currency": "EUR"}
    return ChargingSession(begins, begins + minutes * MINUTE, energy=energy, **values | more)


def charge(start: float, minutes: float = 20, energy: float = 30, counter: float = 0, **more: Any) -> Charge:
    begins = NOON + start * MINUTE
    values: dict[str, Any] = {"current": "dc", "cost": 9.9, "currency": "EUR", "cost_source": "prices"}
    values |= {"start_energy": counter, "end_energy": counter + energy}
    return Charge(f"charge-{abs(start):.0f}", begins, begins + minutes * MINUTE, **values | more)


def unseen(start: float, minutes: float, energy: float, **more: Any) -> Charge:
    """Return a charge that was only seen afterwards, in some time."""
    entry = charge(start + minutes / 2, 30, energy, current=None, seen="afterwards", **more)
    begins = NOON + start * MINUTE
    return entry._replace(id="charge-1", start_earliest=begins, end_latest=begins + minutes * MINUTE)


def log_of(*charges: Charge, **values: Any) -> DriveLog:
    log = DriveLog(charges=[*charges], currency="EUR", **values)
    tracker = replace(log.charge_tracker, at=NOON + 10 * DAY, energy=500.0, next_id=1000)
    log.charge_tracker = tracker
    return log


def billed(log: DriveLog, *sessions: ChargingSession) -> list[tuple[float | None, str | None]]:
    """Apply sessions, and return the cost of each charge and where it is from."""
    if changes := billed_charges(log, HOME, sessions):
        log.bill(changes)
    # A second answer with the same bills changes nothing.
    assert billed_charges(log, HOME, sessions) == []
    return [(each.cost, each.cost_source) for each in log.charges]


BILLED: Final = (15, "service")
KEPT: Final = (9.9, "prices")
CASES: Final[dict[str, tuple[list[Charge], list[ChargingSession], list[tuple[float | None, str]]]]] = {
    "at the same time": ([charge(0)], [session(0)], [BILLED]),
    "with other clocks": ([charge(0, 3)], [session(5, 3)], [BILLED]),
    "at another time": ([charge(0)], [session(40)], [KEPT]),
    "not billed yet": ([charge(0)], [session(0, cost=None)], [KEPT]),
    "of two charges the one of each": (
        [charge(0), charge(24, energy=20)],
        [session(3), session(27, energy=20)],
        [BILLED, (10, "service")],
    ),
    "a moved stall is one charge with two bills": (
        [charge(0, 40)],
        [session(0, 12, 10), session(16, 24, 20)],
        [BILLED],
    ),
    "a moved stall waits for its second bill": ([charge(0, 40)], [session(0, 12, 10)], [KEPT]),
    "a moved stall waits until both are billed": (
        [charge(0, 40)],
        [session(0, 12, 10), session(16, 24, 20, cost=None)],
        [KEPT],
    ),
    "charged again after the limit was raised, without being unplugged": (
        [charge(0, 30, 25), charge(31, 10, 5)],
        [session(0, 45, 31)],
        [(12.92, "service"), (2.58, "service")],
    ),
    "charged again, with a cost of a person": (
        [charge(0, 30, 25), charge(31, 10, 5, cost_source="person")],
        [session(0, 45, 31)],
        [KEPT, (9.9, "person")],
    ),
    "charged again at another stall, which is not billed yet": (
        [charge(0, 30, 25), charge(33, 3, 2)],
        [session(0, 32, 26)],
        [(13, "service"), KEPT],
    ),
    "two currencies have no sum": (
        [charge(0, 40)],
        [session(0, 12, 10), session(16, 24, 20, currency="SEK")],
        [KEPT],
    ),
    "far more energy than the car got is another charge": ([charge(0, energy=10)], [session(0)], [KEPT]),
    "heating the battery uses more": ([charge(0, energy=25)], [session(0)], [BILLED]),
    "minutes are billed": ([charge(0)], [session(0, energy=None, cost=7.5)], [(7.5, "service")]),
    "a car without a counter": (
        [charge(0)._replace(start_energy=None, end_energy=None)],
        [session(0)],
        [BILLED],
    ),
    "at home with alternating current": ([charge(0, current="ac")], [session(0)], [KEPT]),
    "the cost of a person": ([charge(0, cost_source="person")], [session(0)], [(9.9, "person")]),
    "a person deleted the cost": (
        [charge(0, cost=None, cost_source="person")],
        [session(0)],
        [(None, "person")],
    ),
    "a refund": (
        [charge(0, cost=15.0, cost_source="service")],
        [session(0, cost=11.25)],
        [(11.25, "service")],
    ),
    "seen afterwards, with as much energy": ([unseen(-300, 600, 29)], [session(0)], [BILLED]),
    "seen afterwards, with less energy, and the one before it": (
        [unseen(-300, 600, 20)],
        [session(-60), session(100, energy=21)],
        [BILLED, (10.5, "service")],
    ),
    "seen afterwards at home, and the one before it": (
        [unseen(-300, 600, 20, place="Home")],
        [session(-60), session(100, energy=21, cost=None)],
        [BILLED, KEPT],
    ),
    "seen afterwards, at another time": ([unseen(-300, 200, 60)], [session(0)], [KEPT]),
}  # fmt: skip


@pytest.mark.parametrize(("charges", "sessions", "costs"), CASES.values(), ids=CASES)
def test_bill(
    charges: list[Charge], sessions: list[ChargingSession], costs: list[tuple[float | None, str]]
) -> None:
    stay = Stay("stay-1", NOON - 5 * DAY, NOON + 5 * DAY)
    assert billed(log_of(*charges, stays=[stay]), *sessions) == costs


OLD: Final[dict[str, tuple[dict[str, Any], bool]]] = {
    "exactly what the prices give": ({"cost": 13.8276}, True),
    "what the prices give for what the charger used": ({"cost": 14.5187, "energy_used": 32.264}, True),
    "unknown": ({"cost": None, "currency": None}, True),
    "something else": ({"cost": 14.1234}, False),
    "in whole cents": ({"cost": 13.86, "energy_used": 30.8}, False),
}


@pytest.mark.parametrize(("values", "is_replaced"), OLD.values(), ids=OLD)
def test_cost_that_an_earlier_version_stored(values: dict[str, Any], *, is_replaced: bool) -> None:
    """It did not store where a cost is from, so a cost that a person can have entered stays."""
    old = charge(0, energy=30.728, cost_source=None, **values)
    log = log_of(old, prices=Prices(home=0.2, away=0.45))
    assert (last_unbilled(log, HOME, NOON + DAY) is not None) is is_replaced
    (cost,) = billed(log, session(0))
    assert cost == (BILLED if is_replaced else (old.cost, None))


def test_charge_on_a_way_that_was_not_watched_is_added() -> None:
    """Home Assistant was off: the log has the drive, and only what the car counted last."""
    drive = Drive("drive-1", NOON, NOON + 2 * HOUR, start_earliest=NOON - 2 * HOUR, seen="afterwards")
    log = log_of(charge(-5 * 24 * 60), unseen(0, 300, 40, place="Home"), drives=[drive])
    log.stays = [Stay("stay-1", NOON - 5 * DAY, NOON), Stay("stay-2", NOON + 2 * HOUR, NOON + 5 * DAY)]
    view, before = LogView(log, KILOMETERS), charge_sums(LogView(log, KILOMETERS), log.charges)
    assert last_unbilled(log, HOME, NOON + DAY) == NOON + 2 * HOUR
    billed(log, session(-30), session(60, energy=10), session(4000))
    parts = log.charges[1:3]
    assert [(each.energy_added, each.cost, each.place) for each in parts] == [
        (30, 15, "Breda"),
        (10, 5, "Breda"),
    ]
    after = charge_sums(view, log.charges)
    assert after["energy_added"] == pytest.approx(before["energy_added"] + 40)
    assert len({each.id for each in log.charges}) == len(log.charges) == 4
    restored = DriveLog.restored({}, json.loads(json.dumps(log.journal())))
    assert restored.charges == log.charges
    assert imported(json_file(log, KILOMETERS)).charges[1].cost_source == "service"


def test_charge_is_added_only_where_the_log_was_not_kept() -> None:
    """One that is missing while the log was kept was deleted, or is part of another one."""
    day = 24 * 60
    log = log_of(
        charge(2 * day, counter=30.0),
        drives=[Drive("drive-1", NOON - DAY, NOON)],
        stays=[Stay("stay-1", NOON, NOON + 5 * DAY)],
    )
    sessions = [session(minutes) for minutes in (-2 * day, -day + 10, day, 2 * day, 20 * day)]
    billed(log, *sessions, session(-3 * day, energy=None), session(-4 * day, cost=None))
    added, _ = log.charges
    assert (added.start, added.place, added.cost, added.energy_added) == (NOON - 2 * DAY, "Breda", 15, 30)


def test_what_waits_for_a_bill() -> None:
    now = NOON + 30 * MINUTE
    for waits, entry in (
        (True, charge(0)),
        (True, unseen(-300, 310, 20)),
        (True, unseen(-20, 45, 20)),
        (False, charge(0, current="ac")),
        (False, charge(0, cost_source="service")),
        (False, charge(0, cost_source="person")),
        (False, charge(0, place="Home")),
        (False, charge(0, latitude=52.0, longitude=4.0)),
        (False, charge(-BILLED_WITHIN / MINUTE)),
    ):
        assert (last_unbilled(log_of(entry), HOME, now) == entry.end) is waits, entry


def quarter(random: Random) -> tuple[DriveLog, list[tuple[float, ChargingSession]], dict[str, float]]:
    """Return a log, its bills with the time of each, and the cost of each charge with one currency.

    Some charges have two bills, some bills come days later, and clocks differ by up to four minutes. Between
    fast charges, the car charges at home and at chargers of others.
    """
    charges: list[Charge] = []
    bills: list[tuple[float, ChargingSession]] = []
    costs: dict[str, float] = {}
    minute, counter = 0.0, 0.0
    while minute < 90 * 24 * 60:
        minute += random.choice((40, 300, 700, 2000)) * random.uniform(0.8, 1.2)
        energy, minutes = random.uniform(6, 60), random.uniform(10, 45)
        kind = random.choice(("ac", "dc", "service", "service", "moved"))
        current = "ac" if kind == "ac" else "dc"
        entry = charge(minute, minutes, energy, counter, current=current)
        charges.append(entry._replace(id=f"charge-{len(charges) + 1}"))
        shift, used = random.uniform(-4, 4), round(energy * random.uniform(1.0, 1.12), 3)
        shares = {"service": (1.0,), "moved": (0.4, 0.6)}.get(kind, ())
        currency, begins = random.choice(("EUR", "SEK")), minute + shift
        for share in shares:
            cost = round(used * share * random.uniform(0.3, 0.7), 2)
            fees = random.choice((0.0, 0.0, 4.5))
            at = NOON + begins * MINUTE + random.choice((1, 1, 1, 48, 100)) * HOUR
            part = session(begins, minutes * share, used * share, cost=cost, fees=fees, currency=currency)
            bills.append((at, part))
            begins += minutes * share
            costs[charges[-1].id] = round(costs.get(charges[-1].id, 0.0) + cost, 2)
        minute, counter = minute + minutes, counter + energy
    log = log_of(*charges)
    log.charge_tracker = replace(log.charge_tracker, at=NOON + 100 * DAY)
    log.stays = [Stay("stay-1", NOON, NOON + 100 * DAY)]
    return log, bills, costs


def answer(bills: Sequence[tuple[float, ChargingSession]], now: float) -> list[ChargingSession]:
    """Return what a service answers: the sessions of two weeks, also those without a bill."""
    return [
        each if billed_at <= now else each._replace(cost=None)
        for billed_at, each in bills
        if now - BILLED_WITHIN <= each.start and each.end <= now
    ]


@pytest.mark.parametrize("seed", range(5))
def test_quarter(seed: int) -> None:
    """A day after it is billed, nearly each charge has its cost to the cent, and none ever a wrong one."""
    log, bills, costs = quarter(Random(seed))  # noqa: S311 - repeatable
    before = [(each.start_energy, each.end_energy, each.fees) for each in log.charges]
    for day in range(1, 110):
        log.bill(billed_charges(log, HOME, answer(bills, NOON + day * DAY)))
        for each in log.charges:
            assert each.cost == costs[each.id] if each.cost_source == "service" else each.cost == 9.9
    known = [each for each in log.charges if each.cost_source == "service"]
    assert len(costs) > 60
    assert len(known) >= 0.95 * len(costs)
    assert {each.currency for each in known} == {"EUR", "SEK"}
    assert [(each.start_energy, each.end_energy) for each in log.charges] == [each[:2] for each in before]
    sums = charge_sums(LogView(log, KILOMETERS), log.charges)
    of_service = {each.currency: 0.0 for each in known}
    for each in known:
        of_service[each.currency] += each.cost or 0.0
    assert sums["other_costs"]["SEK"] == pytest.approx(of_service["SEK"])
