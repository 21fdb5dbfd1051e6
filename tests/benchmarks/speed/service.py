"""A service with prepared records, for the integration and for Home Assistant's `tessie`."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

import aiohttp
from aiohttp import web
from aiohttp.hdrs import AUTHORIZATION
import orjson

from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState, Vehicle
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from ..common.process import LOOPBACK

type RawRecord = dict[str, Any]

_VEHICLES_PER_ACCOUNT: Final = 50
"""Limited by the 10,000 entities that Home Assistant allows for a config entry."""
_CONTROL: Final = "/control"
_BACKLOG: Final = 1000
_COMMAND_RESULT: Final = {"response": {"reason": "", "result": True}}


@dataclass(frozen=True, slots=True)
class Car:
    """One of many equal cars."""

    index: int
    vin: str

    @property
    def path(self) -> str:
        return f"/api/1/vehicles/{self.path_id}"

    @property
    def path_id(self) -> int:
        return 1_000_000 + self.index

    @property
    def account(self) -> str:
        return str(self.index // _VEHICLES_PER_ACCOUNT)

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
            "user_id": int(self.account) + 1,
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


async def start_service(cars: list[Car]) -> str:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", _Handler(cars).handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, LOOPBACK, 0, backlog=_BACKLOG).start()
    return f"http://{LOOPBACK}:{runner.addresses[0][1]}"


class _Handler:
    """Handles requests. The bodies of frequent responses are prepared."""

    def __init__(self, cars: list[Car]) -> None:
        self._cars = cars
        self._requests = 0

    def _prepare(self, record: RawRecord) -> None:
        self._requests = 0
        self._records = [car.identify(record) for car in self._cars]
        self._bodies: dict[str, bytes] = {}
        for car, own_record in zip(self._cars, self._records, strict=True):
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
        account = request.headers[AUTHORIZATION].rpartition(" ")[2]
        pairs = zip(self._cars, self._records, strict=True)
        own = {car: record for car, record in pairs if car.account == account}
        # Records in the list have no nested records.
        flat = {
            car.path: {name: value for name, value in record.items() if not isinstance(value, dict)}
            for car, record in own.items()
        }
        match request.path:
            case path if "/command/" in path:
                return _COMMAND_RESULT
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
