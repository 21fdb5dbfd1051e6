"""Who is told what is new: a few at a time, so that nobody else in the house has to wait for it."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from .const import LOGGER

# So many states are written within 2 ms, also by a small machine.
_IN_A_TURN: Final = 48


class Telling:
    """Calls those who want to know, each once. Whom one turn of the event loop has no room for waits."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Begin with nobody waiting."""
        self._loop = hass.loop
        self._waiting: OrderedDict[CALLBACK_TYPE, str] = OrderedDict()
        self._room = _IN_A_TURN

    @callback
    def tell(self, of: str, updates: Iterable[CALLBACK_TYPE]) -> None:
        """Call these, now if there is room; `of` names the car that they are told of."""
        for update in updates:
            self._waiting.setdefault(update, of)
        self._go_on()

    @callback
    def spare(self, update: CALLBACK_TYPE) -> None:
        """Do not call who does not want to know any more."""
        self._waiting.pop(update, None)

    def _go_on(self) -> None:
        if self._waiting and self._room == _IN_A_TURN:
            self._loop.call_soon(self._begin_turn)
        while self._waiting and self._room:
            self._room -= 1
            update, of = self._waiting.popitem(last=False)
            try:
                update()
            except Exception:  # noqa: BLE001 # One entity's fault is nobody else's.
                LOGGER.exception("An entity of %s could not take what is new", of)

    def _begin_turn(self) -> None:
        self._room = _IN_A_TURN
        self._go_on()
