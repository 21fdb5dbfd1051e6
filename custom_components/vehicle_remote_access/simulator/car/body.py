"""Doors, lids, sunroof, locks, PINs and software (vehicle_state)."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, override

from ..persistence import Json, Persistent
from .timeline import Timeline

OPENINGS: Final = ("df", "dr", "pf", "pr", "ft", "rt")
"""Doors: driver and passenger, front and rear. Lids: front and rear trunk."""
LIDS: Final = ("ft", "rt")
UNKNOWN_PIN: Final = ""  # a PIN that was set before a restart
ROOF_SECONDS: Final = 5
ROOF_VENT: Final = 15
REMOTE_START_SECONDS: Final = 120
SPEED_LIMIT_MINIMUM: Final = 50.0
SPEED_LIMIT_MAXIMUM: Final = 90.0
UPDATE_STEPS: Final = (("available", 300), ("downloading", 600), ("scheduled", 1800), ("installing", 1500))
"""The statuses of a software update, and for how many seconds each lasts."""
INSTALLATION: Final = len(UPDATE_STEPS) - 1


def _lid_event(name: str) -> str:
    return f"{name} reported"


@dataclass
class _PinProtected(Persistent):
    """A setting with a PIN. The PIN itself is not stored, because people reuse PINs."""

    NOT_STORED: ClassVar = frozenset({"pin"})

    pin: str | None = None

    def accepts(self, pin: str) -> bool:
        """Return whether this is the PIN. After a restart the PIN is unknown, and any PIN is accepted."""
        return self.pin in {pin, UNKNOWN_PIN}

    @override
    def as_json(self) -> Json:
        return {**super().as_json(), "has_pin": self.pin is not None}

    @override
    def restore(self, stored: Any) -> None:
        super().restore(stored)
        self.pin = UNKNOWN_PIN if stored["has_pin"] else None


@dataclass
class ValetMode(_PinProtected):
    """Valet mode. Turning it off keeps the PIN."""

    on: bool = False


@dataclass
class SpeedLimit(_PinProtected):
    """speed_limit_mode: a limit in miles per hour, and the PIN that lifts it."""

    active: bool = False
    limit: float = 85.0


@dataclass
class Roof(Persistent):
    """The sunroof. It moves for some seconds before it reports its new position."""

    NOT_STORED: ClassVar = frozenset({"installed"})

    _timeline: Timeline
    installed: bool
    percent: int = 0

    def __post_init__(self) -> None:
        self._timeline.on("roof stops", self._stop)

    @property
    def moving(self) -> bool:
        return self._timeline.is_due("roof stops")

    @property
    def state(self) -> str:
        if not self.installed:
            return "unknown"
        if self.moving:
            return "moving"
        if not self.percent:
            return "closed"
        return "vent" if self.percent <= ROOF_VENT else "open"

    def move(self, percent: int) -> None:
        self._timeline.after(ROOF_SECONDS, "roof stops", percent)

    def stop(self) -> None:
        """End a movement. The roof stays at the position where the movement began."""
        self._timeline.cancel("roof stops")

    def _stop(self, percent: int) -> None:
        self.percent = percent


@dataclass
class SoftwareUpdate(Persistent):
    """The installed software, and the progress of an update."""

    _timeline: Timeline
    version: str
    status: str = ""
    next_version: str = ""

    @property
    def installing(self) -> bool:
        """Whether the update is being installed, during which the car is offline."""
        return self.status == "installing"

    def offer(self, version: str) -> None:
        self.next_version = version
        self.enter(0)

    def enter(self, step: int) -> None:
        """Start a step, and schedule the next one. After the last step the version changes."""
        if step == len(UPDATE_STEPS):
            self.status, self.version = "", self.next_version
            return
        self.status, seconds = UPDATE_STEPS[step]
        self._timeline.after(seconds, "update", step + 1)


@dataclass
class Body(Persistent):
    """The parts of a car that open, lock, light up and sound, and whether a person is inside."""

    NOT_STORED: ClassVar = frozenset({"calendar"})

    _timeline: Timeline
    roof: Roof
    update: SoftwareUpdate
    locked: bool = True
    user_present: bool = False
    sentry: bool = False
    openings: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(OPENINGS, False))
    valet: ValetMode = field(default_factory=ValetMode)
    speed_limit: SpeedLimit = field(default_factory=SpeedLimit)
    horn: int = 0  # how often it sounded
    lights: int = 0  # how often they flashed
    calendar: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for event in ("remote start ends", *map(_lid_event, LIDS)):
            self._timeline.on(event, lambda: None)

    def move(self, name: str, *, is_open: bool, delay: float = 0.0) -> None:
        if self.openings[name] is is_open:
            return
        self.openings[name] = is_open
        if name not in LIDS or not delay:
            return
        if self._timeline.is_due(_lid_event(name)):
            # The lid is back in the position that the car still reports.
            self._timeline.cancel(_lid_event(name))
        else:
            self._timeline.after(delay, _lid_event(name))

    def is_reported_open(self, name: str) -> bool:
        return self.openings[name] is not self._timeline.is_due(_lid_event(name))

    @property
    def remote_start(self) -> bool:
        return self._timeline.is_due("remote start ends")

    def start_remotely(self) -> None:
        # While the end is due, remote start is active.
        self._timeline.after(REMOTE_START_SECONDS, "remote start ends")
