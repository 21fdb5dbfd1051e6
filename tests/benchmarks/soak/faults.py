"""The faults that the simulated service injects."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator.faults.faults import (
    AnyFault,
    ChangedResponse,
    DropMode,
    DroppedResponse,
    ResponseFault,
)
from simulator_console.service_faults import GONE

# Without 401: after two in a row the user must enter the token again. Without 423, and without 412 for reads:
# the integration pauses an hour after them, and nothing is measured.
_STATUSES: Final = (400, 402, 403, 404, 405, 406, 408, 421, 451, 499, 500, 502, 503, 504, 540)
# After these a command may have been carried out.
_AMBIGUOUS: Final = (408, 499, 500, 502, 503, 504, 540)
_DROP_MODES: Final[tuple[DropMode, ...]] = ("reset", "close", "cut", "silence")
_NUMBER: Final = (int, float)
_VALUE: Final = (int, float, bool, str, type(None))


def all_faults(seed: int) -> list[AnyFault]:
    """Return all faults. Faults that change a field choose it randomly."""
    random = Random(seed)  # noqa: S311 - reproducible, not secret

    def changed(kind: str, types: tuple[type, ...], *replacements: Any) -> ChangedResponse:
        def replace(response: Any) -> Any:
            places = [(parent, key) for parent, key in _places(response) if type(parent[key]) in types]
            if places:
                parent, key = random.choice(places)
                parent[key] = random.choice(replacements)
                if parent[key] is GONE:
                    del parent[key]
            return response

        return ChangedResponse(kind, replace)

    return [
        *(ResponseFault(status) for status in _STATUSES),
        *(ResponseFault(status, is_obeyed=True) for status in _AMBIGUOUS),
        ResponseFault(412, only="/command/"),
        ResponseFault(429, headers={"Retry-After": "180"}),
        ResponseFault(200, "<title>It works</title>", {"Content-Type": "text/html"}, name="HTML with 200"),
        ResponseFault(200, "", name="empty body with 200"),
        ResponseFault(200, {"response": None}, name="response null"),
        ResponseFault(200, {"response": []}, name="response a list"),
        ResponseFault(200, {"response": "fine"}, name="response a text"),
        ResponseFault(200, {"response": None, "error": "upstream internal error"}, name="error with 200"),
        ResponseFault(200, b'{"response":' + b"[" * 10_000 + b"]" * 10_000 + b"}", name="JSON 10,000 deep"),
        changed("NaN", _NUMBER, float("nan"), float("inf")),
        changed("number beyond 2^63", _NUMBER, 2**63, 2**70, -(2**70), 10**400),
        changed("record missing", (dict,), GONE),
        changed("record null", (dict,), None),
        changed("record a list", (dict,), [], [{}]),
        changed("field missing", _VALUE, GONE),
        changed("field null", _VALUE, None),
        changed("field of another type", _VALUE, {"not": "a value"}, [1]),
        *(DroppedResponse(mode, is_obeyed=is_obeyed) for mode in _DROP_MODES for is_obeyed in (False, True)),
        DroppedResponse("endless"),
    ]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the parent and the key or index of every value in a JSON value."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])
