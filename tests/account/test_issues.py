"""What only a person can mend is told until it is mended, once, and goes away by itself."""

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

from custom_components.vehicle_remote_access.account.discovery import Car
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator, Vehicle

from ..conftest import Home

BATTERY: Final = ("sensor", "charge_state.battery_level")
MINUTE: Final = 60.0
NO_CARS: Final = {"response": [], "count": 0}
LINK: Final = "[Sign in](http://evil.example)"
ESCAPED_LINK: Final = r"\[Sign in\](http\://evil.example)"


def issues(home: Home) -> list[ir.IssueEntry]:
    """Return the repairs of ours that are shown."""
    return [issue for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN]


def keys(home: Home) -> list[str | None]:
    """Return what they are about."""
    return [issue.translation_key for issue in issues(home)]


def rename(car: Vehicle, name: str) -> None:
    """Give a simulated car another name."""
    car.identity = replace(car.identity, name=name)


async def test_mobile_access_switched_off(home: Home) -> None:
    """A car that lets nobody reach it says what its owner has to do, until it has been done."""
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
async def test_told_once_for_the_account(home: Home) -> None:
    """What concerns the account is one repair, however many of its cars cannot be read for it."""
    home.simulator.switches.forbid = "Unauthorized missing scopes"
    await home.advance(3 * MINUTE)
    assert keys(home) == ["permission_denied"]
    home.simulator.switches.forbid = ""
    await home.advance(40 * MINUTE, step=30)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_told_for_each_car(home: Home) -> None:
    """What concerns a car is told of that car alone."""
    first, second = home.simulator.vehicles
    first.mobile_enabled = second.mobile_enabled = False
    await home.advance(70)
    assert keys(home) == ["mobile_access_disabled"] * 2
    second.mobile_enabled = True
    await home.advance(3 * MINUTE)
    assert keys(home) == ["mobile_access_disabled"]


async def test_another_trouble_takes_its_place(home: Home) -> None:
    """The service says one thing at a time: the newer is shown, the older is not."""
    for status, error, key in (
        (403, "Unauthorized missing scopes", "permission_denied"),
        (451, "wrong region", "wrong_place"),
    ):
        body = {"response": None, "error": error}
        home.simulator.faults.answer(status, body=body, only="/vehicle_data", times=100)
        await home.poll()
        await home.poll()
        assert keys(home) == [key]
        home.simulator.faults.clear()


async def test_other_failures_tell_nothing(home: Home) -> None:
    """A service that is down is no trouble of its owner's, and ends none."""
    home.car.mobile_enabled = False
    await home.poll()
    home.car.mobile_enabled = True
    home.simulator.faults.answer(502, only="/vehicle_data")
    await home.poll()
    assert keys(home) == ["mobile_access_disabled"]
    await home.poll()
    assert keys(home) == []


async def test_unloaded(home: Home) -> None:
    """Of an account that is not loaded nothing is told."""
    home.car.mobile_enabled = False
    await home.poll()
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    assert issues(home) == []


async def test_words_without_secrets(home: Home) -> None:
    """What the service says is shown, but neither the token nor who the car is."""
    said = f"{home.simulator.token} may not read {home.car.vin} ({home.car.id})"
    home.simulator.switches.forbid = said
    await home.poll()
    await home.poll()
    (issue,) = issues(home)
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["detail"] == "… may not read … (…)"


async def test_detail_with_a_link(home: Home) -> None:
    """An error detail cannot place a link or an image in an issue."""
    home.simulator.switches.forbid = "Sign in at [home](http://evil.example) <img src=x>"
    await home.poll()
    await home.poll()
    (issue,) = issues(home)
    assert issue.translation_placeholders is not None
    detail = issue.translation_placeholders["detail"]
    assert detail == r"Sign in at \[home\](http\://evil.example) \<img src=x\>"


# A car that is listed no more


@pytest.fixture
async def sold(home: Home) -> str:
    """A car that was sold: the service knows it no more. Return its VIN."""
    return home.simulator.vehicles.pop().vin


@pytest.mark.parametrize("cars", [2])
async def test_sold_car(home: Home, sold: str) -> None:
    """A car that the service names no more is unavailable after a while, and its removal is offered."""
    await home.advance(13 * MINUTE, step=20)
    assert issues(home) == []
    await home.advance(4 * MINUTE, step=20)
    (issue,) = issues(home)
    assert (issue.translation_key, issue.is_fixable) == ("vehicle_not_listed", True)
    assert home.shown(*BATTERY, vin=sold).state == "unavailable"
    assert home.shown(*BATTERY).state == "72"
    assert len(home.entry.subentries) == 2


@pytest.mark.parametrize("cars", [2])
async def test_borrowed_car(home: Home) -> None:
    """One that comes back is shown again, and nobody offers to remove it."""
    away = home.simulator.vehicles.pop()
    await home.advance(20 * MINUTE, step=20)
    assert keys(home) == ["vehicle_not_listed"]
    home.simulator.vehicles.append(away)
    await home.advance(11 * MINUTE, step=20)
    assert issues(home) == []
    assert home.shown(*BATTERY, vin=away.vin).state != "unavailable"


@pytest.mark.parametrize("cars", [2])
async def test_one_empty_list(home: Home) -> None:
    """A list that once is empty removes nothing and tells nothing."""
    home.simulator.faults.answer(200, body={"response": [], "count": 0}, only="/api/1/vehicles")
    await home.poll()
    await home.advance(20 * MINUTE, step=20)
    assert issues(home) == []
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("cars", [2])
async def test_failing_service_is_no_sold_car(home: Home) -> None:
    """While the service fails, nobody offers to remove a car, however often its owner wants to know of it."""
    home.simulator.faults.answer(500, times=10_000)
    await home.advance(20 * MINUTE, step=20)
    for _ in range(5):
        await home.while_time_passes(home.call("button", "press", "refresh"))
        await home.advance(30)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_missing_car_takes_no_other_down(hass_storage: dict[str, Any], home: Home, sold: str) -> None:
    """That one car is found nowhere says nothing of how the others are to be asked."""
    await home.restart()
    await home.advance(10 * MINUTE, step=20)
    home.car.enter()
    home.simulator.faults.answer(404, only=f"{home.car.id}/vehicle_data")
    await home.advance(40 * MINUTE, step=20)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"
    assert home.shown(*BATTERY, vin=sold).state == "unavailable"


async def test_one_odd_answer(home: Home) -> None:
    """What a single read says of the whole account may be chance: told when the next one says it too."""
    for _ in range(2):
        home.simulator.faults.answer(
            302, body="", headers={"Location": "http://hotel.example/"}, only="_data"
        )
        await home.poll()
        assert keys(home) == []
        await home.poll()
    home.simulator.faults.answer(302, body="", only="_data", times=2)
    await home.poll()
    await home.poll()
    assert keys(home) == ["redirected"]


async def _fix(home: Home, hass_client: ClientSessionGenerator, *steps: dict[str, Any]) -> dict[str, Any]:
    """Repair the one issue there is, as a person does on the page."""
    assert await async_setup_component(home.hass, "repairs", {})
    client = await hass_client()
    (issue,) = issues(home)
    path, body = "/api/repairs/issues/fix", {"handler": DOMAIN, "issue_id": issue.issue_id}
    answer = await client.post(path, json=body)
    assert answer.status == HTTPStatus.OK
    shown: dict[str, Any] = await answer.json()
    for step in steps:
        answer = await client.post(f"{path}/{shown['flow_id']}", json=step)
        shown = await answer.json()
    await home.idle()
    return shown


@pytest.mark.parametrize("cars", [2])
async def test_sold_car_is_removed(home: Home, sold: str, hass_client: ClientSessionGenerator) -> None:
    """Who agrees removes the car, its device and its entities, and the notice with it; the other stays."""
    await home.advance(20 * MINUTE, step=20)
    form = await _fix(home, hass_client)
    assert (form["type"], form["step_id"]) == ("form", "confirm")
    assert form["description_placeholders"]["name"]
    assert len(home.entry.subentries) == 2
    assert (await _fix(home, hass_client, {}))["type"] == "create_entry"
    (left,) = home.entry.subentries.values()
    assert left.unique_id == home.car.vin
    assert issues(home) == []
    assert not [each for each in er.async_get(home.hass).entities.values() if each.unique_id.startswith(sold)]
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert sold not in {device.serial_number for device in devices}
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("cars", [2])
async def test_sold_car_with_a_link_for_a_name(empty_home: Home, hass_client: ClientSessionGenerator) -> None:
    """The name of a car cannot place a link in the offer to remove the car."""
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
async def test_removed_meanwhile(home: Home, sold: str, hass_client: ClientSessionGenerator) -> None:
    """Who agrees to remove what somebody else has removed meanwhile has nothing to fear."""
    await home.advance(20 * MINUTE, step=20)
    (issue,) = issues(home)
    gone = next(each for each in home.entry.subentries.values() if each.unique_id == sold)
    assert await async_setup_component(home.hass, "repairs", {})
    client = await hass_client()
    answer = await client.post(
        "/api/repairs/issues/fix", json={"handler": DOMAIN, "issue_id": issue.issue_id}
    )
    flow = await answer.json()
    home.hass.config_entries.async_remove_subentry(home.entry, gone.subentry_id)
    await home.idle()
    answer = await client.post(f"/api/repairs/issues/fix/{flow['flow_id']}", json={})
    assert answer.status == HTTPStatus.OK
    assert len(home.entry.subentries) == 1


# A car that the account has got


@pytest.fixture
async def bought(home: Home) -> Vehicle:
    """A car that was bought: the service knows it from now on. The other sleeps, so the service is asked."""
    home.car.sleep()
    car = Simulator(vehicles=2, seed=0).vehicles[1]
    home.simulator.vehicles.append(car)
    return car


async def test_new_car(home: Home, bought: Vehicle) -> None:
    """A car that the account has got is announced at the next question, and not added by itself."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    assert (issue.translation_key, issue.is_fixable) == ("new_vehicle", True)
    assert issue.translation_placeholders == {"name": bought.name, "account": home.entry.title}
    assert len(home.entry.subentries) == 1


async def test_new_car_with_a_link_for_a_name(
    home: Home, bought: Vehicle, hass_client: ClientSessionGenerator
) -> None:
    """The name of a car cannot place a link in the offer to add the car, and stays as it is on the car."""
    rename(bought, LINK)
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    assert issue.translation_placeholders == {"name": ESCAPED_LINK, "account": home.entry.title}
    form = await _fix(home, hass_client)
    assert form["description_placeholders"] == {"name": ESCAPED_LINK}
    await _fix(home, hass_client, {})
    assert LINK in {each.title for each in home.entry.subentries.values()}


async def test_new_car_is_not_named_in_files(home: Home, bought: Vehicle) -> None:
    """What Home Assistant writes down of the notice says nothing of the car."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    written = str(issue.to_json())
    assert bought.vin not in written
    assert bought.name not in written
    # Of all that a VIN may be, more than four digits of a digest would fit but one.
    digest = issue.issue_id.removeprefix(f"{home.entry.entry_id}_new_vehicle_")
    assert re.fullmatch(r"[0-9a-f]{4}", digest)


async def test_new_car_is_added(home: Home, bought: Vehicle, hass_client: ClientSessionGenerator) -> None:
    """Who agrees has it, with its device and its entities, beside the other; and hears no more of it."""
    await home.advance(2 * MINUTE)
    form = await _fix(home, hass_client)
    assert (form["step_id"], form["description_placeholders"]) == ("confirm", {"name": bought.name})
    assert (await _fix(home, hass_client, {}))["type"] == "create_entry"
    assert {each.unique_id for each in home.entry.subentries.values()} == {home.car.vin, bought.vin}
    assert home.shown(*BATTERY, vin=bought.vin).state != "unavailable"
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_new_car_added_meanwhile(
    home: Home, bought: Vehicle, hass_client: ClientSessionGenerator
) -> None:
    """A car that somebody else has added meanwhile is not added twice."""
    await home.advance(2 * MINUTE)
    form = await _fix(home, hass_client)
    car = Car(str(bought.id), bought.vin, bought.name)
    subentry = ConfigSubentry(
        data=MappingProxyType(car.data), subentry_type="vehicle", title=car.name, unique_id=car.vin
    )
    home.hass.config_entries.async_add_subentry(home.entry, subentry)
    await home.idle()
    client = await hass_client()
    answer = await client.post(f"/api/repairs/issues/fix/{form['flow_id']}", json={})
    assert answer.status == HTTPStatus.OK
    assert len(home.entry.subentries) == 2


async def test_new_car_that_is_gone_again(home: Home, bought: Vehicle) -> None:
    """A car that the account has lost again is offered no more."""
    await home.advance(2 * MINUTE)
    assert keys(home) == ["new_vehicle"]
    home.simulator.vehicles.remove(bought)
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_new_car_after_a_restart(home: Home, bought: Vehicle) -> None:
    """A car that nobody has decided about is new also after a restart."""
    await home.advance(2 * MINUTE)
    await home.restart()
    await home.advance(2 * MINUTE)
    assert keys(home) == ["new_vehicle"]


async def test_new_car_that_is_ignored(home: Home, bought: Vehicle) -> None:
    """Who wants to hear no more of it does not, although the account is loaded anew."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    await home.restart()
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    assert issue.dismissed_version is not None


async def test_new_car_that_is_ignored_is_once_not_listed(home: Home, bought: Vehicle) -> None:
    """Who wants to hear no more of it does not, although the service has once listed nothing."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    home.simulator.faults.answer(200, body=NO_CARS, only="/api/1/vehicles")
    await home.advance(4 * MINUTE)
    (issue,) = issues(home)
    assert issue.dismissed_version is not None


async def test_new_car_that_is_ignored_and_added(home: Home, bought: Vehicle) -> None:
    """Of a car that is added after all nothing is left among what is ignored."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    car = Car(str(bought.id), bought.vin, bought.name)
    subentry = ConfigSubentry(
        data=MappingProxyType(car.data), subentry_type="vehicle", title=car.name, unique_id=car.vin
    )
    home.hass.config_entries.async_add_subentry(home.entry, subentry)
    await home.idle()
    await home.advance(2 * MINUTE)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_sold_car_that_is_ignored_and_removed(home: Home, sold: str) -> None:
    """Of a car that is removed nothing is left among what is ignored."""
    await home.advance(20 * MINUTE, step=20)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    gone = next(each for each in home.entry.subentries.values() if each.unique_id == sold)
    home.hass.config_entries.async_remove_subentry(home.entry, gone.subentry_id)
    await home.idle()
    assert issues(home) == []


async def test_deleted_account_leaves_no_trouble(home: Home, bought: Vehicle) -> None:
    """With the account goes all that was told of it, also what was ignored."""
    await home.advance(2 * MINUTE)
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_car_that_was_removed_is_not_new(home: Home) -> None:
    """A car that its owner has removed from Home Assistant is not offered again."""
    _, second = home.entry.subentries
    home.hass.config_entries.async_remove_subentry(home.entry, second)
    await home.idle()
    await home.advance(2 * MINUTE)
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_car_that_was_not_chosen_is_not_new(empty_home: Home) -> None:
    """A car that was left out when the account was added is not offered again."""
    home = empty_home
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=home.simulator.url, access_token=home.simulator.token)
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.advance(2 * MINUTE)
    assert len(home.entry.subentries) == 1
    assert issues(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_car_that_was_not_chosen_and_a_list_that_is_empty(empty_home: Home) -> None:
    """Nor is it if the first list after that is empty, as lists once are."""
    home = empty_home
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=home.simulator.url, access_token=home.simulator.token)
    home.simulator.faults.answer(200, body=NO_CARS, only="/api/1/vehicles")
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.advance(90 * MINUTE, step=30)
    assert issues(home) == []


# Two accounts that are one


async def test_same_account_twice(home: Home) -> None:
    """Two accounts of the same person are told, until one is deleted; the other is then known by its user."""
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
