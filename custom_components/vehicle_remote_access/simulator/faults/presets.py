"""One fault that a person chooses from a list, for so many of the next requests."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..http.errors import ASLEEP
from .faults import Answer, AnyFault, Faults, Loss, Told

NONE: Final = "none"
MISHAPS: Final[Mapping[str, AnyFault]] = {
    "token_refused": Answer(401),
    "login_page": Answer(401, "<html><body>Log in to use this network.</body></html>"),
    "forbidden": Answer(403),
    "not_found": Answer(404),
    "asleep": Answer(408, {"response": None, "error": ASLEEP, "error_description": ""}),
    "account_locked": Answer(423),
    "too_many_requests": Answer(429, headers={"Retry-After": "300"}),
    "internal_error": Answer(500),
    "maintenance": Answer(503, "<html><body>Down for maintenance.</body></html>"),
    "car_fails": Answer(540),
    "not_json": Answer(200, b'{"response": {'),
    "no_answer": Loss("silence"),
    "connection_lost": Loss("reset"),
    "answer_lost": Loss("close", is_obeyed=True),
}
WHERE: Final[Mapping[str, str]] = {
    "every_request": "",
    "reads": "/vehicle_data",
    "commands": "/command/",
}
"""Which requests get it: part of their paths."""


class Mishap:
    """The fault that was chosen, while there are requests left to get it."""

    def __init__(self, faults: Faults) -> None:
        """Begin with none, and with one request, whichever it is."""
        self._faults = faults
        self._kind = NONE
        self._requests = 1
        self._where = "every_request"
        self._told: Told | None = None

    @property
    def kind(self) -> str:
        """The fault, `none` once every request has had it that was to have it."""
        return self._kind if self._told and self._told.left else NONE

    @property
    def requests(self) -> int:
        """How many requests are still to get it; before it is chosen, how many there will be."""
        return self._told.left if self._told and self._told.left else self._requests

    @property
    def where(self) -> str:
        """Which requests get it."""
        return self._where

    def choose(
        self, *, kind: str | None = None, requests: int | None = None, where: str | None = None
    ) -> None:
        """Choose the fault, how many of the next requests get it, or which; what is not named stays."""
        kind, self._requests, self._where = kind or self.kind, requests or self.requests, where or self._where
        if self._told:
            self._faults.take_back(self._told)
        self._kind, self._told = kind, None
        if kind != NONE:
            fault = replace(MISHAPS[kind], only=WHERE[self._where])
            self._told = self._faults.tell(fault, self._requests)
