"""The log of one vehicle: its records, and the trackers that add to them. No clock, no Home Assistant."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import pairwise, takewhile
from typing import Any, ClassVar, Final, NamedTuple

from .charges import ChargeTracker
from .drives import DriveTracker
from .entries import LONGEST_NOTE, Charge, Drive, Observation, Stay, from_table, number, to_table
from .estimates import Capacity, Standby, capacities, energy_per_rated_mile
from .prices import Prices
from .stays import OpenStay

_TAIL_LENGTH: Final = 100


class Changes(NamedTuple):
    """What a look changed."""

    drive_started: bool = False
    drives_ended: Sequence[Drive] = ()
    charge_started: bool = False
    charges_ended: Sequence[Charge] = ()


class LogError(Exception):
    """A person's change of the log is impossible."""

    key: ClassVar[str]
    """The key of the message."""


class UnknownEntryError(LogError):
    """There is no such entry."""

    key = "unknown_log_entry"


class WrongFieldError(LogError):
    """A drive has no cost, and a charge has no tag."""

    key = "wrong_log_field"


class NotConsecutiveError(LogError):
    """Only drives that follow each other can be merged."""

    key = "drives_not_consecutive"


class DifferentTagsError(LogError):
    """A merged drive has only one tag."""

    key = "drives_have_different_tags"


class NoteTooLongError(LogError):
    """The merged drive's note would be too long."""

    key = "merged_note_too_long"


@dataclass(slots=True, kw_only=True)
class DriveLog:
    """All records, oldest first, and the open drive, charge, and stay."""

    drives: list[Drive] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    stays: list[Stay] = field(default_factory=list)
    drive_tracker: DriveTracker = field(default_factory=DriveTracker)
    charge_tracker: ChargeTracker = field(default_factory=ChargeTracker)
    stay: OpenStay | None = None
    prices: Prices = field(default_factory=Prices)
    currency: str = ""
    revision: int = 0
    """Rises with each record that is added or changed."""
    archived: tuple[int, int] = (1, 1)
    """The numbers of the first drive and the first charge that the last archive but one lacks.

    The last archive may not be written yet.
    """
    last_archived: tuple[int, int] = (1, 1)
    is_edited: bool = False
    """Whether the last archive has records that a person has changed since."""
    factor: float | None = None
    """The energy of a rated mile."""
    capacity: Capacity | None = None
    best_capacity: Capacity | None = None
    """The largest capacity so far, to which the health refers."""

    # Looks

    def add(self, look: Observation) -> Changes:
        """Add a look at the car."""
        had_drive, had_charge = self.drive_tracker.open is not None, self.charge_tracker.open is not None
        self.prices = self.prices.since(self.charge_tracker.priced_until)
        if look.at < self.charge_tracker.at:
            self.prices = self.prices.not_after(look.at)
        self.drive_tracker, drives = self.drive_tracker.after(look)
        self.charge_tracker, charge = self.charge_tracker.after(look, self.prices, self.currency)
        charges = [] if charge is None else [charge]
        self._add_records(drives, charges)
        is_parked = self.drive_tracker.open is None
        if is_parked and self.stay is not None:
            self.stay = self.stay.after(look)
        has_charge = self.charge_tracker.open is not None
        return Changes(
            drive_started=not is_parked and (not had_drive or bool(drives)),
            drives_ended=drives,
            charge_started=has_charge and (not had_charge or bool(charges)),
            charges_ended=charges,
        )

    def settle(self, now: float) -> Changes:
        """End what was interrupted too long ago to be continued."""
        self.drive_tracker, drive = self.drive_tracker.settled(now)
        self.charge_tracker, charge = self.charge_tracker.settled(now, self.prices, self.currency)
        drives, charges = [] if drive is None else [drive], [] if charge is None else [charge]
        self._add_records(drives, charges)
        return Changes(drives_ended=drives, charges_ended=charges)

    @property
    def settles_at(self) -> float | None:
        """When `settle` has something to do, None if another look is needed."""
        moments = (self.drive_tracker.settles_at, self.charge_tracker.settles_at)
        return min((moment for moment in moments if moment is not None), default=None)

    def _add_records(self, drives: Sequence[Drive], charges: Sequence[Charge]) -> None:
        for drive in drives:
            if self.stay is not None:
                self.stays.append(self.stay.closed(drive.start))
            self.drives.append(drive)
            tracker = self.drive_tracker
            self.stay = OpenStay(
                id=f"stay-{number(drive.id)}",
                start=drive.end,
                at=drive.end,
                place=drive.end_place,
                level=drive.end_battery,
                range=tracker.range,
                energy=tracker.energy,
            )
        self.charges += charges
        if charges:
            self.update_estimates()
        self.revision += len(drives) + len(charges)

    def update_estimates(self) -> None:
        """Calculate what only a charge changes."""
        self.factor = energy_per_rated_mile(self.charges)
        known = [capacity for _, capacity in capacities(self.charges)]
        self.capacity = known[-1] if known else None
        self.best_capacity = max(known, key=lambda capacity: capacity.energy, default=None)

    @property
    def health(self) -> int | None:
        """Return the percent that the battery has of its largest capacity, None if it is unknown."""
        if self.capacity is None or self.best_capacity is None:
            return None
        return round(100 * self.capacity.energy / self.best_capacity.energy)

    def standby_power(self, loss: Standby | None) -> int | None:
        """Return what a parked car draws from its battery in watts, None if it is unknown."""
        if loss is None or self.capacity is None:
            return None
        return round(loss.percent / 100 * self.capacity.energy / 24 * 1000)

    @property
    def open_records(self) -> list[Drive | Charge | Stay]:
        """What has not ended, newest first, as if it ended at the last look."""
        drives, charges, stay = self.drive_tracker, self.charge_tracker, self.stay
        records: list[Drive | Charge | Stay] = []
        if drives.open is not None:
            records.append(drives.record(drives.open, drives.at))
        if charges.open is not None:
            records.append(charges.record(charges.open, charges.at, self.prices, self.currency))
        if stay is not None:
            # A drive that has just started ends the stay, but it can still turn out to be none.
            records.append(stay.closed(stay.at if drives.open is None else records[0].start))
        return records

    # Changes by a person

    def update(self, entry_id: str, values: Mapping[str, Any]) -> None:
        """Change the tag, the note or the cost of an entry. Raises UnknownEntryError or WrongFieldError."""
        records: list[Any] = self._records_with(entry_id)
        index = _index(records, entry_id)
        wrong = next((name for name in values if name not in records[index]._fields), None)
        if wrong is not None:
            raise WrongFieldError(wrong)
        records[index] = records[index]._replace(**values)
        self._changed()

    def delete(self, entry_id: str) -> Drive | Charge:
        """Delete a drive or a charge, and return it. Raises UnknownEntryError."""
        records = self._records_with(entry_id)
        deleted: Drive | Charge = records.pop(_index(records, entry_id))
        self._changed()
        return deleted

    def find(self, entry_id: str) -> Drive | Charge:
        """Return a drive or a charge, also one that has not ended. Raises UnknownEntryError."""
        records = [*self.open_records, *self._records_with(entry_id)]
        record: Drive | Charge | Stay = records[_index(records, entry_id)]
        if isinstance(record, Stay):
            raise UnknownEntryError(entry_id)
        return record

    def merge_drives(self, ids: Iterable[str]) -> str:
        """Make one drive of several that follow each other, and return its id.

        Raises UnknownEntryError, NotConsecutiveError, DifferentTagsError or NoteTooLongError.
        """
        indexes = sorted({_index(self.drives, entry_id) for entry_id in ids})
        first, last = indexes[0], indexes[-1]
        if len(indexes) < 2 or last - first != len(indexes) - 1:  # noqa: PLR2004 - two drives
            raise NotConsecutiveError
        drives = self.drives[first : last + 1]
        # A drive between them may have been deleted, the instrument replaced, or the clock set back.
        if any(
            before.end_odometer != after.start_odometer or after.end < before.start
            for before, after in pairwise(drives)
        ):
            raise NotConsecutiveError
        merged = _merged(drives)
        self.stays = [
            stay
            for stay in self.stays
            if not any(_is_between(stay, before, after) for before, after in pairwise(drives))
        ]
        self.drives[first : last + 1] = [merged]
        self._changed()
        return merged.id

    def insert(self, drives: Sequence[Drive], charges: Sequence[Charge], stays: Sequence[Stay]) -> None:
        """Add records of another log, oldest first. They get new ids."""
        drive, charge = self._next_numbers
        # Stays have numbers of drives, and each number is used only once.
        for_stays = drive + len(drives)
        last = for_stays + len(stays)
        self.drives = _with(self.drives, drives, "drive", drive)
        self.charges = _with(self.charges, charges, "charge", charge)
        self.stays = _with(self.stays, stays, "stay", for_stays)
        self.drive_tracker = replace(self.drive_tracker, next_id=last + 1)
        self.charge_tracker = replace(self.charge_tracker, next_id=charge + len(charges))
        if self.stay is not None:
            # With an older number, the journal would lack it when it has ended.
            self.stay = replace(self.stay, id=f"stay-{last}")
        self._changed()

    def take_records(self, copy: DriveLog) -> bool:
        """Take the records of a copy after an `insert`, and return whether no other record has changed.

        The looks since the copy was made are kept.
        """
        if copy.revision != self.revision + 1:
            return False
        for name in ("drives", "charges", "stays", "best_capacity", "factor", "capacity", "revision"):
            setattr(self, name, getattr(copy, name))
        self.drive_tracker = replace(self.drive_tracker, next_id=copy.drive_tracker.next_id)
        self.charge_tracker = replace(self.charge_tracker, next_id=copy.charge_tracker.next_id)
        if self.stay is not None and copy.stay is not None:
            self.stay = replace(self.stay, id=copy.stay.id)
        self.is_edited = True
        return True

    def _records_with(self, entry_id: str) -> list[Any]:
        return self.charges if entry_id.startswith("charge-") else self.drives

    def _changed(self) -> None:
        self.is_edited = True
        self.revision += 1
        self.update_estimates()

    # Energy of drives

    def energy(self, drive: Drive) -> float | None:
        """Return the energy of a drive in kWh, None if it is unknown."""
        if drive.range_used is None or self.factor is None:
            return None
        return drive.range_used * self.factor

    # Storage: the archive, and the journal with the records since then

    def archive(self) -> dict[str, Any]:
        """Return everything, to be written."""
        self.archived, self.last_archived, self.is_edited = self.last_archived, self._next_numbers, False
        return self._as_json((1, 1))

    def journal(self) -> dict[str, Any]:
        """Return what is open, and the records that the archive may lack."""
        return self._as_json(self.archived)

    @property
    def is_archive_due(self) -> bool:
        """Whether the archive should be written, because the journal grows too long or lacks a change."""
        return self.is_edited or sum(self._next_numbers) - sum(self.last_archived) >= _TAIL_LENGTH

    @property
    def _next_numbers(self) -> tuple[int, int]:
        return self.drive_tracker.next_id, self.charge_tracker.next_id

    def _as_json(self, first: tuple[int, int]) -> dict[str, Any]:
        drive, charge = first
        return {
            # These keys are format version 1. A new version must still read them.
            "revision": self.revision,
            "drives": to_table(Drive, _since(self.drives, drive)),
            "charges": to_table(Charge, _since(self.charges, charge)),
            "stays": to_table(Stay, _since(self.stays, drive - 1)),
            "drive_tracker": self.drive_tracker.as_json(),
            "charge_tracker": self.charge_tracker.as_json(),
            "stay": self.stay and self.stay.as_json(),
            "prices": self.prices.as_json(),
        }

    @classmethod
    def restored(cls, archive: Mapping[str, Any], journal: Mapping[str, Any]) -> DriveLog:
        """Return the stored logbook. Raises ValueError, TypeError, KeyError or AttributeError if damaged.

        After a power cut, either can be the newer one.
        """
        if not archive and not journal:
            return cls()
        newest = journal if journal and journal["revision"] >= archive.get("revision", 0) else archive
        parts = [part for part in (archive, newest) if part]
        stay = newest["stay"]
        book = cls(
            drives=_restored(Drive, "drives", parts),
            charges=_restored(Charge, "charges", parts),
            stays=_restored(Stay, "stays", parts),
            drive_tracker=DriveTracker.from_json(newest["drive_tracker"]),
            charge_tracker=ChargeTracker.from_json(newest["charge_tracker"]),
            stay=None if stay is None else OpenStay.from_json(stay),
            revision=int(newest["revision"]),
        )
        book.prices = Prices.from_json(newest.get("prices")).interrupted(book.charge_tracker.at)
        if archive:
            tracker, charges = archive["drive_tracker"], archive["charge_tracker"]
            book.archived = book.last_archived = int(tracker["next_id"]), int(charges["next_id"])
        book.update_estimates()
        return book


def _since[R: (Drive, Charge, Stay)](records: list[R], first: int) -> list[R]:
    """Return the records from this number on."""
    new = list(takewhile(lambda record: number(record.id) >= first, reversed(records)))
    return new[::-1]


def _restored[R: (Drive, Charge, Stay)](kind: type[R], key: str, parts: list[Mapping[str, Any]]) -> list[R]:
    """Return the records of the archive, with those of the journal, which are newer."""
    by_id = {record.id: record for part in parts for record in from_table(kind, part[key])}
    return list(by_id.values())


def _with[R: (Drive, Charge, Stay)](existing: list[R], new: Sequence[R], prefix: str, first: int) -> list[R]:
    """Return all records in the order of time.

    The existing ones keep their order, because the journal has those at the end.
    """
    numbered = [record._replace(id=f"{prefix}-{index}") for index, record in enumerate(new, first)]
    return list(merge(existing, numbered, key=lambda record: record.start))


def _index(records: list[Any], entry_id: str) -> int:
    for index, record in enumerate(records):
        if record.id == entry_id:
            return index
    raise UnknownEntryError(entry_id)


def _is_between(stay: Stay, before: Drive, after: Drive) -> bool:
    """Return whether a stay is between two drives. A drive and a stay can have no duration."""
    return before.end <= stay.start and stay.end <= max(before.end, after.start)


def _merged(drives: list[Drive]) -> Drive:
    """Return one drive. Raises DifferentTagsError or NoteTooLongError rather than lose a person's words."""
    first, last = drives[0], drives[-1]
    tags = dict.fromkeys(drive.tag for drive in drives if drive.tag)
    if len(tags) > 1:
        raise DifferentTagsError(", ".join(tags))
    note = " ".join(drive.note for drive in drives if drive.note)
    if len(note) > LONGEST_NOTE:
        raise NoteTooLongError(LONGEST_NOTE)
    used = [drive.range_used for drive in drives]
    speeds = [drive.max_speed for drive in drives if drive.max_speed is not None]
    warm = [drive.outside_temperature for drive in drives if drive.outside_temperature is not None]
    seen = {drive.seen for drive in drives}
    return first._replace(
        # They overlap if a clock was set back a little.
        start=min(drive.start for drive in drives),
        end=max(drive.end for drive in drives),
        end_latest=last.end_latest,
        end_odometer=last.end_odometer,
        end_battery=last.end_battery,
        end_place=last.end_place,
        end_latitude=last.end_latitude,
        end_longitude=last.end_longitude,
        range_used=None if None in used else round(sum(filter(None, used)), 2),
        max_speed=max(speeds, default=None),
        outside_temperature=round(sum(warm) / len(warm), 1) if warm else None,
        seen=first.seen if len(seen) == 1 else "partly",
        tag=next(iter(tags), None),
        note=note or None,
    )
