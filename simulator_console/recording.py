"""What was asked and what was answered, in a file: one JSON object per line and request."""

from collections.abc import Mapping
from contextlib import suppress
import json
from pathlib import Path
import sys
from typing import Any, Final

from aiohttp import web
from aiohttp.typedefs import Handler

from custom_components.vehicle_remote_access.simulator.http.errors import ServiceError
from custom_components.vehicle_remote_access.simulator.http.parameters import read_body
from custom_components.vehicle_remote_access.simulator.http.server import Simulator
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .texts import iso

SECRETS: Final = ("password", "pin")


class Recording:
    """A file that gains a line for every request."""

    def __init__(self, path: Path) -> None:
        """Go on at the end of a file, which is made if there is none.

        Raises:
            OSError: when it cannot be written.
        """
        self._path = path
        # A line at a time: who reads along, or who comes after a crash, finds whole ones.
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def close(self) -> None:
        """Write no more."""
        with suppress(OSError):  # it was said when a line could not be written
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
        """Write down a request and its answer; passwords and PINs are left out."""
        exchange = {
            "moment": iso(moment),
            "method": request.method,
            "path": request.path,
            "query": without_secrets(dict(request.query)),
            "body": without_secrets(await _asked(request)),
            "status": response.status,
            "answer": _answered(response),
        }
        if self._file.closed:
            return
        try:
            self._file.write(f"{json.dumps(exchange, default=str)}\n")
        except OSError as error:
            # The service is what matters: it goes on without its recording.
            sys.stderr.write(f"simulator: {self._path} is not written any more: {error.strerror}\n")
            self.close()


def without_secrets(value: Any) -> Any:
    """Return a JSON value without the passwords and PINs that are in it, however deep."""
    if isinstance(value, Mapping):
        return {name: without_secrets(each) for name, each in value.items() if not _is_secret(name)}
    return [without_secrets(each) for each in value] if isinstance(value, list) else value


def _is_secret(name: str) -> bool:
    return name.lower().endswith(SECRETS)


async def _asked(request: web.Request) -> Json | None:
    """Return what is in the request's body; nothing if it cannot be read, for then it may hold anything."""
    try:
        return dict(await read_body(request)) or None
    except ServiceError, web.HTTPException, ValueError, LookupError:
        return None


def _answered(response: web.StreamResponse) -> Any:
    if not isinstance(response, web.Response) or not isinstance(response.body, bytes):
        return None
    try:
        return json.loads(response.body)
    except ValueError:
        return None
