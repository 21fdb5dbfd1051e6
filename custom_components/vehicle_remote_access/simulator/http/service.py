"""The operations of the service: from a request to the body of its answer."""

from collections.abc import Awaitable, Callable
import re
from typing import Any, Final

from aiohttp import web

from ..controls import Vehicle
from ..faults.faults import Faults
from ..faults.switches import Switches
from ..persistence import Json
from ..vehicle.car import Car
from .answers import (
    Variant,
    charge_state,
    climate_state,
    drive_state,
    full,
    gui_settings,
    record,
    service_data,
)
from .commands import ACCEPTED, COMMANDS, carry_out
from .errors import ASLEEP, ServiceError
from .parameters import Parameters, read_parameters, reject
from .subscriptions import Subscriptions

type Operation = Callable[[web.Request], Awaitable[web.StreamResponse]]

PAGE: Final = 100
NUMBER: Final = re.compile("[0-9]{1,20}")
IN_SERVICE: Final = "vehicle is currently in service"
MISSING_SCOPES: Final = "Unauthorized missing scopes"
SLOW: Final = {
    "timeout": (408, '{"error": "timeout"}'),
    "operation_timedout": (408, "operation_timedout for http://127.0.0.1"),
    "upstream_timeout": (504, "upstream_timeout"),
}
RECORDS: Final[dict[str, Callable[[Car, Variant], Json]]] = {
    "charge_state": charge_state,
    "climate_state": climate_state,
    "drive_state": lambda car, _: drive_state(car),
    "gui_settings": lambda car, _: gui_settings(car),
}


class Service:
    """The endpoints of one account's vehicles."""

    def __init__(self, vehicles: list[Vehicle], switches: Switches, faults: Faults) -> None:
        """Serve these vehicles."""
        self._vehicles = vehicles
        self._switches = switches
        self._faults = faults
        self._subscriptions = Subscriptions(vehicle.id for vehicle in vehicles)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Say which operation answers which path."""
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
        """Answer the vehicles of the account, a hundred to a page."""
        if not self._switches.list:
            raise ServiceError(404, "not_found")
        parameters = Parameters(request.query)
        page = parameters.number("page") if "page" in parameters else 1
        if page < 1:
            reject("page")
        first = (int(page) - 1) * PAGE
        records = [self._short(vehicle) for vehicle in self._vehicles[first : first + PAGE]]
        return web.json_response({"response": records, "count": len(records)})

    async def vehicle(self, request: web.Request) -> web.Response:
        """Answer one vehicle's record, without asking the car."""
        return answer(self._short(self._vehicle(request)))

    async def data(self, request: web.Request) -> web.Response:
        """Answer the full data in the legacy variant."""
        return answer(self._full(self._read(request), Variant.LEGACY))

    async def vehicle_data(self, request: web.Request) -> web.Response:
        """Answer the full data in the current variant."""
        if self._switches.profile == "legacy-2018":
            raise ServiceError(404, "not_found")
        return answer(self._full(self._read(request), Variant.CURRENT))

    async def data_request(self, request: web.Request) -> web.Response:
        """Answer one of the four objects that can be read alone."""
        name = request.match_info["record"]
        if name not in RECORDS:
            raise ServiceError(404, "not_found")
        car = self._read(request)
        legacy = self._switches.profile == "legacy-2018"
        read = RECORDS[name](car, Variant.LEGACY if legacy else Variant.CURRENT)
        return answer(self._faults.spoil_short({name: read}).get(name))

    async def service_data(self, request: web.Request) -> web.Response:
        """Answer what the workshop says, which the car is not asked for."""
        return answer(service_data(self._vehicle(request)))

    async def mobile_enabled(self, request: web.Request) -> web.Response:
        """Answer whether the owner allows remote access."""
        vehicle = self._vehicle(request)
        if self._switches.mobile_enabled_is_live:
            self._check_not_in_service(vehicle)
            self._check_reachable(vehicle)
            vehicle.keep_awake()
        return answer(vehicle.mobile_enabled)

    async def wake_up(self, request: web.Request) -> web.Response:
        """Wake a vehicle, and answer its record as it still is."""
        vehicle = self._vehicle(request)
        self._check_allowed(vehicle)
        self._check_scopes()
        vehicle.ask_to_wake()
        found = self._short(vehicle)
        if self._switches.wake_shape == "object":
            return answer(found)
        return web.json_response({"response": [found], "count": 1})

    async def command(self, request: web.Request) -> web.Response:
        """Carry out a command, and answer whether the car did it and why not."""
        name = request.match_info["command"]
        if name not in COMMANDS:
            raise ServiceError(404, "not_found")
        vehicle = self._vehicle(request)
        self._check_scopes()
        self._reach(vehicle)
        reason = carry_out(vehicle, name, await read_parameters(request))
        if reason == ACCEPTED and self._switches.empty_body:
            return web.Response()
        shown = "" if self._switches.empty_reason else reason
        return answer({"result": reason == ACCEPTED, "reason": shown})

    async def subscriptions(self, request: web.Request) -> web.Response:
        """Answer the ids of the vehicles that a device hears of."""
        return answer(self._subscriptions.vehicles(Parameters(request.query)))

    async def set_subscriptions(self, request: web.Request) -> web.Response:
        """Store the vehicles that a device hears of."""
        return answer(self._subscriptions.set_vehicles(await read_parameters(request)))

    async def preferences(self, request: web.Request) -> web.Response:
        """Answer what a device wants to be told."""
        return answer(self._subscriptions.preferences(Parameters(request.query)))

    async def set_preferences(self, request: web.Request) -> web.Response:
        """Store what a device wants to be told."""
        return answer(self._subscriptions.set_preferences(await read_parameters(request)))

    async def confirm_notifications(self, request: web.Request) -> web.Response:
        """Take note that notifications were seen."""
        await read_parameters(request)
        return answer(True)

    def _vehicle(self, request: web.Request) -> Vehicle:
        wanted = request.match_info["id"]
        number = int(wanted) if NUMBER.fullmatch(wanted) else None
        for vehicle in self._vehicles:
            if vehicle.id == number or (self._switches.vin_in_path and vehicle.vin == wanted):
                vehicle.catch_up()
                return vehicle
        raise ServiceError(404, "not_found")

    def _short(self, vehicle: Vehicle) -> Json:
        vehicle.catch_up()
        return self._faults.spoil_short(record(vehicle))

    def _full(self, vehicle: Vehicle, variant: Variant) -> Json:
        return self._faults.spoil(full(vehicle, variant))

    def _read(self, request: web.Request) -> Vehicle:
        """Return a vehicle whose data may be read, and keep it awake by that."""
        vehicle = self._vehicle(request)
        if self._switches.cached_when_asleep and vehicle.state == "asleep":
            return vehicle
        self._reach(vehicle)
        vehicle.last_live_read = vehicle.timeline.now
        return vehicle

    def _reach(self, vehicle: Vehicle) -> None:
        """Ask the car itself, which keeps it awake."""
        self._check_allowed(vehicle)
        self._check_reachable(vehicle)
        if self._switches.slow:
            raise ServiceError(*SLOW[self._switches.slow])
        vehicle.keep_awake()

    def _check_allowed(self, vehicle: Vehicle) -> None:
        if not vehicle.mobile_enabled:
            raise ServiceError(self._switches.mobile_code, "mobile_access_disabled")
        self._check_not_in_service(vehicle)

    @staticmethod
    def _check_not_in_service(vehicle: Vehicle) -> None:
        if vehicle.in_service:
            raise ServiceError(405, IN_SERVICE)

    @staticmethod
    def _check_reachable(vehicle: Vehicle) -> None:
        if vehicle.state != "online":
            raise ServiceError(408, ASLEEP)

    def _check_scopes(self) -> None:
        if not self._switches.scopes:
            raise ServiceError(403, MISSING_SCOPES)


def answer(response: Any) -> web.Response:
    """Return what was asked for in the envelope of a success."""
    return web.json_response({"response": response})
