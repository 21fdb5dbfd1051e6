"""Further faults: corrupt fields, and faults at random."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final, override

from custom_components.vehicle_remote_access.simulator.faults.faults import AnyFault, Faults
from custom_components.vehicle_remote_access.simulator.persistence import Json

GONE: Final = object()  # placeholder value of a field that is left out


class ServiceFaults(Faults):
    """The faults of a `SimulatedService`. Corrupt fields and faults at random last until they are cleared."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self._random = Random()  # noqa: S311 - not used for secrets
        self._among: Sequence[AnyFault] = ()
        self._fields: dict[str, Any] = {}

    def at_random(self, share: float, seed: int, among: Sequence[AnyFault]) -> None:
        """Affect a share of all requests, each by one of these faults. Queued faults come first."""
        self._share, self._random, self._among = share, Random(seed), among  # noqa: S311

    def corrupt(self, path: str, value: Any) -> None:
        """Replace a field, for example `charge_state.battery_level`, or a whole record, in all data."""
        self._fields[path] = value

    def remove(self, path: str) -> None:
        self._fields[path] = GONE

    @override
    def clear(self) -> None:
        super().clear()
        self._share = 0.0
        self._fields.clear()

    @override
    def _next(self, path: str) -> AnyFault | None:
        return super()._next(path) or self._next_random(path)

    def _next_random(self, path: str) -> AnyFault | None:
        if self._random.random() >= self._share:
            return None
        candidates = [fault for fault in self._among if fault.only in path]
        return self._random.choice(candidates) if candidates else None

    def apply_to(self, record: Json, *, may_add: bool = False) -> Json:
        """Apply the field faults to a record, in place. `may_add`: whether missing fields are added."""
        for path, value in self._fields.items():
            *parents, name = path.split(".")
            holder: Any = record
            for parent in parents:
                holder = holder.get(parent) if isinstance(holder, dict) else None
            if not isinstance(holder, dict) or not (may_add or name in holder):
                continue
            if value is GONE:
                holder.pop(name, None)
            else:
                holder[name] = value
        return record
