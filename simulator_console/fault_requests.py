"""Faults from the JSON objects of the admin API."""

from collections.abc import Callable, Iterable
import re
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator.faults.faults import (
    AnyFault,
    DroppedResponse,
    Faults,
    ResponseFault,
)
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .values import check_arguments, refuse_value

LOWEST_STATUS, HIGHEST_STATUS = 200, 599
HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [ -~]*")
METHODS: Final = {
    "status": ("answer", "status"),
    "fail": ("fail", "how"),
    "corrupt": ("corrupt", "path"),
    "remove": ("remove", "path"),
    "share": ("at_random", "share"),
}
"""By the key that identifies a fault: the method of `Faults`, and the argument for the key's value."""


def inject(faults: Faults, values: Json) -> None:
    """Inject the fault that a JSON object describes.

    Raises:
        ValueRefusedError: if it describes no fault.
    """
    key = _identifying_key(values, METHODS)
    name, argument = METHODS[key]
    method = getattr(faults, name)
    arguments = _checked(key, method, _with_renamed_key(values, key, argument))
    if "among" in arguments:
        arguments["among"] = [parse_fault(item) for item in arguments["among"]]
    method(**arguments)


def parse_fault(values: Any) -> AnyFault:
    """Return the fault that a JSON object describes.

    Raises:
        ValueRefusedError: if it describes no ResponseFault and no DroppedResponse.
    """
    if not isinstance(values, dict):
        refuse_value("each item of among must be a JSON object")
    if _identifying_key(values, ("status", "fail")) == "status":
        return ResponseFault(**_checked("status", ResponseFault, values))
    return DroppedResponse(**_checked("fail", DroppedResponse, _with_renamed_key(values, "fail", "how")))


def _identifying_key(values: Json, keys: Iterable[str]) -> str:
    found = [key for key in keys if key in values]
    if len(found) != 1:
        refuse_value(f"a fault must have exactly one of {', '.join(keys)}")
    return found[0]


def _with_renamed_key(values: Json, old: str, new: str) -> Json:
    return {new if key == old else key: value for key, value in values.items()}


def _checked(name: str, function: Callable[..., object], values: Json) -> Json:
    """Return the values. Raise ValueRefusedError if they are no valid arguments of the function."""
    check_arguments(name, function, values)
    if not LOWEST_STATUS <= values.get("status", LOWEST_STATUS) <= HIGHEST_STATUS:
        refuse_value(f"status must be between {LOWEST_STATUS} and {HIGHEST_STATUS}")
    if values.get("times", 1) < 1:
        refuse_value("times must be 1 or more")
    if not 0 <= values.get("share", 0) <= 1:
        refuse_value("share must be between 0 and 1")
    for header, value in (values.get("headers") or {}).items():
        if not (isinstance(value, str) and HEADER.fullmatch(f"{header}: {value}")):
            refuse_value(f"{header} is not a valid header, or its value is invalid")
    return values
