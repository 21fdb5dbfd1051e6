"""A user who controls the car from Home Assistant, and the outcomes of their actions."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from homeassistant.const import CONF_ACCESS_TOKEN, STATE_UNAVAILABLE
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import HomeAssistantError

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from ..common.driver import HOUR, MINUTE
from ..common.home import Home

_LIDS: Final = ("ft", "rt")
_HOURS_BETWEEN: Final = 1.5
_MINUTES_PER_STEP: Final = (2, 12)
_MINUTES_TO_REAUTHENTICATE: Final = (10, 60)


@dataclass(frozen=True, slots=True)
class Action:
    """A service call for the entity of a path."""

    platform: str
    service: str
    path: str
    parameter: str = ""
    """The service's own parameter, if any."""
    choose: Callable[[Random], float] = Random.random
    """Returns a value for the parameter."""


def _degrees(random: Random) -> float:
    return random.randint(36, 50) / 2


def _percent(random: Random) -> float:
    """Return a limit that is high enough for the whole evening charge."""
    return random.randint(80, 95)


_LOCK: Final = Action("lock", "lock", "vehicle_state.locked")
_UNLOCK: Final = Action("lock", "unlock", "vehicle_state.locked")
_HEAT: Final = Action("climate", "turn_on", "climate_state")
_STOP_HEATING: Final = Action("climate", "turn_off", "climate_state")
_DRIVER: Final = Action("climate", "set_temperature", "climate_state", "temperature", _degrees)
_PASSENGER: Final = Action("number", "set_value", "climate_state.passenger_temp_setting", "value", _degrees)
_LIMIT: Final = Action("number", "set_value", "charge_state.charge_limit_soc", "value", _percent)
_CHARGE: Final = Action("switch", "turn_on", "charge_state.charging_state")
_CLOSE_PORT: Final = Action("cover", "close_cover", "charge_state.charge_port_door_open")
_OPEN_TRUNK: Final = Action("cover", "open_cover", "vehicle_state.rt")
_CLOSE_TRUNK: Final = Action("cover", "close_cover", "vehicle_state.rt")
_OPEN_FRUNK: Final = Action("cover", "open_cover", "vehicle_state.ft")
_HONK: Final = Action("button", "press", "honk_horn")
_FLASH: Final = Action("button", "press", "flash_lights")
WAKE_UP: Final = Action("button", "press", "wake_up")
REFRESH: Final = Action("button", "press", "refresh")

type _Steps = tuple[tuple[Action, ...], ...]
"""Steps with some minutes between them. The actions of a step run at the same time."""

_STEPS: Final[tuple[_Steps, ...]] = (
    ((REFRESH,),),
    ((REFRESH,), (REFRESH,)),
    ((WAKE_UP,), (REFRESH,)),
    ((_LOCK,),),
    ((_UNLOCK,), (_LOCK,)),
    ((_HEAT,), (_STOP_HEATING,)),
    ((_HEAT, _DRIVER, _PASSENGER), (_DRIVER,), (_STOP_HEATING,)),
    ((_LIMIT, _LIMIT),),
    ((_CHARGE,),),
    ((_CLOSE_PORT,),),
    ((_OPEN_TRUNK,), (_CLOSE_TRUNK,)),
    ((_OPEN_FRUNK,),),
    ((_HONK,),),
    ((_HONK, _FLASH),),
)


@dataclass(slots=True)
class ActionOutcomes:
    """Outcomes of the user's actions."""

    actions: int = 0
    not_online: int = 0
    """Actions while the car was asleep or offline."""
    unavailable: int = 0
    """Actions while the entity was unavailable. Home Assistant doesn't call the integration then."""
    accepted: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    """Errors with a translated message, by translation key."""
    unexpected: list[str] = field(default_factory=list)
    """All other errors."""
    reauthentications: int = 0


class User:
    """Runs random actions with the car from Home Assistant."""

    def __init__(self, home: Home, simulator: Simulator, seed: int) -> None:
        """The same seed results in the same actions."""
        self.outcomes = ActionOutcomes()
        self._home = home
        self._token = simulator.token
        (self._car,) = simulator.vehicles
        self._random = Random(seed)  # noqa: S311 - reproducible, not secret

    async def act_until(self, end: float) -> None:
        """Run actions at random times until an hour before the end, in seconds of the loop."""
        loop = asyncio.get_running_loop()
        while (idle := self._random.expovariate(1 / (_HOURS_BETWEEN * HOUR))) < end - HOUR - loop.time():
            await asyncio.sleep(idle)
            await self._run_steps(self._random.choice(_STEPS))

    async def _run_steps(self, steps: _Steps) -> None:
        for actions in steps:
            await asyncio.gather(*(self.run(action) for action in actions))
            await asyncio.sleep(self._random.uniform(*_MINUTES_PER_STEP) * MINUTE)
        self._car.catch_up()
        for lid in _LIDS:
            if self._car.body.openings[lid] and not self._car.driving.in_gear:
                self._car.close(lid)

    async def run(self, action: Action) -> None:
        """Run an action and record its outcome."""
        outcomes = self.outcomes
        values = {action.parameter: action.choose(self._random)} if action.parameter else {}
        self._car.catch_up()
        outcomes.actions += 1
        outcomes.not_online += self._car.state != "online"
        if self._home.shown(action.platform, action.path).state == STATE_UNAVAILABLE:
            outcomes.unavailable += 1
            return
        try:
            await self._home.call(action.platform, action.service, action.path, **values)
        except HomeAssistantError as error:
            self._record_error(action, error)
        except Exception as error:  # noqa: BLE001 - the benchmark checks that nothing else is raised
            outcomes.unexpected.append(f"{action.service} of {action.path}: {error!r}")
        else:
            outcomes.accepted += 1

    def _record_error(self, action: Action, error: HomeAssistantError) -> None:
        key = error.translation_key
        # The translations of Home Assistant itself are not loaded here, only the integration's.
        if key is None or (error.translation_domain == DOMAIN and str(error) == key):
            self.outcomes.unexpected.append(f"{action.service} of {action.path}, no translation: {error!r}")
        else:
            self.outcomes.failed[key] = self.outcomes.failed.get(key, 0) + 1

    async def reauthenticate(self) -> None:
        """Enter the token again some time after each reauthentication request. Runs until canceled."""
        flows = self._home.hass.config_entries.flow
        while True:
            await asyncio.sleep(self._random.uniform(*_MINUTES_TO_REAUTHENTICATE) * MINUTE)
            for flow in flows.async_progress_by_handler(DOMAIN):
                result = await flows.async_configure(flow["flow_id"], {CONF_ACCESS_TOKEN: self._token})
                self.outcomes.reauthentications += result["type"] is FlowResultType.ABORT
