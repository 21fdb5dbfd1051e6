"""The endpoints of the service."""

from collections.abc import Awaitable, Callable
import re
from typing import Any, Final

from aiohttp import web

from ..controls import SimulatedVehicle
from ..faults.switches import Switches
from ..persistence import Json
from .car_commands import ACCEPTED, COMMANDS, carry_out
from .car_records import SEPARATE_RECORDS, full_record, service_data, short_record
from .parameters import Parameters, read_parameters, reject
from .request_error import ASLEEP, RequestError
from .subscriptions import Subscriptions

type Operation = Callable[[web.Request], Awaitable[web.StreamResponse]]

VEHICLES_PER_PAGE: Final = 100
ID: Final = re.compile("[0-9]{1,20}")
IN_SERVICE: Final = "vehicle is currently in service"


class Endpoints:
    """The endpoints of one account's vehicles."""

    def __init__(self, vehicles: list[SimulatedVehicle], switches: Switches) -> None:
        self._vehicles = vehicles
        self._switches = switches
        self._subscriptions = Subscriptions(vehicle.id for vehicle in vehicles)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        account, vehicle = "/api/1", "/api/1/vehicles/{id}"
        reads: dict[str, Operation] = {
            f"{account}/vehicles": self.vehicles,
            vehicle: self.vehicle,
            f"{vehicle}/data": self.data,
            f"{vehicle}/vehicle_data": self.vehicle_data,
            f"{vehicle}/service_data": self.service_data,
            f"{vehicle}/mobile_enabled": self.mobile_enabled,
            f"{vehicle}/data_request/{{record}}": self.data_request,
            f"{account}/vehicle_subscriptions": self.subscriptions,
            f"{account}/notification_preferences": self.preferences,
        }
        writes: dict[str, Operation] = {
            f"{vehicle}/wake_up": self.wake_up,
            f"{vehicle}/command/{{command}}": self.command,
            f"{account}/vehicle_subscriptions": self.set_subscriptions,
            f"{account}/notification_preferences": self.set_preferences,
            f"{account}/notification_confirmations": self.confirm_notifications,
        }
        for path, operation in reads.items():
            router.add_get(path, operation, allow_head=False)
        for path, operation in writes.items():
            router.add_post(path, operation)

    async def vehicles(self, request: web.Request) -> web.Response:
        if not self._switches.list:
            raise RequestError(404, "not_found")
        parameters = Parameters(request.query)
        page = parameters.number("page") if "page" in parameters else 1
        if page < 1:
            reject("page")
        first = (int(page) - 1) * VEHICLES_PER_PAGE
        page_of_vehicles = self._vehicles[first : first + VEHICLES_PER_PAGE]
        records = [self._listed(vehicle) for vehicle in page_of_vehicles]
        return web.json_response({"response": records, "count": len(records)})

    async def vehicle(self, request: web.Request) -> web.Response:
        return envelope(self._listed(self._vehicle(request)))

    async def data(self, request: web.Request) -> web.Response:
        return envelope(self._full_record(self._read(request), is_legacy=True))

    async def vehicle_data(self, request: web.Request) -> web.Response:
        if self._switches.profile == "legacy-2018":
            raise RequestError(404, "not_found")
        return envelope(self._full_record(self._read(request)))

    async def data_request(self, request: web.Request) -> web.Response:
        name = request.match_info["record"]
        if name not in SEPARATE_RECORDS:
            raise RequestError(404, "not_found")
        car = self._read(request)
        is_legacy = self._switches.profile == "legacy-2018"
        return envelope(self._full_record(car, is_legacy=is_legacy).get(name))

    async def service_data(self, request: web.Request) -> web.Response:
        return envelope(service_data(self._vehicle(request)))

    async def mobile_enabled(self, request: web.Request) -> web.Response:
        return envelope(self._mobile_enabled(request))

    async def wake_up(self, request: web.Request) -> web.Response:
        """Wake a vehicle. Return its record, in which it may still be asleep."""
        record = self._short_record(self._request_wake(request))
        return web.json_response({"response": [record], "count": 1})

    async def command(self, request: web.Request) -> web.Response:
        name = request.match_info["command"]
        if name not in COMMANDS:
            raise RequestError(404, "not_found")
        vehicle = self._vehicle(request)
        self._contact(vehicle)
        return command_result(carry_out(vehicle, name, await read_parameters(request)))

    async def subscriptions(self, request: web.Request) -> web.Response:
        return envelope(self._subscriptions.vehicles(Parameters(request.query)))

    async def set_subscriptions(self, request: web.Request) -> web.Response:
        return envelope(self._subscriptions.set_vehicles(await read_parameters(request)))

    async def preferences(self, request: web.Request) -> web.Response:
        return envelope(self._subscriptions.preferences(Parameters(request.query)))

    async def set_preferences(self, request: web.Request) -> web.Response:
        return envelope(self._subscriptions.set_preferences(await read_parameters(request)))

    async def confirm_notifications(self, request: web.Request) -> web.Response:
        await read_parameters(request)
        return envelope(True)

    def _vehicle(self, request: web.Request) -> SimulatedVehicle:
        path_id = request.match_info["id"]
        for vehicle in self._vehicles:
            if self._is_named(vehicle, path_id):
                vehicle.catch_up()
                return vehicle
        raise RequestError(404, "not_found")

    def _is_named(self, vehicle: SimulatedVehicle, path_id: str) -> bool:
        return bool(ID.fullmatch(path_id)) and int(path_id) == vehicle.id

    def _listed(self, vehicle: SimulatedVehicle) -> Json:
        vehicle.catch_up()
        return self._short_record(vehicle)

    def _short_record(self, vehicle: SimulatedVehicle) -> Json:
        return short_record(vehicle)

    def _full_record(self, vehicle: SimulatedVehicle, *, is_legacy: bool = False) -> Json:
        return full_record(vehicle, is_legacy=is_legacy)

    def _mobile_enabled(self, request: web.Request) -> bool:
        vehicle = self._vehicle(request)
        self._check_not_in_service(vehicle)
        self._check_online(vehicle)
        vehicle.keep_awake()
        return vehicle.mobile_enabled

    def _request_wake(self, request: web.Request) -> SimulatedVehicle:
        vehicle = self._vehicle(request)
        self._check_allowed(vehicle)
        vehicle.request_wake()
        vehicle.catch_up()
        return vehicle

    def _read(self, request: web.Request) -> SimulatedVehicle:
        vehicle = self._vehicle(request)
        self._contact(vehicle)
        return vehicle

    def _contact(self, vehicle: SimulatedVehicle) -> None:
        self._check_allowed(vehicle)
        self._check_online(vehicle)
        vehicle.keep_awake()

    def _check_allowed(self, vehicle: SimulatedVehicle) -> None:
        if not vehicle.mobile_enabled:
            raise RequestError(401, "mobile_access_disabled")
        self._check_not_in_service(vehicle)

    @staticmethod
    def _check_not_in_service(vehicle: SimulatedVehicle) -> None:
        if vehicle.in_service:
            raise RequestError(405, IN_SERVICE)

    @staticmethod
    def _check_online(vehicle: SimulatedVehicle) -> None:
        if vehicle.state != "online":
            raise RequestError(408, ASLEEP)


def envelope(payload: Any) -> web.Response:
    return web.json_response({"response": payload})


def command_result(reason: str) -> web.Response:
    """Return the response to a command. `reason`: why the car refused it, empty if it didn't."""
    return envelope({"result": reason == ACCEPTED, "reason": reason})
