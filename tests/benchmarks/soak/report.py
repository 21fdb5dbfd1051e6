"""The result of a soak, its problems, and the report."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from homeassistant.const import STATE_UNAVAILABLE, __version__ as home_assistant
from homeassistant.core import State

from ..common.markdown import table
from .process_metrics import ProcessMetrics
from .user import ActionOutcomes

LIFETIME_ENERGY: Final = "sensor charge_state.charge_energy_added.lifetime"

# Entities whose state depends on the past
_HISTORY: Final = (
    "button ",  # when it was last pressed
    LIFETIME_ENERGY,  # the energy since the car was added; compared with the car's own value
    "sensor asleep_today",  # the sleep that Home Assistant observed
    "sensor time_to_fall_asleep",  # learned each time the car falls asleep
    "sensor last_command",  # the last command from this Home Assistant
    "sensor requests_today",  # the requests from this Home Assistant
)
# The start of a session, as first observed
_HISTORY_ATTRIBUTES: Final = ("last_reset",)

# MiB. Measured: 5 after a month, 6 after two. Half a kilobyte leaked per request exceeds it.
_MEMORY_GROWTH: Final = 12.0
# Measured: 500 after a month, 900 after two. One object leaked per fault exceeds it.
_OBJECT_GROWTH: Final = 1500
_ENERGY_TOLERANCE: Final = 0.01

_INTRODUCTION: Final = f"""# A month in which every tenth request fails

Home Assistant {home_assistant} reads a simulated car over HTTP, in virtual time. The car is driven six times
a day and charged at night. A user controls it from Home Assistant at all hours, runs several actions at once
and wakes it up. A share of all requests gets one of the faults below, alone or in a row. In the second half
of the days the service also rejects the token: the user enters it again, and the account reloads.

*At the end* is after an hour without faults. The user wakes and refreshes the car, and every entity must show
the same as in a Home Assistant that was set up at that moment. Written by `scripts/bench soak`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakResult:
    """What was measured."""

    days: int
    seed: int
    requests: int
    injected: Mapping[str, int]
    """Requests by the fault that they got."""
    outcomes: ActionOutcomes
    hours_unavailable: float
    charged: float
    """kWh that the car charged."""
    counted: float
    """kWh that Home Assistant counted."""
    start: ProcessMetrics
    """After the first day."""
    middle: ProcessMetrics
    """After half of the days. The account reloads only in the second half."""
    end: ProcessMetrics
    entities: int
    tracebacks: list[str]
    differences: list[str]
    """Entities that show a wrong state at the end, as text."""


def find_differences(shown: Mapping[str, State], expected: Mapping[str, State]) -> list[str]:
    """Return how the shown states differ from those of a new Home Assistant, as text."""
    return [
        f"{name} is {_describe(shown.get(name))} and should be {_describe(expected.get(name))}"
        for name in sorted(shown.keys() | expected.keys())
        if _comparable(name, shown.get(name)) != _comparable(name, expected.get(name))
    ]


def _comparable(name: str, state: State | None) -> object:
    """Return the part of a state that doesn't depend on the past; None if the entity has no state."""
    if state is None or state.state == STATE_UNAVAILABLE:
        return None
    if name.startswith(_HISTORY):
        return ...
    attributes = {key: value for key, value in state.attributes.items() if key not in _HISTORY_ATTRIBUTES}
    return state.state, attributes


def _describe(state: State | None) -> str:
    return "missing" if state is None else f"{state.state} {dict(state.attributes)}"


def find_problems(result: SoakResult) -> list[str]:
    """Return all problems, as text."""
    start, later = result.start, (result.middle, result.end)
    memory = max(metrics.memory for metrics in later) - start.memory
    objects = max(metrics.objects for metrics in later) - start.objects
    tasks = max(metrics.tasks for metrics in later) - start.tasks
    listeners = max(metrics.listeners for metrics in later) - start.listeners
    energy_error = abs(result.counted - result.charged)
    checks = {
        f"{tasks} more tasks": tasks > 0,
        f"{listeners} more listeners": listeners > 0,
        f"{objects} more objects": objects > _OBJECT_GROWTH,
        f"{memory:.1f} MiB more memory": memory > _MEMORY_GROWTH,
        f"the counted energy is off by {energy_error:.2f} kWh": energy_error
        > _ENERGY_TOLERANCE * result.charged,
    }
    return [
        *(text for text, is_exceeded in checks.items() if is_exceeded),
        *(f"traceback: {traceback}" for traceback in result.tracebacks),
        *(f"error without a translated message: {error}" for error in result.outcomes.unexpected),
        *(f"wrong at the end: {difference}" for difference in result.differences),
    ]


def as_markdown(result: SoakResult) -> str:
    """Return the tables and the problems."""
    return "\n".join(
        [
            _INTRODUCTION,
            table(("figure", ""), _figures(result)),
            "## Faults\n",
            table(
                ("fault", "times"), ((name, f"{times}") for name, times in sorted(result.injected.items()))
            ),
            "## Problems\n",
            *(f"**Problem**: {problem}\n" for problem in find_problems(result) or ["none"]),
        ]
    )


def _figures(result: SoakResult) -> Iterable[tuple[str, str]]:
    outcomes = result.outcomes
    by_key = ", ".join(f"{key} {times}" for key, times in sorted(outcomes.failed.items()))
    yield "days, seed", f"{result.days}, {result.seed}"
    yield "requests", f"{result.requests}"
    yield "of those, with a fault", f"{sum(result.injected.values())}"
    yield "tracebacks", f"{len(result.tracebacks)}"
    yield "hours in which the car was unavailable", f"{result.hours_unavailable:.1f}"
    yield "reauthentications", f"{outcomes.reauthentications}"
    yield "actions by the user", f"{outcomes.actions}"
    yield "of those, while the car was asleep or offline", f"{outcomes.not_online}"
    yield "of those, not sent because the entity was unavailable", f"{outcomes.unavailable}"
    yield "accepted", f"{outcomes.accepted}"
    yield "failed with a translated message", f"{sum(outcomes.failed.values())}: {by_key}"
    yield "failed otherwise", f"{len(outcomes.unexpected)}"
    yield "charged and counted, kWh", f"{result.charged:.2f}, {result.counted:.2f}"
    metrics = (result.start, result.middle, result.end)
    yield "tasks after one day, half of the days, all days", ", ".join(f"{at.tasks}" for at in metrics)
    yield "listeners", ", ".join(f"{at.listeners}" for at in metrics)
    yield "objects", ", ".join(f"{at.objects}" for at in metrics)
    yield "memory, MiB", ", ".join(f"{at.memory:.0f}" for at in metrics)
    yield "entities", f"{result.entities}"
    yield "of those, wrong at the end", f"{len(result.differences)}"
