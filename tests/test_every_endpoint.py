"""Test that every documented endpoint is used.

The expectations are written by hand, not derived from the integration's commands: the endpoints come from
the interface document, and `USES` lists the user actions that lead to each of them.
"""

import asyncio
from collections.abc import Mapping
import re
from typing import Any, Final
from urllib.parse import parse_qsl

import pytest

from .api.conftest import documented
from .conftest import Home
from .user_actions import ROOF, USES

PREFIX: Final = r"^/api/1/(vehicles/\{id\}/)?(command/)?"
ENDPOINTS: Final[Mapping[str, Mapping[str, Any]]] = {
    f"{endpoint['method']} {re.sub(PREFIX, '', endpoint['path'])}": endpoint
    for endpoint in documented("endpoints")["endpoints"]
}
# The document has neither a name nor a meaning for their parameters, and no known client sends them.
UNNAMED_PARAMETERS: Final = {"POST charge_start"}


def _controls(home: Home) -> dict[str, str]:
    """Return the states of the controls, except the sunroof, which moves for a while."""
    roof = home.entity_id("cover", ROOF)
    return {
        name: state
        for name, state in home.states().items()
        if name.startswith(("lock.", "climate.", "switch.", "cover.", "number.")) and name != roof
    }


def test_every_parameter_is_used() -> None:
    """Every documented endpoint is used with each parameter, by its name if it has one, and each value."""
    assert {endpoint for endpoint, *_ in USES} == set(ENDPOINTS)
    with_parameters = {endpoint for endpoint in ENDPOINTS if ENDPOINTS[endpoint]["parameters"]}
    for endpoint in with_parameters - UNNAMED_PARAMETERS:
        parameters = ENDPOINTS[endpoint]["parameters"]
        used = {item for name, _, query in USES if name == endpoint for item in parse_qsl(query)}
        names = {name for name, _ in used}
        assert {parameter["name"] for parameter in parameters if parameter["name"]} <= names, endpoint
        assert len(names) == len(parameters), endpoint
        values = {value for parameter in parameters for value in parameter.get("values", ())}
        assert values <= {value for _, value in used}, endpoint


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_every_endpoint_is_used(home: Home) -> None:
    """Each user action sends one request, with the documented method, path, and query, and the token."""
    mismatches = []
    for endpoint, action, query in USES:
        documented_endpoint = ENDPOINTS[endpoint]
        path = documented_endpoint["path"].replace("{id}", str(home.car.id))
        home.simulator.requests.clear()
        (error,) = await asyncio.gather(action(home), return_exceptions=True)
        sent = [
            (request.query, request.status)
            for request in home.simulator.requests
            if (request.method, request.path) == (documented_endpoint["method"], path)
        ]
        if isinstance(error, BaseException) or sent != [(dict(parse_qsl(query)), 200)]:
            mismatches.append(f"{endpoint}: sent {sent}, expected {query}, {error!r}")
        at_once = _controls(home)
        await home.advance(5)
        await home.poll()
        later = _controls(home)
        mismatches += [
            f"{endpoint}: {name} is later {later[name]}" for name in later if at_once[name] != later[name]
        ]
    assert not mismatches, "\n".join(mismatches)
