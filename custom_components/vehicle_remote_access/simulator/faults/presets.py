"""A fault that a user selects from a list, for a number of the next requests."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..http.request_error import ASLEEP
from .faults import AnyFault, DroppedResponse, Faults, InjectedFault, ResponseFault

NONE: Final = "none"
PRESETS: Final[Mapping[str, AnyFault]] = {
    "token_refused": ResponseFault(401),
    "login_page": ResponseFault(401, "<html><body>Log in to use this network.</body></html>"),
    "forbidden": ResponseFault(403),
    "not_found": ResponseFault(404),
    "asleep": ResponseFault(408, {"response": None, "error": ASLEEP, "error_description": ""}),
    "account_locked": ResponseFault(423),
    "too_many_requests": ResponseFault(429, headers={"Retry-After": "300"}),
    "internal_error": ResponseFault(500),
    "maintenance": ResponseFault(503, "<html><body>Down for maintenance.</body></html>"),
    "car_fails": ResponseFault(540),
    "not_json": ResponseFault(200, b'{"response": {'),
    "no_answer": DroppedResponse("silence"),
    "connection_lost": DroppedResponse("reset"),
    "answer_lost": DroppedResponse("close", is_obeyed=True),
}
SCOPES: Final[Mapping[str, str]] = {"every_request": "", "reads": "/vehicle_data", "commands": "/command/"}
"""The requests that a preset affects, by a text in their path."""


class FaultPreset:
    """The selected preset, as long as requests remain for it."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._name = NONE
        self._requests = 1
        self.scope = "every_request"
        """The requests that the preset affects: a key of SCOPES."""
        self._injected: InjectedFault | None = None

    @property
    def name(self) -> str:
        """The preset's name, `none` after it affected all its requests."""
        return self._name if self._injected and self._injected.remaining else NONE

    @property
    def requests(self) -> int:
        """The number of remaining requests. Without a preset, the number for the next one."""
        return self._injected.remaining if self._injected and self._injected.remaining else self._requests

    def select(
        self, *, name: str | None = None, requests: int | None = None, scope: str | None = None
    ) -> None:
        name = name or self.name
        self._requests = requests or self.requests
        self.scope = scope or self.scope
        if self._injected:
            self._faults.withdraw(self._injected)
        self._name, self._injected = name, None
        if name != NONE:
            fault = replace(PRESETS[name], only=SCOPES[self.scope])
            self._injected = self._faults.inject(fault, self._requests)
