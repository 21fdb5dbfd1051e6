"""The interface document, as it was written down by hand, and in what an answer departs from it."""

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any, Final, Literal

type Json = dict[str, Any]
type Variant = Literal["legacy", "current"]

FIXTURES: Final = Path(__file__).parents[1] / "fixtures"
OBJECTS: Final = (
    "gui_settings",
    "vehicle_state",
    "climate_state",
    "charge_state",
    "drive_state",
    "vehicle_config",
)
TYPES: Final[dict[str, Any]] = {
    "integer": int,
    "number": int | float,
    "string": str,
    "boolean": bool,
    "object": dict,
    "array of string": list,
}


def documented(name: str) -> Any:
    """Return a part of the interface document."""
    return json.loads((FIXTURES / f"documented_{name}.json").read_text())


FIELDS: Final[Json] = documented("fields")
ENDPOINTS: Final[list[Json]] = documented("endpoints")["endpoints"]


def full_record(variant: Variant) -> Json:
    """Return the fields of a full-data read: those of the vehicle record, and the six objects."""
    objects = {name: {"type": "object", "nullable": False, "fields": FIELDS[name]} for name in OBJECTS}
    return {**_of_variant(FIELDS["vehicle"], variant), **objects}


def short_record() -> Json:
    """Return the fields of the vehicle record outside the data reads: what both of them have, but user_id."""
    both = _of_variant(_of_variant(FIELDS["vehicle"], "legacy"), "current")
    return {name: said for name, said in both.items() if "absent_from" not in said}


def departures(record: Json, fields: Json, variant: Variant = "current", *, above: str = "") -> list[str]:
    """Return in words where a record lacks a field, has one too many, or one that is not as documented."""
    fields = _of_variant(fields, variant)
    return [
        *(f"{above}{name} is missing" for name in fields.keys() - record.keys()),
        *(f"{above}{name} is not documented" for name in record.keys() - fields.keys()),
        *(
            words
            for name, said in fields.items()
            if name in record
            for words in _wrong(f"{above}{name}", record[name], said, variant)
        ),
    ]


def _of_variant(fields: Json, variant: Variant) -> Json:
    return {name: said for name, said in fields.items() if variant in said.get("variants", (variant,))}


def _wrong(path: str, value: Any, said: Json, variant: Variant) -> Iterator[str]:
    kind = said["type"][variant] if isinstance(said["type"], dict) else said["type"]
    if value is None:
        if not said.get("nullable", False):
            yield f"{path} is null"
    elif kind is not None and not _is_of_type(value, kind):
        yield f"{path} is {value!r}, not of type {kind}"
    elif "fields" in said:
        yield from departures(value, said["fields"], variant, above=f"{path}.")


def _is_of_type(value: Any, kind: str) -> bool:
    if kind == "array of string" and not all(isinstance(each, str) for each in value):
        return False
    # To Python true is a number; to JSON it is not.
    return isinstance(value, TYPES[kind]) and isinstance(value, bool) is (kind == "boolean")
