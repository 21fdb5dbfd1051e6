"""The merged data of one vehicle: pure functions from the old data and an answer to the new data.

The sources are the car's record in the service's list (cheap, without asking the car), the car itself (a live
read or its refusal), and the expected effects of commands.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from ..api.fields import Field
from ..api.records import ChargeState, DriveState, Vehicle, without_secrets
from ..polling.modes import ASLEEP, ONLINE
from ..util.immutable import replace
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
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_LIVE_RECORDS: Final = frozenset(nested.name for nested in Vehicle.nested)


@dataclass(frozen=True, kw_only=True)
class MergedData:
    """All that is known of one vehicle. Immutable."""

    vehicle: Vehicle = field(default_factory=lambda: Vehicle.parse({}))
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The JSON of the vehicle, with fields that the table does not know."""
    refusal: Mapping[str, Any] = field(default_factory=dict)
    """Values that the car's refusal of a live read showed. The list may report them later."""
    is_list_current: bool = True
    """Whether the list reports the state of the car, and the car does not contradict it."""
    is_list_contradicted: bool = False
    """Whether the car contradicts the last list."""
    expected_records: frozenset[str] = frozenset()
    """The records that the car usually reports."""
    incomplete_count: int = 1
    """How many answers in a row lacked an expected record. Before the first answer, all are missing."""
    commanded: Mapping[Field[Any], tuple[Any, datetime]] = field(default_factory=dict)
    """The values that commands have set, and when, by the car's clock. Only newer records replace them."""
    record_times: RecordTimes = field(default_factory=RecordTimes)
    plausibility: Plausibility = field(default_factory=Plausibility)

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


def merge_list_record(known: MergedData, record: Mapping[str, Any]) -> MergedData:
    """Return the data after the car's record in the list, which does not come from the car itself."""
    # Newer services embed the live records in the list too, empty or not. Only live reads count for them.
    record = _normalize_state(
        {key: value for key, value in record.items() if value is not None and key not in _LIVE_RECORDS}
    )
    # The list may still report the car as it was before the refusal. Another state in the list is newer.
    refusal = known.refusal if record.get(_STATE, ONLINE) == ONLINE else {}
    contradicted = {key: value for key, value in refusal.items() if record.get(key) in (ONLINE, False)}
    remaining = {key: value for key, value in refusal.items() if key in contradicted or key not in record}
    values = {**record, **contradicted}
    return replace(
        known,
        vehicle=_at_rest(known.vehicle.with_fields(values)),
        raw={**known.raw, **values},
        refusal=remaining,
        is_list_current=_STATE in record and not contradicted,
        is_list_contradicted=bool(contradicted),
    )


def merge_live_answer(
    known: MergedData,
    answer: Mapping[str, Any],
    now: datetime,
    received_at: float,
    accepted_odometer: Callable[[float], float] = float,
) -> MergedData:
    """Return the data after a live read, with the same `raw` if the answer comes from a cache.

    `now`: Home Assistant's time, `received_at`: monotonic. `accepted_odometer`: as in `Plausibility`.
    """
    found = _live_records(answer)
    incomplete_count = 0 if known.expected_records <= found else known.incomplete_count + 1
    is_retried = incomplete_count in _INCOMPLETE_RETRIES
    # A live read leaves out fields of the list.
    raw = {
        key: value for key, value in known.raw.items() if key not in answer and not isinstance(value, dict)
    }
    # A car that answers is online, and no longer in service.
    if known.vehicle.in_service:
        raw[Vehicle.in_service.name] = False
    raw |= answer
    raw[_STATE] = reported_state(answer) or ONLINE
    vehicle = known.vehicle.reparse(raw)
    repeated = {name for name in found if answer[name] == known.raw.get(name)}
    record_times, stale = known.record_times.after(vehicle, known.vehicle, repeated, now, received_at)
    if record_times.is_cached and raw[_STATE] == ONLINE:
        # Nothing is newer than what is known, also not that the car is online.
        return replace(known, record_times=record_times)
    commanded = _unconfirmed(known, vehicle, stale | repeated)
    for name in stale:
        vehicle = vehicle.with_record(name, getattr(known.vehicle, name))
        raw[name] = known.raw.get(name)
    for each, (value, _) in commanded.items():
        vehicle = vehicle.with_value(each.path, value)
    vehicle, plausibility = known.plausibility.after(
        vehicle, known.vehicle, known.raw, record_times.fresh, accepted_odometer
    )
    return replace(
        known,
        vehicle=vehicle,
        plausibility=plausibility,
        raw=raw,
        commanded=commanded,
        refusal={},
        is_list_contradicted=False,
        expected_records=known.expected_records | found if is_retried else found,
        incomplete_count=incomplete_count,
        record_times=record_times,
    )


def _unconfirmed(
    known: MergedData, vehicle: Vehicle, not_newer: Collection[str]
) -> dict[Field[Any], tuple[Any, datetime]]:
    """Return the values of commands that the records of an answer are too old to confirm."""
    return {
        each: (value, sent_at)
        for each, (value, sent_at) in known.commanded.items()
        if each.record_key in not_newer
        or _reported_at(known.vehicle, each) < _reported_at(vehicle, each) <= sent_at
    }


def with_known_location(known: MergedData, answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an answer without a location with the known location, or None if the car may have moved."""
    now, drive = known.vehicle.reparse(answer), answer.get(DriveState.key)
    odometer, known_odometer = now.vehicle_state.odometer, known.vehicle.vehicle_state.odometer
    if not isinstance(drive, dict) or now.drive_state.is_driving:
        return None
    if odometer is None or odometer != known_odometer or DriveState.latitude in known.plausibility.held:
        return None
    known_drive = known.raw.get(DriveState.key, {})
    location = {each.name: known_drive[each.name] for each in DriveState.location if each.name in known_drive}
    return {**answer, DriveState.key: {**location, **drive}}


def merge_refusal(known: MergedData, refused: Field[Any], value: Any) -> MergedData:
    """Return the data after a live read that the car refused, for example because it is asleep."""
    vehicle = _at_rest(known.vehicle.with_value(refused.path, value))
    return replace(known, vehicle=vehicle, refusal={refused.name: value})


def _at_rest(vehicle: Vehicle) -> Vehicle:
    """Return a vehicle that neither drives nor draws power if it is asleep now.

    The last live read can be from before it was parked, or before its charge ended. How the charge ended, the
    next read shows.
    """
    drive, charge = vehicle.drive_state, vehicle.charge_state
    if vehicle.state != ASLEEP or not (drive.is_driving or charge.is_charging):
        return vehicle
    known = {each: 0.0 for each in _ZERO_AT_REST if each.get(vehicle) is not None}
    return vehicle.with_values({DriveState.shift_state: "p"} | known if drive.is_driving else known)


def merge_expected(known: MergedData, values: Mapping[Field[Any], Any], at: float) -> MergedData:
    """Return the data with values that newer records should confirm. `at`: monotonic."""
    commanded = dict(known.commanded)
    for each, value in values.items():
        if (reported_at := _reported_at(known.vehicle, each)) < _NEVER:
            commanded[each] = value, known.record_times.clock.sent_at(at, reported_at)
    return replace(known, vehicle=known.vehicle.with_values(values), commanded=commanded)


def forget_refused_state(known: MergedData) -> MergedData:
    """Let the list report that the car is online, although it refused a read, because it is being woken."""
    remaining = {key: value for key, value in known.refusal.items() if key != _STATE}
    return replace(known, refusal=remaining)


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


def record_to_store(known: MergedData) -> dict[str, Any]:
    """Return the record to store, without secrets and without the state, which may change until a restart."""
    record: dict[str, Any] = without_secrets(dict(known.raw))
    record.pop(_STATE, None)
    return known.plausibility.to_store(record)


def _reported_at(vehicle: Vehicle, changed: Field[Any]) -> datetime:
    """Return when the car reported the record with a field, _NEVER if unknown."""
    return getattr(getattr(vehicle, changed.record_key), "timestamp", None) or _NEVER


def _live_records(answer: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the live records in an answer."""
    return frozenset({name for name in _LIVE_RECORDS if isinstance(answer.get(name), dict)})


def _normalize_state(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its state in lowercase, or without a state that is not a text."""
    normalized = {key: value for key, value in record.items() if key != _STATE}
    if (state := reported_state(record)) is not None:
        normalized[_STATE] = state
    return normalized
