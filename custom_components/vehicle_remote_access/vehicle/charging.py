"""The end and the power of a charge, calculated from the values that the car reports."""

from datetime import datetime, timedelta
from typing import Final

from ..api.records import ChargeState

# The car reports the remaining time in quarters of an hour, rounded up.
_STEP: Final = timedelta(hours=0.25)
# W. No car has a stronger charger of its own.
_STRONGEST_CHARGER: Final = 25_000.0
# Voltage and current can be older than the power. A product that differs by more than both limits is wrong.
_TOLERATED_WATTS: Final = 2000.0
_TOLERATED_SHARE: Final = 0.75


def charge_finish(charge: ChargeState, expected: datetime | None) -> datetime | None:
    """Return when charging ends, or None. The `expected` time stays while it fits the car's rounded one."""
    if charge.charging_state != "charging" or not charge.time_to_full_charge or charge.timestamp is None:
        return None
    latest = charge.timestamp + timedelta(hours=charge.time_to_full_charge)
    return expected if expected is not None and latest - _STEP <= expected <= latest else latest


def charging_power(charge: ChargeState) -> float | None:
    """Return the charging power in W. The car itself reports only whole kW."""
    if charge.fast_charger_present:  # bypasses the car's own charger, which shows voltage and current
        return None if charge.charger_power is None else charge.charger_power * 1000
    if charge.charger_actual_current == 0 and not charge.charger_power:
        return 0
    if charge.charger_voltage is None or charge.charger_actual_current is None:
        return None
    one_phase = charge.charger_voltage * charge.charger_actual_current
    if charge.charger_power is None:
        return None if charge.charger_phases is None else one_phase * charge.charger_phases
    return _fitting_power(charge.charger_power * 1000, one_phase, charge.charger_phases or 0)


def _fitting_power(reported: float, one_phase: float, phases: int) -> float:
    """Return the power in W that fits the reported one. Some cars report a wrong number of phases."""
    # The car rounds down to whole kW.
    expected = reported + 500
    if abs(one_phase * phases - expected) <= 500:  # noqa: PLR2004 - half a kW
        return one_phase * phases
    nearest = min((one_phase * number for number in (1, 2, 3)), key=lambda watts: abs(watts - expected))
    tolerated = max(_TOLERATED_WATTS, _TOLERATED_SHARE * expected)
    is_wrong = not nearest or abs(nearest - expected) > tolerated
    return reported if is_wrong and expected < _STRONGEST_CHARGER else nearest
