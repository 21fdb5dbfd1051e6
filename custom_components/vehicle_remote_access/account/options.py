"""Options of an account and of each vehicle. Durations are seconds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import time, tzinfo
from typing import Any, Final, Self

from homeassistant.const import CONF_ZONE
from homeassistant.util import dt as dt_util

from .. import const
from ..polling.policy import DEFAULT_READ_INTERVAL
from ..util.tariff import Tariff

# With a shorter interval, the service refuses requests. With a longer one, the start of a drive is missed.
SHORTEST_INTERVAL: Final = 30
LONGEST_INTERVAL: Final = 600
INTERVAL: Final = 300

BATTERY_FROM: Final = 80
"""The percent of the home battery from which the cars get the surplus."""
LEAST_AMPS: Final = 5
"""With less, cars need each command twice, and waste much of the power."""

LONGEST_READ_INTERVAL: Final = 300
READ_INTERVALS: Final = {"driving": DEFAULT_READ_INTERVAL, "charging": 300, "in_use": DEFAULT_READ_INTERVAL}
"""Default intervals between live reads by polling mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseOptions:
    """What the cars of all accounts share at home."""

    surplus_entity: str | None = None
    """The sensor of the power that is exported."""
    surplus_is_imported: bool = False
    """Whether that sensor shows the power that is imported, negative while power is exported."""
    battery_entity: str | None = None
    """The sensor of the level of the home battery."""
    battery_from: float = BATTERY_FROM
    limit_entities: Sequence[str] = ()
    """The sensors of the current or the power that the house takes."""
    limit: float | None = None
    """The most that they may show: amperes, or kW for sensors of power."""

    @property
    def entities(self) -> tuple[str, ...]:
        """The sensors that are used."""
        limit = self.limit_entities if self.limit is not None else ()
        return (*limit, *filter(None, (self.surplus_entity, self.surplus_entity and self.battery_entity)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOptions:
    """Options of an account."""

    interval: float = INTERVAL
    """Longest interval between requests for the list, unless a limit leaves too few."""
    requests_per_day: int = 0
    """The most requests of any kind in a day; 0: no limit."""
    live_reads_per_day: int = 0
    """The most live reads in a day; 0: no limit."""
    spending_limit: float | None = None
    """The dollars of a month after which no live read is planned; None: no limit."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """Prices that replace those of the service, by their names in `Prices`."""
    is_read_only: bool = False
    live_data: bool = True
    """Whether to listen to what the cars send by themselves, if the service passes it on."""
    house: HouseOptions = HouseOptions()

    @classmethod
    def from_entry(cls, options: Mapping[str, Any]) -> Self:
        others = {
            "is_read_only": options.get(const.CONF_READ_ONLY, False),
            "house": HouseOptions(**_of_fields(HouseOptions, options.get(const.CONF_HOUSE, {}))),
        }
        return cls(**_of_fields(cls, options) | others)


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleOptions:
    """Options of one vehicle."""

    intervals: Mapping[str, float] = field(default_factory=lambda: READ_INTERVALS)
    keep_awake_plugged_in: bool = False
    wake_for_commands: bool = True
    is_read_only: bool = False
    location_only_driving: bool = False
    """Whether to ask for the location only while the car drives. The car shows a sign when it is asked."""
    powered_lids: Sequence[str] = ()
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
    price_cheap: float | None = None
    """The fixed price in the cheap hours. `price` is then that of the other hours."""
    charge_without_break: bool = False
    """Whether the charging plan never stops a charge that it has started."""
    least_amps: float = LEAST_AMPS
    """The least current with which the car charges with surplus power, or if the house leaves little."""
    departures: Mapping[int, time | None] = field(default_factory=dict)
    """The times of weekdays that differ, by their numbers (Monday is 0); None if the car is not needed."""
    departure_calendar: str | None = None

    @classmethod
    def from_subentry(cls, data: Mapping[str, Any], account: AccountOptions) -> Self:
        """Return the options of a subentry. In a read-only account, all vehicles are read-only."""
        others = {
            "intervals": {**READ_INTERVALS, **data.get(const.CONF_INTERVALS, {})},
            "is_read_only": account.is_read_only or data.get(const.CONF_READ_ONLY, False),
            # Home Assistant checks these numbers, but leaves them as they are.
            "price_places": {
                place[CONF_ZONE]: float(place[const.CONF_PRICE])
                for place in data.get(const.CONF_PRICE_PLACES, ())
            },
            "departures": {
                const.DAYS.index(day): dt_util.parse_time(each.get(const.CONF_TIME) or "")
                for each in data.get(const.CONF_DEPARTURES, ())
                for day in each[const.CONF_DAYS]
            },
            "cheap_hours": _times(data.get(const.CONF_CHEAP_FROM), data.get(const.CONF_CHEAP_UNTIL)),
        }
        return cls(**_of_fields(cls, data) | others)

    def tariff(self, zone: tzinfo | None) -> Tariff | None:
        """Return the fixed tariff with cheap hours, None unless both of its prices are known."""
        if self.cheap_hours is None or self.price is None or self.price_cheap is None:
            return None
        return Tariff(*self.cheap_hours, zone, self.price, self.price_cheap)


def _of_fields(options: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are stored by the names of their fields."""
    names = {field.name for field in fields(options)}
    return {name: value for name, value in data.items() if name in names}


def _times(start: Any, end: Any) -> tuple[time, time] | None:
    first, last = (dt_util.parse_time(text) if isinstance(text, str) else None for text in (start, end))
    return None if first is None or last is None else (first, last)
