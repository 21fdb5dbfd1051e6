"""Buttons: what a car does once when it is told to, and a look at it now."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, override

from homeassistant.components.button import ButtonEntity
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import (
    CHARGE_MAX_RANGE,
    CHARGE_STANDARD,
    FLASH_LIGHTS,
    HONK_HORN,
    RESET_VALET_PIN,
    SUN_ROOF_CONTROL,
    WAKE_UP,
    Command,
)
from .api.fields import Field
from .api.records import ChargeState, VehicleConfig
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_simulation, add_to_each_vehicle

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Press:
    """A command that needs no answer to the question how much."""

    command: Command
    sent_with: Mapping[str, str] = field(default_factory=dict)
    what: str = ""
    """Tells it from another button of the same command."""
    category: EntityCategory | None = None
    enabled: bool = True
    shown_if: Field[Any] | None = None


BUTTONS: Final = (
    Press(command=HONK_HORN),
    Press(command=FLASH_LIGHTS),
    Press(command=CHARGE_STANDARD, shown_if=ChargeState.charge_limit_soc_std),
    Press(command=CHARGE_MAX_RANGE),
    *(
        Press(
            command=SUN_ROOF_CONTROL,
            sent_with={"state": preset},
            what=preset,
            shown_if=VehicleConfig.sun_roof_installed,
        )
        for preset in ("vent", "comfort")
    ),
    Press(command=RESET_VALET_PIN, category=EntityCategory.CONFIG, enabled=False),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the buttons."""
    add_to_each_vehicle(
        entry,
        async_add_entities,
        lambda vehicle: [
            *(CommandButton(vehicle, line) for line in BUTTONS),
            WakeUpButton(vehicle),
            RefreshButton(vehicle),
        ],
    )
    await add_simulation(hass, entry, async_add_entities, Platform.BUTTON)


class CommandButton(VehicleEntity, ButtonEntity):
    """Sends its command."""

    def __init__(self, coordinator: VehicleCoordinator, line: Press) -> None:
        """Take the line of the table."""
        path = ".".join(filter(None, (line.command.name, line.what)))
        super().__init__(coordinator, path, shown_if=line.shown_if)
        self.line = line
        self._attr_entity_category = line.category
        self._attr_entity_registry_enabled_default = line.enabled

    @override
    async def async_press(self) -> None:
        """Tell the car."""
        await self.send(self.line.command, **self.line.sent_with)


class WakeUpButton(VehicleEntity, ButtonEntity):
    """Wakes the car and does nothing else."""

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Stand for the one command whose answer is not a result."""
        super().__init__(coordinator, WAKE_UP.name)

    @override
    async def async_press(self) -> None:
        """Wake the car and wait until it is awake."""
        await self.coordinator.orders.wake_up()


class RefreshButton(VehicleEntity, ButtonEntity):
    """Reads the car now, unless it sleeps."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Stand for no field and no command."""
        super().__init__(coordinator, "refresh")

    @override
    async def async_press(self) -> None:
        """Read the car, or say why it could not be read."""
        if not await self.coordinator.read_now() and self.coordinator.look_error is not None:
            raise self.coordinator.look_error
