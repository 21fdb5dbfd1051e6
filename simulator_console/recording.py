"""A file with all requests and responses: one JSON object per line."""

from collections.abc import Mapping
from contextlib import suppress
import json
from pathlib import Path
import sys
from typing import Any, Final

from aiohttp import web
from aiohttp.typedefs import Handler

from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.parameters import read_body
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .texts import iso

SECRETS: Final = ("password", "pin", "token")


class Recording:
    """A file that gets a line for every request."""

    def __init__(self, path: Path) -> None:
        """Open a file to append to it, and create it if it does not exist.

        Raises:
            OSError: if it cannot be written.
        """
        self._path = path
        # Line-buffered, so that a reader finds complete lines, also after a crash.
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def close(self) -> None:
        with suppress(OSError):  # The error was reported when a line could not be written.
            self._file.close()

    def add_to(self, simulator: Simulator, application: web.Application) -> None:
        """Record all requests of a simulator's application. For `Simulator(extend=...)`."""

        @web.middleware
        async def record(request: web.Request, handler: Handler) -> web.StreamResponse:
            response = await handler(request)
            await self.add(simulator.clock.now(), request, response)
            return response

        application.middlewares.insert(0, record)

    async def add(self, moment: float, request: web.Request, response: web.StreamResponse) -> None:
        """Write a request and its response, without passwords, PINs and tokens."""
        exchange = {
            "moment": iso(moment),
            "method": request.method,
            "path": request.path,
            "query": without_secrets(dict(request.query)),
            "body": without_secrets(await _request_body(request)),
            "status": response.status,
            "answer": _response_body(response),
        }
        if self._file.closed:
            return
        try:
            self._file.write(f"{json.dumps(exchange, default=str)}\n")
        except OSError as error:
            # The service continues without its recording.
            sys.stderr.write(f"simulator: cannot write to {self._path} anymore: {error.strerror}\n")
            self.close()


def without_secrets(value: Any) -> Any:
    """Return a JSON value without its passwords, PINs and tokens, at any depth."""
    if isinstance(value, Mapping):
        return {name: without_secrets(item) for name, item in value.items() if not _is_secret(name)}
    return [without_secrets(item) for item in value] if isinstance(value, list) else value


def _is_secret(name: str) -> bool:
    return name.lower().endswith(SECRETS)


async def _request_body(request: web.Request) -> Json | None:
    """Return the body's parameters. An unreadable body may contain a secret, so it is omitted."""
    try:
        return dict(await read_body(request)) or None
    except RequestError, web.HTTPException, ValueError, LookupError:
        return None


def _response_body(response: web.StreamResponse) -> Any:
    if not isinstance(response, web.Response) or not isinstance(response.body, bytes):
        return None
    try:
        return json.loads(response.body)
    except ValueError:
        return None
