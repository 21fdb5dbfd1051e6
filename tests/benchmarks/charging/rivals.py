"""What a stay could have cost: at best, by the blueprint for surplus power, and by evcc's rule.

Each gets the energy that the plan has charged. What the rules for the sun leave is charged in the cheapest
minutes, so both rivals are a little better here than they can be.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

_BLUEPRINT_STEADY: Final = 10
"""Minutes."""
# evcc 0.211, core/loadpoint.go: enable after 1 minute, disable after 3, never below 6 A, and no filter.
_EVCC_LEAST: Final = 6
_EVCC_ENABLE: Final = 1
_EVCC_DISABLE: Final = 3


class Minute(NamedTuple):
    at: float
    price: float
    surplus: float
    """kW that the house would export without the car."""


class Stay(NamedTuple):
    minutes: Sequence[Minute]
    energy: float
    """kWh."""
    kilowatts: float
    """Of one ampere."""
    most: int
    """Amperes."""
    feed_in: float
    """What an exported kWh earns."""


def cost(stay: Stay, minute: Minute, power: float) -> float:
    """Return the cost of a minute with so many kW: what is not exported, and what is bought."""
    sun = min(power, max(0.0, minute.surplus))
    return (sun * stay.feed_in + (power - sun) * minute.price) / 60


def best(stay: Stay, least: int) -> float:
    """Return the least cost if everything is known."""
    return _cheapest(stay, [0.0] * len(stay.minutes), stay.energy, least)


def _cheapest(stay: Stay, drawn: Sequence[float], energy: float, least: int) -> float:
    """Return the least cost of further energy. `drawn`: kW that the car has already, for each minute."""
    lowest, highest = least * stay.kilowatts, stay.most * stay.kilowatts
    segments = []
    for minute, used in zip(stay.minutes, drawn, strict=True):
        if used:
            continue
        first = min(highest, max(lowest, minute.surplus))
        segments.append((cost(stay, minute, first) / first, first))
        if first < highest:
            segments.append((minute.price / 60, highest - first))
    total = 0.0
    for price, power in sorted(segments):
        taken = min(power / 60, energy)
        total += price * 60 * taken
        energy -= taken
        if energy <= 0:
            break
    return total


def by_rule(stay: Stay, amps_of: Callable[[float, int], int], least: int) -> float:
    """Return the cost with a rule, which gets the surplus in amperes and the present current."""
    amps, left, total, drawn = 0, stay.energy, 0.0, []
    for minute in stay.minutes:
        amps = amps_of(minute.surplus / stay.kilowatts, amps)
        power = min(amps * stay.kilowatts, left * 60)
        drawn.append(power)
        total += cost(stay, minute, power)
        left -= power / 60
    return total + (_cheapest(stay, drawn, left, least) if left > 0 else 0.0)


def blueprint(stay: Stay) -> float:
    """Return the cost with the full current while half of it has been there for ten minutes."""
    steady = 0

    def amps_of(surplus: float, amps: int) -> int:
        nonlocal steady
        wants = stay.most if surplus >= stay.most / 2 else 0
        steady = 0 if wants == amps else steady + 1
        return wants if steady >= _BLUEPRINT_STEADY else amps

    return by_rule(stay, amps_of, stay.most)


def evcc(stay: Stay) -> float:
    """Return the cost with evcc's mode `pv`."""
    waited = 0

    def amps_of(surplus: float, amps: int) -> int:
        nonlocal waited
        is_enough = surplus >= _EVCC_LEAST
        waited = 0 if is_enough is bool(amps) else waited + 1
        if waited > (_EVCC_DISABLE if amps else _EVCC_ENABLE):
            amps, waited = (0 if amps else _EVCC_LEAST), 0
        return min(stay.most, max(_EVCC_LEAST, int(surplus))) if amps else 0

    return by_rule(stay, amps_of, _EVCC_LEAST)
