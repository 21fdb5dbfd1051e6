"""The log as it leaves the integration: in the units of Home Assistant, with times as text."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from .drive_log import DriveLog
from .entries import Charge, Drive, DriveSample, Stay, rounded
from .samples import Sample
from .sums import LogSums, shown_distance, shown_energy
from .units import LogUnits

KINDS: Final = ("drives", "charges", "stays")
STARTED: Final = "started"
ENDED: Final = "ended"
"""The types of the events of drives and charges."""
CALCULATED: Final = ("distance", "energy", "consumption", "energy_added")
"""What is shown of an entry without being stored."""


class LogView:
    """Shows the entries of a log in some units."""

    def __init__(self, log: DriveLog, units: LogUnits) -> None:
        self._log = log
        self._units = units

    def drive(self, drive: Drive) -> dict[str, Any]:
        """Return a drive. The distances add up to the difference of the odometers, also when rounded."""
        distance, energy = shown_distance(drive, self._units), self._log.energy(drive)
        temperature = drive.outside_temperature
        return {
            "id": drive.id,
            **_times(drive),
            "distance": distance,
            "start_odometer": self._odometer(drive.start_odometer),
            "end_odometer": self._odometer(drive.end_odometer),
            "start_battery": drive.start_battery,
            "end_battery": drive.end_battery,
            "energy": rounded(energy),
            "consumption": self._units.consumption(energy, distance),
            "start_place": drive.start_place,
            "end_place": drive.end_place,
            **_positions("start", drive.start_latitude, drive.start_longitude),
            **_positions("end", drive.end_latitude, drive.end_longitude),
            "outside_temperature": (
                None if temperature is None else round(self._units.temperature(temperature), 1)
            ),
            "max_speed": self._speed(drive.max_speed),
            "seen": drive.seen,
            "tag": drive.tag,
            "note": drive.note,
        }

    def charge(self, charge: Charge) -> dict[str, Any]:
        """Return a charge. The energies add up to the difference of the lifetime counter."""
        return {
            "id": charge.id,
            **_times(charge),
            "place": charge.place,
            "start_battery": charge.start_battery,
            "end_battery": charge.end_battery,
            "energy_added": shown_energy(charge),
            "energy_used": rounded(charge.energy_used),
            "max_power": rounded(charge.max_power, 1),
            "current": charge.current,
            **_positions("", charge.latitude, charge.longitude),
            "cost": rounded(charge.cost),
            "currency": charge.currency,
            "seen": charge.seen,
            "note": charge.note,
        }

    def stay(self, stay: Stay) -> dict[str, Any]:
        return {
            "start": iso(stay.start),
            "end": iso(stay.end),
            "place": stay.place,
            "battery_lost": stay.battery_lost,
            "asleep": stay.asleep,
            "awake_reasons": stay.awake_reasons.split(),
        }

    def entry(self, entry: Drive | Charge | Stay) -> dict[str, Any]:
        match entry:
            case Drive():
                return {"kind": "drive", **self.drive(entry)}
            case Charge():
                return {"kind": "charge", **self.charge(entry)}
            case Stay():
                return {"kind": "stay", "id": entry.id, **self.stay(entry)}

    def samples(self, samples: Iterable[Sample]) -> dict[str, Any]:
        units = self._units
        return {
            "samples": [self._sample(sample) for sample in samples],
            "units": {
                **units.names,
                "speed": units.speed_unit,
                "power": "kW",
                "price": f"{units.currency}/kWh",
            },
        }

    def _sample(self, sample: Sample) -> dict[str, Any]:
        shown = {"at": iso(sample.at), "power": sample.power, "battery": sample.level}
        if not isinstance(sample, DriveSample):
            return {**shown, "price": sample.price, "cost": sample.cost}
        return {
            **shown,
            "speed": self._speed(sample.speed),
            **_positions("", sample.latitude, sample.longitude),
        }

    def open_entries(self) -> list[dict[str, Any]]:
        return [self.entry(entry) for entry in self._log.open_entries]

    def page(self, before: float | None, limit: int, kinds: Collection[str]) -> dict[str, Any]:
        """Return the newest entries that started before a moment, and the `before` of the next page.

        A page is longer than the limit if more entries started at the same moment as its last one.
        """
        # The stay after a drive without a duration starts at the same moment and is newer.
        wanted = [kind for kind in reversed(KINDS) if kind in kinds]
        older = sorted(
            (
                entry
                for kind in wanted
                for entry in getattr(self._log, kind)
                if before is None or entry.start < before
            ),
            key=lambda entry: entry.start,
            reverse=True,
        )
        end = min(limit, len(older))
        while end < len(older) and older[end].start == older[end - 1].start:
            end += 1
        return {
            "entries": [self.entry(entry) for entry in older[:end]],
            "next": older[end - 1].start if end < len(older) else None,
            "units": self._units.names,
        }

    def period(self, start: float, end: float, kinds: Collection[str]) -> dict[str, Any]:
        entries = self._log.entries.ended(start, end)
        sums = LogSums(self._log, self._units).of_entries(entries)
        return {
            "drives": [self.drive(drive) for drive in entries.drives if "drives" in kinds],
            "charges": [self.charge(charge) for charge in entries.charges if "charges" in kinds],
            "stays": [self.stay(stay) for stay in entries.stays if "stays" in kinds],
            "totals": {name: sums[name] for name in ("distance", "energy_added", "cost")},
            "units": self._units.names,
        }

    def _odometer(self, miles: float | None) -> float | None:
        return None if miles is None else round(self._units.distance(miles), 2)

    def _speed(self, speed: float | None) -> float | None:
        # Speeds are in the unit of distance per hour.
        return None if speed is None else round(self._units.distance(speed))


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()


def _times(entry: Drive | Charge) -> dict[str, str | None]:
    earliest, latest = entry.start_earliest, entry.end_latest
    return {
        "start": iso(entry.start),
        "end": iso(entry.end),
        "start_earliest": None if earliest is None else iso(earliest),
        "end_latest": None if latest is None else iso(latest),
    }


def _positions(name: str, latitude: float | None, longitude: float | None) -> dict[str, float | None]:
    if latitude is None:
        return {}
    prefix = f"{name}_" if name else ""
    return {f"{prefix}latitude": latitude, f"{prefix}longitude": longitude}
