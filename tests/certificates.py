"""Certificates that no public authority issued."""

import asyncio
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
import ssl
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from freezegun import freeze_time


@freeze_time()
def self_signed(host: str = "127.0.0.1", until: int = 2099) -> tuple[bytes, bytes]:
    """Return a self-signed certificate and its key. `until`: the year in which it expires.

    The library remembers the class of the first times that it gets. Tests with a frozen clock replace that
    class, so all certificates are made with a frozen clock.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{host} {until}")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(until, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.PEM), private


def server_context(folder: Path, pem: bytes) -> ssl.SSLContext:
    """Return the context of a server with this certificate and key. Refused connections are not logged."""
    asyncio.get_running_loop().set_exception_handler(_ignore_refused_handshakes)
    file = folder / "certificate.pem"
    file.write_bytes(pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def _ignore_refused_handshakes(loop: asyncio.AbstractEventLoop, details: dict[str, Any]) -> None:
    if "SSL" not in repr(details):
        loop.default_exception_handler(details)
