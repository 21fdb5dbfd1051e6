"""A service with prepared records, for the integration and for Home Assistant's `tessie`."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import reduce
import multiprocessing
from multiprocessing.connection import Connection
import os
from typing import Any, Final

import aiohttp
from aiohttp import web
from aiohttp.hdrs import AUTHORIZATION
import orjson

from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState, Vehicle
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

type RawRecord = dict[str, Any]

_LOOPBACK: Final = "127.0.0.1"
_CONTROL: Final = "/control"


@dataclass(frozen=True, slots=True)
class Car:
    """One of many equal cars."""

    index: int
    vin: str
    token: str
    """The access token of its account."""

    @property
    def path(self) -> str:
        return f"/api/1/vehicles/{self.path_id}"

    @property
    def path_id(self) -> int:
        return 1_000_000 + self.index

    def identify(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record with the ids and the name of this car."""
        return {
            **record,
            "state": "online",
            "id": self.path_id,
            "id_s": str(self.path_id),
            "vehicle_id": self.path_id,
            "vin": self.vin,
            "display_name": f"Car {self.index}",
            "vehicle_state": {**record["vehicle_state"], "vehicle_name": f"Car {self.index}"},
        }


class Service:
    """The service, as its client sees it."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.url = url
        self._session = session

    async def respond(self, record: RawRecord) -> None:
        """Set the record of every car, apart from its ids and its name, and restart the count of requests."""
        async with self._session.put(f"{self.url}{_CONTROL}", data=orjson.dumps(record)) as response:
            response.raise_for_status()

    async def count_requests(self) -> int:
        async with self._session.get(f"{self.url}{_CONTROL}") as response:
            return int(await response.read())

    async def request(self, paths: Iterable[str]) -> None:
        """Send requests at the same time, and parse their responses: what any integration must do."""
        await asyncio.gather(*map(self._request, paths))

    async def _request(self, path: str) -> None:
        headers = {AUTHORIZATION: "Bearer token"}
        async with self._session.get(f"{self.url}{path}", headers=headers) as response:
            orjson.loads(await response.read())


def cores() -> tuple[int, int]:
    """Return the cores for a client and for its service. A single core is used for both."""
    client, *_, service = sorted(os.sched_getaffinity(0)) * 2
    return client, service


@contextmanager
def run_service(cars: list[Car]) -> Iterator[str]:
    """Run the service in a process on its own core, and return its address."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, cars))
    process.start()
    sender.close()  # The receiver then gets an EOFError if the process fails.
    try:
        yield receiver.recv()
    finally:
        process.terminate()
        process.join()


def _serve(sender: Connection, cars: list[Car]) -> None:
    os.sched_setaffinity(0, {cores()[1]})

    async def run() -> None:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", _Handler(cars).handle)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, _LOOPBACK, 0).start()
        sender.send(f"http://{_LOOPBACK}:{runner.addresses[0][1]}")
        await asyncio.Event().wait()

    asyncio.run(run())


class _Handler:
    """Handles requests. The bodies of frequent responses are prepared."""

    def __init__(self, cars: list[Car]) -> None:
        self._cars = cars
        self._requests = 0

    def _prepare(self, record: RawRecord) -> None:
        self._requests = 0
        self._records = {car: car.identify(record) for car in self._cars}
        self._bodies: dict[str, bytes] = {}
        for car, own_record in self._records.items():
            self._bodies[f"{car.path}/vehicle_data"] = orjson.dumps({"response": own_record})
            self._bodies[f"/{car.vin}/state?use_cache=true"] = orjson.dumps(own_record)

    async def handle(self, request: web.Request) -> web.Response:
        content = await request.read()
        if request.path == _CONTROL:
            if content:
                self._prepare(orjson.loads(content))
            return web.Response(text=str(self._requests))
        self._requests += 1
        body = self._bodies.get(request.path_qs) or orjson.dumps(self._infrequent_body(request))
        return web.Response(body=body, content_type="application/json")

    def _infrequent_body(self, request: web.Request) -> dict[str, Any]:
        token = request.headers[AUTHORIZATION].rpartition(" ")[2]
        own = {car: record for car, record in self._records.items() if car.token == token}
        # Records in the list have no nested records.
        flat = {
            car.path: {name: value for name, value in record.items() if not isinstance(value, dict)}
            for car, record in own.items()
        }
        match request.path:
            case path if path.endswith("tesla_scopes"):
                return {"scopes": []}
            case "/api/1/vehicles":
                return {"response": list(flat.values())}
            case path if path.endswith("/vehicles"):
                return {"results": [{"vin": car.vin, "last_state": record} for car, record in own.items()]}
            case path:
                return {"response": flat[path]}


def driving_record() -> RawRecord:
    (car,) = Simulator(vehicles=1, seed=0).vehicles
    car.wake()
    if car.charging.plugged:
        car.unplug()
    car.set_level(100)
    car.drive(1000)
    record: RawRecord = orjson.loads(orjson.dumps(full_record(car)))
    record["vehicle_config"]["driver_assist"] = "TeslaAP3"  # required by `tessie`
    return record


def changed_record(record: RawRecord, unix_time: float, fields: int) -> RawRecord:
    """Return a record with another time and so many changed fields, spread over all of its parts."""
    candidates = list(_changeable_fields(record))
    assert fields <= len(candidates)
    updated = deepcopy(record)
    for part in updated.values():
        if isinstance(part, dict):
            part["timestamp"] = round(unix_time * 1000)
    updated["drive_state"]["gps_as_of"] = round(unix_time)
    for index in range(fields):
        path, value = candidates[index * len(candidates) // fields]
        _part(updated, path)[path[-1]] = value
    return updated


def _changeable_fields(record: RawRecord) -> Iterator[tuple[list[str], Any]]:
    """Yield the paths of numbers and flags that have their own entity, each with another valid value."""
    vehicle = Vehicle.parse(record)
    for field in FIELDS:
        # The account's own poll also reports the top-level fields.
        path = field.path.split(".")
        if field.shown_as is None or len(path) == 1 or field is DriveState.gps_as_of:
            continue
        if field.shown_if is not None and not field.shown_if.get(vehicle):
            continue
        value = _part(record, path).get(path[-1])
        others: tuple[Any, ...] = (not value,) if isinstance(value, bool) else ()
        if isinstance(value, int | float) and not isinstance(value, bool):
            others = (value + 1, value - 1)
        for other in others:
            if field.value_type.read(other) not in (None, field.value_type.read(value)):
                yield path, other
                break


def _part(record: RawRecord, path: Iterable[str]) -> RawRecord:
    """Return the part of a record that contains a field; empty if the part is missing."""
    *parents, _ = path
    return reduce(lambda part, name: part.get(name) or {}, parents, record)
