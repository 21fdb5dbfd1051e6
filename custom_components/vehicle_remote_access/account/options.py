"""Options of an account and of each vehicle. Durations are seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from typing import Any, Final, Self

from homeassistant.const import CONF_ZONE
from homeassistant.util import dt as dt_util

from ..api.value_types import NUMBER
from ..const import (
    CONF_CHARGE_WITHOUT_BREAK,
    CONF_CHEAP_FROM,
    CONF_CHEAP_UNTIL,
    CONF_ENERGY_ENTITY,
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_KEEP_AWAKE_PLUGGED_IN,
    CONF_KEEP_POSITIONS,
    CONF_LIVE_READS_PER_DAY,
    CONF_LOCATION_ONLY_DRIVING,
    CONF_POWERED_LIDS,
    CONF_PRICE,
    CONF_PRICE_AWAY,
    CONF_PRICE_ENTITY,
    CONF_PRICE_PLACES,
    CONF_READ_ONLY,
    CONF_REQUESTS_PER_DAY,
    CONF_WAKE_FOR_COMMANDS,
)
from ..polling.policy import DEFAULT_READ_INTERVAL, SHORTEST_READ_INTERVAL

# With a shorter interval, the service refuses requests. With a longer one, the start of a drive is missed.
SHORTEST_INTERVAL: Final = 30
LONGEST_INTERVAL: Final = 600
INTERVAL: Final = 300

READ_INTERVALS: Final[Mapping[str, int]] = dict.fromkeys(
    ("driving", "charging", "in_use"), DEFAULT_READ_INTERVAL
)
"""Default intervals between live reads by polling mode."""
LONGEST_READ_INTERVAL: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOptions:
    """Options of an account."""

    interval: float = INTERVAL
    """Longest interval between requests for the list of vehicles by day."""
    requests_per_day: int = 0
    """The most requests of any kind in a day; 0: no limit."""
    live_reads_per_day: int = 0
    """The most live reads in a day; 0: no limit."""
    is_read_only: bool = False

    @classmethod
    def from_entry(cls, options: Mapping[str, Any]) -> Self:
        return cls(
            interval=_clamp(options.get(CONF_INTERVAL), SHORTEST_INTERVAL, LONGEST_INTERVAL, INTERVAL),
            requests_per_day=max(int(options.get(CONF_REQUESTS_PER_DAY) or 0), 0),
            live_reads_per_day=max(int(options.get(CONF_LIVE_READS_PER_DAY) or 0), 0),
            is_read_only=bool(options.get(CONF_READ_ONLY)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleOptions:
    """Options of one vehicle."""

    intervals: Mapping[str, float] = field(default_factory=lambda: READ_INTERVALS)
    keep_awake_plugged_in: bool = False
    wake_for_commands: bool = True
    is_read_only: bool = False
    location_only_driving: bool = False
    """Whether to ask for the location only while the car drives. The car shows a sign when it is asked."""
    powered_lids: tuple[str, ...] = ()
    """The lids that have a motor, even if the vehicle does not report one."""
    price_entity: str | None = None
    """The sensor of the price of one kWh at home."""
    price: float | None = None
    """The fixed price of one kWh at home."""
    price_away: float | None = None
    price_places: Mapping[str, float] = field(default_factory=dict)
    """The prices of one kWh in zones by entity id, instead of `price_away`."""
    energy_entity: str | None = None
    """The sensor of the energy that the home charger draws."""
    keep_positions: bool = False
    cheap_hours: tuple[time, time] | None = None
    """When a fixed tariff is cheap, as local times."""
    charge_without_break: bool = False
    """Whether the charging plan never stops a charge that it has started."""

    @classmethod
    def from_subentry(cls, data: Mapping[str, Any], account: AccountOptions) -> Self:
        """Return the options of a subentry. In a read-only account, all vehicles are read-only."""
        intervals = data.get(CONF_INTERVALS) or {}
        return cls(
            intervals={
                mode: _clamp(intervals.get(mode), SHORTEST_READ_INTERVAL, LONGEST_READ_INTERVAL, default)
                for mode, default in READ_INTERVALS.items()
            },
            keep_awake_plugged_in=bool(data.get(CONF_KEEP_AWAKE_PLUGGED_IN)),
            wake_for_commands=data.get(CONF_WAKE_FOR_COMMANDS) is not False,
            is_read_only=account.is_read_only or bool(data.get(CONF_READ_ONLY)),
            location_only_driving=bool(data.get(CONF_LOCATION_ONLY_DRIVING)),
            powered_lids=tuple(data.get(CONF_POWERED_LIDS) or ()),
            price_entity=data.get(CONF_PRICE_ENTITY),
            price=NUMBER.read(data.get(CONF_PRICE)),
            price_away=NUMBER.read(data.get(CONF_PRICE_AWAY)),
            price_places={
                place[CONF_ZONE]: price
                for place in data.get(CONF_PRICE_PLACES) or ()
                if (price := NUMBER.read(place[CONF_PRICE])) is not None
            },
            energy_entity=data.get(CONF_ENERGY_ENTITY),
            keep_positions=bool(data.get(CONF_KEEP_POSITIONS)),
            cheap_hours=_times(data.get(CONF_CHEAP_FROM), data.get(CONF_CHEAP_UNTIL)),
            charge_without_break=bool(data.get(CONF_CHARGE_WITHOUT_BREAK)),
        )


def _times(start: Any, end: Any) -> tuple[time, time] | None:
    times = [dt_util.parse_time(each) if isinstance(each, str) else None for each in (start, end)]
    return None if times[0] is None or times[1] is None else (times[0], times[1])


def _clamp(seconds: float | None, shortest: float, longest: float, default: float) -> float:
    return default if seconds is None else min(max(seconds, shortest), longest)
