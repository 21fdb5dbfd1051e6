"""Issues of the integration, and the cars of an account."""

from homeassistant.config_entries import SOURCE_USER
from homeassistant.helpers import issue_registry as ir

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

from .conftest import Home


def issues(home: Home) -> list[ir.IssueEntry]:
    return [issue for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN]


def issue_keys(home: Home) -> list[str | None]:
    return [issue.translation_key for issue in issues(home)]


def placeholders(home: Home) -> dict[str, str] | None:
    """Return the texts in the only issue."""
    (issue,) = issues(home)
    return issue.translation_placeholders


async def add(home: Home, car: SimulatedVehicle) -> None:
    flows = home.hass.config_entries.subentries
    form = await flows.async_init((home.entry.entry_id, "vehicle"), context={"source": SOURCE_USER})
    await flows.async_configure(form["flow_id"], {"id": str(car.id)})
    await home.idle()


async def remove(home: Home, vin: str) -> None:
    (subentry_id,) = (key for key, subentry in home.entry.subentries.items() if subentry.unique_id == vin)
    home.hass.config_entries.async_remove_subentry(home.entry, subentry_id)
    await home.idle()
