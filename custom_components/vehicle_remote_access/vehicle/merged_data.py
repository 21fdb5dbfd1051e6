"""The merged data of one vehicle: pure functions from the old data and an answer to the new data.

The sources are the car's record in the service's list (cheap, without asking the car), the car itself (a live
read, its refusal, or what it sends), and the expected effects of commands.
"""

from collections.abc import Callable, Collection, Mapping
import dataclasses
from dataclasses import dataclass, field as dataclass_field
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Any, Final

from ..api.fields import Field
from ..api.records import ChargeState, DriveState, Vehicle, without_secrets
from ..polling.modes import ASLEEP, ONLINE
from ..util.immutable import replace
from ..util.stored_values import read_mapping
from .plausibility import Plausibility
from .stale_records import RecordTimes

# After 1 to 3 incomplete answers in a row, the car is read again soon. More of them count as complete.
_INCOMPLETE_RETRIES: Final = range(1, 4)
_STATE: Final = Vehicle.state.name
_ZERO_AT_REST: Final[tuple[Field[float], ...]] = (
    DriveState.speed,
    DriveState.power,
    ChargeState.charger_power,
    ChargeState.charger_actual_current,
    ChargeState.charge_rate,
)
_SAME_TIME: Final = timedelta(seconds=5)
_CURRENT: Final = timedelta(minutes=1)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
CAR_RECORDS: Final = frozenset(nested.name for nested in Vehicle.nested)
# A service that lists other unknown fields each time must not fill the memory.
_LISTED: Final = {field.name for field in Vehicle.fields} - {_STATE}


class ListTrust(Enum):
    """Whether the list or the car is right about the state of the car."""

    CURRENT = auto()
    """The list reports the state, and the car does not contradict it."""
    UNKNOWN = auto()
    """The list reports no state, or its last one was wrong: the car refused a read, and then answered one."""
    CONTRADICTED = auto()
    """The list still reports what was before the car refused a read. The car is right."""


@dataclass(frozen=True, kw_only=True)
class MergedData:
    """All that is known of one vehicle. Immutable."""

    vehicle: Vehicle = dataclass_field(default_factory=lambda: Vehicle.parse({}))
    raw: Mapping[str, Any] = dataclass_field(default_factory=dict)
    """The JSON of the vehicle, with fields that the table does not know."""
    refused: tuple[str, Any] | None = None
    """The name and the value of the field by which the car refused a live read. The list may be older."""
    list_trust: ListTrust = ListTrust.CURRENT
    expected_records: frozenset[str] = frozenset()
    """The records that the car usually reports."""
    is_answer_new: bool = True
    """Whether the last live answer had anything new. Otherwise, it came from a cache."""
    incomplete_count: int = 1
    """How many answers in a row lacked an expected record. Before the first answer, all are missing."""
    commanded: Mapping[Field[Any], tuple[Any, datetime]] = dataclass_field(default_factory=dict)
    """The values that commands have set, and when, by the car's clock. Only newer records replace them."""
    record_times: RecordTimes = dataclass_field(default_factory=RecordTimes)
    plausibility: Plausibility = dataclass_field(default_factory=Plausibility)

    @property
    def is_complete(self) -> bool:
        """Whether the last answer had all expected records, or retries did not help."""
        return self.incomplete_count not in _INCOMPLETE_RETRIES

    def is_fresh(self, changed: Field[Any]) -> bool:
        """Return whether the last live read reported a field, and not from a cache."""
        is_read = not self.record_times.age and changed not in self.commanded
        return is_read and changed.record_key in self.record_times.fresh


def reported_state(record: Mapping[str, Any]) -> str | None:
    """Return the state in a record in lowercase, or None if there is none."""
    state = record.get(_STATE)
    return (state.strip().lower() or None) if isinstance(state, str) else None


def merge_list_record(merged: MergedData, record: Mapping[str, Any]) -> MergedData:
    """Return the data after the car's record in the list, which does not come from the car itself."""
    # Newer services embed the live records in the list too, empty or not. Only live reads count for them.
    values = {key: value for key, value in record.items() if value is not None and key in _LISTED}
    list_trust = ListTrust.UNKNOWN
    if (state := reported_state(record)) is not None:
        values[_STATE], list_trust = state, ListTrust.CURRENT
    # Another state than online is newer than the refusal.
    refused = merged.refused if state in (None, ONLINE) else None
    name, refused_value = refused or ("", None)
    if name in values:
        if values[name] in (ONLINE, False):
            values[name], list_trust = refused_value, ListTrust.CONTRADICTED
        else:
            refused = None
    return replace(
        merged,
        vehicle=_at_rest(merged.vehicle.with_fields(values)),
        raw={**merged.raw, **values},
        refused=refused,
        list_trust=list_trust,
    )


def merge_live_answer(
    before: MergedData,
    answer: Mapping[str, Any],
    now: datetime,
    received_at: float,
    accepted_odometer: Callable[[float], float] = float,
) -> MergedData:
    """Return the data after a live read. `is_answer_new` is false if the answer comes from a cache.

    `now`: Home Assistant's time, `received_at`: monotonic. `accepted_odometer`: as in `Plausibility`.
    """
    # A live read leaves out fields of the list.
    listed = {key: value for key, value in before.raw.items() if key in _LISTED}
    raw = {**listed, **answer, _STATE: reported_state(answer) or ONLINE}
    if before.vehicle.in_service and Vehicle.in_service.name not in answer:
        # A car that answers is no longer in service.
        raw[Vehicle.in_service.name] = False
    merged = _merge_reported(before, raw, now, received_at, accepted_odometer)
    if not merged.is_answer_new:
        return merged
    found = _live_records(answer)
    incomplete_count = 0 if before.expected_records <= found else before.incomplete_count + 1
    is_retried = incomplete_count in _INCOMPLETE_RETRIES
    is_contradicted = before.list_trust is ListTrust.CONTRADICTED
    return replace(
        merged,
        refused=None,
        list_trust=ListTrust.UNKNOWN if is_contradicted else before.list_trust,
        expected_records=before.expected_records | found if is_retried else found,
        incomplete_count=incomplete_count,
    )


def _merge_reported(
    before: MergedData,
    raw: dict[str, Any],
    now: datetime,
    received_at: float,
    accepted_odometer: Callable[[float], float],
) -> MergedData:
    """Return the data after the car has reported all that `raw` has. See `merge_live_answer`."""
    vehicle = before.vehicle.reparse(raw)
    repeated = {name for name in CAR_RECORDS if raw.get(name) and raw[name] == before.raw.get(name)}
    record_times, stale = before.record_times.after(vehicle, before.vehicle, repeated, now, received_at)
    if record_times.is_cached and raw[_STATE] == ONLINE:
        # Nothing is newer than what is known, also not that the car is online.
        return replace(before, record_times=record_times, is_answer_new=False)
    # The records of the answer can be too old to confirm a command.
    commanded = {
        field: (value, sent_at)
        for field, (value, sent_at) in before.commanded.items()
        if field.record_key in stale | repeated or _is_older(field, sent_at, vehicle, before.vehicle)
    }
    for name in stale:
        vehicle = vehicle.with_record(name, getattr(before.vehicle, name))
        raw[name] = before.raw.get(name)
    vehicle = vehicle.with_values({field: value for field, (value, _) in commanded.items()})
    vehicle, plausibility = before.plausibility.after(
        vehicle, before.vehicle, record_times.fresh, accepted_odometer
    )
    return replace(
        before,
        vehicle=vehicle,
        plausibility=plausibility,
        raw=raw,
        commanded=commanded,
        record_times=record_times,
        is_answer_new=True,
    )


def merge_pushed(
    before: MergedData,
    values: Mapping[Field[Any], Any],
    sent_at: datetime,
    now: datetime,
    received_at: float,
    accepted_odometer: Callable[[float], float] = float,
    *,
    is_complete: bool = True,
) -> MergedData | None:
    """Return the data after fields that the car sent by itself, or None if they are not newer.

    `values`: as a live read has them. `is_complete`: whether all other fields are known, too. For the other
    arguments, see `merge_live_answer`. The rules that compare two fields are skipped, because the signal of
    the second field may arrive a second later. Only the odometer and the position are held back.
    """
    sent = _nested(values, before.vehicle, sent_at)
    if is_current(sent_at, now):
        sent[_STATE] = ONLINE
    vehicle = before.vehicle.with_fields(sent)
    record_times, stale = before.record_times.after(
        vehicle, before.vehicle, CAR_RECORDS - sent.keys(), now, received_at
    )
    if stale:
        sent = {name: record for name, record in sent.items() if name not in stale}
        if not sent.keys() & CAR_RECORDS:
            return None
        vehicle = before.vehicle.with_fields(sent)
    # A car sends only changes, so the records that it did not send are as fresh as those that it sent.
    fresh = (sent.keys() & CAR_RECORDS) | (_live_records(before.raw) if is_complete else frozenset())
    record_times = replace(record_times, fresh=frozenset(fresh))
    commanded = _still_commanded(before, values, sent_at, stale)
    vehicle = vehicle.with_values({field: commanded[field][0] for field in commanded.keys() & values.keys()})
    vehicle, plausibility = before.plausibility.after(
        vehicle, before.vehicle, record_times.fresh, accepted_odometer, rules=()
    )
    # A value that is held back stays so until the car sends the field again.
    held = {field: reads for field, reads in before.plausibility.held.items() if field not in values}
    plausibility = dataclasses.replace(plausibility, held=held | {**plausibility.held})
    return replace(
        before,
        vehicle=vehicle,
        plausibility=plausibility,
        raw=_overlaid(before.raw, sent),
        commanded=commanded,
        refused=None if _STATE in sent else before.refused,
        record_times=record_times,
    )


def _still_commanded(
    before: MergedData, values: Collection[Field[Any]], sent_at: datetime, stale: Collection[str]
) -> dict[Field[Any], tuple[Any, datetime]]:
    """Return the values of commands without those of fields that the car sent after the command."""
    return {
        field: (value, commanded_at)
        for field, (value, commanded_at) in before.commanded.items()
        if field not in values or field.record_key in stale or sent_at <= commanded_at
    }


def is_current(sent_at: datetime, now: datetime) -> bool:
    """Return whether a car that has sent this is online. Services repeat messages, and deliver some late."""
    return now - sent_at < _CURRENT


def _nested(values: Mapping[Field[Any], Any], before: Vehicle, sent_at: datetime) -> dict[str, Any]:
    """Return values of fields as the JSON of a vehicle, each of its records with the time."""
    records: dict[str, Any] = {}
    for field, value in values.items():
        *parents, name = field.path.split(".")
        record = records
        for parent in parents:
            record = record.setdefault(parent, {})
        record[name] = value
    for name, record in records.items():
        known_at = getattr(before, name).timestamp
        # The time of a message and that of a record do not agree to the second.
        is_same = known_at is not None and sent_at < known_at <= sent_at + _SAME_TIME
        record["timestamp"] = round((known_at if is_same else sent_at).timestamp() * 1000)
    return records


def _overlaid(raw: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON with newer values, also in nested objects."""
    return {**raw} | {
        name: _overlaid(read_mapping(raw.get(name)), value) if isinstance(value, dict) else value
        for name, value in newer.items()
    }


def with_known_location(merged: MergedData, answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an answer without a location with the known location, or None if the car may have moved."""
    now, drive = merged.vehicle.reparse(answer), answer.get(DriveState.key)
    odometer, known_odometer = now.vehicle_state.odometer, merged.vehicle.vehicle_state.odometer
    if not isinstance(drive, dict) or now.drive_state.is_driving:
        return None
    if odometer is None or odometer != known_odometer or DriveState.latitude in merged.plausibility.held:
        return None
    known_drive = merged.raw.get(DriveState.key, {})
    location = {
        field.name: known_drive[field.name] for field in DriveState.location if field.name in known_drive
    }
    return {**answer, DriveState.key: {**location, **drive}}


def merge_refusal(merged: MergedData, refused: Field[Any], value: Any) -> MergedData:
    """Return the data after a live read that the car refused, for example because it is asleep."""
    vehicle = _at_rest(merged.vehicle.with_value(refused.path, value))
    return replace(merged, vehicle=vehicle, refused=(refused.name, value))


def _at_rest(vehicle: Vehicle) -> Vehicle:
    """Return a vehicle that neither drives nor draws power if it is asleep now: the last read can be older.

    The charging state stays, because only the next read shows how the charge ended.
    """
    drive, charge = vehicle.drive_state, vehicle.charge_state
    if vehicle.state != ASLEEP or not (drive.is_driving or charge.is_charging):
        return vehicle
    zero = {field: 0.0 for field in _ZERO_AT_REST if field.get(vehicle) is not None}
    return vehicle.with_values({DriveState.shift_state: "p"} | zero if drive.is_driving else zero)


def merge_expected(merged: MergedData, values: Mapping[Field[Any], Any], at: float) -> MergedData:
    """Return the data with values that newer records should confirm. `at`: monotonic."""
    commanded = dict(merged.commanded)
    for field, value in values.items():
        if (reported_at := _reported_at(merged.vehicle, field)) < _NEVER:
            commanded[field] = value, merged.record_times.clock.sent_at(at, reported_at)
    return replace(merged, vehicle=merged.vehicle.with_values(values), commanded=commanded)


def restore_merged(stored: Any) -> MergedData:
    """Return the data of a stored record, or empty data."""
    if not isinstance(stored, dict):
        return MergedData()
    expected, vehicle = _live_records(stored), Vehicle.parse(stored)
    return MergedData(
        vehicle=vehicle,
        plausibility=Plausibility({}, vehicle.drive_state.position, vehicle.vehicle_state.odometer),
        raw=stored,
        expected_records=expected,
        incomplete_count=0 if expected else 1,
    )


def record_to_store(merged: MergedData) -> dict[str, Any]:
    """Return the record to store, without secrets and without the state, which may change until a restart."""
    record: dict[str, Any] = without_secrets(dict(merged.raw))
    record.pop(_STATE, None)
    for field in merged.plausibility.held:
        name = field.record_key
        record[name] = {**read_mapping(record.get(name)), field.name: field.get(merged.vehicle)}
    return record


def _reported_at(vehicle: Vehicle, changed: Field[Any]) -> datetime:
    """Return when the car reported the record with a field, _NEVER if unknown."""
    return getattr(getattr(vehicle, changed.record_key), "timestamp", None) or _NEVER


def _is_older(changed: Field[Any], sent_at: datetime, vehicle: Vehicle, before: Vehicle) -> bool:
    """Return whether a record is newer than the known one, but older than the command that set a field."""
    return _reported_at(before, changed) < _reported_at(vehicle, changed) <= sent_at


def _live_records(answer: Mapping[str, Any]) -> frozenset[str]:
    return frozenset({name for name in CAR_RECORDS if isinstance(answer.get(name), dict)})
