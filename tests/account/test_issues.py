"""Issues: problems that only a person can fix, and offers to add or remove a car."""

from dataclasses import replace
from http import HTTPStatus
import re
from types import MappingProxyType
from typing import Any, Final

from homeassistant.config_entries import ConfigEntryState, ConfigSubentry
from homeassistant.helpers import device_registry as dr, entity_registry as er, issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.vehicle_remote_access.account.discovery import DiscoveredVehicle
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator

from ..conftest import Home

BATTERY: Final = ("sensor", "charge_state.battery_level")
MINUTE: Final = 60.0
NO_CARS: Final = {"response": [], "count": 0}
LINK: Final = "[Sign in](http://evil.example)"
ESCAPED_LINK: Final = r"\[Sign in\](http\://evil.example)"


def issues(home: Home) -> list[ir.IssueEntry]:
    """Return this integration's issues."""
    return [issue for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN]


def issue_keys(home: Home) -> list[str | None]:
    """Return the translation keys of the issues."""
    return [issue.translation_key for issue in issues(home)]


def rename(car: SimulatedVehicle, name: str) -> None:
    """Give a simulated car another name."""
    car.identity = replace(car.identity, name=name)


async def test_disabled_mobile_access_is_an_issue(home: Home) -> None:
    """A car with disabled mobile access creates an issue until mobile access is enabled."""
    home.car.mobile_enabled = False
    await home.advance(70)
    (issue,) = issues(home)
    assert issue.translation_key == "mobile_access_disabled"
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["name"] == home.entry.subentries[home.coordinator.subentry_id].title
    home.car.mobile_enabled = True
    await home.advance(5 * MINUTE)
    assert issues(home) == []
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("cars", [3])
async def test_account_problem_is_one_issue(home: Home) -> None:
    """A problem of the account creates one issue, however many of its cars can't be read."""
    home.simulator.switches.forbid = "Unauthorized missing scopes"
    await home.advance(3 * MINUTE)
    assert issue_keys(home) == ["permission_denied"]
    home.simulator.switches.forbid = ""
    await home.advance(40 * MINUTE, step=30)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_vehicle_problem_is_an_issue_per_car(home: Home) -> None:
    """A problem of a car creates an issue for that car only."""
    first, second = home.simulator.vehicles
    first.mobile_enabled = second.mobile_enabled = False
    await home.advance(70)
    assert issue_keys(home) == ["mobile_access_disabled"] * 2
    second.mobile_enabled = True
    await home.advance(3 * MINUTE)
    assert issue_keys(home) == ["mobile_access_disabled"]


async def test_new_problem_replaces_the_issue(home: Home) -> None:
    """A car's new problem replaces the issue of its earlier problem."""
    for status, error, key in (
        (403, "Unauthorized missing scopes", "permission_denied"),
        (451, "wrong region", "wrong_place"),
    ):
        body = {"response": None, "error": error}
        home.simulator.faults.answer(status, body=body, only="/vehicle_data", times=100)
        await home.poll()
        await home.poll()
        assert issue_keys(home) == [key]
        home.simulator.faults.clear()


async def test_other_failures_change_no_issue(home: Home) -> None:
    """A failure of the service creates no issue and deletes none."""
    home.car.mobile_enabled = False
    await home.poll()
    home.car.mobile_enabled = True
    home.simulator.faults.answer(502, only="/vehicle_data")
    await home.poll()
    assert issue_keys(home) == ["mobile_access_disabled"]
    await home.poll()
    assert issue_keys(home) == []


async def test_unload_deletes_issues(home: Home) -> None:
    """An account that is not loaded has no issues."""
    home.car.mobile_enabled = False
    await home.poll()
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    assert issues(home) == []


async def test_detail_is_redacted(home: Home) -> None:
    """The service's text is shown in an issue without the token, VIN and id."""
    detail = f"{home.simulator.token} may not read {home.car.vin} ({home.car.id})"
    home.simulator.switches.forbid = detail
    await home.poll()
    await home.poll()
    (issue,) = issues(home)
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["detail"] == "… may not read … (…)"


async def test_detail_is_escaped(home: Home) -> None:
    """The service's text can't place a link or an image in an issue."""
    home.simulator.switches.forbid = "Sign in at [home](http://evil.example) <img src=x>"
    await home.poll()
    await home.poll()
    (issue,) = issues(home)
    assert issue.translation_placeholders is not None
    detail = issue.translation_placeholders["detail"]
    assert detail == r"Sign in at \[home\](http\://evil.example) \<img src=x\>"


# Cars that are no longer listed


@pytest.fixture
async def sold(home: Home) -> str:
    """Remove a car from the service, as after a sale. Return its VIN."""
    return home.simulator.vehicles.pop().vin


@pytest.mark.parametrize("cars", [2])
async def test_removal_of_a_sold_car_is_offered(home: Home, sold: str) -> None:
    """A car that is no longer listed becomes unavailable after a while, and its removal is offered."""
    await home.advance(13 * MINUTE, step=20)
    assert issues(home) == []
    await home.advance(4 * MINUTE, step=20)
    (issue,) = issues(home)
    assert (issue.translation_key, issue.is_fixable) == ("vehicle_not_listed", True)
    assert home.shown(*BATTERY, vin=sold).state == "unavailable"
    assert home.shown(*BATTERY).state == "72"
    assert len(home.entry.subentries) == 2


@pytest.mark.parametrize("cars", [2])
async def test_listed_car_ends_the_removal_offer(home: Home) -> None:
    """A car that is listed again is shown again, and its removal is no longer offered."""
    car = home.simulator.vehicles.pop()
    await home.advance(20 * MINUTE, step=20)
    assert issue_keys(home) == ["vehicle_not_listed"]
    home.simulator.vehicles.append(car)
    await home.advance(11 * MINUTE, step=20)
    assert issues(home) == []
    assert home.shown(*BATTERY, vin=car.vin).state != "unavailable"


@pytest.mark.parametrize("cars", [2])
async def test_single_empty_list_changes_nothing(home: Home) -> None:
    """A single empty list removes no car and creates no issue."""
    home.simulator.faults.answer(200, body={"response": [], "count": 0}, only="/api/1/vehicles")
    await home.poll()
    await home.advance(20 * MINUTE, step=20)
    assert issues(home) == []
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("cars", [2])
async def test_failing_service_offers_no_removal(home: Home) -> None:
    """While the service fails, no removal is offered, however often the user refreshes the car."""
    home.simulator.faults.answer(500, times=10_000)
    await home.advance(20 * MINUTE, step=20)
    for _ in range(5):
        await home.while_time_passes(home.call("button", "press", "refresh"))
        await home.advance(30)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_missing_car_does_not_affect_other_car(
    hass_storage: dict[str, Any], home: Home, sold: str
) -> None:
    """A car that is missing everywhere does not change how the other car is read."""
    await home.restart()
    await home.advance(10 * MINUTE, step=20)
    home.car.enter()
    home.simulator.faults.answer(404, only=f"{home.car.id}/vehicle_data")
    await home.advance(40 * MINUTE, step=20)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"
    assert home.shown(*BATTERY, vin=sold).state == "unavailable"


async def test_account_problem_needs_two_reads(home: Home) -> None:
    """A live read's problem that concerns the whole account creates an issue only after the next read."""
    for _ in range(2):
        home.simulator.faults.answer(
            302, body="", headers={"Location": "http://hotel.example/"}, only="_data"
        )
        await home.poll()
        assert issue_keys(home) == []
        await home.poll()
    home.simulator.faults.answer(302, body="", only="_data", times=2)
    await home.poll()
    await home.poll()
    assert issue_keys(home) == ["redirected"]


async def _fix(home: Home, hass_client: ClientSessionGenerator, *steps: dict[str, Any]) -> dict[str, Any]:
    """Open the fix flow of the only issue, submit the steps, and return the last response."""
    assert await async_setup_component(home.hass, "repairs", {})
    client = await hass_client()
    (issue,) = issues(home)
    path, body = "/api/repairs/issues/fix", {"handler": DOMAIN, "issue_id": issue.issue_id}
    answer = await client.post(path, json=body)
    assert answer.status == HTTPStatus.OK
    response: dict[str, Any] = await answer.json()
    for step in steps:
        answer = await client.post(f"{path}/{response['flow_id']}", json=step)
        response = await answer.json()
    await home.idle()
    return response


@pytest.mark.parametrize("cars", [2])
async def test_sold_car_is_removed(home: Home, sold: str, hass_client: ClientSessionGenerator) -> None:
    """The fix flow removes the car with its device, its entities and the issue. The other car stays."""
    await home.advance(20 * MINUTE, step=20)
    form = await _fix(home, hass_client)
    assert (form["type"], form["step_id"]) == ("form", "confirm")
    assert form["description_placeholders"]["name"]
    assert len(home.entry.subentries) == 2
    assert (await _fix(home, hass_client, {}))["type"] == "create_entry"
    (remaining,) = home.entry.subentries.values()
    assert remaining.unique_id == home.car.vin
    assert issues(home) == []
    assert not [
        entity for entity in er.async_get(home.hass).entities.values() if entity.unique_id.startswith(sold)
    ]
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert sold not in {device.serial_number for device in devices}
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("cars", [2])
async def test_removal_offer_escapes_the_name(empty_home: Home, hass_client: ClientSessionGenerator) -> None:
    """The name of a car can't place a link in the offer to remove the car."""
    home = empty_home
    rename(home.simulator.vehicles[1], LINK)
    await home.set_up()
    home.simulator.vehicles.pop()
    await home.advance(20 * MINUTE, step=20)
    (issue,) = issues(home)
    assert issue.translation_placeholders == {"name": ESCAPED_LINK, "account": home.entry.title}
    form = await _fix(home, hass_client)
    assert form["description_placeholders"] == {"name": ESCAPED_LINK}


@pytest.mark.parametrize("cars", [2])
async def test_removal_of_a_removed_car_succeeds(
    home: Home, sold: str, hass_client: ClientSessionGenerator
) -> None:
    """The fix flow succeeds if the car was removed while it was open."""
    await home.advance(20 * MINUTE, step=20)
    (issue,) = issues(home)
    subentry = next(subentry for subentry in home.entry.subentries.values() if subentry.unique_id == sold)
    assert await async_setup_component(home.hass, "repairs", {})
    client = await hass_client()
    answer = await client.post(
        "/api/repairs/issues/fix", json={"handler": DOMAIN, "issue_id": issue.issue_id}
    )
    flow = await answer.json()
    home.hass.config_entries.async_remove_subentry(home.entry, subentry.subentry_id)
    await home.idle()
    answer = await client.post(f"/api/repairs/issues/fix/{flow['flow_id']}", json={})
    assert answer.status == HTTPStatus.OK
    assert len(home.entry.subentries) == 1


# New cars


@pytest.fixture
async def bought(home: Home) -> SimulatedVehicle:
    """Add a car to the service. The other car sleeps, so the list is requested."""
    home.car.sleep()
    car = Simulator(vehicles=2, seed=0).vehicles[1]
    home.simulator.vehicles.append(car)
    return car


async def test_new_car_is_offered(home: Home, bought: SimulatedVehicle) -> None:
    """A new car of the account is offered after the next list, and not added automatically."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    assert (issue.translation_key, issue.is_fixable) == ("new_vehicle", True)
    assert issue.translation_placeholders == {"name": bought.name, "account": home.entry.title}
    assert len(home.entry.subentries) == 1


async def test_new_car_offer_escapes_the_name(
    home: Home, bought: SimulatedVehicle, hass_client: ClientSessionGenerator
) -> None:
    """The name of a car can't place a link in the offer to add the car. The car's own title is unchanged."""
    rename(bought, LINK)
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    assert issue.translation_placeholders == {"name": ESCAPED_LINK, "account": home.entry.title}
    form = await _fix(home, hass_client)
    assert form["description_placeholders"] == {"name": ESCAPED_LINK}
    await _fix(home, hass_client, {})
    assert LINK in {subentry.title for subentry in home.entry.subentries.values()}


async def test_stored_offer_does_not_identify_the_car(home: Home, bought: SimulatedVehicle) -> None:
    """The data that Home Assistant stores about the offer do not identify the car."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    stored = str(issue.to_json())
    assert bought.vin not in stored
    assert bought.name not in stored
    # Longer digests would identify the VIN, because there are few enough VINs to try all.
    digest = issue.issue_id.removeprefix(f"{home.entry.entry_id}_new_vehicle_")
    assert re.fullmatch(r"[0-9a-f]{4}", digest)


async def test_new_car_is_added(
    home: Home, bought: SimulatedVehicle, hass_client: ClientSessionGenerator
) -> None:
    """The fix flow adds the car with its device and entities, and the offer ends."""
    await home.advance(2 * MINUTE)
    form = await _fix(home, hass_client)
    assert (form["step_id"], form["description_placeholders"]) == ("confirm", {"name": bought.name})
    assert (await _fix(home, hass_client, {}))["type"] == "create_entry"
    assert {subentry.unique_id for subentry in home.entry.subentries.values()} == {home.car.vin, bought.vin}
    assert home.shown(*BATTERY, vin=bought.vin).state != "unavailable"
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_new_car_is_not_added_twice(
    home: Home, bought: SimulatedVehicle, hass_client: ClientSessionGenerator
) -> None:
    """The fix flow does not add a car again that was added while it was open."""
    await home.advance(2 * MINUTE)
    form = await _fix(home, hass_client)
    car = DiscoveredVehicle(str(bought.id), bought.vin, bought.name)
    subentry = ConfigSubentry(
        data=MappingProxyType(car.data), subentry_type="vehicle", title=car.name, unique_id=car.vin
    )
    home.hass.config_entries.async_add_subentry(home.entry, subentry)
    await home.idle()
    client = await hass_client()
    answer = await client.post(f"/api/repairs/issues/fix/{form['flow_id']}", json={})
    assert answer.status == HTTPStatus.OK
    assert len(home.entry.subentries) == 2


async def test_offer_ends_if_the_car_is_gone(home: Home, bought: SimulatedVehicle) -> None:
    """A car that is no longer listed is no longer offered."""
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == ["new_vehicle"]
    home.simulator.vehicles.remove(bought)
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_new_car_is_offered_after_a_restart(home: Home, bought: SimulatedVehicle) -> None:
    """A car that was neither added nor ignored is offered again after a restart."""
    await home.advance(2 * MINUTE)
    await home.restart()
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == ["new_vehicle"]


async def test_ignored_offer_stays_ignored_after_a_reload(home: Home, bought: SimulatedVehicle) -> None:
    """An ignored offer stays ignored after the account is reloaded."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    await home.restart()
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    assert issue.dismissed_version is not None


async def test_ignored_offer_survives_an_empty_list(home: Home, bought: SimulatedVehicle) -> None:
    """An ignored offer stays ignored after the service returned an empty list once."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    home.simulator.faults.answer(200, body=NO_CARS, only="/api/1/vehicles")
    await home.advance(4 * MINUTE)
    (issue,) = issues(home)
    assert issue.dismissed_version is not None


async def test_ignored_offer_is_deleted_if_the_car_is_added(home: Home, bought: SimulatedVehicle) -> None:
    """An ignored offer is deleted if the car is added."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    car = DiscoveredVehicle(str(bought.id), bought.vin, bought.name)
    subentry = ConfigSubentry(
        data=MappingProxyType(car.data), subentry_type="vehicle", title=car.name, unique_id=car.vin
    )
    home.hass.config_entries.async_add_subentry(home.entry, subentry)
    await home.idle()
    await home.advance(2 * MINUTE)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_ignored_removal_offer_is_deleted_with_the_car(home: Home, sold: str) -> None:
    """An ignored offer to remove a car is deleted if the car is removed."""
    await home.advance(20 * MINUTE, step=20)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    subentry = next(subentry for subentry in home.entry.subentries.values() if subentry.unique_id == sold)
    home.hass.config_entries.async_remove_subentry(home.entry, subentry.subentry_id)
    await home.idle()
    assert issues(home) == []


async def test_deleted_account_leaves_no_issue(home: Home, bought: SimulatedVehicle) -> None:
    """Deleting the account deletes all its issues, including ignored ones."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_removed_car_is_not_offered(home: Home) -> None:
    """A car that the user removed from Home Assistant is not offered again."""
    _, second = home.entry.subentries
    home.hass.config_entries.async_remove_subentry(home.entry, second)
    await home.idle()
    await home.advance(2 * MINUTE)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_unselected_car_is_not_offered(empty_home: Home) -> None:
    """A car that was not selected when the account was added is not offered."""
    home = empty_home
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=home.simulator.url, access_token=home.simulator.token)
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.advance(2 * MINUTE)
    assert len(home.entry.subentries) == 1
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_unselected_car_is_not_offered_after_an_empty_list(empty_home: Home) -> None:
    """A car that was not selected is not offered, even if the first list after setup is empty."""
    home = empty_home
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=home.simulator.url, access_token=home.simulator.token)
    home.simulator.faults.answer(200, body=NO_CARS, only="/api/1/vehicles")
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.advance(90 * MINUTE, step=30)
    assert issues(home) == []


# Duplicate accounts


async def test_duplicate_account_is_reported(home: Home) -> None:
    """Two entries of the same user create an issue. After one is deleted, the other gets the user's id."""
    first = home.entry
    config_entries = home.hass.config_entries
    config_entries.async_update_entry(first, unique_id=None)
    simulated = await home.start_flow("simulator")
    simulated = await home.submit(simulated, vehicles=1, speed=1)
    other = simulated["result"]
    await home.idle()
    config_entries.async_update_entry(other, unique_id=str(home.coordinator.data.user_id))
    await home.advance(70)
    (issue,) = issues(home)
    assert (issue.translation_key, issue.is_fixable) == ("duplicate_account", False)
    assert issue.translation_placeholders == {"name": first.title, "other": other.title}
    assert first.unique_id is None
    await config_entries.async_remove(other.entry_id)
    await home.advance(70)
    assert issues(home) == []
    assert first.unique_id == home.coordinator.data.user_id
    assert first.state is ConfigEntryState.LOADED
