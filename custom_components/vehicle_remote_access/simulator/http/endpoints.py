"""The endpoints of the service."""

from collections.abc import Awaitable, Callable
import re
from typing import Any, Final

from aiohttp import web

from ..controls import SimulatedVehicle
from ..faults.faults import Faults
from ..faults.switches import Switches
from ..persistence import Json
from .car_commands import ACCEPTED, carry_out, commands_of
from .car_records import SEPARATE_RECORDS, full_record, service_data, short_record, woken_record
from .parameters import Parameters, read_json_parameters, read_parameters, reject
from .request_error import ASLEEP, RequestError
from .subscriptions import Subscriptions

type Operation = Callable[[web.Request], Awaitable[web.StreamResponse]]

VEHICLES_PER_PAGE: Final = 100
ID: Final = re.compile("[0-9]{1,20}")
IN_SERVICE: Final = "vehicle is currently in service"
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


class Endpoints:
    """The endpoints of one account's vehicles."""

    def __init__(self, vehicles: list[SimulatedVehicle], switches: Switches, faults: Faults) -> None:
        self._vehicles = vehicles
        self._switches = switches
        self._faults = faults
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
        """Return the account's vehicles, a hundred per page."""
        if not self._switches.list:
            raise RequestError(404, "not_found")
        parameters = Parameters(request.query)
        page = parameters.number("page") if "page" in parameters else 1
        if page < 1:
            reject("page")
        first = (int(page) - 1) * VEHICLES_PER_PAGE
        page_of_vehicles = self._vehicles[first : first + VEHICLES_PER_PAGE]
        records = [self._short_record(vehicle) for vehicle in page_of_vehicles]
        return web.json_response({"response": records, "count": len(records)})

    async def vehicle(self, request: web.Request) -> web.Response:
        return envelope(self._short_record(self._vehicle(request)))

    async def data(self, request: web.Request) -> web.Response:
        self._check_documented()
        data = full_record(self._read(request), is_legacy=True)
        return envelope(self._faults.apply_to(data, may_add=True))

    async def vehicle_data(self, request: web.Request) -> web.Response:
        if self._switches.profile == "legacy-2018":
            raise RequestError(404, "not_found")
        return envelope(self._faults.apply_to(full_record(self._read(request)), may_add=True))

    async def data_request(self, request: web.Request) -> web.Response:
        self._check_documented()
        name = request.match_info["record"]
        if name not in SEPARATE_RECORDS:
            raise RequestError(404, "not_found")
        car = self._read(request)
        is_legacy = self._switches.profile == "legacy-2018"
        record = full_record(car, is_legacy=is_legacy)[name]
        return envelope(self._faults.apply_to({name: record}).get(name))

    async def service_data(self, request: web.Request) -> web.Response:
        return envelope(service_data(self._vehicle(request)))

    async def mobile_enabled(self, request: web.Request) -> web.Response:
        vehicle = self._vehicle(request)
        self._check_not_in_service(vehicle)
        self._check_online(vehicle)
        vehicle.keep_awake()
        if self._switches.is_fleet:
            return envelope({"result": vehicle.mobile_enabled, "reason": ""})
        return envelope(vehicle.mobile_enabled)

    async def wake_up(self, request: web.Request) -> web.Response:
        """Wake a vehicle. Return its record, in which it may still be asleep."""
        vehicle = self._vehicle(request)
        self._check_allowed(vehicle)
        vehicle.request_wake()
        vehicle.catch_up()
        record = self._faults.apply_to(woken_record(vehicle))
        if self._switches.is_fleet:
            return envelope(record)
        return web.json_response({"response": [record], "count": 1})

    async def command(self, request: web.Request) -> web.Response:
        name = request.match_info["command"]
        if name not in commands_of(self._switches):
            raise RequestError(404, "not_found")
        vehicle = self._vehicle(request)
        is_signed = request.get(SIGNED, False)
        if not is_signed and name not in UNSIGNED_COMMANDS and self._needs_signature(vehicle):
            raise RequestError(403, UNSIGNED)
        self._contact(vehicle)
        read = read_json_parameters if is_signed or self._switches.is_fleet else read_parameters
        sent = await read(request)
        if is_signed and (counted := COUNTED_FROM_ONE.get(name)):
            sent = sent.lowered(counted)
        reason = carry_out(vehicle, name, sent)
        return envelope({"result": reason == ACCEPTED, "reason": reason})

    async def subscriptions(self, request: web.Request) -> web.Response:
        self._check_documented()
        return envelope(self._subscriptions.vehicles(Parameters(request.query)))

    async def set_subscriptions(self, request: web.Request) -> web.Response:
        self._check_documented()
        return envelope(self._subscriptions.set_vehicles(await read_parameters(request)))

    async def preferences(self, request: web.Request) -> web.Response:
        self._check_documented()
        return envelope(self._subscriptions.preferences(Parameters(request.query)))

    async def set_preferences(self, request: web.Request) -> web.Response:
        self._check_documented()
        return envelope(self._subscriptions.set_preferences(await read_parameters(request)))

    async def confirm_notifications(self, request: web.Request) -> web.Response:
        self._check_documented()
        await read_parameters(request)
        return envelope(True)

    def _vehicle(self, request: web.Request) -> SimulatedVehicle:
        path_id = request.match_info["id"]
        number = int(path_id) if ID.fullmatch(path_id) else None
        for vehicle in self._vehicles:
            is_id = self._switches.id_in_path and vehicle.id == number
            if is_id or (self._switches.is_fleet and vehicle.vin == path_id):
                vehicle.catch_up()
                return vehicle
        raise RequestError(404, "not_found")

    def _short_record(self, vehicle: SimulatedVehicle) -> Json:
        vehicle.catch_up()
        return self._faults.apply_to(short_record(vehicle))

    def _read(self, request: web.Request) -> SimulatedVehicle:
        """Return a vehicle whose data may be read. A live read keeps it awake."""
        vehicle = self._vehicle(request)
        if self._switches.cached_when_asleep and vehicle.state == "asleep":
            return vehicle
        self._contact(vehicle)
        return vehicle

    def _contact(self, vehicle: SimulatedVehicle) -> None:
        """Check that the car can be contacted. This keeps it awake."""
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

    def _check_documented(self) -> None:
        """Check that the service has the endpoints that only the interface document has."""
        if self._switches.is_fleet:
            raise RequestError(404, "not_found")

    def _needs_signature(self, vehicle: SimulatedVehicle) -> bool:
        if self._switches.signing_required == "newer_cars":
            is_old = vehicle.vin[3] in "SX" and vehicle.vin[9] < FIRST_NEWER_YEAR
            return not is_old
        return self._switches.signing_required == "always"


def envelope(payload: Any) -> web.Response:
    return web.json_response({"response": payload})
