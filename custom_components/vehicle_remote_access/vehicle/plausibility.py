"""Plausibility: what a read shows is compared with the rest of its answer, and with the read before.

A single wrong value would start a charge, end a drive, or stay in a sum for ever. So what contradicts the
others is held back, and the one before stays, until a third read in a row shows it. What several fields show
is believed at once. The log judges the odometer, because it remembers a wrong one over restarts.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
import logging
from math import prod
from typing import Any, Final, NamedTuple, Self

from ..api.fields import Field
from ..api.records import ChargeState, DriveState, Vehicle, VehicleState
from ..util.positions import Position, degrees_between
from ..util.stored_values import read_mapping

_LOGGER: Final = logging.getLogger(__package__)
# Wrong values last for one or two reads. A true one that is held back so long is rare.
_READS: Final = 3
_MILES_PER_DEGREE: Final = 69.1
# Miles. A position is some seconds older or newer than the odometer, and not exact in a garage.
_DRIFT: Final = 1.0
_DRIFT_WHILE_DRIVING: Final = 5.0
# Of two values that rise and fall together, the smaller change is usually more than this share of the other.
_TOGETHER: Final = 0.5
# The fields that do so, what the first can change alone, and how much it is of the usual car per mile.
_PAIRS: Final = (
    # Percent. The rated range is proportional to the level.
    (ChargeState.battery_level, ChargeState.battery_range, 5.0, 1 / 3),
    # kWh. A new session resets both.
    (ChargeState.charge_energy_added, ChargeState.charge_miles_added_rated, 1.0, 0.28),
)
_KILOWATTS: Final = 2.0
_POWER: Final[tuple[tuple[Field[Any], ...], ...]] = (
    (ChargeState.charger_power,),
    (ChargeState.charger_voltage, ChargeState.charger_actual_current, ChargeState.charger_phases),
)
_POSITION: Final = (
    DriveState.latitude,
    DriveState.longitude,
    DriveState.native_latitude,
    DriveState.native_longitude,
)


class HeldBack(NamedTuple):
    """How often a value was read that is not believed yet, and the JSON of the one that is shown."""

    kept: Any
    reads: int = 1


@dataclass(frozen=True, slots=True)
class Plausibility:
    """What is held back of the last answer, and what the next one is compared with."""

    held: Mapping[Field[Any], HeldBack] = field(default_factory=dict)
    position: Position | None = None
    position_odometer: float | None = None
    """The odometer when the position was new."""
    doubted_odometer: float | None = None
    """An odometer that the log does not accept."""

    def after(
        self,
        answer: Vehicle,
        before: Vehicle,
        raw: Mapping[str, Any],
        fresh: Collection[str],
        accepted_odometer: Callable[[float], float],
    ) -> tuple[Vehicle, Self]:
        """Return the vehicle of an answer with the values that are believed, and what is held back.

        `raw`: the JSON of the vehicle before. `fresh`: the records that do not come from a cache.
        `accepted_odometer` returns the odometer that the log has after this one.
        """
        held: dict[Field[Any], HeldBack] = {}
        odometer = answer.vehicle_state.odometer
        if odometer is not None and (accepted := accepted_odometer(odometer)) != odometer:
            held[VehicleState.odometer] = self._held_back(VehicleState.odometer, odometer, raw, fresh)
            answer = answer.with_value(VehicleState.odometer.path, accepted)
        doubted, odometer = odometer if held else None, answer.vehicle_state.odometer
        position = answer.drive_state.position
        wrong = [each for rule in _RULES for each in rule(answer, before)]
        if position != self.position and self._is_too_far(answer, before, position):
            wrong += _POSITION
        for each in wrong:
            doubt = self._held_back(each, each.get(answer), raw, fresh)
            if doubt.reads < _READS:
                held[each] = doubt
                answer = answer.with_value(each.path, each.get(before))
        held = {**self._still_held(answer, before, fresh), **held}
        if position in (None, self.position) or _POSITION[0] in held:
            position, odometer = self.position, self.position_odometer
        return answer, type(self)(held, position, odometer, doubted)

    def _held_back(
        self, each: Field[Any], value: Any, raw: Mapping[str, Any], fresh: Collection[str]
    ) -> HeldBack:
        """Return a value as held back, by one read more if this answer is one."""
        known, record = self.held.get(each), each.record_key
        if known is None:
            _LOGGER.debug("%s is held back%s", each.path, "" if each.private else f": {value}")
            return HeldBack(read_mapping(raw.get(record)).get(each.name))
        return known._replace(reads=known.reads + (record in fresh))

    def _still_held(
        self, answer: Vehicle, before: Vehicle, fresh: Collection[str]
    ) -> dict[Field[Any], HeldBack]:
        """Return what is held back of the records from a cache, which show what is known already."""
        return {
            each: doubt
            for each, doubt in self.held.items()
            if each.record_key not in fresh and each.get(answer) == each.get(before)
        }

    def _is_too_far(self, now: Vehicle, before: Vehicle, position: Position | None) -> bool:
        """Return whether a position is farther away than the odometer has risen."""
        odometer = now.vehicle_state.odometer
        if position is None or self.position is None or odometer is None or self.position_odometer is None:
            return False
        is_parked = now.drive_state.shift_state == before.drive_state.shift_state == "p"
        drift = _DRIFT if is_parked else _DRIFT_WHILE_DRIVING
        miles = _MILES_PER_DEGREE * degrees_between(position, self.position)
        return miles > odometer - self.position_odometer + drift

    def to_store(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a vehicle's record with what is shown instead of what is held back."""
        for each, held in self.held.items():
            name = each.record_key
            record[name] = {**read_mapping(record.get(name)), each.name: held.kept}
        return record


def _goes_on_charging(now: Vehicle, before: Vehicle) -> bool:
    return now.charge_state.charging_state == before.charge_state.charging_state == "charging"


def _wrong_charging_state(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the charging state if it has changed and the rest of the record contradicts it.

    A car with a cable, or one that draws power, is plugged in. A car that draws power still charges, unless
    it is full. A car with a closed charge port is not plugged in.
    """
    charge, last = now.charge_state, before.charge_state
    state, was = charge.charging_state, last.charging_state
    if None in (state, was) or state == was:
        return ()
    has_cable = charge.conn_charge_cable not in (None, "none")
    draws_power = bool(charge.charger_power or charge.charger_actual_current)
    if state == "disconnected":
        is_wrong = (draws_power or has_cable) and not now.drive_state.speed
    elif draws_power:
        # A car that is only heated charges at a rate of 0.
        has_stopped = bool(last.is_charging) and not charge.is_charging and not charge.is_at_limit
        is_wrong = has_stopped and charge.charge_rate != 0
    else:
        is_wrong = was == "disconnected" and not has_cable and charge.charge_port_door_open is False
    return (ChargeState.charging_state,) if is_wrong else ()


def _wrong_gear(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the gear or the speed if they contradict each other, whichever has changed.

    Return the gear, too, if the car is to be in gear, but nobody can drive it.
    """
    drive, last = now.drive_state, before.drive_state
    if drive.shift_state == "p" and drive.speed:
        return (DriveState.shift_state if last.is_driving else DriveState.speed,)
    if drive.shift_state in (None, "p") or last.shift_state != "p" or drive.speed:
        return ()
    has_moved = now.vehicle_state.odometer != before.vehicle_state.odometer
    is_empty = now.vehicle_state.is_user_present is False or now.charge_state.is_plugged_in
    return (DriveState.shift_state,) if is_empty and not has_moved else ()


def _wrong_of_pairs(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the fields of the pairs that have changed without the other one."""
    wrong = []
    for *pair, least, unit in _PAIRS:
        first, second = [(each.get(now), each.get(before)) for each in pair]
        if first[0] == first[1] and second[0] == second[1]:
            continue
        if (index := _changed_alone(first, second, least, unit)) is not None:
            wrong.append(pair[index])
    return tuple(wrong)


def _wrong_fast_charger(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the kind of the charger if it has changed while the car charges and stays where it is."""
    is_fast, was_fast = now.charge_state.fast_charger_present, before.charge_state.fast_charger_present
    has_moved = now.vehicle_state.odometer != before.vehicle_state.odometer
    if None in (is_fast, was_fast) or is_fast is was_fast or has_moved or not _goes_on_charging(now, before):
        return ()
    return (ChargeState.fast_charger_present,)


def _wrong_power(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the power, or what it is the product of, if only one of them changes while the car charges."""
    charge, last = now.charge_state, before.charge_state
    # A fast charger bypasses the car's own charger, which shows voltage and current.
    if charge.fast_charger_present or last.fast_charger_present or not _goes_on_charging(now, before):
        return ()
    products: list[list[Any]] = [[field.get(vehicle) for field in _POWER[1]] for vehicle in (now, before)]
    powers = [None if None in factors else prod(factors) for factors in products]
    # Some cars report a wrong number of phases, so the ratio of the two is that of their highest values.
    highest = max(charge.charger_power or 0.0, last.charger_power or 0.0)
    highest_product = max(filter(None, powers), default=0)
    unit = highest / highest_product if highest_product else 0.0
    index = _changed_alone((charge.charger_power, last.charger_power), tuple(powers), _KILOWATTS, unit)
    return () if index is None else _POWER[index]


def _changed_alone(
    first: tuple[float | None, ...], second: tuple[float | None, ...], least: float, unit: float
) -> int | None:
    """Return which of two values that rise and fall together has changed without the other, None if none has.

    `first` and `second`: the value now, and the one before. `least`: how much the first can change alone.
    `unit`: how much of the first is one of the second.
    """
    (one, one_before), (other, other_before) = first, second
    if one is None or one_before is None or other is None or other_before is None:
        return None
    changes = one - one_before, (other - other_before) * unit
    wrong = int(abs(changes[1]) > abs(changes[0]))
    is_alone = abs(changes[wrong]) > least and changes[1 - wrong] / changes[wrong] < _TOGETHER
    return wrong if is_alone else None


_RULES: Final[tuple[Callable[[Vehicle, Vehicle], tuple[Field[Any], ...]], ...]] = (
    _wrong_charging_state,
    _wrong_gear,
    _wrong_of_pairs,
    _wrong_fast_charger,
    _wrong_power,
)
