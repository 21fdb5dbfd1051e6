"""Plausibility: compares each value of a live read with the other values and with the read before.

A single wrong value would start a charge, end a drive, or stay in a sum forever. So a value that contradicts
the others is held back: the value before is shown until a third read in a row reports the new one. A change
that several fields report is shown at once. The log decides which odometer to accept, because the log
remembers a doubtful one across restarts.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field as dataclass_field
from math import prod
from typing import Any, Final, NamedTuple, Self

from ..api.fields import Field
from ..api.records import ChargeState, DriveState, Vehicle, VehicleState
from ..util.positions import Position, degrees_between

# Wrong values last for one or two reads. True values that contradict the others are rare.
_READS_UNTIL_SHOWN: Final = 3
_MILES_PER_DEGREE: Final = 69.1
# Miles. A position is some seconds older or newer than the odometer, and not exact in a garage.
_DRIFT: Final = 1.0
_DRIFT_WHILE_DRIVING: Final = 5.0
# Of two values that rise and fall together, the smaller change is usually more than this share of the other.
_SMALLER_SHARE: Final = 0.5
# Such fields: how much the first can change alone, and its change for each mile of the second in a usual car.
_PAIRS: Final = (
    # Percent. The rated range is proportional to the level.
    (ChargeState.battery_level, ChargeState.battery_range, 5.0, 1 / 3),
    # kWh. A new session resets both.
    (ChargeState.charge_energy_added, ChargeState.charge_miles_added_rated, 1.0, 0.28),
)
# Kilowatts. How much the power, or the product of its factors, can change alone
_POWER_CHANGE: Final = 2.0
_POWER_FACTORS: Final[tuple[Field[Any], ...]] = (
    ChargeState.charger_voltage,
    ChargeState.charger_actual_current,
    ChargeState.charger_phases,
)
POSITION: Final = (
    DriveState.latitude,
    DriveState.longitude,
    DriveState.native_latitude,
    DriveState.native_longitude,
)

type _Rule = Callable[[Vehicle, Vehicle], tuple[Field[Any], ...]]
"""Returns the fields of a vehicle that are wrong, from the vehicle and the one before."""


@dataclass(frozen=True, slots=True)
class Plausibility:
    """The values of the last answer that are held back, and the last position."""

    held: Mapping[Field[Any], int] = dataclass_field(default_factory=dict)
    """The fields whose values are held back, and how many reads in a row have reported such a value."""
    position: Position | None = None
    position_odometer: float | None = None
    """The odometer when the position was new."""
    doubted_odometer: float | None = None
    """An odometer that the log does not accept."""

    def after(
        self,
        answer: Vehicle,
        before: Vehicle,
        fresh: Collection[str],
        accepted_odometer: Callable[[float], float],
        rules: Sequence[_Rule] | None = None,
    ) -> tuple[Vehicle, Self]:
        """Return an answer with the values before instead of those that are held back.

        `fresh`: the records that do not come from a cache. `accepted_odometer` returns the odometer that the
        log has after this one. `rules`: none for a part of an answer, which can contradict the rest.
        """
        held: dict[Field[Any], int] = {}
        reported, doubted = answer.vehicle_state.odometer, None
        if reported is not None and (accepted := accepted_odometer(reported)) != reported:
            held[VehicleState.odometer] = self._reads(VehicleState.odometer, fresh)
            answer, doubted = answer.with_value(VehicleState.odometer.path, accepted), reported
        position, odometer = answer.drive_state.position, answer.vehicle_state.odometer
        wrong = [field for rule in (_RULES if rules is None else rules) for field in rule(answer, before)]
        if self._is_too_far(answer, before, position):
            wrong += POSITION
        for field in wrong:
            reads = self._reads(field, fresh)
            if reads < _READS_UNTIL_SHOWN:
                held[field] = reads
                answer = answer.with_value(field.path, field.get(before))
        if position in (None, self.position) or DriveState.latitude in held:
            position, odometer = self.position, self.position_odometer
        # A record from a cache shows the same again.
        still_held = {
            field: reads
            for field, reads in self.held.items()
            if field.record_key not in fresh and field.get(answer) == field.get(before)
        }
        return answer, type(self)(still_held | held, position, odometer, doubted)

    def _reads(self, field: Field[Any], fresh: Collection[str]) -> int:
        """Return how many reads in a row have reported a value of this field that is held back."""
        return self.held[field] + (field.record_key in fresh) if field in self.held else 1

    def _is_too_far(self, now: Vehicle, before: Vehicle, position: Position | None) -> bool:
        """Return whether a new position is farther away than the odometer has risen."""
        odometer, last, last_odometer = now.vehicle_state.odometer, self.position, self.position_odometer
        if position is None or last is None or odometer is None or last_odometer is None or position == last:
            return False
        is_parked = now.drive_state.shift_state == before.drive_state.shift_state == "p"
        drift = _DRIFT if is_parked else _DRIFT_WHILE_DRIVING
        miles = _MILES_PER_DEGREE * degrees_between(position, last)
        return miles > odometer - last_odometer + drift


def _goes_on_charging(now: Vehicle, before: Vehicle) -> bool:
    return now.charge_state.charging_state == before.charge_state.charging_state == "charging"


def _wrong_charging_state(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the charging state if it has changed and the rest of the record contradicts it.

    With a cable or power, a car is plugged in. With power, it charges or is full. A closed port has no cable.
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

    Also return the gear if the car leaves park while it is plugged in, or while nobody is in it.
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
    """Return the fields that have changed more than the other field of their pair allows."""
    wrong: list[Field[Any]] = []
    for first, second, least, unit in _PAIRS:
        one, other = [_Side((field,), field.get(now), field.get(before)) for field in (first, second)]
        if one.now != one.before or other.now != other.before:
            wrong += _changed_alone(one, other, least, unit)
    return tuple(wrong)


def _wrong_fast_charger(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the kind of the charger if it changes during a charge in the same place."""
    is_fast, was_fast = now.charge_state.fast_charger_present, before.charge_state.fast_charger_present
    has_moved = now.vehicle_state.odometer != before.vehicle_state.odometer
    if None in (is_fast, was_fast) or is_fast is was_fast or has_moved or not _goes_on_charging(now, before):
        return ()
    return (ChargeState.fast_charger_present,)


def _wrong_power(now: Vehicle, before: Vehicle) -> tuple[Field[Any], ...]:
    """Return the power, or its factors, if only one of the two sides changes during a charge."""
    charge, last = now.charge_state, before.charge_state
    # A fast charger bypasses the car's own charger, which shows voltage and current.
    if charge.fast_charger_present or last.fast_charger_present or not _goes_on_charging(now, before):
        return ()
    power = _Side((ChargeState.charger_power,), charge.charger_power, last.charger_power)
    product = _Side(_POWER_FACTORS, _product(now), _product(before))
    # Some cars report a wrong number of phases, so the ratio of the two is that of their highest values.
    unit = power.highest / product.highest if product.highest else 0.0
    return _changed_alone(power, product, _POWER_CHANGE, unit)


def _product(vehicle: Vehicle) -> float | None:
    factors: list[Any] = [field.get(vehicle) for field in _POWER_FACTORS]
    return None if None in factors else prod(factors)


class _Side(NamedTuple):
    """One of two related values, and the fields from which it follows."""

    fields: tuple[Field[Any], ...]
    now: float | None
    before: float | None

    @property
    def highest(self) -> float:
        return max(self.now or 0.0, self.before or 0.0)


def _changed_alone(first: _Side, second: _Side, least: float, unit: float) -> tuple[Field[Any], ...]:
    """Return the fields of the one of two related values that has changed without the other, or none.

    `least`: how much the first may change alone. `unit`: how much it changes while the second changes by 1.
    """
    (fields, now, before), (other_fields, other_now, other_before) = first, second
    if now is None or before is None or other_now is None or other_before is None:
        return ()
    larger, smaller = now - before, (other_now - other_before) * unit
    if abs(smaller) > abs(larger):
        larger, smaller, fields = smaller, larger, other_fields
    is_alone = abs(larger) > least and smaller / larger < _SMALLER_SHARE
    return fields if is_alone else ()


_RULES: Final = (_wrong_charging_state, _wrong_gear, _wrong_of_pairs, _wrong_fast_charger, _wrong_power)
