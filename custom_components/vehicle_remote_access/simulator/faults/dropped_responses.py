"""How an answer gets lost on its way."""

import asyncio
import socket
import struct
from typing import Final, override

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from .faults import How

BEGINNING: Final = b'{"response": "'
CHUNK: Final = b"x" * 2**16
END: Final = b'"}'
HUGE: Final = 50 * 2**20
_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)
"""SO_LINGER: on, for 0 seconds."""


class Lost(web.StreamResponse):
    """An answer that does not arrive as one. Its status is 0 if nothing of it is sent."""

    def __init__(self, how: How, under_way: set[Lost]) -> None:
        """Lose it so; it is `under_way` until the client has left."""
        super().__init__(status=200 if how in ("cut", "endless", "huge") else 0)
        self.content_type = "application/json"
        self.is_silent = how == "silence"
        self._how = how
        self._under_way = under_way
        self._transport: asyncio.Transport | None = None

    @override
    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Send what is sent of it. Raises ConnectionError, upon which the connection is closed."""
        self._transport = request.transport
        self._under_way.add(self)
        try:
            return await self._lose(request)
        finally:
            self._under_way.discard(self)

    async def _lose(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        match self._how:
            case "reset" if self._transport is not None:
                peer = self._transport.get_extra_info("socket")
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            case "silence" if self._transport is not None:
                await _Leaving(self._transport).left
            case "cut":
                self.content_length = 2 * len(CHUNK)
                await super().prepare(request)
                await self.write(BEGINNING + CHUNK[len(BEGINNING) :])
            case "endless":
                await self._begin(request)
                while True:
                    await self.write(CHUNK)
            case "huge":
                writer = await self._begin(request)
                for _ in range(HUGE // len(CHUNK)):
                    await self.write(CHUNK)
                await self.write(END)
                return writer
        raise ConnectionResetError

    async def _begin(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        self.enable_chunked_encoding()
        writer = await super().prepare(request)
        await self.write(BEGINNING)
        return writer

    def abort(self) -> None:
        """Do as if the client had left."""
        if self._transport is not None:
            self._transport.abort()


class _Leaving(asyncio.Protocol):
    """Waits for nothing but that the client leaves."""

    def __init__(self, transport: asyncio.Transport) -> None:
        """Take the place of who listened until now, and tell it of the end."""
        self.left = asyncio.get_running_loop().create_future()
        self._before = transport.get_protocol()
        transport.set_protocol(self)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._before.connection_lost(exc)
        if not self.left.done():
            self.left.set_result(None)
