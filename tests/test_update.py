"""The car's software."""

from homeassistant.components.update.const import UpdateEntityFeature
import pytest

from .conftest import Home

PATH = "vehicle_state.software_update"


async def test_up_to_date(home: Home) -> None:
    """A car for which no update waits is up to date."""
    shown = home.shown("update", PATH)
    assert shown.state == "off"
    assert shown.attributes["installed_version"] == shown.attributes["latest_version"]
    assert " " not in shown.attributes["installed_version"]


@pytest.mark.parametrize("status", ["available", "scheduled", "downloading", "downloading_wifi_wait"])
async def test_update_waits(home: Home, status: str) -> None:
    """An update that waits is shown, although the service does not say which version it is."""
    home.simulator.faults.corrupt(f"{PATH}.status", status)
    await home.poll()
    shown = home.shown("update", PATH)
    assert shown.state == "on"
    assert shown.attributes["latest_version"] == "pending"
    assert not shown.attributes["in_progress"]


async def test_installing(home: Home) -> None:
    """An update that is being installed is shown as that."""
    home.simulator.faults.corrupt(f"{PATH}.status", "installing")
    await home.poll()
    assert home.shown("update", PATH).attributes["in_progress"]


@pytest.mark.parametrize("path", [f"{PATH}.status", PATH, "vehicle_state.car_version"])
async def test_unknown(home: Home, path: str) -> None:
    """Without the status, or without the version, nobody knows."""
    home.simulator.faults.remove(path)
    await home.poll()
    assert home.shown("update", PATH).state == "unknown"


async def test_install_is_not_offered(home: Home) -> None:
    """The service has no command to install it, so Home Assistant offers none."""
    offered = UpdateEntityFeature(home.shown("update", PATH).attributes["supported_features"])
    assert UpdateEntityFeature.INSTALL not in offered
