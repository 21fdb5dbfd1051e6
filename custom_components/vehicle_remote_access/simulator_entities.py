"""The controls of a simulated car: what people do to a car by hand, and no command can. No real car has them.

Each car has a device for them beside its own; what concerns the simulated service is on the account's device.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, override

from homeassistant.components.button import ButtonEntity
from homeassistant.components.number import NumberDeviceClass, NumberEntity, NumberMode
from homeassistant.components.select import SelectEntity
from homeassistant.components.switch import SwitchEntity
from homeassistant.const import PERCENTAGE, Platform, UnitOfLength, UnitOfTemperature
from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .const import DOMAIN
from .coordinator import Account, VehicleConfigEntry, VehicleCoordinator
from .device_info import device_of_account, device_of_simulation
from .simulator import (
    COLDEST,
    FARTHEST,
    FASTEST,
    HOTTEST,
    KEEPER_MODES,
    MISHAPS,
    NONE,
    OPENINGS,
    SLOWEST,
    WHERE,
    Simulator,
    Vehicle,
)


@dataclass(frozen=True, kw_only=True)
class Control[S]:
    """What all controls have: what they are called. `S` is what they control: a vehicle or the service."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Deed[S](Control[S]):
    """Something that is done."""

    press: Callable[[S], object]


@dataclass(frozen=True, kw_only=True)
class Toggle[S](Control[S]):
    """Something that is so or not so."""

    is_on: Callable[[S], bool]
    turn: Callable[[S, bool], object]


@dataclass(frozen=True, kw_only=True)
class Choice[S](Control[S]):
    """Something that is one of several."""

    options: tuple[str, ...]
    current: Callable[[S], str]
    choose: Callable[[S, str], object]


@dataclass(frozen=True, kw_only=True)
class Amount[S](Control[S]):
    """Something that is a number, within bounds."""

    least: float
    most: float
    step: float = 1
    unit: str | None = None
    device_class: NumberDeviceClass | None = None
    value: Callable[[S], float]
    become: Callable[[S, float], object]


def _opening(name: str) -> Toggle[Vehicle]:
    return Toggle(
        name=name,
        is_on=lambda car: car.body.openings[name],
        turn=lambda car, on: car.open(name) if on else car.close(name),
    )


def _cable(car: Vehicle) -> str:
    if not car.charging.plugged:
        return "unplugged"
    return "fast_charger" if car.charging.fast else "charging_point"


def _connect(car: Vehicle, cable: str) -> None:
    if cable == _cable(car):
        return
    if car.charging.plugged:
        car.unplug()
    if cable != "unplugged":
        car.plug_in(fast=cable == "fast_charger")


def _miles_to_go(car: Vehicle) -> float:
    trip = car.driving.trip
    return round(trip.miles - trip.miles_at(car.timeline.now), 1) if trip else 0


def _drive(car: Vehicle, miles: float) -> None:
    if miles:
        car.drive(miles)
    elif car.driving.trip:
        car.stop()


OF_A_VEHICLE: Final[tuple[Control[Vehicle], ...]] = (
    Deed(name="lock", press=Vehicle.lock),
    Deed(name="unlock", press=Vehicle.unlock),
    Deed(name="walk_away", press=Vehicle.walk_away),
    Deed(name="offer_update", press=Vehicle.offer_update),
    Deed(name="fall_asleep", press=Vehicle.fall_asleep),
    *map(_opening, OPENINGS),
    Toggle(
        name="user_present",
        is_on=lambda car: car.body.user_present,
        turn=lambda car, on: car.enter() if on else car.leave(),
    ),
    Toggle(
        name="power_supply",
        is_on=lambda car: car.charging.supply_on,
        turn=lambda car, on: car.power_supply(on=on),
    ),
    Toggle(name="coverage", is_on=lambda car: car.covered, turn=lambda car, on: car.coverage(on=on)),
    Toggle(name="service", is_on=lambda car: car.in_service, turn=lambda car, on: car.service(on=on)),
    Toggle(
        name="mobile_access",
        is_on=lambda car: car.mobile_enabled,
        turn=lambda car, on: car.mobile_access(on=on),
    ),
    Toggle(name="sentry", is_on=lambda car: car.body.sentry, turn=lambda car, on: car.sentry(on=on)),
    Toggle(
        name="weather",
        is_on=lambda car: car.cabin.fixed_outside is None,
        turn=lambda car, on: car.weather(on=on),
    ),
    Toggle(name="routine", is_on=lambda car: car.follows_routine, turn=lambda car, on: car.routine(on=on)),
    Choice(
        name="cable",
        options=("unplugged", "charging_point", "fast_charger"),
        current=_cable,
        choose=_connect,
    ),
    Choice(
        name="climate_keeper",
        options=KEEPER_MODES,
        current=lambda car: car.cabin.keeper,
        choose=Vehicle.climate_keeper,
    ),
    Amount(
        name="drive",
        least=0,
        most=FARTHEST,
        step=0.1,
        unit=UnitOfLength.MILES,
        device_class=NumberDeviceClass.DISTANCE,
        value=_miles_to_go,
        become=_drive,
    ),
    Amount(
        name="battery_level",
        least=0,
        most=100,
        unit=PERCENTAGE,
        device_class=NumberDeviceClass.BATTERY,
        value=lambda car: round(car.charging.level),
        become=Vehicle.set_level,
    ),
    Amount(
        name="inside_temp",
        least=COLDEST,
        most=HOTTEST,
        step=0.1,
        unit=UnitOfTemperature.CELSIUS,
        device_class=NumberDeviceClass.TEMPERATURE,
        value=lambda car: round(car.cabin.inside, 1),
        become=lambda car, degrees: car.set_temperatures(inside=degrees),
    ),
    Amount(
        name="outside_temp",
        least=COLDEST,
        most=HOTTEST,
        step=0.1,
        unit=UnitOfTemperature.CELSIUS,
        device_class=NumberDeviceClass.TEMPERATURE,
        value=lambda car: round(car.cabin.outside, 1),
        become=lambda car, degrees: car.set_temperatures(outside=degrees),
    ),
)


def _set_speed(simulator: Simulator, speed: float) -> None:
    simulator.clock.speed = speed


OF_THE_SERVICE: Final[tuple[Control[Simulator], ...]] = (
    Amount(
        name="speed",
        least=SLOWEST,
        most=FASTEST,
        value=lambda service: service.clock.speed,
        become=_set_speed,
    ),
    Choice(
        name="fault",
        options=(NONE, *MISHAPS),
        current=lambda service: service.mishap.kind,
        choose=lambda service, kind: service.mishap.choose(kind=kind),
    ),
    Choice(
        name="fault_where",
        options=tuple(WHERE),
        current=lambda service: service.mishap.where,
        choose=lambda service, where: service.mishap.choose(where=where),
    ),
    Amount(
        name="fault_requests",
        least=1,
        most=1000,
        value=lambda service: service.mishap.requests,
        become=lambda service, requests: service.mishap.choose(requests=int(requests)),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Stage[S]:
    """What is controlled, and how it is shown in Home Assistant."""

    account: Account
    simulator: Simulator
    subject: S
    prefix: str
    """Of the unique ids."""
    device: dr.DeviceInfo
    subentry_id: str | None = None
    was_touched: Callable[[], None] = lambda: None
    """To be called after something was done."""

    def act(self, do: Callable[[S], object]) -> None:
        """Do something, and let everybody see it. Raises HomeAssistantError in words if it cannot be done."""
        try:
            do(self.subject)
        except ValueError as error:
            raise HomeAssistantError(
                translation_domain=DOMAIN,
                translation_key="control_refused",
                translation_placeholders={"reason": str(error)},
            ) from None
        self.account.memory.changed()
        self.simulator.tell_observers()
        self.was_touched()


class SimulationEntity[S, C: Control[Any]](Entity):
    """A control."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, stage: Stage[S], control: C) -> None:
        """Take the line of the table."""
        self.stage = stage
        self.control = control
        self._attr_unique_id = f"{stage.prefix}-simulation.{control.name}"
        self._attr_translation_key = f"simulation_{control.name}"
        self._attr_device_info = stage.device


class SimulationButton[S](SimulationEntity[S, Deed[S]], ButtonEntity):
    """Does something by hand."""

    @override
    async def async_press(self) -> None:
        """Do it."""
        self.stage.act(self.control.press)


class SimulationState[S, C: Control[Any]](SimulationEntity[S, C]):
    """A control that shows what is so, whatever the car has told of it."""

    _shown: object = None

    @abstractmethod
    def look(self) -> object:
        """Return what is so."""

    @override
    async def async_added_to_hass(self) -> None:
        """Look again whenever something may have changed."""
        self._shown = self.look()
        self.async_on_remove(self.stage.simulator.observe(self._look_again))

    @callback
    def _look_again(self) -> None:
        if (seen := self.look()) != self._shown:
            self._shown = seen
            self.async_write_ha_state()


class SimulationSwitch[S](SimulationState[S, Toggle[S]], SwitchEntity):
    """Makes something so or not so."""

    @override
    def look(self) -> bool:
        return self.control.is_on(self.stage.subject)

    @property
    @override
    def is_on(self) -> bool:
        """Return whether it is so."""
        return self.look()

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Make it so."""
        self.stage.act(lambda subject: self.control.turn(subject, True))

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Make it not so."""
        self.stage.act(lambda subject: self.control.turn(subject, False))


class SimulationSelect[S](SimulationState[S, Choice[S]], SelectEntity):
    """Chooses what is so."""

    def __init__(self, stage: Stage[S], control: Choice[S]) -> None:
        """Take the options of the line."""
        super().__init__(stage, control)
        self._attr_options = list(control.options)

    @override
    def look(self) -> str:
        return self.control.current(self.stage.subject)

    @property
    @override
    def current_option(self) -> str:
        """Return what is so."""
        return self.look()

    @override
    async def async_select_option(self, option: str) -> None:
        """Make it so."""
        self.stage.act(lambda subject: self.control.choose(subject, option))


class SimulationNumber[S](SimulationState[S, Amount[S]], NumberEntity):
    """Sets how much it is."""

    _attr_mode = NumberMode.BOX

    def __init__(self, stage: Stage[S], control: Amount[S]) -> None:
        """Take the columns of the line."""
        super().__init__(stage, control)
        self._attr_native_min_value = control.least
        self._attr_native_max_value = control.most
        self._attr_native_step = control.step
        self._attr_native_unit_of_measurement = control.unit
        self._attr_device_class = control.device_class

    @override
    def look(self) -> float:
        return self.control.value(self.stage.subject)

    @property
    @override
    def native_value(self) -> float:
        """Return how much it is."""
        return self.look()

    @override
    async def async_set_native_value(self, value: float) -> None:
        """Make it so much."""
        self.stage.act(lambda subject: self.control.become(subject, value))


_KINDS: Final[dict[Platform, tuple[type[Control[Any]], type[SimulationEntity[Any, Any]]]]] = {
    Platform.BUTTON: (Deed, SimulationButton),
    Platform.SWITCH: (Toggle, SimulationSwitch),
    Platform.SELECT: (Choice, SimulationSelect),
    Platform.NUMBER: (Amount, SimulationNumber),
}


@callback
def add_controls(
    entry: VehicleConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback, platform: Platform
) -> None:
    """Add a platform's controls to a simulated account."""
    account = entry.runtime_data
    if (simulator := account.connection.simulator) is None:
        return
    service = Stage(
        account=account,
        simulator=simulator,
        subject=simulator,
        prefix=entry.entry_id,
        device=device_of_account(entry),
    )
    _add(async_add_entities, platform, service, OF_THE_SERVICE)
    simulated = {vehicle.vin: vehicle for vehicle in simulator.vehicles}
    for coordinator in account.vehicles.values():
        if (vehicle := simulated.get(coordinator.vin)) is not None:
            stage = _stage_of(account, simulator, coordinator, vehicle)
            _add(async_add_entities, platform, stage, OF_A_VEHICLE)


def _stage_of(
    account: Account, simulator: Simulator, coordinator: VehicleCoordinator, vehicle: Vehicle
) -> Stage[Vehicle]:
    car = dr.async_get(account.hass).async_get_or_create(
        config_entry_id=account.config_entry.entry_id,
        config_subentry_id=coordinator.subentry_id,
        **coordinator.device,
    )
    return Stage(
        account=account,
        simulator=simulator,
        subject=vehicle,
        prefix=vehicle.vin,
        device=device_of_simulation(vehicle.vin, coordinator.title, car.id),
        subentry_id=coordinator.subentry_id,
        was_touched=coordinator.look_soon,
    )


@callback
def _add[S](
    async_add_entities: AddConfigEntryEntitiesCallback,
    platform: Platform,
    stage: Stage[S],
    controls: Iterable[Control[S]],
) -> None:
    kind, entity = _KINDS[platform]
    entities = [entity(stage, control) for control in controls if isinstance(control, kind)]
    async_add_entities(entities, config_subentry_id=stage.subentry_id)
