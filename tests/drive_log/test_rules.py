"""Which drives, charges and stays the observations at a car make, and what follows from them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.drive_log import estimates
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog, LogError
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Observation, Stay
from custom_components.vehicle_remote_access.drive_log.history import Hour, drives_by_hour
from custom_components.vehicle_remote_access.drive_log.prices import Prices

from .observations import AWAY, BASE, HOME, HOUR, NOON, asleep, charging, driving, log_of, parked

DRIVES: Final[dict[str, tuple[list[Observation], list[tuple[float, str]]]]] = {
    "watched": ([parked(0), driving(1, 0.5), driving(9, 4), parked(10, 5), parked(14, 5)], [(5, "live")]),
    "stop at a gate": (
        [parked(0), driving(1, 1), parked(2, 2), parked(4, 2), driving(4.5, 2), parked(6, 4), parked(9, 4)],
        [(4, "live")],
    ),
    "stop for an errand": (
        [parked(0), driving(1, 1), parked(2, 2), parked(5, 2), driving(6, 2.5), parked(7, 3), parked(10, 3)],
        [(2, "live"), (1, "live")],
    ),
    "seen from the middle": ([parked(0), driving(40, 9), driving(41, 10), parked(42, 11), parked(45, 11)],
        [(11, "partly")]),
    "not read for a long time while it drove": (
        [parked(0), driving(1, 0.5), driving(20, 9), parked(21, 10), parked(25, 10)],
        [(10, "partly")],
    ),
    "parked out of coverage": ([parked(0), driving(1, 0.5), driving(2, 1), parked(90, 3), parked(93, 3)],
        [(3, "partly")]),
    "asleep before the end was read": (
        [parked(0), driving(1, 0.5), driving(2, 1), asleep(20), asleep(500), parked(600, 1.5),
            parked(604, 1.5)],
        [(1.5, "partly")],
    ),
    "two drives with a sleep between": (
        [parked(0), driving(1, 1), asleep(20), asleep(300), driving(301, 2), parked(302, 3), parked(306, 3)],
        [(1, "partly"), (2, "live")],
    ),
    "not watched": ([parked(0), parked(600, 30), parked(604, 30)], [(30, "afterwards")]),
    "a few yards": ([parked(0), driving(1, 0.02), parked(2, 0.05), parked(6, 0.05)], []),
    "no position and no gear": ([parked(0), parked(1, 1), parked(2, 2), parked(9, 2)], [(2, "afterwards")]),
    "a wrong odometer": ([parked(0), parked(1, 10_000), parked(2, 0), parked(9, 0)], []),
    "a wrong odometer while it drives": (
        [parked(0), driving(1, 1), driving(2, 9000), driving(3, 3), parked(4, 4), parked(8, 4)],
        [(4, "live")],
    ),
    "a wrong odometer for almost an hour, in which it was driven": (
        [parked(0), *(parked(1 + n, 9000) for n in range(59)), parked(60, 5), parked(64, 5)],
        [(5, "afterwards")],
    ),
    "a wrong odometer before and after a sleep": (
        [parked(0), parked(1, 500), asleep(20), asleep(300), parked(301, 500), parked(302, 0),
            parked(306, 0)],
        [],
    ),
    "a low odometer before a sleep": (
        [parked(0), parked(1, -160), parked(2, -160), asleep(20), asleep(300), parked(301, 0),
            parked(305, 0)],
        [],
    ),
    "a wrong odometer at first": (
        [parked(0, -BASE), parked(1), parked(2), parked(62), parked(70, 3), parked(74, 3)],
        [(3, "afterwards")],
    ),
    "a wrong odometer before weeks without a read": (
        [parked(0), parked(1, 9000), parked(30_000, 1500), parked(30_004, 1500)],
        [(1500, "afterwards")],
    ),
    "an odometer that is some minutes late": (
        [parked(0), parked(1, 20), parked(3, 20), parked(6, 20), parked(10, 20)],
        [(20, "afterwards")],
    ),
    "an instrument that was replaced by one that shows less": (
        [parked(0), parked(60, 9), parked(70, -500), parked(130, -500), parked(190, -493), parked(199, -493)],
        [(9, "afterwards"), (7, "afterwards")],
    ),
    "an instrument that was replaced by one that shows more": (
        [
            *(parked(0), parked(60, 9), parked(64, 9), parked(70, 9000), parked(80, 9003), asleep(100)),
            *(parked(130, 9003), parked(134, 9003), driving(191, 9004), parked(200, 9010), parked(204, 9010)),
        ],
        [(9, "afterwards"), (3, "afterwards"), (7, "partly")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("observations", "expected"), DRIVES.values(), ids=DRIVES)
def test_drives(observations: list[Observation], expected: list[tuple[float, str]]) -> None:
    """Drives are found, neither split nor invented."""
    drives = log_of(*observations).drives
    assert [(round(drive.distance, 6), drive.seen) for drive in drives] == expected


def test_drive_that_was_not_watched_has_approximate_times() -> None:
    (drive,) = log_of(parked(0), parked(600, 6), parked(604, 6)).drives
    assert (drive.start_earliest, drive.end_latest) == (NOON, NOON + 600 * 60)
    assert (drive.start, drive.end) == (NOON + 294 * 60, NOON + 306 * 60)
    (late,) = log_of(parked(0), driving(40, 5), parked(41, 6), parked(44, 6)).drives
    assert (late.start, late.start_earliest) == (NOON + 30 * 60, NOON)
    assert (late.end, late.end_latest) == (NOON + 41 * 60, None)


def test_drive_out_of_coverage_is_placed_before_the_sleep_after_it() -> None:
    missed, watched = log_of(
        parked(0), *map(asleep, range(120, 501)), driving(501, 9.5), parked(502, 10.5), parked(506, 10.5)
    ).drives
    assert (missed.start_earliest, missed.end_latest) == (NOON, NOON + 120 * 60)
    assert (missed.distance, missed.seen) == (9.5, "afterwards")
    assert (watched.distance, watched.seen, watched.start) == (1, "live", NOON + 501 * 60)


def test_drive_has_its_measurements_but_not_what_the_stay_before_lost() -> None:
    log = log_of(
        parked(0, level=80.0, range=200.0, **HOME),
        asleep(600),
        driving(601, 1, level=79.0, range=195.0, speed=50.0, temperature=10.0, is_home=False),
        driving(602, 2, level=79.0, range=194.0, speed=70.0, temperature=12.0),
        parked(603, 3, level=78.0, range=193.0, **AWAY),
        parked(607, 3, level=78.0, range=193.0, **AWAY),
    )
    (drive,) = log.drives
    assert (drive.start_place, drive.end_place) == ("Home", "Work")
    assert (drive.start_battery, drive.end_battery) == (80, 78)
    assert (drive.max_speed, drive.outside_temperature) == (70, 11)
    # One rated mile per mile in the two miles that were measured
    assert drive.range_used == 3
    assert log.energy(drive) is None
    log.energy_per_rated_mile = 0.3
    assert log.energy(drive) == pytest.approx(0.9)


CHARGES: Final[dict[str, tuple[list[Observation], list[tuple[float, str]]]]] = {
    "watched": ([charging(0, 0, "stopped"), charging(1, 0), charging(2, 1), charging(3, 2, "complete")],
        [(2, "live")]),
    "interrupted": (
        [charging(0, 0, "stopped"), charging(1, 0), charging(2, 1, "stopped"), charging(9, 1),
            charging(10, 2, "complete")],
        [(2, "live")],
    ),
    "continued later": (
        [charging(0, 0, "stopped"), charging(1, 0), charging(2, 1, "stopped"), charging(12, 1, "stopped"),
            charging(13, 1), charging(14, 2, "complete")],
        [(1, "live"), (1, "live")],
    ),
    "not watched": ([charging(0, 0, "stopped"), charging(600, 20, "complete")], [(20, "afterwards")]),
    "on the way": ([parked(0, energy=5), driving(90, 60, energy=35)], [(30, "afterwards")]),
    "late correction": (
        [charging(0, 0, "stopped"), charging(1, 1, "complete"), charging(2, 1.2, "complete"),
            charging(3, 9, "complete")],
        [(1, "afterwards"), (8, "afterwards")],
    ),
    "a wrong odometer": (
        [charging(0, 0, "stopped"), charging(1, 0), charging(2, 1), replace(charging(3, 2), odometer=9000.0),
            charging(4, 3), charging(5, 4, "complete")],
        [(4, "live")],
    ),
    "no power": (
        [charging(0, 0, "stopped"), charging(1, 0, "starting"), charging(2, 0, "no_power"), charging(20, 0)],
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("observations", "expected"), CHARGES.values(), ids=CHARGES)
def test_charges(observations: list[Observation], expected: list[tuple[float, str]]) -> None:
    """Charges are found, neither split nor invented."""
    charges = log_of(*observations).charges
    assert [(round(charge.energy_added, 6), charge.seen) for charge in charges] == expected


def test_rise_of_the_battery_level_is_a_charge_if_there_is_no_counter() -> None:
    (charge,) = log_of(parked(0, level=50.0), parked(60, level=52.0)).charges
    assert (charge.energy_added, charge.start_battery, charge.end_battery, charge.cost) == (0, 50, 52, None)


@pytest.mark.parametrize(
    ("prices", "is_home", "cost"),
    [
        (Prices(home=0.2, away=0.5), True, 2.0),
        (Prices(home=0.2, away=0.5), None, 2.0),
        (Prices(home=0.2, away=0.5), False, 5.0),
        (Prices(home=0.2), False, None),
        (Prices(away=0.2), True, None),
    ],
)
def test_cost_of_an_unwatched_charge_includes_the_loss_of_the_charger(
    prices: Prices,
    is_home: bool | None,  # noqa: FBT001
    cost: float | None,
) -> None:
    (charge,) = log_of(
        charging(0, 0, "stopped", is_home=is_home),
        charging(90, 9, "complete", is_home=is_home),
        prices=prices,
    ).charges
    assert charge.cost == (cost and pytest.approx(cost))
    assert charge.energy_used is None


def test_clock_that_is_behind_while_the_car_sleeps_does_not_move_a_charge() -> None:
    """Without a battery, the clock is wrong after a start until a time server has answered."""
    (charge,) = log_of(
        parked(0, energy=0), charging(1, 0), charging(61, 6), asleep(-500), charging(70, 6, "complete")
    ).charges
    assert (charge.start, charge.end) == (NOON + 60, NOON + 61 * 60)


def test_stay_has_what_the_battery_lost_and_why_the_car_was_awake() -> None:
    (stay,) = log_of(
        parked(0), parked(5, 9, level=80.0, range=240.0), parked(9, 9, level=80.0, range=240.0),
        parked(10, 9, level=80.0, range=240.0, reasons=frozenset({"sentry"})),
        asleep(65), parked(665, 9, level=79.0, range=237.6),
        driving(666, 9.5), parked(670, 12), parked(674, 12),
    ).stays  # fmt: skip
    assert (stay.battery_lost, stay.asleep, stay.awake_reasons) == (0.8, 10, "sentry")


def test_drive_ends_after_three_minutes_and_interrupted_charge_after_ten() -> None:
    log = log_of(parked(0), driving(1, 1), parked(2, 2))
    assert log.settles_at == NOON + 5 * 60
    assert not any(log.settle(NOON + 299))
    assert log.settle(NOON + 300).ended == log.drives != []
    log = log_of(charging(0, 0), charging(1, 2, "stopped"))
    assert not any(log.settle(NOON + 659))
    assert log.settle(NOON + 660).ended == log.charges != []
    assert log.settles_at is None


def drives_of(*values: dict[str, Any]) -> list[Drive]:
    drives = []
    for number, more in enumerate(values):
        start, miles = NOON + number * HOUR, 10.0 * number
        drive = Drive(
            f"drive-{number}", start, start + HOUR / 2, start_odometer=miles, end_odometer=miles + 10
        )
        drives.append(drive._replace(**more))
    return drives


def test_charge_does_not_go_on_while_the_car_sleeps_but_its_last_energy_still_counts() -> None:
    log = log_of(charging(0, 0), charging(5, 0.9), prices=Prices(home=0.3))
    assert log.goes_on(log.open_entries.charges[0])
    assert log.cost_so_far == pytest.approx(0.3, abs=0.03)
    log.add(asleep(30))
    (charge,) = log.open_entries.charges
    assert not log.goes_on(charge)
    assert log.cost_so_far is None
    assert charge.end == NOON + 5 * 60
    log.add(charging(600, 1.5, "stopped"))
    assert log.open_entries.charges[0].energy_added == 1.5


@pytest.mark.parametrize("tags", [(None, "business"), ("business", None), ("business", "business", None)])
def test_merged_drive_keeps_the_tag_and_the_notes(tags: tuple[str | None, ...]) -> None:
    log = DriveLog(drives=drives_of(*({"tag": tag, "note": "To Anna"} for tag in tags)))
    log.merge_drives([drive.id for drive in log.drives])
    notes = " ".join(["To Anna"] * len(tags))
    assert [(drive.tag, drive.note) for drive in log.drives] == [("business", notes)]


@pytest.mark.parametrize(
    ("drives", "error", "value"),
    [
        (drives_of({"tag": "work"}, {}, {"tag": "private"}), "drives_have_different_tags", "work, private"),
        (drives_of({"note": "x" * 500}, {}, {"note": "y" * 500}), "merged_note_too_long", 1000),
        (drives_of({"start": NOON + 9e4, "end": NOON + 1e5}, {}, {}), "drives_not_consecutive", None),
        (drives_of({"end_odometer": 9.0}, {}), "drives_not_consecutive", None),
    ],
    ids=["tags", "notes", "times", "odometer"],
)
def test_drives_are_not_merged_if_anything_is_lost(drives: list[Drive], error: str, value: object) -> None:
    log = DriveLog(drives=list(drives))
    with pytest.raises(LogError) as caught:
        log.merge_drives([drive.id for drive in drives])
    assert caught.value.key == error
    assert value in (None, *caught.value.args)
    assert (log.drives, log.revision) == (drives, 0)


@pytest.mark.parametrize("first_end", [0, 0.5, 1.1])
def test_merged_drive_replaces_the_stays_between_its_drives(first_end: float) -> None:
    log = DriveLog(drives=drives_of({}, {"start": NOON + HOUR, "end": NOON + (1 + first_end) * HOUR}, {}))
    ends = [drive.end for drive in log.drives]
    starts = [drive.start for drive in log.drives[1:]] + [NOON + 9 * HOUR]
    log.stays = [
        Stay(id=f"stay-{number}", start=end, end=max(end, start))
        for number, (end, start) in enumerate(zip(ends, starts, strict=True))
    ]
    log.merge_drives(["drive-1", "drive-2"])
    assert [stay.id for stay in log.stays] == ["stay-0", "stay-2"]
    assert log.drives[1].end == max(ends)


AT_HOME: Final[dict[str, tuple[list[Observation], float | None]]] = {
    "no position": ([charging(0, 0), charging(60, 6), charging(61, 6, "complete")], None),
    "at home": ([charging(0, 0, **HOME), *(charging(n, n / 10, **HOME) for n in range(1, 31))], 3),
    "away": ([charging(0, 0, **AWAY), *(charging(n, n / 10, **AWAY) for n in range(1, 31))], 0),
    "place known later": (
        [charging(0, 0), charging(1, 0.1), *(charging(n, n / 10, **HOME) for n in range(2, 31))],
        3,
    ),
    "away, known later": (
        [charging(0, 0), charging(1, 0.1), *(charging(n, n / 10, **AWAY) for n in range(2, 31))],
        0,
    ),
    "at the edge of the zone": ([charging(n, n / 10, **(AWAY if n % 3 == 1 else HOME)) for n in range(31)],
        3),
    "at the edge of the zone, first seen outside": (
        [charging(n, n / 10, **(HOME if n % 3 else AWAY)) for n in range(31)],
        0,
    ),
    "left the zone by a wrong position": (
        [charging(n, n / 10, **(HOME if n < 10 else AWAY)) for n in range(31)],
        3,
    ),
    "place unknown at the end": (
        [*(charging(n, n / 10, **HOME) for n in range(30)), charging(30, 3), charging(31, 3, "complete")],
        3.05,
    ),
    "not watched": ([charging(0, 0, "stopped", **HOME), charging(600, 18, "complete", **HOME)], 20),
    "on the way": (
        [parked(0, energy=5, **HOME), parked(90, 60, energy=35, **AWAY), parked(180, 99, energy=36, **HOME)],
        0,
    ),
    "the charger's meter": (
        [charging(0, 0, wall_energy=50.0, **HOME), charging(1, 0.1, wall_energy=50.2, **HOME),
            charging(60, 6, "complete", wall_energy=57.0, **HOME)],
        7,
    ),
    "almost no energy": (
        [charging(n, 0.05, "charging" if n % 2 else "disconnected", power=0.0, **HOME) for n in range(99)],
        0,
    ),
    "heats the car instead of charging it": ([charging(n, 0, **HOME) for n in range(31)], 3),
    "heats the car, and charges it later": (
        [*(charging(n, 0, **HOME) for n in range(31)), charging(31, 0.09, "stopped", **HOME),
            *(charging(n, (n - 59) / 10, **HOME) for n in range(60, 91))],
        6.06,
    ),
    "heats the full car": ([charging(n, 0, "complete", idle_power=6.0, **HOME) for n in [*range(31), 90, 91]],
        3.1),
    "heats the car elsewhere": ([charging(n, 0, "complete", idle_power=6.0, **AWAY) for n in range(31)], 0),
}  # fmt: skip


@pytest.mark.parametrize(("observations", "energy"), AT_HOME.values(), ids=AT_HOME)
def test_counter_has_what_was_drawn_at_home(observations: list[Observation], energy: float | None) -> None:
    log, last = log_of(observations[0]), 0.0
    for observation in observations[1:]:
        log = DriveLog.restored({}, log.journal())
        log.add(observation)
        assert (log.charge_tracker.used_at_home or 0.0) >= last
        last = log.charge_tracker.used_at_home or 0.0
    assert log.charge_tracker.used_at_home == (None if energy is None else pytest.approx(energy, abs=0.06))


def charge_of(added: float, low: float, high: float, number: int = 1, factor: float = 0.3) -> Charge:
    return Charge(
        id=f"charge-{number}", start=0, end=4 * HOUR, start_energy=0, end_energy=added,
        start_battery=low, end_battery=high, range_added=added / factor,
    )  # fmt: skip


def test_factor_is_the_most_frequent_energy_of_a_rated_mile() -> None:
    charges = [charge_of(30, 40, 80, factor=factor) for factor in (0.3, 0.29, 0.3)]
    assert estimates.energy_per_rated_mile(charges[:2]) is None
    assert estimates.energy_per_rated_mile(charges) == 0.3
    assert estimates.energy_per_rated_mile([charge._replace(end_battery=99.0) for charge in charges]) is None


def test_capacity_is_unknown_until_it_is_exact_enough() -> None:
    for inexact in ([charge_of(15, 50, 70)], [charge_of(15, 50, 69)] * 9):
        assert list(estimates.capacities(inexact)) == []
    charges = [charge_of(45, 20, 80, number) for number in range(10)]
    *_, (charge, known) = estimates.capacities(charges)
    assert charge == charges[-1]
    assert [known.energy, known.range] == pytest.approx([75, 250])
    assert known.error < 0.005


def test_charge_with_a_wrong_level_does_not_change_the_capacity() -> None:
    charges = [charge_of(30, 30, 70, number) for number in range(2)]
    wrong = charge_of(3.8, 0, 35)
    assert list(estimates.capacities([wrong, charges[0]])) == []
    known = [capacity.energy for _, capacity in estimates.capacities([wrong, *charges, wrong, *charges])]
    assert known == pytest.approx([75] * len(known))
    assert len(known) > 2


def test_health_refers_to_the_best_capacity() -> None:
    old = [charge_of(45, 20, 80, number) for number in range(1, 31)]
    new = [charge_of(39, 20, 80, number) for number in range(100, 140)]
    log = DriveLog(charges=[*old, charge_of(300, 20, 80, number=99), *new])
    log.delete("charge-99")
    assert isinstance(log.best_capacity, estimates.Capacity)
    assert log.best_capacity.energy == pytest.approx(75)
    assert log.health == DriveLog.restored(log.start_archive(), {}).health == round(100 * 39 / 45, 1)
    assert (DriveLog().best_capacity, DriveLog().health) == (None, None)


def test_consumption_and_standby_loss() -> None:
    drive = Drive(id="drive-1", start=0, end=1, start_odometer=0, end_odometer=100, range_used=110)
    assert estimates.range_per_mile([drive._replace(range_used=900), *[drive] * 3]) == 1.1
    assert estimates.range_per_mile([drive._replace(range_used=None)]) is None
    stay = Stay(id="stay-1", start=0, end=12 * HOUR, battery_lost=0.5, asleep=9)
    loss = estimates.standby([stay, stay._replace(awake_reasons="climate"), stay._replace(end=HOUR)])
    assert loss is not None
    assert (loss.per_day, loss.asleep) == (1, 0.75)
    assert estimates.standby([]) is None
    many = [stay._replace(battery_lost=1.5)] * 30 + [stay] * 30
    assert estimates.standby(many) == estimates.Standby(days=15, lost=15, asleep=0.75)
    assert estimates.standby(many, None) == estimates.Standby(days=30, lost=60, asleep=0.75)


def test_charge_is_shown_if_the_counter_falls_at_its_first_read() -> None:
    log = log_of(parked(0, energy=119.7, range=100.0), charging(1, 41.1, range=100.0))
    (charge,) = log.open_entries.charges
    assert isinstance(charge, Charge)
    assert charge.range_added == 0


def test_stay_is_open_while_the_car_charges_and_until_a_drive_starts() -> None:
    log = log_of(parked(0), parked(60, 9, energy=5.0), parked(64, 9, energy=5.0))
    log.add(parked(70, 9, energy=6.0, charging="charging"))
    (charge,), (stay,) = log.open_entries.charges, log.open_entries.stays
    assert (charge.energy_added, stay.end) == (1, NOON + 70 * 60)
    log.add(driving(100, 10, energy=6.0))
    (drive,), charges, (stay,) = log.open_entries
    assert (stay.end, charges) == (drive.start, [])


def _charge(power: float, hours: float = 2.0, **values: Any) -> Charge:
    energy = power * hours
    known: dict[str, Any] = {
        "start_energy": 0.0,
        "end_energy": energy,
        "start_battery": 20.0,
        "end_battery": 20.0 + energy / 0.8,
    }
    return Charge("charge-1", 0.0, hours * HOUR, **(known | values))


def test_speed_of_charging() -> None:
    """It is the median of the last ten charges that are long enough. A fast charger does not count."""
    charges = [_charge(3)] * 20 + [_charge(7)] * 4 + [_charge(11)] * 6
    charges += [_charge(50, current="dc"), _charge(20, hours=0.1), _charge(20, start_battery=None)]
    speed = estimates.charging_speed(charges, None, 0.9)
    assert speed is not None
    assert speed.added == 11
    assert speed.used == pytest.approx(11 / 0.9)
    assert speed.per_percent == pytest.approx(0.8)
    capacity = estimates.Capacity(energy=75.0, error=0.01, range=300.0)
    assert (known := estimates.charging_speed(charges, capacity, 0.9)) is not None
    assert known.per_percent == 0.75
    assert estimates.charging_speed([], capacity, 0.9) is None


def test_usual_departure() -> None:
    """It is before three of four first drives of workdays, in quarters of an hour."""
    monday = datetime(2026, 5, 4, tzinfo=UTC)
    starts = [monday + timedelta(days=day, hours=7, minutes=40 + 2 * day) for day in (0, 1, 2, 3, 4, 7, 8, 9)]
    starts += [monday + timedelta(days=5, hours=5), monday + timedelta(days=1, hours=18)]
    drives = [
        Drive(f"drive-{number}", start.timestamp(), start.timestamp() + HOUR)
        for number, start in enumerate(sorted(starts))
    ]
    assert estimates.usual_departure(drives, UTC) == time(7, 30)
    assert estimates.usual_departure(drives[:4], UTC) is None


def hourly_drives(*odometers: float | None) -> list[tuple[float, float, float, float]]:
    """Return the first and last hour and odometer of each drive before the log. None: no statistics."""
    hours = [
        Hour(number * HOUR, (number + 1) * HOUR, odometer)
        for number, odometer in enumerate(odometers)
        if odometer is not None
    ]
    found: Any = drives_by_hour(hours)
    return [
        (each.start_earliest / HOUR, each.end_latest / HOUR, each.start_odometer, each.end_odometer)
        for each in found
    ]


@pytest.mark.parametrize(
    ("odometers", "expected"),
    [
        ([], []),
        ([100, 100, 100], []),
        ([100, 110, 110], [(1, 2, 100, 110)]),
        ([100, 110, 160, 170, 170], [(1, 4, 100, 170)]),
        ([100, 110, 110, 120], [(1, 2, 100, 110), (3, 4, 110, 120)]),
        ([100, None, None, 120], [(1, 4, 100, 120)]),
        ([100, 110, None, 120], [(1, 2, 100, 110), (2, 4, 110, 120)]),
        ([100, 100.3, 100.4, 100.6], [(3, 4, 100, 100.6)]),
        ([9000, 0, 9000, 9010], [(3, 4, 9000, 9010)]),
        ([100, 9000, 9010], [(2, 3, 9000, 9010)]),
        ([100, 110, 5, 15], [(1, 2, 100, 110), (3, 4, 5, 15)]),
    ],
)
def test_hours_in_a_row_in_which_the_odometer_rose_are_one_drive(
    odometers: Sequence[float | None], expected: Sequence[tuple[float, float, float, float]]
) -> None:
    assert hourly_drives(*odometers) == expected


def test_drive_is_in_the_middle_of_the_time_in_which_it_must_be() -> None:
    (drive,) = drives_by_hour([Hour(0, HOUR, 100), Hour(HOUR, 2 * HOUR, 105)])
    assert (drive.start, drive.end) == (1.5 * HOUR - 300, 1.5 * HOUR + 300)
    assert drive.seen == "afterwards"


def test_stay_goes_on_until_the_car_drives() -> None:
    log = log_of(parked(0), driving(1, 1), parked(2, 2), parked(60, 2))
    (stay,) = log.open_entries.stays
    assert log.goes_on(stay)
    log.add(driving(70, 3))
    (stay,) = log.open_entries.stays
    assert not log.goes_on(stay)
