"""The update entity of the car's software."""

from homeassistant.components.update.const import UpdateEntityFeature
import pytest

from .conftest import Home

PATH = "vehicle_state.software_update"


async def test_up_to_date(home: Home) -> None:
    """A car without a pending update is up to date. The service has no command to install an update."""
    shown = home.shown("update", PATH)
    assert shown.state == "off"
    assert shown.attributes["installed_version"] == shown.attributes["latest_version"]
    assert " " not in shown.attributes["installed_version"]
    features = UpdateEntityFeature(shown.attributes["supported_features"])
    assert UpdateEntityFeature.INSTALL not in features


async def test_pending_update(home: Home) -> None:
    """A pending update is shown as version "pending": the service does not report its version."""
    for status in ("available", "scheduled", "downloading", "downloading_wifi_wait", "installing"):
        home.simulator.faults.corrupt(f"{PATH}.status", status)
        await home.poll()
        shown = home.shown("update", PATH)
        assert shown.state == "on"
        assert shown.attributes["latest_version"] == "pending"
        assert shown.attributes["in_progress"] is (status == "installing")


@pytest.mark.parametrize("path", [f"{PATH}.status", PATH, "vehicle_state.car_version"])
async def test_unknown_without_status_or_version(home: Home, path: str) -> None:
    """The state is unknown if the update status or the installed version is missing."""
    home.simulator.faults.remove(path)
    await home.poll()
    assert home.shown("update", PATH).state == "unknown"
