"""Binary sensors: the boolean fields, and conditions that are derived from several fields."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Final, override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.components.cover import CoverEntityFeature
from homeassistant.const import EntityCategory
from homeassistant.exceptions import HomeAssistantError

from .account.provider import stream_url_of
from .api.fields import BINARY_SENSOR
from .api.records import DOORS, FIELDS, TIRE_WARNINGS, WINDOWS, ChargeState, DriveState, Vehicle, VehicleState
from .coordinator import AccountCoordinator
from .entity import AccountEntity, VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform
from .entity_descriptions import BINARY_SENSOR_DEVICE_CLASSES
from .vehicle.derived_values import DerivedValue

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class VehicleBinarySensorEntityDescription(VehicleEntityDescription, BinarySensorEntityDescription):
    """A binary sensor that shows a boolean field, or a condition of one or more fields."""

    is_on_fn: Callable[[Vehicle], bool | None]
    attributes_fn: Callable[[Vehicle], dict[str, Any]] | None = None


def _is_unlatched(vehicle: Vehicle) -> bool | None:
    """Return whether the latch is open. Blocking, the closed port without a cable, is unknown."""
    return {"engaged": False, "disengaged": True}.get(vehicle.charge_state.charge_port_latch or "")


FIELD_BINARY_SENSORS: Final = tuple(
    VehicleBinarySensorEntityDescription.for_field(
        field, device_class=BINARY_SENSOR_DEVICE_CLASSES[field.value_type], is_on_fn=field.get
    )
    for field in FIELDS
    if field.shown_as is BINARY_SENSOR
)
DERIVED_BINARY_SENSORS: Final = (
    VehicleBinarySensorEntityDescription(
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        fields=(Vehicle.state,),
        is_on_fn=lambda vehicle: vehicle.is_online,
    ),
    VehicleBinarySensorEntityDescription(
        device_class=BinarySensorDeviceClass.BATTERY_CHARGING,
        trigger_feature=CoverEntityFeature.OPEN,
        fields=(ChargeState.charging_state,),
        is_on_fn=lambda vehicle: vehicle.charge_state.is_charging,
    ),
    VehicleBinarySensorEntityDescription(
        device_class=BinarySensorDeviceClass.PLUG,
        trigger_feature=CoverEntityFeature.OPEN,
        fields=(ChargeState.conn_charge_cable, ChargeState.charging_state),
        is_on_fn=lambda vehicle: vehicle.charge_state.is_plugged_in,
    ),
    VehicleBinarySensorEntityDescription(
        device_class=BinarySensorDeviceClass.LOCK,
        fields=(ChargeState.charge_port_latch,),
        is_on_fn=_is_unlatched,
    ),
    VehicleBinarySensorEntityDescription(
        device_class=BinarySensorDeviceClass.MOVING,
        trigger_feature=CoverEntityFeature.OPEN,
        fields=(DriveState.shift_state,),
        is_on_fn=lambda vehicle: vehicle.drive_state.is_driving,
    ),
    VehicleBinarySensorEntityDescription(
        key=f"{VehicleState.df.path}.any",
        # With device class door, an open door would fire Home Assistant's door trigger twice.
        device_class=BinarySensorDeviceClass.OPENING,
        fields=DOORS,
        is_on_fn=lambda vehicle: vehicle.is_any_door_open,
    ),
    VehicleBinarySensorEntityDescription(
        key=f"{VehicleState.locked.path}.left",
        device_class=BinarySensorDeviceClass.SAFETY,
        trigger_feature=CoverEntityFeature.OPEN,
        fields=(VehicleState.locked, VehicleState.is_user_present, DriveState.shift_state),
        is_on_fn=lambda vehicle: vehicle.is_left_unlocked,
    ),
    VehicleBinarySensorEntityDescription(
        key=f"{VehicleState.fd_window.path}.left",
        # With device class window, an open window would fire Home Assistant's window trigger twice.
        device_class=BinarySensorDeviceClass.PROBLEM,
        trigger_feature=CoverEntityFeature.CLOSE,
        fields=(*WINDOWS, VehicleState.is_user_present, DriveState.shift_state),
        is_on_fn=lambda vehicle: vehicle.are_windows_left_open,
    ),
    VehicleBinarySensorEntityDescription(
        key=f"{VehicleState.tpms_soft_warning_fl.path}.any",
        device_class=BinarySensorDeviceClass.PROBLEM,
        trigger_feature=CoverEntityFeature.OPEN,
        fields=tuple(chain.from_iterable(TIRE_WARNINGS.values())),
        is_on_fn=lambda vehicle: None if vehicle.low_tires is None else bool(vehicle.low_tires),
        attributes_fn=lambda vehicle: {"tires": vehicle.low_tires},
    ),
)
SERVICE_REACHABLE: Final = BinarySensorEntityDescription(
    key="service_reachable", device_class=BinarySensorDeviceClass.CONNECTIVITY
)
ACCOUNT_LIVE_DATA: Final = BinarySensorEntityDescription(
    key="live_data", device_class=BinarySensorDeviceClass.CONNECTIVITY
)
CAR_LIVE_DATA: Final = VehicleEntityDescription(
    key="live_data",
    fields=(DerivedValue.STREAM,),
    offered_fn=lambda service_type: service_type.stream is not None and service_type.stream.is_per_car,
)


class VehicleBinarySensor(VehicleEntity, BinarySensorEntity):
    """A boolean field, or a condition of one or more fields."""

    entity_description: VehicleBinarySensorEntityDescription

    @override
    def _update_attributes(self) -> None:
        description = self.entity_description
        self._attr_is_on = description.is_on_fn(self.vehicle)
        if description.attributes_fn is not None:
            self._attr_extra_state_attributes = description.attributes_fn(self.vehicle)
        self._shown = self._attr_is_on, self.extra_state_attributes


class CarLiveData(VehicleEntity, BinarySensorEntity):
    """Whether the stream of a car is connected, if each car has one."""

    needs_recent_data = False
    _attr_device_class = BinarySensorDeviceClass.CONNECTIVITY
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    @property
    @override
    def is_installed(self) -> bool:
        return stream_url_of(self.coordinator.config_entry.data) is not None

    @override
    def _update_attributes(self) -> None:
        self._attr_is_on = self.coordinator.derived_values[DerivedValue.STREAM]
        self._shown = (self.is_on,)


class AccountLiveData(AccountEntity, BinarySensorEntity):
    """Whether the stream with the data of all cars is connected."""

    @classmethod
    @override
    def is_offered(cls, account: AccountCoordinator) -> bool:
        return account.streams.is_shared

    @override
    def _update_attributes(self) -> None:
        self._attr_is_on = self.coordinator.streams.is_connected
        self._shown = (self.is_on,)


class ServiceReachable(AccountEntity, BinarySensorEntity):
    """Whether the service answers requests. An error response counts as an answer.

    While updates fail, attributes have the reason, which is a key of the exceptions in the translations.
    """

    _unrecorded_attributes = frozenset({"reason", "placeholders", "since"})

    @override
    def _update_attributes(self) -> None:
        # Unknown before the first request
        self._attr_is_on = self.coordinator.is_reachable
        error, since = self.coordinator.last_exception, self.coordinator.failing_since
        self._attr_extra_state_attributes = {}
        if since is not None and isinstance(error, HomeAssistantError):
            self._attr_extra_state_attributes = {
                "reason": error.translation_key,
                "placeholders": error.translation_placeholders,
                "since": since.isoformat(),
            }
        self._shown = self.is_on, self.extra_state_attributes


async_setup_entry = partial(
    async_setup_vehicle_platform,
    descriptions={
        VehicleBinarySensor: FIELD_BINARY_SENSORS + DERIVED_BINARY_SENSORS,
        CarLiveData: [CAR_LIVE_DATA],
    },
    account_descriptions={ServiceReachable: [SERVICE_REACHABLE], AccountLiveData: [ACCOUNT_LIVE_DATA]},
)
