"""Controls of simulated cars and of the simulator, and its price of electricity, for simulated accounts.

A car's controls do by hand what no command can do, for example open a door. They belong to a second device of
the car. The simulator's controls and its price belong to the account's device.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, override

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.components.number import NumberDeviceClass, NumberEntityDescription, NumberMode
from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.components.sensor import SensorEntity, SensorEntityDescription
from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.const import PERCENTAGE, Platform, UnitOfEnergy, UnitOfLength, UnitOfTemperature
from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity, EntityDescription
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_track_time_change
from homeassistant.util import dt as dt_util

from ..account.simulator import tariff_entity_id
from ..const import CONF_SEED, CONF_SIMULATOR, DOMAIN
from ..coordinator import AccountCoordinator
from ..device_info import account_device_info, simulation_device_info
from ..entity_descriptions import UnitSystemNumber
from ..simulator import SimulatedVehicle, Simulator
from ..simulator.car.body import OPENINGS
from ..simulator.car.cabin import KEEPER_MODES
from ..simulator.controls import COLDEST, FARTHEST, HOTTEST, ON_OFF_CONTROLS
from ..simulator.faults.presets import NONE, PRESETS, SCOPES
from ..simulator.tariff import Tariff
from ..vehicle.coordinator import VehicleCoordinator

# From this hour of local time on, the prices of the next day are known.
_TOMORROW_FROM: Final = 13


@dataclass(frozen=True)
class SimulatorControl:
    """The value of a control and its effect. Both functions get the car or the simulator."""

    description: EntityDescription
    set_fn: Callable[..., object] = lambda *_: None
    value_fn: Callable[[Any], Any] = lambda _: None
    tolerance: float = 0
    """Smaller changes of a number are not shown. Home Assistant's activity page would list each of them."""


def _opening(name: str) -> SimulatorControl:
    return SimulatorControl(
        SwitchEntityDescription(key=name),
        lambda car, is_open: car.open(name) if is_open else car.close(name),
        lambda car: car.body.openings[name],
    )


def _switch(name: str) -> SimulatorControl:
    return SimulatorControl(
        SwitchEntityDescription(key=name), lambda car, on: getattr(car, name)(on=on), ON_OFF_CONTROLS[name]
    )


def _temperature(place: str) -> SimulatorControl:
    return SimulatorControl(
        NumberEntityDescription(
            key=f"{place}_temp",
            device_class=NumberDeviceClass.TEMPERATURE,
            native_unit_of_measurement=UnitOfTemperature.CELSIUS,
            native_min_value=COLDEST,
            native_max_value=HOTTEST,
            native_step=0.1,
        ),
        lambda car, degrees: car.set_temperatures(**{place: degrees}),
        lambda car: round(getattr(car.cabin, place), 1),
        tolerance=2,
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


VEHICLE_CONTROLS: Final[dict[Platform, tuple[SimulatorControl, ...]]] = {
    Platform.BUTTON: (
        SimulatorControl(ButtonEntityDescription(key="lock"), SimulatedVehicle.lock),
        SimulatorControl(ButtonEntityDescription(key="unlock"), SimulatedVehicle.unlock),
        SimulatorControl(ButtonEntityDescription(key="walk_away"), SimulatedVehicle.walk_away),
        SimulatorControl(
            ButtonEntityDescription(key="start_drive"), lambda car: car.drive(car.planned_miles)
        ),
        SimulatorControl(ButtonEntityDescription(key="park"), SimulatedVehicle.stop),
        SimulatorControl(ButtonEntityDescription(key="offer_update"), SimulatedVehicle.offer_update),
        SimulatorControl(ButtonEntityDescription(key="fall_asleep"), SimulatedVehicle.fall_asleep),
    ),
    Platform.SWITCH: (
        *map(_opening, OPENINGS),
        SimulatorControl(
            SwitchEntityDescription(key="user_present"),
            lambda car, is_on: car.enter() if is_on else car.leave(),
            lambda car: car.body.user_present,
        ),
        *map(_switch, ON_OFF_CONTROLS),
    ),
    Platform.SELECT: (
        SimulatorControl(
            SelectEntityDescription(key="cable", options=["unplugged", "charging_point", "fast_charger"]),
            _set_cable,
            _cable,
        ),
        SimulatorControl(
            SelectEntityDescription(key="climate_keeper", options=list(KEEPER_MODES)),
            SimulatedVehicle.climate_keeper,
            lambda car: car.cabin.keeper,
        ),
    ),
    Platform.NUMBER: (
        SimulatorControl(
            NumberEntityDescription(
                key="drive",
                device_class=NumberDeviceClass.DISTANCE,
                native_unit_of_measurement=UnitOfLength.MILES,
                native_min_value=1,
                native_max_value=FARTHEST,
            ),
            _plan_drive,
            lambda car: car.planned_miles,
        ),
        SimulatorControl(
            NumberEntityDescription(
                key="battery_level",
                device_class=NumberDeviceClass.BATTERY,
                native_unit_of_measurement=PERCENTAGE,
                native_min_value=0,
                native_max_value=100,
            ),
            SimulatedVehicle.set_level,
            lambda car: round(car.charging.level),
            tolerance=2,
        ),
        _temperature("inside"),
        _temperature("outside"),
    ),
}
SIMULATOR_CONTROLS: Final[dict[Platform, tuple[SimulatorControl, ...]]] = {
    Platform.SENSOR: (SimulatorControl(SensorEntityDescription(key="electricity_price")),),
    Platform.SELECT: (
        SimulatorControl(
            SelectEntityDescription(key="fault", options=[NONE, *PRESETS]),
            lambda simulator, name: simulator.fault_preset.select(name=name),
            lambda simulator: simulator.fault_preset.name,
        ),
        SimulatorControl(
            SelectEntityDescription(key="fault_where", options=list(SCOPES)),
            lambda simulator, scope: simulator.fault_preset.select(scope=scope),
            lambda simulator: simulator.fault_preset.scope,
        ),
    ),
    Platform.NUMBER: (
        SimulatorControl(
            NumberEntityDescription(key="fault_requests", native_min_value=1, native_max_value=1000),
            lambda simulator, requests: simulator.fault_preset.select(requests=int(requests)),
            lambda simulator: simulator.fault_preset.requests,
        ),
    ),
}


class SimulatorEntity(Entity):
    """A control. It shows the simulation's own state, not what the car last reported."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(
        self,
        account: AccountCoordinator,
        simulator: Simulator,
        control: SimulatorControl,
        device_info: DeviceInfo,
        car: SimulatedVehicle | None = None,
        coordinator: VehicleCoordinator | None = None,
    ) -> None:
        self.entity_description = control.description
        self.control = control
        self._account = account
        self._simulator = simulator
        self._controlled = car or simulator
        self._coordinator = coordinator
        owner = car.vin if car else account.config_entry.entry_id
        self._attr_unique_id = f"{owner}-simulation.{control.description.key}"
        self._attr_translation_key = f"simulation_{control.description.key}"
        self._attr_device_info = device_info

    @override
    async def async_added_to_hass(self) -> None:
        self.async_on_remove(self._simulator.observe(self.async_write_ha_state))

    @property
    def controlled_value(self) -> Any:
        return self.control.value_fn(self._controlled)

    def use(self, *values: Any) -> None:
        """Use the control. Raises HomeAssistantError with the reason if the simulation refuses that."""
        try:
            self.control.set_fn(self._controlled, *values)
        except ValueError as error:
            raise HomeAssistantError(
                translation_domain=DOMAIN,
                translation_key="control_refused",
                translation_placeholders={"reason": str(error)},
            ) from None
        self._account.store.schedule_save()
        self._simulator.notify_observers()
        if self._coordinator is not None:
            self._coordinator.read_soon.async_schedule_call()


class SimulatorButton(SimulatorEntity, ButtonEntity):
    """A button of a simulated car."""

    @override
    async def async_press(self) -> None:
        self.use()


class SimulatorSwitch(SimulatorEntity, SwitchEntity):
    """A switch of a simulated car."""

    @property
    @override
    def is_on(self) -> bool:
        return bool(self.controlled_value)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        self.use(True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        self.use(False)


class SimulatorSelect(SimulatorEntity, SelectEntity):
    """A select of a simulated car or of the simulator."""

    @property
    @override
    def current_option(self) -> str:
        return str(self.controlled_value)

    @override
    async def async_select_option(self, option: str) -> None:
        self.use(option)


class SimulatorNumber(SimulatorEntity, UnitSystemNumber):
    """A number of a simulated car or of the simulator."""

    _attr_mode = NumberMode.BOX
    _shown: float | None = None

    @property
    @override
    def native_value(self) -> float:
        value: float = self.controlled_value
        if self._shown is None or abs(value - self._shown) > self.control.tolerance:
            self._shown = value
        return self._shown

    @override
    async def async_set_native_value(self, value: float) -> None:
        self._shown = None
        self.use(value)


class SimulatedPrice(SimulatorEntity, SensorEntity):
    """The price of one kWh now, with all known prices as an attribute, like sensors of real tariffs."""

    _unrecorded_attributes = frozenset({"prices"})

    def __init__(self, account: AccountCoordinator, simulator: Simulator, *args: Any) -> None:
        super().__init__(account, simulator, *args)
        self._settings = account.config_entry.data[CONF_SIMULATOR]
        # The cars that are added with the account name it as their price sensor.
        self.entity_id = tariff_entity_id(self._settings)

    @override
    async def async_added_to_hass(self) -> None:
        self._show(dt_util.now())
        self.async_on_remove(async_track_time_change(self.hass, self._show, minute=0, second=0))

    @callback
    def _show(self, now: datetime) -> None:
        """Show the price of this hour. `now`: local time."""
        currency, zone = self.hass.config.currency, dt_util.get_default_time_zone()
        tariff = Tariff(self._settings[CONF_SEED], currency, zone)
        local = partial(datetime.fromtimestamp, tz=zone)
        today = now.date()
        days = [today, today + timedelta(days=1)] if now.hour >= _TOMORROW_FROM else [today]
        self._attr_native_value = tariff.at(now.timestamp()).price
        self._attr_native_unit_of_measurement = f"{currency}/{UnitOfEnergy.KILO_WATT_HOUR}"
        self._attr_extra_state_attributes = {
            "prices": [
                {"start": local(hour.start), "end": local(hour.end), "price": hour.price}
                for day in days
                for hour in tariff.day(day)
            ]
        }
        self.async_write_ha_state()


_ENTITY_CLASSES: Final[dict[Platform, type[SimulatorEntity]]] = {
    Platform.BUTTON: SimulatorButton,
    Platform.SWITCH: SimulatorSwitch,
    Platform.SELECT: SimulatorSelect,
    Platform.NUMBER: SimulatorNumber,
    Platform.SENSOR: SimulatedPrice,
}


def add_controls(
    account: AccountCoordinator,
    simulator: Simulator,
    async_add_entities: AddConfigEntryEntitiesCallback,
    platform: Platform,
) -> None:
    if platform not in _ENTITY_CLASSES:
        return
    registry = er.async_get(account.hass)
    # 1.0.0 had a time factor.
    unique_id = f"{account.config_entry.entry_id}-simulation.speed"
    if entity_id := registry.async_get_entity_id(Platform.NUMBER, DOMAIN, unique_id):
        registry.async_remove(entity_id)
    create = partial(_ENTITY_CLASSES[platform], account, simulator)
    info = account_device_info(account.config_entry)
    async_add_entities(create(control, info) for control in SIMULATOR_CONTROLS.get(platform, ()))
    coordinators = {coordinator.vin: coordinator for coordinator in account.vehicles.values()}
    for car in simulator.vehicles:
        if (coordinator := coordinators.get(car.vin)) is None:
            continue
        info = simulation_device_info(car.vin, coordinator.title, coordinator.async_create_device().id)
        async_add_entities(
            [create(control, info, car, coordinator) for control in VEHICLE_CONTROLS.get(platform, ())],
            config_subentry_id=coordinator.subentry_id,
        )
