"""The simulated service: an HTTP server on the loopback interface."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.client import responses
import json
import logging
import secrets
from ssl import SSLContext
from typing import Any, Final
from uuid import uuid4

from aiohttp import web
from aiohttp.typedefs import Handler

from ..car.location import Home
from ..clock import Clock
from ..controls import SimulatedVehicle
from ..faults.dropped_responses import DroppedStream
from ..faults.faults import ChangedResponse, DroppedResponse, Faults, ResponseFault
from ..faults.presets import FaultPreset
from ..faults.switches import OTHER, Switches
from ..fleet import make_fleet
from ..persistence import Json
from .access_tokens import TOKEN_PATH, AccessTokens
from .car_records import full_record
from .endpoints import Endpoints
from .request_error import RequestError

LOGGER: Final = logging.getLogger(__name__)
LOOPBACK: Final = "127.0.0.1"
LOGGED_REQUESTS: Final = 1000
PROXY: Final = web.AppKey("proxy", str)
"""The command proxy that an application plays: `signing` or `bluetooth`."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request and its status. The query may contain secrets, so it is not part of the representation."""

    method: str
    path: str
    query: dict[str, str] = field(repr=False)
    status: int
    """0 if nothing was sent."""
    moment: float = field(default=0.0, compare=False)
    """The time of the response, in simulated Unix seconds."""
    is_proxied: bool = False
    """Whether a command proxy received it."""


class LoopbackServer:
    """A server on the loopback interface."""

    url = ""
    runner_class = web.AppRunner
    _runner: web.AppRunner | None = None

    async def _listen(self, application: web.Application, port: int, tls: SSLContext | None = None) -> str:
        runner = self.runner_class(application, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, LOOPBACK, port, ssl_context=tls).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        self.url = f"{'https' if tls else 'http'}://{LOOPBACK}:{runner.addresses[0][1]}"
        return self.url

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None


class Simulator(LoopbackServer):
    """A simulated service with its vehicles."""

    service = OTHER
    """The name of the service that it plays."""
    faults_class: type[Faults] = Faults
    car_class: type[SimulatedVehicle] = SimulatedVehicle
    switches_class: type[Switches] = Switches

    def __init__(
        self,
        *,
        vehicles: int = 1,
        seed: int = 0,
        token: str | None = None,
        clock: Clock | None = None,
        home: Home | None = None,
        routine: bool = False,
        stored: Any = None,
        on_request: Callable[[Request], None] | None = None,
        extend: Callable[[Simulator, web.Application], None] | None = None,
    ) -> None:
        """Create the vehicles. `vehicles`, `seed`, `home` and `routine` are those of `make_fleet`.

        `stored`: the result of `as_json` in an earlier run, to continue it. If it can't be read, the vehicles
        start from the beginning. `on_request` is called after each response. `extend` can add routes and
        middlewares to the application before it starts.
        """
        self.clock = clock or Clock()
        self.switches = self.switches_class()
        self.faults = self.faults_class()
        self.fault_preset = FaultPreset(self.faults)
        self.tokens = AccessTokens(self.clock, self.switches, token or secrets.token_urlsafe(24))
        create_fleet = partial(
            make_fleet,
            vehicles,
            seed=seed,
            clock=self.clock,
            switches=self.switches,
            car_class=self.car_class,
            home=home,
            routine=routine,
        )
        self.vehicles = create_fleet()
        if stored is not None:
            try:
                self._restore(stored)
            except Exception:  # noqa: BLE001 - the stored state may be anything
                LOGGER.warning(
                    "The stored state of the simulated cars can't be read. They start from the beginning"
                )
                self.vehicles = create_fleet()
        self.requests: deque[Request] = deque(maxlen=LOGGED_REQUESTS)
        self._service = Endpoints(self.vehicles, self.switches)
        self._observers: list[Callable[[], None]] = []
        self._on_request = on_request
        self._extend = extend
        self._dropped: set[DroppedStream] = set()

    @property
    def token(self) -> str:
        return self.tokens.access_token

    @token.setter
    def token(self, token: str) -> None:
        self.tokens.access_token = token

    def observe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back after every request, when anything may have changed. Return a function that ends this."""
        self._observers.append(callback)
        return lambda: self._observers.remove(callback)

    def notify_observers(self) -> None:
        if self._observers:
            for vehicle in self.vehicles:
                vehicle.catch_up()
        for callback in tuple(self._observers):
            callback()

    def as_json(self) -> Json:
        return {
            "clock": self.clock.as_json(),
            "vehicles": {vehicle.vin: vehicle.as_json() for vehicle in self.vehicles},
        }

    def _restore(self, stored: Any) -> None:
        """Restore the clock and the vehicles. Raises an exception of any type if the state is invalid."""
        self.clock.restore(stored["clock"])
        states = dict(stored["vehicles"])
        for vehicle in self.vehicles:
            if vehicle.vin in states:
                vehicle.restore(states[vehicle.vin])
            vehicle.catch_up()
            # A state from which no record can be made is invalid.
            full_record(vehicle)
        if any(vehicle.timeline.now > self.clock.now() for vehicle in self.vehicles):
            raise ValueError

    @property
    def unanswered(self) -> int:
        """The number of clients that wait for a response that will never be sent."""
        return sum(response.is_silent for response in self._dropped)

    async def start(self, port: int = 0) -> str:
        application = self.new_application()
        self.add_service(application)
        application.router.add_post(TOKEN_PATH, self.tokens.respond)
        if self._extend is not None:
            self._extend(self, application)
        return await self._listen(application, port)

    def new_application(self) -> web.Application:
        """Return an application without endpoints that logs requests and applies faults."""
        application = web.Application(middlewares=[self._log_request, self._apply_faults])
        application.on_shutdown.append(self._abort_dropped)
        return application

    def add_service(self, application: web.Application) -> None:
        self._service.add_routes(application.router)

    async def _abort_dropped(self, _: web.Application) -> None:
        for response in self._dropped:
            response.abort()

    @web.middleware
    async def _log_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        response.headers["X-Request-Id"] = uuid4().hex
        now, is_proxied = self.clock.now(), PROXY in request.app
        logged = Request(
            request.method, request.path, dict(request.query), response.status, now, is_proxied=is_proxied
        )
        self.requests.append(logged)
        if self._on_request is not None:
            self._on_request(logged)
        self.notify_observers()
        return response

    @web.middleware
    async def _apply_faults(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        await asyncio.sleep(self.switches.latency)
        match fault := self.faults.next_fault(request.path):
            case None:
                return await self._respond(request, handler)
            case ChangedResponse():
                return _changed(await self._respond(request, handler), fault)
        if fault.is_obeyed:
            await self._respond(request, handler)
        if isinstance(fault, DroppedResponse):
            return DroppedStream(fault.how, self._dropped)
        return _fault_response(fault)

    async def _respond(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._check_token(request)
            if recorded := self.faults.served(request.method, request.path):
                return _fault_response(recorded)
            return await handler(request)
        except RequestError as error:
            return _error_response(error)
        except web.HTTPException as error:
            return _error_response(_service_error(error))
        except Exception:
            if request.transport is None or request.transport.is_closing():
                # The client has disconnected.
                raise
            LOGGER.exception("The simulated service failed at %s", request.match_info.handler.__name__)
            return _error_response(RequestError(500, "internal error"))

    def _check_token(self, request: web.Request) -> None:
        if request.path == TOKEN_PATH or request.app.get(PROXY) == "bluetooth":
            return
        scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
        if scheme.lower() != "bearer" or not self.tokens.accepts(token.strip()):
            raise RequestError(401, self.switches.token_error, headers={"WWW-Authenticate": "Bearer"})


def error_envelope(error: str, description: str = "") -> dict[str, str | None]:
    return {"response": None, "error": error, "error_description": description}


def _error_response(error: RequestError) -> web.Response:
    body = error_envelope(error.error, error.description)
    return web.json_response(body, status=error.status, headers=error.headers)


def _service_error(error: web.HTTPException) -> RequestError:
    names = {404: "not_found", 405: "invalid_method"}
    allow = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
    return RequestError(error.status, names.get(error.status, "invalid_request"), headers=allow)


def _fault_response(fault: ResponseFault) -> web.Response:
    match fault.body:
        case str() as text:
            response = web.Response(text=text, status=fault.status)
        case bytes() as raw:
            response = web.Response(body=raw, status=fault.status, content_type="application/json")
        case values:
            # Services of this family use 540, which has no standard phrase.
            phrase = responses.get(fault.status, f"error {fault.status}")
            body = error_envelope(phrase) if values is None else values
            response = web.json_response(body, status=fault.status)
    response.headers.update(fault.headers)
    return response


def _changed(correct: web.StreamResponse, fault: ChangedResponse) -> web.StreamResponse:
    if not isinstance(correct, web.Response) or correct.status != HTTPStatus.OK or not correct.text:
        return correct
    body = json.loads(correct.text)
    return web.json_response({**body, "response": fault.change(body["response"])})
