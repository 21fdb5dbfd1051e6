"""A user who controls the car from Home Assistant, and the outcomes of their actions."""

import asyncio
from collections import Counter
from random import Random
from typing import Final

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.exceptions import HomeAssistantError

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.car.body import LIDS

from ..common.home import Home
from ..common.virtual_time import HOUR, MINUTE

_HOURS_BETWEEN: Final = 0.7
_SHARE_OF_RELOADS: Final = 0.05

type _Action = tuple[str, str, str]
"""A service call: the platform, the service, and the path of the entity."""

WAKE_UP: Final = ("button", "press", "wake_up")
REFRESH: Final = ("button", "press", "refresh")
_ACTIONS: Final[dict[_Action, tuple[str, int, int] | None]] = {
    WAKE_UP: None,
    REFRESH: None,
    ("button", "press", "honk_horn"): None,
    ("lock", "lock", "vehicle_state.locked"): None,
    ("lock", "unlock", "vehicle_state.locked"): None,
    ("climate", "turn_on", "climate_state"): None,
    ("climate", "turn_off", "climate_state"): None,
    ("climate", "set_temperature", "climate_state"): ("temperature", 18, 25),
    ("number", "set_value", "climate_state.passenger_temp_setting"): ("value", 18, 25),
    # High enough for the whole evening charge
    ("number", "set_value", "charge_state.charge_limit_soc"): ("value", 80, 95),
    ("switch", "turn_on", "charge_state.charging_state"): None,
    ("cover", "close_cover", "charge_state.charge_port_door_open"): None,
    ("cover", "open_cover", "vehicle_state.rt"): None,
    ("cover", "close_cover", "vehicle_state.rt"): None,
    ("cover", "open_cover", "vehicle_state.ft"): None,
}
"""Actions, and the parameter of an action with the range of its values."""


class User:
    """Runs random actions with the car from Home Assistant."""

    def __init__(self, home: Home, simulator: Simulator, seed: int) -> None:
        self.outcomes: Counter[str] = Counter()
        self.problems: list[str] = []
        """Errors without a translated message."""
        self._home = home
        (self._car,) = simulator.vehicles
        self._random = Random(seed)  # noqa: S311 - reproducible, not secret

    async def act_until(self, end: float) -> None:
        """Run actions and reloads at random times until an hour before the end, in seconds of the loop."""
        loop = asyncio.get_running_loop()
        while (idle := self._random.expovariate(1 / (_HOURS_BETWEEN * HOUR))) < end - HOUR - loop.time():
            await asyncio.sleep(idle)
            await self.run(self._random.choice([*_ACTIONS]))
            if self._random.random() < _SHARE_OF_RELOADS:
                await self._home.restart()
                self.outcomes["reload"] += 1
            await asyncio.sleep(MINUTE)
            self._car.catch_up()
            for lid in LIDS:
                if self._car.body.openings[lid] and not self._car.driving.in_gear:
                    self._car.close(lid)

    async def run(self, action: _Action) -> None:
        platform, service, path = action
        values: dict[str, object] = {"entity_id": self._home.entity_id(platform, path)}
        if parameter := _ACTIONS[action]:
            name, *limits = parameter
            values[name] = self._random.randint(*limits)
        self._car.catch_up()
        self.outcomes[f"action while the car is {self._car.state}"] += 1
        try:
            self.outcomes[await self._outcome(platform, service, values)] += 1
        except Exception as error:  # noqa: BLE001 - the benchmark checks that nothing else is raised
            self.problems.append(f"{service} of {path}: {error!r}")

    async def _outcome(self, platform: str, service: str, values: dict[str, object]) -> str:
        hass = self._home.hass
        if hass.states.is_state(str(values["entity_id"]), STATE_UNAVAILABLE):
            return "not sent, because the entity is unavailable"
        try:
            await hass.services.async_call(platform, service, values, blocking=True)
        except HomeAssistantError as error:
            key = error.translation_key
            # The translations of Home Assistant itself are not loaded here, only the integration's.
            if key is None or (error.translation_domain == DOMAIN and str(error) == key):
                raise
            return f"failed with a message: {key}"
        return "accepted"
