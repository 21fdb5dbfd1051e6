"""What goes wrong between a service and who asks it."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator.faults.faults import (
    GONE,
    Answer,
    AnyFault,
    Change,
    How,
    Loss,
)

# There is neither 423 here nor 412 to a read: after those a service is rightly left alone for an hour, and
# then there is nothing to be seen.
_STATUSES: Final = (400, 402, 403, 404, 405, 406, 408, 421, 451, 499, 500, 502, 503, 504, 540)
_TO_A_COMMAND: Final = 412
_TOKEN_REFUSED: Final = 401
# After these a command may have been carried out.
_DOUBTFUL: Final = (408, 499, 500, 502, 503, 504, 540)
_LOSSES: Final[tuple[How, ...]] = ("reset", "close", "cut", "silence")
_HTML: Final = "<!doctype html><title>It works</title>"
_DEPTH: Final = 10_000
_RECORD: Final = (dict,)
_NUMBER: Final = (int, float)
_VALUE: Final = (int, float, bool, str, type(None))


def mishaps(seed: int, *, is_token_refused: bool) -> list[AnyFault]:
    """Return all that may happen to a request; which field it happens to is chosen by chance.

    `is_token_refused`: so may that nobody asks again until a person has given the token once more.
    """
    random = Random(seed)  # noqa: S311 - the same again is wanted, not secrets

    def spoiled(kind: str, types: tuple[type, ...], *instead: Any) -> Change:
        return Change(kind, _spoiling(random, types, instead))

    return [
        *(Answer(status) for status in _STATUSES),
        *(Answer(status, is_obeyed=True) for status in _DOUBTFUL),
        Answer(_TO_A_COMMAND, only="/command/"),
        *([Answer(_TOKEN_REFUSED)] if is_token_refused else []),
        Answer(429, headers={"Retry-After": "180"}),
        Answer(200, _HTML, {"Content-Type": "text/html"}, name="HTML with 200"),
        Answer(200, "", name="nothing with 200"),
        Answer(200, {"response": None}, name="response null"),
        Answer(200, {"response": []}, name="response a list"),
        Answer(200, {"response": "fine"}, name="response a text"),
        Answer(200, {"response": None, "error": "upstream internal error"}, name="error with 200"),
        Answer(200, b'{"response":' + b"[" * _DEPTH + b"]" * _DEPTH + b"}", name="JSON 10,000 deep"),
        spoiled("NaN", _NUMBER, float("nan"), float("inf")),
        spoiled("number beyond 2^63", _NUMBER, 2**63, 2**70, -(2**70), 10**400),
        spoiled("record missing", _RECORD, GONE),
        spoiled("record null", _RECORD, None),
        spoiled("record a list", _RECORD, [], [{}]),
        spoiled("field missing", _VALUE, GONE),
        spoiled("field null", _VALUE, None),
        spoiled("field of another type", _VALUE, {"not": "a value"}, [1]),
        *(Loss(how, is_obeyed=is_obeyed) for how in _LOSSES for is_obeyed in (False, True)),
        Loss("endless"),
    ]


def _spoiling(random: Random, types: tuple[type, ...], instead: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Return what puts something else in a place of an answer where there was something of these types."""

    def spoil(answer: Any) -> Any:
        places = [(holder, name) for holder, name in _places(answer) if type(holder[name]) in types]
        if places:
            holder, name = random.choice(places)
            holder[name] = random.choice(instead)
            if holder[name] is GONE:
                del holder[name]
        return answer

    return spoil


def _places(found: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in a piece of JSON: what it is in, and its name or number there."""
    names = found if isinstance(found, dict) else range(len(found)) if isinstance(found, list) else ()
    for name in names:
        yield found, name
        yield from _places(found[name])
