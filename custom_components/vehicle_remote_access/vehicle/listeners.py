"""Listeners of a vehicle's fields and derived values."""

from collections.abc import Iterable
from enum import StrEnum, auto
from itertools import chain
from typing import Any

from homeassistant.core import CALLBACK_TYPE, callback

from ..api.fields import Field
from ..const import LOGGER


class DerivedValue(StrEnum):
    """A value of a vehicle that is not a field of its record."""

    AVAILABILITY = auto()
    POLLING_MODE = auto()
    NEXT_READ = auto()
    """Unix seconds."""
    ASLEEP_TODAY = auto()
    """Hours, rounded to a tenth."""
    TIME_TO_FALL_ASLEEP = auto()
    """Minutes."""
    CHARGE_FINISH = auto()
    SESSION_START = auto()
    LAST_COMMAND = auto()
    LOG = auto()
    """Changes with each record, and with each month."""
    ENERGY_AT_HOME = auto()
    OPTIONS = auto()


type ListenerKey = Field[Any] | DerivedValue


class FieldListeners:
    """Callbacks by the fields and derived values that they depend on."""

    def __init__(self, name: str) -> None:
        """Start without listeners. `name`: the vehicle in log messages."""
        self._name = name
        self._by_key: dict[ListenerKey, list[CALLBACK_TYPE]] = {}
        self._active: set[CALLBACK_TYPE] = set()

    @callback
    def add(self, keys: Iterable[ListenerKey], update: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `update` after any of these keys or the availability changed. Return what removes it."""
        groups = [self._by_key.setdefault(key, []) for key in (DerivedValue.AVAILABILITY, *keys)]
        for group in groups:
            group.append(update)
        self._active.add(update)

        def remove() -> None:
            for group in groups:
                group.remove(update)
            self._active.discard(update)

        return remove

    @callback
    def notify(self, keys: Iterable[ListenerKey]) -> None:
        """Call each listener of any of these keys once."""
        groups = [group for key in keys if (group := self._by_key.get(key))]
        for update in dict.fromkeys(chain.from_iterable(groups)):
            # An earlier listener may have removed it.
            if update not in self._active:
                continue
            try:
                update()
            except Exception:  # noqa: BLE001 - one failing entity must not affect the others
                LOGGER.exception("Error in a listener of %s", self._name)
