"""Doors, lids, roof, locks and who may do what with them (vehicle_state)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, override

from ..persistence import Json, Kept
from .timeline import Timeline

OPENINGS: Final = ("df", "dr", "pf", "pr", "ft", "rt")
"""Driver and passenger, front and rear; front and rear trunk."""
LIDS: Final = ("ft", "rt")
FORGOTTEN: Final = ""
"""A PIN that was set, and is not known any more."""
ROOF_SECONDS: Final = 5
ROOF_VENT: Final = 15
REMOTE_START_SECONDS: Final = 120
SPEED_LIMIT_MINIMUM: Final = 50.0
SPEED_LIMIT_MAXIMUM: Final = 90.0
UPDATE_CHAIN: Final = (("available", 300), ("downloading", 600), ("scheduled", 1800), ("installing", 1500))
"""What an update goes through, and for how many seconds."""


def _lid_event(name: str) -> str:
    return f"{name} reported"


@dataclass(slots=True)
class _Guarded(Kept):
    """Something with a PIN. Only that there is one is written down: it may be a person's own."""

    pin: str | None = None

    def opens_with(self, pin: str) -> bool:
        """Return whether that is the PIN; after a new start, the first that is given is taken for it."""
        return self.pin in {pin, FORGOTTEN}

    @override
    def as_json(self) -> Json:
        return {**Kept.as_json(self), "has_pin": self.pin is not None}

    @override
    def take_up(self, kept: Any) -> None:
        Kept.take_up(self, kept)
        self.pin = FORGOTTEN if kept["has_pin"] else None


@dataclass(slots=True)
class ValetMode(_Guarded):
    """Valet mode, and the PIN that stays for the next time."""

    KEPT: ClassVar = ("on",)

    on: bool = False


@dataclass(slots=True)
class SpeedLimit(_Guarded):
    """speed_limit_mode: a limit in miles an hour, and the PIN that lifts it."""

    KEPT: ClassVar = ("active", "limit")

    active: bool = False
    limit: float = 85.0


@dataclass(slots=True)
class Roof(Kept):
    """A sun roof on its way to where it was sent."""

    KEPT: ClassVar = ("percent",)

    timeline: Timeline
    installed: bool
    percent: int = 0

    def __post_init__(self) -> None:
        """Arrive when it is time."""
        self.timeline.on("roof stops", self._arrive)

    @property
    def moving(self) -> bool:
        """Whether it is still on its way."""
        return self.timeline.is_due("roof stops")

    @property
    def state(self) -> str:
        """The value of sun_roof_state."""
        if not self.installed:
            return "unknown"
        if self.moving:
            return "moving"
        if not self.percent:
            return "closed"
        return "vent" if self.percent <= ROOF_VENT else "open"

    def move(self, percent: int) -> None:
        """Go to a position; the car reports it once the roof is there."""
        self.timeline.after(ROOF_SECONDS, "roof stops", percent)

    def _arrive(self, percent: int) -> None:
        self.percent = percent


@dataclass(slots=True)
class SoftwareUpdate(Kept):
    """The software, and the next one on its way."""

    KEPT: ClassVar = ("version", "status", "next_version")

    timeline: Timeline
    version: str
    status: str = ""
    next_version: str = ""

    @property
    def installing(self) -> bool:
        """Whether the car is out of use for it."""
        return self.status == "installing"

    @property
    def loading(self) -> bool:
        """Whether it keeps the car awake."""
        return self.installing or self.status == "downloading"

    def offer(self, version: str) -> None:
        """Begin with the first step of a new version."""
        self.next_version = version
        self.enter(0)

    @staticmethod
    def installs_in(step: int) -> bool:
        """Return whether a step is the one in which the car is out of use."""
        return step == len(UPDATE_CHAIN) - 1

    def enter(self, step: int) -> None:
        """Take a step; the next one is due when it is done."""
        if step == len(UPDATE_CHAIN):
            self.status, self.version = "", self.next_version
            return
        self.status, seconds = UPDATE_CHAIN[step]
        self.timeline.after(seconds, "update", step + 1)


@dataclass(slots=True)
class Body(Kept):
    """What of a car opens, locks, shines and sounds, and who is inside."""

    KEPT: ClassVar = (
        "roof",
        "update",
        "locked",
        "user_present",
        "sentry",
        "openings",
        "valet",
        "speed_limit",
        "horn",
        "lights",
    )

    timeline: Timeline
    roof: Roof
    update: SoftwareUpdate
    locked: bool = True
    user_present: bool = False
    sentry: bool = False
    openings: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(OPENINGS, False))
    valet: ValetMode = field(default_factory=ValetMode)
    speed_limit: SpeedLimit = field(default_factory=SpeedLimit)
    horn: int = 0
    """How often it was honked; an observer beside the car would hear it."""
    lights: int = 0
    """How often they were flashed."""
    calendar: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Register the events that only end something."""
        for event in ("remote start ends", *map(_lid_event, LIDS)):
            self.timeline.on(event, lambda: None)

    def move(self, name: str, *, is_open: bool, delay: float = 0.0) -> None:
        """Open or close a door or lid. A lid is reported as it was for `delay` more seconds."""
        if self.openings[name] is is_open:
            return
        self.openings[name] = is_open
        if name not in LIDS or not delay:
            return
        if self.timeline.is_due(_lid_event(name)):
            # It is back where it is still reported to be.
            self.timeline.cancel(_lid_event(name))
        else:
            self.timeline.after(delay, _lid_event(name))

    def is_reported_open(self, name: str) -> bool:
        """Return whether a door or lid is open as far as the car reports it."""
        return self.openings[name] is not self.timeline.is_due(_lid_event(name))

    @property
    def remote_start(self) -> bool:
        """Whether the car may be driven away without a key."""
        return self.timeline.is_due("remote start ends")

    def reasons_to_stay_awake(self) -> Iterator[str]:
        """Yield what of this keeps the car from falling asleep, in words."""
        if self.user_present:
            yield "somebody is in the car"
        if self.sentry:
            yield "sentry mode is on"
        if any(self.openings.values()):
            yield "a door or lid is open"
        if self.roof.moving:
            yield "the sun roof moves"
        if self.remote_start:
            yield "it may be driven without a key"
        if self.update.loading:
            yield "software is being loaded"

    def allow_driving(self) -> None:
        """Let the car be driven without a key, if it is put into drive within two minutes."""
        # The state is that the end is still to come.
        self.timeline.after(REMOTE_START_SECONDS, "remote start ends")
