"""Streams of vehicle signals: server-sent events at Teslemetry, a web socket for each car at Tessie.

They were written from the documentation of these services, read on 2026-11-29:

- Teslemetry: https://teslemetry.com/docs/getting-started/telemetry, https://api.teslemetry.com/llms.txt,
  and what its library `teslemetry-stream` 1.3.0 expects
- Tessie: https://developer.tessie.com/reference/access-tesla-fleet-telemetry
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
import json
from typing import Any, Final, override
from uuid import uuid4

from aiohttp import WSMsgType, web

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.parameters import read_body
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .signals import signals, teslemetry_value, tessie_value

LAST_CHUNK: Final = b"0\r\n\r\n"
EVENTS_PATH, SOCKET_PATH, CONFIG_PATH = "/sse", "/streaming", "/api/config/{vin}"
UPDATE_EVERY = 1.0
"""Real seconds between two looks at the cars."""
KEEP_ALIVE_EVERY: Final = 15.0
"""Real seconds. Teslemetry sends something at least every 30 s."""
VEHICLE_TOPICS: Final = {"alerts", "config", "connectivity", "data", "errors", "state", "vehicle_data"}
OTHER_TOPICS: Final = {
    "credits",
    "energy_totals",
    "live_status",
    "site_info",
    "tariff_content_v2",
    "wall_connector_totals",
}
TESSIE_TOPICS: Final = {"connectivity", "data"}
NETWORK: Final = "cellular"


class LenientHandler(web.RequestHandler):
    """Ignores the end of chunks after a GET without a body.

    The library teslemetry-stream requests the stream with `chunked=True`. The client of aiohttp then writes
    the last chunk, but no header that announces chunks.
    """

    @override
    def data_received(self, data: bytes) -> None:
        is_bare = data.startswith(b"GET ") and data.endswith(b"\r\n\r\n" + LAST_CHUNK)
        super().data_received(data.removesuffix(LAST_CHUNK) if is_bare else data)


class LenientRunner(web.AppRunner):
    """Lets each connection be handled by a LenientHandler."""

    @property
    @override
    def server(self) -> Any:
        manager, loop = super().server, asyncio.get_running_loop()
        no_log: Any = None
        return manager and (lambda: LenientHandler(manager, loop=loop, access_log=no_log))


class Connection:
    """A connection to a client that listens to one car, or to all cars."""

    def __init__(
        self, streams: Streams, request: web.Request, response: web.StreamResponse, topics: set[str]
    ) -> None:
        self._streams = streams
        self._request = request
        self._response = response
        self._ended = asyncio.Event()
        self.vin = request.match_info.get("vin", "")
        self.topics = topics
        self.wrote_at = 0.0
        """The real moment of the last message or sign of life."""

    @property
    def is_lost(self) -> bool:
        return self._request.transport is None or self._request.transport.is_closing()

    async def write(self, text: str) -> None:
        await self._response.write(text.encode())

    async def keep_alive(self) -> None:
        await self.write(": keep-alive\n\n")

    async def wait(self) -> None:
        """Wait until the connection ends."""
        await self._ended.wait()

    async def end(self) -> None:
        """End the connection as the protocol wants it."""
        self._ended.set()

    def abort(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()
        self._ended.set()


class SocketConnection(Connection):
    """A connection to a client with a web socket."""

    def __init__(self, streams: Streams, request: web.Request, socket: web.WebSocketResponse) -> None:
        super().__init__(streams, request, socket, TESSIE_TOPICS)
        self._socket = socket

    @override
    async def write(self, text: str) -> None:
        await self._socket.send_str(text)

    @override
    async def keep_alive(self) -> None:
        await self._socket.ping()

    @override
    async def wait(self) -> None:
        async for message in self._socket:
            if message.type is WSMsgType.PING and not self._streams.is_silent:
                await self._socket.pong(message.data)

    @override
    async def end(self) -> None:
        await self._socket.close()


@dataclass
class Sent:
    """The state of a car that was sent last, and the value and the moment of each signal."""

    state: str = ""
    values: Json = field(default_factory=dict)
    moments: dict[str, float] = field(default_factory=dict)


class Streams:
    """The streams of a service. Without a listener, no message is made."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._is_tessie = simulator.service == "tessie"
        self._sent: dict[str, Sent] = {}
        self._task: asyncio.Task[None] | None = None
        self.connections: list[Connection] = []
        self.configs: dict[str, dict[str, Json]] = {}
        """By VIN, which signals Teslemetry streams, with the options of each."""
        # Faults
        self.is_on = False
        """Whether the service streams at all. Otherwise the paths don't exist."""
        self.refuse_with = 0
        """The status with which new connections are refused; 0: they are accepted."""
        self.is_silent = False
        """Whether connections stay open without any message or sign of life."""
        self.is_typed = False
        """Whether Tessie sends all values with their types. Otherwise older signals are text."""
        self.unsupported: set[str] = set()
        """The VINs of cars that can't stream."""

    @property
    def url(self) -> str:
        """The address of the stream, empty without one. At Tessie, the VIN of a car is added to it."""
        if not self.is_on or self._simulator.service not in {"teslemetry", "tessie"}:
            return ""
        url = self._simulator.url
        return f"{url.replace('http', 'ws', 1)}{SOCKET_PATH}" if self._is_tessie else url + EVENTS_PATH

    def add_to(self, application: web.Application) -> None:
        router = application.router
        if self._is_tessie:
            router.add_get(f"{SOCKET_PATH}/{{vin}}", self._serve_socket, allow_head=False)
        elif self._simulator.service == "teslemetry":
            router.add_get(EVENTS_PATH, self._serve_events, allow_head=False)
            router.add_get(f"{EVENTS_PATH}/{{vin}}", self._serve_events, allow_head=False)
            router.add_get(CONFIG_PATH, self._config, allow_head=False)
            router.add_patch(CONFIG_PATH, self._set_config)
            router.add_post(CONFIG_PATH, self._set_config)
        application.on_shutdown.append(self._shut_down)

    # For tests and people

    async def close(self) -> None:
        """End all connections as the protocol wants it."""
        for connection in tuple(self.connections):
            await connection.end()

    def abort(self) -> None:
        """Break off all connections."""
        for connection in tuple(self.connections):
            connection.abort()

    async def send(self, text: str, *, times: int = 1) -> None:
        """Send a text to all connections as it is, also when the service is silent."""
        for _ in range(times):
            for connection in tuple(self.connections):
                await self._write(connection, text)

    def message(self, car: SimulatedVehicle, values: Mapping[str, Any], moment: float | None = None) -> str:
        """Return the text that reports values of signals, known or not, as of a simulated moment."""
        return self._text("data", car, self._data(values), moment)

    async def update(self) -> None:
        """Send all changes, and signs of life. `_run` calls this every second while a client listens."""
        for car in self._simulator.vehicles:
            await self._send_changes(car)
        for connection in tuple(self.connections):
            if connection.is_lost:
                connection.abort()
            elif self._now - connection.wrote_at >= KEEP_ALIVE_EVERY and not self.is_silent:
                await self._write(connection)

    async def publish_read(self, vin: str, data: Json) -> None:
        """Pass on the record of a car that a client read live."""
        for car in self._simulator.vehicles if self.connections else ():
            if car.vin == vin:
                await self._publish("vehicle_data", car, {"vehicle_data": data})

    # Endpoints

    def _check(self, request: web.Request, status: int = 0) -> None:
        """Raises RequestError if the service doesn't stream, or refuses this request."""
        vin = request.match_info.get("vin", "")
        is_known = not vin or any(car.vin == vin for car in self._simulator.vehicles)
        if not (self.is_on and self._simulator.switches.is_fleet and is_known):
            raise RequestError(404, "not_found")
        if status:
            raise RequestError(status, "refused")

    async def _serve_events(self, request: web.Request) -> web.StreamResponse:
        self._check(request, self.refuse_with)
        topics = set(request.query["topics"].split(",")) if "topics" in request.query else VEHICLE_TOPICS
        if not topics <= VEHICLE_TOPICS | OTHER_TOPICS:
            raise RequestError(400, "invalid_topics")
        response = web.StreamResponse()
        response.content_type = "text/event-stream"
        response.headers["Cache-Control"] = "no-cache"
        await response.prepare(request)
        return await self._serve(Connection(self, request, response, topics), response)

    async def _serve_socket(self, request: web.Request) -> web.StreamResponse:
        self._check(request, self.refuse_with)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        return await self._serve(SocketConnection(self, request, socket), socket)

    async def _serve(self, connection: Connection, response: web.StreamResponse) -> web.StreamResponse:
        if not self.connections:
            self._sent.clear()
        self.connections.append(connection)
        connection.wrote_at = self._now
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            for car in self._simulator.vehicles:
                await self._greet(connection, car)
            with suppress(ConnectionError):
                await connection.wait()
        finally:
            self.connections.remove(connection)
        return response

    async def _config(self, request: web.Request) -> web.Response:
        self._check(request)
        if not (fields := self.configs.get(request.match_info["vin"])):
            raise RequestError(404, "not_found")
        return web.json_response({"fields": fields})

    async def _set_config(self, request: web.Request) -> web.Response:
        """Add signals (PATCH), or replace all (POST). Null stands for the usual interval."""
        self._check(request)
        body, vin = await read_body(request, allow_form=False), request.match_info["vin"]
        car = next(car for car in self._simulator.vehicles if car.vin == vin)
        fields = body.get("fields")
        if not isinstance(fields, dict) or not all(map(_is_valid, fields.values())):
            raise RequestError(400, "fst_err_validation")
        if vin in self.unsupported:
            skipped = {"unsupported_hardware": [vin]}
            return web.json_response({"response": {"updated_vehicles": 0, "skipped_vehicles": skipped}})
        known = signals(car)
        kept = self.configs.get(vin, {}) if request.method == "PATCH" else {}
        self.configs[vin] = kept | {name: options or {} for name, options in fields.items() if name in known}
        await self._publish("config", car, {"config": {"fields": self.configs[vin]}})
        ignored = [name for name in fields if name not in known]
        return web.json_response({"response": {"updated_vehicles": 1}, "ignoredFields": ignored})

    # Messages

    async def _run(self) -> None:
        while self.connections:
            await asyncio.sleep(UPDATE_EVERY)
            await self.update()

    async def _shut_down(self, _: web.Application) -> None:
        self.abort()
        if self._task is not None:
            self._task.cancel()

    async def _greet(self, connection: Connection, car: SimulatedVehicle) -> None:
        """Send the cached state of a car. Tessie sends nothing about a car that isn't online."""
        if connection.vin not in {"", car.vin}:
            return
        car.catch_up()
        values = self._streamed(car)
        sent = self._sent.setdefault(car.vin, Sent())
        if not sent.state:
            sent.state, sent.values = car.state, values
            sent.moments = dict.fromkeys(values, self._simulator.clock.now())
        if self._is_tessie and car.state != "online":
            return
        cached = {} if self._is_tessie else {"isCache": True}
        config = {"fields": self.configs.get(car.vin, {})}
        await self._publish("state", car, {"state": car.state, **cached}, connection)
        await self._publish("config", car, {"config": config, **cached}, connection)
        if values:
            await self._publish("data", car, {**self._data(values), **cached}, connection)

    async def _send_changes(self, car: SimulatedVehicle) -> None:
        car.catch_up()
        sent, now = self._sent.setdefault(car.vin, Sent()), self._simulator.clock.now()
        if sent.state != car.state:
            # A car that comes online sends all its signals.
            is_connection_changed = "online" in {sent.state, car.state}
            sent.state, sent.values = car.state, {}
            if is_connection_changed:
                status = "CONNECTED" if car.state == "online" else "DISCONNECTED"
                connectivity = {"connectionId": str(uuid4()), "networkInterface": NETWORK, "status": status}
                await self._publish("connectivity", car, connectivity)
            await self._publish("state", car, {"state": car.state})
        if car.state != "online":
            return
        config = self.configs.get(car.vin, {})
        changed = {
            name: value
            for name, value in self._streamed(car).items()
            if name not in sent.values
            or (value != sent.values[name] and now - sent.moments[name] >= _interval(config.get(name, {})))
        }
        if changed:
            sent.values.update(changed)
            sent.moments.update(dict.fromkeys(changed, now))
            await self._publish("data", car, self._data(changed))

    def _streamed(self, car: SimulatedVehicle) -> Json:
        """Return the streamed signals of a car: all at Tessie, those of its configuration at Teslemetry."""
        config = self.configs.get(car.vin, {})
        if car.vin in self.unsupported or not (self._is_tessie or config):
            return {}
        values = signals(car)
        return values if self._is_tessie else {name: values[name] for name in config if name in values}

    def _data(self, values: Mapping[str, Any]) -> Json:
        if self._is_tessie:
            typed = self.is_typed
            data = [
                {"key": name, "value": tessie_value(name, value, is_typed=typed)}
                for name, value in values.items()
            ]
            return {"data": data}
        return {"data": {name: teslemetry_value(name, value) for name, value in values.items()}}

    def _text(self, topic: str, car: SimulatedVehicle, content: Json, moment: float | None = None) -> str:
        real = self._simulator.clock.real(car.as_of if moment is None else moment)
        created_at = datetime.fromtimestamp(real, UTC).isoformat(timespec="milliseconds").partition("+")[0]
        if self._is_tessie:
            # Tesla's clock counts nanoseconds.
            return json.dumps({**content, "createdAt": f"{created_at}000000Z", "vin": car.vin})
        message = json.dumps({"vin": car.vin, "createdAt": f"{created_at}Z", **content})
        return f"event: {topic}\ndata: {message}\n\n"

    async def _publish(
        self, topic: str, car: SimulatedVehicle, content: Json, only: Connection | None = None
    ) -> None:
        """Send a message to all connections that want it, or to one of them."""
        wanted = [
            connection
            for connection in self.connections
            if connection.vin in {"", car.vin} and topic in connection.topics and only in {None, connection}
        ]
        if wanted and not self.is_silent:
            moment = self._simulator.clock.now() if topic == "config" else None
            text = self._text(topic, car, content, moment)
            for connection in wanted:
                await self._write(connection, text)

    async def _write(self, connection: Connection, text: str = "") -> None:
        """Write a text, or without one a sign of life."""
        connection.wrote_at = self._now
        try:
            await (connection.write(text) if text else connection.keep_alive())
        except ConnectionError:
            connection.abort()

    @property
    def _now(self) -> float:
        return self._simulator.clock.real(self._simulator.clock.now())


def _is_valid(options: object) -> bool:
    """Return whether these are options of a signal: null, {}, or {"interval_seconds": 60}."""
    return options is None or (
        isinstance(options, dict) and isinstance(options.get("interval_seconds", 0), int | float)
    )


def _interval(options: Json) -> float:
    """Return the least seconds between two values. Half a second less, because the timer is not exact."""
    return float(options.get("interval_seconds", 0)) - 0.5
