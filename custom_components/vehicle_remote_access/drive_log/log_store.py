"""Storage of the log in two files: the archive, and the journal with new and open records.

The archive is written rarely, because it is large.
"""

import asyncio
from typing import Any, Protocol

from homeassistant.core import HomeAssistant, callback

from ..account.storage import SAVE_NORMALLY, SAVE_SOON, DataStore, log_names
from .drive_log import DriveLog


class _Source(Protocol):
    """What is stored."""

    log: DriveLog

    def archive(self) -> dict[str, Any]: ...
    def journal(self) -> dict[str, Any]: ...


class LogStore:
    """Saves the log of one vehicle in two files, so that a long log is not written with each read."""

    def __init__(self, hass: HomeAssistant, name: str, source: _Source) -> None:
        """Store under the id of a subentry. `source` returns what to save."""
        archive, journal = log_names(name)
        self._hass = hass
        self._source = source
        self._lock = asyncio.Lock()
        """Held while what a person has changed is written."""
        self._archive = DataStore(hass, archive, source.archive)
        self._journal = DataStore(hass, journal, source.journal)

    async def load(self) -> tuple[DriveLog, Any]:
        """Return the stored log and energy meter. Files that are damaged are set aside."""
        archive, journal = await self._archive.load(), await self._journal.load()
        meter = journal.get("meter")
        for parts in ((archive, journal), (archive, {}), ({}, journal)):
            try:
                book = DriveLog.restored(*parts)
            except AttributeError, KeyError, TypeError, ValueError:
                continue
            if archive and not parts[0]:
                await self._archive.set_aside("damaged")
            if journal and not parts[1]:
                await self._journal.set_aside("damaged")
            return book, meter
        await self._archive.set_aside("damaged")
        await self._journal.set_aside("damaged")
        return DriveLog(), meter

    @callback
    def schedule_save(self, *, is_urgent: bool) -> None:
        """Save what has changed, and at once what a person has changed.

        A power cut costs at most the last minute of a drive or a charge.
        """
        book = self._source.log
        if book.is_edited:
            self._hass.async_create_task(self.save_edits())
        elif book.is_archive_due:
            self._archive.schedule_save(SAVE_SOON)
        self._journal.schedule_save(SAVE_SOON if is_urgent else SAVE_NORMALLY)

    async def save_edits(self) -> None:
        """Save now what a person has changed, or wait for the save in progress."""
        # Changes during a write are written together.
        async with self._lock:
            if self._source.log.is_edited and not self._archive.is_closed:
                await self._archive.save()

    async def close(self) -> None:
        """Save now if anything changed, and accept no further changes."""
        await self._archive.close()
        await self._journal.close()

    async def remove(self) -> None:
        """Delete the files, and accept no further changes."""
        await self._archive.remove()
        await self._journal.remove()
