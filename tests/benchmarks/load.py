"""Requests over kept connections, as fast as they are answered, and at next to no cost of their own."""

from collections.abc import Iterable, Iterator
from itertools import cycle
import socket
from time import perf_counter
from typing import Final, Self

LOOPBACK: Final = "127.0.0.1"
_CONNECTIONS: Final = 8
_CHUNK: Final = 2**16
_SUCCESS: Final = b"HTTP/1.1 200 "
_LENGTH: Final = b"\r\nContent-Length: "
_END: Final = b"\r\n\r\n"


class Load:
    """Some connections to a server, each of which always waits for an answer."""

    def __init__(self, port: int, token: str) -> None:
        """Connect."""
        self._connections = [socket.create_connection((LOOPBACK, port)) for _ in range(_CONNECTIONS)]
        self._head = f"Host: {LOOPBACK}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"

    def __enter__(self) -> Self:
        """Use it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        for each in self._connections:
            each.close()

    def seconds(self, paths: Iterable[str], times: int) -> float:
        """Ask so often, for these paths in turn, and return how long it took.

        Raises:
            ValueError: with what was said instead, if an answer is no success.
        """
        requests = cycle([f"GET {path} HTTP/1.1\r\n{self._head}".encode() for path in paths])
        began = perf_counter()
        self._ask(requests, times)
        return perf_counter() - began

    def _ask(self, requests: Iterator[bytes], times: int) -> None:
        busy = self._connections[:times]
        for connection in busy:
            connection.sendall(next(requests))
        for index in range(times):
            connection = busy[index % len(busy)]
            _read_answer(connection)
            if index + len(busy) < times:
                connection.sendall(next(requests))


def _read_answer(connection: socket.socket) -> None:
    received = connection.recv(_CHUNK)
    while _END not in received:
        received += connection.recv(_CHUNK)
    head, _, body = received.partition(_END)
    if not head.startswith(_SUCCESS):
        raise ValueError(head.decode())
    missing = int(head.partition(_LENGTH)[2].partition(b"\r\n")[0]) - len(body)
    while missing > 0:
        missing -= len(connection.recv(_CHUNK))
