"""Requests for one vehicle's data, and the check that the answers are about this vehicle."""

from collections.abc import Mapping
from contextlib import suppress
import math
import time
from typing import Any, Final

from ..account.issues import IssueReporter
from ..account.service import Service
from ..api.errors import OtherVehicleError, ServiceError
from ..api.records import Vehicle
from ..device_info import is_same_vin
from .merged_data import reported_state

_IDENTITY_VALID_FOR: Final = 120.0


class VehicleReader:
    """Requests one vehicle's data from the service."""

    def __init__(
        self, service: Service, issues: IssueReporter, subentry_id: str, vin: str, path_id: str
    ) -> None:
        """Read the vehicle with this VIN. `path_id`: the vehicle's id in request paths."""
        self.path_id = path_id
        self.is_other_vehicle = False
        """Whether the service answers with another vehicle under this id."""
        self._service = service
        self._issues = issues
        self._subentry_id = subentry_id
        self._vin = vin
        self._identified_at = -math.inf

    @property
    def is_identity_recent(self) -> bool:
        """Whether an answer was checked recently."""
        return time.monotonic() - self._identified_at < _IDENTITY_VALID_FOR

    async def request_live(self, *, with_location: bool = True) -> dict[str, Any]:
        """Return the car's own answer. Raises ServiceError."""
        try:
            answer = await self._service.read(self.path_id, with_location=with_location)
            self.check_identity(answer)
        except ServiceError as error:
            self._issues.update(self._subentry_id, error)
            raise
        self._issues.update(self._subentry_id)
        return answer

    async def request_state(self) -> str | None:
        """Return the state that the service reports without asking the car, or None if it reports none."""
        record = None
        with suppress(ServiceError):
            record = await self._service.record(self.path_id)
        if record is not None:
            self.check_identity(record)
        return reported_state(record or {})

    def check_identity(self, record: Mapping[str, Any]) -> None:
        """Raise OtherVehicleError if a record has another VIN, and report it as an issue.

        After a car left the account, services give its id to another one. A record without a VIN counts as a
        check, and an earlier mismatch still holds.
        """
        self._identified_at = time.monotonic()
        is_same = is_same_vin(Vehicle.vin.read(record), self._vin)
        was_other = self.is_other_vehicle
        if is_same is not None:
            self.is_other_vehicle = not is_same
        if self.is_other_vehicle:
            error = OtherVehicleError()
            self._issues.update(self._subentry_id, error)
            raise error
        if was_other:
            self._issues.update(self._subentry_id)

    def update_path_id(self, vehicle: Vehicle) -> None:
        """Use the id of the record from now on, if it changed. A VIN never changes."""
        if self.path_id not in (vehicle.id, vehicle.id_s, self._vin):
            self.path_id = vehicle.path_id or self.path_id
