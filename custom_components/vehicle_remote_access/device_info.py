"""The devices of an account: its cars, with what their numbers tell of them, and the account itself.

`vehicle_config.car_type` names a model, and so does a VIN: position 4 the model, position 10 the year.
"""

from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo

from .api.fields import Field
from .api.records import Vehicle, VehicleConfig, VehicleState
from .const import DOMAIN

SHOWN_BY_DEVICE: Final[tuple[Field[Any], ...]] = (
    Vehicle.display_name,
    VehicleState.vehicle_name,
    VehicleState.car_version,
    VehicleConfig.car_type,
    VehicleConfig.trim_badging,
)

# By car_type or by the VIN's fourth character
_MODELS: Final = {
    "models": "Model S",
    "models2": "Model S",
    "lychee": "Model S",
    "modelx": "Model X",
    "tamarind": "Model X",
    "model3": "Model 3",
    "modely": "Model Y",
    "cybertruck": "Cybertruck",
    "S": "Model S",
    "X": "Model X",
    "3": "Model 3",
    "Y": "Model Y",
    "C": "Cybertruck",
    "R": "Roadster",
    "T": "Semi",
}
_MAKERS: Final = dict.fromkeys(("5YJ", "7SA", "LRW", "XP7", "7G2", "SFZ"), "Tesla")
_VIN_LENGTH: Final = 17
# Some services mask the end of a VIN.
_MASK: Final = "XXXX"
# I, O, Q, U, Z and 0 are left out, so that nobody takes them for others.
_YEARS: Final = "ABCDEFGHJKLMNPRSTVWXY123456789"
_FIRST_YEAR: Final = 2010


def is_same_car(vin: str | None, known: str) -> bool | None:
    """Return whether two VINs are those of one car, or None if one of them is missing, masked or broken."""
    if vin is None:
        return None
    vins = vin.upper(), known.upper()
    if vins[0] == vins[1]:
        return True
    is_whole = all(
        len(each) == _VIN_LENGTH and each.isascii() and each.isalnum() and _MASK not in each for each in vins
    )
    return False if is_whole else None


def name_of(vehicle: Vehicle) -> str:
    """Return what the owner calls the car, or else what it is, or else the end of its VIN."""
    vin = vehicle.vin or ""
    what = _what(vehicle.vehicle_config.car_type, "", vin)
    return vehicle.name or what or f"Vehicle {vin[-4:]}".strip()


def device_of_vehicle(vin: str, title: str, vehicle: Vehicle) -> DeviceInfo:
    """Return a car as a device. What is not known now may be known to its page from before."""
    device = DeviceInfo(
        identifiers={(DOMAIN, vin)},
        name=vehicle.name or title,
        serial_number=vin,
    )
    config = vehicle.vehicle_config
    if maker := _MAKERS.get(vin[:3]):
        device["manufacturer"] = maker
    if config.car_type:
        device["model_id"] = config.car_type
    if what := _what(config.car_type, (config.trim_badging or "").upper(), vin):
        device["model"] = what
    version, _, _build = (vehicle.vehicle_state.car_version or "").partition(" ")
    if version:
        device["sw_version"] = version
    return device


def device_of_account(entry: ConfigEntry[Any]) -> DeviceInfo:
    """Return the account as a device: what is asked on behalf of all its cars."""
    return DeviceInfo(
        identifiers={(DOMAIN, entry.entry_id)}, name=entry.title, entry_type=DeviceEntryType.SERVICE
    )


def device_of_simulation(vin: str, name: str, car: str) -> DeviceInfo:
    """Return what stands beside a simulated car and controls it, as a device. `car`: that car's device id."""
    return DeviceInfo(
        identifiers={simulation_of(vin)},
        translation_key="simulation",
        translation_placeholders={"vehicle": name},
        via_device_id=car,
    )


def lasting_devices(entry: ConfigEntry[Any]) -> set[tuple[str, str]]:
    """Return what is no car, and there as long as the account or the car is."""
    simulations = (simulation_of(str(each.unique_id)) for each in entry.subentries.values())
    return {(DOMAIN, entry.entry_id), *simulations}


def simulation_of(vin: str) -> tuple[str, str]:
    """Return by what the device is known that stands beside a simulated car."""
    return (DOMAIN, f"{vin}-simulation")


def _what(car_type: str | None, trim: str, vin: str) -> str:
    """Return model, trim and year, such as `Model S P90D 2019`, as far as they are known."""
    # Some services mask the VIN; what is left of one tells nothing.
    is_whole = len(vin) == _VIN_LENGTH and vin[-4:].isdecimal()
    model = _MODELS.get((car_type or "").lower(), car_type) or (_MODELS.get(vin[3]) if is_whole else None)
    place = _YEARS.find(vin[9]) if is_whole else -1
    year = str(_FIRST_YEAR + place) if place >= 0 else ""
    return " ".join(filter(None, (model, trim, year))) if model else ""
