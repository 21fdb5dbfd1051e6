"""Runs `hass` with another address of a service: `SERVICE ADDRESS CONFIG_FOLDER`, for `scripts/develop`."""
# ruff: noqa: INP001 - a script, not a module

from dataclasses import replace
import sys

from homeassistant.__main__ import main

if __name__ == "__main__":
    service, address, folder = sys.argv[1:]
    # From there, Home Assistant imports the integration, too.
    sys.path.insert(0, folder)
    from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES

    SERVICE_TYPES[service] = replace(SERVICE_TYPES[service], base_urls=(address,))
    sys.argv[1:] = ["--config", folder, "--skip-pip"]
    sys.exit(main())
