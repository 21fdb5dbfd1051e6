"""What a soak comes to: its figures, what of them is wrong, and both as a person reads them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from homeassistant.const import STATE_UNAVAILABLE, __version__ as home_assistant
from homeassistant.core import State

from .person import Outcomes
from .vitals import Vitals

LIFETIME_ENERGY: Final = "sensor charge_state.charge_energy_added.lifetime"

# What by its nature is another where nothing was seen of the past.
_HISTORY: Final = (
    "button ",  # when it was last pressed
    LIFETIME_ENERGY,  # what was charged since the car is known; it has to be what was truly charged
    "sensor asleep_today",  # for how long it was seen to sleep
    "sensor time_to_fall_asleep",  # learned each time when it fell asleep
    "sensor last_command",  # what was sent from there
    "sensor requests_today",  # how much was asked from there
)
# When a session was first seen to have begun
_HISTORY_BESIDES: Final = ("last_reset",)

# Measured: 5 MiB more after a month, 6 after two. Half a kilobyte that each request leaves behind is found.
_MORE_MEMORY: Final = 12.0
# Measured: 500 after a month, 900 after two. One thing that each mishap leaves behind is found.
_MORE_OBJECTS: Final = 1500
_ENERGY_OFF: Final = 0.01

_BEGINNING: Final = f"""# A month in which every tenth request goes wrong

A whole Home Assistant {home_assistant} reads a simulated car over HTTP, in virtual time. The car is driven
six times a day and charged at night; a person uses it from Home Assistant at all hours, does several things
at once and wakes it. A share of all requests gets one of the faults below, alone or in a row; in the second
half of the days the token is refused too, and the person gives it again, after which the account begins anew.

*In the end* is after an hour in which nothing goes wrong. Then the person wakes and refreshes the car, and
every entity has to show what it shows in a Home Assistant that was set up at this moment. Written by
`scripts/bench soak`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """What came of days in which much went wrong, and what was left of that."""

    days: int
    seed: int
    requests: int
    injected: Mapping[str, int]
    """How many requests got which kind of fault."""
    outcomes: Outcomes
    """What came of what a person wanted."""
    hours_unavailable: float
    """For how long nothing of the car was shown."""
    charged: float
    """kWh that the car took."""
    counted: float
    """kWh that Home Assistant made of it."""
    start: Vitals
    """After the first day."""
    middle: Vitals
    """After half of them, in which the account never began anew; in the other half it did."""
    end: Vitals
    entities: int
    tracebacks: list[str]
    differences: list[str]
    """What was shown otherwise than it is, in words."""


def differences(shown: Mapping[str, State], fresh: Mapping[str, State]) -> list[str]:
    """Return what is shown otherwise than by a Home Assistant that knows nothing of the past, in words."""
    return [
        f"{name} is {_words(shown.get(name))} and should be {_words(fresh.get(name))}"
        for name in sorted(shown.keys() | fresh.keys())
        if _present(name, shown.get(name)) != _present(name, fresh.get(name))
    ]


def _present(name: str, state: State | None) -> object:
    """Return what of a state has to be the same whatever was before; None if there is none."""
    if state is None or state.state == STATE_UNAVAILABLE:
        return None
    if name.startswith(_HISTORY):
        return ...
    return state.state, {key: value for key, value in state.attributes.items() if key not in _HISTORY_BESIDES}


def _words(state: State | None) -> str:
    return "not there" if state is None else f"{state.state} {dict(state.attributes)}"


def problems(found: Aftermath) -> list[str]:
    """Return what is not as it should be, in words."""
    start, later = found.start, (found.middle, found.end)
    more_memory = max(each.memory for each in later) - start.memory
    more_objects = max(each.objects for each in later) - start.objects
    more_tasks = max(each.tasks for each in later) - start.tasks
    more_listeners = max(each.listeners for each in later) - start.listeners
    off = abs(found.counted - found.charged)
    verdicts = {
        f"{more_tasks} more tasks": more_tasks > 0,
        f"{more_listeners} more listeners": more_listeners > 0,
        f"{more_objects} more objects": more_objects > _MORE_OBJECTS,
        f"{more_memory:.1f} MiB more": more_memory > _MORE_MEMORY,
        f"{off:.2f} kWh are counted wrongly": off > _ENERGY_OFF * found.charged,
    }
    return [
        *(words for words, is_so in verdicts.items() if is_so),
        *(f"a traceback: {each}" for each in found.tracebacks),
        *(f"not in words for a person: {each}" for each in found.outcomes.raised),
        *(f"wrong in the end: {each}" for each in found.differences),
    ]


def written(found: Aftermath) -> str:
    """Return it as tables, and what is wrong."""
    wrong = problems(found)
    return "\n".join(
        [
            _BEGINNING,
            _table(("figure", ""), _figures(found)),
            "## What went wrong with requests\n",
            _table(
                ("fault", "times"), ((kind, f"{times}") for kind, times in sorted(found.injected.items()))
            ),
            "## What came of it\n",
            *(f"**Wrong**: {each}\n" for each in wrong or ["nothing"]),
        ]
    )


def _figures(found: Aftermath) -> Iterable[tuple[str, str]]:
    did = found.outcomes
    by_key = ", ".join(f"{key} {times}" for key, times in sorted(did.failed.items()))
    yield "days, seed", f"{found.days}, {found.seed}"
    yield "requests", f"{found.requests}"
    yield "of those, gone wrong", f"{sum(found.injected.values())}"
    yield "tracebacks", f"{len(found.tracebacks)}"
    yield "hours in which the car was unavailable", f"{found.hours_unavailable:.1f}"
    yield "tokens asked for, and given", f"{did.mended}"
    yield "commands and refreshes", f"{did.asked}"
    yield "of those, while the car slept", f"{did.asked_asleep}"
    yield "of those, while it was unavailable, so that Home Assistant sent none", f"{did.unavailable}"
    yield "accepted", f"{did.accepted}"
    yield "failed in words for a person", f"{sum(did.failed.values())}: {by_key}"
    yield "failed otherwise", f"{len(did.raised)}"
    yield "charged and counted, kWh", f"{found.charged:.2f}, {found.counted:.2f}"
    held = (found.start, found.middle, found.end)
    yield "tasks after the first day, half of them, all", ", ".join(f"{each.tasks}" for each in held)
    yield "listeners", ", ".join(f"{each.listeners}" for each in held)
    yield "objects", ", ".join(f"{each.objects}" for each in held)
    yield "memory, MiB", ", ".join(f"{each.memory:.0f}" for each in held)
    yield "entities", f"{found.entities}"
    yield "of those, wrong in the end", f"{len(found.differences)}"


def _table(titles: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [titles, ("---", "---"), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
