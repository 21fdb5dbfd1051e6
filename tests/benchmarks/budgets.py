"""What is tried, and what is promised of it: two tables."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from .driver import Found
from .figures import Figures
from .scene import Scene

_UNREAD: Final[tuple[Found, ...]] = ("asleep", "offline")
_CARS: Final = (10, 11, 15, 20, 25, 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Some days with several cars; each needs another time of peace to fall asleep."""

    name: str
    says: str
    timetable: str
    days: int
    cars: tuple[int, ...] = _CARS
    """Minutes that each of them needs."""
    is_listed: bool = True
    checks_itself: bool = False

    def scene(self, peace: int, days: int | None = None) -> Scene:
        """Return it with one of the cars."""
        return Scene(
            timetable=self.timetable,
            days=days or self.days,
            peace=peace,
            is_listed=self.is_listed,
            checks_itself=self.checks_itself,
        )


TRIALS: Final = (
    Trial(
        name="plain",
        says="A drive of 30 minutes to work, one back, an hour of charging after it, and 22 hours of peace.",
        timetable="plain",
        days=3,
    ),
    Trial(
        name="errands",
        says="Six drives of 100 minutes together, three of them after stops of 5, 12 and 20 minutes, "
        "and an hour of charging that begins while the car sleeps.",
        timetable="errands",
        days=3,
    ),
    Trial(
        name="surprises",
        says="A plain day, then one on which the car is parked where it has never been and driven on after "
        "8, 12, 16, 20, 25, 30 and 34 minutes, each time after two and a half hours of peace.",
        timetable="surprises",
        days=2,
    ),
    Trial(
        name="no_cheap_request",
        says="The plain days, with a service that does not tell which cars are awake: only the car does.",
        timetable="plain",
        days=2,
        is_listed=False,
    ),
    Trial(
        name="self_checks",
        says="The plain days, with a car that wakes by itself every hour, for two and a half minutes.",
        timetable="plain",
        days=2,
        cars=(10, 15, 30),
        checks_itself=True,
    ),
    Trial(
        name="self_checks_errands",
        says="The days with errands, with such a car.",
        timetable="errands",
        days=2,
        cars=(10, 15, 30),
        checks_itself=True,
    ),
    Trial(
        name="garage",
        says="The plain days, but at night the car is out of coverage, until two minutes after it drove off.",
        timetable="garage",
        days=2,
        cars=(15,),
    ),
)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a figure must be."""

    trials: str
    words: str
    measure: Callable[[Figures], float | None]
    """The figure, or None where there is none."""
    least: float | None = None
    most: float | None = None

    def holds(self, figure: float) -> bool:
        """Whether that is good enough."""
        return (self.least is None or figure >= self.least) and (self.most is None or figure <= self.most)

    def worst(self, figures: Iterable[float]) -> float:
        """Return the figure that is nearest to being too bad, or furthest beyond."""
        return max(figures) if self.least is None else min(figures)

    @property
    def bound(self) -> str:
        """The limit in words."""
        return f"at most {self.most:g}" if self.least is None else f"at least {self.least:g}"


# Cars whose wakefulness always means something
_OTHERS: Final = "plain errands surprises no_cheap_request garage"
_SELF_CHECKS: Final = "self_checks self_checks_errands"

BUDGETS: Final = (
    Budget("plain", "sleep on the first day, %", lambda car: car.days[0].share, least=95),
    Budget("plain", "sleep from the second day, %", lambda car: car.least_share(from_day=1), least=98),
    Budget("plain", "requests a day", lambda car: car.most_requests, most=1500),
    Budget("plain", "live reads missing to one a minute", lambda car: car.missing_reads, most=0),
    Budget("plain", "seconds between two live reads", lambda car: car.longest_gap, most=61),
    Budget("errands", "sleep, %", Figures.least_share, least=90),
    Budget("errands", "driving of a day that is not shown, %", lambda car: car.most_unseen, most=15),
    Budget("self_checks", "sleep from the second day, %", lambda car: car.least_share(from_day=1), least=95),
    Budget("no_cheap_request", "sleep, %", Figures.least_share, least=90),
    Budget(
        _OTHERS,
        "median seconds until shown, from asleep or offline",
        lambda car: car.usual_delay(*_UNREAD),
        most=60,
    ),
    Budget(
        _OTHERS,
        "most seconds until shown, from asleep or offline",
        lambda car: car.worst_delay(*_UNREAD),
        most=90,
    ),
    Budget(
        _SELF_CHECKS,
        "most seconds until shown, from asleep or offline",
        lambda car: car.worst_delay(*_UNREAD),
        most=300,
    ),
)
