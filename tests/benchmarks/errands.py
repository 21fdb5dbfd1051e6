"""What a person does to a car again and again, and back."""

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

from .found import CHARGE_LIMIT, LOCK


@dataclass(frozen=True, slots=True)
class Step:
    """A service that is used, and what follows."""

    service: str
    state: str
    """What the entity shows then."""
    command: Command
    """What the car is told."""
    data: Mapping[str, Any] = field(default_factory=dict)
    query: str = ""


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that is done with one entity, and undone."""

    platform: Platform
    path: str
    """What the entity shows."""
    steps: tuple[Step, Step]


def _limit(percent: int) -> Step:
    return Step(
        SERVICE_SET_VALUE, str(percent), SET_CHARGE_LIMIT, {ATTR_VALUE: percent}, f"?percent={percent}"
    )


ERRANDS: Final[Mapping[str, Errand]] = {
    LOCK: Errand(
        Platform.LOCK,
        VehicleState.locked.path,
        (
            Step(SERVICE_UNLOCK, LockState.UNLOCKED, DOOR_UNLOCK),
            Step(SERVICE_LOCK, LockState.LOCKED, DOOR_LOCK),
        ),
    ),
    CHARGE_LIMIT: Errand(Platform.NUMBER, ChargeState.charge_limit_soc.path, (_limit(70), _limit(75))),
}
