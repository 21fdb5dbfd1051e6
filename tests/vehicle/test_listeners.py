"""Tests of the listeners of a vehicle's fields."""

from functools import partial

import pytest

from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.vehicle.listeners import FieldListeners

LEVEL = ChargeState.battery_level


def test_listener_that_another_one_removes_is_not_called() -> None:
    listeners, calls = FieldListeners("A car"), list[str]()

    def remove_next() -> None:
        calls.append("first")
        remove()

    listeners.add([LEVEL], remove_next)
    remove = listeners.add([LEVEL], partial(calls.append, "second"))
    listeners.notify([LEVEL])
    assert calls == ["first"]


def test_failing_listener_does_not_affect_others(caplog: pytest.LogCaptureFixture) -> None:
    listeners, calls = FieldListeners("A car"), list[str]()

    def fail() -> None:
        raise RuntimeError

    listeners.add([LEVEL], fail)
    listeners.add([LEVEL], partial(calls.append, "level"))
    listeners.notify([LEVEL])
    assert calls == ["level"]
    assert "Error in a listener of A car" in caplog.text
