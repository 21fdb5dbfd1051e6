"""Faults as JSON describes them: what of `Faults` is wanted, and with what."""

from collections.abc import Callable, Iterable
import re
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator.faults.faults import Answer, AnyFault, Faults, Loss
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .values import check_arguments, refuse_value

LOWEST_STATUS, HIGHEST_STATUS = 200, 599
HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [ -~]*")
FAULTS: Final = {
    "status": ("answer", "status"),
    "fail": ("fail", "how"),
    "corrupt": ("corrupt", "path"),
    "remove": ("remove", "path"),
    "share": ("at_random", "share"),
}
"""By which member a fault in JSON is known, what of `Faults` it is for, and as which argument."""


def tell(faults: Faults, values: Json) -> None:
    """Let the service do wrongly what a JSON object describes.

    Raises:
        ValueRefusedError: when it describes no fault.
    """
    what = _known_by(values, FAULTS)
    act, argument = FAULTS[what]
    values = _checked(what, getattr(faults, act), _renamed(values, what, argument))
    if "among" in values:
        values["among"] = [fault(each) for each in values["among"]]
    getattr(faults, act)(**values)


def fault(values: Any) -> AnyFault:
    """Return the answer or the loss that a JSON object describes."""
    if not isinstance(values, dict):
        refuse_value("each of among has to be a JSON object")
    if _known_by(values, ("status", "fail")) == "status":
        return Answer(**_checked("status", Answer, values))
    return Loss(**_checked("fail", Loss, _renamed(values, "fail", "how")))


def _known_by(values: Json, names: Iterable[str]) -> str:
    found = [name for name in names if name in values]
    if len(found) != 1:
        refuse_value(f"a fault has one of {', '.join(names)}")
    return found[0]


def _renamed(values: Json, name: str, other: str) -> Json:
    return {other if each == name else each: value for each, value in values.items()}


def _checked(name: str, act: Callable[..., object], values: Json) -> Json:
    """Return the values, if they are arguments that it takes, within their limits."""
    check_arguments(name, act, values)
    if not LOWEST_STATUS <= values.get("status", LOWEST_STATUS) <= HIGHEST_STATUS:
        refuse_value(f"status has to be between {LOWEST_STATUS} and {HIGHEST_STATUS}")
    if values.get("times", 1) < 1:
        refuse_value("times has to be 1 or more")
    if not 0 <= values.get("share", 0) <= 1:
        refuse_value("share has to be between 0 and 1")
    for header, value in (values.get("headers") or {}).items():
        if not (isinstance(value, str) and HEADER.fullmatch(f"{header}: {value}")):
            refuse_value(f"{header} is no header, or its value is not one")
    return values
