"""The log of one vehicle: its entries, and the trackers that add to them. No clock, no Home Assistant."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, cast

from ..util.immutable import replace
from .charges import ChargeTracker
from .drives import DriveTracker
from .energy_meter import EnergyMeter
from .entries import (
    ENTRY_TYPES,
    KINDS,
    LONGEST_NOTE,
    Charge,
    CostSource,
    Drive,
    Entries,
    Observation,
    Seen,
    Stay,
    from_table,
    number_in,
    to_table,
    with_own_ids,
    without_position,
)
from .estimates import Capacity, capacities, energy_per_rated_mile, latest_capacity
from .open_entry import OpenStay
from .prices import Prices
from .zones import Zones

_TAIL_LENGTH: Final = 150


class Changes(NamedTuple):
    """What an observation changed."""

    started: Sequence[type[Drive | Charge]] = ()
    ended: Sequence[Drive | Charge] = ()


class LogError(Exception):
    """A person's change of the log is impossible. Its message has a key, and quotes a value."""

    def __init__(self, *, key: str, value: object = "") -> None:
        super().__init__(value)
        self.key = key


@dataclass(kw_only=True)
class DriveLog:
    """All entries, oldest first, and the drive, charge, and stay that have not ended."""

    drives: list[Drive] = field(default_factory=list)
    charges: list[Charge] = field(default_factory=list)
    stays: list[Stay] = field(default_factory=list)
    drive_tracker: DriveTracker = field(default_factory=DriveTracker)
    charge_tracker: ChargeTracker = field(default_factory=ChargeTracker)
    stay: OpenStay | None = None
    prices: Prices = field(default_factory=Prices)
    meter: EnergyMeter = field(default_factory=EnergyMeter)
    """The counter to which the open charge refers."""
    vin: str | None = ""
    """Finds the log of a removed car. None for a simulated car. Empty if an earlier version stored it."""
    currency: str = ""
    revision: int = 0
    """Rises with each entry that is added or changed."""
    archived: Sequence[int] = (0, 0, 0)
    """How many entries of each kind the stored archive has."""
    archived_revision: int = 0
    edited_revision: int = 0
    """Of the last change by a person."""
    is_damaged: bool = False
    """Whether entries can be missing, because a file could not be read at the start."""
    energy_per_rated_mile: float | None = None
    capacity: Capacity | None = None
    best_capacity: Capacity | None = None
    """The largest capacity so far, to which the health refers."""
    _cache: dict[str, tuple[object, Any]] = field(default_factory=dict, repr=False, compare=False)

    def cached[T](self, name: str, key: object, create: Callable[[], T]) -> T:
        """Return what `create` makes of the entries and a key. It is called again if either has changed."""
        version = key, self.revision, len(self.drives), len(self.charges), len(self.stays)
        known_version, value = self._cache.get(name, (None, None))
        if known_version != version:
            value = create()
            self._cache[name] = version, value
        return cast("T", value)

    # Observations

    def add(self, observation: Observation) -> Changes:
        if self.prices.changes:
            self.prices = self.prices.since(self.charge_tracker.priced_until)
        if observation.at < self.charge_tracker.at:
            if observation.is_asleep:
                # The clock can be wrong after a start, and a car that sleeps reports no time.
                return Changes()
            self.prices = self.prices.not_after(observation.at)
            self.drive_tracker = self.drive_tracker.not_after(observation.at)
            self.charge_tracker = self.charge_tracker.not_after(observation.at)
        drive_tracker, drives = self.drive_tracker.after(observation)
        if observation.odometer not in (None, drive_tracker.odometer):
            # A wrong one must not end a charge.
            observation = replace(observation, odometer=drive_tracker.odometer)
        charge_tracker, charges = self.charge_tracker.after(observation, self.prices)
        changes = self._continue((drive_tracker, charge_tracker), drives, charges)
        if self.stay is not None and self.drive_tracker.open is None:
            self.stay = self.stay.after(observation)
        return changes

    def settle(self, now: float) -> Changes:
        """End what was interrupted too long ago to be continued."""
        drive_tracker, drives = self.drive_tracker.settled(now)
        charge_tracker, charges = self.charge_tracker.settled(now, self.prices)
        return self._continue((drive_tracker, charge_tracker), drives, charges)

    @property
    def settles_at(self) -> float | None:
        """When `settle` has something to do, None if another observation is needed."""
        unfinished = filter(None, (self.drive_tracker.open, self.charge_tracker.open))
        return min((each.settles_at for each in unfinished if each.settles_at is not None), default=None)

    def _continue(
        self, trackers: tuple[DriveTracker, ChargeTracker], drives: list[Drive], charges: list[Charge]
    ) -> Changes:
        """Replace the trackers, and add the drives and charges that have ended."""
        had_drive, had_charge = self.drive_tracker.open, self.charge_tracker.open
        self.drive_tracker, self.charge_tracker = trackers
        charges = self._in_currency(charges)
        started: list[type[Drive | Charge]] = []
        if self.drive_tracker.open and (drives or not had_drive):
            started.append(Drive)
        if self.charge_tracker.open and (charges or not had_charge):
            started.append(Charge)
        for drive in drives:
            if self.stay is not None:
                self.stays.append(self.stay.closed(drive.start))
            self.drives.append(drive)
            self.stay = OpenStay(
                id=f"stay-{number_in(drive.id)}",
                start=drive.end,
                at=drive.end,
                place=drive.end_place,
                level=drive.end_battery,
                range=self.drive_tracker.range,
                energy=self.drive_tracker.energy,
            )
        self.charges += charges
        if charges:
            self._update_latest_estimates()
        self.revision += len(drives) + len(charges)
        return Changes(started, [*drives, *charges])

    def update_estimates(self) -> None:
        """Calculate what only charges change."""
        found = [capacity for _, capacity in capacities(self.charges)]
        self.capacity = found[-1] if found else None
        self.best_capacity = max(found, key=lambda each: each.energy, default=None)
        self.energy_per_rated_mile = energy_per_rated_mile(self.charges)

    def _update_latest_estimates(self) -> None:
        """Calculate what a new charge changes. The capacities after all charges would take too long."""
        self.energy_per_rated_mile = energy_per_rated_mile(self.charges)
        if (new := latest_capacity(self.charges)) is not None:
            self.capacity = new
            self.best_capacity = max(self.best_capacity or new, new, key=lambda each: each.energy)

    @property
    def health(self) -> float | None:
        """The percent that the battery has of its largest capacity, None if it is unknown."""
        if self.capacity is None or self.best_capacity is None:
            return None
        return round(100 * self.capacity.energy / self.best_capacity.energy, 1)

    @property
    def entries(self) -> Entries:
        return Entries(self.drives, self.charges, self.stays)

    @property
    def open_entries(self) -> Entries:
        """What has not ended, as if it ended at the last observation."""
        drives = self.drive_tracker.open_entries(self.drive_tracker.at)
        charges = self.charge_tracker.open_entries(self.charge_tracker.at, self.prices)
        stays = []
        if self.stay is not None:
            # A drive that has just started ends the stay, but it can still turn out to be none.
            stays.append(self.stay.closed(drives[0].start if drives else self.stay.at))
        return Entries(drives, self._in_currency(charges), stays)

    @property
    def cost_so_far(self) -> float | None:
        """What the charge that goes on has cost until the last observation, None if that is unknown."""
        tracker, charge = self.charge_tracker, self.charge_tracker.open
        return charge.total_cost(self.prices, tracker.at) if charge and tracker.was_charging else None

    def goes_on(self, entry: Drive | Charge | Stay) -> bool:
        """Return whether what has not ended was still going on at the last observation."""
        if isinstance(entry, Charge):
            return self.charge_tracker.was_charging
        drive = self.drive_tracker.open
        if isinstance(entry, Stay):
            return drive is None
        return drive is not None and drive.stopped_at is None

    def _in_currency(self, charges: Iterable[Charge]) -> list[Charge]:
        values: dict[str, Any] = {"currency": self.currency, "cost_source": CostSource.PRICES.value}
        return [each if each.cost is None else each._replace(**values) for each in charges]

    def snapshot(self) -> DriveLog:
        """Return a copy that another thread can read while this log changes."""
        return replace(
            self, drives=[*self.drives], charges=[*self.charges], stays=[*self.stays], _cache={**self._cache}
        )

    # Changes by a person

    def update(self, ids: Sequence[str], values: Mapping[str, Any]) -> None:
        """Change the tag, the note or the cost of entries. Raises LogError, and then changes none."""
        wanted, lists = {*ids}, list[list[Any]]([self.drives, self.charges])
        found = [entry for entries in lists for entry in entries if entry.id in wanted]
        missing = wanted - {entry.id for entry in found}
        if missing:
            raise LogError(key="unknown_log_entry", value=min(missing))
        for name in values:
            if not all(name in entry._fields for entry in found):
                raise LogError(key="wrong_log_field", value=name)
        for entries in lists:
            entries[:] = [each._replace(**values) if each.id in wanted else each for each in entries]
        self.mark_edited()

    def delete(self, entry_id: str) -> Drive | Charge:
        """Delete a drive or a charge, and return it. Raises LogError."""
        entries: list[Any] = self.charges if entry_id.startswith("charge-") else self.drives
        deleted: Drive | Charge = entries.pop(_index(entries, entry_id))
        self.mark_edited()
        return deleted

    def find(self, entry_id: str) -> Drive | Charge:
        """Return a drive or a charge, also one that has not ended. Raises LogError."""
        drives, charges, _ = self.open_entries
        entries: list[Drive | Charge] = [*drives, *charges, *self.drives, *self.charges]
        return entries[_index(entries, entry_id)]

    def merge_drives(self, ids: Iterable[str]) -> str:
        """Make one drive of several that follow each other, and return its id. Raises LogError."""
        indexes = {_index(self.drives, entry_id) for entry_id in ids}
        span = slice(min(indexes), max(indexes) + 1)
        drives = self.drives[span]
        pairs = list(pairwise(drives))
        # A drive between them may have been deleted, the instrument replaced, or the clock set back.
        follow = [one.end_odometer == other.start_odometer and other.end >= one.start for one, other in pairs]
        if len(drives) != len(indexes) or not pairs or not all(follow):
            raise LogError(key="drives_not_consecutive")
        merged = _merged(drives)
        self.stays = [stay for stay in self.stays if not any(_is_between(stay, *pair) for pair in pairs)]
        self.drives[span] = [merged]
        self.mark_edited()
        return merged.id

    def insert(self, drives: Sequence[Drive], charges: Sequence[Charge], stays: Sequence[Stay]) -> None:
        """Add entries of another log, oldest first. They get new ids."""
        drive, charge = self.drive_tracker.next_id, self.charge_tracker.next_id
        # Stays have numbers of drives, and each number is used only once.
        for_stays = drive + len(drives)
        last = for_stays + len(stays)
        self.drives = _with(self.drives, drives, "drive", drive)
        self.charges = _with(self.charges, charges, "charge", charge)
        self.stays = _with(self.stays, stays, "stay", for_stays)
        self.drive_tracker = replace(self.drive_tracker, next_id=last + 1)
        self.charge_tracker = replace(self.charge_tracker, next_id=charge + len(charges))
        if self.stay is not None:
            self.stay = replace(self.stay, id=f"stay-{last}")
        self.mark_edited()

    def bill(self, charges: Sequence[Charge]) -> None:
        """Replace charges by their ids, and add those without one."""
        by_id = {charge.id: charge for charge in charges}
        self.charges = [by_id.get(charge.id, charge) for charge in self.charges]
        self.insert((), sorted((each for each in charges if not each.id), key=lambda each: each.start), ())

    def forget_positions(self, zones: Zones) -> None:
        """Delete all positions. The names that zones give to entries without a place are kept."""
        drives, charges, stays = zones.named(self.entries)
        self.drives = [*map(without_position, drives)]
        self.charges = [*map(without_position, charges)]
        self.stays = [*stays]
        self.drive_tracker = zones.named_open(self.drive_tracker).without_positions()
        self.charge_tracker = zones.named_open(self.charge_tracker).without_positions()
        self.mark_edited()

    def mark_edited(self) -> None:
        """Record that a person changed entries: the archive must be written again."""
        self.revision += 1
        self.edited_revision = self.revision
        self.update_estimates()

    def energy(self, drive: Drive) -> float | None:
        return self.energy_of(drive.range_used)

    def energy_of(self, rated_miles: float | None) -> float | None:
        per_mile = self.energy_per_rated_mile
        return None if rated_miles is None or per_mile is None else rated_miles * per_mile

    # Storage: the archive, the journal with the entries since then, and what changes with each observation

    def start_archive(self) -> dict[str, Any]:
        return {**self.latest(), **_tables(self.entries)}

    def end_archive(self, archive: Mapping[str, Any]) -> None:
        """Let the journal begin where this archive ends, because it is stored."""
        self.archived = [len(archive[kind]["rows"]) for kind in KINDS]
        self.archived_revision = archive["revision"]

    def journal(self) -> dict[str, Any]:
        """Return the entries that the archive lacks, or all while it has others, and what is open."""
        archived = (0, 0, 0) if self.is_edited else self.archived
        # Without a person's change, entries are only added at the end.
        new: list[Any] = [entries[count:] for entries, count in zip(self.entries, archived, strict=True)]
        return {**self.latest(), **_tables(Entries._make(new)), "is_whole": self.is_edited}

    def latest(self) -> dict[str, Any]:
        """Return what is open. It continues the journal of the same revision."""
        return {
            # These keys and those of entries are format version 1. A new version must still read them.
            "revision": self.revision,
            "drive_tracker": self.drive_tracker.as_json(),
            "charge_tracker": self.charge_tracker.as_json(),
            "stay": self.stay and self.stay.as_json(),
            "prices": self.prices.as_json(),
            "meter": self.meter.as_json(),
            "vin": self.vin,
        }

    @property
    def is_edited(self) -> bool:
        return self.edited_revision > self.archived_revision

    @property
    def is_archive_due(self) -> bool:
        """Whether the archive should be written, because the journal grows too long or lacks a change."""
        return self.is_edited or self.entries.total - sum(self.archived) >= _TAIL_LENGTH

    @classmethod
    def restored(cls, archive: Mapping[str, Any], journal: Mapping[str, Any]) -> DriveLog:
        """Return the stored log. Raises ValueError, TypeError, KeyError or AttributeError if damaged."""
        if not archive and not journal:
            return cls()
        # After a power cut, either can be the newer one. The entries of the last part are the newest.
        parts = [part for part in (archive, journal) if part]
        if archive and journal and not _is_newer(journal, archive):
            parts = [archive]
        newest = parts[-1]
        is_whole, stay = newest.get("is_whole"), newest["stay"]
        if is_whole:
            parts = [newest]
        entries: dict[str, Any] = {}
        for kind, entry_type in ENTRY_TYPES.items():
            tables = [from_table(entry_type, part[kind]) for part in parts]
            entries[kind] = with_own_ids(chain.from_iterable(tables))
        log = cls(
            **entries,
            drive_tracker=DriveTracker.from_json(newest["drive_tracker"]),
            charge_tracker=ChargeTracker.from_json(newest["charge_tracker"]),
            stay=None if stay is None else OpenStay.from_json(stay),
            meter=EnergyMeter.restored(journal.get("meter")),
            vin=journal.get("vin", ""),
            revision=max(int(part["revision"]) for part in parts),
        )
        drive, charge = log.drive_tracker, log.charge_tracker
        log.drive_tracker = replace(drive, next_id=_next_id(drive.next_id, [*log.drives, *log.stays]))
        log.charge_tracker = replace(charge, next_id=_next_id(charge.next_id, log.charges))
        log.prices = Prices.from_json(newest["prices"]).interrupted(log.charge_tracker.at)
        if archive:
            log.end_archive(archive)
        if is_whole:
            log.mark_edited()
        log.update_estimates()
        return log


def _tables(entries: Entries) -> dict[str, Any]:
    return {kind: to_table(ENTRY_TYPES[kind], each) for kind, each in entries._asdict().items()}


def _is_newer(journal: Mapping[str, Any], archive: Mapping[str, Any]) -> bool:
    """Return whether the journal is as new as the archive. A single damaged number does not decide."""
    pairs = [(journal[name], archive[name]) for name in ("drive_tracker", "charge_tracker")]
    has_new_entries = any(new.get("next_id", 1) > old.get("next_id", 1) for new, old in pairs)
    return has_new_entries or bool(journal["revision"] >= archive["revision"])


def _next_id(next_id: int, entries: Iterable[Drive | Charge | Stay]) -> int:
    return max([next_id, *(number_in(entry.id) + 1 for entry in entries)])


def _with[E: (Drive, Charge, Stay)](existing: list[E], new: Sequence[E], prefix: str, first: int) -> list[E]:
    """Return all entries in the order of time. The existing ones keep their order."""
    numbered = [entry._replace(id=f"{prefix}-{index}") for index, entry in enumerate(new, first)]
    return list(merge(existing, numbered, key=lambda entry: entry.start))


def _index(entries: Sequence[Drive | Charge], entry_id: str) -> int:
    for index, entry in enumerate(entries):
        if entry.id == entry_id:
            return index
    raise LogError(key="unknown_log_entry", value=entry_id)


def _is_between(stay: Stay, before: Drive, after: Drive) -> bool:
    """Return whether a stay is between two drives. A drive and a stay can have no duration."""
    return before.end <= stay.start and stay.end <= max(before.end, after.start)


def _merged(drives: list[Drive]) -> Drive:
    """Return one drive for several. Raises LogError if a tag or a part of the notes would be lost."""
    first, last = drives[0], drives[-1]
    tags = dict.fromkeys(_values(drives, "tag"))
    if len(tags) > 1:
        raise LogError(key="drives_have_different_tags", value=", ".join(tags))
    note = " ".join(_values(drives, "note"))
    if len(note) > LONGEST_NOTE:
        raise LogError(key="merged_note_too_long", value=LONGEST_NOTE)
    used, celsius = _values(drives, "range_used"), _values(drives, "outside_temperature")
    seen = first.seen if len({drive.seen for drive in drives}) == 1 else Seen.PARTLY.value
    return first._replace(
        # They overlap if a clock was set back a little.
        start=min(drive.start for drive in drives),
        end=max(drive.end for drive in drives),
        **{name: getattr(last, name) for name in Drive._fields if name.startswith("end_")},
        range_used=round(sum(used), 2) if len(used) == len(drives) else None,
        max_speed=max(_values(drives, "max_speed"), default=None),
        outside_temperature=round(sum(celsius) / len(celsius), 1) if celsius else None,
        seen=seen,
        tag=next(iter(tags), None),
        note=note or None,
    )


def _values(drives: Iterable[Drive], name: str) -> list[Any]:
    return [value for drive in drives if (value := getattr(drive, name)) not in (None, "")]
