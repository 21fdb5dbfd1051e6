"""The services that owners can sign up for today, as differences from the interface document.

They were written from the documentation of these services, read on 2026-11-24:

- Tesla Fleet API: https://developer.tesla.com/docs/fleet-api/getting-started/conventions, and the pages
  vehicle-endpoints, vehicle-commands, user-endpoints, billing-and-limits, and faq of the same documentation
- Tessie: https://developer.tessie.com/reference/access-tesla-fleet-api and .../reference/get-state
- Teslemetry: https://teslemetry.com/docs/getting-started/api, https://teslemetry.com/docs/topics/ratelimits,
  and https://teslemetry.com/blog/vehicle-data-caching
"""

from collections.abc import Mapping
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator import OTHER, USUAL_TOKEN_LIFETIME, Simulator

FLEET: Final[Mapping[str, Any]] = {
    "profile": "fleet-2024",
    "vin_in_path": True,
    "values_in_body": True,
    "vehicle_data_endpoints": True,
    "require_content_type": True,
    "wake_shape": "object",
    "mobile_enabled_shape": "result",
    "roof_commands": "moves",
    "remote_password": "any",
}
"""What the services of this family have in common."""
SERVICES: Final[Mapping[str, Mapping[str, Any]]] = {
    OTHER: {},
    "tessie": {**FLEET, "cached_when_asleep": True, "token_error": "Invalid access token"},
    "teslemetry": {**FLEET, "cached_when_asleep": True, "id_in_path": False, "rate_limit": 30},
    "tesla_fleet": {
        **FLEET,
        "region": "eu",
        "rate_limit": 60,
        "rate_limit_headers": True,
        "signing_required": "newer_cars",
        "token_error": "token expired (401)",
        "token_lifetime": USUAL_TOKEN_LIFETIME,
    },
}
"""The switches of each service that differ from the interface document."""


def create_service(service: str, **options: Any) -> Simulator:
    """Return a simulator that plays a service, a key of SERVICES. The options are those of Simulator."""
    simulator = Simulator(**options)
    simulator.service = service
    for switch, value in SERVICES[service].items():
        setattr(simulator.switches, switch, value)
    return simulator
