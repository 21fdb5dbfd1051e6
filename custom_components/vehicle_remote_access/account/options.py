"""What the owner has set of an account and of each vehicle. Times are seconds, within harmless bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from ..const import (
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_KEEP_AWAKE_PLUGGED_IN,
    CONF_POWERED_LIDS,
    CONF_READ_ONLY,
    CONF_WAKE_FOR_COMMANDS,
)

# Asked more often the service says no; asked less often, a drive begins unseen.
SHORTEST_INTERVAL: Final = 30
LONGEST_INTERVAL: Final = 600
INTERVAL: Final = 60

READ_INTERVALS: Final[Mapping[str, int]] = {"driving": 60, "charging": 60, "in_use": 60}
"""How often a car is read that does this anyway; the names are modes of `polling`."""
SHORTEST_READ_INTERVAL: Final = 10
LONGEST_READ_INTERVAL: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSettings:
    """What holds for a whole account."""

    interval: float = INTERVAL
    """Between two questions to the service which cars are awake."""
    is_read_only: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return what stands in the entry's options."""
        return cls(
            interval=_within(options.get(CONF_INTERVAL), SHORTEST_INTERVAL, LONGEST_INTERVAL, INTERVAL),
            is_read_only=bool(options.get(CONF_READ_ONLY)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleSettings:
    """What holds for one vehicle."""

    intervals: Mapping[str, float] = field(default_factory=lambda: READ_INTERVALS)
    is_kept_awake_plugged_in: bool = False
    is_woken_for_commands: bool = True
    is_read_only: bool = False
    powered_lids: tuple[str, ...] = ()
    """The lids that have a motor, whatever the car says of them."""

    @classmethod
    def of(cls, data: Mapping[str, Any], account: AccountSettings) -> Self:
        """Return what stands in the subentry's data. An account that is read-only has no car that is not."""
        intervals = data.get(CONF_INTERVALS) or {}
        return cls(
            intervals={
                mode: _within(intervals.get(mode), SHORTEST_READ_INTERVAL, LONGEST_READ_INTERVAL, usual)
                for mode, usual in READ_INTERVALS.items()
            },
            is_kept_awake_plugged_in=bool(data.get(CONF_KEEP_AWAKE_PLUGGED_IN)),
            is_woken_for_commands=data.get(CONF_WAKE_FOR_COMMANDS) is not False,
            is_read_only=account.is_read_only or bool(data.get(CONF_READ_ONLY)),
            powered_lids=tuple(data.get(CONF_POWERED_LIDS) or ()),
        )


def _within(seconds: float | None, shortest: float, longest: float, usual: float) -> float:
    return usual if seconds is None else min(max(seconds, shortest), longest)
