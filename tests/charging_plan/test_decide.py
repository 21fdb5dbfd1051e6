"""What the plan does follows from one snapshot: each state of the car, its owner and the service."""

from dataclasses import replace
from datetime import datetime, time
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from custom_components.vehicle_remote_access.account.options import VehicleOptions
from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.charging_plan.decide import (
    Action,
    Attempts,
    Decision,
    Reach,
    Snapshot,
    decide,
)
from custom_components.vehicle_remote_access.charging_plan.planner import STEP
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
        "ready_by": time(7),
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
