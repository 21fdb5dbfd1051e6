"""Commands to heaters and coolers, which only work while climate control is on."""

from typing import Any

from .api.commands import AUTO_CONDITIONING_START, Command
from .api.fields import Field
from .api.records import ClimateState
from .vehicle.command_queue import CommandQueue


async def async_send_to_heater(
    commands: CommandQueue, command: Command, field: Field[Any], state: Any, **values: Any
) -> None:
    """Turn climate control on if the heater is turned on, and send a command. `field` shows `state` then."""
    is_turned_on = state not in ("off", False)
    if is_turned_on and not commands.pending_value(ClimateState.is_climate_on):
        await commands.async_send(AUTO_CONDITIONING_START)
    await commands.async_send(command, {field: state}, **values)
