"""The plan leaves a charge alone that a person has started or stopped."""

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
            session = session.asking(charge=asked, ready_by=9e9)
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


def test_until_it_is_unplugged() -> None:
    assert _after("charging", "stopped", "stopped")
    assert not _after("charging", "stopped", "disconnected", "charging")


def test_driven_while_nobody_looked() -> None:
    """A car that was driven is plugged in anew, even if it was not seen unplugged."""
    session = ChargingSession().observed(PLUGGED, "stopped", 100.0, is_plugged_in=True)
    assert session.observed(LATER, "charging", 100.0, is_plugged_in=True).is_manual
    driven = session.observed(LATER, "charging", 105.0, is_plugged_in=True)
    assert (driven.is_manual, driven.plugged_at) == (False, LATER)


def test_car_that_needs_a_moment_to_start_after_it_was_plugged_in() -> None:
    session = ChargingSession().observed(PLUGGED, "stopped", None, is_plugged_in=True)
    assert not session.observed(PLUGGED + 100, "charging", None, is_plugged_in=True).is_manual


def test_starts_are_counted_for_each_departure() -> None:
    session = ChargingSession()
    for charge in (True, False, True):
        session = session.asking(charge=charge, ready_by=9e9)
    assert (session.starts_until(9e9), session.starts_until(9e9 + 86_400)) == (2, 0)
    for is_plugged_in in (False, True):
        session = session.observed(LATER, None, None, is_plugged_in=is_plugged_in)
    assert (session.starts_until(9e9), session.asked) == (2, None)
    assert ChargingSession.from_json(session.as_json()) == session
    for damaged in ({"starts": "many"}, None):
        assert ChargingSession.from_json(damaged) == ChargingSession()
