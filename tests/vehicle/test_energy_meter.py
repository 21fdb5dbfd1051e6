"""What was charged, from one read of the car to the next."""

from datetime import UTC, datetime, timedelta
import logging
from typing import Any, Final

from homeassistant.components.energy.websocket_api import async_get_energy_platforms
import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.vehicle.energy_meter import Meter

from ..conftest import Home

START: Final = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def read(added: float | None, charging_state: str = "Charging", miles: float = 1000) -> Vehicle:
    """Return a car as it answers."""
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


def after(*reads: Vehicle) -> Meter:
    """Return the meter after reads that lie a minute apart."""
    meter = Meter()
    for minute, vehicle in enumerate(reads):
        meter = meter.after(vehicle, START + timedelta(minutes=minute))
    return meter


def test_one_session() -> None:
    """What is added while it charges is counted once."""
    assert after(read(0), read(1.5), read(4)).lifetime == 4


def test_what_was_before_is_not_counted() -> None:
    """What the car had charged before it was known here is nobody's to count."""
    assert after(read(30), read(31)).lifetime == 1


def test_no_session_is_seen_to_begin() -> None:
    """A counter that only grows does not say when it began."""
    assert after(read(3), read(4)).session_began is None


def test_counter_begins_anew() -> None:
    """A counter that falls, and stays there, belongs to a new session, of which all counts."""
    meter = after(read(0), read(10), read(0.5), read(0.6))
    assert (meter.lifetime, meter.session_began) == (10.6, START + timedelta(minutes=3))


@pytest.mark.parametrize("wrong", [[0], [0, None], [1.5]])
def test_wrong_figure(wrong: list[float | None]) -> None:
    """A single figure that is far too low is no new session: nothing is counted twice."""
    meter = after(read(0), read(10), *map(read, wrong), read(10.1), read(10.2))
    assert meter.lifetime == pytest.approx(10.2)
    assert meter.session_began is None


def test_two_wrong_figures() -> None:
    """Two of them that do not follow each other are two single ones."""
    assert after(read(0), read(10), read(0), read(10), read(0), read(10)).lifetime == 10


def test_session_that_nobody_saw_begin() -> None:
    """After the cable was out, another figure is another session's, even a greater one."""
    meter = after(read(0), read(5), read(5, "Disconnected"), read(12))
    assert (meter.lifetime, meter.session_began) == (17, START + timedelta(minutes=3))


def test_unplugged_at_once() -> None:
    """What was added just before the cable was pulled out belongs to the session that ended with it."""
    meter = after(read(0), read(5), read(5.2, "Disconnected"))
    assert meter.lifetime == pytest.approx(5.2)
    assert meter.session_began is None


def test_trip_that_nobody_saw() -> None:
    """A car that has been driven was unplugged, so what it has charged since is another session's."""
    meter = after(read(0), read(5, "Complete"), read(12, "Complete", miles=1080))
    assert meter.lifetime == 17


def test_same_session_goes_on() -> None:
    """A car that charges again without having moved goes on with the same session."""
    meter = after(read(0), read(5, "Stopped"), read(8))
    assert (meter.lifetime, meter.session_began) == (8, None)


def test_correction_is_no_new_session() -> None:
    """A figure that falls by a hair has been corrected; what was counted stays counted."""
    meter = after(read(0), read(5), read(4.98), read(5.1))
    assert meter.lifetime == pytest.approx(5.1)
    assert meter.session_began is None


def test_counter_settles_without_a_cable() -> None:
    """What the counter still moves once the cable is out belongs to the session that ended."""
    meter = after(read(0), read(5), read(5, "Disconnected"), read(5.02, "Disconnected"))
    assert meter.lifetime == pytest.approx(5.02)


def test_session_begun_and_ended_unseen() -> None:
    """A car that has been driven and is out of its cable again has had another session."""
    gone = read(7, "Disconnected", miles=1050)
    assert after(read(0), read(5), read(5, "Disconnected"), gone).lifetime == 12


def test_replugged_before_the_counter_moves() -> None:
    """With the cable back in and the old figure still there, nothing is counted twice."""
    meter = after(read(0), read(5), read(5, "Disconnected"), read(5, "Starting"), read(0.2), read(0.2))
    assert meter.lifetime == pytest.approx(5.2)


@pytest.mark.parametrize("reads", [[None, None], [0, None, None]])
def test_unknown_changes_nothing(reads: list[float | None]) -> None:
    """A car that does not say how much changes nothing."""
    assert after(*map(read, reads)).lifetime == 0


def test_never_falls() -> None:
    """Whatever the car says, the lifetime counter never falls."""
    meter, before = Meter(), 0.0
    for added in (7, 3, None, 0, 0, 9, 8.9, 2, 50, 0):
        for state in ("Charging", "Complete", "Disconnected"):
            meter = meter.after(read(added, state), START)
            assert meter.lifetime >= before
            before = meter.lifetime


def test_remembered() -> None:
    """What is remembered is the same meter."""
    meter = after(read(0), read(5, "Disconnected"), read(2, "Complete"))
    assert Meter.from_json(meter.as_json()) == meter


@pytest.mark.parametrize("kept", [None, [], "x", {}, {"added": "x", "lifetime": None, "session_began": []}])
def test_spoiled_memory(kept: Any) -> None:
    """What cannot be read is begun anew."""
    assert Meter.from_json(kept) == Meter()


async def test_module_is_no_energy_platform(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """Home Assistant imports `energy.py` of every integration as a platform. Ours offers it nothing."""
    platforms = await async_get_energy_platforms(home.hass)
    assert home.entry.domain not in platforms
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]
