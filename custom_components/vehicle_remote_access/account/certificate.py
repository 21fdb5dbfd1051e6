"""The certificate of an address for commands, which many proxies at home sign themselves."""

import asyncio
from contextlib import closing
from hashlib import sha256
import ssl
from typing import Final

from homeassistant.util.ssl import client_context, client_context_no_verify
from yarl import URL

from ..api.errors import CommandUrlError

_TIMEOUT: Final = 10.0


async def certificate_to_accept(url: str) -> str | None:
    """Connect, and return the SHA-256 of a certificate that is not valid, or None. Raises CommandUrlError."""
    address = URL(url)
    try:
        await _connect(address, None if address.scheme == "http" else client_context())
    except ssl.SSLCertVerificationError:
        return sha256(await _connect(address, client_context_no_verify())).hexdigest()
    return None


async def _connect(address: URL, context: ssl.SSLContext | None) -> bytes:
    """Connect, and return the server's certificate, empty without encryption."""
    try:
        async with asyncio.timeout(_TIMEOUT):
            _, writer = await asyncio.open_connection(address.host, address.port, ssl=context)
    except ssl.SSLCertVerificationError:
        raise
    except OSError, TimeoutError, ValueError:
        raise CommandUrlError from None
    with closing(writer):
        tls: ssl.SSLObject | None = writer.get_extra_info("ssl_object")
        return (tls and tls.getpeercert(binary_form=True)) or b""
