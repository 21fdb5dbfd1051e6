"""Entities for cars with different equipment, settings and names, and for a legacy service.

`test_every_field` tests which entities depend on the equipment.
"""

from typing import Literal

from homeassistant.const import STATE_UNAVAILABLE
import pytest

from custom_components.vehicle_remote_access.simulator import Simulator

from .conftest import Home, logged_problems

type Profile = Literal["current-2019", "legacy-2018"]

# All simulated cars. Each test keeps one of them.
pytestmark = pytest.mark.parametrize("cars", [5])


@pytest.fixture
def chosen() -> tuple[str, Profile]:
    """The car and the profile of the service, unless a parameter names others: one with a sunroof."""
    return "Aurora", "current-2019"


@pytest.fixture
def simulator(simulator: Simulator, chosen: tuple[str, Profile]) -> Simulator:
    """A service with this profile and only this car, which is awake."""
    name, simulator.switches.profile = chosen
    simulator.vehicles[:] = [car for car in simulator.vehicles if car.name == name]
    simulator.vehicles[0].wake()
    return simulator


@pytest.mark.parametrize(
    "chosen",
    [*((name, "current-2019") for name in ("Pebble", "Bluebell", "Juniper")), ("Noordster", "legacy-2018")],
)
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_all_entities_of_every_car_are_available(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    await home.poll()
    assert STATE_UNAVAILABLE not in home.states().values()
    assert not logged_problems(caplog)


@pytest.mark.parametrize("chosen", [("Pebble", "current-2019")])
@pytest.mark.parametrize(
    ("empty", "name"),
    [
        (["display_name"], "Pebble"),
        (["vehicle_state.vehicle_name"], "Pebble"),
        (["display_name", "vehicle_state.vehicle_name"], "Model 3 2020"),
    ],
)
async def test_unnamed_car_has_the_name_of_its_model(empty_home: Home, empty: list[str], name: str) -> None:
    for path in empty:
        empty_home.simulator.faults.corrupt(path, "")
    await empty_home.set_up()
    assert empty_home.device.name == name
    prefix = name.lower().replace(" ", "_")
    assert empty_home.entity_id("lock", "vehicle_state.locked") == f"lock.{prefix}_doors"
    assert empty_home.entity_id("sensor", "charge_state.battery_level") == f"sensor.{prefix}_battery"


@pytest.mark.parametrize("chosen", [("Aurora", "legacy-2018")])
async def test_legacy_service_is_detected(home: Home) -> None:
    """After each start, the newer endpoint is requested three times before it counts as missing."""
    for _ in range(2):
        for _ in range(5):
            await home.poll()
        assert len(home.requests("/vehicle_data")) == 3
        home.simulator.requests.clear()
        await home.restart()
