"""The commands that are measured. Each has two steps that undo each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from homeassistant.components.lock.const import LockState
from homeassistant.components.number.const import ATTR_VALUE, SERVICE_SET_VALUE
from homeassistant.const import SERVICE_LOCK, SERVICE_UNLOCK, Platform

from custom_components.vehicle_remote_access.api.commands import (
    DOOR_LOCK,
    DOOR_UNLOCK,
    SET_CHARGE_LIMIT,
    Command,
)
from custom_components.vehicle_remote_access.api.records import ChargeState, VehicleState

from .results import CHARGE_LIMIT, LOCK


@dataclass(frozen=True, slots=True)
class CommandStep:
    """A service call and its effect."""

    service: str
    state: str
    """The entity's state afterwards."""
    command: Command
    data: Mapping[str, Any] = field(default_factory=dict)
    query: str = ""


@dataclass(frozen=True, slots=True)
class CommandPair:
    """Two steps with one entity."""

    platform: Platform
    path: str
    """The path of the field that the entity shows."""
    steps: tuple[CommandStep, CommandStep]


def _set_limit(percent: int) -> CommandStep:
    return CommandStep(
        SERVICE_SET_VALUE, str(percent), SET_CHARGE_LIMIT, {ATTR_VALUE: percent}, f"?percent={percent}"
    )


COMMANDS: Final[Mapping[str, CommandPair]] = {
    LOCK: CommandPair(
        Platform.LOCK,
        VehicleState.locked.path,
        (
            CommandStep(SERVICE_UNLOCK, LockState.UNLOCKED, DOOR_UNLOCK),
            CommandStep(SERVICE_LOCK, LockState.LOCKED, DOOR_LOCK),
        ),
    ),
    CHARGE_LIMIT: CommandPair(
        Platform.NUMBER, ChargeState.charge_limit_soc.path, (_set_limit(70), _set_limit(75))
    ),
}
