"""Storage of the samples: a file for each month, and one for what has not ended."""

import asyncio
from collections.abc import Mapping
from typing import Any

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.json import json_dumps
from homeassistant.util.json import json_loads_object

from ..account.storage import SAVE_RARELY, SAVE_SOON, DataStore, remove_samples, samples_name
from .drive_log import Changes, DriveLog
from .entries import Charge, Drive, Observation
from .samples import Sample, Samples, months_of


class SampleStore:
    """The samples of one vehicle. Only those of open drives and charges are in memory."""

    def __init__(self, hass: HomeAssistant, name: str) -> None:
        """Store under the id of a subentry."""
        self._hass = hass
        self._name = name
        self._open = Samples()
        self._finished = Samples()
        """What is not yet in the file of its month."""
        self._store = DataStore(hass, samples_name(name), self._open_as_json)
        self._lock = asyncio.Lock()
        """Held while files of months are read and written."""

    def _open_as_json(self) -> Mapping[str, Any]:
        return _packed(self._open)

    async def restore(self) -> None:
        """Restore the samples of what has not ended."""
        self._open = await _load(self._store)

    @callback
    def add(self, look: Observation, book: DriveLog, changes: Changes) -> None:
        """Add what a look shows, after the log has changed."""
        self.finish(book, changes)
        count = len(self._open.drives) + len(self._open.charges)
        self._open.add(look, book)
        if len(self._open.drives) + len(self._open.charges) != count:
            self._store.schedule_save(SAVE_RARELY)

    @callback
    def finish(self, book: DriveLog, changes: Changes) -> None:
        """Store the samples of what has ended."""
        had_any = bool(self._open)
        self._finished.merge(self._open.finish(book, changes))
        if had_any and not self._open:
            self._store.schedule_save(SAVE_SOON)
        if self._finished:
            self._hass.async_create_task(self._write())

    async def load(self, record: Drive | Charge) -> list[Sample]:
        """Return the samples of a drive or a charge, oldest first."""
        async with self._lock:
            found = Samples()
            for month in months_of(record):
                found.merge(await _load(self._month(month)))
            found.merge(self._finished)
            found.merge(self._open)
            return found.of(record)

    async def delete(self, record: Drive | Charge) -> None:
        """Delete the samples of a drive or a charge."""
        async with self._lock:
            self._finished.delete(record)
            for month in months_of(record):
                stored = await _load(self._month(month))
                if stored.delete(record):
                    await self._save(month, stored)

    async def _write(self) -> None:
        """Write what has ended into the files of its months."""
        async with self._lock:
            finished, self._finished = self._finished, Samples()
            for month, samples in finished.by_month().items():
                stored = await _load(self._month(month))
                stored.merge(samples)
                await self._save(month, stored)

    async def _save(self, month: str, samples: Samples) -> None:
        if samples:
            await self._month(month, samples).save()
        else:
            await self._month(month).remove()

    def _month(self, month: str, samples: Samples | None = None) -> DataStore:
        name = samples_name(self._name, month)
        return DataStore(self._hass, name, lambda: _packed(samples or Samples()))

    async def close(self) -> None:
        """Save now if anything changed, and accept no further changes."""
        await self._write()
        await self._store.close()

    async def remove(self) -> None:
        """Delete the files, and accept no further changes."""
        await self._store.remove()
        async with self._lock:
            self._finished = Samples()
            await remove_samples(self._hass, self._name)


def _packed(samples: Samples) -> dict[str, str]:
    """Return samples as text. Home Assistant would write each number on its own line."""
    # This key is format version 1. A new version must still read it.
    return {"samples": json_dumps(samples.as_json())}


async def _load(store: DataStore) -> Samples:
    """Return stored samples. A damaged file is set aside."""
    stored = await store.load()
    try:
        return Samples.from_json(json_loads_object(stored["samples"])) if stored else Samples()
    except AttributeError, KeyError, TypeError, ValueError:
        await store.set_aside("damaged")
        return Samples()
