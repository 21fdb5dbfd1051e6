"""So many cars in one Home Assistant: ours, the floor and `tessie` in turn."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from cProfile import Profile
from functools import partial
import gc
from http import HTTPStatus
from io import StringIO
from itertools import cycle, islice
from pstats import SortKey, Stats
from typing import Final
from unittest.mock import patch

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.util import dt as dt_util
from tesla_fleet_api.tessie import Tessie

from custom_components.vehicle_remote_access.api.commands import VEHICLE_DATA

from .answering import Service, Told, answering, numbered
from .driven import changed, driven, told_at
from .errands import ERRANDS, Step
from .floor import Floor, Written
from .found import BARE, FLOOR, KINDS, OURS, TESSIE, TESSIE_BARE, Facts, Round
from .home import started
from .moved import Clock, moved
from .ours import Ours
from .pairs import Stopwatch, Took, taken
from .rival import Rival
from .writes import written

_MINUTE: Final = 60.0
_FOR_MOCKS: Final = ("async_add_job", "async_add_executor_job", "async_create_task_internal")
_LINES: Final = 45


class Trial:
    """Cars that all drive, in a Home Assistant."""

    def __init__(self, hass: HomeAssistant, clock: Clock, service: Service, core: int) -> None:
        """Begin with none of them set up."""
        self.hass = hass
        self.service = service
        self.core = core
        """That of the service."""
        self.ours = Ours(hass, service)
        self._rival = Rival(hass, service)
        self._floor = Floor(hass, service)
        self._clock = clock
        self._record = driven()
        self._writes: dict[str, list[list[Written]]] = {}

    async def meet_rival(self) -> dict[str, int]:
        """Set `tessie` up beside ours, and return how many entities each has."""
        self.say()
        await self._rival.set_up()
        gc.collect()
        gc.freeze()
        return {OURS: len(self.ours.states()), TESSIE: len(self._rival.states())}

    # What the cars say

    def told(self, fields: int = 0, state: str = "online", status: int = HTTPStatus.OK) -> Told:
        """Return what is to be said now, with so many fields changed."""
        return Told(told_at(changed(self._record, fields), dt_util.utcnow().timestamp()), state, status)

    def say(
        self, fields: int = 0, state: str = "online", status: int = HTTPStatus.OK, *, minutes: float = 1
    ) -> None:
        """Let time pass, and the service say something new."""
        self._clock.move(minutes * _MINUTE)
        self.service.tell(self.told(fields, state, status))

    async def settle(self) -> None:
        """Let all have seen the cars as they are without a change."""
        self.say()
        await self.ours.refresh()
        await self._rival.refresh()

    # What is measured

    async def facts(self, kind: str) -> Facts:
        """Refresh all cars once, and return what happened: that much the floor does from then on."""
        await self.settle()
        self.say(KINDS[kind])
        with written(self.hass) as writes:
            await self.ours.refresh()
        self._writes[kind] = self._like(writes.changed)
        return Facts(self.service.asked(), self._by_path(writes.changed), self._by_path(writes.reported))

    async def refreshes(self, kind: str, times: int) -> Round:
        """Measure a kind of refresh, and beside it the floor and the other."""
        found: Round = {who: [] for who in (OURS, FLOOR, BARE, TESSIE, TESSIE_BARE)}
        state = [f"/{car.vin}/state?use_cache=true" for car in self.service.cars]
        await self.settle()
        await self.floor(kind)
        for fields in islice(cycle((KINDS[kind], 0)), times):
            self.say(fields)
            # Who speaks first after a pause is slower.
            await self._floor.read(self._live[:1])
            found[OURS].append(await taken(self.ours.refresh))
            found[FLOOR].append(await taken(lambda: self.floor(kind)))
            found[BARE].append(await taken(lambda: self._floor.read(self._live)))
            found[TESSIE].append(await taken(self._rival.refresh))
            found[TESSIE_BARE].append(await taken(lambda: self._floor.read(state)))
        return found

    async def floor(self, kind: str) -> None:
        """Do what a kind of refresh cannot do without."""
        await self._floor.refresh(self._live, self._writes[kind])

    @property
    def _live(self) -> list[str]:
        return [VEHICLE_DATA.path.replace("{id}", str(car.number)) for car in self.service.cars]

    async def commands(self, kind: str, times: int) -> Round:
        """Measure from the use of a service to the new state, and beside it the floor, with one car."""
        found: Round = {who: [] for who in (OURS, FLOOR)}
        errand, car = ERRANDS[kind], self.service.cars[0]
        entity_id = self.ours.entity_id(errand.platform, car.vin, errand.path)
        self.say()

        def using(step: Step) -> Callable[[], Awaitable[object]]:
            data = {**step.data, "entity_id": entity_id}
            services = self.hass.services
            return partial(services.async_call, errand.platform, step.service, data, blocking=True)

        await using(errand.steps[-1])()
        for step in islice(cycle(errand.steps), times):
            found[OURS].append(await self._until_shown(entity_id, using(step)))
            state = self.hass.states.get(entity_id)
            assert state is not None
            assert state.state == step.state
            path = step.command.path.replace("{id}", str(car.number)) + step.query
            write = (f"{errand.platform}.floor", state.attributes)
            found[FLOOR].append(await taken(partial(self._floor.command, path, write)))
        self.ours.forget_confirmations()
        return found

    async def _until_shown(self, entity_id: str, doing: Callable[[], Awaitable[object]]) -> Took:
        """Do something, and return how long it took until an entity showed it."""
        watch, took = Stopwatch(), list[Took]()

        @callback
        def shown(_: Event[EventStateChangedData]) -> None:
            took.append(watch.took)

        leave = async_track_state_change_event(self.hass, entity_id, shown)
        watch = Stopwatch()
        await doing()
        leave()
        return took[0]

    async def profile(self, kind: str, times: int) -> str:
        """Return where the time of a kind of refresh goes."""
        await self.settle()
        profile, lines = Profile(), StringIO()
        for fields in islice(cycle((KINDS[kind], 0)), times):
            self.say(fields)
            profile.enable()
            await self.ours.refresh()
            profile.disable()
        Stats(profile, stream=lines).strip_dirs().sort_stats(SortKey.TIME).print_stats(_LINES)
        return lines.getvalue()

    def _like(self, entities: Sequence[str]) -> list[list[Written]]:
        """Return writes like these for the floor, to entities of its own, spread over the cars."""
        states = [state for each in entities if (state := self.hass.states.get(each)) is not None]
        writes: list[Written] = [
            (f"{state.domain}.floor_{n}", state.attributes) for n, state in enumerate(states)
        ]
        cars = len(self.service.cars)
        return [writes[car::cars] for car in range(cars)]

    def _by_path(self, entities: Iterable[str]) -> dict[str, int]:
        registry = er.async_get(self.hass)
        entries = [registry.entities[each] for each in entities]
        return dict(Counter(f"{each.domain} {each.unique_id.partition('-')[2]}" for each in entries))


@asynccontextmanager
async def trial(vehicles: int, core: int) -> AsyncIterator[Trial]:
    """Run a Home Assistant in which every entity is enabled, and the service of so many cars on a core."""
    with (
        answering(numbered(vehicles, str(driven()["vin"])), core) as service,
        # Its client takes the address from the class.
        patch.object(Tessie, "server", service.url),
        patch.object(Entity, "entity_registry_enabled_default", True),
        moved() as clock,
    ):
        async with started() as hass:
            for name in _FOR_MOCKS:
                # Tests look into every task whether it is a mock.
                delattr(hass, name)
            yield Trial(hass, clock, service, core)
