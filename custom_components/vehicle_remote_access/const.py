"""What the rooms of the integration have in common."""

import logging
from typing import Final

DOMAIN: Final = "vehicle_remote_access"
LOGGER: Final = logging.getLogger(__package__)

CONF_BASE_URL: Final = "base_url"
CONF_SIMULATOR: Final = "simulator"
CONF_SPEED: Final = "speed"
CONF_SEED: Final = "seed"
CONF_VEHICLES: Final = "vehicles"
CONF_VIN: Final = "vin"

SUBENTRY_VEHICLE: Final = "vehicle"
