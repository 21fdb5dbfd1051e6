"""Tests of the listeners of a vehicle's fields."""

from functools import partial

import pytest

from custom_components.vehicle_remote_access.api.records import ChargeState, VehicleState
from custom_components.vehicle_remote_access.vehicle.listeners import DerivedValue, FieldListeners

LEVEL = ChargeState.battery_level
LOCKED = VehicleState.locked


def test_each_listener_of_any_key_is_called_once_in_the_order_of_registration() -> None:
    listeners, calls = FieldListeners("A car"), list[str]()
    listeners.add([LEVEL, LOCKED], partial(calls.append, "both"))
    listeners.add([LEVEL], partial(calls.append, "level"))
    listeners.add([], partial(calls.append, "none"))
    listeners.notify([LEVEL, LOCKED])
    assert calls == ["both", "level"]
    calls.clear()
    listeners.notify([LOCKED])
    assert calls == ["both"]
    calls.clear()
    # A change of the availability concerns every listener.
    listeners.notify([DerivedValue.AVAILABILITY])
    assert calls == ["both", "level", "none"]


def test_listener_that_another_one_removes_is_not_called() -> None:
    listeners, calls = FieldListeners("A car"), list[str]()

    def remove_next() -> None:
        calls.append("first")
        remove()

    listeners.add([LEVEL], remove_next)
    remove = listeners.add([LEVEL], partial(calls.append, "second"))
    listeners.notify([LEVEL])
    assert calls == ["first"]


def test_listener_that_notifies_loses_no_call_of_another_one() -> None:
    listeners, calls = FieldListeners("A car"), list[str]()

    def notify_again() -> None:
        calls.append("level")
        listeners.notify([LOCKED])

    listeners.add([LEVEL], notify_again)
    listeners.add([LOCKED, LEVEL], partial(calls.append, "both"))
    listeners.notify([LEVEL])
    assert calls == ["level", "both", "both"]


def test_failing_listener_does_not_affect_others(caplog: pytest.LogCaptureFixture) -> None:
    listeners, calls = FieldListeners("A car"), list[str]()

    def fail() -> None:
        raise RuntimeError

    listeners.add([LEVEL], fail)
    listeners.add([LEVEL], partial(calls.append, "level"))
    listeners.notify([LEVEL])
    assert calls == ["level"]
    assert "Error in a listener of A car" in caplog.text
