"""The simulated service agrees with the interface document: endpoints, records, fields, types and nulls."""

from typing import Any

from custom_components.vehicle_remote_access.simulator.http.car_commands import COMMANDS

from ..api.conftest import documented
from .conftest import Client, Reply
from .documented import (
    ENDPOINTS,
    FIELDS,
    PARAMETERS,
    Json,
    differences,
)


async def test_field_that_is_null_in_every_example_is_null_at_first(client: Client) -> None:
    data = (await client.read()).response
    values = [
        data[record][name]
        for record, fields in FIELDS.items()
        for name, field in fields.items()
        if field.get("null_in_every_example")
    ]
    assert set(values) == {None}


async def test_ids_and_option_codes(client: Client) -> None:
    """In every record id_s is the text of id, and works in a path. Option codes have four characters."""
    for record in (await client.get("/api/1/vehicles")).response:
        single = await client.get(f"/api/1/vehicles/{record['id_s']}")
        assert single.response["id"] == int(record["id_s"]) == record["id"]
        # The id is too large for the exact value of a float, and is not the vehicle_id.
        assert record["vehicle_id"] != record["id"] > 2**53
        assert {len(code) for code in record["option_codes"].split(",")} == {4}


async def request(endpoint: Json, client: Client, path: str = "", **more: Any) -> Reply:
    path = endpoint["path"].replace("/api/1/vehicles/{id}", path or client.vehicle_path)
    query = PARAMETERS.get(path.rpartition("/")[2], {})
    return await client.request(endpoint["method"], path, params=query, **more)


async def test_endpoints(client: Client) -> None:
    """A documented endpoint returns its payload under `response`, and needs the token and a vehicle."""
    for endpoint in ENDPOINTS:
        reply, name = await request(endpoint, client), f"{endpoint['method']} {endpoint['path']}"
        keys = {"response", "count"} if "count" in endpoint["response"] else {"response"}
        assert (reply.status, set(reply.body)) == (200, keys), name
        if "/command/" in endpoint["path"]:
            assert differences(reply.response, documented("endpoints")["command_result"]) == [], name
            # A reason is empty only if the command was carried out.
            assert reply.response["result"] is (reply.response["reason"] == ""), name
        assert (await request(endpoint, client, headers={})).status == 401, name
        if "{id}" in endpoint["path"]:
            assert (await request(endpoint, client, "/api/1/vehicles/17")).status == 404, name


def test_commands_are_those_of_the_document() -> None:
    paths = [endpoint["path"].split("/") for endpoint in ENDPOINTS]
    assert set(COMMANDS) == {path[-1] for path in paths if path[-2] == "command"}


async def test_endpoint_has_no_other_method(client: Client) -> None:
    """A documented path responds to any other method with 405, and names the allowed methods."""
    for path in {endpoint["path"] for endpoint in ENDPOINTS}:
        known = {endpoint["method"] for endpoint in ENDPOINTS if endpoint["path"] == path}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - known:
            reply = await client.request(method, path.replace("/api/1/vehicles/{id}", client.vehicle_path))
            assert (reply.status, reply.response, reply.body["error"]) == (405, None, "invalid_method"), path
            assert set(reply.headers["Allow"].split(",")) == known, path
