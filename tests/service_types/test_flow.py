"""The dialogs of a service of today: its address, its region, its tokens, and what its requests cost."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES, TESLA_FLEET
from custom_components.vehicle_remote_access.drive_log.entries import Drive
from custom_components.vehicle_remote_access.simulator import Simulator
from simulator_console.services import SimulatedService

from ..conftest import BATTERY, TOKEN, exhaustive
from ..flow import NEW_TOKEN, Flow
from ..issues import issues
from .conftest import add, each_service

REGION: Final = "/api/1/users/region"
REFRESH_URL: Final = "https://fleet-auth.prd.vn.cloud.tesla.com/oauth2/v3/token"


@each_service("tessie", "tesla_fleet")
async def test_form_asks_only_for_the_token_and_names_the_account_after_the_service(flow: Flow) -> None:
    service = flow.home.simulator.service
    await flow.start("account", service)
    assert flow.step == "token"
    link = {
        "tessie": "dash.tessie.com/settings/api",
        "teslemetry": "teslemetry.com/console",
        "tesla_fleet": "developer.tesla.com/dashboard",
    }
    assert link[service] in flow.placeholders["console"].replace("\\", "")
    # A browser that was closed shows the form again.
    flow.result = await flow.home.hass.config_entries.flow.async_configure(flow.result["flow_id"])
    assert flow.result["step_id"] == "token"
    await flow.submit(**flow.home.access)
    await flow.submit()
    assert flow.home.entry.title == SERVICE_TYPES[service].name
    data = {"service": service, "base_url": flow.home.simulator.url, "access_token": TOKEN}
    assert flow.home.entry.data == data
    assert flow.home.shown(*BATTERY).state == "72"
    assert issues(flow.home) == []


@pytest.mark.parametrize("service", ["tessie", *exhaustive("teslemetry")])
async def test_address_of_the_service(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without another address, the account has the service's own. It is not shown when the form returns."""
    service, url = flow.home.simulator.service, flow.home.simulator.url
    monkeypatch.setitem(SERVICE_TYPES, service, replace(SERVICE_TYPES[service], base_urls=(url,)))
    await flow.start("account", service)
    await flow.submit(access_token="wrong")
    assert flow.errors == {"access_token": "invalid_token"}
    assert flow.values == {}
    await flow.submit(access_token=TOKEN, addresses={"base_url": "https://user@host"})
    assert flow.errors == {"base": "invalid_url"}
    await flow.submit(access_token=TOKEN, addresses={"base_url": ""})
    await flow.submit()
    assert flow.home.entry.data["base_url"] == url


@pytest.fixture
async def regions(
    simulator: SimulatedService, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[SimulatedService]]:
    """The service in three regions. The tests' account is in all of them."""
    others = [SimulatedService("tesla_fleet", token=TOKEN) for _ in range(2)]
    regions = [simulator, *others]
    for region in others:
        await region.start()
    urls = tuple(region.url for region in regions)
    monkeypatch.setitem(SERVICE_TYPES, TESLA_FLEET.key, replace(TESLA_FLEET, base_urls=urls))
    yield regions
    for region in others:
        await region.stop()


def _refuse(*regions: Simulator, status: int) -> None:
    for region in regions:
        region.faults.answer(status, only=REGION, times=10)


async def _address_of_new_account(flow: Flow) -> str:
    await flow.start("account", "tesla_fleet")
    await flow.submit(access_token=TOKEN)
    await flow.submit()
    return str(flow.home.entry.data["base_url"])


def _paths(region: Simulator) -> list[str]:
    return [request.path for request in region.requests]


@pytest.mark.parametrize("status", [412, 421])
async def test_region_that_refuses_is_not_used(flow: Flow, regions: list[Simulator], status: int) -> None:
    _refuse(regions[0], status=status)
    assert await _address_of_new_account(flow) == regions[1].url
    assert _paths(regions[0]) == [REGION]
    assert _paths(regions[1])[0] == REGION
    assert not regions[2].requests


async def test_only_the_region_that_another_one_names_is_used(
    flow: Flow, regions: list[SimulatedService]
) -> None:
    regions[0].switches.region_url = regions[2].url
    assert await _address_of_new_account(flow) == regions[2].url
    assert _paths(regions[0]) == [REGION]
    assert not regions[1].requests


@pytest.mark.parametrize("answer", [{"region": "eu", "fleet_api_base_url": "https://a.example"}, {}, [], 7])
async def test_foreign_region_never_gets_the_token(flow: Flow, regions: list[Simulator], answer: Any) -> None:
    regions[0].faults.serve("GET", REGION, {"response": answer})
    assert await _address_of_new_account(flow) == regions[0].url


@pytest.mark.parametrize(
    ("statuses", "field", "key", "asked"),
    [
        ((421, 421, 421), "base", "wrong_place", 3),
        ((421, 412, 421), "base", "client_refused", 3),
        ((401, 200, 200), "access_token", "invalid_token", 1),
        ((500, 200, 200), "base", "service_down", 1),
        ((421, 403, 200), "access_token", "permission_denied", 2),
    ],
)
async def test_form_says_that_every_region_refuses_the_account(
    flow: Flow, regions: list[Simulator], statuses: tuple[int, ...], field: str, key: str, asked: int
) -> None:
    for region, status in zip(regions, statuses, strict=True):
        if status != 200:
            _refuse(region, status=status)
    await flow.start("account", "tesla_fleet")
    await flow.submit(access_token=TOKEN)
    assert (flow.step, flow.errors) == ("token", {field: key})
    assert [len(region.requests) for region in regions] == [1] * asked + [0] * (3 - asked)
    for region in regions:
        region.faults.clear()
    await flow.submit(access_token=TOKEN)
    assert flow.step == "vehicles"


async def test_no_region_is_asked_with_an_address_in_the_form(flow: Flow, regions: list[Simulator]) -> None:
    await add(flow)
    assert not [path for region in regions for path in _paths(region) if path == REGION]


async def test_token_refresh_is_suggested_but_optional(flow: Flow) -> None:
    await flow.start("account", "tesla_fleet")
    await flow.submit(access_token="wrong", addresses={"base_url": flow.home.simulator.url})
    assert flow.values["token_refresh"] == {"token_url": REFRESH_URL}
    await flow.submit(**flow.home.access, token_refresh=flow.values["token_refresh"])
    await flow.submit()
    assert flow.is_created
    assert "token_refresh" not in flow.home.entry.data


@each_service("tesla_fleet")
async def test_new_token_keeps_everything_else_of_the_account(flow: Flow) -> None:
    home = flow.home
    command_url = {"base_url": home.simulator.url, "command_url": home.simulator.url}
    entry = await add(flow, addresses=command_url)
    data = {**entry.data, "command_certificate": "ab" * 32}
    home.hass.config_entries.async_update_entry(entry, data=data)
    await home.idle()
    home.simulator.token = NEW_TOKEN
    await flow.start_reauth(entry)
    assert flow.step == "reauth_confirm"
    await flow.submit(access_token=NEW_TOKEN)
    assert flow.abort_reason == "reauth_successful"
    assert entry.data == {**data, "access_token": NEW_TOKEN}


@pytest.fixture
async def tessie() -> AsyncIterator[Simulator]:
    """The same car at another service."""
    tessie = SimulatedService("tessie", token=NEW_TOKEN)
    await tessie.start()
    yield tessie
    await tessie.stop()


@pytest.mark.parametrize("service", ["other"])
async def test_change_of_the_service_keeps_the_car_and_its_log(flow: Flow, tessie: Simulator) -> None:
    home = flow.home
    entry = await add(flow)
    drive = Drive(id="", start=1e9, end=1e9 + 60, start_odometer=1, end_odometer=2)
    home.coordinator.log.insert([drive], [], [])
    before = {each.entity_id: each.unique_id for each in home.entities()}
    device_id, subentries = home.device.id, dict(entry.subentries)
    await flow.start_reconfigure(entry)
    assert flow.values["service"] == "other"
    await flow.submit(service="tessie", base_url=home.simulator.url, access_token=TOKEN)
    # The form is now that of the other service, to which nothing was sent.
    assert not tessie.requests
    assert (flow.step, flow.errors, flow.values) == ("reconfigure", {}, {"service": "tessie"})
    address = {"base_url": tessie.url}
    await flow.submit(service="tessie", access_token="wrong", addresses=address)
    assert flow.errors == {"access_token": "invalid_token"}
    assert flow.values == {"service": "tessie", "addresses": address}
    await flow.submit(service="tessie", access_token=NEW_TOKEN, addresses=address)
    assert flow.abort_reason == "reconfigure_successful"
    await home.idle()
    assert entry.data == {"service": "tessie", "base_url": tessie.url, "access_token": NEW_TOKEN}
    assert (home.device.id, dict(entry.subentries)) == (device_id, subentries)
    assert before.items() <= {each.entity_id: each.unique_id for each in home.entities()}.items()
    assert [drive.start for drive in home.coordinator.log.drives] == [1e9]
    await home.poll()
    assert home.shown(*BATTERY).state == "72"
    assert all(home.car.vin in path for path in _paths(tessie) if path.endswith("vehicle_data"))
    await home.call("number", "set_value", "charge_state.charge_limit_soc", value=77)
    assert tessie.vehicles[0].charging.limit == 77


@pytest.mark.parametrize("service", ["other"])
@pytest.mark.parametrize(("reads", "dollars"), [(0, 10), (70, None)])
async def test_limit_is_added_if_requests_cost(
    flow: Flow, tessie: Simulator, reads: int, dollars: float | None
) -> None:
    """Another service has other prices, and a limit of its own unless the owner has set one."""
    home = flow.home
    entry = await add(flow)
    options = {**entry.options, "live_reads_per_day": reads, "interval": 60, "prices": {"wake_up": 1.0}}
    home.hass.config_entries.async_update_entry(entry, options=options)
    form: dict[str, Any] = {"access_token": NEW_TOKEN, "base_url": tessie.url}
    for service in ("tessie", "tesla_fleet"):
        await flow.start_reconfigure(entry)
        await flow.submit(service=service, **form)
        await flow.choose("token")
        form = {"access_token": NEW_TOKEN, "addresses": {"base_url": tessie.url}}
        await flow.submit(service=service, **form)
        assert flow.abort_reason == "reconfigure_successful"
        assert entry.options.get("spending_limit") == (dollars if service == "tesla_fleet" else None)
        assert (entry.options["live_reads_per_day"], entry.options["interval"]) == (reads, 60)
        assert "prices" not in entry.options


@each_service("tessie", "tesla_fleet")
async def test_spending_limit_and_prices_are_offered_only_if_requests_cost_money(flow: Flow) -> None:
    home = flow.home
    service_type = SERVICE_TYPES[home.simulator.service]
    await flow.start("account", service_type.key)
    await flow.submit(**home.access)
    assert flow.values.get("spending_limit", 0) == service_type.spending_limit
    limit = {"spending_limit": 42.0} if service_type.prices else {}
    await flow.submit(vehicles=[str(home.car.id)], **limit)
    assert home.entry.options == limit
    assert home.entry.runtime_data.options.spending_limit == limit.get("spending_limit")
    await flow.start_account_options(home.entry)
    if service_type.prices is None:
        await flow.submit(**flow.values)
        assert not {"spending_limit", "prices"} & home.entry.options.keys()
        return
    assert flow.is_collapsed("prices")
    assert flow.placeholders["wake_up"] == f"{service_type.prices.wake_up:g}"
    # An empty field is no limit, and an empty price is that of the service.
    values = {name: value for name, value in flow.values.items() if name != "spending_limit"}
    await flow.submit(**values, prices={"wake_up": 0.05})
    requests = home.entry.runtime_data.requests
    assert requests.spending_limit is None
    assert requests.prices == replace(service_type.prices, wake_up=0.05)
    await flow.start_account_options(home.entry)
    assert flow.values["prices"] == {"wake_up": 0.05}


@pytest.mark.parametrize("service", ["tesla_fleet", "tessie"])
@pytest.mark.parametrize("is_vin", [True, False])
async def test_car_that_is_not_listed_can_be_added_by_its_vin_or_its_id(flow: Flow, *, is_vin: bool) -> None:
    home = flow.home
    home.simulator.switches.list = False
    await flow.start("account", home.simulator.service)
    await flow.submit(**home.access)
    assert flow.step == "vehicle"
    await flow.submit(id=home.car.vin if is_vin else str(home.car.id))
    assert flow.is_created, flow.errors
    limits = {"spending_limit": 10} if home.simulator.service == "tesla_fleet" else {}
    assert home.entry.options == limits
    assert home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("service", ["teslemetry"])
@pytest.mark.parametrize("cars", [2])
async def test_sleeping_car_can_be_added_by_its_vin_where_the_id_is_not_accepted(flow: Flow) -> None:
    home = flow.home
    home.simulator.switches.list = False
    await flow.start("account", "teslemetry")
    await flow.submit(**home.access)
    first, second = home.simulator.vehicles
    second.fall_asleep()
    await flow.submit(id=str(first.id))
    assert flow.errors == {"id": "not_found"}
    await flow.submit(id=first.vin)
    assert flow.is_created
    await flow.start_add_vehicle(home.entry)
    await flow.submit(id=second.vin)
    assert flow.is_created
    assert home.shown(*BATTERY, vin=second.vin).state != "unavailable"
