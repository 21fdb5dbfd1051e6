"""Runs `hass` with another address of a service: `SERVICE ADDRESS CONFIG_FOLDER`, for `scripts/develop`."""
# ruff: noqa: INP001 - a script, not a module

from dataclasses import replace
import sys
from urllib.parse import urlsplit

from homeassistant.__main__ import main

if __name__ == "__main__":
    service, address, folder = sys.argv[1:]
    # From there, Home Assistant imports the integration, too.
    sys.path.insert(0, folder)
    from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES

    usual, port = SERVICE_TYPES[service], urlsplit(address).port
    sign_in = usual.sign_in
    if sign_in is not None and port is not None:
        # The simulator has these addresses two ports above that of the service.
        server = address.replace(f":{port}", f":{port + 2}")
        sign_in = replace(
            sign_in,
            authorize_url=f"{server}/oauth2/v3/authorize",
            token_url=f"{server}/oauth2/v3/token",
            register_url=sign_in.register_url and f"{server}/oauth/register",
        )
    SERVICE_TYPES[service] = replace(usual, base_urls=(address,), sign_in=sign_in)
    sys.argv[1:] = ["--config", folder, "--skip-pip"]
    sys.exit(main())
