"""The record of a car that drives, as the service sends it, with a given number of changed fields."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
import json
from typing import Any, Final

from custom_components.vehicle_remote_access.api.fields import NOT_SHOWN, Field
from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState, Vehicle
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record

from ..common.car_states import start_driving

ALL_FIELDS: Final = 1_000_000
"""More fields than there are."""

type RawRecord = dict[str, Any]

_TIMESTAMP: Final = DriveState.timestamp.name


def driving_record() -> RawRecord:
    """Return the record of a car that drives."""
    (car,) = Simulator(vehicles=1, seed=0).vehicles
    car.wake()
    start_driving(car)
    record: RawRecord = json.loads(json.dumps(full_record(car, Variant.CURRENT)))
    return record


def with_timestamps(record: RawRecord, unix_time: float) -> RawRecord:
    """Return a record with all of its timestamps replaced."""
    updated = {
        name: {**value, _TIMESTAMP: round(unix_time * 1000)} if isinstance(value, dict) else value
        for name, value in record.items()
    }
    updated[DriveState.key][DriveState.gps_as_of.name] = round(unix_time)
    return updated


def with_changes(record: RawRecord, fields: int) -> RawRecord:
    """Return a record with so many fields changed, spread over all parts of the record."""
    candidates = list(_changeable_fields(record))
    fields = min(fields, len(candidates))
    updated = deepcopy(record)
    for index in range(fields):
        field, value = candidates[index * len(candidates) // fields]
        _parent_record(updated, field)[field.name] = value
    return updated


def _changeable_fields(record: RawRecord) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the numbers and flags that have their own entity, each with another valid value."""
    vehicle = Vehicle.parse(record)
    for field in FIELDS:
        # The account's own poll also reports the top-level fields.
        if field.shown_as is NOT_SHOWN or field is DriveState.gps_as_of or "." not in field.path:
            continue
        if field.shown_if is not None and not field.shown_if.get(vehicle):
            continue
        value = _parent_record(record, field).get(field.name)
        for other in _other_values(value):
            if field.value_type.read(other) not in (None, field.value_type.read(value)):
                yield field, other
                break


def _other_values(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (not value,)
    return (value + 1, value - 1) if isinstance(value, int | float) else ()


def _parent_record(record: RawRecord, field: Field[Any]) -> RawRecord:
    """Return the part of a record that contains a field; empty if the part is missing."""
    part: Mapping[str, Any] = record
    for name in field.path.split(".")[:-1]:
        part = part.get(name) or {}
    assert isinstance(part, dict)
    return part
