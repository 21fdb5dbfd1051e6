"""The plan leaves a charge alone that a person has started or stopped."""

from dataclasses import replace
from typing import Final

import pytest

from custom_components.vehicle_remote_access.charging_plan.session import ChargingSession

PLUGGED: Final = 1000.0
LATER: Final = 5000.0


def _after(*states: str | None, asked: bool | None = None) -> bool:
    """Return whether a person decides after these states. The plan asks just before the last one."""
    session = ChargingSession()
    for index, state in enumerate(states):
        if index == len(states) - 1 and asked is not None:
            session = replace(session, asked=asked)
        session = session.observed(LATER + 3600 * index, state, 100.0, is_plugged_in=state != "disconnected")
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
        # The car goes on by itself when its limit is raised.
        (("charging", "complete", "charging"), None, False),
        # A power cut is no person.
        (("charging", "no_power"), None, False),
        (("no_power", "charging"), False, False),
        (("charging", None, "charging"), None, False),
    ],
)
def test_who_decides(*, states: tuple[str | None, ...], asked: bool | None, is_manual: bool) -> None:
    assert _after(*states, asked=asked) is is_manual


def test_driven_while_nobody_looked() -> None:
    """A car that was driven is plugged in anew, even if it was not seen unplugged."""
    session = ChargingSession().observed(PLUGGED, "stopped", 100.0, is_plugged_in=True)
    assert session.observed(LATER, "charging", 100.0, is_plugged_in=True).is_manual
    driven = session.observed(LATER, "charging", 105.0, is_plugged_in=True)
    assert (driven.is_manual, driven.plugged_at) == (False, LATER)


def test_car_that_needs_a_moment_to_start_after_it_was_plugged_in() -> None:
    session = ChargingSession().observed(PLUGGED, "stopped", None, is_plugged_in=True)
    assert not session.observed(PLUGGED + 100, "charging", None, is_plugged_in=True).is_manual


@pytest.mark.parametrize(("seconds", "is_manual"), [(100, False), (200, True)])
def test_car_that_charges_again_soon_after_the_plan_stopped_it(seconds: float, *, is_manual: bool) -> None:
    """It can do so several times. Later, a person has started it."""

    def observed(session: ChargingSession, at: float, state: str) -> ChargingSession:
        return session.observed(at, state, None, is_plugged_in=True)

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
    assert not session.observed(LATER, "stopped", None, is_plugged_in=True).is_manual
    # Its last state says nothing of a person's stop, which had nothing to do.
    assert session.by_person(charge=False, was_needed=False, is_planned=True).is_manual


def test_stored() -> None:
    session = ChargingSession(plugged_at=PLUGGED, state="stopped", speed=7.0, asked=False, is_manual=True)
    session = replace(session, stopped_at=LATER)
    assert ChargingSession.from_json(session.as_json()) == session
    # Version 1.0.0 also stored how often charging was started.
    assert ChargingSession.from_json({**session.as_json(), "starts": 2, "ready_by": 1.0}) == session
    for damaged in ({"state": 1}, None):
        assert ChargingSession.from_json(damaged) == ChargingSession()
