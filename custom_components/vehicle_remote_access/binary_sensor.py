"""Binary sensors: every yes or no of the table, and what a person asks that no single field says."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, override

from homeassistant.components.binary_sensor import BinarySensorDeviceClass, BinarySensorEntity
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.fields import BINARY, Field
from .api.records import DOORS, FIELDS, ChargeState, DriveState, Vehicle, VehicleState
from .coordinator import Account, VehicleConfigEntry, VehicleCoordinator
from .entity import AccountEntity, DrawnEntity, VehicleEntity, add_to_each_vehicle
from .entity_descriptions import BINARY_LOOKS

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Question:
    """A yes or no that is drawn from one or more fields; the first of them names it."""

    fields: tuple[Field[Any], ...]
    answer: Callable[[Vehicle], bool | None]
    device_class: BinarySensorDeviceClass | None = None
    diagnostic: bool = False
    what: str = ""
    """Tells it from another binary sensor on the same field."""


def _is_one_of(field: Field[str], *values: str) -> Callable[[Vehicle], bool | None]:
    def answer(vehicle: Vehicle) -> bool | None:
        return None if (value := field.of(vehicle)) is None else value in values

    return answer


def _is_unlatched(vehicle: Vehicle) -> bool | None:
    """A latch that blocks has no cable to hold, so it is neither locked nor unlocked."""
    return {"engaged": False, "disengaged": True}.get(vehicle.charge_state.charge_port_latch or "")


def _is_a_door_open(vehicle: Vehicle) -> bool | None:
    doors = [door.of(vehicle) for door in DOORS]
    if any(doors):
        return True
    return None if None in doors else False


_is_driving: Final = _is_one_of(DriveState.shift_state, "d", "r", "n")


def _is_left_unlocked(vehicle: Vehicle) -> bool | None:
    """Return whether anybody could get in while nobody is there: one reason against it is enough."""
    body = vehicle.vehicle_state
    against = (body.locked, body.is_user_present, _is_driving(vehicle))
    if any(against):
        return False
    return None if None in against else True


FLAGS: Final = tuple(field for field in FIELDS if field.place is BINARY)
QUESTIONS: Final = (
    Question(
        fields=(Vehicle.state,),
        answer=_is_one_of(Vehicle.state, "online"),
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        diagnostic=True,
    ),
    Question(
        fields=(ChargeState.charging_state,),
        answer=_is_one_of(ChargeState.charging_state, "starting", "charging"),
        device_class=BinarySensorDeviceClass.BATTERY_CHARGING,
    ),
    Question(
        fields=(ChargeState.conn_charge_cable, ChargeState.charging_state),
        answer=lambda vehicle: vehicle.charge_state.is_plugged_in,
        device_class=BinarySensorDeviceClass.PLUG,
    ),
    Question(
        fields=(ChargeState.charge_port_latch,),
        answer=_is_unlatched,
        device_class=BinarySensorDeviceClass.LOCK,
    ),
    Question(
        fields=(DriveState.shift_state,),
        answer=_is_driving,
        device_class=BinarySensorDeviceClass.MOVING,
    ),
    Question(
        fields=DOORS,
        answer=_is_a_door_open,
        # With class door, an open door would fire Home Assistant's door trigger twice.
        device_class=BinarySensorDeviceClass.OPENING,
        what="any",
    ),
    Question(
        fields=(VehicleState.locked, VehicleState.is_user_present, DriveState.shift_state),
        answer=_is_left_unlocked,
        device_class=BinarySensorDeviceClass.SAFETY,
        what="left",
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the binary sensors."""

    def entities_of(vehicle: VehicleCoordinator) -> list[VehicleEntity]:
        return [
            *(VehicleFlag(vehicle, field) for field in FLAGS),
            *(VehicleQuestion(vehicle, question) for question in QUESTIONS),
        ]

    async_add_entities([ServiceReachable(entry.runtime_data)])
    add_to_each_vehicle(entry, async_add_entities, entities_of)


class VehicleFlag(VehicleEntity, BinarySensorEntity):
    """A yes or no of the interface document."""

    def __init__(self, coordinator: VehicleCoordinator, field: Field[Any]) -> None:
        """Take the field's line and its kind's look."""
        super().__init__(coordinator, field.path, field, shown_if=field.shown_if)
        self.describe(field)
        self.field = field
        self._attr_device_class = BINARY_LOOKS[field.kind]

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the field's value."""
        value: bool | None = self.field.of(self.vehicle)
        return value


class VehicleQuestion(DrawnEntity, BinarySensorEntity):
    """A yes or no that is drawn from what the car says."""

    def __init__(self, coordinator: VehicleCoordinator, question: Question) -> None:
        """Take the question's line."""
        path = ".".join(filter(None, (question.fields[0].path, question.what)))
        super().__init__(coordinator, path, *question.fields)
        self.question = question
        self._attr_device_class = question.device_class
        self._attr_entity_category = EntityCategory.DIAGNOSTIC if question.diagnostic else None

    @property
    @override
    def drawn(self) -> bool | None:
        """Return the answer, or None as long as the car has not said enough."""
        return self.question.answer(self.vehicle)

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the answer."""
        return self.drawn


class ServiceReachable(AccountEntity, BinarySensorEntity):
    """Whether the service answers, be it with a no."""

    _attr_device_class = BinarySensorDeviceClass.CONNECTIVITY

    def __init__(self, account: Account) -> None:
        """Look at what became of the account's last request."""
        super().__init__(account, "service_reachable")
        self._shown = account.is_reachable

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it answered, or None before it was asked."""
        return self.coordinator.is_reachable

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Show what is new, which it seldom is."""
        if self._shown is not self.is_on:
            self._shown = self.is_on
            super()._handle_coordinator_update()
