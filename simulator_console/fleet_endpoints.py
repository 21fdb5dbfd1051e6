"""The endpoints of today's services, as differences from those of the interface document."""

from typing import Any, Final, override

from aiohttp import web

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.http.car_commands import carry_out
from custom_components.vehicle_remote_access.simulator.http.endpoints import (
    Endpoints,
    command_result,
    envelope,
)
from custom_components.vehicle_remote_access.simulator.http.parameters import (
    Parameters,
    read_body,
    read_parameters,
    reject,
)
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .authorization import OWNER, REGION, SCOPES
from .fleet_car import FleetCar, as_fleet_car
from .fleet_commands import (
    EVERY_COMMAND,
    TESLEMETRY_COMMANDS,
    TESSIE_COMMANDS,
    commands_of,
    tessie_values,
)
from .fleet_records import full_record, short_record, woken_record
from .service_faults import ServiceFaults
from .service_switches import ServiceSwitches

SIGNED: Final = "signed"
"""Key of a request whose command a proxy has signed."""
UNSIGNED: Final = (
    "Tesla Vehicle Command Protocol required, please refer to the documentation here: "
    "https://developer.tesla.com/docs/fleet-api"
    "#2023-10-09-rest-api-vehicle-commands-endpoint-deprecation-warning"
)
COUNTED_FROM_ONE: Final = {"remote_seat_cooler_request": "seat_cooler_level", "set_cop_temp": "cop_temp"}
"""By command, the parameter that the service counts from zero, and the car itself from one."""
UNSIGNED_COMMANDS: Final = {"navigation_request"}
"""Commands that the service processes itself, so that they can't be signed."""
FIRST_NEWER_YEAR: Final = "M"
"""The tenth character of the VIN of a car built in 2021."""

STREAMING_FIRMWARE: Final = "2026.32.3"
"""What Teslemetry knows of the cars. They stream with a version that is too old for it."""


class JsonParameters(Parameters):
    """Parameters from a JSON body. Each must have its own JSON type."""

    @override
    def text(self, name: str) -> str:
        self._require_type(name, str)
        return super().text(name)

    @override
    def number(self, name: str) -> float:
        self._require_type(name, int, float)
        return super().number(name)

    @override
    def flag(self, name: str) -> bool:
        self._require_type(name, bool)
        return super().flag(name)

    def _require_type(self, name: str, *types: type[Any]) -> None:
        if not isinstance(self.values.get(name), types):
            reject(name)


class FleetEndpoints(Endpoints):
    """The endpoints of a service that may be one of the Fleet API's family, depending on its switches."""

    _switches: ServiceSwitches

    def __init__(
        self, vehicles: list[SimulatedVehicle], switches: ServiceSwitches, faults: ServiceFaults
    ) -> None:
        super().__init__(vehicles, switches)
        self._faults = faults

    @override
    async def mobile_enabled(self, request: web.Request) -> web.Response:
        if not self._switches.is_fleet:
            return await super().mobile_enabled(request)
        return envelope({"result": self._mobile_enabled(request), "reason": ""})

    @override
    async def wake_up(self, request: web.Request) -> web.Response:
        if not self._switches.is_fleet:
            return await super().wake_up(request)
        vehicle = self._request_wake(request)
        return envelope(self._faults.apply_to(woken_record(vehicle)))

    @override
    def add_routes(self, router: web.UrlDispatcher) -> None:
        super().add_routes(router)
        vehicle = "/api/1/vehicles/{id}"
        router.add_get(f"{vehicle}/nearby_charging_sites", self.nearby_charging_sites, allow_head=False)
        router.add_get(f"{vehicle}/recent_alerts", self.recent_alerts, allow_head=False)
        router.add_get("/api/1/products", self.products, allow_head=False)

    def _fleet_vehicle(self, request: web.Request) -> SimulatedVehicle:
        if not self._switches.is_fleet:
            raise RequestError(404, "not_found")
        return self._vehicle(request)

    async def recent_alerts(self, request: web.Request) -> web.Response:
        self._fleet_vehicle(request)
        return envelope({"recent_alerts": []})

    async def nearby_charging_sites(self, request: web.Request) -> web.Response:
        """Return the charging sites near a car, which answers itself."""
        vehicle = self._fleet_vehicle(request)
        self._contact(vehicle)
        place = vehicle.driving.point.beyond(1, 90)
        site = {
            "location": {"lat": place.latitude, "long": place.longitude},
            "name": "Concert hall",
            "type": "supercharger",
            "distance_miles": 1.0,
            "available_stalls": 3,
            "total_stalls": 8,
            "site_closed": False,
        }
        return envelope({"destination_charging": [], "superchargers": [site]})

    async def products(self, _: web.Request) -> web.Response:
        """Return the vehicles as products. The account has no energy sites."""
        if not self._switches.is_fleet:
            raise RequestError(404, "not_found")
        products = [
            {**self._listed(vehicle), "command_signing": self._signing(vehicle)} for vehicle in self._vehicles
        ]
        return web.json_response({"response": products, "count": len(products)})

    def _signing(self, vehicle: SimulatedVehicle) -> str:
        if is_old(vehicle):
            return "off"
        return "required" if self.needs_signature(vehicle) else "allowed"

    @override
    async def command(self, request: web.Request) -> web.Response:
        name, commands = request.match_info["command"], commands_of(self._switches)
        if name not in commands:
            raise RequestError(404, "not_found")
        vehicle = self._vehicle(request)
        is_signed = request.get(SIGNED, False)
        if not is_signed and name not in UNSIGNED_COMMANDS and self.needs_signature(vehicle):
            raise RequestError(403, UNSIGNED)
        if not is_signed and not self._switches.is_fleet:
            return await super().command(request)
        self._contact(vehicle)
        sent = JsonParameters(await read_body(request, allow_form=False))
        if is_signed and (counted := COUNTED_FROM_ONE.get(name)):
            sent = JsonParameters({**sent.values, counted: sent.number(counted) - 1})
        return command_result(carry_out(vehicle, name, sent, commands))

    @override
    def _vehicle(self, request: web.Request) -> FleetCar:
        return as_fleet_car(super()._vehicle(request))

    @override
    def _is_named(self, vehicle: SimulatedVehicle, path_id: str) -> bool:
        is_id = self._switches.id_in_path and super()._is_named(vehicle, path_id)
        return is_id or (self._switches.is_fleet and vehicle.vin == path_id)

    @override
    def _read(self, request: web.Request) -> SimulatedVehicle:
        vehicle = self._vehicle(request)
        if self._switches.cached_when_asleep and vehicle.state == "asleep":
            return vehicle
        return super()._read(request)

    @override
    def _short_record(self, vehicle: SimulatedVehicle) -> Json:
        return self._faults.apply_to(short_record(vehicle))

    @override
    def _full_record(self, vehicle: SimulatedVehicle, *, is_legacy: bool = False) -> Json:
        record = super()._full_record(vehicle, is_legacy=True) if is_legacy else full_record(vehicle)
        return self._faults.apply_to(record, may_add=True)

    def needs_signature(self, vehicle: SimulatedVehicle) -> bool:
        if self._switches.signing_required == "newer_cars":
            return not is_old(vehicle)
        return self._switches.signing_required == "always"


class TessieEndpoints(FleetEndpoints):
    """The endpoints of Tessie, with those of its own for the state of cars, and for commands."""

    @override
    def add_routes(self, router: web.UrlDispatcher) -> None:
        super().add_routes(router)
        router.add_get("/vehicles", self.known_vehicles, allow_head=False)
        router.add_get("/auth/tesla_scopes", self.scopes, allow_head=False)
        router.add_get("/{id}/state", self.state, allow_head=False)
        router.add_post("/{id}/wake", self.wake)
        for method in ("GET", "POST"):
            # The documentation has only POST. The library tessie-api sends GET.
            router.add_route(method, "/{id}/command/{command}", self.tessie_command)

    async def known_vehicles(self, _: web.Request) -> web.Response:
        cars = [{"vin": car.vin, "is_active": True, "last_state": self._state(car)} for car in self._vehicles]
        return web.json_response({"results": cars})

    async def scopes(self, _: web.Request) -> web.Response:
        return web.json_response({"scopes": SCOPES.split()})

    async def state(self, request: web.Request) -> web.Response:
        """Return what is known of a car. Tessie reads cars that are awake by itself, and lets them sleep."""
        return web.json_response(self._state(self._vehicle(request)))

    def _state(self, vehicle: SimulatedVehicle) -> Json:
        vehicle.catch_up()
        return {**self._full_record(vehicle), "display_name": vehicle.name}

    async def wake(self, request: web.Request) -> web.Response:
        self._wake(self._vehicle(request))
        return web.json_response({"result": True})

    def _wake(self, vehicle: SimulatedVehicle) -> None:
        """Wake a car, and wait until it is awake."""
        self._check_allowed(vehicle)
        if vehicle.covered:
            vehicle.wake_now()
        self._check_online(vehicle)

    async def tessie_command(self, request: web.Request) -> web.Response:
        """Wake a car and carry out one of Tessie's own commands, with values in the query or the body."""
        name = request.match_info["command"]
        if name not in TESSIE_COMMANDS:
            raise RequestError(404, "not_found")
        vehicle, sent = self._vehicle(request), await read_parameters(request)
        was_awake = vehicle.awake
        self._wake(vehicle)
        values = Parameters(tessie_values(vehicle, name, sent.values))
        reason = carry_out(vehicle, TESSIE_COMMANDS[name][0], values, EVERY_COMMAND)
        return web.json_response({"result": not reason, "reason": reason, "woke": not was_awake})


class TeslemetryEndpoints(FleetEndpoints):
    """The endpoints of Teslemetry, with those of its own for the account, and for commands."""

    @override
    def add_routes(self, router: web.UrlDispatcher) -> None:
        super().add_routes(router)
        router.add_get("/api/metadata", self.metadata, allow_head=False)
        router.add_post("/api/1/vehicles/{id}/custom_command/{command}", self.custom_command)

    async def metadata(self, _: web.Request) -> web.Response:
        """Return what the token may do, and what Teslemetry knows of the cars."""
        vehicles = {vehicle.vin: self._metadata(vehicle) for vehicle in self._vehicles}
        account = {"uid": OWNER, "region": REGION, "scopes": SCOPES.split()}
        return web.json_response({**account, "vehicles": vehicles, "energy_sites": {}})

    def _metadata(self, vehicle: SimulatedVehicle) -> Json:
        return {
            "name": vehicle.name,
            "access": True,
            "polling": False,
            "proxy": True,
            "discounted": is_old(vehicle),
            "firmware": STREAMING_FIRMWARE,
            "config": self._full_record(vehicle)["vehicle_config"],
        }

    async def custom_command(self, request: web.Request) -> web.Response:
        name = request.match_info["command"]
        if name not in TESLEMETRY_COMMANDS:
            raise RequestError(404, "not_found")
        vehicle = self._vehicle(request)
        self._contact(vehicle)
        sent = JsonParameters(await read_body(request, allow_form=False))
        return command_result(carry_out(vehicle, name, sent, TESLEMETRY_COMMANDS))


def is_old(vehicle: SimulatedVehicle) -> bool:
    """Return whether a car was built before cars could be controlled with signed commands."""
    return vehicle.vin[3] in "SX" and vehicle.vin[9] < FIRST_NEWER_YEAR
