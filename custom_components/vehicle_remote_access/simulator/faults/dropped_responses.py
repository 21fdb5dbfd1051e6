"""Responses that do not arrive completely."""

import asyncio
import socket
import struct
from typing import Final, NoReturn, override

from aiohttp import web

from .faults import DropMode

BEGINNING: Final = b'{"response": "'
CHUNK: Final = b"x" * 2**16
_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)  # SO_LINGER: on, for 0 seconds


class DroppedStream(web.StreamResponse):
    """A response that breaks off, never starts or never ends. Its status is 0 if nothing of it is sent."""

    def __init__(self, mode: DropMode, pending: set[DroppedStream]) -> None:
        super().__init__(status=200 if mode in ("cut", "endless") else 0)
        self.content_type = "application/json"
        self.is_silent = mode == "silence"
        self._mode = mode
        self._pending = pending
        self._transport: asyncio.Transport | None = None

    @override
    async def prepare(self, request: web.BaseRequest) -> NoReturn:
        """Send as much as the mode allows. Raises ConnectionError, so that aiohttp closes the connection."""
        self._transport = request.transport
        self._pending.add(self)
        try:
            await self._drop(request)
        finally:
            self._pending.discard(self)

    async def _drop(self, request: web.BaseRequest) -> NoReturn:
        match self._mode:
            case "reset" if self._transport is not None:
                peer = self._transport.get_extra_info("socket")
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            case "silence" if self._transport is not None:
                await _DisconnectListener(self._transport).disconnected
            case "cut":
                self.content_length = 2 * len(CHUNK)
                await super().prepare(request)
                await self.write(BEGINNING + CHUNK[len(BEGINNING) :])
            case "endless":
                self.enable_chunked_encoding()
                await super().prepare(request)
                await self.write(BEGINNING)
                while True:
                    await self.write(CHUNK)
        raise ConnectionResetError

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


class _DisconnectListener(asyncio.Protocol):
    """Waits until the client disconnects."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self.disconnected = asyncio.get_running_loop().create_future()
        self._replaced = transport.get_protocol()
        transport.set_protocol(self)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._replaced.connection_lost(exc)
        if not self.disconnected.done():
            self.disconnected.set_result(None)
