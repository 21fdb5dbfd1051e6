"""Raw records with every documented field, and how to read and change their values."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import reduce
from typing import Any, Final

from .conftest import documented

type Json = dict[str, Any]

GONE: Final = object()
"""Stands for a missing value."""

RECORDS: Final = (
    *(f"vehicle_state.{name}" for name in ("media_state", "software_update", "speed_limit_mode")),
    *("gui_settings", "vehicle_state", "climate_state", "charge_state", "drive_state", "vehicle_config"),
)


def leaves(fields: Json, prefix: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the path and description of every documented field."""
    for name, description in fields.items():
        path = f"{prefix}{name}"
        if description["type"] == "object":
            yield from leaves(description["fields"], f"{path}.")
        else:
            yield path, description


def _documented_fields() -> Iterator[tuple[str, Json]]:
    for record, fields in documented("fields").items():
        yield from leaves(fields, "" if record == "vehicle" else f"{record}.")


DOCUMENTED: Final = dict(_documented_fields())
RESPONSES: Final[Mapping[str, Json]] = {
    "vehicle_data": documented("vehicle_data")["response"],
    "data": documented("data")["response"],
    "wake_up": documented("wake_up")["response"][0],
}


def found_in(raw: Json, path: str) -> Any:
    """Return the raw value at a path, GONE if it is missing."""
    found: Any = raw
    for name in path.split("."):
        found = found.get(name, GONE) if isinstance(found, dict) else GONE
    return found


def spoiled(raw: Json, path: str, value: Any) -> Json:
    """Return a copy of a raw record with another value at a path, or without it."""
    raw = deepcopy(raw)
    *parents, name = path.split(".")
    holder = reduce(lambda outer, parent: outer[parent], parents, raw)
    if value is GONE:
        del holder[name]
    else:
        holder[name] = value
    return raw


def both_variants() -> Json:
    """Return a raw record with every documented field: the current variant, and the legacy-only fields."""
    raw = deepcopy(RESPONSES["vehicle_data"])
    for name, inner in RESPONSES["data"].items():
        raw[name] = {**inner, **raw[name]} if isinstance(inner, dict) else raw.get(name, inner)
    return raw


WHOLE: Final = both_variants()
