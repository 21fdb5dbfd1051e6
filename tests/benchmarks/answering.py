"""A service that says what it is told to say, in a process of its own, at next to no cost.

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
from typing import Any, Final, override

import orjson

from .load import LOOPBACK

MOST_IN_ACCOUNT: Final = 50
"""Vehicles. An entry has 10,000 entities at most, as Home Assistant has it."""
_PAGE: Final = 100
_WAITING: Final = 1000
"""Connections."""
_SECONDS_TO_END: Final = 10
_END: Final = b"\r\n\r\n"
_LENGTH: Final = b"content-length: "
_BEARER: Final = b"authorization: bearer "
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
    server = await loop.create_server(lambda: _Speaking(answers), LOOPBACK, 0, backlog=_WAITING)
    pipe.send(server.sockets[0].getsockname()[1])
    await is_over.wait()


class _Answers:
    """What is said: all that is asked for again and again is ready."""

    def __init__(self, cars: list[Numbered]) -> None:
        self._cars = cars
        self._asked: list[bytes] = []
        self._ready: dict[bytes, bytes] = {}
        self._told = Told({})
        self._result = _written(_RESULT)

    @property
    def asked(self) -> list[str]:
        return [path.decode() for path in self._asked]

    def take(self, told: Told) -> None:
        """Prepare what is to be said from now on."""
        self._told, self._ready, self._asked = told, {}, []
        for car in self._cars:
            live, state = f"/api/1/vehicles/{car.number}/vehicle_data", f"/{car.vin}/state?use_cache=true"
            if told.status == HTTPStatus.OK:
                record = car.named(told.record)
                self._ready[live.encode()] = _written({"response": record})
                self._ready[state.encode()] = _written(record)
            else:
                self._ready[live.encode()] = self._ready[state.encode()] = _written(_REFUSED, told.status)

    def to(self, head: bytes) -> bytes:
        """Return the answer to a request."""
        path = head.split(b" ", 2)[1]
        self._asked.append(path)
        return self._ready.get(path) or self._seldom(path.decode(), head)

    def _seldom(self, path: str, head: bytes) -> bytes:
        if self._told.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return _written(_REFUSED, self._told.status)
        if "/command/" in path:
            return self._result
        path, _, query = path.partition("?")
        match path.rpartition("/")[2]:
            case "tesla_scopes":
                return _written({"scopes": []})
            case "vehicles" if path.startswith("/api/"):
                first = (int(query.partition("page=")[2] or 1) - 1) * _PAGE
                page = self._of_account(head)[first : first + _PAGE]
                return _written({"response": [self._outline(car) for car in page]})
            case "vehicles":
                config = {**self._told.record["vehicle_config"], **_NEEDED}
                record = {**self._told.record, "vehicle_config": config}
                cars = self._of_account(head)
                states = [{"vin": car.vin, "last_state": car.named(record)} for car in cars]
                return _written({"results": states})
            case number:
                (car,) = (car for car in self._cars if str(car.number) == number)
                return _written({"response": self._outline(car)})

    def _of_account(self, head: bytes) -> list[Numbered]:
        account = int(head.lower().partition(_BEARER)[2].split(None, 1)[0])
        return [car for car in self._cars if car.account == account]

    def _outline(self, car: Numbered) -> dict[str, Any]:
        """Return a car's own record, without those in it."""
        record = {**car.named(self._told.record), "state": self._told.state}
        return {name: value for name, value in record.items() if not isinstance(value, dict)}


class _Speaking(asyncio.Protocol):
    """A connection, on which one request comes after the other."""

    def __init__(self, answers: _Answers) -> None:
        self._answers = answers
        self._received = b""
        self._transport: asyncio.Transport

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    @override
    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(_END)
        if not end or (head.startswith(b"POST") and len(body) < _length(head)):
            return
        self._received = b""
        self._transport.write(self._answers.to(head))


def _length(head: bytes) -> int:
    return int(head.lower().partition(_LENGTH)[2].split(None, 1)[0])


def _written(answer: Mapping[str, Any], status: int = HTTPStatus.OK) -> bytes:
    body = orjson.dumps(answer)
    return b"HTTP/1.1 %d -\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        status,
        len(body),
        body,
    )
