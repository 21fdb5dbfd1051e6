"""The update entity of the car's software. `test_snapshots` has a car without an update."""

from .conftest import Home
from .field_places import report

PATH = "vehicle_state.software_update"


async def test_update_is_shown_as_version_pending(home: Home) -> None:
    for status in ("available", "scheduled", "downloading", "downloading_wifi_wait", "installing"):
        await report(home, {f"{PATH}.status": status})
        shown = home.shown("update", PATH)
        assert shown.state == "on"
        assert shown.attributes["latest_version"] == "pending"
        assert shown.attributes["in_progress"] is (status == "installing")


async def test_state_is_unknown_without_the_status_or_the_installed_version(home: Home) -> None:
    for path in (f"{PATH}.status", PATH, "vehicle_state.car_version"):
        assert home.shown("update", PATH).state == "off"
        home.simulator.faults.remove(path)
        await home.poll()
        assert home.shown("update", PATH).state == "unknown", path
        home.simulator.faults.clear()
        await home.poll()


async def test_number_of_the_version_is_not_shown_for_a_service_that_does_not_document_it(home: Home) -> None:
    home.simulator.faults.corrupt("vehicle_state.software_update.version", "2030.1")
    home.car.offer_update()
    await home.poll()
    assert home.shown("update", "vehicle_state.software_update").attributes["latest_version"] == "pending"
