"""What a car says that drives, in the words of the service: the same again, or so many fields changed."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
import json
from typing import Any, Final

from custom_components.vehicle_remote_access.api.fields import NOWHERE, Field
from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState, Vehicle
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full

from .served import driving

ALL: Final = 1_000_000
"""More fields than there are."""

type Words = dict[str, Any]
"""A vehicle's record as it is sent."""

_TIMESTAMP: Final = DriveState.timestamp.name


def driven() -> Words:
    """Return the record of a car on its way."""
    (car,) = Simulator(vehicles=1, seed=0).vehicles
    car.wake()
    driving(car)
    record: Words = json.loads(json.dumps(full(car, Variant.CURRENT)))
    return record


def told_at(record: Words, moment: float) -> Words:
    """Return a record as it is said at a moment: with other times in it, and nothing else."""
    said = {
        name: {**inner, _TIMESTAMP: round(moment * 1000)} if isinstance(inner, dict) else inner
        for name, inner in record.items()
    }
    said[DriveState.key][DriveState.gps_as_of.name] = round(moment)
    return said


def changed(record: Words, fields: int) -> Words:
    """Return a record with so many other values, or all, which entities show, from all its parts alike."""
    candidates = list(_changeable(record))
    fields = min(fields, len(candidates))
    other = deepcopy(record)
    for index in range(fields):
        field, value = candidates[index * len(candidates) // fields]
        _record_of(other, field)[field.name] = value
    return other


def _changeable(record: Words) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the numbers and flags that an entity of their own shows, each with another that is as right."""
    vehicle = Vehicle.parse(record)
    for field in FIELDS:
        # Of the outermost fields, the account's own question tells too.
        if field.place is NOWHERE or field is DriveState.gps_as_of or "." not in field.path:
            continue
        if field.shown_if is not None and not field.shown_if.of(vehicle):
            continue
        value = _record_of(record, field).get(field.name)
        for other in _others(value):
            if field.kind.read(other) not in (None, field.kind.read(value)):
                yield field, other
                break


def _others(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (not value,)
    return (value + 1, value - 1) if isinstance(value, int | float) else ()


def _record_of(record: Words, field: Field[Any]) -> Words:
    """Return the part of a record in which a field stands; empty if there is none."""
    part: Mapping[str, Any] = record
    for name in field.path.split(".")[:-1]:
        part = part.get(name) or {}
    assert isinstance(part, dict)
    return part
