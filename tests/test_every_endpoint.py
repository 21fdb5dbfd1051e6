"""Test that every documented endpoint is used.

The expectations are written by hand, not derived from the integration's commands: the endpoints come from
the interface document, and `TABLE` lists the user actions that lead to each of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from .api.conftest import documented
from .conftest import Home

type UserAction = Callable[[Home], Awaitable[Any]]

PASSWORD: Final = "pass & wörd?of=the owner"
PIN: Final = "0420"
PHONE: Final = {"device_type": "ios", "device_token": "phone-of-the-owner"}

CHARGING: Final = "charge_state.charging_state"
LIMIT: Final = "charge_state.charge_limit_soc"
PORT: Final = "charge_state.charge_port_door_open"
PASSENGER: Final = "climate_state.passenger_temp_setting"
SPEED_LIMIT: Final = "vehicle_state.speed_limit_mode.current_limit_mph"
ROOF: Final = "vehicle_state.sun_roof_percent_open"


@dataclass(frozen=True)
class Use:
    """A user action, and the query that the service must receive."""

    action: UserAction
    query: Mapping[str, str] = field(default_factory=dict)


def _entity(platform: str, service: str, path: str, **data: Any) -> UserAction:
    return lambda home: home.call(platform, service, path, **data)


def _action(action: str, **data: Any) -> UserAction:
    return lambda home: home.act(action, **data)


def _account(action: str, **data: Any) -> UserAction:
    return lambda home: home.hass.services.async_call(
        DOMAIN,
        action,
        {"config_entry_id": home.entry.entry_id, **data},
        blocking=True,
        return_response=True,
    )


async def _wait_for_poll(home: Home) -> None:
    """Wait for a poll. A new car is polled every minute."""
    await home.advance(62)


async def _start_with_password(home: Home) -> None:
    home.car.password = PASSWORD
    await home.act("remote_start_drive", password=PASSWORD)


async def _close_port(home: Home) -> None:
    home.car.unplug()
    await home.call("cover", "close_cover", PORT)


# Documented method and path → uses, in an order in which a single car can carry them out
TABLE: Final[Mapping[str, tuple[Use, ...]]] = {
    # Reads
    "GET /api/1/vehicles/{id}/data": (Use(_action("get_vehicle_data", record="legacy")),),
    "GET /api/1/vehicles/{id}/vehicle_data": (
        Use(_wait_for_poll),
        Use(_entity("button", "press", "refresh")),
        Use(_action("get_vehicle_data")),
    ),
    "GET /api/1/vehicles/{id}/service_data": (Use(_action("get_service_data")),),
    "GET /api/1/vehicles/{id}/mobile_enabled": (Use(_action("get_mobile_enabled")),),
    "GET /api/1/vehicles/{id}/data_request/charge_state": (
        Use(_action("get_vehicle_data", record="charge_state")),
    ),
    "GET /api/1/vehicles/{id}/data_request/climate_state": (
        Use(_action("get_vehicle_data", record="climate_state")),
    ),
    "GET /api/1/vehicles/{id}/data_request/drive_state": (
        Use(_action("get_vehicle_data", record="drive_state")),
    ),
    "GET /api/1/vehicles/{id}/data_request/gui_settings": (
        Use(_action("get_vehicle_data", record="gui_settings")),
    ),
    # Commands
    "POST /api/1/vehicles/{id}/wake_up": (Use(_entity("button", "press", "wake_up")),),
    "POST /api/1/vehicles/{id}/command/door_unlock": (
        Use(_entity("lock", "unlock", "vehicle_state.locked")),
    ),
    "POST /api/1/vehicles/{id}/command/door_lock": (Use(_entity("lock", "lock", "vehicle_state.locked")),),
    "POST /api/1/vehicles/{id}/command/honk_horn": (Use(_entity("button", "press", "honk_horn")),),
    "POST /api/1/vehicles/{id}/command/flash_lights": (Use(_entity("button", "press", "flash_lights")),),
    "POST /api/1/vehicles/{id}/command/auto_conditioning_start": (
        Use(_entity("climate", "turn_on", "climate_state")),
        Use(_entity("climate", "set_hvac_mode", "climate_state", hvac_mode="heat_cool")),
    ),
    "POST /api/1/vehicles/{id}/command/auto_conditioning_stop": (
        Use(_entity("climate", "turn_off", "climate_state")),
        Use(_entity("climate", "set_hvac_mode", "climate_state", hvac_mode="off")),
    ),
    "POST /api/1/vehicles/{id}/command/set_temps": (
        Use(
            _entity("climate", "set_temperature", "climate_state", temperature=23.5),
            {"driver_temp": "23.5", "passenger_temp": "23.5"},
        ),
        Use(
            _entity("number", "set_value", PASSENGER, value=18),
            {"driver_temp": "23.5", "passenger_temp": "18.0"},
        ),
        Use(
            _action("set_temps", driver_temp=20, passenger_temp=22.5),
            {"driver_temp": "20.0", "passenger_temp": "22.5"},
        ),
    ),
    "POST /api/1/vehicles/{id}/command/set_charge_limit": (
        Use(_entity("number", "set_value", LIMIT, value=85), {"percent": "85"}),
    ),
    "POST /api/1/vehicles/{id}/command/charge_max_range": (
        Use(_entity("button", "press", "charge_max_range")),
    ),
    "POST /api/1/vehicles/{id}/command/charge_standard": (
        Use(_entity("button", "press", "charge_standard")),
    ),
    "POST /api/1/vehicles/{id}/command/sun_roof_control": (
        Use(_entity("cover", "open_cover", ROOF), {"state": "open"}),
        Use(_entity("cover", "set_cover_position", ROOF, position=40), {"state": "move", "percent": "40"}),
        Use(_entity("cover", "close_cover", ROOF), {"state": "closed"}),
        Use(_entity("button", "press", "sun_roof_control.vent"), {"state": "vent"}),
        Use(_entity("button", "press", "sun_roof_control.comfort"), {"state": "comfort"}),
        Use(_action("sun_roof_control", state="open"), {"state": "open"}),
        Use(_action("sun_roof_control", state="comfort"), {"state": "comfort"}),
        Use(_action("sun_roof_control", state="vent"), {"state": "vent"}),
        Use(_action("sun_roof_control", state="move", percent=0), {"state": "move", "percent": "0"}),
        Use(_action("sun_roof_control", state="closed"), {"state": "closed"}),
    ),
    "POST /api/1/vehicles/{id}/command/actuate_trunk": (
        Use(_entity("cover", "open_cover", "vehicle_state.rt"), {"which_trunk": "rear"}),
        Use(_entity("cover", "close_cover", "vehicle_state.rt"), {"which_trunk": "rear"}),
        Use(_entity("cover", "open_cover", "vehicle_state.ft"), {"which_trunk": "front"}),
    ),
    "POST /api/1/vehicles/{id}/command/remote_start_drive": (
        Use(_start_with_password, {"password": PASSWORD}),
    ),
    "POST /api/1/vehicles/{id}/command/charge_start": (Use(_entity("switch", "turn_on", CHARGING)),),
    "POST /api/1/vehicles/{id}/command/charge_stop": (Use(_entity("switch", "turn_off", CHARGING)),),
    "POST /api/1/vehicles/{id}/command/charge_port_door_open": (Use(_entity("cover", "open_cover", PORT)),),
    "POST /api/1/vehicles/{id}/command/charge_port_door_close": (Use(_close_port),),
    "POST /api/1/vehicles/{id}/command/upcoming_calendar_entries": (
        Use(_action("upcoming_calendar_entries", calendar_data={"calendars": []})),
    ),
    "POST /api/1/vehicles/{id}/command/set_valet_mode": (
        Use(_entity("switch", "turn_on", "vehicle_state.valet_mode"), {"on": "true"}),
        Use(_entity("switch", "turn_off", "vehicle_state.valet_mode"), {"on": "false"}),
        Use(_action("set_valet_mode", on=True, password=PIN), {"on": "true", "password": PIN}),
        Use(_action("set_valet_mode", on=False, password=PIN), {"on": "false", "password": PIN}),
    ),
    "POST /api/1/vehicles/{id}/command/reset_valet_pin": (
        Use(_entity("button", "press", "reset_valet_pin")),
    ),
    "POST /api/1/vehicles/{id}/command/speed_limit_set_limit": (
        Use(_entity("number", "set_value", SPEED_LIMIT, value=65), {"limit_mph": "65"}),
    ),
    "POST /api/1/vehicles/{id}/command/speed_limit_activate": (
        Use(_action("speed_limit_activate", pin=PIN), {"pin": PIN}),
    ),
    "POST /api/1/vehicles/{id}/command/speed_limit_deactivate": (
        Use(_action("speed_limit_deactivate", pin=PIN), {"pin": PIN}),
    ),
    "POST /api/1/vehicles/{id}/command/speed_limit_clear_pin": (
        Use(_action("speed_limit_clear_pin", pin=PIN), {"pin": PIN}),
    ),
    # Account
    "GET /api/1/vehicle_subscriptions": (
        Use(_account("get_vehicle_subscriptions", device_type="ios"), {"device_type": "ios"}),
        Use(_account("get_vehicle_subscriptions", device_type="android"), {"device_type": "android"}),
    ),
    "POST /api/1/vehicle_subscriptions": (Use(_account("set_vehicle_subscriptions", payload=PHONE)),),
    "GET /api/1/notification_preferences": (
        Use(
            _account("get_notification_preferences", device_type="ios", platform="apns"),
            {"device_type": "ios", "platform": "apns"},
        ),
        Use(_account("get_notification_preferences", device_type="android"), {"device_type": "android"}),
    ),
    "POST /api/1/notification_preferences": (Use(_account("set_notification_preferences", payload=PHONE)),),
    "POST /api/1/notification_confirmations": (Use(_account("confirm_notifications", payload={})),),
}

ENDPOINTS: Final[Mapping[str, Mapping[str, Any]]] = {
    f"{endpoint['method']} {endpoint['path']}": endpoint for endpoint in documented("endpoints")["endpoints"]
}
KINDS: Final = sorted({endpoint["kind"] for endpoint in ENDPOINTS.values()})
# The document has neither a name nor a meaning for their parameters, and no known client sends them.
UNNAMED_PARAMETERS: Final = {"POST /api/1/vehicles/{id}/command/charge_start"}


async def _mismatch(home: Home, endpoint: str, use: Use) -> str | None:
    """Return the difference between the expected requests and the actual ones, None if there is none."""
    method, _, path = endpoint.replace("{id}", str(home.car.id)).partition(" ")
    home.simulator.requests.clear()
    (error,) = await asyncio.gather(use.action(home), return_exceptions=True)
    if isinstance(error, BaseException):
        return f"{endpoint}: {type(error).__name__}: {error}"
    sent = [
        (request.query, request.status)
        for request in home.simulator.requests
        if (request.method, request.path) == (method, path)
    ]
    expected = [(use.query, 200)]
    return None if sent == expected else f"{endpoint}: sent {sent}, expected {expected}"


def test_table_is_complete() -> None:
    """The table contains exactly the documented endpoints."""
    assert set(TABLE) == set(ENDPOINTS)


@pytest.mark.parametrize(
    "endpoint", [endpoint for endpoint in ENDPOINTS if ENDPOINTS[endpoint]["parameters"]]
)
def test_every_parameter_is_used(endpoint: str) -> None:
    """The table uses every documented parameter, by its name if it has one, and each of its values."""
    parameters = ENDPOINTS[endpoint]["parameters"]
    queries = [use.query for use in TABLE[endpoint]]
    names = {name for query in queries for name in query}
    assert {parameter["name"] for parameter in parameters if parameter["name"]} <= names
    assert len(names) == len(parameters) or endpoint in UNNAMED_PARAMETERS
    values = {value for parameter in parameters for value in parameter.get("values", ())}
    assert values <= {value for query in queries for value in query.values()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_every_endpoint_is_used(home: Home, kind: str) -> None:
    """Each user action sends one request, with the documented method, path, and query.

    The request has the token, because the service responds with 401 otherwise.
    """
    uses = [
        (endpoint, use)
        for endpoint in TABLE
        if ENDPOINTS[endpoint]["kind"] == kind
        for use in TABLE[endpoint]
    ]
    mismatches = [await _mismatch(home, endpoint, use) for endpoint, use in uses]
    assert not any(mismatches), "\n".join(filter(None, mismatches))
