"""The services that owners can sign up for today, as differences from the interface document.

They were written from the documentation of these services, read on 2026-11-24:

- Tesla Fleet API: https://developer.tesla.com/docs/fleet-api/getting-started/conventions, and the pages
  vehicle-endpoints, vehicle-commands, user-endpoints, billing-and-limits, and faq of the same documentation
- Tessie: https://developer.tessie.com/reference/access-tesla-fleet-api, .../reference/get-state and, on
  2026-11-30, .../reference/get-all-charging-invoices. Its own commands are from the libraries tesla-fleet-api
  1.18.1 and tessie-api 0.1.3, and .../reference/command-behavior
- Teslemetry: https://teslemetry.com/docs/getting-started/api, https://teslemetry.com/docs/topics/ratelimits,
  https://teslemetry.com/blog/vehicle-data-caching, and https://github.com/Teslemetry/hass-teslemetry/issues/323
  for the 20 minutes. That a refresh only returns a confirmation is from the comments of Teslemetry's library
  for TypeScript, `packages/api/src/TeslemetryVehicleApi.ts`. The metadata, and the products of all three, are
  from the test data of Home Assistant's own integration
"""

from collections.abc import Mapping
from http import HTTPStatus
import json
import math
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
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters, read_body
from custom_components.vehicle_remote_access.simulator.http.request_error import ASLEEP, RequestError
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .authorization import Application
from .billing import Billing
from .fleet_car import FleetCar
from .fleet_endpoints import FleetEndpoints, TeslemetryEndpoints, TessieEndpoints
from .rate_limit import RateLimit
from .service_faults import ServiceFaults
from .service_switches import ServiceSwitches
from .streams import LenientRunner, Streams
from .tessie_past import TessiePast, answer

FLEET: Final[Mapping[str, Any]] = {"profile": "fleet-2024", "remote_password": "any"}
"""The switches that the services of this family have in common."""
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
ENDPOINTS: Final = {"tessie": TessieEndpoints, "teslemetry": TeslemetryEndpoints}
"""The endpoints of services that have some of their own."""


REGION_PATH: Final = "/api/1/users/region"
PARTNER_PATH: Final = "/api/1/partner_accounts"
REFRESH_PATH: Final = "/api/refresh/{id}"
HISTORY_PATH: Final = "/api/1/dx/charging/history"
INVOICES_PATH: Final = "/charging_invoices"
TESSIE_PAST: Final = ("drives", "charges", "idles")
ONLY_DOCUMENTED: Final = {
    "/api/1/vehicles/{id}/data",
    "/api/1/vehicles/{id}/data_request/{record}",
    "/api/1/vehicle_subscriptions",
    "/api/1/notification_preferences",
    "/api/1/notification_confirmations",
}
"""Endpoints of the interface document that the Fleet API's family doesn't have."""
CACHED_FOR: Final = 1200.0
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
"""The beginning of the names of the fields of the route."""
ON_REQUEST: Final = {"charge_schedule_data", "preconditioning_schedule_data"}
"""The objects that only a request that names them returns."""


class SimulatedService(Simulator):
    """A simulator of a service of today, a key of SERVICES, or of the interface document."""

    runner_class = LenientRunner
    faults_class = ServiceFaults
    faults: ServiceFaults
    car_class = FleetCar
    switches_class = ServiceSwitches
    switches: ServiceSwitches
    _service: FleetEndpoints

    def __init__(self, service: str = OTHER, **options: Any) -> None:
        """Create the vehicles. The options are those of Simulator."""
        super().__init__(**options)
        self.service = service
        for switch, value in SERVICES[service].items():
            setattr(self.switches, switch, value)
        endpoints = ENDPOINTS.get(service, FleetEndpoints)
        self._service = endpoints(self.vehicles, self.switches, self.faults)
        self._rate_limit = RateLimit(self.clock, self.switches)
        self.has_refresh = service == "teslemetry"
        """Whether GET /api/refresh/{vin} renews the cached answer to GET .../vehicle_data."""
        self.cached_for = CACHED_FOR if self.has_refresh else 0.0
        """Seconds for which GET .../vehicle_data returns the same answer while the car is online."""
        self._cache: dict[str, tuple[float, Json]] = {}
        """The time of the last read of each car, and its data, by the id in the path."""
        self.streams = Streams(self)
        self.application = Application()
        self._began = self.clock.now()
        self._odometers = {vehicle.vin: vehicle.driving.odometer for vehicle in self.vehicles}
        self._pasts: dict[str, TessiePast] = {}
        self.billing = Billing(self.vehicles, self.clock)

    @override
    def add_service(self, application: web.Application) -> None:
        super().add_service(application)
        application.router.add_get(REGION_PATH, self._region, allow_head=False)
        application.router.add_get(REFRESH_PATH, self._refresh, allow_head=False)
        application.router.add_post(PARTNER_PATH, self._register_application)
        application.router.add_get(f"{PARTNER_PATH}/public_key", self._application_key, allow_head=False)
        application.router.add_post("/api/1/vehicles/fleet_status", self._fleet_status)
        application.router.add_get(HISTORY_PATH, self._charging_history, allow_head=False)
        if self.service == "tessie":
            for kind in TESSIE_PAST:
                application.router.add_get(f"/{{id}}/{kind}", self._tessie_past, allow_head=False)
            application.router.add_get(INVOICES_PATH, self._charging_invoices, allow_head=False)
        self.streams.add_to(application)
        application.middlewares.insert(0, self._add_limit_headers)
        application.middlewares.append(self._handle)

    def past_of(self, vin: str) -> TessiePast:
        """Return what Tessie has recorded of a car before the start. Raises RequestError if it is unknown."""
        if vin not in self._pasts:
            vehicle = next((each for each in self.vehicles if each.vin == vin), None)
            if vehicle is None:
                raise RequestError(404, "not_found")
            self._pasts[vin] = TessiePast(vehicle, self._odometers[vin], self._began)
        return self._pasts[vin]

    async def _tessie_past(self, request: web.Request) -> web.Response:
        """Return what Tessie has recorded, without asking the car."""
        entries = getattr(self.past_of(request.match_info["id"]), request.path.rpartition("/")[2])
        return web.json_response(answer(entries, request.query))

    async def _charging_history(self, request: web.Request) -> web.Response:
        if not self.switches.is_fleet or not self.billing.has_history:
            raise RequestError(404, "not_found")
        return web.json_response(self.billing.history(Parameters(request.query)))

    async def _charging_invoices(self, request: web.Request) -> web.Response:
        if not self.billing.is_fleet_account:
            raise RequestError(403, "fleet accounts only")
        return web.json_response(self.billing.invoices(Parameters(request.query)))

    async def _region(self, request: web.Request) -> web.Response:
        if not self.switches.region:
            raise RequestError(404, "not_found")
        url = self.switches.region_url or str(request.url.origin())
        return envelope({"region": self.switches.region, "fleet_api_base_url": url})

    async def _register_application(self, request: web.Request) -> web.Response:
        if not (domain := (await read_body(request, allow_form=False)).get("domain")):
            raise RequestError(400, "missing domain")
        self.application.domains.add(domain)
        if self.application.register() is None:
            raise RequestError(424, "public key not found")
        self.switches.unregistered = False
        return envelope({"public_key": self.application.registered_key})

    async def _application_key(self, _: web.Request) -> web.Response:
        if self.application.registered_key is None:
            raise RequestError(404, "not_found")
        return envelope({"public_key": self.application.registered_key})

    async def _fleet_status(self, request: web.Request) -> web.Response:
        vins = (await read_body(request, allow_form=False))["vins"]
        known = {vehicle.vin: vehicle for vehicle in self.vehicles if vehicle.vin in vins}
        unpaired = [vin for vin in known if vin in self.application.unpaired]
        needs_signature = {vin: self._service.needs_signature(car) for vin, car in known.items()}
        about = {vin: {"vehicle_command_protocol_required": needs} for vin, needs in needs_signature.items()}
        paired = [vin for vin in known if vin not in unpaired]
        return envelope({"key_paired_vins": paired, "unpaired_vins": unpaired, "vehicle_info": about})

    @override
    def _check_token(self, request: web.Request) -> None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not request.path.startswith(PARTNER_PATH) or token not in self.application.tokens:
            super()._check_token(request)
        elif self.service != "tesla_fleet":
            raise RequestError(404, "not_found")

    async def _refresh(self, request: web.Request) -> web.Response:
        """Read the car, and keep its data in the cache. The car must be online."""
        car = next((each for each in self.vehicles if each.vin == request.match_info["id"]), None)
        if car is None or not self.has_refresh:
            raise RequestError(404, "not_found")
        car.catch_up()
        if car.state != "online":
            raise RequestError(408, ASLEEP)
        await self._keep(car.vin, await self._service.vehicle_data(request))
        return envelope({"result": True})

    async def _keep(self, path_id: str, response: web.Response) -> Json:
        """Keep and stream the data of a car that is online, and return it."""
        data: Json = json.loads(response.text or "")["response"]
        if data.get("state") == "online":
            self._cache[path_id] = self.clock.now(), data
            await self.streams.publish_read(path_id, data)
        return data

    def _cached(self, path_id: str) -> Json | None:
        """Return the cached data of a car, None if it is too old, or if the car is not online."""
        read_at, data = self._cache.get(path_id, (-math.inf, None))
        is_valid = self.clock.now() - read_at < self.cached_for
        for car in self.vehicles if is_valid else ():
            car.catch_up()
            is_valid = is_valid and (car.state == "online" or path_id not in (car.vin, str(car.id)))
        return data if is_valid else None

    @web.middleware
    async def _add_limit_headers(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        response.headers.update(self._rate_limit.headers())
        return response

    @web.middleware
    async def _handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path != TOKEN_PATH:
            self._check(request)
        is_fleet, is_data = self.switches.is_fleet, request.path.endswith("/vehicle_data")
        if not is_data or not (is_fleet or self.cached_for):
            return await handler(request)
        path_id = request.match_info.get("id", "")
        if (data := self._cached(path_id)) is None:
            response = await handler(request)
            if response.status != HTTPStatus.OK or not isinstance(response, web.Response):
                return response
            data = await self._keep(path_id, response)
        return envelope(select_parts(data, request.query.get("endpoints", "")) if is_fleet else data)

    def _check(self, request: web.Request) -> None:
        """Check the region, the rate limit, the content type and the path. Raises RequestError."""
        if self.switches.unregistered and not request.path.startswith(PARTNER_PATH):
            raise RequestError(412, UNREGISTERED.format(client=CLIENT_ID, url=request.url.origin()))
        if self.switches.region_url and request.path != REGION_PATH:
            raise RequestError(421, OTHER_REGION.format(url=self.switches.region_url))
        if self._rate_limit.is_exceeded():
            headers = {"Retry-After": str(self._rate_limit.retry_after)}
            raise RequestError(429, "too many requests", headers=headers)
        needs_json = self.switches.is_fleet and request.method == "POST" and request.path.startswith("/api/")
        if needs_json and request.content_type != "application/json":
            raise RequestError(406, "not_acceptable")
        resource = request.match_info.route.resource
        if self.switches.is_fleet and resource is not None and resource.canonical in ONLY_DOCUMENTED:
            raise RequestError(404, "not_found")


def select_parts(data: Json, endpoints: str) -> Json:
    """Return full data with only the objects that `endpoints` names, separated by semicolons.

    Without names, all objects except the schedules are returned. Only `location_data` adds the location,
    which is part of drive_state. Unknown names have no effect.
    """
    names = set(endpoints.split(";")) if endpoints else PARTS
    parts = {name: value for name, value in data.items() if name not in (PARTS | ON_REQUEST) - names}
    drive_state = data.get("drive_state")
    # A fault may have corrupted or removed drive_state.
    if names & {"drive_state", "location_data"} and isinstance(drive_state, dict):
        parts["drive_state"] = {
            name: value
            for name, value in drive_state.items()
            if name == "timestamp" or _part_of_drive_state(name) in names
        }
    return parts


def _part_of_drive_state(name: str) -> str:
    return "drive_state" if name in MOTION or name.startswith(ROUTE) else "location_data"
