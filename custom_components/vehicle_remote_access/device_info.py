"""Devices of an account: its vehicles, the account itself, and the controls of simulated vehicles.

A vehicle's model comes from `vehicle_config.car_type` or the VIN's position 4, and its year from position 10.
"""

from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo

from .api.fields import Field
from .api.records import Vehicle, VehicleConfig, VehicleState
from .const import DOMAIN

DEVICE_FIELDS: Final[tuple[Field[Any], ...]] = (
    Vehicle.display_name,
    VehicleState.vehicle_name,
    VehicleState.car_version,
    VehicleConfig.car_type,
    VehicleConfig.trim_badging,
)
"""The fields that a vehicle's device shows."""

# By car_type or by the VIN's fourth character
_MODELS: Final = {
    **dict.fromkeys(("models", "models2", "lychee", "S"), "Model S"),
    **dict.fromkeys(("modelx", "tamarind", "X"), "Model X"),
    **dict.fromkeys(("model3", "3"), "Model 3"),
    **dict.fromkeys(("modely", "Y"), "Model Y"),
    **dict.fromkeys(("cybertruck", "C"), "Cybertruck"),
    "R": "Roadster",
    "T": "Semi",
}
_INTEGRATION: Final = "Vehicle Remote Access"
"""The manufacturer of devices that are not cars. Without one, Home Assistant shows `<unknown>`."""
_MANUFACTURERS: Final = dict.fromkeys(("5YJ", "7SA", "LRW", "XP7", "7G2", "SFZ"), "Tesla")
VIN_LENGTH: Final = 17
# Some services mask the end of a VIN.
_MASK: Final = "XXXX"
# The year codes of a VIN leave out I, O, Q, U, Z and 0.
_YEARS: Final = "ABCDEFGHJKLMNPRSTVWXY123456789"
_FIRST_YEAR: Final = 2010


def is_same_vin(reported: str | None, expected: str) -> bool | None:
    """Return whether two VINs are equal, or None if either is missing, masked or malformed."""
    if reported is None:
        return None
    vins = reported.upper(), expected.upper()
    if vins[0] == vins[1]:
        return True
    is_complete = all(
        len(vin) == VIN_LENGTH and vin.isascii() and vin.isalnum() and _MASK not in vin for vin in vins
    )
    return False if is_complete else None


def vehicle_name(vehicle: Vehicle) -> str:
    """Return the owner's name for the vehicle, else its model, else the end of its VIN."""
    vin = vehicle.vin or ""
    model = _model(vehicle.vehicle_config.car_type, "", vin)
    return vehicle.name or model or f"Vehicle {vin[-4:]}".strip()


def vehicle_device_info(vin: str, title: str, vehicle: Vehicle) -> DeviceInfo:
    """Return a vehicle's device. Unknown properties are left out, so the device keeps their old values."""
    info = DeviceInfo(identifiers={(DOMAIN, vin)}, name=vehicle.name or title, serial_number=vin)
    config = vehicle.vehicle_config
    if manufacturer := _MANUFACTURERS.get(vin[:3]):
        info["manufacturer"] = manufacturer
    if config.car_type:
        info["model_id"] = config.car_type
    if model := _model(config.car_type, (config.trim_badging or "").upper(), vin):
        info["model"] = model
    if version := vehicle.vehicle_state.software_version:
        info["sw_version"] = version
    return info


def account_device_info(entry: ConfigEntry[Any]) -> DeviceInfo:
    return DeviceInfo(
        identifiers={(DOMAIN, entry.entry_id)},
        name=entry.title,
        manufacturer=_INTEGRATION,
        entry_type=DeviceEntryType.SERVICE,
    )


def simulation_device_info(vin: str, name: str, vehicle_device_id: str) -> DeviceInfo:
    return DeviceInfo(
        identifiers={simulation_identifier(vin)},
        manufacturer=_INTEGRATION,
        translation_key="simulation",
        translation_placeholders={"vehicle": name},
        via_device_id=vehicle_device_id,
    )


def permanent_identifiers(entry: ConfigEntry[Any]) -> set[tuple[str, str]]:
    """Return the identifiers of the devices that exist as long as the account or the vehicle does."""
    simulations = (simulation_identifier(str(subentry.unique_id)) for subentry in entry.subentries.values())
    return {(DOMAIN, entry.entry_id), *simulations}


def simulation_identifier(vin: str) -> tuple[str, str]:
    return (DOMAIN, f"{vin}-simulation")


def _model(car_type: str | None, trim: str, vin: str) -> str:
    """Return the known parts of model, trim and year, for example `Model S P90D 2019`."""
    # A masked VIN does not tell the model or the year.
    is_complete = len(vin) == VIN_LENGTH and vin[-4:].isdecimal()
    model = _MODELS.get((car_type or "").lower(), car_type) or (_MODELS.get(vin[3]) if is_complete else None)
    index = _YEARS.find(vin[9]) if is_complete else -1
    year = str(_FIRST_YEAR + index) if index >= 0 else ""
    return " ".join(filter(None, (model, trim, year))) if model else ""
