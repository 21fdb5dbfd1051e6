"""Commands to heaters and coolers, which only work while climate control is on."""

from collections.abc import Mapping
from typing import Any

from ..api.commands import AUTO_CONDITIONING_START, Command
from ..api.fields import Field
from ..api.records import ClimateState
from .command_queue import CommandQueue


async def async_send_to_heater(
    commands: CommandQueue,
    command: Command,
    expected: Mapping[Field[Any], Any],
    is_turned_on: bool,  # noqa: FBT001 - the name of a value of some commands is `on`
    /,
    **values: Any,
) -> None:
    """Send a command. If it turns a heater on, turn on climate control first."""
    if is_turned_on and not commands.pending_value(ClimateState.is_climate_on):
        with commands.announced(command, expected, values) as announced:
            await commands.async_send(AUTO_CONDITIONING_START)
            if commands.is_superseded(announced):
                # A later request for the same heater decides.
                return
    await commands.async_send(command, expected, **values)
