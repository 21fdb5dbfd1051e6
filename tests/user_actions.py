"""The actions of a user, and the request that each sends to the service."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from custom_components.vehicle_remote_access.api.commands import ACCOUNT_ENDPOINTS

from .conftest import Home

type UserAction = Callable[[Home], Awaitable[Any]]

PASSWORD: Final = "pass & wörd?of=the owner"
PIN: Final = "0420"
PHONE: Final = {"device_type": "ios", "device_token": "phone-of-the-owner"}
CHARGING: Final = "charge_state.charging_state"
LIMIT: Final = "charge_state.charge_limit_soc"
PORT: Final = "charge_state.charge_port_door_open"
PASSENGER: Final = "climate_state.passenger_temp_setting"
LOCK: Final = "vehicle_state.locked"
VALET: Final = "vehicle_state.valet_mode"
SPEED_LIMIT: Final = "vehicle_state.speed_limit_mode.current_limit_mph"
ROOF: Final = "vehicle_state.sun_roof_percent_open"
MOVE: Final = "set_cover_position"


def entity(platform: str, service: str, path: str, **data: Any) -> UserAction:
    return lambda home: home.call(platform, service, path, **data)


def press(path: str) -> UserAction:
    return entity("button", "press", path)


def _climate(service: str, **data: Any) -> UserAction:
    return entity("climate", service, "climate_state", **data)


def number(path: str, value: float) -> UserAction:
    return entity("number", "set_value", path, value=value)


def action(action: str, **data: Any) -> UserAction:
    return lambda home: home.act(action, **data)


async def _start_with_password(home: Home) -> None:
    home.car.password = PASSWORD
    await home.act("remote_start_drive", password=PASSWORD)


async def close_port(home: Home) -> None:
    home.car.unplug()
    await home.call("cover", "close_cover", PORT)


# Actions and data with which they are possible
CAR_ACTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "remote_start_drive": {"password": "simulated"},
    "set_temps": {"driver_temp": 20},
    "set_valet_mode": {"on": True, "password": PIN},
    "speed_limit_activate": {"pin": PIN},
    "speed_limit_deactivate": {"pin": PIN},
    "speed_limit_clear_pin": {"pin": PIN},
    "sun_roof_control": {"state": "vent"},
    "upcoming_calendar_entries": {"calendar_data": {}},
}
READ_ACTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    name: {} for name in ("get_vehicle_data", "get_service_data", "get_mobile_enabled")
}
ACCOUNT_ACTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    action: {"device_type": "ios"} if action.startswith("get_") else {"payload": PHONE}
    for action in ACCOUNT_ENDPOINTS
}

# Method and end of the path, user action, and the query that the service must receive
USES: Final[tuple[tuple[str, UserAction, str], ...]] = (
    ("GET data", action("get_vehicle_data", record="legacy"), ""),
    # A new car is polled every minute.
    ("GET vehicle_data", lambda home: home.advance(62), ""),
    ("GET vehicle_data", press("refresh"), ""),
    ("GET vehicle_data", action("get_vehicle_data"), ""),
    ("GET service_data", action("get_service_data"), ""),
    ("GET mobile_enabled", action("get_mobile_enabled"), ""),
    ("GET data_request/charge_state", action("get_vehicle_data", record="charge_state"), ""),
    ("GET data_request/climate_state", action("get_vehicle_data", record="climate_state"), ""),
    ("GET data_request/drive_state", action("get_vehicle_data", record="drive_state"), ""),
    ("GET data_request/gui_settings", action("get_vehicle_data", record="gui_settings"), ""),
    # Commands, in an order in which a single car can carry them out
    ("POST wake_up", press("wake_up"), ""),
    ("POST door_unlock", entity("lock", "unlock", LOCK), ""),
    ("POST door_lock", entity("lock", "lock", LOCK), ""),
    ("POST honk_horn", press("honk_horn"), ""),
    ("POST flash_lights", press("flash_lights"), ""),
    ("POST auto_conditioning_start", _climate("turn_on"), ""),
    ("POST auto_conditioning_start", _climate("set_hvac_mode", hvac_mode="heat_cool"), ""),
    ("POST auto_conditioning_stop", _climate("turn_off"), ""),
    ("POST auto_conditioning_stop", _climate("set_hvac_mode", hvac_mode="off"), ""),
    ("POST set_temps", _climate("set_temperature", temperature=23.5), "driver_temp=23.5&passenger_temp=23.5"),
    ("POST set_temps", number(PASSENGER, 18), "driver_temp=23.5&passenger_temp=18.0"),
    (
        "POST set_temps",
        action("set_temps", driver_temp=20, passenger_temp=22.5),
        "driver_temp=20.0&passenger_temp=22.5",
    ),
    ("POST set_charge_limit", number(LIMIT, 85), "percent=85"),
    ("POST charge_max_range", press("charge_max_range"), ""),
    ("POST charge_standard", press("charge_standard"), ""),
    ("POST sun_roof_control", entity("cover", "open_cover", ROOF), "state=open"),
    ("POST sun_roof_control", entity("cover", MOVE, ROOF, position=40), "state=move&percent=40"),
    ("POST sun_roof_control", entity("cover", "close_cover", ROOF), "state=closed"),
    ("POST sun_roof_control", press("sun_roof_control.vent"), "state=vent"),
    ("POST sun_roof_control", press("sun_roof_control.comfort"), "state=comfort"),
    ("POST sun_roof_control", action("sun_roof_control", state="vent"), "state=vent"),
    ("POST sun_roof_control", action("sun_roof_control", state="move", percent=0), "state=move&percent=0"),
    ("POST sun_roof_control", action("sun_roof_control", state="closed"), "state=closed"),
    ("POST actuate_trunk", entity("cover", "open_cover", "vehicle_state.rt"), "which_trunk=rear"),
    ("POST actuate_trunk", entity("cover", "close_cover", "vehicle_state.rt"), "which_trunk=rear"),
    ("POST actuate_trunk", entity("cover", "open_cover", "vehicle_state.ft"), "which_trunk=front"),
    ("POST remote_start_drive", _start_with_password, f"password={quote(PASSWORD)}"),
    ("POST charge_start", entity("switch", "turn_on", CHARGING), ""),
    ("POST charge_stop", entity("switch", "turn_off", CHARGING), ""),
    ("POST charge_port_door_open", entity("cover", "open_cover", PORT), ""),
    ("POST charge_port_door_close", close_port, ""),
    ("POST upcoming_calendar_entries", action("upcoming_calendar_entries", calendar_data={}), ""),
    ("POST set_valet_mode", entity("switch", "turn_on", VALET), "on=true"),
    ("POST set_valet_mode", entity("switch", "turn_off", VALET), "on=false"),
    ("POST set_valet_mode", action("set_valet_mode", on=True, password=PIN), f"on=true&password={PIN}"),
    ("POST set_valet_mode", action("set_valet_mode", on=False, password=PIN), f"on=false&password={PIN}"),
    ("POST reset_valet_pin", press("reset_valet_pin"), ""),
    ("POST speed_limit_set_limit", number(SPEED_LIMIT, 105), "limit_mph=65"),
    ("POST speed_limit_activate", action("speed_limit_activate", pin=PIN), f"pin={PIN}"),
    ("POST speed_limit_deactivate", action("speed_limit_deactivate", pin=PIN), f"pin={PIN}"),
    ("POST speed_limit_clear_pin", action("speed_limit_clear_pin", pin=PIN), f"pin={PIN}"),
    # Account
    *(
        ("GET vehicle_subscriptions", action("get_vehicle_subscriptions", device_type=device), query)
        for device, query in (("ios", "device_type=ios"), ("android", "device_type=android"))
    ),
    ("POST vehicle_subscriptions", action("set_vehicle_subscriptions", payload=PHONE), ""),
    (
        "GET notification_preferences",
        action("get_notification_preferences", device_type="ios", platform="apns"),
        "device_type=ios&platform=apns",
    ),
    (
        "GET notification_preferences",
        action("get_notification_preferences", device_type="android"),
        "device_type=android",
    ),
    ("POST notification_preferences", action("set_notification_preferences", payload=PHONE), ""),
    ("POST notification_confirmations", action("confirm_notifications", payload={}), ""),
)
