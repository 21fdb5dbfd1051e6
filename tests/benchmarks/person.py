"""Who uses the car from Home Assistant, and what comes of it."""

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

from .driver import HOUR, MINUTE
from .home import Home

_LIDS: Final = ("ft", "rt")
_HOURS_BETWEEN: Final = 1.5
_MINUTES_OF_A_STEP: Final = (2, 12)
_MINUTES_TO_MEND: Final = (10, 60)


@dataclass(frozen=True, slots=True)
class Act:
    """A service that is used on the entity that shows a path."""

    platform: str
    service: str
    path: str
    value: str = ""
    """What the service wants to be told besides."""
    choice: Callable[[Random], float] = Random.random
    """What a person then says."""


def _degrees(random: Random) -> float:
    return random.randint(36, 50) / 2


def _percent(random: Random) -> float:
    """Return a limit that is never so low that the evening's charge ends early."""
    return random.randint(80, 95)


_LOCK: Final = Act("lock", "lock", "vehicle_state.locked")
_UNLOCK: Final = Act("lock", "unlock", "vehicle_state.locked")
_HEAT: Final = Act("climate", "turn_on", "climate_state")
_STOP_HEATING: Final = Act("climate", "turn_off", "climate_state")
_DRIVER: Final = Act("climate", "set_temperature", "climate_state", "temperature", _degrees)
_PASSENGER: Final = Act("number", "set_value", "climate_state.passenger_temp_setting", "value", _degrees)
_LIMIT: Final = Act("number", "set_value", "charge_state.charge_limit_soc", "value", _percent)
_CHARGE: Final = Act("switch", "turn_on", "charge_state.charging_state")
_CLOSE_PORT: Final = Act("cover", "close_cover", "charge_state.charge_port_door_open")
_OPEN_TRUNK: Final = Act("cover", "open_cover", "vehicle_state.rt")
_CLOSE_TRUNK: Final = Act("cover", "close_cover", "vehicle_state.rt")
_OPEN_FRUNK: Final = Act("cover", "open_cover", "vehicle_state.ft")
_HONK: Final = Act("button", "press", "honk_horn")
_FLASH: Final = Act("button", "press", "flash_lights")
WAKE: Final = Act("button", "press", "wake_up")
REFRESH: Final = Act("button", "press", "refresh")

type _Story = tuple[tuple[Act, ...], ...]
"""What is done one after the other, with some minutes between; what is done at once stands together."""

_STORIES: Final[tuple[_Story, ...]] = (
    ((REFRESH,),),
    ((REFRESH,), (REFRESH,)),
    ((WAKE,), (REFRESH,)),
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
class Outcomes:
    """What came of what was asked for."""

    asked: int = 0
    asked_asleep: int = 0
    """Those of them while the car was not online."""
    unavailable: int = 0
    """Those of them while nothing of the car was shown: Home Assistant tells nobody of them."""
    accepted: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    """How often something failed in words for a person, by the key of the words."""
    raised: list[str] = field(default_factory=list)
    """What failed in another way."""
    mended: int = 0
    """How often the token was given again, because it was asked for."""


class Person:
    """Somebody who every now and then does something with the car from Home Assistant."""

    def __init__(self, home: Home, simulator: Simulator, seed: int) -> None:
        """Do what chance says, the same for the same seed."""
        self.outcomes = Outcomes()
        self._home = home
        self._token = simulator.token
        (self._car,) = simulator.vehicles
        self._random = Random(seed)  # noqa: S311 - the same again is wanted, not secrets

    async def lives(self, until: float) -> None:
        """Use the car now and then, at any hour, until some time before a moment of the loop."""
        loop = asyncio.get_running_loop()
        while (idle := self._random.expovariate(1 / (_HOURS_BETWEEN * HOUR))) < until - HOUR - loop.time():
            await asyncio.sleep(idle)
            await self._lives_through(self._random.choice(_STORIES))

    async def _lives_through(self, story: _Story) -> None:
        for acts in story:
            await asyncio.gather(*(self.does(act) for act in acts))
            await asyncio.sleep(self._random.uniform(*_MINUTES_OF_A_STEP) * MINUTE)
        self._car.catch_up()
        for lid in _LIDS:
            if self._car.body.openings[lid] and not self._car.driving.in_gear:
                self._car.close(lid)

    async def does(self, act: Act) -> None:
        """Do it, and take note of what comes of it."""
        outcomes, words = self.outcomes, {act.value: act.choice(self._random)} if act.value else {}
        self._car.catch_up()
        outcomes.asked += 1
        outcomes.asked_asleep += self._car.state != "online"
        if self._home.shown(act.platform, act.path).state == STATE_UNAVAILABLE:
            outcomes.unavailable += 1
            return
        try:
            await self._home.call(act.platform, act.service, act.path, **words)
        except HomeAssistantError as error:
            self._has_failed(act, error)
        except Exception as error:  # noqa: BLE001 # That nothing else is raised is what is looked for.
            outcomes.raised.append(f"{act.service} of {act.path}: {error!r}")
        else:
            outcomes.accepted += 1

    def _has_failed(self, act: Act, error: HomeAssistantError) -> None:
        key = error.translation_key
        # Home Assistant's own words are not loaded here.
        if key is None or (error.translation_domain == DOMAIN and str(error) == key):
            self.outcomes.raised.append(f"{act.service} of {act.path}, without words: {error!r}")
        else:
            self.outcomes.failed[key] = self.outcomes.failed.get(key, 0) + 1

    async def mends(self) -> None:
        """Give the token again some time after it was asked for, as often as it takes."""
        flows = self._home.hass.config_entries.flow
        while True:
            await asyncio.sleep(self._random.uniform(*_MINUTES_TO_MEND) * MINUTE)
            for flow in flows.async_progress_by_handler(DOMAIN):
                result = await flows.async_configure(flow["flow_id"], {CONF_ACCESS_TOKEN: self._token})
                self.outcomes.mended += result["type"] is FlowResultType.ABORT
