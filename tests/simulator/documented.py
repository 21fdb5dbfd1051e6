"""The interface document as data, and the comparison of records with it.

The fixtures are transcribed from the service's own document, which docs/interface.md describes.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal

from ..api.conftest import documented

type Json = dict[str, Any]
type VariantName = Literal["legacy", "current"]

TYPES: Final[dict[str, Any]] = {
    "integer": int,
    "number": int | float,
    "string": str,
    "boolean": bool,
    "object": dict,
    "array of string": list,
}


FIELDS: Final[Json] = documented("fields")
OBJECTS: Final = [name for name in FIELDS if name != "vehicle"]
ENDPOINTS: Final[list[Json]] = documented("endpoints")["endpoints"]
COMMANDS: Final = [each["path"].rpartition("/")[2] for each in ENDPOINTS if "/command/" in each["path"]]
PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "set_temps": {"driver_temp": "20.5", "passenger_temp": "19"},
    "set_charge_limit": {"percent": "85"},
    "sun_roof_control": {"state": "move", "percent": "40"},
    "actuate_trunk": {"which_trunk": "rear"},
    "remote_start_drive": {"password": "simulated"},
    "upcoming_calendar_entries": {"calendar_data": "{}"},
    "set_valet_mode": {"on": "true", "password": "1234"},
    "speed_limit_activate": {"pin": "1234"},
    "speed_limit_deactivate": {"pin": "1234"},
    "speed_limit_set_limit": {"limit_mph": "60"},
    "speed_limit_clear_pin": {"pin": "1234"},
    "vehicle_subscriptions": {"device_type": "ios"},
    "notification_preferences": {"device_type": "android", "platform": "any"},
}
"""The valid parameters of an endpoint, by the last part of its path."""


def full_record_fields(variant: VariantName) -> Json:
    """Return the fields of the full data: those of the vehicle record, and the six objects."""
    objects = {name: {"type": "object", "nullable": False, "fields": FIELDS[name]} for name in OBJECTS}
    return {**_of_variant(FIELDS["vehicle"], variant), **objects}


def short_record_fields() -> Json:
    both = _of_variant(_of_variant(FIELDS["vehicle"], "legacy"), "current")
    return {name: field for name, field in both.items() if "absent_from" not in field}


def differences(
    record: Json, fields: Json, variant: VariantName = "current", *, prefix: str = ""
) -> list[str]:
    """Return which fields of a record are missing, undocumented, or have an undocumented type, in words."""
    fields = _of_variant(fields, variant)
    return [
        *(f"{prefix}{name} is missing" for name in fields.keys() - record.keys()),
        *(f"{prefix}{name} is not documented" for name in record.keys() - fields.keys()),
        *(
            difference
            for name, field in fields.items()
            if name in record
            for difference in _value_differences(f"{prefix}{name}", record[name], field, variant)
        ),
    ]


def _of_variant(fields: Json, variant: VariantName) -> Json:
    return {name: field for name, field in fields.items() if variant in field.get("variants", (variant,))}


def _value_differences(path: str, value: Any, field: Json, variant: VariantName) -> Iterator[str]:
    type_name = field["type"][variant] if isinstance(field["type"], dict) else field["type"]
    if value is None:
        if not field.get("nullable", False):
            yield f"{path} is null"
    elif type_name is not None and not _is_of_type(value, type_name):
        yield f"{path} is {value!r}, not of type {type_name}"
    elif "fields" in field:
        yield from differences(value, field["fields"], variant, prefix=f"{path}.")


def _is_of_type(value: Any, type_name: str) -> bool:
    if type_name == "array of string" and not all(isinstance(item, str) for item in value):
        return False
    # In Python a boolean is a number; in JSON it is not.
    return isinstance(value, TYPES[type_name]) and isinstance(value, bool) is (type_name == "boolean")
