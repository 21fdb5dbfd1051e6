"""The energy meter: counts the charged energy from one read of the car to the next."""

from datetime import UTC, datetime, timedelta
import logging
from typing import Any, Final

from homeassistant.components.energy.websocket_api import async_get_energy_platforms
import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.vehicle.energy_meter import EnergyMeter

from ..conftest import Home

START: Final = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def car(added: float | None, charging_state: str = "Charging", miles: float = 1000) -> Vehicle:
    """Return a car with these values."""
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


def meter_after(*readings: Vehicle) -> EnergyMeter:
    """Return the meter after readings that are a minute apart."""
    meter = EnergyMeter()
    for minute, vehicle in enumerate(readings):
        meter = meter.updated(vehicle, START + timedelta(minutes=minute))
    return meter


def test_energy_of_a_session_counts_once() -> None:
    """The energy of a session counts once."""
    assert meter_after(car(0), car(1.5), car(4)).lifetime == 4


def test_energy_from_before_does_not_count() -> None:
    """Energy that was charged before the car was added does not count."""
    assert meter_after(car(30), car(31)).lifetime == 1


def test_session_start_is_unknown_if_the_counter_only_grows() -> None:
    """The session's start is unknown if the counter only grows."""
    assert meter_after(car(3), car(4)).session_began is None


def test_counter_that_stays_low_is_a_new_session() -> None:
    """A counter that falls and stays low belongs to a new session, which counts completely."""
    meter = meter_after(car(0), car(10), car(0.5), car(0.6))
    assert (meter.lifetime, meter.session_began) == (10.6, START + timedelta(minutes=3))


@pytest.mark.parametrize("wrong_values", [[0], [0, None], [1.5]])
def test_single_wrong_value_is_no_new_session(wrong_values: list[float | None]) -> None:
    """A single value that is far too low is no new session, so no energy counts twice."""
    meter = meter_after(car(0), car(10), *map(car, wrong_values), car(10.1), car(10.2))
    assert meter.lifetime == pytest.approx(10.2)
    assert meter.session_began is None


def test_two_separate_wrong_values_are_no_new_session() -> None:
    """Two low values with a normal value between them are two single wrong values."""
    assert meter_after(car(0), car(10), car(0), car(10), car(0), car(10)).lifetime == 10


def test_other_value_after_unplugging_is_a_new_session() -> None:
    """After the cable was unplugged, any other value belongs to a new session, even a higher one."""
    meter = meter_after(car(0), car(5), car(5, "Disconnected"), car(12))
    assert (meter.lifetime, meter.session_began) == (17, START + timedelta(minutes=3))


def test_energy_before_unplugging_belongs_to_the_session() -> None:
    """Energy that was added just before the cable was unplugged belongs to the session that ended."""
    meter = meter_after(car(0), car(5), car(5.2, "Disconnected"))
    assert meter.lifetime == pytest.approx(5.2)
    assert meter.session_began is None


def test_drive_between_reads_starts_a_new_session() -> None:
    """A car that was driven was unplugged, so later energy belongs to a new session."""
    meter = meter_after(car(0), car(5, "Complete"), car(12, "Complete", miles=1080))
    assert meter.lifetime == 17


def test_session_continues_if_the_car_did_not_move() -> None:
    """A car that charges again without being moved continues the same session."""
    meter = meter_after(car(0), car(5, "Stopped"), car(8))
    assert (meter.lifetime, meter.session_began) == (8, None)


def test_correction_is_no_new_session() -> None:
    """A value that falls slightly was corrected. Counted energy stays counted."""
    meter = meter_after(car(0), car(5), car(4.98), car(5.1))
    assert meter.lifetime == pytest.approx(5.1)
    assert meter.session_began is None


def test_counter_settles_without_a_cable() -> None:
    """Small changes after the cable was unplugged belong to the session that ended."""
    meter = meter_after(car(0), car(5), car(5, "Disconnected"), car(5.02, "Disconnected"))
    assert meter.lifetime == pytest.approx(5.02)


def test_session_between_two_reads_counts() -> None:
    """A car that was driven and is unplugged again had another session in between."""
    driven = car(7, "Disconnected", miles=1050)
    assert meter_after(car(0), car(5), car(5, "Disconnected"), driven).lifetime == 12


def test_replugged_before_the_counter_moves() -> None:
    """If the cable is plugged in again and the counter is still the old one, no energy counts twice."""
    meter = meter_after(car(0), car(5), car(5, "Disconnected"), car(5, "Starting"), car(0.2), car(0.2))
    assert meter.lifetime == pytest.approx(5.2)


@pytest.mark.parametrize("values", [[None, None], [0, None, None]])
def test_unknown_value_changes_nothing(values: list[float | None]) -> None:
    """An unknown counter value changes nothing."""
    assert meter_after(*map(car, values)).lifetime == 0


def test_lifetime_never_falls() -> None:
    """The lifetime counter never falls, whatever values the car reports."""
    meter, before = EnergyMeter(), 0.0
    for added in (7, 3, None, 0, 0, 9, 8.9, 2, 50, 0):
        for state in ("Charging", "Complete", "Disconnected"):
            meter = meter.updated(car(added, state), START)
            assert meter.lifetime >= before
            before = meter.lifetime


def test_stored_meter_is_restored() -> None:
    """The stored meter is restored unchanged."""
    meter = meter_after(car(0), car(5, "Disconnected"), car(2, "Complete"))
    assert EnergyMeter.from_json(meter.as_json()) == meter


@pytest.mark.parametrize("stored", [None, [], "x", {}, {"added": "x", "lifetime": None, "session_began": []}])
def test_invalid_storage_is_ignored(stored: Any) -> None:
    """Invalid stored data results in a new meter."""
    assert EnergyMeter.from_json(stored) == EnergyMeter()


async def test_module_is_no_energy_platform(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """Home Assistant imports `energy.py` of every integration as a platform. This one offers no platform."""
    platforms = await async_get_energy_platforms(home.hass)
    assert home.entry.domain not in platforms
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
