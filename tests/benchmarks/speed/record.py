"""The record of a car that drives, as the service sends it, with a given number of changed fields."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import reduce
import json
from typing import Any

from custom_components.vehicle_remote_access.api.fields import NOT_SHOWN
from custom_components.vehicle_remote_access.api.records import FIELDS, DriveState, Vehicle
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record

type RawRecord = dict[str, Any]


def driving_record() -> RawRecord:
    """Return the record of a car that drives."""
    (car,) = Simulator(vehicles=1, seed=0).vehicles
    car.wake()
    if car.charging.plugged:
        car.unplug()
    car.set_level(100)
    car.drive(1000)
    record: RawRecord = json.loads(json.dumps(full_record(car, Variant.CURRENT)))
    record["vehicle_config"]["driver_assist"] = "TeslaAP3"  # required by `tessie`
    return record


def changed_record(record: RawRecord, unix_time: float, fields: int) -> RawRecord:
    """Return a record with another time and so many changed fields, spread over all of its parts."""
    candidates = list(_changeable_fields(record))
    updated = deepcopy(record)
    for part in updated.values():
        if isinstance(part, dict):
            part["timestamp"] = round(unix_time * 1000)
    updated["drive_state"]["gps_as_of"] = round(unix_time)
    for index in range(fields):
        path, value = candidates[index * len(candidates) // fields]
        _part(updated, path)[path[-1]] = value
    return updated


def _changeable_fields(record: RawRecord) -> Iterator[tuple[list[str], Any]]:
    """Yield the paths of numbers and flags that have their own entity, each with another valid value."""
    vehicle = Vehicle.parse(record)
    for field in FIELDS:
        # The account's own poll also reports the top-level fields.
        path = field.path.split(".")
        if field.shown_as is NOT_SHOWN or len(path) == 1 or field is DriveState.gps_as_of:
            continue
        if field.shown_if is not None and not field.shown_if.get(vehicle):
            continue
        value = _part(record, path).get(path[-1])
        others: tuple[Any, ...] = (not value,) if isinstance(value, bool) else ()
        if isinstance(value, int | float) and not isinstance(value, bool):
            others = (value + 1, value - 1)
        for other in others:
            if field.value_type.read(other) not in (None, field.value_type.read(value)):
                yield path, other
                break


def _part(record: RawRecord, path: Iterable[str]) -> RawRecord:
    """Return the part of a record that contains a field; empty if the part is missing."""
    *parents, _ = path
    return reduce(lambda part, name: part.get(name) or {}, parents, record)
