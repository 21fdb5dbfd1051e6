"""Constants of the integration."""

import logging
from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "vehicle_remote_access"
TROUBLESHOOTING: Final = "/blob/main/docs/troubleshooting.md"
LOGGER: Final = logging.getLogger(__package__)

CONF_ADDRESSES: Final = "addresses"
CONF_ADVANCED: Final = "advanced"
CONF_APPLICATION_DOMAIN: Final = "application_domain"
CONF_AUTH_IMPLEMENTATION: Final = "auth_implementation"
CONF_BASE_URL: Final = "base_url"
CONF_CHARGE_WITHOUT_BREAK: Final = "charge_without_break"
CONF_CHEAP_FROM: Final = "cheap_from"
CONF_CHEAP_UNTIL: Final = "cheap_until"
CONF_COMMAND_CERTIFICATE: Final = "command_certificate"
CONF_COMMAND_URL: Final = "command_url"
CONF_SPENDING_LIMIT: Final = "spending_limit"
CONF_BATTERY_ENTITY: Final = "battery_entity"
CONF_BATTERY_FROM: Final = "battery_from"
CONF_DAYS: Final = "days"
CONF_DEPARTURES: Final = "departures"
CONF_DEPARTURE_CALENDAR: Final = "departure_calendar"
CONF_ENERGY_ENTITY: Final = "energy_entity"
CONF_ENTRY_ID: Final = "entry_id"
CONF_FILE: Final = "file"
CONF_HOUSE: Final = "house"
CONF_IMPORT_PAST: Final = "import_past"
CONF_INTERVAL: Final = "interval"
CONF_INTERVALS: Final = "intervals"
CONF_KEEP_AWAKE_PLUGGED_IN: Final = "keep_awake_plugged_in"
CONF_KEEP_POSITIONS: Final = "keep_positions"
CONF_LEAST_AMPS: Final = "least_amps"
CONF_LIMIT: Final = "limit"
CONF_LIMIT_ENTITIES: Final = "limit_entities"
CONF_LIVE_DATA: Final = "live_data"
CONF_LIVE_READS_PER_DAY: Final = "live_reads_per_day"
CONF_LOCATION_ONLY_DRIVING: Final = "location_only_driving"
CONF_LOG_NAME: Final = "log_name"
CONF_PLACES: Final = "places"
CONF_POWERED_LIDS: Final = "powered_lids"
CONF_PRICE: Final = "price"
CONF_PRICE_AWAY: Final = "price_away"
CONF_PRICE_CHEAP: Final = "price_cheap"
CONF_PRICE_ENTITY: Final = "price_entity"
CONF_PRICE_PLACES: Final = "price_places"
CONF_PRICES: Final = "prices"
CONF_READ_ONLY: Final = "read_only"
CONF_REFRESH_TOKEN: Final = "refresh_token"
CONF_REQUESTS_PER_DAY: Final = "requests_per_day"
CONF_SEED: Final = "seed"
CONF_SERVICE: Final = "service"
CONF_SIMULATOR: Final = "simulator"
CONF_STREAM_URL: Final = "stream_url"
CONF_SUBENTRY_ID: Final = "subentry_id"
CONF_SURPLUS_ENTITY: Final = "surplus_entity"
CONF_SURPLUS_IS_IMPORTED: Final = "surplus_is_imported"
CONF_TIME: Final = "time"
CONF_TOKEN_EXPIRES: Final = "token_expires"
CONF_TOKEN_REFRESH: Final = "token_refresh"
CONF_TOKEN_URL: Final = "token_url"
CONF_VEHICLES: Final = "vehicles"
CONF_VIN: Final = "vin"
CONF_WAKE_FOR_COMMANDS: Final = "wake_for_commands"
CONF_WITH_PAST: Final = "with_past"

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SUBENTRY_VEHICLE: Final = "vehicle"

PLATFORMS: Final = (
    Platform.BINARY_SENSOR,
    Platform.BUTTON,
    Platform.CALENDAR,
    Platform.CLIMATE,
    Platform.COVER,
    Platform.DEVICE_TRACKER,
    Platform.EVENT,
    Platform.LOCK,
    Platform.MEDIA_PLAYER,
    Platform.NUMBER,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
    Platform.TIME,
    Platform.UPDATE,
)
