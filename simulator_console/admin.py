"""The admin page and its API, which show and control the vehicles without a token."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from inspect import Parameter, getdoc
from ipaddress import ip_address
import json
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.hdrs import AUTHORIZATION
from aiohttp.typedefs import Handler

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.car.body import OPENINGS
from custom_components.vehicle_remote_access.simulator.car.cabin import KEEPER_MODES, SEATS
from custom_components.vehicle_remote_access.simulator.controls import CONTROLS, ON_OFF_CONTROLS
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .fault_requests import inject
from .fleet_car import TIRES, WINDOWS, FleetCar, as_fleet_car
from .fleet_records import full_record
from .texts import describe_activity, iso
from .values import (
    AllowedValues,
    assign,
    check_arguments,
    field_docstrings,
    parameters_of,
    refuse_value,
)

PAGE: Final = "/simulator/"
FOLDER: Final = Path(__file__).parent / "page"
DASHBOARD: Final = FOLDER.parent.parent / "custom_components" / "vehicle_remote_access" / "dashboard"
FILES: Final = {
    "": FOLDER / "index.html",
    "page.css": FOLDER / "page.css",
    "page.js": FOLDER / "page.js",
    "icon.svg": FOLDER / "icon.svg",
    # The picture of the car is the one of the dashboard.
    "drawing.js": DASHBOARD / "www" / "drawing.js",
}
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
CHOICES: Final[dict[tuple[str, str], Iterable[str]]] = {
    ("open", "name"): OPENINGS,
    ("close", "name"): OPENINGS,
    ("open_window", "name"): WINDOWS,
    ("close_window", "name"): WINDOWS,
    ("set_tire_pressure", "tire"): TIRES,
    ("climate_keeper", "mode"): KEEPER_MODES,
    ("heat_seat", "seat"): SEATS,
}
"""The choices for a text argument, by control and argument."""


class AdminError(Exception):
    """A request is refused. The message says why, for a person."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def add_admin(simulator: Simulator, application: web.Application) -> None:
    """Add the admin page and its API to a simulator's application. For `Simulator(extend=...)`."""
    admin = Admin(simulator)
    admin.add_routes(application.router)
    application.middlewares.insert(0, admin.handle)


class Admin:
    """The endpoints under /simulator/, which no real service has."""

    def __init__(self, simulator: Simulator) -> None:
        self._vehicles = simulator.vehicles
        self._clock = simulator.clock
        self._service = simulator.service
        self._switches = simulator.switches
        self._faults = simulator.faults
        self._requests = simulator.requests
        self._injected: list[Json] = []

    def add_routes(self, router: web.UrlDispatcher) -> None:
        reads = {
            "state": self.state,
            "controls": self.controls,
            "clock": self.clock,
            "requests": self.requests,
            "faults": self.faults,
            "switches": self.switches,
        }
        writes = {
            "vehicles/{vin}/{control}": self.control,
            "clock": self.set_clock,
            "faults": self.inject_fault,
            "switches": self.set_switches,
        }
        router.add_get(PAGE.rstrip("/"), self.redirect_to_page, allow_head=False)
        for name in FILES:
            router.add_get(PAGE + name, self.page, allow_head=False)
        for path, read in reads.items():
            router.add_get(PAGE + path, read, allow_head=False)
        for path, write in writes.items():
            router.add_post(PAGE + path, write)
        router.add_delete(f"{PAGE}faults", self.clear_faults)

    @web.middleware
    async def handle(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Handle requests under /simulator/ before the service's middlewares, which apply faults."""
        if not f"{request.path}/".startswith(PAGE):
            # A browser that opens the address of the service has no token. It gets the page.
            is_for_page = request.path == "/" and AUTHORIZATION not in request.headers
            return await (self.redirect_to_page if is_for_page else handler)(request)
        try:
            check_sender(request)
            response = await request.match_info.handler(request)
        except AdminError as error:
            response = error_response(error.status, str(error))
        except ValueError as error:
            response = error_response(400, str(error))
        except web.HTTPMethodNotAllowed as error:
            methods = " and ".join(sorted(error.allowed_methods))
            response = error_response(405, f"{request.path} accepts only {methods}")
            response.headers["Allow"] = error.headers["Allow"]
        except web.HTTPNotFound:
            response = error_response(404, f"{request.path} does not exist")
        except web.HTTPException as error:
            response = error_response(error.status, error.reason)
        response.headers.update(SECURITY_HEADERS)
        return response

    async def redirect_to_page(self, _: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": PAGE})

    async def page(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(FILES[request.path.removeprefix(PAGE)])

    async def state(self, request: web.Request) -> web.Response:
        """Return the time and the state of all vehicles, or of one `vin`. This does not keep them awake."""
        vin = request.query.get("vin")
        vehicles = self._vehicles if vin is None else [self._vehicle(vin)]
        return web.json_response(
            {"clock": self._clock_json(), "vehicles": [vehicle_json(vehicle) for vehicle in vehicles]}
        )

    async def controls(self, _: web.Request) -> web.Response:
        return web.json_response({"controls": {name: control_json(name) for name in sorted(CONTROLS)}})

    async def control(self, request: web.Request) -> web.Response:
        """Run a control with the arguments in the JSON body. Return the vehicle's new state."""
        vehicle, name = self._vehicle(request.match_info["vin"]), request.match_info["control"]
        if name not in CONTROLS:
            raise AdminError(404, f"control {name} is unknown. Use one of {', '.join(sorted(CONTROLS))}")
        call(name, getattr(vehicle, name), await json_object(request))
        return web.json_response(vehicle_json(vehicle))

    async def clock(self, _: web.Request) -> web.Response:
        return web.json_response(self._clock_json())

    async def set_clock(self, request: web.Request) -> web.Response:
        call("clock", self._set_speed, await json_object(request))
        return web.json_response(self._clock_json())

    async def requests(self, request: web.Request) -> web.Response:
        """Return the requests to the service, or only the `last` ones. The newest is the last."""
        last = AllowedValues.of(int).parse("last", request.query.get("last", str(len(self._requests))))
        requests = [
            {
                "moment": iso(logged.moment),
                "method": logged.method,
                "path": logged.path,
                "status": logged.status,
            }
            for logged in self._requests
        ]
        return web.json_response({"requests": requests[max(0, len(requests) - last) :]})

    async def faults(self, _: web.Request) -> web.Response:
        """Return the faults injected since the last clearing, and how many requests each kind affected."""
        return web.json_response({"told": self._injected, "injected": self._faults.injected})

    async def inject_fault(self, request: web.Request) -> web.Response:
        values = await json_object(request)
        inject(self._faults, values)
        self._injected.append(values)
        return await self.faults(request)

    async def clear_faults(self, request: web.Request) -> web.Response:
        self._faults.clear()
        self._injected.clear()
        return await self.faults(request)

    async def switches(self, _: web.Request) -> web.Response:
        """Return the played service, and the switches with their values and allowed values."""
        docstrings = field_docstrings(type(self._switches))
        return web.json_response(
            {
                "service": self._service,
                "switches": {
                    switch.name: {
                        "value": getattr(self._switches, switch.name),
                        "default": switch.default,
                        "words": docstrings[switch.name],
                        **AllowedValues.of(switch.type).as_json(),
                    }
                    for switch in fields(self._switches)
                },
            }
        )

    async def set_switches(self, request: web.Request) -> web.Response:
        """Set switches. If one value is invalid, no switch is set."""
        assign(self._switches, await json_object(request))
        return await self.switches(request)

    def _vehicle(self, vin: str) -> SimulatedVehicle:
        for vehicle in self._vehicles:
            if vehicle.vin == vin:
                return vehicle
        raise AdminError(404, "no vehicle has this VIN")

    def _clock_json(self) -> Json:
        return {"now": iso(self._clock.now()), "speed": self._clock.speed}

    def _set_speed(self, speed: float) -> None:
        self._clock.speed = speed


def check_sender(request: web.Request) -> None:
    """Check that a request comes from this machine, and not from another web page.

    Raises:
        AdminError: if another page sent the request, directly or by DNS rebinding.
    """
    try:
        host = urlsplit(f"//{request.host}").hostname or ""
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise AdminError(403, f"use localhost or 127.0.0.1 in the address, not {request.host}")
    origin = request.headers.get("Origin")
    if origin not in {None, f"http://{request.host}"}:
        raise AdminError(403, f"web pages of {origin} are not allowed to send requests")


def vehicle_json(any_car: SimulatedVehicle) -> Json:
    """Return a vehicle's true state, including what its records don't report."""
    vehicle = as_fleet_car(any_car)
    vehicle.catch_up()
    reasons = vehicle.reasons_to_stay_awake if vehicle.awake else []
    will_fall_asleep = vehicle.awake and not reasons
    return {
        "vin": vehicle.vin,
        "id": vehicle.id,
        "name": vehicle.name,
        "model": vehicle.model.name,
        "doing": describe_activity(vehicle),
        "stays_awake": reasons,
        "falls_asleep": iso(vehicle.falls_asleep_at) if will_fall_asleep else None,
        "horn": vehicle.body.horn,
        "lights": vehicle.body.lights,
        "homelink": vehicle.body.homelink,
        "boombox": vehicle.body.boombox,
        "calendar": vehicle.body.calendar,
        **{name: is_on(vehicle) for name, is_on in ON_OFF_CONTROLS.items()},
        "play_media": vehicle.body.user_present and not vehicle.media.is_paused,
        "record": full_record(vehicle),
    }


def control_json(name: str) -> Json:
    method = getattr(FleetCar, name)
    arguments = {}
    for argument, parameter in parameters_of(method).items():
        allowed = AllowedValues.of(parameter.annotation).as_json()
        if (name, argument) in CHOICES:
            allowed = {"types": [], "choices": list(CHOICES[name, argument])}
        arguments[argument] = {**allowed, "needed": parameter.default is Parameter.empty}
    return {"words": getdoc(method), "arguments": arguments}


def call(name: str, function: Callable[..., object], values: Json) -> None:
    """Check the arguments and call the function. `name` is used in messages.

    Raises:
        ValueRefusedError: if an argument is unknown, invalid, or missing.
    """
    check_arguments(name, function, values)
    function(**values)


async def json_object(request: web.Request) -> Json:
    """Return the JSON object in a request's body, empty if there is no body.

    Raises:
        ValueRefusedError: if the body contains anything else.
    """
    text = await request.read()
    if not text.strip():
        return {}
    try:
        values = json.loads(text)
        # NaN and Infinity are not JSON: a client could not parse a response that contains them.
        json.dumps(values, allow_nan=False)
    except ValueError, RecursionError:
        values = None
    if not isinstance(values, dict):
        refuse_value("the body must be a JSON object")
    return values


def error_response(status: int, message: str) -> web.Response:
    return web.json_response({"error": message}, status=status)
