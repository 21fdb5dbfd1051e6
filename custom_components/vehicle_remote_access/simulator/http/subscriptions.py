"""What the account keeps for mobile devices: subscriptions and notification preferences."""

from collections.abc import Iterable
from typing import Any

from ..persistence import Json
from .parameters import Parameters, reject

DEVICE_TYPES = ("device_type", "subscription_device_type", "notification_subscription_device_type")
PLATFORMS = ("platform", "notification_subscription_platform")
NAMES = {"ios", "android"}


class Subscriptions:
    """Which vehicles a device hears of, and what it wants to be told."""

    def __init__(self, vehicle_ids: Iterable[int]) -> None:
        """Begin with every device subscribed to every vehicle, and without preferences."""
        self._all = list(vehicle_ids)
        self._vehicles: dict[tuple[str, str], list[int]] = {}
        self._preferences: dict[tuple[str, str], Json] = {}

    def vehicles(self, parameters: Parameters) -> list[int]:
        """Return the ids of the vehicles of a device."""
        return self._vehicles.get(_device(parameters), self._all)

    def set_vehicles(self, parameters: Parameters) -> list[int]:
        """Subscribe a device to vehicles, to all of them if none are named, and return their ids."""
        device = _device(parameters)
        known = set(self._all)
        ids = _ids(parameters.values["vehicle_ids"]) if "vehicle_ids" in parameters else self._all
        self._vehicles[device] = [each for each in ids if each in known]
        return self._vehicles[device]

    def preferences(self, parameters: Parameters) -> Json:
        """Return what was stored for a kind of device and a platform, or nothing."""
        return self._preferences.get((_device_type(parameters), _platform(parameters)), {})

    def set_preferences(self, parameters: Parameters) -> Json:
        """Store what is sent besides the kind of device and the platform, and return it."""
        key = (_device_type(parameters), _platform(parameters))
        names = {*DEVICE_TYPES, *PLATFORMS}
        self._preferences[key] = {
            name: value for name, value in parameters.values.items() if name not in names
        }
        return self._preferences[key]


def _device_type(parameters: Parameters) -> str:
    kind = parameters.first(*DEVICE_TYPES)
    if kind not in NAMES and not kind.startswith("ios-"):
        reject("device_type")
    return kind


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
        return [int(each) for each in ids]
    except TypeError, ValueError:
        reject("vehicle_ids")
