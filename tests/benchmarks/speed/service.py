"""A service with prepared responses, for the integration and for Home Assistant's `tessie`."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import aiohttp
from aiohttp import web
from aiohttp.hdrs import AUTHORIZATION
import orjson

from ..common.process import LOOPBACK, serve_http

_VEHICLES_PER_ACCOUNT: Final = 50
"""Limited by the 10,000 entities that Home Assistant allows for a config entry."""
_CONTROL: Final = "/control"
_COMMAND_RESULT: Final = {"response": {"reason": "", "result": True}}
_ERROR: Final = {"response": None, "error": "vehicle unavailable", "error_description": ""}


@dataclass(frozen=True, slots=True)
class Car:
    """One of many equal cars."""

    index: int
    vin: str

    @property
    def path(self) -> str:
        """The path of its record."""
        return f"/api/1/vehicles/{self.path_id}"

    @property
    def path_id(self) -> int:
        """The id in request paths."""
        return 1_000_000 + self.index

    @property
    def account(self) -> str:
        """The token of the car's account."""
        return str(self.index // _VEHICLES_PER_ACCOUNT)

    def identify(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record with the ids and the name of this car."""
        return {
            **record,
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

    def __init__(self, session: aiohttp.ClientSession, url: str, cars: list[Car]) -> None:
        """Use a session of the client."""
        self.url = url
        self.cars = cars
        self._session = session

    async def respond(self, record: dict[str, Any], state: str, status: int) -> None:
        """Set the record of every car, apart from its ids and its name, and restart the count of requests.

        Status 408: the cars don't respond. From 500: the service fails.
        """
        body = orjson.dumps([record, state, status])
        async with self._session.put(f"{self.url}{_CONTROL}", data=body) as response:
            response.raise_for_status()

    async def count_requests(self) -> int:
        """Return the number of requests since the response was set."""
        async with self._session.get(f"{self.url}{_CONTROL}") as response:
            return int(await response.read())


async def start_service(cars: list[Car]) -> str:
    """Start the service and return its URL."""
    return f"http://{LOOPBACK}:{await serve_http(_Handler(cars).handle)}"


class _Handler:
    """Handles requests. The bodies of frequent responses are prepared."""

    def __init__(self, cars: list[Car]) -> None:
        self._cars = cars
        self._requests = 0

    def _prepare(self, record: dict[str, Any], state: str, status: int) -> None:
        self._status, self._requests = status, 0
        self._records = [{**car.identify(record), "state": state} for car in self._cars]
        self._bodies: dict[str, bytes] = {}
        for car, own_record in zip(self._cars, self._records, strict=True):
            self._bodies[f"{car.path}/vehicle_data"] = orjson.dumps({"response": own_record})
            self._bodies[f"/{car.vin}/state?use_cache=true"] = orjson.dumps(own_record)

    async def handle(self, request: web.Request) -> web.Response:
        """Return the response to a request."""
        content = await request.read()
        if request.path == _CONTROL:
            if content:
                self._prepare(*orjson.loads(content))
            return web.Response(text=str(self._requests))
        self._requests += 1
        body = self._bodies.get(request.path_qs)
        status = self._status if body or self._status >= HTTPStatus.INTERNAL_SERVER_ERROR else HTTPStatus.OK
        if status != HTTPStatus.OK:
            body = orjson.dumps(_ERROR)
        body = body or orjson.dumps(self._infrequent_body(request))
        return web.Response(body=body, status=status, content_type="application/json")

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
