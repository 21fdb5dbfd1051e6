"""Every documented command of a service of today, from the dialog to the request."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from homeassistant.components.cover import CoverEntityFeature
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.api.commands import ACCOUNT_ENDPOINTS, COMMANDS
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from ..conftest import Home
from ..user_actions import ACCOUNT_ACTIONS, ROOF, USES, UserAction, action, entity, press
from .conftest import NAMES, Sent, each_service, refusal_of

# Parameters that are sent as another JSON type than text
JSON_TYPES: Final[Mapping[str, Any]] = {
    "driver_temp": float,
    "passenger_temp": float,
    "percent": int,
    "limit_mph": int,
    "on": {"true": True, "false": False}.get,
}
# Commands with other parameters than those of the interface document
OTHER_FORM: Final = {"sun_roof_control", "remote_start_drive", "upcoming_calendar_entries"}
CALENDAR: Final = {"calendars": [{"name": "Home", "events": []}], "access_disabled": False}


def _body(query: str) -> dict[str, Any]:
    return {name: JSON_TYPES.get(name, str)(text) for name, text in parse_qsl(query)}


# Command, user action, and the body that the service must receive
COMMAND_USES: Final[tuple[tuple[str, UserAction, dict[str, Any]], ...]] = (
    *(
        (command, use, _body(query))
        for endpoint, use, query in USES
        if (command := endpoint.removeprefix("POST ")) in {each.name for each in COMMANDS} - OTHER_FORM
    ),
    ("sun_roof_control", entity("cover", "open_cover", ROOF), {"state": "vent"}),
    ("sun_roof_control", entity("cover", "close_cover", ROOF), {"state": "close"}),
    ("sun_roof_control", press("sun_roof_control.vent"), {"state": "vent"}),
    ("sun_roof_control", action("sun_roof_control", state="closed"), {"state": "close"}),
    ("remote_start_drive", action("remote_start_drive"), {}),
    ("remote_start_drive", action("remote_start_drive", password="word"), {}),
    (
        "upcoming_calendar_entries",
        action("upcoming_calendar_entries", calendar_data=CALENDAR),
        {"calendar_data": '{"calendars": [{"name": "Home", "events": []}], "access_disabled": false}'},
    ),
)


@each_service("tesla_fleet")
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_every_command_is_one_request_with_a_json_body(home: Home, sent: list[Sent]) -> None:
    documented = {command.name for command in COMMANDS if not command.fleet_only}
    assert {name for name, *_ in COMMAND_USES} == documented
    mismatches = []
    for command, use, body in COMMAND_USES:
        sent.clear()
        home.simulator.requests.clear()
        (error,) = await asyncio.gather(use(home), return_exceptions=True)
        path = f"/api/1/vehicles/{home.car.vin}/command/{command}".replace("command/wake_up", "wake_up")
        statuses = [request.status for request in home.simulator.requests if request.method == "POST"]
        if error is not None or sent != [Sent(path, "", body)] or statuses != [200]:
            mismatches.append(f"{command}: sent {sent}, {statuses}, expected {body}, {error!r}")
    assert not mismatches, "\n".join(mismatches)
    assert home.car.body.calendar == CALENDAR


@each_service("tessie")
async def test_sunroof_has_neither_a_position_to_set_nor_the_button_for_comfort(home: Home) -> None:
    assert home.shown("cover", ROOF).attributes["supported_features"] == (
        CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE | CoverEntityFeature.STOP
    )
    entities = er.async_get(home.hass)
    roof = f"{home.car.vin}-sun_roof_control"
    assert entities.async_get_entity_id("button", DOMAIN, f"{roof}.vent")
    assert not entities.async_get_entity_id("button", DOMAIN, f"{roof}.comfort")
    home.simulator.requests.clear()
    for state in ("open", "comfort", "move"):
        key, _ = await refusal_of(home.act("sun_roof_control", state=state, percent=40))
        assert key == "invalid_value"
    assert not home.requests()


@pytest.mark.parametrize("service", ["other"])
async def test_nothing_is_sent_without_the_password_that_the_document_requires(home: Home) -> None:
    home.simulator.requests.clear()
    assert await refusal_of(home.act("remote_start_drive")) == ("missing_value", {"detail": "password"})
    assert not home.requests()


@each_service("tessie")
@pytest.mark.parametrize("record", ["charge_state", "legacy"])
async def test_read_of_a_single_record_names_the_service_that_lacks_it(home: Home, record: str) -> None:
    home.simulator.requests.clear()
    refusal = await refusal_of(home.act("get_vehicle_data", record=record))
    assert refusal == ("missing_endpoint", {"detail": NAMES[home.simulator.service]})
    assert not home.requests()


@each_service("teslemetry")
async def test_actions_for_an_account_exist_only_if_an_account_has_a_service_for_them(home: Home) -> None:
    registered = home.hass.services.async_services_for_domain(DOMAIN).keys()
    assert "get_vehicle_data" in registered
    assert not ACCOUNT_ENDPOINTS.keys() & registered


async def test_account_actions_send_nothing_to_a_service_that_lacks_them(home: Home) -> None:
    simulator = Simulator(vehicles=1, seed=1)
    await simulator.start()
    access = {"base_url": simulator.url, "access_token": simulator.token}
    form = await home.submit(await home.start_flow("account"), **access)
    await home.submit(form)
    await home.idle()
    home.simulator.requests.clear()
    for name, data in ACCOUNT_ACTIONS.items():
        assert (await refusal_of(home.act(name, **data)))[0] == "missing_endpoint", name
    assert not home.requests()
    await home.leave()
    await simulator.stop()
