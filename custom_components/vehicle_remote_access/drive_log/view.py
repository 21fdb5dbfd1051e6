"""The log as it leaves the integration: in the units of Home Assistant, with times as text."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from homeassistant.const import UnitOfEnergy, UnitOfLength, UnitOfPower, UnitOfSpeed, UnitOfTemperature
from homeassistant.util.unit_conversion import DistanceConverter
from homeassistant.util.unit_system import UnitSystem

from .drive_log import DriveLog
from .entries import Charge, Drive, DriveSample, Stay, ended
from .samples import Sample

KINDS: Final = ("drives", "charges", "stays")
STARTED: Final = "started"
ENDED: Final = "ended"
"""The types of the events of drives and charges."""
CALCULATED: Final = ("distance", "energy", "consumption", "energy_added")
"""What is shown of a record without being stored."""
_MILES: Final = UnitOfLength.MILES


class LogView:
    """Shows the records of a log in a unit system."""

    def __init__(self, book: DriveLog, units: UnitSystem) -> None:
        self._book = book
        self._units = units

    def drive(self, drive: Drive) -> dict[str, Any]:
        """Return a drive. The distances add up to the difference of the odometers, also when rounded."""
        distance = self.rounded_distance(drive)
        energy = self._book.energy(drive)
        consumption = round(100 * energy / distance, 1) if energy is not None and distance else None
        temperature = drive.outside_temperature
        return {
            "id": drive.id,
            **_times(drive),
            "distance": distance,
            "start_odometer": self._odometer(drive.start_odometer),
            "end_odometer": self._odometer(drive.end_odometer),
            "start_battery": drive.start_battery,
            "end_battery": drive.end_battery,
            "energy": _rounded(energy),
            "consumption": consumption,
            "start_place": drive.start_place,
            "end_place": drive.end_place,
            **_positions("start", drive.start_latitude, drive.start_longitude),
            **_positions("end", drive.end_latitude, drive.end_longitude),
            "outside_temperature": (
                None
                if temperature is None
                else round(self._units.temperature(temperature, UnitOfTemperature.CELSIUS), 1)
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
            "energy_added": self.rounded_energy(charge),
            "energy_used": _rounded(charge.energy_used),
            "max_power": _rounded(charge.max_power, 1),
            "current": charge.current,
            **_positions("", charge.latitude, charge.longitude),
            "cost": _rounded(charge.cost),
            "currency": charge.currency,
            "seen": charge.seen,
            "note": charge.note,
        }

    def stay(self, stay: Stay) -> dict[str, Any]:
        """Return a stay."""
        return {
            "start": iso(stay.start),
            "end": iso(stay.end),
            "place": stay.place,
            "battery_lost": stay.battery_lost,
            "asleep": stay.asleep,
            "awake_reasons": stay.awake_reasons.split(),
        }

    def entry(self, record: Drive | Charge | Stay) -> dict[str, Any]:
        """Return a record of any kind."""
        match record:
            case Drive():
                return {"kind": "drive", **self.drive(record)}
            case Charge():
                return {"kind": "charge", **self.charge(record)}
            case Stay():
                return {"kind": "stay", "id": record.id, **self.stay(record)}

    def samples(self, samples: Iterable[Sample], currency: str) -> dict[str, Any]:
        """Return samples of a drive or a charge."""
        return {
            "samples": [self._sample(sample) for sample in samples],
            "units": {
                **self.unit_names(currency),
                "speed": (
                    UnitOfSpeed.MILES_PER_HOUR
                    if self._units.length_unit == _MILES
                    else UnitOfSpeed.KILOMETERS_PER_HOUR
                ),
                "power": UnitOfPower.KILO_WATT,
                "price": f"{currency}/{UnitOfEnergy.KILO_WATT_HOUR}",
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
        """Return what has not ended, newest first."""
        return [self.entry(record) for record in self._book.open_records]

    def page(self, before: float | None, limit: int, kinds: Iterable[str], currency: str) -> dict[str, Any]:
        """Return the newest entries that started before a moment, and the `before` of the next page.

        A page is longer than the limit if more entries started at the same moment as its last one.
        """
        book, wanted = self._book, set(kinds)
        records: dict[str, Sequence[Drive | Charge | Stay]] = {
            # The stay after a drive without a duration starts at the same moment and is newer.
            "stays": book.stays,
            "charges": book.charges,
            "drives": book.drives,
        }
        older = sorted(
            (
                record
                for kind, each in records.items()
                if kind in wanted
                for record in each
                if before is None or record.start < before
            ),
            key=lambda record: record.start,
            reverse=True,
        )
        end = min(limit, len(older))
        while end < len(older) and older[end].start == older[end - 1].start:
            end += 1
        return {
            "entries": [self.entry(record) for record in older[:end]],
            "next": older[end - 1].start if end < len(older) else None,
            "units": self.unit_names(currency),
        }

    def period(self, start: float, end: float, kinds: Iterable[str], currency: str) -> dict[str, Any]:
        """Return the records that ended in a period, and their totals.

        Each record is in exactly one of several periods that follow each other.
        """
        book, wanted = self._book, set(kinds)
        drives = [self.drive(drive) for drive in ended(book.drives, start, end)]
        charges = [self.charge(charge) for charge in ended(book.charges, start, end)]
        stays = [self.stay(stay) for stay in ended(book.stays, start, end)]
        costs = [charge["cost"] for charge in charges if charge["currency"] == currency]
        return {
            "drives": drives if "drives" in wanted else [],
            "charges": charges if "charges" in wanted else [],
            "stays": stays if "stays" in wanted else [],
            "totals": {
                "distance": round(sum(drive["distance"] or 0.0 for drive in drives), 2),
                "energy_added": round(sum(charge["energy_added"] or 0.0 for charge in charges), 2),
                "cost": round(sum(costs), 2) if costs else None,
            },
            "units": self.unit_names(currency),
        }

    def unit_names(self, currency: str) -> dict[str, str]:
        """Return the units of the values."""
        return {
            "distance": self._units.length_unit,
            "energy": UnitOfEnergy.KILO_WATT_HOUR,
            "currency": currency,
        }

    def distance(self, miles: float) -> float:
        """Return a distance in the unit system."""
        return DistanceConverter.convert(miles, _MILES, self._units.length_unit)

    def rounded_distance(self, drive: Drive) -> float | None:
        """Return the difference of the rounded odometers, None without an odometer."""
        start, end = self._odometer(drive.start_odometer), self._odometer(drive.end_odometer)
        return None if start is None or end is None else round(end - start, 2)

    @staticmethod
    def rounded_energy(charge: Charge) -> float | None:
        """Return the difference of the rounded counters, None without a counter."""
        if charge.start_energy is None or charge.end_energy is None:
            return None
        return round(round(charge.end_energy, 2) - round(charge.start_energy, 2), 2)

    def _odometer(self, miles: float | None) -> float | None:
        return None if miles is None else round(self.distance(miles), 2)

    def _speed(self, speed: float | None) -> float | None:
        # Speeds are in the unit of distance per hour.
        return None if speed is None else round(self.distance(speed))


def iso(moment: float) -> str:
    """Return a moment as text."""
    return datetime.fromtimestamp(moment, UTC).isoformat()


def _times(record: Drive | Charge) -> dict[str, str | None]:
    earliest, latest = record.start_earliest, record.end_latest
    return {
        "start": iso(record.start),
        "end": iso(record.end),
        "start_earliest": None if earliest is None else iso(earliest),
        "end_latest": None if latest is None else iso(latest),
    }


def _positions(name: str, latitude: float | None, longitude: float | None) -> dict[str, float | None]:
    """Return a position if it was kept."""
    if latitude is None:
        return {}
    prefix = f"{name}_" if name else ""
    return {f"{prefix}latitude": latitude, f"{prefix}longitude": longitude}


def _rounded(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(value, digits)
