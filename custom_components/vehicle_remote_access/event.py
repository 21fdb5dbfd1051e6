"""Events: drives and charges of the log, when they start and when they end."""

from dataclasses import dataclass
from functools import partial
from typing import Final, override

from homeassistant.components.cover import CoverEntityFeature
from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.core import callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect

from .drive_log.columns import COLUMNS
from .drive_log.drive_log import Changes, DriveLog
from .drive_log.entries import Charge, Drive
from .drive_log.manager import log_signal, log_view
from .drive_log.view import ENDED, STARTED
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class LogEventEntityDescription(VehicleEntityDescription, EventEntityDescription):
    """An event entity for one kind of entry."""

    kind: type[Drive | Charge]


# The filters of `triggers.yaml` tell the two entities apart by these features.
DRIVE: Final = LogEventEntityDescription(
    key="log.drive", event_types=[STARTED, ENDED], trigger_feature=CoverEntityFeature.OPEN, kind=Drive
)
CHARGE: Final = LogEventEntityDescription(
    key="log.charge", event_types=[STARTED, ENDED], trigger_feature=CoverEntityFeature.CLOSE, kind=Charge
)


class LogEvent(VehicleEntity, EventEntity):
    """The last start or end of a drive or a charge. At the end, the attributes are the entry."""

    entity_description: LogEventEntityDescription
    needs_recent_data = False
    # The log itself is the history.
    _unrecorded_attributes = frozenset(column.name for columns in COLUMNS.values() for column in columns)

    @override
    async def async_added_to_hass(self) -> None:
        # The log changes neither with the car's data nor with its availability.
        signal = log_signal(self.coordinator.subentry_id)
        self.async_on_remove(async_dispatcher_connect(self.hass, signal, self._handle_changes))

    @callback
    def _handle_changes(self, log: DriveLog, changes: Changes) -> None:
        kind = self.entity_description.kind
        for entry in changes.ended:
            if isinstance(entry, kind):
                self._trigger_event(ENDED, log_view(self.hass, log).shown(entry))
                self.async_write_ha_state()
        if kind in changes.started:
            self._trigger_event(STARTED)
            self.async_write_ha_state()


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={LogEvent: [DRIVE, CHARGE]})
