"""A user who controls the car from Home Assistant, and the outcomes of their actions."""

import asyncio
from collections import Counter
from random import Random
from typing import Final

from homeassistant.const import CONF_ACCESS_TOKEN, STATE_UNAVAILABLE
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import HomeAssistantError

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from ..common.home import Home
from ..common.virtual_time import HOUR, MINUTE

_LIDS: Final = ("ft", "rt")
_HOURS_BETWEEN: Final = 1.5
_MINUTES_PER_STEP: Final = (2, 12)
_MINUTES_TO_REAUTHENTICATE: Final = (10, 60)

type _Action = tuple[str, str, str]
"""A service call: the platform, the service, and the path of the entity."""
type _Steps = tuple[tuple[_Action, ...], ...]
"""Steps with some minutes between them. The actions of a step run at the same time."""

_LOCK: Final = ("lock", "lock", "vehicle_state.locked")
_UNLOCK: Final = ("lock", "unlock", "vehicle_state.locked")
_HEAT: Final = ("climate", "turn_on", "climate_state")
_STOP_HEATING: Final = ("climate", "turn_off", "climate_state")
_DRIVER: Final = ("climate", "set_temperature", "climate_state")
_PASSENGER: Final = ("number", "set_value", "climate_state.passenger_temp_setting")
_LIMIT: Final = ("number", "set_value", "charge_state.charge_limit_soc")
_HONK: Final = ("button", "press", "honk_horn")
WAKE_UP: Final = ("button", "press", "wake_up")
REFRESH: Final = ("button", "press", "refresh")

_PARAMETERS: Final = {
    _DRIVER: ("temperature", (18, 25)),
    _PASSENGER: ("value", (18, 25)),
    # High enough for the whole evening charge
    _LIMIT: ("value", (80, 95)),
}
"""The parameter of an action and the range of its values."""
_STEPS: Final[tuple[_Steps, ...]] = (
    ((REFRESH,),),
    ((REFRESH,), (REFRESH,)),
    ((WAKE_UP,), (REFRESH,)),
    ((_LOCK,),),
    ((_UNLOCK,), (_LOCK,)),
    ((_HEAT,), (_STOP_HEATING,)),
    ((_HEAT, _DRIVER, _PASSENGER), (_DRIVER,), (_STOP_HEATING,)),
    ((_LIMIT, _LIMIT),),
    ((("switch", "turn_on", "charge_state.charging_state"),),),
    ((("cover", "close_cover", "charge_state.charge_port_door_open"),),),
    ((("cover", "open_cover", "vehicle_state.rt"),), (("cover", "close_cover", "vehicle_state.rt"),)),
    ((("cover", "open_cover", "vehicle_state.ft"),),),
    ((_HONK,),),
    ((_HONK, ("button", "press", "flash_lights")),),
)


class User:
    """Runs random actions with the car from Home Assistant."""

    def __init__(self, home: Home, simulator: Simulator, seed: int) -> None:
        """The same seed results in the same actions."""
        self.outcomes: Counter[str] = Counter()
        self.problems: list[str] = []
        """Errors without a translated message."""
        self._home = home
        self._token = simulator.token
        (self._car,) = simulator.vehicles
        self._random = Random(seed)  # noqa: S311 - reproducible, not secret

    async def act_until(self, end: float) -> None:
        """Run actions at random times until an hour before the end, in seconds of the loop."""
        loop = asyncio.get_running_loop()
        while (idle := self._random.expovariate(1 / (_HOURS_BETWEEN * HOUR))) < end - HOUR - loop.time():
            await asyncio.sleep(idle)
            for actions in self._random.choice(_STEPS):
                await asyncio.gather(*map(self.run, actions))
                await asyncio.sleep(self._random.uniform(*_MINUTES_PER_STEP) * MINUTE)
            self._car.catch_up()
            for lid in _LIDS:
                if self._car.body.openings[lid] and not self._car.driving.in_gear:
                    self._car.close(lid)

    async def run(self, action: _Action) -> None:
        """Run an action and record its outcome."""
        platform, service, path = action
        values: dict[str, object] = {"entity_id": self._home.entity_id(platform, path)}
        if action in _PARAMETERS:
            parameter, limits = _PARAMETERS[action]
            values[parameter] = self._random.randint(*limits)
        self._car.catch_up()
        self.outcomes[f"action while the car is {self._car.state}"] += 1
        try:
            self.outcomes[await self._outcome(platform, service, values)] += 1
        except Exception as error:  # noqa: BLE001 - the benchmark checks that nothing else is raised
            self.problems.append(f"{service} of {path}: {error!r}")

    async def _outcome(self, platform: str, service: str, values: dict[str, object]) -> str:
        hass = self._home.hass
        state = hass.states.get(str(values["entity_id"]))
        if state is None or state.state == STATE_UNAVAILABLE:
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

    async def reauthenticate(self) -> None:
        """Enter the token again some time after each reauthentication request. Runs until canceled."""
        flows = self._home.hass.config_entries.flow
        while True:
            await asyncio.sleep(self._random.uniform(*_MINUTES_TO_REAUTHENTICATE) * MINUTE)
            for flow in flows.async_progress_by_handler(DOMAIN):
                result = await flows.async_configure(flow["flow_id"], {CONF_ACCESS_TOKEN: self._token})
                self.outcomes["reauthentication"] += result["type"] is FlowResultType.ABORT
