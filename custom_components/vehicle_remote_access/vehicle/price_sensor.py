"""The price sensor of one vehicle: what it lists of the next hours."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from time import monotonic
from typing import Final, NamedTuple

from homeassistant.const import ATTR_UNIT_OF_MEASUREMENT, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant, State

from ..api.value_types import NUMBER
from ..charging_plan.price_list import read_prices
from ..charging_plan.slots import Slot
from ..drive_log.prices import is_price_unit, per_kwh
from ..util.local_time import DAY

# Seconds after a start in which a sensor that is not available may still become so
_AVAILABLE_WITHIN: Final = 300.0
_NOT_AVAILABLE: Final = (STATE_UNAVAILABLE, STATE_UNKNOWN)


class PriceReading(NamedTuple):
    """What a price sensor shows: the price of one kWh and those of other hours, or something else instead."""

    price: float | None
    listed: Sequence[Slot]
    instead: str | None


def read_price(state: State, zone: tzinfo) -> PriceReading:
    unit, number = state.attributes.get(ATTR_UNIT_OF_MEASUREMENT), NUMBER.read(state.state)
    listed = read_prices(state.attributes, unit, number, state.last_updated_timestamp, zone)
    # The charging plan also uses the list of a sensor that shows a text.
    is_text = number is None and not listed and state.state not in _NOT_AVAILABLE
    instead = f"{state.state} {unit or ''}".rstrip() if is_text or not is_price_unit(unit) else None
    return PriceReading(per_kwh(number, unit), listed, instead)


class PriceSensor:
    """Reads the price sensor of a vehicle."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._entity_id: str | None = None
        self._read: State | None = None
        """The state whose prices are known."""
        self._prices: Sequence[Slot] = ()
        self._awaited_until = monotonic() + _AVAILABLE_WITHIN

    def select(self, entity_id: str | None) -> None:
        """Read this sensor from now on, or none."""
        if entity_id != self._entity_id:
            self._entity_id, self._read, self._prices = entity_id, None, ()

    @property
    def awaited_for(self) -> float:
        """Seconds for which the sensor is waited for, because it is not available yet."""
        state = self._state
        is_available = state is not None and state.state not in _NOT_AVAILABLE
        is_awaited = self._entity_id is not None and not self._prices and not is_available
        return max(0.0, self._awaited_until - monotonic()) if is_awaited else 0.0

    @property
    def _state(self) -> State | None:
        return None if self._entity_id is None else self._hass.states.get(self._entity_id)

    def prices(self, now: datetime) -> Sequence[Slot]:
        """Return the listed prices. Without a list, the last one counts until a day after its end."""
        state = self._state
        if state is not None and state is not self._read:
            listed = read_price(state, now.tzinfo or UTC).listed
            self._read, self._prices = state, listed or self._prices
        if self._prices and self._prices[-1].end < now.timestamp() - DAY:
            self._prices = ()
        return self._prices
