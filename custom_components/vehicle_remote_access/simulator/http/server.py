"""The simulated service: an HTTP server on the loopback interface."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
import json
import logging
import secrets
from typing import Any, Final
from uuid import uuid4

from aiohttp import web
from aiohttp.typedefs import Handler

from ..clock import Clock
from ..controls import Vehicle
from ..faults.dropped_responses import Lost
from ..faults.faults import Answer, Change, Faults, Loss
from ..faults.presets import Mishap
from ..faults.switches import Switches
from ..fleet import make_fleet
from ..persistence import Json
from ..vehicle.place import Place
from .answers import Variant, full
from .errors import ServiceError
from .request import Request
from .service import Service

LOGGER: Final = logging.getLogger(__name__)
LOOPBACK: Final = "127.0.0.1"
REMEMBERED: Final = 1000
MINUTE: Final = 60.0
RETRY_AFTER: Final = "300"


class Simulator:
    """A vehicle remote-access service with its vehicles, to be started and stopped."""

    def __init__(
        self,
        *,
        vehicles: int = 1,
        seed: int = 0,
        token: str | None = None,
        clock: Clock | None = None,
        home: Place | None = None,
        alive: bool = False,
        kept: Any = None,
        on_request: Callable[[Request], None] | None = None,
        extend: Callable[[Simulator, web.Application], None] | None = None,
    ) -> None:
        """Create the vehicles.

        `home`: where all vehicles are parked at first. `alive`: whether there is weather and owners use the
        vehicles. `kept`: the result of `as_json` in an earlier run, to continue it. If it can't be read, the
        vehicles start from the beginning. `on_request` is called after each request was answered. `extend`
        can add routes and middlewares to the application before it starts.
        """
        self.clock = clock or Clock()
        self.switches = Switches()
        self.faults = Faults()
        self.mishap = Mishap(self.faults)
        self.token = token or secrets.token_urlsafe(24)
        fleet = partial(
            make_fleet, vehicles, seed=seed, clock=self.clock, switches=self.switches, home=home, alive=alive
        )
        self.vehicles = fleet()
        for vehicle in () if kept is None else self._not_taken_up(kept):
            index = self.vehicles.index(vehicle)
            self.vehicles[index] = fleet()[index]
        self.requests: deque[Request] = deque(maxlen=REMEMBERED)
        self.url = ""
        self._observers: list[Callable[[], None]] = []
        self._on_request = on_request
        self._extend = extend
        self._counted: deque[float] = deque()
        self._lost: set[Lost] = set()
        self._runner: web.AppRunner | None = None

    def observe(self, look: Callable[[], None]) -> Callable[[], None]:
        """Look after every request: something may have changed since the last. Return what ends that."""
        self._observers.append(look)
        return lambda: self._observers.remove(look)

    def tell_observers(self) -> None:
        """Let them look again, because something was done to a vehicle or to the service."""
        if self._observers:
            for vehicle in self.vehicles:
                vehicle.catch_up()
        for look in tuple(self._observers):
            look()

    def as_json(self) -> Json:
        """Return the time and the state of every vehicle; later it is known what happened since."""
        return {
            "clock": self.clock.as_json(),
            "vehicles": {vehicle.vin: vehicle.as_json() for vehicle in self.vehicles},
        }

    def _not_taken_up(self, kept: Any) -> list[Vehicle]:
        """Let the vehicles take up what was kept of them, and return those that could not."""
        try:
            self.clock.take_up(kept["clock"])
            known = dict(kept["vehicles"])
        except Exception:  # noqa: BLE001 - whatever it was, it was not what was kept
            LOGGER.warning("What was kept of the simulated cars cannot be read; they begin anew")
            return []
        return [
            each for each in self.vehicles if each.vin in known and not self._goes_on(each, known[each.vin])
        ]

    def _goes_on(self, vehicle: Vehicle, kept: Any) -> bool:
        try:
            vehicle.take_up(kept)
            vehicle.catch_up()
            # What cannot be told was not kept by a car.
            full(vehicle, Variant.CURRENT)
        except Exception:  # noqa: BLE001 - likewise
            is_here = False
        else:
            is_here = vehicle.timeline.now <= self.clock.now()
        if not is_here:
            LOGGER.warning("What was kept of %s cannot be read; it begins anew", vehicle.name)
        return is_here

    @property
    def unanswered(self) -> int:
        """How many clients wait for an answer that will never come."""
        return sum(each.is_silent for each in self._lost)

    async def start(self, port: int = 0) -> str:
        """Listen on a port of the loopback interface, any free one by default, and return the base URL."""
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, LOOPBACK, port).start()
        except OSError:
            await self.stop()
            raise
        self.url = f"http://{LOOPBACK}:{self._runner.addresses[0][1]}"
        return self.url

    async def stop(self) -> None:
        """Stop listening and leave nothing running."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._remember, self._answer])
        Service(self.vehicles, self.switches, self.faults).add_routes(application.router)
        if self._extend is not None:
            self._extend(self, application)
        application.on_shutdown.append(self._abort_lost)
        return application

    async def _abort_lost(self, _: web.Application) -> None:
        for lost in self._lost:
            lost.abort()

    @web.middleware
    async def _remember(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        response.headers["X-Request-Id"] = uuid4().hex
        now = self.clock.now()
        told = Request(request.method, request.path, dict(request.query), response.status, now)
        self.requests.append(told)
        if self._on_request is not None:
            self._on_request(told)
        self.tell_observers()
        return response

    @web.middleware
    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        await asyncio.sleep(self.switches.latency)
        match fault := self.faults.next_answer(request.path):
            case None:
                return await self._right(request, handler)
            case Change():
                return _changed(await self._right(request, handler), fault)
        if fault.is_obeyed:
            await self._right(request, handler)
        return Lost(fault.how, self._lost) if isinstance(fault, Loss) else _written(fault)

    async def _right(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Do what is asked for, and return the answer to it."""
        try:
            self._check(request)
            if served := self.faults.served(request.method, request.path):
                return _written(served)
            return await handler(request)
        except ServiceError as error:
            return self._failure(error)
        except web.HTTPException as error:
            return self._failure(_service_error(error))
        except Exception:
            if request.transport is None or request.transport.is_closing():
                # Who asked has left.
                raise
            LOGGER.exception("The simulated service failed at %s", request.match_info.handler.__name__)
            return self._failure(ServiceError(500, "internal error"))

    def _check(self, request: web.Request) -> None:
        """Let a request through that has the token and is not one too many."""
        scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
        given = token.strip().encode(errors="replace")
        if scheme.lower() != "bearer" or not secrets.compare_digest(given, self.token.encode()):
            raise ServiceError(401, "invalid_token", headers={"WWW-Authenticate": "Bearer"})
        if self.switches.forbid:
            raise ServiceError(403, self.switches.forbid)
        if self._is_one_too_many():
            raise ServiceError(429, "too many requests", headers={"Retry-After": RETRY_AFTER})
        json_needed = self.switches.require_content_type and request.method == "POST"
        if json_needed and request.content_type != "application/json":
            raise ServiceError(406, "not_acceptable")

    def _is_one_too_many(self) -> bool:
        """Return whether the last minute was full before this request."""
        if not self.switches.rate_limit:
            return False
        now = self.clock.now()
        while self._counted and self._counted[0] <= now - MINUTE:
            self._counted.popleft()
        if len(self._counted) >= self.switches.rate_limit:
            return True
        self._counted.append(now)
        return False

    def _failure(self, error: ServiceError) -> web.Response:
        hidden = self.switches.error_in_200 and error.status != HTTPStatus.UNAUTHORIZED
        status = HTTPStatus.OK if hidden else error.status
        body = envelope(error.error, error.description)
        return web.json_response(body, status=status, headers=error.headers)


def envelope(error: str, description: str = "") -> dict[str, str | None]:
    """Return the body of an error."""
    return {"response": None, "error": error, "error_description": description}


def _service_error(error: web.HTTPException) -> ServiceError:
    """Return what the service says for what the HTTP server found."""
    names = {404: "not_found", 405: "invalid_method"}
    allow = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
    return ServiceError(error.status, names.get(error.status, "invalid_request"), headers=allow)


def _written(answer: Answer) -> web.Response:
    match answer.body:
        case str() as text:
            written = web.Response(text=text, status=answer.status)
        case bytes() as raw:
            written = web.Response(body=raw, status=answer.status, content_type="application/json")
        case values:
            body = envelope(_phrase(answer.status)) if values is None else values
            written = web.json_response(body, status=answer.status)
    written.headers.update(answer.headers)
    return written


def _changed(right: web.StreamResponse, fault: Change) -> web.StreamResponse:
    if not isinstance(right, web.Response) or right.status != HTTPStatus.OK or not right.text:
        return right
    body = json.loads(right.text)
    return web.json_response({**body, "response": fault.change(body["response"])})


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # 540 is such a one, and services of this family use it
        return f"error {status}"
