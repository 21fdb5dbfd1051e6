"""A service that says what it is told to say: an aiohttp server, as the simulator's, in a process of its own.

It answers what the integration asks, and what Home Assistant's `tessie` asks.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
import multiprocessing
from multiprocessing.connection import Connection
import os
from typing import Any, Final

from aiohttp import web
from aiohttp.hdrs import AUTHORIZATION
import orjson

from .load import LOOPBACK

MOST_IN_ACCOUNT: Final = 50
"""Vehicles. An entry has 10,000 entities at most, as Home Assistant has it."""
_PAGE: Final = 100
_WAITING: Final = 1000
"""Connections."""
_SECONDS_TO_END: Final = 10
_NEEDED: Final = {"driver_assist": "TeslaAP3"}
"""What `tessie` cannot start without, and no record of ours has."""
_RESULT: Final = {"response": {"reason": "", "result": True}}
_REFUSED: Final = {"response": None, "error": "vehicle unavailable", "error_description": ""}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A car, one of many of the same kind."""

    index: int
    vin: str

    @property
    def number(self) -> int:
        """Its id."""
        return 1_000_000 + self.index

    @property
    def account(self) -> int:
        """Which account it belongs to."""
        return self.index // MOST_IN_ACCOUNT

    @property
    def name(self) -> str:
        """What it is called."""
        return f"Car {self.index}"

    def named(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record as this car's."""
        return {
            **record,
            "id": self.number,
            "id_s": str(self.number),
            "vehicle_id": self.number,
            "vin": self.vin,
            "display_name": self.name,
            "user_id": self.account + 1,
            "vehicle_state": {**record["vehicle_state"], "vehicle_name": self.name},
        }


@dataclass(frozen=True, slots=True)
class Told:
    """What the service is to say."""

    record: dict[str, Any]
    """Of each car, but for who it is."""
    state: str = "online"
    status: int = HTTPStatus.OK
    """408: the cars do not answer. 500 and more: nobody does."""


class Service:
    """The service, for the process that told it to run."""

    def __init__(self, pipe: Connection, cars: list[Numbered], port: int) -> None:
        """Speak to it through a pipe."""
        self._pipe = pipe
        self.cars = cars
        self.url = f"http://{LOOPBACK}:{port}"

    def tell(self, told: Told) -> None:
        """Tell it what to say from now on, and forget what it was asked for."""
        self._pipe.send(told)
        self._pipe.recv()

    def asked(self) -> list[str]:
        """Return the paths that it was asked for since it was told."""
        self._pipe.send(None)
        asked: list[str] = self._pipe.recv()
        return asked


@contextmanager
def answering(cars: list[Numbered], core: int) -> Iterator[Service]:
    """Run a service, on a core of its own."""
    context = multiprocessing.get_context("forkserver")
    here, there = context.Pipe()
    process = context.Process(target=_answer, args=(there, cars, core))
    process.start()
    there.close()  # So that its end is heard here, should it fail.
    try:
        yield Service(here, cars, here.recv())
    finally:
        here.close()
        process.join(_SECONDS_TO_END)


def numbered(count: int, vin: str, first: int = 0) -> list[Numbered]:
    """Return so many cars with a VIN that differs from this one in its serial number."""
    return [Numbered(index, f"{vin[:-6]}{index:06}") for index in range(first, first + count)]


def _answer(pipe: Connection, cars: list[Numbered], core: int) -> None:
    os.sched_setaffinity(0, {core})
    asyncio.run(_answer_until_over(pipe, cars))


async def _answer_until_over(pipe: Connection, cars: list[Numbered]) -> None:
    loop = asyncio.get_running_loop()
    answers = _Answers(cars)
    is_over = asyncio.Event()

    def obey() -> None:
        try:
            told = pipe.recv()
        except EOFError:
            # Who told it what to say is gone.
            loop.remove_reader(pipe.fileno())
            is_over.set()
            return
        if told is not None:
            answers.take(told)
        pipe.send(answers.asked)

    loop.add_reader(pipe.fileno(), obey)
    application = web.Application()
    application.router.add_route("*", "/{anything:.*}", answers.answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, LOOPBACK, 0, backlog=_WAITING).start()
    pipe.send(runner.addresses[0][1])
    await is_over.wait()


class _Answers:
    """What is said: all that is asked for again and again is ready."""

    def __init__(self, cars: list[Numbered]) -> None:
        self._cars = cars
        self._ready: dict[str, bytes] = {}
        self._told = Told({})
        self.asked: list[str] = []

    def take(self, told: Told) -> None:
        """Prepare what is to be said from now on."""
        self._told, self._ready, self.asked = told, {}, []
        for car in self._cars:
            record = car.named(told.record)
            self._ready[f"/api/1/vehicles/{car.number}/vehicle_data"] = orjson.dumps({"response": record})
            self._ready[f"/{car.vin}/state?use_cache=true"] = orjson.dumps(record)

    async def answer(self, request: web.Request) -> web.Response:
        """Return the answer to a request."""
        await request.read()
        self.asked.append(request.path_qs)
        ready = self._ready.get(request.path_qs)
        is_refused = self._told.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if is_refused or (ready is not None and self._told.status != HTTPStatus.OK):
            return _written(orjson.dumps(_REFUSED), self._told.status)
        return _written(ready or orjson.dumps(self._seldom(request)))

    def _seldom(self, request: web.Request) -> dict[str, Any]:
        """Return what is not asked for again and again."""
        match request.path.rpartition("/")[2]:
            case _ if "/command/" in request.path:
                return _RESULT
            case "tesla_scopes":
                return {"scopes": []}
            case "vehicles" if request.path.startswith("/api/"):
                first = (int(request.query.get("page", 1)) - 1) * _PAGE
                page = self._of_account(request)[first : first + _PAGE]
                return {"response": [self._outline(car) for car in page]}
            case "vehicles":
                config = {**self._told.record["vehicle_config"], **_NEEDED}
                record = {**self._told.record, "vehicle_config": config}
                cars = self._of_account(request)
                return {"results": [{"vin": car.vin, "last_state": car.named(record)} for car in cars]}
            case number:
                (car,) = (car for car in self._cars if str(car.number) == number)
                return {"response": self._outline(car)}

    def _of_account(self, request: web.Request) -> list[Numbered]:
        account = int(request.headers[AUTHORIZATION].rpartition(" ")[2])
        return [car for car in self._cars if car.account == account]

    def _outline(self, car: Numbered) -> dict[str, Any]:
        """Return a car's own record, without those in it."""
        record = {**car.named(self._told.record), "state": self._told.state}
        return {name: value for name, value in record.items() if not isinstance(value, dict)}


def _written(body: bytes, status: int = HTTPStatus.OK) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")
