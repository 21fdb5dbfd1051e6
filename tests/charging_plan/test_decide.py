"""What the plan does follows from one snapshot. It leaves a charge alone that a person started or stopped."""

from dataclasses import replace
from datetime import datetime, time
import math
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from custom_components.vehicle_remote_access.account.options import VehicleOptions
from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.charging_plan.current import HouseShare, SurplusCharge
from custom_components.vehicle_remote_access.charging_plan.decide import (
    Action,
    Attempts,
    Decision,
    Notice,
    Reach,
    Snapshot,
    decide,
)
from custom_components.vehicle_remote_access.charging_plan.departures import Departures
from custom_components.vehicle_remote_access.charging_plan.planner import STEP, Reason
from custom_components.vehicle_remote_access.charging_plan.session import ChargingSession
from custom_components.vehicle_remote_access.charging_plan.slots import Slot
from custom_components.vehicle_remote_access.drive_log.estimates import ChargingSpeed

HOUR: Final = 3600.0
NOW: Final = datetime(2026, 5, 4, 20, tzinfo=ZoneInfo("Europe/Berlin"))
AT: Final = NOW.timestamp()
USUAL: Final = ChargingSpeed(added=10.0, used=11.0, per_percent=0.75)
OFFLINE: Final[dict[str, Any]] = {"is_read": False, "reach": Reach(car=False)}
ASLEEP: Final[dict[str, Any]] = {**OFFLINE, "is_asleep": True}


def _snapshot(*, state: str = "Stopped", cheap: bool = False, **values: Any) -> Snapshot:
    """Return a car of 60 %, which the plan charges now (`cheap`) or in the night."""
    charge = {"charging_state": state, "battery_level": 60, "charge_limit_soc": 80}
    charge |= values.pop("charge", {})
    cheapest = AT if cheap else AT + 6 * HOUR
    prices = [
        Slot(start, start + STEP, 0.1 if 0 <= start - cheapest < 1.5 * HOUR else 0.3)
        for start in (AT + index * STEP for index in range(44))
    ]
    known: dict[str, Any] = {
        "now": NOW,
        "vehicle": Vehicle.parse({"charge_state": charge, "vehicle_state": {"odometer": 100.0}}),
        "departures": Departures(usual=time(7)),
        "options": VehicleOptions(),
        "usual_speed": USUAL,
        "prices": prices,
        "session": ChargingSession(plugged_at=AT - HOUR, odometer=100.0, state=state.lower(), speed=10.0),
    }
    return Snapshot(**known | values)


def _action(**values: Any) -> Action | None:
    return decide(_snapshot(**values)).action


@pytest.mark.parametrize(
    ("values", "action"),
    [
        ({}, None),
        ({"state": "Charging"}, Action.STOP),
        ({"cheap": True}, Action.START),
        ({"cheap": True, "state": "Charging"}, None),
        ({"cheap": True, "state": "NoPower"}, None),
        # A car that can't be reached is woken to start it, and never to stop it.
        ({"cheap": True, **ASLEEP}, Action.WAKE),
        ({"cheap": True, **OFFLINE}, Action.WAKE),
        (
            {
                "cheap": True,
                **ASLEEP,
                "options": VehicleOptions(wake_for_commands=False, keep_awake_plugged_in=True),
            },
            None,
        ),
        # A sleeping car does not charge. One without coverage may.
        ({"cheap": True, "state": "Charging", **ASLEEP}, Action.WAKE),
        ({"cheap": True, "state": "Charging", **OFFLINE}, None),
        ({"state": "Charging", **OFFLINE}, None),
        # Nothing is sent to a car whose state is not known.
        ({"cheap": True, "is_read": False}, None),
        ({"cheap": True, "is_busy": True}, None),
        ({"cheap": True, "prices_awaited_until": AT + 60}, None),
        ({"cheap": True, "is_at_home": False}, None),
        ({"cheap": True, "is_at_home": None}, None),
        ({"cheap": True, "is_other_vehicle": True}, None),
        ({"cheap": True, "options": VehicleOptions(is_read_only=True)}, None),
    ],
)
def test_action(values: dict[str, Any], action: Action | None) -> None:
    assert _action(**values) is action


def test_preview_begins_with_the_current_step() -> None:
    """So it is made again with each step. It needs a known speed, and must be allowed to act."""
    decision = decide(_snapshot(state="Disconnected", cheap=True))
    assert (decision.plan.reason, decision.plan.slots, decision.action) == (Reason.UNPLUGGED, (), None)
    assert decision.plan.if_plugged_in[0].start == AT
    assert decision.next_at == AT + STEP
    for obstacle in ({"usual_speed": None}, {"is_at_home": False}, {"charge": {"charge_limit_soc": None}}):
        assert decide(_snapshot(state="Disconnected", **obstacle)).plan.if_plugged_in == ()


def _again(decision: Decision, seconds: float, **values: Any) -> Action | None:
    """Return the action some time after an attempt that failed."""
    now = datetime.fromtimestamp(AT + seconds, NOW.tzinfo)
    return _action(cheap=True, now=now, attempts=decision.attempts, **values)


def test_attempts() -> None:
    """A command that fails is sent again later. One that could not be delivered is sent when it can be."""
    first = decide(_snapshot(cheap=True))
    assert (_again(first, STEP - 1), _again(first, STEP)) == (None, Action.START)
    assert first.attempts.after(Action.START, AT + STEP).retry_at == AT + 3 * STEP
    woken = decide(_snapshot(cheap=True, **ASLEEP))
    # The car is awake now. The command belongs to the same attempt.
    assert _again(woken, 30) is Action.START
    assert (_again(woken, 60, **ASLEEP), _again(woken, STEP, **ASLEEP)) == (None, Action.WAKE)
    for missing in (Reach(service=False), Reach(car=False)):
        failed = first._replace(attempts=replace(first.attempts, reach=missing))
        assert (_again(failed, 60, reach=missing), _again(failed, 60)) == (None, Action.START)
    assert decide(_snapshot(cheap=True, state="Charging", attempts=first.attempts)).attempts == Attempts()


@pytest.mark.parametrize(
    ("power", "hours", "speed"),
    [
        (None, None, None),
        (11.0, None, 10.0),
        # At half of the usual power, what the car itself uses counts twice.
        (5.5, None, 4.875),
        (None, 3.25, 5.0),
        (11.0, 3.25, 5.0),
        (5.5, 0.25, 4.875),
        (0.0, None, None),
    ],
)
def test_speed_is_what_the_car_reports(power: float | None, hours: float | None, speed: float | None) -> None:
    """The slower one of the power and the remaining time counts."""
    charge = {"time_to_full_charge": hours}
    values: dict[str, Any] = {"cheap": True, "state": "Charging", "power": power, "charge": charge}
    session = ChargingSession(plugged_at=AT - HOUR, state="charging", asked=True)
    seen = decide(_snapshot(charging_since=AT - 60, session=session, **values))
    assert seen.session.speed == speed
    # It is known after the charge, too, and not yet while the power rises.
    assert decide(_snapshot(session=seen.session)).session.speed == speed
    assert decide(_snapshot(charging_since=AT - 10, session=session, **values)).session.speed is None


def test_car_that_starts_by_itself_shows_its_power_first() -> None:
    new = ChargingSession(plugged_at=AT, odometer=100.0, state="charging")
    values: dict[str, Any] = {"state": "Charging", "charging_since": AT - 10, "session": new}
    assert (_action(**values), decide(_snapshot(**values)).next_at) == (None, AT + 110)
    assert _action(**values | {"charging_since": AT - 60, "power": 5.0}) is Action.STOP
    assert _action(**values | {"charging_since": AT - 120}) is Action.STOP


PLUGGED: Final = 1000.0
LATER: Final = 5000.0


def _car(state: str | None, odometer: float | None = None, limit: int = 80) -> Vehicle:
    """Return a car that is plugged in, if its state does not say otherwise."""
    charge = {"conn_charge_cable": "SAE", "charging_state": state, "charge_limit_soc": limit}
    return Vehicle.parse({"charge_state": charge, "vehicle_state": {"odometer": odometer}})


def _after(*states: str | None, asked: bool | None = None) -> bool:
    """Return whether a person decides after these states. The plan asks just before the last one."""
    session = ChargingSession()
    for index, state in enumerate(states):
        if index == len(states) - 1 and asked is not None:
            session = replace(session, asked=asked)
        session = session.observed(LATER + 3600 * index, _car(state, 100.0))
    return session.is_manual


@pytest.mark.parametrize(
    ("states", "asked", "is_manual"),
    [
        # The car starts by itself when it is plugged in, and ends at its limit.
        (("disconnected", "charging"), None, False),
        (("charging", "complete"), None, False),
        (("charging", "stopped"), None, True),
        (("stopped", "charging"), None, True),
        # By the plan
        (("charging", "stopped"), False, False),
        (("stopped", "charging"), True, False),
        (("stopped", "starting", "charging"), True, True),
        # Against the plan
        (("charging", "stopped"), True, True),
        (("stopped", "charging"), False, True),
        # A complete car does not begin again by itself, whatever the plan asked for before.
        (("charging", "complete", "charging"), None, True),
        (("charging", "complete", "charging"), True, True),
        # A power cut is no person.
        (("charging", "NoPower"), None, False),
        (("NoPower", "charging"), False, False),
        (("charging", None, "charging"), None, False),
    ],
)
def test_who_decides(*, states: tuple[str | None, ...], asked: bool | None, is_manual: bool) -> None:
    assert _after(*states, asked=asked) is is_manual


@pytest.mark.parametrize("asked", [None, True, False])
def test_complete_car_goes_on_by_itself_when_its_limit_is_raised(*, asked: bool | None) -> None:
    session = ChargingSession(plugged_at=PLUGGED, state="complete", limit=80.0, asked=asked)
    # The new limit can be seen before the car has begun.
    for state in ("complete", "charging"):
        session = session.observed(LATER, _car(state, limit=90))
    assert not session.is_manual


def test_drive_begins_a_new_session_also_if_nobody_saw_that_the_car_was_unplugged() -> None:
    session = ChargingSession().observed(PLUGGED, _car("stopped", 100.0))
    assert session.observed(LATER, _car("charging", 100.0)).is_manual
    driven = session.observed(LATER, _car("charging", 105.0))
    assert (driven.is_manual, driven.plugged_at) == (False, LATER)


def test_car_that_needs_a_moment_to_start_after_it_was_plugged_in() -> None:
    session = ChargingSession().observed(PLUGGED, _car("stopped"))
    assert not session.observed(PLUGGED + 100, _car("charging")).is_manual


@pytest.mark.parametrize(("seconds", "is_manual"), [(100, False), (200, True)])
def test_car_that_charges_again_soon_after_the_plan_stopped_it(seconds: float, *, is_manual: bool) -> None:
    """It can do so several times. Later, a person has started it."""

    def observed(session: ChargingSession, at: float, state: str) -> ChargingSession:
        return session.observed(at, _car(state))

    session = observed(ChargingSession(), PLUGGED, "charging")
    for begin in (LATER, LATER + 9000):
        session = observed(replace(session, asked=False), begin, "stopped")
        session = observed(session, begin + seconds / 2, "stopped")
        session = observed(session, begin + seconds, "charging")
        assert session.is_manual is is_manual
        again = observed(observed(session, begin + seconds + 10, "stopped"), begin + 130, "charging")
        assert again.is_manual
        session = observed(replace(session, asked=True), begin + 4000, "charging")


@pytest.mark.parametrize(
    ("state", "charge", "was_needed", "is_planned", "is_decision"),
    [
        # A person changes what the car does.
        ("stopped", True, True, False, True),
        ("charging", False, True, False, True),
        ("charging", False, True, True, True),
        # A bedtime scene turns off what is off.
        ("stopped", False, False, False, False),
        ("complete", True, False, False, False),
        # A person agrees with the plan.
        ("charging", True, False, True, False),
        ("charging", True, True, True, False),
        # A person changes what the plan is about to do.
        ("stopped", False, False, True, True),
        ("charging", True, False, False, True),
    ],
)
def test_only_what_changes_something_is_a_decision(
    *, state: str, charge: bool, was_needed: bool, is_planned: bool, is_decision: bool
) -> None:
    session = ChargingSession(plugged_at=PLUGGED, state=state)
    after = session.by_person(charge=charge, was_needed=was_needed, is_planned=is_planned)
    assert after.is_manual is is_decision


def test_charge_that_ended_while_the_car_slept_is_no_decision() -> None:
    session = ChargingSession(plugged_at=PLUGGED, state="charging", has_slept=True)
    assert not session.observed(LATER, _car("stopped")).is_manual
    # Its last state says nothing of a person's stop, which had nothing to do.
    assert session.by_person(charge=False, was_needed=False, is_planned=True).is_manual


def test_stored() -> None:
    session = ChargingSession(plugged_at=PLUGGED, state="stopped", speed=7.0, asked=False, is_manual=True)
    session = replace(session, stopped_at=LATER)
    assert ChargingSession.restored(session.as_json()) == session
    # Version 1.0.0 also stored how often charging was started.
    assert ChargingSession.restored({**session.as_json(), "starts": 2, "ready_by": 1.0}) == session
    for damaged in ({"state": 1}, None):
        assert ChargingSession.restored(damaged) == ChargingSession()


HOUSE: Final = HouseShare(surplus=8.4, lasting=8.4, has_surplus=True)
ON: Final = SurplusCharge(is_on=True)


def _amps(**values: Any) -> float | None:
    """Return the current that is set for a car with 16 A."""
    charge = {"charge_current_request": 16, **values.pop("charge", {})}
    return decide(_snapshot(charge=charge, **values)).amps


@pytest.mark.parametrize(
    ("values", "amps"),
    [
        ({}, None),
        # By the surplus
        ({"house": HOUSE, "surplus": ON}, 8),
        ({"house": HOUSE, "surplus": ON, "state": "Charging", "charge": {"charge_current_request": 8}}, None),
        ({"house": HOUSE._replace(surplus=99.0), "surplus": ON, "state": "Charging"}, None),
        ({"house": HOUSE._replace(surplus=None), "surplus": ON, "state": "Charging"}, 5),
        ({"house": HOUSE, "surplus": ON, "options": VehicleOptions(least_amps=12), "state": "Charging"}, 12),
        ({"house": HOUSE, "surplus": ON, "is_busy": True}, None),
        ({"house": HOUSE, "surplus": ON, "amps_retry_at": AT + 1}, None),
        # By the limit
        ({"house": HouseShare(limit=10.7), "cheap": True}, 10),
        ({"house": HouseShare(limit=10.7), "cheap": True, "state": "Charging", "is_read": False}, 10),
        ({"house": HouseShare(limit=None), "cheap": True, "state": "Charging"}, 5),
        ({"house": HouseShare(limit=20.0), "cheap": True}, None),
        ({"house": HouseShare(limit=10.7)}, None),
        ({"house": HouseShare(limit=10.7), "cheap": True, "is_at_home": False, "state": "Charging"}, None),
    ],
)
def test_current(values: dict[str, Any], amps: float | None) -> None:
    assert _amps(**values) == amps


def test_current_rises_when_it_is_worth_a_command() -> None:
    charge = {"charge_current_request": 10}
    values: dict[str, Any] = {"cheap": True, "state": "Charging", "charge": charge}
    values["session"] = ChargingSession(plugged_at=AT - HOUR, state="charging", amps=10, usual_amps=16)
    for passed, amps in ((59, None), (119, None), (120, 15)):
        surplus = SurplusCharge(changed_at=AT - passed)
        assert _amps(house=HouseShare(limit=15.2), surplus=surplus, **values) == amps
    # The plan ends, and the current of the person is restored.
    assert _amps(is_on=False, **values) == 16


def test_car_waits_for_the_house() -> None:
    waits: dict[str, Any] = {"house": HouseShare(limit=3.0), "cheap": True}
    assert _action(**waits) is None
    decision = decide(_snapshot(state="Charging", charge={"charge_current_request": 16}, **waits))
    assert (decision.action, decision.notice) == (Action.STOP, Notice.WAITS_FOR_HOUSE)


def test_surplus_that_lasts_is_expected_until_sunset() -> None:
    """With 8.4 of 16 A for an hour, 0.6 * 10 kWh * 8.4 / 16 are likely of the 15 kWh that are missing."""
    values: dict[str, Any] = {"house": HOUSE, "charge": {"charge_current_request": 16}}
    plan = decide(_snapshot(sunset=AT + HOUR, **values)).plan
    assert plan.energy == pytest.approx(15 - 0.6 * 10 * 8.4 / 16)
    assert decide(_snapshot(**values)).plan.energy == 15
    # With more hours, it is likely to be enough. After the sunset, there must be time to charge without it.
    assert decide(_snapshot(sunset=AT + 6 * HOUR, **values)).plan.reason is Reason.SURPLUS
    late = decide(_snapshot(sunset=AT + 10.5 * HOUR, **values)).plan
    assert late.energy == pytest.approx(15 - 10 * 0.25)


def test_person_sets_another_current() -> None:
    """The plan has set 8 A instead of 16. A car can round that. What differs later is of a person."""
    session = ChargingSession().with_amps(8, 16)

    def shown(session: ChargingSession, amps: float) -> tuple[float | None, float | None]:
        charge = {"charging_state": "Charging", "charge_current_request": amps}
        seen = session.observed(LATER, Vehicle.parse({"charge_state": charge}))
        return seen.amps, seen.usual_amps

    assert shown(session, 8) == (8, 16)
    assert shown(session, 9) == (9, 16)
    assert shown(session, 16) == (None, None)
    seen = replace(session, is_amps_seen=True)
    assert (shown(seen, 8), shown(seen, 9)) == ((8, 16), (None, None))
    assert shown(seen.with_amps(6, 8), 6) == (6, 16)


@pytest.mark.parametrize(
    ("values", "amps"),
    [
        # Complete soon, or not woken: the plan leaves the charge alone, but the house does not.
        ({"charge": {"battery_level": 80, "charge_current_request": 7}}, None),
        ({"charge": {"battery_level": 80, "charge_current_request": 16}}, 7),
        ({"options": VehicleOptions(wake_for_commands=False)}, 7),
        # The plan is about to stop it.
        ({"prices_awaited_until": AT + 60}, 7),
    ],
)
def test_limit_counts_while_the_car_charges(values: dict[str, Any], amps: float | None) -> None:
    charge = {"charge_current_request": 16, **values.pop("charge", {})}
    surplus = SurplusCharge(changed_at=AT - 10)
    session = ChargingSession(
        plugged_at=AT - HOUR, state="charging", amps=7, usual_amps=16, is_amps_seen=True
    )
    if charge["charge_current_request"] == 16:
        session = replace(session, amps=None, usual_amps=None)
    house = HouseShare(limit=7.5)
    decision = decide(
        _snapshot(state="Charging", charge=charge, house=house, surplus=surplus, session=session, **values)
    )
    assert decision.amps == amps


def test_surplus_charge_goes_on_after_the_departure() -> None:
    """It is not a charge that should have ended, so it does not take more from the grid."""
    session = ChargingSession(plugged_at=AT - 20 * HOUR, state="charging", asked=True, is_for_surplus=True)
    since = AT - 14 * HOUR
    charge = {"charge_current_request": 8}
    values: dict[str, Any] = {"house": HOUSE, "surplus": ON, "charging_since": since, "charge": charge}
    decision = decide(_snapshot(state="Charging", session=session, **values))
    assert (decision.amps, decision.plan.is_charging_at(AT)) == (None, False)
    without = replace(session, is_for_surplus=False)
    decision = decide(_snapshot(state="Charging", session=without, charging_since=since))
    assert decision.plan.is_charging_at(AT)


def test_current_is_set_only_with_the_start() -> None:
    """A car without power, or whose start is tried later, gets no current for each change of the sun."""
    values: dict[str, Any] = {"house": HOUSE, "surplus": ON, "charge": {"charge_current_request": 16}}
    assert decide(_snapshot(state="NoPower", **values)).amps is None
    later = Attempts(count=1, retry_at=AT + STEP)
    assert decide(_snapshot(attempts=later, **values))[3:5] == (None, None)
    # Nor is it started with another current.
    decision = decide(_snapshot(amps_retry_at=AT + 60, **values))
    assert (decision.action, decision.amps, decision.attempts, decision.next_at) == (
        None,
        None,
        Attempts(),
        AT + 60,
    )


def test_current_elsewhere_is_not_that_of_a_person() -> None:
    session = replace(ChargingSession(plugged_at=AT).with_amps(6, 16), is_amps_seen=True)
    charge = {"charge_current_request": 32}
    away = decide(_snapshot(session=session, charge=charge, is_at_home=False)).session
    unplugged = decide(_snapshot(session=session, charge=charge, state="Disconnected")).session
    assert (away.usual_amps, unplugged.usual_amps) == (16, 16)


@pytest.mark.parametrize(
    ("values", "amps", "next_at"),
    [
        ({}, 16, math.inf),
        # What shows that the current can be set calls the plan.
        ({"is_read": False}, None, math.inf),
        ({"amps_retry_at": AT + 60}, None, AT + 60),
        ({"options": VehicleOptions(is_read_only=True)}, None, math.inf),
        ({"is_other_vehicle": True}, None, math.inf),
        ({"charge": {"fast_charger_present": True}}, None, math.inf),
    ],
)
def test_plan_that_is_off_restores_the_current(
    values: dict[str, Any], amps: float | None, next_at: float
) -> None:
    charge = {"charge_current_request": 6, **values.pop("charge", {})}
    session = ChargingSession(amps=6, usual_amps=16, is_amps_seen=True)
    decision = decide(_snapshot(is_on=False, session=session, charge=charge, **values))
    assert (decision.action, decision.amps, decision.next_at) == (None, amps, next_at)


@pytest.mark.parametrize("night", ["2026-10-24", "2026-03-28", "2026-05-01"])
@pytest.mark.parametrize(("price_cheap", "reason"), [(0.1, Reason.CHEAPEST), (None, Reason.CHEAP_HOURS)])
def test_cheap_hours(price_cheap: float | None, reason: Reason, night: str) -> None:
    """They end at the same local time when the clocks change. Their cost is known if both prices are."""
    now = datetime.fromisoformat(f"{night}T20:00").replace(tzinfo=NOW.tzinfo)
    options = VehicleOptions(cheap_hours=(time(22), time(6)), price=0.3, price_cheap=price_cheap)
    plan = decide(_snapshot(now=now, prices=(), options=options)).plan
    ready_by = datetime.fromtimestamp(plan.ready_by or 0.0, NOW.tzinfo)
    assert (plan.reason, plan.end, ready_by.hour) == (reason, ready_by.timestamp() - HOUR, 7)
    prices = {slot.price for slot in plan.slots}, {slot.price for slot in plan.prices}
    assert prices == ({price_cheap}, {price_cheap, 0.3 if price_cheap else None})
    assert (plan.cost is None) is (price_cheap is None)
