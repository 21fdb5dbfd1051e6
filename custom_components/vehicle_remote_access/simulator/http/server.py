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
from ..controls import SimulatedVehicle
from ..faults.dropped_responses import DroppedStream
from ..faults.faults import ChangedResponse, DroppedResponse, Faults, ResponseFault
from ..faults.presets import FaultPreset
from ..faults.switches import Switches
from ..fleet import make_fleet
from ..persistence import Json
from ..vehicle.location import Home
from .errors import ServiceError
from .records import Variant, full_record
from .request import Request
from .service import Service
from .tokens import TOKEN_PATH, Tokens

LOGGER: Final = logging.getLogger(__name__)
LOOPBACK: Final = "127.0.0.1"
LOGGED_REQUESTS: Final = 1000
MINUTE: Final = 60.0
RETRY_AFTER: Final = "300"


class Simulator:
    """A simulated service with its vehicles."""

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
        """Create the vehicles.

        `home`: where all vehicles are parked at first. `routine`: whether owners use the vehicles, and the
        weather changes. `stored`: the result of `as_json` in an earlier run, to continue it. If it can't be
        read, the vehicles start from the beginning. `on_request` is called after each response. `extend` can
        add routes and middlewares to the application before it starts.
        """
        self.clock = clock or Clock()
        self.switches = Switches()
        self.faults = Faults()
        self.fault_preset = FaultPreset(self.faults)
        self.tokens = Tokens(self.clock, self.switches, token or secrets.token_urlsafe(24))
        create_fleet = partial(
            make_fleet,
            vehicles,
            seed=seed,
            clock=self.clock,
            switches=self.switches,
            home=home,
            routine=routine,
        )
        self.vehicles = create_fleet()
        if stored is not None:
            for vehicle in self._restore(stored):
                index = self.vehicles.index(vehicle)
                self.vehicles[index] = create_fleet()[index]
        self.requests: deque[Request] = deque(maxlen=LOGGED_REQUESTS)
        self.url = ""
        self._observers: list[Callable[[], None]] = []
        self._on_request = on_request
        self._extend = extend
        self._request_times: deque[float] = deque()
        self._dropped: set[DroppedStream] = set()
        self._runner: web.AppRunner | None = None

    @property
    def token(self) -> str:
        """The access token that clients need."""
        return self.tokens.access_token

    @token.setter
    def token(self, token: str) -> None:
        self.tokens.access_token = token

    def observe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back after every request, when anything may have changed. Return a function that ends this."""
        self._observers.append(callback)
        return lambda: self._observers.remove(callback)

    def notify_observers(self) -> None:
        """Call the observers, after a change to a vehicle or to the service."""
        if self._observers:
            for vehicle in self.vehicles:
                vehicle.catch_up()
        for callback in tuple(self._observers):
            callback()

    def as_json(self) -> Json:
        """Return the state of the clock and of every vehicle."""
        return {
            "clock": self.clock.as_json(),
            "vehicles": {vehicle.vin: vehicle.as_json() for vehicle in self.vehicles},
        }

    def _restore(self, stored: Any) -> list[SimulatedVehicle]:
        """Restore the clock and the vehicles. Return the vehicles whose stored state can't be read."""
        try:
            self.clock.restore(stored["clock"])
            states = dict(stored["vehicles"])
        except Exception:  # noqa: BLE001 - the stored state may be anything
            LOGGER.warning(
                "The stored state of the simulated cars can't be read. They start from the beginning"
            )
            return []
        return [
            vehicle
            for vehicle in self.vehicles
            if vehicle.vin in states and not self._is_restored(vehicle, states[vehicle.vin])
        ]

    def _is_restored(self, vehicle: SimulatedVehicle, state: Any) -> bool:
        try:
            vehicle.restore(state)
            vehicle.catch_up()
            # A state from which no record can be made is invalid.
            full_record(vehicle, Variant.CURRENT)
        except Exception:  # noqa: BLE001 - the stored state may be anything
            is_restored = False
        else:
            is_restored = vehicle.timeline.now <= self.clock.now()
        if not is_restored:
            LOGGER.warning("The stored state of %s can't be read. It starts from the beginning", vehicle.name)
        return is_restored

    @property
    def unanswered(self) -> int:
        """The number of clients that wait for a response that will never be sent."""
        return sum(response.is_silent for response in self._dropped)

    async def start(self, port: int = 0) -> str:
        """Listen on a port of the loopback interface, by default any free one. Return the base URL."""
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
        """Stop the server. Stopping it again does nothing."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._log_request, self._apply_faults])
        Service(self.vehicles, self.switches, self.faults).add_routes(application.router)
        application.router.add_post(TOKEN_PATH, self.tokens.respond)
        if self._extend is not None:
            self._extend(self, application)
        application.on_shutdown.append(self._abort_dropped)
        return application

    async def _abort_dropped(self, _: web.Application) -> None:
        for response in self._dropped:
            response.abort()

    @web.middleware
    async def _log_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        response.headers["X-Request-Id"] = uuid4().hex
        now = self.clock.now()
        logged = Request(request.method, request.path, dict(request.query), response.status, now)
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
        """Handle a request, and return the correct response."""
        try:
            self._check(request)
            if recorded := self.faults.served(request.method, request.path):
                return _fault_response(recorded)
            return await handler(request)
        except ServiceError as error:
            return self._error_response(error)
        except web.HTTPException as error:
            return self._error_response(_service_error(error))
        except Exception:
            if request.transport is None or request.transport.is_closing():
                # The client has disconnected.
                raise
            LOGGER.exception("The simulated service failed at %s", request.match_info.handler.__name__)
            return self._error_response(ServiceError(500, "internal error"))

    def _check(self, request: web.Request) -> None:
        """Check the token, the rate limit and the content type. Raises ServiceError."""
        if request.path == TOKEN_PATH:
            return
        scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
        if scheme.lower() != "bearer" or not self.tokens.accepts(token.strip()):
            raise ServiceError(401, "invalid_token", headers={"WWW-Authenticate": "Bearer"})
        if self.switches.forbid:
            raise ServiceError(403, self.switches.forbid)
        if self._exceeds_rate_limit():
            raise ServiceError(429, "too many requests", headers={"Retry-After": RETRY_AFTER})
        needs_json = self.switches.require_content_type and request.method == "POST"
        if needs_json and request.content_type != "application/json":
            raise ServiceError(406, "not_acceptable")

    def _exceeds_rate_limit(self) -> bool:
        """Return whether a new request exceeds the limit per minute. If not, count it."""
        if not self.switches.rate_limit:
            return False
        now = self.clock.now()
        while self._request_times and self._request_times[0] <= now - MINUTE:
            self._request_times.popleft()
        if len(self._request_times) >= self.switches.rate_limit:
            return True
        self._request_times.append(now)
        return False

    def _error_response(self, error: ServiceError) -> web.Response:
        is_hidden = self.switches.error_in_200 and error.status != HTTPStatus.UNAUTHORIZED
        status = HTTPStatus.OK if is_hidden else error.status
        body = error_envelope(error.error, error.description)
        return web.json_response(body, status=status, headers=error.headers)


def error_envelope(error: str, description: str = "") -> dict[str, str | None]:
    """Return the body of an error response."""
    return {"response": None, "error": error, "error_description": description}


def _service_error(error: web.HTTPException) -> ServiceError:
    """Return the service's error for an error of the HTTP server."""
    names = {404: "not_found", 405: "invalid_method"}
    allow = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
    return ServiceError(error.status, names.get(error.status, "invalid_request"), headers=allow)


def _fault_response(fault: ResponseFault) -> web.Response:
    match fault.body:
        case str() as text:
            response = web.Response(text=text, status=fault.status)
        case bytes() as raw:
            response = web.Response(body=raw, status=fault.status, content_type="application/json")
        case values:
            body = error_envelope(_phrase(fault.status)) if values is None else values
            response = web.json_response(body, status=fault.status)
    response.headers.update(fault.headers)
    return response


def _changed(correct: web.StreamResponse, fault: ChangedResponse) -> web.StreamResponse:
    if not isinstance(correct, web.Response) or correct.status != HTTPStatus.OK or not correct.text:
        return correct
    body = json.loads(correct.text)
    return web.json_response({**body, "response": fault.change(body["response"])})


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # Services of this family use 540, which has no standard phrase.
        return f"error {status}"
