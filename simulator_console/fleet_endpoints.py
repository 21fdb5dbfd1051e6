"""The endpoints of today's services, as differences from those of the interface document."""

from collections.abc import Mapping
from typing import Any, Final, override

from aiohttp import web

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.http.car_commands import (
    Command,
    carry_out,
)
from custom_components.vehicle_remote_access.simulator.http.endpoints import (
    Endpoints,
    command_result,
    envelope,
)
from custom_components.vehicle_remote_access.simulator.http.parameters import (
    Parameters,
    read_body,
    reject,
)
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .fleet_car import FleetCar, as_fleet_car
from .fleet_commands import commands_of
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

    async def own_command(self, request: web.Request, commands: Mapping[str, Command[FleetCar]]) -> str:
        """Carry out a command that only one service has. Return why the car refused it, or an empty text."""
        name = request.match_info["command"]
        if name not in commands:
            raise RequestError(404, "not_found")
        vehicle = self._vehicle(request)
        self._contact(vehicle)
        sent = JsonParameters(await read_body(request, allow_form=False))
        return carry_out(vehicle, name, sent, commands)

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
            is_old = vehicle.vin[3] in "SX" and vehicle.vin[9] < FIRST_NEWER_YEAR
            return not is_old
        return self._switches.signing_required == "always"
