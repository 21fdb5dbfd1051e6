"""The files of a log: the archive, the journal, what is open, and the samples of each month."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
import json
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_dumps
from homeassistant.util.json import json_loads_object

from ..account import storage
from ..util.stored import DAMAGED
from .damaged_file import continue_entries, read_damaged
from .drive_log import Changes, DriveLog
from .entries import Charge, Drive, Observation
from .samples import Sample, Samples, months_of

# While a drive or a charge lasts
_SAVE_OPEN: Final = 60.0


class LogStore:
    """Saves the log of one vehicle in three files, so that a read does not write a long log."""

    def __init__(self, hass: HomeAssistant, name: str, get_log: Callable[[], DriveLog]) -> None:
        """Store under the name of a log. `get_log` returns the log to save."""
        archive, journal, latest = storage.log_names(name)
        self._hass = hass
        self._get_log = get_log
        self._lock = asyncio.Lock()
        self._journal_revision = -1
        """The revision of the stored journal. The latest file is valid only with this revision."""
        self._archive = storage.DataStore(
            hass, archive, lambda: get_log().start_archive(), lambda data: get_log().end_archive(data)
        )
        self._journal = storage.DataStore(hass, journal, lambda: get_log().journal(), self._journal_saved)
        self._latest = storage.DataStore(hass, latest, lambda: get_log().latest())
        self._stores = self._archive, self._journal, self._latest

    def _journal_saved(self, journal: dict[str, Any]) -> None:
        self._journal_revision = journal["revision"]

    async def restore(self) -> DriveLog:
        """Load the log to continue it. What could not be written before a reload is written soon."""
        log = await self.load()
        if self._latest.is_unsaved:
            self._latest.schedule_save(storage.SAVE_SOON)
        return log

    async def load(self) -> DriveLog:
        """Return the stored log, without what is damaged. Damaged files are set aside."""
        stores = self._archive, self._journal
        archive, journal, latest = [await store.load() for store in self._stores]
        if not any(store.damaged or store.is_unsaved for store in stores):
            with suppress(*DAMAGED):
                log = DriveLog.restored(archive, _continued(journal, latest))
                self._journal_revision = journal.get("revision", -1)
                return log
        archive = await self._readable(self._archive, archive)
        journal = await self._readable(self._journal, journal)
        log = DriveLog.restored(archive, _continued(journal, latest))
        continue_entries(log)
        log.is_damaged = True
        # So that both files are written again
        log.mark_edited()
        return log

    async def _readable(self, store: storage.DataStore, stored: dict[str, Any]) -> dict[str, Any]:
        """Return what is stored, or what can be read of it if it is damaged."""
        try:
            DriveLog.restored({}, stored)
        except DAMAGED:
            await store.set_aside("damaged")
            return read_damaged(json.dumps({"data": stored}, indent=2))
        if store.damaged is None:
            return stored
        text = await self._hass.async_add_executor_job(store.damaged.read_text, "utf-8", "replace")
        return read_damaged(text)

    def schedule_save(self, *, is_urgent: bool) -> None:
        """Save what has changed. A power cut costs at most the last minute of a drive or a charge."""
        log = self._get_log()
        if log.is_archive_due:
            self._archive.schedule_save(storage.SAVE_SOON)
        is_open = log.drive_tracker.open is not None or log.charge_tracker.open is not None
        within = storage.SAVE_SOON if is_urgent else _SAVE_OPEN if is_open else storage.SAVE_NORMALLY
        store = self._latest if log.revision == self._journal_revision else self._journal
        store.schedule_save(within)

    async def save_edits(self) -> None:
        """Save now what a person has changed, or wait for the save in progress."""
        # Changes during a write are written together.
        async with self._lock:
            if self._get_log().is_edited and not self._archive.is_closed:
                await self._archive.save()

    async def save_all(self, *, is_last: bool = False) -> None:
        """Save now, so that no file has what was deleted."""
        async with self._lock:
            for store in self._stores:
                if not store.is_closed:
                    await store.save(is_last=is_last)

    async def close(self) -> None:
        for store in self._stores:
            await store.close()


class SampleStore:
    """The samples of one vehicle, a file for each month. Those of open drives and charges are in memory."""

    def __init__(self, hass: HomeAssistant, name: str) -> None:
        self._hass = hass
        self._name = name
        self._open = Samples()
        file = storage.samples_name(name)
        self._store = storage.DataStore(hass, file, lambda: _packed(self._open), self._retry)
        self._lock = asyncio.Lock()
        """Held while files of months are read and written."""

    async def restore(self) -> None:
        self._open = await _load(self._store)
        if self._store.is_unsaved or self._unsaved_months:
            self._store.schedule_save(storage.SAVE_SOON)

    def update(self, log: DriveLog, changes: Changes, observation: Observation | None = None) -> None:
        """Finish the samples of ended entries, and add those of an observation, if there is one."""
        had_any = bool(self._open)
        finished = self._open.finish(log, changes)
        if had_any and not self._open:
            self._store.schedule_save(storage.SAVE_SOON)
        if finished:
            self._hass.async_create_task(self._write(finished))
        if observation is not None and self._open.add(observation, log):
            self._store.schedule_save(storage.SAVE_RARELY)

    async def save_new(self, finished: Samples, still_open: Samples) -> None:
        """Save the samples of a log that was made elsewhere."""
        self._open = still_open
        await self._write(finished)
        await self._store.save(is_last=True)

    async def load(self, entry: Drive | Charge) -> list[Sample]:
        return (await self.load_months([entry])).during(entry)

    async def load_months(self, entries: Iterable[Drive | Charge]) -> Samples:
        """Return all samples of the months of entries."""
        async with self._lock:
            found = Samples()
            for month in sorted({month for entry in entries for month in months_of(entry)}):
                found.put(await _load(self._month(month)))
            found.put(self._open)
            return found

    async def delete(self, entry: Drive | Charge) -> None:
        await self._change(months_of(entry), lambda _, stored: stored.remove(stored.during(entry)))

    async def forget_positions(self) -> None:
        """Delete the positions of all months, and save now."""
        self._open.forget_positions()
        months = await storage.sample_months(self._hass, self._name)
        await self._change(months, lambda _, stored: stored.forget_positions())
        await self._store.save()

    async def _write(self, samples: Samples) -> None:
        new = samples.by_month()
        await self._change(new, lambda month, stored: stored.put(new.get(month, ())))

    async def _change(self, months: Iterable[str], change: Callable[[str, Samples], object]) -> None:
        """Change the files of months, and of those that could not be saved."""
        async with self._lock:
            for month in {*months, *self._unsaved_months}:
                stored = await _load(self._month(month))
                change(month, stored)
                if not stored:
                    await self._month(month).remove()
                elif not await self._month(month, stored).save(is_last=True):
                    # It is saved after the samples of open entries.
                    self._store.schedule_save()

    def _retry(self, _data: object) -> None:
        if self._unsaved_months:
            self._hass.async_create_task(self._write(Samples()))

    @property
    def _unsaved_months(self) -> set[str]:
        return storage.unsaved_months(self._hass, self._name)

    def _month(self, month: str, samples: Samples | None = None) -> storage.DataStore:
        name = storage.samples_name(self._name, month)
        return storage.DataStore(self._hass, name, lambda: _packed(samples or Samples()))

    async def close(self) -> None:
        await self._write(Samples())
        await self._store.close()


def _continued(journal: dict[str, Any], latest: dict[str, Any]) -> dict[str, Any]:
    """Return the journal with what is open now, if that is of the same revision and not damaged."""
    if latest.get("revision") == journal.get("revision"):
        with suppress(*DAMAGED):
            DriveLog.restored({}, {**journal, **latest})
            return {**journal, **latest}
    return journal


def _packed(samples: Samples) -> dict[str, str]:
    """Return samples as text. Home Assistant would write each number on its own line."""
    # This key is format version 1. A new version must still read it.
    return {"samples": json_dumps(samples.as_json())}


async def _load(store: storage.DataStore) -> Samples:
    """Return stored samples. A damaged file is set aside."""
    stored = await store.load()
    try:
        return Samples.from_json(json_loads_object(stored["samples"])) if stored else Samples()
    except DAMAGED:
        await store.set_aside("damaged")
        return Samples()
