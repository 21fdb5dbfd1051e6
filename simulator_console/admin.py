"""Looking at the simulated cars and steering them over HTTP, without a token; off unless asked for."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from inspect import Parameter, getdoc
from ipaddress import ip_address
import json
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from custom_components.vehicle_remote_access.simulator.controls import CONTROLS, Vehicle
from custom_components.vehicle_remote_access.simulator.faults.switches import Switches
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full
from custom_components.vehicle_remote_access.simulator.http.server import Simulator
from custom_components.vehicle_remote_access.simulator.persistence import Json
from custom_components.vehicle_remote_access.simulator.vehicle.body import OPENINGS
from custom_components.vehicle_remote_access.simulator.vehicle.cabin import KEEPER_MODES, SEATS

from .fault_requests import tell
from .texts import doing, iso
from .values import (
    Kind,
    arguments_of,
    assign,
    check_arguments,
    docstrings_under,
    refuse_value,
)

PAGE: Final = "/simulator/"
FILES: Final = {"": "index.html", "page.css": "page.css", "page.js": "page.js", "icon.svg": "icon.svg"}
FOLDER: Final = Path(__file__).parent / "page"
SAFE: Final = {
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
    ("climate_keeper", "mode"): KEEPER_MODES,
    ("heat_seat", "seat"): SEATS,
}
"""What the texts are that a control takes."""


class AdminError(Exception):
    """A request that is not answered as it wanted; the message says why, in words for a person."""

    def __init__(self, status: int, words: str) -> None:
        """Keep what the answer will say."""
        super().__init__(words)
        self.status = status


def add_admin(simulator: Simulator, application: web.Application) -> None:
    """Add the admin page to a simulator's application. For `Simulator(extend=...)`."""
    admin = Admin(simulator)
    admin.add_routes(application.router)
    application.middlewares.insert(0, admin.apart)


class Admin:
    """The paths under /simulator/, which no real service has."""

    def __init__(self, simulator: Simulator) -> None:
        """Control this simulator and its vehicles."""
        self._vehicles = simulator.vehicles
        self._clock = simulator.clock
        self._switches = simulator.switches
        self._faults = simulator.faults
        self._requests = simulator.requests
        self._told: list[Json] = []

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Say what answers which path."""
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
            "faults": self.tell_fault,
            "switches": self.set_switches,
        }
        router.add_get(PAGE.rstrip("/"), self.way_to_page, allow_head=False)
        for name in FILES:
            router.add_get(PAGE + name, self.page, allow_head=False)
        for path, read in reads.items():
            router.add_get(PAGE + path, read, allow_head=False)
        for path, write in writes.items():
            router.add_post(PAGE + path, write)
        router.add_delete(f"{PAGE}faults", self.clear_faults)

    @web.middleware
    async def apart(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer what is asked of the controls at once, past everything that the service does to others."""
        if not f"{request.path}/".startswith(PAGE):
            return await handler(request)
        try:
            check_sender(request)
            answer = await request.match_info.handler(request)
        except AdminError as error:
            answer = refusal(error.status, str(error))
        except ValueError as error:
            answer = refusal(400, str(error))
        except web.HTTPMethodNotAllowed as error:
            answer = refusal(405, f"{request.path} takes {' and '.join(sorted(error.allowed_methods))}")
            answer.headers["Allow"] = error.headers["Allow"]
        except web.HTTPNotFound:
            answer = refusal(404, f"there is nothing at {request.path}")
        except web.HTTPException as error:
            answer = refusal(error.status, error.reason)
        answer.headers.update(SAFE)
        return answer

    async def way_to_page(self, _: web.Request) -> web.Response:
        """Lead whoever left out the last slash to the page."""
        return web.Response(status=307, headers={"Location": PAGE})

    async def page(self, request: web.Request) -> web.FileResponse:
        """Answer a file of the page."""
        return web.FileResponse(FOLDER / FILES[request.path.removeprefix(PAGE)])

    async def state(self, request: web.Request) -> web.Response:
        """Answer what time it is and how every car is, or only that of `vin`, without keeping it awake."""
        vin = request.query.get("vin")
        vehicles = self._vehicles if vin is None else [self._vehicle(vin)]
        return web.json_response({"clock": self._time(), "vehicles": [seen(each) for each in vehicles]})

    async def controls(self, _: web.Request) -> web.Response:
        """Answer what a person beside a car can do, and what has to be said with it."""
        return web.json_response({"controls": {name: control(name) for name in sorted(CONTROLS)}})

    async def control(self, request: web.Request) -> web.Response:
        """Run a control with the arguments in the JSON body, and answer the car after it."""
        vehicle, name = self._vehicle(request.match_info["vin"]), request.match_info["control"]
        if name not in CONTROLS:
            raise AdminError(404, f"there is no control {name}; there are {', '.join(sorted(CONTROLS))}")
        run(name, getattr(vehicle, name), await json_object(request))
        return web.json_response(seen(vehicle))

    async def clock(self, _: web.Request) -> web.Response:
        """Answer what time it is for the cars, and how fast it passes."""
        return web.json_response(self._time())

    async def set_clock(self, request: web.Request) -> web.Response:
        """Let time pass at another speed."""
        run("clock", self._run_at, await json_object(request))
        return web.json_response(self._time())

    async def requests(self, request: web.Request) -> web.Response:
        """Answer the requests to the service, or only the `last` of them, the newest at the end."""
        last = Kind.of(int).read("last", request.query.get("last", str(len(self._requests))))
        told = [
            {"moment": iso(each.moment), "method": each.method, "path": each.path, "status": each.status}
            for each in self._requests
        ]
        return web.json_response({"requests": told[max(0, len(told) - last) :]})

    async def faults(self, _: web.Request) -> web.Response:
        """Answer which faults were told here since the last clearing, and how many requests got which."""
        return web.json_response({"told": self._told, "injected": self._faults.injected})

    async def tell_fault(self, request: web.Request) -> web.Response:
        """Let the service do something wrong."""
        values = await json_object(request)
        tell(self._faults, values)
        self._told.append(values)
        return await self.faults(request)

    async def clear_faults(self, request: web.Request) -> web.Response:
        """Let the service answer rightly again."""
        self._faults.clear()
        self._told.clear()
        return await self.faults(request)

    async def switches(self, _: web.Request) -> web.Response:
        """Answer how the service departs from the interface document, and how it could."""
        words = docstrings_under(Switches)
        return web.json_response(
            {
                "switches": {
                    each.name: {
                        "value": getattr(self._switches, each.name),
                        "default": each.default,
                        "words": words[each.name],
                        **Kind.of(each.type).described,
                    }
                    for each in fields(Switches)
                }
            }
        )

    async def set_switches(self, request: web.Request) -> web.Response:
        """Let the service depart from the interface document: all that was asked for, or nothing of it."""
        assign(self._switches, await json_object(request))
        return await self.switches(request)

    def _vehicle(self, vin: str) -> Vehicle:
        for vehicle in self._vehicles:
            if vehicle.vin == vin:
                return vehicle
        raise AdminError(404, "there is no vehicle with this VIN")

    def _time(self) -> Json:
        return {"now": iso(self._clock.now()), "speed": self._clock.speed}

    def _run_at(self, speed: float) -> None:
        self._clock.speed = speed


def check_sender(request: web.Request) -> None:
    """Let a request through that comes from this machine and from no other page.

    Raises:
        AdminError: when a page of somebody else steers the browser, directly or by a name that it made
            to lead here.
    """
    try:
        host = urlsplit(f"//{request.host}").hostname or ""
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_here = False
    if not is_here:
        raise AdminError(403, f"this is to be reached as localhost or 127.0.0.1, not as {request.host}")
    origin = request.headers.get("Origin")
    if origin not in {None, f"http://{request.host}"}:
        raise AdminError(403, f"a page of {origin} may not steer this")


def seen(vehicle: Vehicle) -> Json:
    """Return a car as an observer beside it sees it."""
    vehicle.catch_up()
    reasons = vehicle.reasons_to_stay_awake if vehicle.awake else []
    is_tired = vehicle.awake and not reasons
    return {
        "vin": vehicle.vin,
        "id": vehicle.id,
        "name": vehicle.name,
        "model": vehicle.equipment.model,
        "doing": doing(vehicle),
        "stays_awake": reasons,
        "falls_asleep": iso(vehicle.falls_asleep_at) if is_tired else None,
        "horn": vehicle.body.horn,
        "lights": vehicle.body.lights,
        "calendar": vehicle.body.calendar,
        "coverage": vehicle.covered,
        "mobile_access": vehicle.mobile_enabled,
        "power_supply": vehicle.charging.supply_on,
        "record": full(vehicle, Variant.CURRENT),
    }


def control(name: str) -> Json:
    """Return what a control does, and for each of its arguments what it takes."""
    act = getattr(Vehicle, name)
    arguments = {}
    for argument, taken in arguments_of(act).items():
        described = Kind.of(taken.annotation).described
        if (name, argument) in CHOICES:
            described = {"types": [], "choices": list(CHOICES[name, argument])}
        is_needed = taken.default is Parameter.empty
        arguments[argument] = {**described, "needed": is_needed}
    return {"words": getdoc(act), "arguments": arguments}


def run(name: str, act: Callable[..., object], values: Json) -> None:
    """Do something with these arguments, if they are those that it takes."""
    check_arguments(name, act, values)
    act(**values)


async def json_object(request: web.Request) -> Json:
    """Return the JSON object in a request's body, empty when there is no body.

    Raises:
        ValueRefusedError: when there is something else in it.
    """
    text = await request.read()
    if not text.strip():
        return {}
    try:
        values = json.loads(text)
        json.dumps(values, allow_nan=False)  # whoever reads it back could not read a number that is none
    except ValueError, RecursionError:
        values = None
    if not isinstance(values, dict):
        refuse_value("the body has to be a JSON object")
    return values


def refusal(status: int, words: str) -> web.Response:
    """Return why not."""
    return web.json_response({"error": words}, status=status)
