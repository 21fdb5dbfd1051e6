"""Switches for the differences between today's services and the interface document."""

from dataclasses import dataclass
from typing import Literal

from custom_components.vehicle_remote_access.simulator.faults.switches import Switches


@dataclass(slots=True)
class ServiceSwitches(Switches):
    """The switches of a `SimulatedService`: those of each simulator, and those of today's services."""

    id_in_path: bool = True
    """Whether a path can contain the id. At the Fleet API's family, it can also contain the VIN."""
    signing_required: Literal["never", "newer_cars", "always"] = "never"
    """Which cars get a 403 response to unsigned commands. A Model S or X built before 2021 is not newer."""
    cached_when_asleep: bool = False
    """Whether data reads of a sleeping car return the last known data instead of 408."""
    region: Literal["", "na", "eu", "cn"] = ""
    """The region that GET /api/1/users/region returns; empty: that endpoint doesn't exist."""
    region_url: str = ""
    """The address of the account's region, if it isn't this one. Other requests get a 421 response."""
    unregistered: bool = False
    """Whether all requests get a 412 response, because the application isn't registered in this region."""
    rate_limit: int = 0
    """Requests per minute before a 429 response; 0 for no limit."""
    rate_limit_headers: bool = False
    """Whether responses have RateLimit-Limit, RateLimit-Remaining, and RateLimit-Reset, with a limit."""
