"""The log and Home Assistant's recorder: its sums as long-term statistics, and what an odometer showed."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
import math
from typing import Any, Final

from homeassistant.const import UnitOfLength
from homeassistant.core import HomeAssistant
from homeassistant.helpers.recorder import get_instance
from homeassistant.util import slugify

from ..const import DOMAIN
from ..util.local_time import HOUR
from .history import Hour
from .view import LogView, shown_distance, shown_energy

_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_STATISTICS: Final = {
    "distance": ("distance", "distance", "distance"),
    "energy_added": ("energy charged", "energy", "energy"),
    "cost": ("charging cost", "currency", None),
}
"""The name, which Home Assistant doesn't translate, the quantity, and Home Assistant's class of its unit."""

type Row = tuple[float, float]
"""The start of an hour, and the sum at its end."""
type _Amount = tuple[float, float | None]
"""When an entry began, and what it adds to a sum, None if that is unknown."""


class LogStatistics:
    """The statistics of one vehicle. At the start, those that differ from the log are written again."""

    def __init__(self, hass: HomeAssistant, vin: str, name: str, get_view: Callable[[], LogView]) -> None:
        self._hass = hass
        self._vin = vin
        self.name = name
        self._get_view = get_view
        self._written: dict[str, list[Row]] = {}
        """The rows that the recorder has; empty until they are known."""
        self._older: dict[str, list[Row]] = {}
        """Its rows from before the first entry, if the log could not be read. The sums continue them."""
        self._is_stopped = False
        self._lock = asyncio.Lock()

    async def async_start(self, _hass: HomeAssistant) -> None:
        """Read what the recorder has, and write what differs from the log."""
        if not _has_recorder(self._hass):
            return
        ids = {kind: _statistic_id(self._vin, kind) for kind in _STATISTICS}
        found = await _read_hours(self._hass, set(ids.values()), None, "sum")
        amounts = _amounts(self._get_view())
        for kind, statistic_id in ids.items():
            rows = [(row["start"], row.get("sum") or 0.0) for row in found.get(statistic_id, [])]
            self._written[kind], self._older[kind] = rows, _rows_before(amounts[kind], rows)
        if not self._get_view().log.is_damaged:
            self.update()

    def stop(self) -> None:
        """Write nothing more. The statistics of a removed vehicle must not return."""
        self._is_stopped = True

    def update(self) -> None:
        """Write what differs from the log."""
        if self._written:
            self._hass.async_create_task(self._async_update())

    async def _async_update(self) -> None:
        async with self._lock:
            view = self._get_view()
            view = LogView(view.log.snapshot(), view.units)
            # A long log takes longer than the event loop should be blocked.
            changes = await self._hass.async_add_executor_job(lambda: list(self._changes(view)))
            for kind, rows, has_removed, new in changes:
                if not self._is_stopped:
                    self._write(kind, new, view.units.names[_STATISTICS[kind][1]], has_removed=has_removed)
                    self._written[kind] = rows

    def _changes(self, view: LogView) -> Iterator[tuple[str, list[Row], bool, list[Row]]]:
        """Yield the statistics that differ: all rows, whether some are gone, and the new ones."""
        for kind, amounts in _amounts(view).items():
            written = self._written.get(kind, [])
            older = _rows_before(amounts, self._older.get(kind, []))
            total = older[-1][1] if older else 0.0
            rows = [*older, *_hourly_sums(amounts, total, view.units.zone)]
            if rows != written:
                has_removed = not dict(written).keys() <= dict(rows).keys()
                yield kind, rows, has_removed, sorted(set(rows) - set(() if has_removed else written))

    def _write(self, kind: str, rows: list[Row], unit: str, *, has_removed: bool) -> None:
        from homeassistant.components.recorder import models, statistics  # noqa: PLC0415

        statistic_id = _statistic_id(self._vin, kind)
        if has_removed:
            # Rows of hours without an entry would stay.
            get_instance(self._hass).async_clear_statistics([statistic_id])
        name, _, unit_class = _STATISTICS[kind]
        metadata = models.StatisticMetaData(
            mean_type=models.StatisticMeanType.NONE,
            has_sum=True,
            name=f"{self.name} {name} (log)",
            source=DOMAIN,
            statistic_id=statistic_id,
            unit_class=unit_class,
            unit_of_measurement=unit,
        )
        data = [
            models.StatisticData(start=datetime.fromtimestamp(at, UTC), state=total, sum=total)
            for at, total in rows
        ]
        if data:
            statistics.async_add_external_statistics(self._hass, metadata, data)


def _amounts(view: LogView) -> dict[str, list[_Amount]]:
    """Return the amounts of all entries, as `get_log` shows them."""
    drives, charges, _ = view.log.entries
    return {
        "distance": [(drive.start, shown_distance(drive, view.units) or 0.0) for drive in drives],
        "energy_added": [(charge.start, shown_energy(charge) or 0.0) for charge in charges],
        "cost": [(charge.start, charge.cost_in(view.units.currency)) for charge in charges],
    }


def _rows_before(amounts: Iterable[_Amount], rows: Iterable[Row]) -> list[Row]:
    """Return the rows of hours before the first entry."""
    first = min((at // HOUR * HOUR for at, _ in amounts), default=math.inf)
    return [row for row in rows if row[0] < first]


def _hourly_sums(amounts: Iterable[_Amount], total: float, zone: tzinfo) -> Iterator[Row]:
    """Yield the sum at the end of each hour in which an entry began. `total`: before the first one.

    If an hour of UTC contains a local midnight, what began after it counts in the next hour and so next day.
    """
    by_hour: dict[float, float] = {}
    for at, amount in amounts:
        if amount is None:
            continue
        hour, local = float(at // HOUR * HOUR), datetime.fromtimestamp(at, zone)
        if local.hour == 0 and local.minute < (at - hour) // 60:
            hour += HOUR
        by_hour[hour] = by_hour.get(hour, 0.0) + amount
    for hour in sorted(by_hour):
        total = round(total + by_hour[hour], 2)
        yield hour, total


def _statistic_id(vin: str, kind: str) -> str:
    return f"{DOMAIN}:{slugify(vin)}_{kind}"


def remove_statistics(hass: HomeAssistant, vins: Iterable[str | None]) -> None:
    if _has_recorder(hass):
        ids = [_statistic_id(vin, kind) for vin in vins if vin for kind in _STATISTICS]
        get_instance(hass).async_clear_statistics(ids)


async def read_odometer(hass: HomeAssistant, entity_id: str) -> list[Hour]:
    """Return what the long-term statistics show of an odometer, oldest first."""
    if not _has_recorder(hass):
        return []
    found = await _read_hours(hass, {entity_id}, {"distance": UnitOfLength.MILES.value}, "state")
    rows = found.get(entity_id, [])
    return [Hour(row["start"], row["end"], row["state"]) for row in rows if row.get("state") is not None]


def _has_recorder(hass: HomeAssistant) -> bool:
    # Without the recorder, its libraries are not loaded.
    return "recorder" in hass.config.components


async def _read_hours(hass: HomeAssistant, ids: set[str], units: dict[str, str] | None, value: Any) -> Any:
    from homeassistant.components.recorder.statistics import statistics_during_period  # noqa: PLC0415

    return await get_instance(hass).async_add_executor_job(
        statistics_during_period, hass, _EPOCH, None, ids, "hour", units, {value}
    )
