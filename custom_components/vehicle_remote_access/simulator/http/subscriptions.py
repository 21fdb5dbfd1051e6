"""The subscriptions and notification preferences of mobile devices."""

from collections.abc import Iterable
from typing import Any

from ..persistence import Json
from .parameters import Parameters, reject

DEVICE_TYPES = ("device_type", "subscription_device_type", "notification_subscription_device_type")
PLATFORMS = ("platform", "notification_subscription_platform")
KNOWN_TYPES = {"ios", "android"}


class Subscriptions:
    """The vehicles that each device is subscribed to, and the preferences for each type of device."""

    def __init__(self, vehicle_ids: Iterable[int]) -> None:
        self._all = list(vehicle_ids)
        self._vehicles: dict[tuple[str, str], list[int]] = {}
        self._preferences: dict[tuple[str, str], Json] = {}

    def vehicles(self, parameters: Parameters) -> list[int]:
        return self._vehicles.get(_device(parameters), self._all)

    def set_vehicles(self, parameters: Parameters) -> list[int]:
        """Subscribe a device to vehicles, by default to all. Return their ids, without unknown ones."""
        device = _device(parameters)
        ids = _ids(parameters.values["vehicle_ids"]) if "vehicle_ids" in parameters else self._all
        self._vehicles[device] = [vehicle_id for vehicle_id in ids if vehicle_id in self._all]
        return self._vehicles[device]

    def preferences(self, parameters: Parameters) -> Json:
        return self._preferences.get((_device_type(parameters), _platform(parameters)), {})

    def set_preferences(self, parameters: Parameters) -> Json:
        """Store and return all parameters except the type of device and the platform."""
        key = (_device_type(parameters), _platform(parameters))
        names = {*DEVICE_TYPES, *PLATFORMS}
        self._preferences[key] = {
            name: value for name, value in parameters.values.items() if name not in names
        }
        return self._preferences[key]


def _device_type(parameters: Parameters) -> str:
    device_type = parameters.first(*DEVICE_TYPES)
    if device_type not in KNOWN_TYPES and not device_type.startswith("ios-"):
        reject("device_type")
    return device_type


def _device(parameters: Parameters) -> tuple[str, str]:
    token = parameters.text("device_token") if "device_token" in parameters else ""
    return _device_type(parameters), token


def _platform(parameters: Parameters) -> str:
    return parameters.first(*PLATFORMS) if any(name in parameters for name in PLATFORMS) else ""


def _ids(value: Any) -> list[int]:
    ids = value.split(",") if isinstance(value, str) else value
    if not isinstance(ids, list):
        reject("vehicle_ids")
    try:
        return [int(vehicle_id) for vehicle_id in ids]
    except TypeError, ValueError:
        reject("vehicle_ids")
