"""Tests of the listeners of a vehicle's fields."""

from functools import partial

from custom_components.vehicle_remote_access.api.records import ChargeState, VehicleState
from custom_components.vehicle_remote_access.vehicle.listeners import DerivedValue, FieldListeners

LEVEL = ChargeState.battery_level
LOCKED = VehicleState.locked


def test_only_listeners_of_the_key_are_called() -> None:
    """A listener is called for its own keys, and not for others."""
    listeners, calls = FieldListeners("A car"), list[str]()
    listeners.add([LEVEL], partial(calls.append, "level"))
    listeners.add([LOCKED], partial(calls.append, "locked"))
    listeners.notify([LEVEL])
    assert calls == ["level"]


def test_listener_is_called_once_for_several_keys() -> None:
    """A listener of several changed keys is called once, in the order of registration."""
    listeners, calls = FieldListeners("A car"), list[int]()
    for number in range(3):
        listeners.add([LEVEL, LOCKED], partial(calls.append, number))
    listeners.notify([LEVEL, LOCKED])
    assert calls == [0, 1, 2]


def test_availability_is_a_key_of_all_listeners() -> None:
    """A change of the availability calls every listener."""
    listeners, calls = FieldListeners("A car"), list[str]()
    listeners.add([LEVEL], partial(calls.append, "level"))
    listeners.add([], partial(calls.append, "none"))
    listeners.notify([DerivedValue.AVAILABILITY])
    assert calls == ["level", "none"]


def test_removed_listener_is_not_called() -> None:
    """A removed listener is not called, even if another listener removes it during the notification."""
    listeners, calls = FieldListeners("A car"), list[str]()

    def remove_next() -> None:
        calls.append("first")
        remove()

    listeners.add([LEVEL], remove_next)
    remove = listeners.add([LEVEL], partial(calls.append, "second"))
    listeners.notify([LEVEL])
    listeners.notify([LOCKED])
    assert calls == ["first"]


def test_listener_may_notify() -> None:
    """A listener that causes another notification loses no call of another listener."""
    listeners, calls = FieldListeners("A car"), list[str]()

    def notify_again() -> None:
        calls.append("level")
        listeners.notify([LOCKED])

    listeners.add([LEVEL], notify_again)
    listeners.add([LOCKED, LEVEL], partial(calls.append, "both"))
    listeners.notify([LEVEL])
    assert calls == ["level", "both", "both"]
