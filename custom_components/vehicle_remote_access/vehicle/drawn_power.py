"""What a car that charges at home takes from the house: its current, its power, and the energy so far."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..api.commands import SET_CHARGING_AMPS
from ..api.records import CHARGING_STATES
from ..api.value_types import NUMBER
from ..drive_log.estimates import ChargingSpeed, charging_speed
from ..drive_log.manager import log_zones
from .charging import charging_power
from .known import KnownVehicle

# After a change, the current needs some seconds to follow. A read during them is not believed.
_FOLLOWS_WITHIN: Final = 30.0
_LEAST_AMPS: Final = 2.0
# One phase of 100 V, and three of 230 V
_LEAST_WATTS: Final = 90.0
_MOST_WATTS: Final = 690.0
# A longer gap between two updates was a restart, or the car was out of reach.
_LONGEST_GAP: Final = 900.0


class DrawnPower:
    """The current of one car, watts of each ampere, and what the car got since it was plugged in."""

    def __init__(self, hass: HomeAssistant, known: KnownVehicle) -> None:
        self.changed_at = 0.0
        """When its current changed, by a command or because a charge began or ended, in Unix seconds."""
        self.energy = self.from_surplus = 0.0
        """kWh since the car was plugged in."""
        self._hass = hass
        self._known = known
        self._changed_at = 0.0
        """The same by the monotonic clock."""
        self._seen_watts: float | None = None
        """Watts of an ampere (volts times phases), as the car showed them last."""
        self._was_charging: bool | None = None
        self._updated_at: float | None = None

    @property
    def amps(self) -> float:
        """The current now: the reported one, or the one that is set if that was just changed."""
        charge = self._known.vehicle.charge_state
        if charge.charging_state not in CHARGING_STATES:
            return 0.0
        asked, most = charge.charge_current_request, charge.charge_current_request_max
        limits = [each for each in (asked, most, charge.charger_pilot_current) if each is not None]
        is_settled = self._known.was_seen_since(self._changed_at + _FOLLOWS_WITHIN)
        if limits and not (is_settled and charge.charger_actual_current is not None):
            return min(limits)
        return charge.charger_actual_current or 0.0

    @property
    def can_set_amps(self) -> bool:
        """Whether the service has the command for it."""
        return self._known.provider.type.has(SET_CHARGING_AMPS)

    def watts(self, usual_amps: float | None) -> float:
        """Return the watts of an ampere, as the car or the log shows them."""
        if self._seen_watts is not None:
            return self._seen_watts
        speed = self.usual_speed()
        return speed.used * 1000 / usual_amps if speed is not None and usual_amps else _MOST_WATTS

    def usual_speed(self, usual_amps: float | None = None) -> ChargingSpeed | None:
        """Return the speed of earlier charges at home, or that of a current that was not used for them."""
        log, zones = self._known.log, log_zones(self._hass)
        efficiency = log.charge_tracker.efficiency
        speed = log.cached(
            "charging_speed",
            (zones, efficiency),
            lambda: charging_speed(filter(zones.is_charge_at_home, log.charges), log.capacity, efficiency),
        )
        if speed is None or not (self._seen_watts and usual_amps):
            return speed
        # Charges with surplus power do not show how fast the usual current is. A charger may allow less.
        most = self._known.vehicle.charge_state.charge_current_request_max or usual_amps
        used = self._seen_watts * min(usual_amps, most) / 1000
        return speed._replace(used=used, added=used * speed.added / speed.used)

    def on_change(self) -> None:
        self.changed_at, self._changed_at = dt_util.utcnow().timestamp(), self._hass.loop.time()

    def update(self, surplus: float, usual_amps: float | None, *, is_at_home: bool) -> None:
        """Count the energy since the last update. `surplus`: amperes that it gives."""
        charge, now = self._known.vehicle.charge_state, dt_util.utcnow().timestamp()
        is_charging, amps = charge.charging_state in CHARGING_STATES, self.amps
        if self._was_charging is not is_charging:
            if self._was_charging is not None:
                self.on_change()
            self._was_charging = is_charging
        if charge.is_plugged_in is False:
            self.energy = self.from_surplus = 0.0
        seconds = 0.0 if self._updated_at is None else now - self._updated_at
        self._updated_at = now
        if not is_at_home:
            return
        if 0 < seconds < _LONGEST_GAP:
            of_ampere = self.watts(usual_amps) * seconds / 3_600_000
            self.energy += amps * of_ampere
            self.from_surplus += min(amps, surplus) * of_ampere
        power, actual = charging_power(charge), charge.charger_actual_current or 0.0
        if charge.charging_state == "charging" and power and actual >= _LEAST_AMPS:
            self._seen_watts = max(_LEAST_WATTS, min(power / actual, _MOST_WATTS))

    def as_json(self) -> dict[str, float | None]:
        return {"watts": self._seen_watts, "energy": self.energy, "from_surplus": self.from_surplus}

    def restore(self, stored: Mapping[str, Any]) -> None:
        self._seen_watts = NUMBER.read(stored.get("watts"))
        self.energy = NUMBER.read(stored.get("energy")) or 0.0
        self.from_surplus = NUMBER.read(stored.get("from_surplus")) or 0.0
