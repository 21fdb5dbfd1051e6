"""A load generator: requests over persistent connections, with little CPU time of its own."""

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
    """Connections to a server. Each has one request pending at any time."""

    def __init__(self, port: int, token: str) -> None:
        """Connect."""
        self._connections = [socket.create_connection((LOOPBACK, port)) for _ in range(_CONNECTIONS)]
        self._head = f"Host: {LOOPBACK}:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"

    def __enter__(self) -> Self:
        """Return the load generator."""
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        for connection in self._connections:
            connection.close()

    def seconds(self, paths: Iterable[str], requests: int) -> float:
        """Send a number of requests, cycling through the paths, and return how long they took.

        Raises:
            ValueError: with the response's head, if a response is not a success.
        """
        messages = cycle([f"GET {path} HTTP/1.1\r\n{self._head}".encode() for path in paths])
        started = perf_counter()
        self._send(messages, requests)
        return perf_counter() - started

    def _send(self, messages: Iterator[bytes], requests: int) -> None:
        busy = self._connections[:requests]
        for connection in busy:
            connection.sendall(next(messages))
        for index in range(requests):
            connection = busy[index % len(busy)]
            _read_response(connection)
            if index + len(busy) < requests:
                connection.sendall(next(messages))


def _read_response(connection: socket.socket) -> None:
    received = connection.recv(_CHUNK)
    while _END not in received:
        received += connection.recv(_CHUNK)
    head, _, body = received.partition(_END)
    if not head.startswith(_SUCCESS):
        raise ValueError(head.decode())
    missing = int(head.partition(_LENGTH)[2].partition(b"\r\n")[0]) - len(body)
    while missing > 0:
        missing -= len(connection.recv(_CHUNK))
