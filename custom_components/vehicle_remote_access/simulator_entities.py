"""Controls of simulated cars and of the simulator. Only simulated accounts have them.

A car's controls do by hand what no command can do, for example open a door. They belong to a second device of
the car. The simulator's controls belong to the account's device.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.components.number import (
    NumberDeviceClass,
    NumberEntity,
    NumberEntityDescription,
    NumberMode,
)
from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.const import PERCENTAGE, Platform, UnitOfLength, UnitOfTemperature
from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.helpers.entity import Entity, EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .const import DOMAIN
from .coordinator import AccountCoordinator
from .device_info import account_device_info, simulation_device_info
from .entity_descriptions import number_options
from .simulator import (
    COLDEST,
    FARTHEST,
    FASTEST,
    HOTTEST,
    KEEPER_MODES,
    NONE,
    OPENINGS,
    PRESETS,
    SCOPES,
    SLOWEST,
    SimulatedVehicle,
    Simulator,
)
from .vehicle.coordinator import VehicleCoordinator

# In the descriptions, T is the type that is controlled: SimulatedVehicle or Simulator.


@dataclass(frozen=True, kw_only=True)
class SimulatorButtonEntityDescription[T](ButtonEntityDescription):
    """A button of a simulated car."""

    press_fn: Callable[[T], object]


@dataclass(frozen=True, kw_only=True)
class SimulatorSwitchEntityDescription[T](SwitchEntityDescription):
    """A switch of a simulated car."""

    is_on_fn: Callable[[T], bool]
    set_fn: Callable[[T, bool], object]


@dataclass(frozen=True, kw_only=True)
class SimulatorSelectEntityDescription[T](SelectEntityDescription):
    """A select of a simulated car or of the simulator."""

    current_fn: Callable[[T], str]
    set_fn: Callable[[T, str], object]


@dataclass(frozen=True, kw_only=True)
class SimulatorNumberEntityDescription[T](NumberEntityDescription):
    """A number of a simulated car or of the simulator."""

    mode: NumberMode = NumberMode.BOX
    native_step: float = 1
    tolerance: float = 0
    """How far the value may change before the state changes. Each change is an entry on the activity page."""
    value_fn: Callable[[T], float]
    set_fn: Callable[[T, float], object]


def _opening(name: str) -> SimulatorSwitchEntityDescription[SimulatedVehicle]:
    return SimulatorSwitchEntityDescription(
        key=name,
        is_on_fn=lambda car: car.body.openings[name],
        set_fn=lambda car, is_open: car.open(name) if is_open else car.close(name),
    )


def _cable(car: SimulatedVehicle) -> str:
    if not car.charging.plugged:
        return "unplugged"
    return "fast_charger" if car.charging.fast else "charging_point"


def _set_cable(car: SimulatedVehicle, cable: str) -> None:
    if cable == _cable(car):
        return
    if car.charging.plugged:
        car.unplug()
    if cable != "unplugged":
        car.plug_in(fast=cable == "fast_charger")


def _plan_drive(car: SimulatedVehicle, miles: float) -> None:
    if not 0 < miles <= FARTHEST:
        message = f"the distance must be more than 0 and at most {FARTHEST} mi"
        raise ValueError(message)
    car.planned_miles = miles


def _set_speed(simulator: Simulator, speed: float) -> None:
    simulator.clock.speed = speed


VEHICLE_CONTROLS: Final[dict[Platform, tuple[EntityDescription, ...]]] = {
    Platform.BUTTON: (
        SimulatorButtonEntityDescription(key="lock", press_fn=SimulatedVehicle.lock),
        SimulatorButtonEntityDescription(key="unlock", press_fn=SimulatedVehicle.unlock),
        SimulatorButtonEntityDescription(key="walk_away", press_fn=SimulatedVehicle.walk_away),
        SimulatorButtonEntityDescription[SimulatedVehicle](
            key="start_drive", press_fn=lambda car: car.drive(car.planned_miles)
        ),
        SimulatorButtonEntityDescription(key="park", press_fn=SimulatedVehicle.stop),
        SimulatorButtonEntityDescription(key="offer_update", press_fn=SimulatedVehicle.offer_update),
        SimulatorButtonEntityDescription(key="fall_asleep", press_fn=SimulatedVehicle.fall_asleep),
    ),
    Platform.SWITCH: (
        *map(_opening, OPENINGS),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="user_present",
            is_on_fn=lambda car: car.body.user_present,
            set_fn=lambda car, is_on: car.enter() if is_on else car.leave(),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="power_supply",
            is_on_fn=lambda car: car.charging.supply_on,
            set_fn=lambda car, is_on: car.power_supply(on=is_on),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="coverage",
            is_on_fn=lambda car: car.covered,
            set_fn=lambda car, is_on: car.coverage(on=is_on),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="service",
            is_on_fn=lambda car: car.in_service,
            set_fn=lambda car, is_on: car.service(on=is_on),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="mobile_access",
            is_on_fn=lambda car: car.mobile_enabled,
            set_fn=lambda car, is_on: car.mobile_access(on=is_on),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="sentry",
            is_on_fn=lambda car: car.body.sentry,
            set_fn=lambda car, is_on: car.sentry(on=is_on),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="weather",
            is_on_fn=lambda car: car.cabin.fixed_outside is None,
            set_fn=lambda car, is_on: car.weather(on=is_on),
        ),
        SimulatorSwitchEntityDescription[SimulatedVehicle](
            key="routine",
            is_on_fn=lambda car: car.follows_routine,
            set_fn=lambda car, is_on: car.routine(on=is_on),
        ),
    ),
    Platform.SELECT: (
        SimulatorSelectEntityDescription(
            key="cable",
            options=["unplugged", "charging_point", "fast_charger"],
            current_fn=_cable,
            set_fn=_set_cable,
        ),
        SimulatorSelectEntityDescription[SimulatedVehicle](
            key="climate_keeper",
            options=list(KEEPER_MODES),
            current_fn=lambda car: car.cabin.keeper,
            set_fn=SimulatedVehicle.climate_keeper,
        ),
    ),
    Platform.NUMBER: (
        SimulatorNumberEntityDescription(
            key="drive",
            device_class=NumberDeviceClass.DISTANCE,
            native_unit_of_measurement=UnitOfLength.MILES,
            native_min_value=1,
            native_max_value=FARTHEST,
            value_fn=lambda car: car.planned_miles,
            set_fn=_plan_drive,
        ),
        SimulatorNumberEntityDescription[SimulatedVehicle](
            key="battery_level",
            device_class=NumberDeviceClass.BATTERY,
            native_unit_of_measurement=PERCENTAGE,
            native_min_value=0,
            native_max_value=100,
            tolerance=2,
            value_fn=lambda car: round(car.charging.level),
            set_fn=SimulatedVehicle.set_level,
        ),
        SimulatorNumberEntityDescription[SimulatedVehicle](
            key="inside_temp",
            device_class=NumberDeviceClass.TEMPERATURE,
            native_unit_of_measurement=UnitOfTemperature.CELSIUS,
            native_min_value=COLDEST,
            native_max_value=HOTTEST,
            native_step=0.1,
            tolerance=2,
            value_fn=lambda car: round(car.cabin.inside, 1),
            set_fn=lambda car, degrees: car.set_temperatures(inside=degrees),
        ),
        SimulatorNumberEntityDescription[SimulatedVehicle](
            key="outside_temp",
            device_class=NumberDeviceClass.TEMPERATURE,
            native_unit_of_measurement=UnitOfTemperature.CELSIUS,
            native_min_value=COLDEST,
            native_max_value=HOTTEST,
            native_step=0.1,
            tolerance=2,
            value_fn=lambda car: round(car.cabin.outside, 1),
            set_fn=lambda car, degrees: car.set_temperatures(outside=degrees),
        ),
    ),
}
SIMULATOR_CONTROLS: Final[dict[Platform, tuple[EntityDescription, ...]]] = {
    Platform.SELECT: (
        SimulatorSelectEntityDescription[Simulator](
            key="fault",
            options=[NONE, *PRESETS],
            current_fn=lambda simulator: simulator.fault_preset.name,
            set_fn=lambda simulator, name: simulator.fault_preset.select(name=name),
        ),
        SimulatorSelectEntityDescription[Simulator](
            key="fault_where",
            options=list(SCOPES),
            current_fn=lambda simulator: simulator.fault_preset.scope,
            set_fn=lambda simulator, scope: simulator.fault_preset.select(scope=scope),
        ),
    ),
    Platform.NUMBER: (
        SimulatorNumberEntityDescription[Simulator](
            key="speed",
            native_min_value=SLOWEST,
            native_max_value=FASTEST,
            value_fn=lambda simulator: simulator.clock.speed,
            set_fn=_set_speed,
        ),
        SimulatorNumberEntityDescription[Simulator](
            key="fault_requests",
            native_min_value=1,
            native_max_value=1000,
            value_fn=lambda simulator: simulator.fault_preset.requests,
            set_fn=lambda simulator, requests: simulator.fault_preset.select(requests=int(requests)),
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class ControlTarget:
    """A simulated car or the simulator, as its controls use it."""

    account: AccountCoordinator
    simulator: Simulator
    controlled: SimulatedVehicle | Simulator
    unique_id_prefix: str
    device_info: dr.DeviceInfo
    subentry_id: str | None = None
    after_control: Callable[[], None] = lambda: None
    """Called after each use of a control."""

    def control(self, control_fn: Callable[..., object], *values: Any) -> None:
        """Use a control. Raises HomeAssistantError with the reason if the simulation refuses that."""
        try:
            control_fn(self.controlled, *values)
        except ValueError as error:
            raise HomeAssistantError(
                translation_domain=DOMAIN,
                translation_key="control_refused",
                translation_placeholders={"reason": str(error)},
            ) from None
        self.account.store.schedule_save()
        self.simulator.notify_observers()
        self.after_control()


class SimulatorEntity(Entity):
    """A control."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, target: ControlTarget, description: EntityDescription) -> None:
        self.entity_description = description
        self.target = target
        self._attr_unique_id = f"{target.unique_id_prefix}-simulation.{description.key}"
        self._attr_translation_key = f"simulation_{description.key}"
        self._attr_device_info = target.device_info


class SimulatorButton(SimulatorEntity, ButtonEntity):
    """A button of a simulated car."""

    entity_description: SimulatorButtonEntityDescription[Any]

    @override
    async def async_press(self) -> None:
        self.target.control(self.entity_description.press_fn)


class SimulatorStateEntity(SimulatorEntity):
    """A control with a state. It shows the simulation's own state, not what the car last reported."""

    _written: object = None

    @override
    async def async_added_to_hass(self) -> None:
        self._written = self.state
        self.async_on_remove(self.target.simulator.observe(self._handle_update))

    @callback
    def _handle_update(self) -> None:
        if self.state != self._written:
            self._written = self.state
            self.async_write_ha_state()


class SimulatorSwitch(SimulatorStateEntity, SwitchEntity):
    """A switch of a simulated car."""

    entity_description: SimulatorSwitchEntityDescription[Any]

    @property
    @override
    def is_on(self) -> bool:
        return self.entity_description.is_on_fn(self.target.controlled)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        self.target.control(self.entity_description.set_fn, True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        self.target.control(self.entity_description.set_fn, False)


class SimulatorSelect(SimulatorStateEntity, SelectEntity):
    """A select of a simulated car or of the simulator."""

    entity_description: SimulatorSelectEntityDescription[Any]

    @property
    @override
    def current_option(self) -> str:
        return self.entity_description.current_fn(self.target.controlled)

    @override
    async def async_select_option(self, option: str) -> None:
        self.target.control(self.entity_description.set_fn, option)


class SimulatorNumber(SimulatorStateEntity, NumberEntity):
    """A number of a simulated car or of the simulator."""

    entity_description: SimulatorNumberEntityDescription[Any]
    _shown: float | None = None

    @override
    def get_initial_entity_options(self) -> er.EntityOptionsType | None:
        return number_options(self)

    @property
    @override
    def native_value(self) -> float:
        value = self.entity_description.value_fn(self.target.controlled)
        if self._shown is None or abs(value - self._shown) > self.entity_description.tolerance:
            self._shown = value
        return self._shown

    @override
    async def async_set_native_value(self, value: float) -> None:
        self._shown = None
        self.target.control(self.entity_description.set_fn, value)


_ENTITY_CLASSES: Final[dict[Platform, type[SimulatorEntity]]] = {
    Platform.BUTTON: SimulatorButton,
    Platform.SWITCH: SimulatorSwitch,
    Platform.SELECT: SimulatorSelect,
    Platform.NUMBER: SimulatorNumber,
}


@callback
def add_controls(
    account: AccountCoordinator,
    simulator: Simulator,
    async_add_entities: AddConfigEntryEntitiesCallback,
    platform: Platform,
) -> None:
    """Add a platform's controls to a simulated account."""

    def add(target: ControlTarget, controls: dict[Platform, tuple[EntityDescription, ...]]) -> None:
        create_entity = _ENTITY_CLASSES[platform]
        entities = [create_entity(target, description) for description in controls.get(platform, ())]
        async_add_entities(entities, config_subentry_id=target.subentry_id)

    add(_simulator_target(account, simulator), SIMULATOR_CONTROLS)
    vehicles = {vehicle.vin: vehicle for vehicle in simulator.vehicles}
    for coordinator in account.vehicles.values():
        if (vehicle := vehicles.get(coordinator.vin)) is not None:
            add(_vehicle_target(account, simulator, coordinator, vehicle), VEHICLE_CONTROLS)


def _simulator_target(account: AccountCoordinator, simulator: Simulator) -> ControlTarget:
    entry = account.config_entry
    return ControlTarget(
        account=account,
        simulator=simulator,
        controlled=simulator,
        unique_id_prefix=entry.entry_id,
        device_info=account_device_info(entry),
    )


def _vehicle_target(
    account: AccountCoordinator,
    simulator: Simulator,
    coordinator: VehicleCoordinator,
    vehicle: SimulatedVehicle,
) -> ControlTarget:
    vehicle_device = coordinator.async_create_device()
    return ControlTarget(
        account=account,
        simulator=simulator,
        controlled=vehicle,
        unique_id_prefix=vehicle.vin,
        device_info=simulation_device_info(vehicle.vin, coordinator.title, vehicle_device.id),
        subentry_id=coordinator.subentry_id,
        after_control=coordinator.async_read_soon,
    )
