"""The energy meter: counts the charged energy from one read of the car to the next."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.drive_log.energy_meter import EnergyMeter

START: Final = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def car(added: float | None, charging_state: str = "Charging", miles: float = 1000) -> Vehicle:
    return Vehicle.parse(
        {
            "charge_state": {
                "charge_energy_added": added,
                "charging_state": charging_state,
                "conn_charge_cable": "<invalid>" if charging_state == "Disconnected" else "SAE",
            },
            "vehicle_state": {"odometer": miles},
        }
    )


def meter_after(*readings: Vehicle, step: timedelta = timedelta(hours=1)) -> EnergyMeter:
    """Return the meter after readings at equal distances."""
    meter = EnergyMeter()
    for number, vehicle in enumerate(readings):
        meter = meter.updated(vehicle, START + number * step)
    return meter


UNPLUGGED: Final = car(5, "Disconnected")


@pytest.mark.parametrize(
    ("readings", "lifetime", "began_at"),
    [
        pytest.param([car(0), car(1.5), car(4)], 4, None, id="energy counts once"),
        pytest.param([car(30), car(31)], 1, None, id="energy from before does not count"),
        pytest.param([car(0), car(10), car(0.5), car(0.6)], 10.6, 3, id="counter stays low: new session"),
        pytest.param([car(0), car(10), car(0), car(10.1), car(10.2)], 10.2, None, id="one wrong value"),
        pytest.param([car(0), car(10), car(0), car(None), car(10.2)], 10.2, None, id="wrong, then unknown"),
        pytest.param([car(0), car(10), car(1.5), car(10.1)], 10.1, None, id="one low value"),
        pytest.param([car(0), car(10), car(0), car(10), car(0)], 10, None, id="two separate wrong values"),
        pytest.param([car(0), car(5), car(4.98), car(5.1)], 5.1, None, id="corrected value"),
        pytest.param([car(0), car(5), UNPLUGGED, car(12)], 17, 3, id="other value after unplugging"),
        pytest.param([car(0), car(5), car(5.2, "Disconnected")], 5.2, None, id="settles while unplugging"),
        pytest.param([car(0), UNPLUGGED, car(5.02, "Disconnected")], 5.02, None, id="settles without cable"),
        pytest.param([car(0), car(5), UNPLUGGED, car(7, "Disconnected", miles=1050)], 12, 3, id="and driven"),
        pytest.param([car(0), car(5, "Complete"), car(12, "Complete", miles=1080)], 17, 2, id="unseen drive"),
        pytest.param(
            [car(0), car(20, "Complete"), car(40, "Disconnected", miles=1080)],
            60,
            2,
            id="driven to a fast charger between reads",
        ),
        pytest.param([car(0), car(5, "Stopped"), car(8)], 8, None, id="continued session"),
        pytest.param([car(0), UNPLUGGED, car(5, "Starting"), car(0.2), car(0.2)], 5.2, 3, id="old counter"),
        pytest.param([car(None), car(None)], 0, None, id="unknown"),
        pytest.param([car(0), car(None), car(None)], 0, None, id="known, then unknown"),
    ],
)
def test_sessions(readings: list[Vehicle], lifetime: float, began_at: int | None) -> None:
    """Energy counts once. A session begins when the counter restarts, and not because of a wrong value."""
    meter = meter_after(*readings)
    assert meter.lifetime == pytest.approx(lifetime)
    assert meter.session_began == (None if began_at is None else START.timestamp() + 3600 * began_at)


@pytest.mark.parametrize("between", [UNPLUGGED, car(5, "Complete", miles=1003)], ids=["cable", "odometer"])
def test_wrong_sign_of_a_new_session_counts_nothing_twice(between: Vehicle) -> None:
    """No car is charged again with 5.1 kWh in a minute."""
    readings = car(0), car(5, "Complete"), between, car(5.1), car(5.2)
    assert meter_after(*readings, step=timedelta(minutes=1)).lifetime == pytest.approx(5.2)


def test_counter_that_falls_a_little_leaves_the_lifetime_exactly_as_it_was() -> None:
    assert EnergyMeter(added=0.4, lifetime=0.1).updated(car(0.39), START).lifetime == 0.1


@pytest.mark.parametrize("stored", [None, [], {}, {"added": "x", "lifetime": None, "session_began": []}])
def test_invalid_storage_is_ignored(stored: Any) -> None:
    assert EnergyMeter.restored(stored) == EnergyMeter()
