"""The step of the flows that add vehicles in which a user chooses whether they continue their kept logs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from homeassistant.data_entry_flow import FlowHandler, FlowResult
from homeassistant.util import dt as dt_util

from .account.discovery import DiscoveredVehicle, configured_vins
from .account.markdown import escape_markdown
from .account.storage import remove_log
from .const import CONF_USE_LOG
from .drive_log.kept_logs import KeptLog, find_kept_logs
from .schemas import KEPT_LOG_SCHEMA


class KeptLogFlow[ResultT: FlowResult[Any, Any]](FlowHandler[Any, ResultT, Any]):
    """Asks about the logs that are kept of the vehicles that a flow adds."""

    _found: Sequence[DiscoveredVehicle]
    """The vehicles to add."""
    _kept: Sequence[KeptLog]
    _finish: Callable[[Sequence[DiscoveredVehicle]], ResultT]

    async def _finish_with_logs(
        self, vehicles: Sequence[DiscoveredVehicle], finish: Callable[[Sequence[DiscoveredVehicle]], ResultT]
    ) -> ResultT:
        """Finish the flow with these vehicles. If logs of them are kept, ask before."""
        self._found, self._finish = vehicles, finish
        self._kept = await find_kept_logs(self.hass, [vehicle.vin for vehicle in vehicles])
        return await self.async_step_kept_log() if self._kept else finish(vehicles)

    async def async_step_kept_log(self, user_input: dict[str, Any] | None = None) -> ResultT:
        """Ask whether to use the kept logs. Otherwise, they are deleted."""
        # If a vehicle was removed several times, the last log counts.
        logs = {each.vin: each for each in self._kept}
        if user_input is None:
            rows = [_row(vehicle, logs[vehicle.vin]) for vehicle in self._found if vehicle.vin in logs]
            return self.async_show_form(
                step_id="kept_log",
                data_schema=KEPT_LOG_SCHEMA,
                description_placeholders={"logs": "\n".join(rows)},
            )
        if not configured_vins(self.hass).isdisjoint(vehicle.vin for vehicle in self._found):
            # Another flow added it in the meantime.
            return self.async_abort(reason="already_configured")
        if user_input[CONF_USE_LOG]:
            names = {vin: each.name for vin, each in logs.items()}
            return self._finish([replace(each, log_name=names.get(each.vin)) for each in self._found])
        # This fails if the account was removed in the meantime.
        result = self._finish(self._found)
        for each in self._kept:
            await remove_log(self.hass, each.name)
        return result


def _row(vehicle: DiscoveredVehicle, kept: KeptLog) -> str:
    """Return the row of a Markdown table with how much a log has, and until when."""
    _, end = kept.log.entries.period
    until = dt_util.as_local(dt_util.utc_from_timestamp(end)).date()
    name = escape_markdown(vehicle.name)
    return f"| {name} | {len(kept.log.drives)} | {len(kept.log.charges)} | {until} |"
