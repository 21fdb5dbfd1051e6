"""The services that owners can sign up for today, as differences from the interface document.

They were written from the documentation of these services, read on 2026-11-24:

- Tesla Fleet API: https://developer.tesla.com/docs/fleet-api/getting-started/conventions, and the pages
  vehicle-endpoints, vehicle-commands, user-endpoints, billing-and-limits, and faq of the same documentation
- Tessie: https://developer.tessie.com/reference/access-tesla-fleet-api and .../reference/get-state
- Teslemetry: https://teslemetry.com/docs/getting-started/api, https://teslemetry.com/docs/topics/ratelimits,
  and https://teslemetry.com/blog/vehicle-data-caching
"""

from collections.abc import Mapping
from http import HTTPStatus
import json
from typing import Any, Final, override

from aiohttp import web
from aiohttp.typedefs import Handler

from custom_components.vehicle_remote_access.simulator import (
    OTHER,
    TOKEN_PATH,
    USUAL_TOKEN_LIFETIME,
    Simulator,
)
from custom_components.vehicle_remote_access.simulator.http.access_tokens import CLIENT_ID
from custom_components.vehicle_remote_access.simulator.http.car_records import SEPARATE_RECORDS
from custom_components.vehicle_remote_access.simulator.http.endpoints import envelope
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .rate_limit import RateLimit

FLEET: Final[Mapping[str, Any]] = {"profile": "fleet-2024", "remote_password": "any"}
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


REGION_PATH: Final = "/api/1/users/region"
UNREGISTERED: Final = (
    "Account {client} must be registered in the current region {url}, please see "
    "https://developer.tesla.com/docs/fleet-api/endpoints/partner-endpoints#register"
)
OTHER_REGION: Final = (
    "user out of region, use base URL: {url}, see "
    "https://developer.tesla.com/docs/fleet-api#regional-requirements"
)
PARTS: Final = SEPARATE_RECORDS | {"vehicle_config", "vehicle_state"}
MOTION: Final = {"power", "shift_state", "speed"}
"""The fields of drive_state that don't belong to the location, besides those of the route."""
ROUTE: Final = "active_route_"
"""How the fields of the route begin."""
ON_REQUEST: Final = {"charge_schedule_data", "preconditioning_schedule_data"}
"""The objects that only a request that names them returns."""


class SimulatedService(Simulator):
    """A simulator of a service of today, a key of SERVICES, or of the interface document."""

    def __init__(self, service: str = OTHER, **options: Any) -> None:
        """Create the vehicles. The options are those of Simulator."""
        super().__init__(**options)
        self.service = service
        for switch, value in SERVICES[service].items():
            setattr(self.switches, switch, value)
        self._rate_limit = RateLimit(self.clock, self.switches)

    @override
    def add_service(self, application: web.Application) -> None:
        super().add_service(application)
        application.router.add_get(REGION_PATH, self._region, allow_head=False)
        application.middlewares.insert(0, self._add_limit_headers)
        application.middlewares.append(self._handle)

    async def _region(self, request: web.Request) -> web.Response:
        if not self.switches.region:
            raise RequestError(404, "not_found")
        url = self.switches.region_url or str(request.url.origin())
        return envelope({"region": self.switches.region, "fleet_api_base_url": url})

    @web.middleware
    async def _add_limit_headers(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        response.headers.update(self._rate_limit.headers())
        return response

    @web.middleware
    async def _handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path != TOKEN_PATH:
            self._check(request)
        response = await handler(request)
        is_data = request.path.endswith("/vehicle_data") and response.status == HTTPStatus.OK
        if is_data and self.switches.is_fleet and isinstance(response, web.Response):
            data = json.loads(response.text or "")["response"]
            return envelope(select_parts(data, request.query.get("endpoints", "")))
        return response

    def _check(self, request: web.Request) -> None:
        """Check the region, the rate limit and the content type. Raises RequestError."""
        if self.switches.unregistered:
            raise RequestError(412, UNREGISTERED.format(client=CLIENT_ID, url=request.url.origin()))
        if self.switches.region_url and request.path != REGION_PATH:
            raise RequestError(421, OTHER_REGION.format(url=self.switches.region_url))
        if self._rate_limit.is_exceeded():
            headers = {"Retry-After": str(self._rate_limit.retry_after)}
            raise RequestError(429, "too many requests", headers=headers)
        needs_json = self.switches.is_fleet and request.method == "POST"
        if needs_json and request.content_type != "application/json":
            raise RequestError(406, "not_acceptable")


def select_parts(data: Json, endpoints: str) -> Json:
    """Return full data with only the objects that `endpoints` names, separated by semicolons.

    Without names, all objects except the schedules are returned. Only `location_data` adds the location,
    which is part of drive_state. Unknown names have no effect.
    """
    names = set(endpoints.split(";")) if endpoints else PARTS
    parts = {name: value for name, value in data.items() if name not in (PARTS | ON_REQUEST) - names}
    drive_state = data.get("drive_state")
    # A fault may have corrupted or removed it.
    if names & {"drive_state", "location_data"} and isinstance(drive_state, dict):
        parts["drive_state"] = {
            name: value
            for name, value in drive_state.items()
            if name == "timestamp" or _part_of_drive_state(name) in names
        }
    return parts


def _part_of_drive_state(name: str) -> str:
    return "drive_state" if name in MOTION or name.startswith(ROUTE) else "location_data"
