"""HTTPS: only a service with a valid certificate gets the token."""

import asyncio
from pathlib import Path

from homeassistant.config_entries import ConfigEntryState
from homeassistant.util.ssl import SSL_ALPN_HTTP11, SSLCipherList, client_context
import pytest

from custom_components.vehicle_remote_access.account.storage import remove_stores

from ..certificates import self_signed, server_context
from ..conftest import BATTERY, TOKEN, Home
from ..issues import issue_keys


@pytest.mark.parametrize("problem", ["untrusted", "expired", "other host"])
async def test_invalid_certificate(home: Home, tmp_path: Path, problem: str) -> None:
    """With an invalid certificate, an account can't be added, nothing is sent, and an issue reports it."""
    host = "127.0.0.2" if problem == "other host" else "127.0.0.1"
    certificate = self_signed(host, 2021 if problem == "expired" else 2099)
    if problem != "untrusted":
        # The context that Home Assistant's own sessions use
        trust = client_context(SSLCipherList.PYTHON_DEFAULT, SSL_ALPN_HTTP11)
        trust.load_verify_locations(cadata=certificate[0].decode())
    context = server_context(tmp_path, b"".join(certificate))
    connections: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(
        lambda _, writer: connections.append(writer), "127.0.0.1", 0, ssl=context
    )
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    form = await home.start_flow("account")
    form = await home.submit(form, base_url=url, access_token=TOKEN)
    assert form["errors"] == {"base_url": "certificate_error"}

    config_entries = home.hass.config_entries
    config_entries.async_update_entry(home.entry, data={**home.entry.data, "base_url": url})
    await home.idle()
    await home.advance(70)
    assert issue_keys(home) == ["certificate_error"]
    assert home.shown(*BATTERY).state == "72"
    assert "Can't connect securely" in await home.error_of(home.press("honk_horn"))
    await home.advance(20 * 60, step=30)
    assert home.shown(*BATTERY).state == "unavailable"

    await config_entries.async_unload(home.entry.entry_id)
    await remove_stores(home.hass, *home.entry.subentries)
    assert not await config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.SETUP_RETRY
    assert (home.entry.reason or "").startswith("Can't connect securely")
    assert not connections
    server.close()
