"""Issues: problems that only a person can fix, offers to add or remove a car, and how texts are escaped."""

from dataclasses import replace
import re
from typing import Any, Final

from aiohttp.test_utils import TestClient
from homeassistant.config_entries import ConfigEntryState
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.vehicle_remote_access.account.markdown import escape_markdown
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator

from ..conftest import BATTERY, LIST, MINUTE, Home
from ..issues import issue_keys, issues, placeholders

FIX: Final = "/api/repairs/issues/fix"
NO_CARS: Final = {"response": [], "count": 0}
LINK: Final = "[Sign in](http://evil.example)"
ESCAPED_LINK: Final = r"\[Sign in\](http\://evil.example)"

two_cars = pytest.mark.parametrize("cars", [2])


def ignore(home: Home) -> None:
    (issue,) = issues(home)
    ir.async_ignore_issue(home.hass, DOMAIN, issue.issue_id, ignore=True)


class Repair:
    """The fix flow of the only issue, as the web interface shows it."""

    def __init__(self, home: Home, client: TestClient[Any, Any]) -> None:
        self.home, self.client = home, client
        self.form: dict[str, Any] = {}

    async def open(self) -> None:
        (issue,) = issues(self.home)
        await self._post(FIX, handler=DOMAIN, issue_id=issue.issue_id)
        assert (self.form["type"], self.form["menu_options"]) == ("menu", ["confirm", "ignore"])

    async def choose(self, step: str) -> str:
        """Select an option in the menu, and return the type of the result."""
        return await self.submit(next_step_id=step)

    async def submit(self, **values: Any) -> str:
        return await self._post(f"{FIX}/{self.form['flow_id']}", **values)

    async def _post(self, path: str, **values: Any) -> str:
        answer = await self.client.post(path, json=values)
        await self.home.idle()
        self.form = await answer.json()
        return str(self.form["type"])

    async def add(self, **values: Any) -> None:
        """Select the repair for a new car, and submit its form."""
        await self.choose("confirm")
        assert self.form["step_id"] == "add"
        assert await self.submit(**values) == "create_entry"


@pytest.fixture
async def repair(empty_home: Home, hass_client: ClientSessionGenerator) -> Repair:
    await async_setup_component(empty_home.hass, "repairs", {})
    # Its views can't be added to a server that has started.
    assert await async_setup_component(empty_home.hass, "application_credentials", {})
    return Repair(empty_home, await hass_client())


@two_cars
async def test_vehicle_problem_is_an_issue_per_car_until_it_ends(home: Home) -> None:
    first, second = home.simulator.vehicles
    first.mobile_enabled = second.mobile_enabled = False
    await home.advance(70)
    assert issue_keys(home) == ["mobile_access_disabled"] * 2
    second.mobile_enabled = True
    await home.advance(3 * MINUTE)
    assert issue_keys(home) == ["mobile_access_disabled"]
    assert (placeholders(home) or {})["name"] == home.coordinator.title
    await home.unload()
    assert issues(home) == []


@pytest.mark.parametrize("cars", [3])
async def test_account_problem_is_one_issue_however_many_cars_can_not_be_read(home: Home) -> None:
    home.simulator.faults.answer(403, body={"error": "Unauthorized missing scopes"}, times=100)
    await home.advance(3 * MINUTE)
    assert issue_keys(home) == ["permission_denied"]
    home.simulator.faults.clear()
    await home.advance(40 * MINUTE, step=30)
    assert issues(home) == []


async def test_new_problem_replaces_the_issue_and_only_a_success_ends_it(home: Home) -> None:
    for status, error, key in (
        (403, "Unauthorized missing scopes", "permission_denied"),
        (451, "wrong region", "wrong_place"),
        (401, "mobile_access_disabled", "mobile_access_disabled"),
    ):
        body = {"response": None, "error": error}
        home.simulator.faults.answer(status, body=body, only="/vehicle_data", times=2)
        await home.poll()
        await home.poll()
        assert issue_keys(home) == [key]
    home.simulator.faults.answer(502, only="/vehicle_data")
    await home.poll()
    assert issue_keys(home) == ["mobile_access_disabled"]
    await home.poll()
    assert issue_keys(home) == []


async def test_account_problem_of_a_live_read_is_an_issue_after_the_next_read(home: Home) -> None:
    for times in (1, 1, 2):
        home.simulator.faults.answer(302, body="", only="_data", times=times)
        await home.poll()
        assert issue_keys(home) == []
        await home.poll()
    assert issue_keys(home) == ["redirected"]


async def test_successful_list_ends_an_account_problem_although_the_car_sleeps(home: Home) -> None:
    home.simulator.faults.answer(302, body="", times=1000)
    for _ in range(2):
        await home.poll()
        await home.entry.runtime_data.async_poll_now()
    assert issue_keys(home) == ["redirected"]
    home.simulator.faults.clear()
    home.car.fall_asleep()
    await home.advance(10 * MINUTE, step=20)
    assert issue_keys(home) == []


async def test_detail_of_an_issue_contains_no_secrets_and_no_links(home: Home) -> None:
    car, token = home.car, home.simulator.token
    text = f"{token} may not read {car.vin} ({car.id}) {LINK} <img src=x>"
    home.simulator.faults.answer(403, body={"error": text}, times=2)
    await home.poll()
    await home.poll()
    assert (placeholders(home) or {})["detail"] == rf"… may not read … (…) {ESCAPED_LINK} \<img src=x\>"


@pytest.fixture
async def sold(home: Home) -> SimulatedVehicle:
    """Remove a car from the service, as after a sale."""
    return home.simulator.vehicles.pop()


@two_cars
async def test_removal_of_a_sold_car_is_offered_until_it_is_back(home: Home, sold: SimulatedVehicle) -> None:
    await home.advance(13 * MINUTE, step=20)
    assert issues(home) == []
    await home.advance(4 * MINUTE, step=20)
    (issue,) = issues(home)
    assert (issue.translation_key, issue.is_fixable) == ("vehicle_not_listed", True)
    assert home.shown(*BATTERY, vin=sold.vin).state == "unavailable"
    assert home.shown(*BATTERY).state == "72"
    assert len(home.entry.subentries) == 2
    home.simulator.vehicles.append(sold)
    await home.advance(11 * MINUTE, step=20)
    assert issues(home) == []
    assert home.shown(*BATTERY, vin=sold.vin).state != "unavailable"


@two_cars
@pytest.mark.parametrize("status", [404, 500])
async def test_failing_service_offers_no_removal(status: int, home: Home) -> None:
    home.simulator.faults.answer(200, body=NO_CARS, only=LIST)
    await home.poll()
    await home.advance(20 * MINUTE, step=20)
    assert issues(home) == []
    assert home.shown(*BATTERY).state == "72"
    home.simulator.faults.answer(status, times=10_000)
    await home.advance(20 * MINUTE, step=20)
    for _ in range(5):
        await home.gather(home.call("button", "press", "refresh"))
        await home.advance(30)
    assert "vehicle_not_listed" not in issue_keys(home)


@two_cars
async def test_missing_car_does_not_change_how_another_is_read(home: Home, sold: SimulatedVehicle) -> None:
    await home.restart()
    await home.advance(10 * MINUTE, step=20)
    home.car.enter()
    home.simulator.faults.answer(404, only=f"{home.car.id}/vehicle_data")
    await home.advance(40 * MINUTE, step=20)
    assert home.shown("binary_sensor", "vehicle_state.is_user_present").state == "on"
    assert home.shown(*BATTERY, vin=sold.vin).state == "unavailable"


@two_cars
async def test_fix_flow_removes_a_sold_car(home: Home, sold: SimulatedVehicle, repair: Repair) -> None:
    await home.advance(20 * MINUTE, step=20)
    await repair.open()
    assert len(home.entry.subentries) == 2
    assert await repair.choose("confirm") == "create_entry"
    (remaining,) = home.entry.subentries.values()
    assert remaining.unique_id == home.car.vin
    assert issues(home) == []
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    assert sold.vin not in {device.serial_number for device in devices}
    assert home.shown(*BATTERY).state == "72"


@two_cars
async def test_removal_of_a_removed_car_ends_an_ignored_offer(empty_home: Home, repair: Repair) -> None:
    home, car = empty_home, empty_home.simulator.vehicles[1]
    car.identity = replace(car.identity, name=LINK)
    await home.set_up()
    home.simulator.vehicles.pop()
    await home.advance(20 * MINUTE, step=20)
    assert placeholders(home) == {"name": ESCAPED_LINK, "account": home.entry.title}
    await repair.open()
    assert repair.form["description_placeholders"] == {"name": ESCAPED_LINK}
    ignore(home)
    await home.remove_car(car.vin)
    assert issues(home) == []
    assert await repair.choose("confirm") == "create_entry"
    assert len(home.entry.subentries) == 1


@pytest.fixture
async def bought(home: Home) -> SimulatedVehicle:
    """Add a car to the service, and let it be offered. The other car sleeps, so the list is requested."""
    home.car.sleep()
    car = Simulator(vehicles=2, seed=0).vehicles[1]
    home.simulator.vehicles.append(car)
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == ["new_vehicle"]
    return car


async def test_new_car_is_offered(home: Home, bought: SimulatedVehicle) -> None:
    """A car is offered until it is gone, also after a restart. The stored offer does not identify the car."""
    (issue,) = issues(home)
    assert issue.is_fixable
    assert issue.translation_placeholders == {"name": bought.name, "account": home.entry.title}
    assert len(home.entry.subentries) == 1
    stored = str(issue.to_json())
    assert bought.vin not in stored
    assert bought.name not in stored
    # Longer digests would identify the VIN, because there are few enough VINs to try all.
    digest = issue.issue_id.removeprefix(f"{home.entry.entry_id}_new_vehicle_")
    assert re.fullmatch(r"[0-9a-f]{4}", digest)
    await home.restart()
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == ["new_vehicle"]
    home.simulator.vehicles.remove(bought)
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_new_car_is_added(home: Home, bought: SimulatedVehicle, repair: Repair) -> None:
    bought.identity = replace(bought.identity, name=LINK)
    await home.advance(2 * MINUTE)
    assert placeholders(home) == {"name": ESCAPED_LINK, "account": home.entry.title}
    await repair.open()
    assert repair.form["description_placeholders"] == {"name": ESCAPED_LINK}
    await repair.add(keep_positions=False)
    added = {subentry.unique_id: subentry.title for subentry in home.entry.subentries.values()}
    assert added == {home.car.vin: home.car.name, bought.vin: LINK}
    kept = {car.unique_id: car.data["keep_positions"] for car in home.entry.subentries.values()}
    assert kept == {home.car.vin: True, bought.vin: False}
    assert home.shown(*BATTERY, vin=bought.vin).state != "unavailable"
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_fix_flow_adds_no_car_twice(home: Home, bought: SimulatedVehicle, repair: Repair) -> None:
    await repair.open()
    await home.add_car(bought)
    await repair.add()
    assert len(home.entry.subentries) == 2


async def test_ignored_offer_stays_ignored(home: Home, bought: SimulatedVehicle, repair: Repair) -> None:
    await repair.open()
    assert await repair.choose("ignore") == "abort"
    await home.restart()
    for body in (None, NO_CARS):
        if body:
            home.simulator.faults.answer(200, body=body, only=LIST)
        await home.advance(4 * MINUTE)
        (issue,) = issues(home)
        assert issue.dismissed_version is not None
    await home.add_car(bought)
    await home.advance(2 * MINUTE)
    assert issues(home) == []


async def test_deleted_account_leaves_no_issue(home: Home, bought: SimulatedVehicle, repair: Repair) -> None:
    await repair.open()
    ignore(home)
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    assert issues(home) == []
    await repair.add()


@two_cars
async def test_unselected_car_is_not_offered_even_if_the_first_list_is_empty(empty_home: Home) -> None:
    home = empty_home
    form = await home.start_flow("account")
    form = await home.submit(form, **home.access)
    home.simulator.faults.answer(200, body=NO_CARS, only=LIST)
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.advance(90 * MINUTE, step=30)
    assert issues(home) == []


async def test_duplicate_account_is_reported_until_one_is_deleted(home: Home) -> None:
    first = home.entry
    config_entries = home.hass.config_entries
    config_entries.async_update_entry(first, unique_id=None)
    simulated = await home.submit(await home.start_flow("simulator"), vehicles=1, with_past=False)
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


NAMES: Final = (
    "Model 3 (blue), Anna's my_car|#1|-5 °C|2.0 TDI|Car @ home|Tom & Jerry, AT&T car|Überfahrt, Ñandú, 我的車"
    "|The car: blue / 2020|wwwagon. Mine.|"
)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        *((name, name) for name in NAMES.split("|")),
        ("![x](http://evil)", r"!\[x\](http\://evil)"),
        ("<img src=x>", r"\<img src=x\>"),
        ("WWW.evil.example", r"WWW\.evil.example"),
        ("a.@b.example", r"a.\@b.example"),
        ("`code` a | b", r"\`code\` a \| b"),
        ("**b** ~s~", r"\*\*b\*\* \~s\~"),
        ("__b__ _i_ a__b", r"\_\_b\_\_ \_i\_ a\_\_b"),
        ("&#91;x&#x5D; &lt;", r"\&#91;x\&#x5D; \&lt;"),
        ("\\[x](y)\\", r"\\\[x\](y)\\"),
    ],
)
def test_only_characters_that_create_markup_are_escaped(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("###### heading", r"\###### heading"),
        ("-", r"\-"),
        ("+ item", r"\+ item"),
        ("1. item", r"1\. item"),
        ("12) item", r"12\) item"),
        ("===", r"\==="),
    ],
)
def test_start_of_a_heading_list_or_rule_is_escaped_only_at_the_start(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped
    assert escape_markdown(f"Car {text}") == f"Car {text}"


def test_line_breaks_and_other_whitespace_become_one_space() -> None:
    for text in ("one\n\n# two", " one \r\n # two ", "one\u2028# two", "one\x0b\x0c# two\n"):
        assert escape_markdown(text) == "one # two"
