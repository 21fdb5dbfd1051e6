"""Test the config flow, the subentry flow for vehicles, and the options flow."""

from collections.abc import AsyncIterator, Iterator, Mapping
from http import HTTPStatus
import json
import logging
from pathlib import Path
import socket
from string import Formatter
from typing import Any, Final
from unittest.mock import AsyncMock, patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components import homeassistant as homeassistant_component
from homeassistant.components.cover import CoverEntityFeature
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntriesFlowManager,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlowContext,
    ConfigFlowResult,
    ConfigSubentryFlowManager,
    OptionsFlowManager,
    SubentryFlowContext,
    SubentryFlowResult,
)
from homeassistant.data_entry_flow import FlowResultType, InvalidData, section
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator
from yarl import URL

import custom_components.vehicle_remote_access as integration
from custom_components.vehicle_remote_access import config_flow
from custom_components.vehicle_remote_access.account.options import AccountOptions, VehicleOptions
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.schemas import is_this_host
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator

from .conftest import TOKEN, Home
from .repository.test_architecture import ENGLISH

NEW_TOKEN: Final = "a-newer-secret-token"
LIST: Final = "/api/1/vehicles"


CORE_ENGLISH: Final[dict[str, Any]] = json.loads(
    (Path(homeassistant_component.__file__).parent / "translations" / "en.json").read_text()
)


class Flow:
    """A flow, as a user goes through it.

    Each step is checked: every text exists and gets all its placeholders, every error belongs to a field that
    is shown, and no token is shown.
    """

    result: ConfigFlowResult | SubentryFlowResult

    def __init__(self, home: Home) -> None:
        """Initialize without a flow in progress."""
        self.home = home
        self._tokens: set[str] = set()
        self._flows: ConfigEntriesFlowManager | ConfigSubentryFlowManager | OptionsFlowManager = (
            home.hass.config_entries.flow
        )
        self._translations: dict[str, Any] = ENGLISH["config"]

    @property
    def step(self) -> str:
        """The ID of the current step."""
        return self.result["step_id"]

    @property
    def errors(self) -> dict[str, str]:
        """The errors by field."""
        return self.result["errors"] or {}

    @property
    def suggested_values(self) -> dict[str, Any]:
        """The suggested values by field."""
        return {
            str(field): field.description["suggested_value"]
            for field in self._fields
            if "suggested_value" in (field.description or {})
        }

    @property
    def prefilled_values(self) -> dict[str, Any]:
        """The values that the fields of the form contain: suggested values or defaults."""
        return _prefilled_values(self._fields)

    @property
    def offered_vehicles(self) -> list[str]:
        """The IDs of the vehicles to select from."""
        (selector,) = self._fields.values()
        return [option["value"] for option in selector.config["options"]]

    @property
    def detail(self) -> str:
        """The error detail from the service."""
        return (self.result["description_placeholders"] or {})["detail"]

    @property
    def is_created(self) -> bool:
        """Whether the flow created an entry or a subentry."""
        return self.result["type"] is FlowResultType.CREATE_ENTRY

    @property
    def abort_reason(self) -> str:
        """The reason why the flow was aborted."""
        assert self.result["type"] is FlowResultType.ABORT, self.result
        return self.result["reason"]

    async def start(self, choice: str) -> None:
        """Start the flow for a new account, real or simulated."""
        flows = self.home.hass.config_entries.flow
        self._check(await flows.async_init(DOMAIN, context={"source": SOURCE_USER}))
        assert self.step == "user"
        self._check(await flows.async_configure(self.result["flow_id"], {"next_step_id": choice}))

    async def start_reconfigure(self, entry: ConfigEntry) -> None:
        """Start the reconfiguration of an account."""
        flows = self.home.hass.config_entries.flow
        context = ConfigFlowContext(source=SOURCE_RECONFIGURE, entry_id=entry.entry_id)
        self._check(await flows.async_init(DOMAIN, context=context))

    async def start_reauth(self, entry: ConfigEntry) -> None:
        """Continue the flow that Home Assistant starts if the token is no longer accepted."""
        hass = self.home.hass
        entry.async_start_reauth(hass)
        await self.home.idle()
        (progress,) = entry.async_get_active_flows(hass, {SOURCE_REAUTH})
        self._check(await hass.config_entries.flow.async_configure(progress["flow_id"]))

    async def start_add_vehicle(self, entry: ConfigEntry) -> None:
        """Start the flow that adds a vehicle to an account."""
        self._flows = self.home.hass.config_entries.subentries
        self._translations = ENGLISH["config_subentries"]["vehicle"]
        self._check(
            await self._flows.async_init((entry.entry_id, "vehicle"), context={"source": SOURCE_USER})
        )

    async def start_vehicle_options(self, entry: ConfigEntry) -> None:
        """Start the flow for the options of the first vehicle of an account."""
        self._flows = self.home.hass.config_entries.subentries
        self._translations = ENGLISH["config_subentries"]["vehicle"]
        context = SubentryFlowContext(
            source=SOURCE_RECONFIGURE, entry_id=entry.entry_id, subentry_id=next(iter(entry.subentries))
        )
        self._check(await self._flows.async_init((entry.entry_id, "vehicle"), context=context))

    async def start_account_options(self, entry: ConfigEntry) -> None:
        """Start the flow for the options of an account."""
        self._flows = self.home.hass.config_entries.options
        self._translations = ENGLISH["options"]
        self._check(await self._flows.async_init(entry.entry_id))

    async def submit(self, **values: Any) -> None:
        """Submit the current step."""
        if token := values.get("access_token", "").strip():
            self._tokens.add(token)
        self._check(await self._flows.async_configure(self.result["flow_id"], values))
        await self.home.idle()

    async def start_account(self, **values: str) -> None:
        """Start the flow for an account, and submit its address and token, except for the given values."""
        await self.start("account")
        await self.submit_account(**values)

    async def submit_account(self, **values: str) -> None:
        """Submit the address and token of the account, except for the given values."""
        account = {"base_url": self.home.simulator.url, "access_token": self.home.simulator.token}
        await self.submit(**(account | values))

    @property
    def _fields(self) -> Mapping[Any, Any]:
        schema = self.result.get("data_schema")
        if schema is None or self.result["type"] is not FlowResultType.FORM:
            return {}
        fields: Mapping[Any, Any] = schema.schema
        return fields

    def _check(self, result: ConfigFlowResult | SubentryFlowResult) -> None:
        self.result = result
        placeholders = result.get("description_placeholders") or {}
        for text in self._texts():
            assert text
            assert {name for _, name, _, _ in Formatter().parse(text) if name} <= placeholders.keys(), text
        assert (result.get("errors") or {}).keys() <= {str(field) for field in self._fields} | {"base"}
        defaults = [field.default() for field in self._fields if callable(field.default)]
        content = repr((placeholders, result.get("errors"), self.suggested_values, defaults))
        assert not any(token in content for token in self._tokens)

    def _texts(self) -> Iterator[str]:
        """Yield every text of the current step. Raises KeyError if a text is missing."""
        result = self.result
        if result["type"] is FlowResultType.CREATE_ENTRY:
            return
        if result["type"] is FlowResultType.ABORT:
            texts = (
                CORE_ENGLISH["config"]
                if result.get("translation_domain") == "homeassistant"
                else self._translations
            )
            yield texts["abort"][result["reason"]]
            return
        step = self._translations["step"][result["step_id"]]
        yield step["title"]
        if result["type"] is FlowResultType.MENU:
            options = result["menu_options"]
            assert isinstance(options, list)
            yield from (step["menu_options"][option] for option in options)
            return
        yield from _field_texts(step, self._fields)
        # A step without fields is a question, which is in its description.
        yield step.get("description", "-") if self._fields else step["description"]
        yield from (self._translations["error"][key] for key in (result["errors"] or {}).values())


def _field_texts(texts: Mapping[str, Any], fields: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the texts of the fields, including fields in sections."""
    for field, selector in fields.items():
        if isinstance(selector, section):
            inner = texts["sections"][str(field)]
            yield inner["name"]
            yield from _field_texts(inner, selector.schema.schema)
        else:
            yield from (texts[part][str(field)] for part in ("data", "data_description"))


def _prefilled_values(fields: Mapping[Any, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field, selector in fields.items():
        if isinstance(selector, section):
            values[str(field)] = _prefilled_values(selector.schema.schema)
        elif "suggested_value" in (field.description or {}):
            values[str(field)] = field.description["suggested_value"]
        elif callable(field.default):
            values[str(field)] = field.default()
    return values


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory) -> AsyncIterator[Simulator]:
    """A service with two cars."""
    service = Simulator(vehicles=2, seed=0, token=TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def second_service(freezer: FrozenDateTimeFactory) -> AsyncIterator[Simulator]:
    """The same account at another address and with another token."""
    service = Simulator(vehicles=2, seed=0, token=NEW_TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
def other_account_service(second_service: Simulator) -> Simulator:
    """A service whose only car belongs to another account."""
    car = Simulator(vehicles=1, seed=1).vehicles[0]
    second_service.faults.serve("GET", LIST, list_response(car))
    return second_service


@pytest.fixture
async def flow(empty_home: Home) -> AsyncIterator[Flow]:
    """A flow. All entries are unloaded after the test."""
    yield Flow(empty_home)
    for entry in empty_home.hass.config_entries.async_entries(DOMAIN):
        await empty_home.hass.config_entries.async_unload(entry.entry_id)
    await empty_home.idle()


@pytest.fixture
async def entry(flow: Flow) -> ConfigEntry:
    """An account with the first of its two cars."""
    await flow.start_account()
    await flow.submit(vehicles=[str(flow.home.car.id)])
    assert flow.home.entry.state is ConfigEntryState.LOADED
    return flow.home.entry


@pytest.fixture
def setup_calls() -> Iterator[AsyncMock]:
    """Count the setups of accounts."""
    with patch.object(integration, "async_setup_entry", wraps=integration.async_setup_entry) as setup:
        yield setup


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that refuses connections and stays reserved."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


def list_response(*cars: SimulatedVehicle) -> dict[str, Any]:
    """Return a response that lists these cars."""
    records = [{"id": car.id, "id_s": str(car.id), "vin": car.vin, "state": "online"} for car in cars]
    return {"response": records, "count": len(records)}


def stored_vehicles(entry: ConfigEntry) -> dict[str | None, dict[str, Any]]:
    """Return the stored data of an account's vehicles by unique ID."""
    return {subentry.unique_id: dict(subentry.data) for subentry in entry.subentries.values()}


def stored_data(car: SimulatedVehicle) -> dict[str, str]:
    """Return the data to store for a car."""
    return {"id": str(car.id), "vin": car.vin, "name": car.name}


# Accounts with a vehicle list


async def test_account_data(flow: Flow) -> None:
    """An account stores only its address and token. Its title is the host name."""
    await flow.start_account()
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.is_created
    entry = flow.home.entry
    assert entry.data == {"base_url": flow.home.simulator.url, "access_token": TOKEN}
    assert entry.options == {}
    assert entry.title == "127.0.0.1"


async def test_account_is_loaded(entry: ConfigEntry) -> None:
    """An account is loaded right after the flow, and the first read provides its unique ID."""
    assert entry.state is ConfigEntryState.LOADED
    assert entry.unique_id is not None


async def test_vehicles_are_subentries(flow: Flow) -> None:
    """Each selected vehicle is a subentry with ID, VIN, and name. Its unique ID is the VIN."""
    await flow.start_account()
    assert flow.step == "vehicles"
    await flow.submit(vehicles=flow.offered_vehicles)
    added = flow.home.entry.subentries.values()
    assert [
        (subentry.subentry_type, subentry.title, subentry.unique_id, dict(subentry.data))
        for subentry in added
    ] == [("vehicle", car.name, car.vin, stored_data(car)) for car in flow.home.simulator.vehicles]


async def test_vehicle_without_name(flow: Flow) -> None:
    """The title of a vehicle without a name is its model from the VIN."""
    car = flow.home.car
    flow.home.simulator.faults.serve("GET", LIST, list_response(car))
    await flow.start_account()
    await flow.submit(vehicles=[str(car.id)])
    (subentry,) = flow.home.entry.subentries.values()
    assert subentry.title == "Model S 2019"


async def test_all_vehicles_are_selected_by_default(flow: Flow) -> None:
    """All vehicles are selected by default."""
    await flow.start_account()
    await flow.submit()
    assert stored_vehicles(flow.home.entry).keys() == {car.vin for car in flow.home.simulator.vehicles}


async def test_some_vehicles(flow: Flow) -> None:
    """Only the selected vehicles are added."""
    _, second = flow.home.simulator.vehicles
    await flow.start_account()
    await flow.submit(vehicles=[str(second.id)])
    assert stored_vehicles(flow.home.entry) == {second.vin: stored_data(second)}


async def test_no_vehicle_selected(flow: Flow) -> None:
    """Selecting no vehicle is an error, and the form can be submitted again."""
    await flow.start_account()
    await flow.submit(vehicles=[])
    assert flow.errors == {"vehicles": "no_vehicle_chosen"}
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.is_created


async def test_account_without_vehicles(flow: Flow) -> None:
    """An account without vehicles is not added. The flow continues once the account has one."""
    flow.home.simulator.faults.serve("GET", LIST, list_response())
    await flow.start_account()
    assert flow.errors == {"base": "no_vehicles"}
    flow.home.simulator.faults.clear()
    await flow.submit_account()
    assert flow.step == "vehicles"


async def test_adding_does_not_wake_cars(flow: Flow) -> None:
    """Adding sleeping cars works and doesn't wake them."""
    for car in flow.home.simulator.vehicles:
        car.fall_asleep()
    await flow.start_account()
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.home.entry.state is ConfigEntryState.LOADED
    assert [car.state for car in flow.home.simulator.vehicles] == ["asleep", "asleep"]
    assert not flow.home.requests("wake_up")


async def test_same_account_again(flow: Flow, entry: ConfigEntry) -> None:
    """The same address and token can't be added twice. The flow sends no request."""
    flow.home.simulator.requests.clear()
    await flow.start_account()
    assert flow.abort_reason == "already_configured"
    assert not flow.home.requests()


async def test_configured_vehicle_is_not_offered(flow: Flow, entry: ConfigEntry) -> None:
    """A vehicle is not offered if it was added with another token of its account."""
    first, second = flow.home.simulator.vehicles
    flow.home.simulator.token = NEW_TOKEN
    await flow.start_account()
    assert flow.offered_vehicles == [str(second.id)]
    assert first.vin in stored_vehicles(entry)


async def test_all_vehicles_are_configured(flow: Flow, entry: ConfigEntry, second_service: Simulator) -> None:
    """An account is not added if all its vehicles are configured already."""
    second_service.vehicles.pop()
    await flow.start_account(base_url=second_service.url, access_token=NEW_TOKEN)
    assert flow.abort_reason == "already_configured"


async def test_concurrent_flows_add_vehicle_once(
    flow: Flow, empty_home: Home, second_service: Simulator
) -> None:
    """A vehicle is not added if another flow adds it first."""
    first, second = flow.home.simulator.vehicles
    await flow.start_account()
    second_flow = Flow(empty_home)
    await second_flow.start_account(base_url=second_service.url, access_token=NEW_TOKEN)
    await second_flow.submit(vehicles=[str(first.id)])

    await flow.submit(vehicles=[str(first.id)])
    assert flow.errors == {"vehicles": "no_vehicle_chosen"}
    assert flow.offered_vehicles == [str(second.id)]
    await second_flow.start_add_vehicle(empty_home.entry)
    await second_flow.submit(id=str(second.id))
    await flow.submit(vehicles=[str(second.id)])
    assert flow.abort_reason == "already_configured"


# Accounts without a vehicle list


@pytest.fixture
def service_without_list(simulator: Simulator) -> Simulator:
    """A service that does not list its vehicles."""
    simulator.switches.list = False
    return simulator


def hide_record(simulator: Simulator) -> None:
    """Remove the service's record of its first car, so that only live data identifies the car."""
    simulator.faults.serve("GET", f"{LIST}/{simulator.vehicles[0].id}", None, status=404)


async def test_vehicle_by_id(flow: Flow, service_without_list: Simulator) -> None:
    """A vehicle can be added by its ID if the service has no vehicle list."""
    car = flow.home.car
    await flow.start_account()
    assert flow.step == "vehicle"
    await flow.submit(id=f" {car.id} ")
    assert flow.is_created
    assert stored_vehicles(flow.home.entry) == {car.vin: stored_data(car)}
    assert flow.home.entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("profile", ["current-2019", "legacy-2018"])
async def test_vehicle_identified_by_live_data(
    flow: Flow, service_without_list: Simulator, profile: Any
) -> None:
    """Live data of a car that is awake identifies it if the service has no record of the car."""
    service_without_list.switches.profile = profile
    hide_record(service_without_list)
    await flow.start_account()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created
    assert stored_vehicles(flow.home.entry) == {flow.home.car.vin: stored_data(flow.home.car)}


@pytest.mark.parametrize(
    "entered",
    [
        pytest.param("", id="nothing"),
        pytest.param("abc", id="letters"),
        pytest.param("12.5", id="fraction"),
        pytest.param("-1", id="negative"),
        pytest.param("1/../2", id="path"),
        pytest.param("\u0661\u0662", id="Arabic digits"),
    ],
)
async def test_id_is_not_a_number(flow: Flow, service_without_list: Simulator, entered: str) -> None:
    """An ID that is not a number is an error and sends no request. The form keeps the value."""
    await flow.start_account()
    service_without_list.requests.clear()
    await flow.submit(id=entered)
    assert flow.errors == {"id": "invalid_id"}
    assert flow.suggested_values == {"id": entered}
    assert not flow.home.requests()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created


async def test_unknown_id(flow: Flow, service_without_list: Simulator) -> None:
    """An ID that the service doesn't know is an error, and the form can be submitted again."""
    await flow.start_account()
    await flow.submit(id="1")
    assert flow.errors == {"id": "not_found"}
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created


async def test_record_without_vin(flow: Flow, service_without_list: Simulator) -> None:
    """A car is not added until the service reports its VIN."""
    service_without_list.faults.remove("vin")
    await flow.start_account()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.errors == {"id": "no_vin"}
    assert flow.suggested_values == {"id": str(flow.home.car.id)}
    service_without_list.faults.clear()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created


@pytest.mark.parametrize(
    ("status", "text", "key"),
    [
        pytest.param(401, "mobile_access_disabled", "mobile_access_disabled", id="mobile access off"),
        pytest.param(403, "forbidden", "permission_denied", id="forbidden"),
        pytest.param(405, "vehicle is in service", "in_service", id="in service"),
        pytest.param(429, "too many requests", "rate_limited", id="too many requests"),
        pytest.param(500, "internal", "service_down", id="down"),
    ],
)
async def test_vehicle_cannot_be_read(
    flow: Flow, service_without_list: Simulator, status: int, text: str, key: str
) -> None:
    """If a car can't be read, the error shows at its ID, and the form can be submitted again."""
    await flow.start_account()
    service_without_list.faults.answer(status, body={"response": None, "error": text})
    await flow.submit(id=str(flow.home.car.id))
    assert flow.errors == {"id": key}
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created


async def test_wrong_token_without_list(flow: Flow, service_without_list: Simulator) -> None:
    """If the first request for a car shows that the token is invalid, the account form returns."""
    await flow.start_account()
    service_without_list.token = NEW_TOKEN
    await flow.submit(id=str(flow.home.car.id))
    assert flow.step == "account"
    assert flow.errors == {"access_token": "invalid_token"}
    await flow.submit_account()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created


async def test_record_without_identity(flow: Flow, service_without_list: Simulator) -> None:
    """If the service's record doesn't identify the car, live data does."""
    vehicle_id = str(flow.home.car.id)
    service_without_list.faults.serve(
        "GET", f"{LIST}/{vehicle_id}", {"response": {"id": int(vehicle_id), "state": "online"}}
    )
    await flow.start_account()
    await flow.submit(id=vehicle_id)
    assert flow.is_created


async def test_list_without_identity(flow: Flow) -> None:
    """If the list doesn't identify its cars, the form asks for an ID."""
    vehicle_id = str(flow.home.car.id)
    records = [{"id": int(vehicle_id), "id_s": vehicle_id, "vehicle_id": 7, "state": "online"}]
    flow.home.simulator.faults.serve("GET", LIST, {"response": records})
    await flow.start_account()
    assert flow.step == "vehicle"


async def test_configured_vehicle_by_id(
    flow: Flow, entry: ConfigEntry, service_without_list: Simulator
) -> None:
    """A vehicle of another account can't be added by its ID."""
    service_without_list.token = NEW_TOKEN
    await flow.start_account()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.abort_reason == "already_configured"


# Cars that must be awake to be identified


@pytest.fixture
def sleeping_car(service_without_list: Simulator) -> SimulatedVehicle:
    """A sleeping car that the service has no record of."""
    hide_record(service_without_list)
    service_without_list.vehicles[0].fall_asleep()
    return service_without_list.vehicles[0]


@pytest.mark.parametrize("shape", ["array", "object"])
async def test_wake(flow: Flow, sleeping_car: SimulatedVehicle, shape: Any) -> None:
    """A car that must be awake to be identified is woken once, after confirmation."""
    flow.home.simulator.switches.wake_shape = shape
    await flow.start_account()
    await flow.submit(id=str(sleeping_car.id))
    assert flow.step == "wake"
    assert not flow.home.requests("wake_up")
    await flow.submit()
    assert flow.is_created
    assert stored_vehicles(flow.home.entry) == {sleeping_car.vin: stored_data(sleeping_car)}
    assert flow.home.entry.state is ConfigEntryState.LOADED
    assert len(flow.home.requests("wake_up")) == 1


async def test_failed_wake(flow: Flow, sleeping_car: SimulatedVehicle) -> None:
    """A failed wake-up shows its error and can be submitted again."""
    await flow.start_account()
    await flow.submit(id=str(sleeping_car.id))
    sleeping_car.mobile_enabled = False
    await flow.submit()
    assert flow.step == "wake"
    assert flow.errors == {"base": "mobile_access_disabled"}
    sleeping_car.mobile_enabled = True
    await flow.submit()
    assert flow.is_created


async def test_woken_car_without_vin(flow: Flow, sleeping_car: SimulatedVehicle) -> None:
    """If a woken car reports no VIN, the form for an ID returns."""
    await flow.start_account()
    await flow.submit(id=str(sleeping_car.id))
    flow.home.simulator.faults.remove("vin")
    await flow.submit()
    assert flow.step == "vehicle"
    assert flow.errors == {"id": "no_vin"}


# Address and token


@pytest.mark.parametrize(
    "entered",
    [
        pytest.param("", id="nothing"),
        pytest.param("not an address", id="words"),
        pytest.param("https://<host>", id="invalid host name"),
        pytest.param("http://[::1", id="incomplete address"),
        pytest.param("https://host:99999", id="invalid port"),
        pytest.param("ftp://host", id="ftp"),
        pytest.param("https://user:word@host", id="user"),
        pytest.param("https://host/?token=word", id="query"),
    ],
)
async def test_invalid_address(flow: Flow, entered: str) -> None:
    """An invalid address is an error and sends no request. The form keeps the value."""
    await flow.start_account(base_url=entered)
    assert flow.errors == {"base_url": "invalid_url"}
    assert flow.suggested_values == {"base_url": entered}
    assert not flow.home.requests()
    await flow.submit_account()
    assert flow.step == "vehicles"


@pytest.mark.parametrize(
    ("prefix", "suffix"),
    [
        pytest.param("", "/", id="slash"),
        pytest.param("", "/api/1", id="api"),
        pytest.param("", "/api/1/", id="api and slash"),
        pytest.param("  ", "\n", id="whitespace"),
        pytest.param("", "/#top", id="fragment"),
    ],
)
async def test_pasted_address(flow: Flow, prefix: str, suffix: str) -> None:
    """Common additions to a pasted address are ignored."""
    url = flow.home.simulator.url
    await flow.start_account(base_url=f"{prefix}{url}{suffix}")
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.home.entry.data["base_url"] == url


async def test_address_with_path(flow: Flow) -> None:
    """The address of a service can have a path."""
    url = flow.home.simulator.url
    flow.home.simulator.faults.serve("GET", f"/cars{LIST}", list_response(flow.home.car))
    await flow.start_account(base_url=f"{url}/cars/api/1/")
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.home.entry.data["base_url"] == f"{url}/cars"


async def test_address_without_scheme(flow: Flow, closed_port: int) -> None:
    """An address without a scheme uses https."""
    await flow.start_account(base_url=f"127.0.0.1:{closed_port}")
    assert flow.suggested_values == {"base_url": f"https://127.0.0.1:{closed_port}"}


async def test_certificate_error(flow: Flow) -> None:
    """A service that fails the TLS handshake gets no token."""
    host = flow.home.simulator.url.removeprefix("http://")
    await flow.start_account(base_url=f"https://{host}")
    assert flow.errors == {"base_url": "certificate_error"}
    assert not flow.home.requests()


async def test_connection_refused(flow: Flow, closed_port: int) -> None:
    """A refused connection is an error, and the form can be submitted again."""
    await flow.start_account(base_url=f"http://127.0.0.1:{closed_port}")
    assert flow.errors == {"base_url": "cannot_connect"}
    await flow.submit_account()
    assert flow.step == "vehicles"


@pytest.mark.parametrize(
    ("status", "body", "headers", "errors", "detail"),
    [
        pytest.param(200, "<html></html>", {}, {"base_url": "malformed_answer"}, "-", id="web page"),
        pytest.param(404, "<html></html>", {}, {"base_url": "malformed_answer"}, "-", id="page not found"),
        pytest.param(200, '{"response": [', {}, {"base_url": "malformed_answer"}, "-", id="incomplete JSON"),
        pytest.param(200, {"cars": []}, {}, {"base_url": "malformed_answer"}, "-", id="other JSON"),
        pytest.param(200, {"response": {}}, {}, {"base_url": "malformed_answer"}, "-", id="not a list"),
        pytest.param(
            302,
            "",
            {"Location": "https://else.example/?secret=1"},
            {"base_url": "redirected"},
            "else.example",
            id="redirect",
        ),
        pytest.param(400, None, {}, {"base_url": "invalid_request"}, "bad request", id="bad request"),
        pytest.param(401, None, {}, {"access_token": "invalid_token"}, "unauthorized", id="wrong token"),
        pytest.param(
            401,
            {"response": None, "error": "mobile_access_disabled"},
            {},
            {"access_token": "mobile_access_disabled"},
            "mobile_access_disabled",
            id="mobile access off",
        ),
        pytest.param(403, None, {}, {"access_token": "permission_denied"}, "forbidden", id="forbidden"),
        pytest.param(408, None, {}, {"base_url": "service_down"}, "request timeout", id="timeout"),
        pytest.param(
            429, None, {}, {"base_url": "rate_limited"}, "too many requests", id="too many requests"
        ),
        pytest.param(500, None, {}, {"base_url": "service_down"}, "internal server error", id="server error"),
        pytest.param(
            403,
            {"response": None, "error": f"{TOKEN} may not"},
            {},
            {"access_token": "permission_denied"},
            "\u2026 may not",
            id="token in error",
        ),
    ],
)
async def test_error_response(
    flow: Flow, status: int, body: Any, headers: dict[str, str], errors: dict[str, str], detail: str
) -> None:
    """An error shows at the field that causes it, and the form can be submitted again."""
    flow.home.simulator.faults.answer(status, body=body, headers=headers)
    await flow.start_account()
    assert flow.errors == errors
    assert flow.detail.lower() == detail
    assert flow.suggested_values == {"base_url": flow.home.simulator.url}
    await flow.submit_account()
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.is_created


async def test_wrong_token(flow: Flow) -> None:
    """An invalid token is an error, and the form can be submitted again."""
    await flow.start_account(access_token="not-the-token")
    assert flow.errors == {"access_token": "invalid_token"}
    await flow.submit_account()
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.home.entry.data["access_token"] == TOKEN


async def test_pasted_token(flow: Flow) -> None:
    """Whitespace around a token is ignored."""
    await flow.start_account(access_token=f" {TOKEN}\n")
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.home.entry.data["access_token"] == TOKEN


# Unencrypted connections


@pytest.fixture
def remote_host() -> Iterator[None]:
    """Make the host of the service count as remote."""
    with patch.object(config_flow, "is_this_host", return_value=False):
        yield


@pytest.mark.parametrize("host", ["car.example", "192.0.2.1", "[2001:db8::1]", "127.0.0.1.example"])
async def test_insecure_address(flow: Flow, host: str) -> None:
    """The flow asks for confirmation before it sends a token unencrypted to another host."""
    await flow.start_account(base_url=f"http://{host}:8080")
    assert flow.step == "insecure"
    assert flow.result["description_placeholders"]
    assert flow.result["description_placeholders"]["host"] == host.strip("[]")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "[::1]"])
def test_local_address(host: str) -> None:
    """Local addresses don't need encryption."""
    assert is_this_host(URL(f"http://{host}:8080"))


async def test_insecure_address_is_escaped(flow: Flow) -> None:
    """The insecure address is escaped, so it can't become a link."""
    await flow.start_account(base_url="http://www.car.example")
    assert flow.step == "insecure"
    assert flow.result["description_placeholders"] == {"host": r"www\.car.example"}


async def test_insecure_address_confirmed(flow: Flow, remote_host: None) -> None:
    """The flow sends nothing before the confirmation, and continues after it."""
    await flow.start_account()
    assert flow.step == "insecure"
    assert not flow.home.requests()
    await flow.submit(next_step_id="connect")
    await flow.submit(vehicles=flow.offered_vehicles)
    assert flow.is_created


async def test_insecure_address_declined(flow: Flow, remote_host: None) -> None:
    """Declining returns to the form with the address. No request is sent."""
    await flow.start_account()
    await flow.submit(next_step_id="account")
    assert flow.step == "account"
    assert flow.suggested_values == {"base_url": flow.home.simulator.url}
    assert not flow.home.requests()


async def test_error_after_confirmation(flow: Flow, remote_host: None) -> None:
    """An error after the confirmation shows in the account form."""
    await flow.start_account(access_token="not-the-token")
    await flow.submit(next_step_id="connect")
    assert flow.step == "account"
    assert flow.errors == {"access_token": "invalid_token"}


# Simulated accounts


async def add_simulated_account(flow: Flow, **values: int) -> ConfigEntry:
    """Add a simulated account and return it."""
    await flow.start("simulator")
    await flow.submit(**values)
    assert flow.is_created
    return flow.home.hass.config_entries.async_entries(DOMAIN)[-1]


async def test_simulated_account(flow: Flow) -> None:
    """A simulated account stores the simulator's settings, and neither address nor token."""
    entry = await add_simulated_account(flow, vehicles=3, speed=60)
    assert entry.title == "Simulator"
    assert entry.data.keys() == {"simulator"}
    assert entry.data["simulator"].keys() == {"vehicles", "speed", "seed"}
    assert (entry.data["simulator"]["vehicles"], entry.data["simulator"]["speed"]) == (3, 60)
    assert len(entry.subentries) == 3


async def test_simulated_car_works(flow: Flow) -> None:
    """A simulated car carries out a command."""
    entry = await add_simulated_account(flow)
    assert entry.state is ConfigEntryState.LOADED
    (vin,) = stored_vehicles(entry)
    lock_id = flow.home.entity_id("lock", "vehicle_state.locked", vin)
    hass = flow.home.hass
    await hass.services.async_call("lock", "unlock", {"entity_id": lock_id}, blocking=True)
    state = hass.states.get(lock_id)
    assert state is not None
    assert state.state == "unlocked"


async def test_simulated_accounts_differ(flow: Flow) -> None:
    """Two simulated accounts have no cars in common."""
    first = await add_simulated_account(flow, vehicles=2)
    second = await add_simulated_account(flow, vehicles=2)
    assert (first.title, second.title) == ("Simulator", "Simulator 2")
    assert stored_vehicles(first).keys().isdisjoint(stored_vehicles(second))


async def test_simulated_services_are_stopped(flow: Flow) -> None:
    """Every service that a flow or a setup starts for a simulated account is stopped again."""
    with (
        patch.object(Simulator, "start", autospec=True, side_effect=Simulator.start) as start,
        patch.object(Simulator, "stop", autospec=True, side_effect=Simulator.stop) as stop,
    ):
        entry = await add_simulated_account(flow)
        await flow.home.hass.config_entries.async_unload(entry.entry_id)
    assert start.call_count == stop.call_count > 0


async def test_simulated_account_has_all_its_vehicles(flow: Flow) -> None:
    """No vehicle can be added to a simulated account that has all its vehicles."""
    await flow.start_add_vehicle(await add_simulated_account(flow, vehicles=2))
    assert flow.abort_reason == "already_configured"


async def test_deleted_simulated_vehicle_can_be_added(flow: Flow, setup_calls: AsyncMock) -> None:
    """A deleted simulated car is offered, and has the same data once it is added again."""
    entry = await add_simulated_account(flow, vehicles=3)
    before = stored_vehicles(entry)
    first, second, third = entry.subentries.values()
    for subentry in (first, third):
        flow.home.hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
        await flow.home.idle()
    assert stored_vehicles(entry).keys() == {second.unique_id}
    await flow.start_add_vehicle(entry)
    assert flow.offered_vehicles == [first.data["id"], third.data["id"]]
    setup_calls.reset_mock()
    await flow.submit(id=third.data["id"])
    assert flow.is_created
    assert setup_calls.call_count == 1
    assert third.unique_id is not None
    assert stored_vehicles(entry)[third.unique_id] == before[third.unique_id]
    assert flow.home.shown("lock", "vehicle_state.locked", third.unique_id).state == "locked"


async def test_add_vehicle_to_unloaded_simulated_account(flow: Flow) -> None:
    """No vehicle can be added to a simulated account that is not loaded."""
    entry = await add_simulated_account(flow)
    await flow.home.hass.config_entries.async_unload(entry.entry_id)
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "not_loaded"


async def test_simulated_account_options(flow: Flow) -> None:
    """A simulated account and its cars have the same options as real ones."""
    entry = await add_simulated_account(flow)
    await flow.start_account_options(entry)
    await flow.submit(interval=300, read_only=True)
    assert flow.is_created
    await flow.start_vehicle_options(entry)
    await flow.submit(wake_for_commands=False, intervals={})
    assert flow.abort_reason == "reconfigure_successful"
    (vehicle,) = entry.runtime_data.vehicles.values()
    assert vehicle.options.is_read_only
    assert not vehicle.options.wake_for_commands


async def test_simulated_account_gets_new_car(flow: Flow) -> None:
    """A simulated account can get more cars. A new car creates the same repair issue as a real one."""
    entry = await add_simulated_account(flow, vehicles=2)
    before = stored_vehicles(entry)
    await flow.start_reconfigure(entry)
    assert flow.prefilled_values == {"vehicles": 2}
    await flow.submit(vehicles=3)
    assert flow.abort_reason == "reconfigure_successful"
    assert entry.state is ConfigEntryState.LOADED
    assert stored_vehicles(entry) == before
    issues = [issue for issue in ir.async_get(flow.home.hass).issues.values() if issue.domain == DOMAIN]
    assert [issue.translation_key for issue in issues] == ["new_vehicle"]
    await flow.start_add_vehicle(entry)
    assert len(flow.offered_vehicles) == 1


# Reauthentication


async def account_in_state(state: ConfigEntryState, flow: Flow) -> ConfigEntry:
    """Return an account in this state. Its service fails during setup if the state is not LOADED."""
    faults = flow.home.simulator.faults
    await flow.start_account()
    if state is not ConfigEntryState.LOADED:
        faults.answer(401 if state is ConfigEntryState.SETUP_ERROR else 500, times=100)
    await flow.submit(vehicles=[str(flow.home.car.id)])
    faults.clear()
    assert flow.home.entry.state is state
    return flow.home.entry


each_state: Final = pytest.mark.parametrize(
    "state",
    [ConfigEntryState.LOADED, ConfigEntryState.SETUP_ERROR, ConfigEntryState.SETUP_RETRY],
    ids=lambda state: str(state.value),
)


async def is_working(entry: ConfigEntry) -> bool:
    """Return whether the account is loaded and its vehicles can be read."""
    vehicles = entry.runtime_data.vehicles.values()
    for vehicle in vehicles:
        await vehicle.async_refresh()
    return entry.state is ConfigEntryState.LOADED and all(vehicle.last_update_success for vehicle in vehicles)


@each_state
@pytest.mark.parametrize("token", [NEW_TOKEN, TOKEN], ids=["new token", "same token"])
async def test_new_token(flow: Flow, setup_calls: AsyncMock, state: ConfigEntryState, token: str) -> None:
    """In every state, an account works after it gets a new token, or the same token again."""
    entry = await account_in_state(state, flow)
    flow.home.simulator.token = token
    await flow.start_reauth(entry)
    assert flow.step == "reauth_confirm"
    setup_calls.reset_mock()
    await flow.submit(access_token=f"{token} ")
    assert flow.abort_reason == "reauth_successful"
    assert entry.data == {"base_url": flow.home.simulator.url, "access_token": token}
    assert await is_working(entry)
    assert setup_calls.call_count == 1
    assert not flow.home.hass.config_entries.flow.async_progress()


async def test_reauth_names_account(flow: Flow, entry: ConfigEntry) -> None:
    """A rejected token starts a flow that names the account."""
    flow.home.simulator.token = NEW_TOKEN
    await flow.home.poll()
    await flow.home.advance(6)
    (progress,) = flow.home.hass.config_entries.flow.async_progress()
    assert progress["context"]["source"] == SOURCE_REAUTH
    await flow.start_reauth(entry)
    assert flow.result["description_placeholders"]
    assert flow.result["description_placeholders"]["name"] == entry.title


@pytest.mark.parametrize(
    ("status", "key"),
    [
        pytest.param(401, "invalid_token", id="still wrong"),
        pytest.param(403, "permission_denied", id="forbidden"),
        pytest.param(500, "service_down", id="down"),
    ],
)
async def test_new_token_fails(flow: Flow, entry: ConfigEntry, status: int, key: str) -> None:
    """A new token that fails is not stored, and the form can be submitted again."""
    flow.home.simulator.token = NEW_TOKEN
    await flow.start_reauth(entry)
    flow.home.simulator.faults.answer(status)
    await flow.submit(access_token="not-the-token")
    assert flow.errors == {"access_token": key}
    assert entry.data["access_token"] == TOKEN
    await flow.submit(access_token=NEW_TOKEN)
    assert flow.abort_reason == "reauth_successful"
    assert await is_working(entry)


async def test_new_token_of_another_account(flow: Flow, entry: ConfigEntry) -> None:
    """A token that knows none of the account's vehicles is not stored.

    The form can be submitted again.
    """
    other_car = Simulator(vehicles=1, seed=1).vehicles[0]
    await flow.start_reauth(entry)
    flow.home.simulator.faults.serve("GET", LIST, list_response(other_car))
    await flow.submit(access_token=TOKEN)
    assert flow.errors == {"access_token": "wrong_account"}
    flow.home.simulator.faults.clear()
    await flow.submit(access_token=TOKEN)
    assert flow.abort_reason == "reauth_successful"


async def test_new_token_without_list(
    flow: Flow, entry: ConfigEntry, service_without_list: Simulator
) -> None:
    """Without a vehicle list, every token that the service accepts is stored."""
    service_without_list.token = NEW_TOKEN
    await flow.start_reauth(entry)
    await flow.submit(access_token=NEW_TOKEN)
    assert flow.abort_reason == "reauth_successful"
    assert await is_working(entry)


async def test_new_token_of_account_without_vehicles(flow: Flow, entry: ConfigEntry) -> None:
    """An account can get a new token after its last vehicle was removed."""
    (subentry_id,) = entry.subentries
    flow.home.hass.config_entries.async_remove_subentry(entry, subentry_id)
    await flow.home.idle()
    flow.home.simulator.token = NEW_TOKEN
    await flow.start_reauth(entry)
    await flow.submit(access_token=NEW_TOKEN)
    assert flow.abort_reason == "reauth_successful"


# Reconfiguration


@each_state
async def test_new_address(
    flow: Flow, setup_calls: AsyncMock, state: ConfigEntryState, second_service: Simulator
) -> None:
    """In every state, an account works after it gets a new address and a new token."""
    entry = await account_in_state(state, flow)
    await flow.home.simulator.stop()
    await flow.start_reconfigure(entry)
    assert flow.step == "reconfigure"
    setup_calls.reset_mock()
    await flow.submit(base_url=f"{second_service.url}/", access_token=f" {NEW_TOKEN}")
    assert flow.abort_reason == "reconfigure_successful"
    assert entry.data == {"base_url": second_service.url, "access_token": NEW_TOKEN}
    assert await is_working(entry)
    assert setup_calls.call_count == 1


@each_state
async def test_unchanged_address(flow: Flow, setup_calls: AsyncMock, state: ConfigEntryState) -> None:
    """Submitting the same address and token reloads the account once."""
    entry = await account_in_state(state, flow)
    await flow.start_reconfigure(entry)
    setup_calls.reset_mock()
    await flow.submit_account()
    assert flow.abort_reason == "reconfigure_successful"
    assert await is_working(entry)
    assert setup_calls.call_count == 1


async def test_address_is_suggested(flow: Flow, entry: ConfigEntry) -> None:
    """The form contains the address of the account, but not its token."""
    await flow.start_reconfigure(entry)
    assert flow.suggested_values == {"base_url": flow.home.simulator.url}


@pytest.mark.parametrize(
    ("entered", "key"),
    [
        pytest.param("not an address", "invalid_url", id="invalid address"),
        pytest.param("https://user@host", "invalid_url", id="with user"),
        pytest.param("http://car.example", "insecure_url", id="unencrypted"),
    ],
)
async def test_new_address_is_invalid(flow: Flow, entry: ConfigEntry, entered: str, key: str) -> None:
    """An address that is not allowed is an error and sends no request. The form keeps the value."""
    await flow.start_reconfigure(entry)
    flow.home.simulator.requests.clear()
    await flow.submit_account(base_url=entered)
    assert flow.errors == {"base_url": key}
    assert flow.suggested_values == {"base_url": entered}
    assert not flow.home.requests()
    await flow.submit_account()
    assert flow.abort_reason == "reconfigure_successful"


@pytest.mark.parametrize(
    ("status", "errors"),
    [
        pytest.param(401, {"access_token": "invalid_token"}, id="wrong token"),
        pytest.param(403, {"access_token": "permission_denied"}, id="forbidden"),
        pytest.param(500, {"base_url": "service_down"}, id="down"),
    ],
)
async def test_new_address_fails(
    flow: Flow, entry: ConfigEntry, second_service: Simulator, status: int, errors: dict[str, str]
) -> None:
    """An address that fails is not stored, and the form can be submitted again."""
    second_service.faults.answer(status)
    await flow.start_reconfigure(entry)
    await flow.submit(base_url=second_service.url, access_token=NEW_TOKEN)
    assert flow.errors == errors
    assert flow.suggested_values == {"base_url": second_service.url}
    assert entry.data == {"base_url": flow.home.simulator.url, "access_token": TOKEN}
    await flow.submit(base_url=second_service.url, access_token=NEW_TOKEN)
    assert flow.abort_reason == "reconfigure_successful"
    assert await is_working(entry)


async def test_new_address_of_another_account(
    flow: Flow, entry: ConfigEntry, other_account_service: Simulator
) -> None:
    """A service that knows none of the account's vehicles is rejected."""
    await flow.start_reconfigure(entry)
    await flow.submit(base_url=other_account_service.url, access_token=NEW_TOKEN)
    assert flow.errors == {"base_url": "wrong_account"}
    assert entry.data["base_url"] == flow.home.simulator.url
    other_account_service.faults.clear()
    await flow.submit(base_url=other_account_service.url, access_token=NEW_TOKEN)
    assert flow.abort_reason == "reconfigure_successful"


async def test_new_address_without_list(flow: Flow, entry: ConfigEntry, second_service: Simulator) -> None:
    """A service without a vehicle list is accepted if it accepts the token."""
    second_service.switches.list = False
    await flow.start_reconfigure(entry)
    await flow.submit(base_url=second_service.url, access_token=NEW_TOKEN)
    assert flow.abort_reason == "reconfigure_successful"
    assert await is_working(entry)


async def test_new_address_without_list_and_record(
    flow: Flow, entry: ConfigEntry, second_service: Simulator
) -> None:
    """A service that can't identify the account is accepted. The next live read identifies it."""
    second_service.switches.list = False
    hide_record(second_service)
    await flow.start_reconfigure(entry)
    await flow.submit(base_url=second_service.url, access_token=NEW_TOKEN)
    assert flow.abort_reason == "reconfigure_successful"


@pytest.mark.parametrize(("vin", "is_accepted"), [("5YJSA1E26KF000316", False), (None, True)])
async def test_new_address_with_other_record(
    flow: Flow, entry: ConfigEntry, second_service: Simulator, vin: str | None, *, is_accepted: bool
) -> None:
    """Without a list, the account's vehicle records show whether it is the same account."""
    second_service.switches.list = False
    vehicle_id = str(flow.home.car.id)
    record = {"id": int(vehicle_id), "vin": vin, "state": "online"}
    second_service.faults.serve("GET", f"{LIST}/{vehicle_id}", {"response": record})
    await flow.start_reconfigure(entry)
    await flow.submit(base_url=second_service.url, access_token=NEW_TOKEN)
    assert (flow.result["type"] is FlowResultType.ABORT) is is_accepted
    assert is_accepted or flow.errors == {"base_url": "wrong_account"}


# Adding a vehicle


async def test_subentry_types(entry: ConfigEntry) -> None:
    """An account has only vehicles as subentries."""
    assert entry.supported_subentry_types.keys() == {"vehicle"}


async def test_add_from_list(flow: Flow, entry: ConfigEntry) -> None:
    """A vehicle of the account that is not configured yet can be added."""
    first, second = flow.home.simulator.vehicles
    await flow.start_add_vehicle(entry)
    assert flow.offered_vehicles == [str(second.id)]
    await flow.submit(id=str(second.id))
    assert flow.is_created
    assert stored_vehicles(entry) == {first.vin: stored_data(first), second.vin: stored_data(second)}
    assert [subentry.title for subentry in entry.subentries.values()] == [first.name, second.name]


async def test_added_vehicle_has_entities(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    """An added vehicle has its entities at once, after a single reload of the account."""
    _, second = flow.home.simulator.vehicles
    setup_calls.reset_mock()
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second.id))
    assert setup_calls.call_count == 1
    assert flow.home.shown("lock", "vehicle_state.locked", second.vin).state == "locked"
    added = entry.get_subentries_of_type("vehicle")[1]
    registry = er.async_get(flow.home.hass)
    entities = er.async_entries_for_config_entry(registry, entry.entry_id)
    assert any(entity.config_subentry_id == added.subentry_id for entity in entities)


async def test_add_by_id(flow: Flow, entry: ConfigEntry, service_without_list: Simulator) -> None:
    """A vehicle can be added by its ID if the service has no vehicle list."""
    _, second = service_without_list.vehicles
    await flow.start_add_vehicle(entry)
    await flow.submit(id=f" {second.id} ")
    assert flow.is_created
    assert stored_vehicles(entry)[second.vin] == stored_data(second)


@pytest.fixture
def second_sleeping_car(service_without_list: Simulator) -> SimulatedVehicle:
    """The car that is not configured yet, asleep and without a record at the service."""
    _, second = service_without_list.vehicles
    service_without_list.faults.serve("GET", f"{LIST}/{second.id}", None, status=404)
    second.fall_asleep()
    return second


async def test_add_by_waking(flow: Flow, entry: ConfigEntry, second_sleeping_car: SimulatedVehicle) -> None:
    """A car that must be awake to be identified is woken once, after confirmation."""
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second_sleeping_car.id))
    assert flow.step == "wake"
    assert not flow.home.requests("wake_up")
    await flow.submit()
    assert flow.is_created
    assert stored_vehicles(entry)[second_sleeping_car.vin] == stored_data(second_sleeping_car)
    assert len(flow.home.requests("wake_up")) == 1


async def test_read_only_account_wakes_no_car(
    flow: Flow, entry: ConfigEntry, second_sleeping_car: SimulatedVehicle
) -> None:
    """A read-only account doesn't wake a car to add it. The car can be added once it is awake."""
    await flow.start_account_options(entry)
    await flow.submit(read_only=True)
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second_sleeping_car.id))
    assert flow.step == "user"
    assert flow.errors == {"id": "asleep"}
    second_sleeping_car.wake()
    await flow.submit(id=str(second_sleeping_car.id))
    assert flow.is_created
    assert not flow.home.requests("wake_up")


async def test_add_after_failed_wake(
    flow: Flow, entry: ConfigEntry, second_sleeping_car: SimulatedVehicle
) -> None:
    """A failed wake-up shows its error and can be submitted again."""
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second_sleeping_car.id))
    second_sleeping_car.mobile_enabled = False
    await flow.submit()
    assert flow.step == "wake"
    assert flow.errors == {"base": "mobile_access_disabled"}
    assert flow.detail == "mobile_access_disabled"
    second_sleeping_car.mobile_enabled = True
    await flow.submit()
    assert flow.is_created


async def test_add_woken_car_without_vin(
    flow: Flow, entry: ConfigEntry, second_sleeping_car: SimulatedVehicle
) -> None:
    """A woken car without a VIN is not added."""
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second_sleeping_car.id))
    flow.home.simulator.faults.remove("vin")
    await flow.submit()
    assert flow.step == "user"
    assert flow.errors == {"id": "no_vin"}


async def test_nothing_to_add(flow: Flow, entry: ConfigEntry) -> None:
    """The flow is aborted if all vehicles of the account are configured."""
    flow.home.simulator.vehicles.pop()
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "already_configured"


async def test_add_configured_vehicle_by_id(
    flow: Flow, entry: ConfigEntry, service_without_list: Simulator
) -> None:
    """A vehicle that is configured already can't be added by its ID."""
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(flow.home.car.id))
    assert flow.abort_reason == "already_configured"


async def test_add_vehicle_added_by_another_account(
    flow: Flow, entry: ConfigEntry, second_service: Simulator
) -> None:
    """A vehicle is not added if another account adds it while the form is open."""
    _, second = flow.home.simulator.vehicles
    second_flow = Flow(flow.home)
    await second_flow.start_account(base_url=second_service.url, access_token=NEW_TOKEN)
    flow.home.simulator.vehicles.append(Simulator(vehicles=1, seed=1).vehicles[0])
    await flow.start_add_vehicle(entry)
    await second_flow.submit(vehicles=[str(second.id)])
    await flow.submit(id=str(second.id))
    assert flow.abort_reason == "already_configured"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        pytest.param(401, "invalid_token", id="wrong token"),
        pytest.param(403, "permission_denied", id="forbidden"),
        pytest.param(408, "service_down", id="timeout"),
        pytest.param(429, "rate_limited", id="too many requests"),
        pytest.param(500, "service_down", id="down"),
    ],
)
async def test_add_while_service_fails(flow: Flow, entry: ConfigEntry, status: int, reason: str) -> None:
    """While the service fails, the flow is aborted with the reason."""
    flow.home.simulator.faults.answer(status)
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == reason


async def test_link_in_abort_detail(flow: Flow, entry: ConfigEntry) -> None:
    """An error detail can't create a link in an aborted flow, because that text is Markdown."""
    flow.home.simulator.faults.answer(403, body={"response": None, "error": "[x](http://evil.example)"})
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "permission_denied"
    assert flow.detail == r"\[x\](http\://evil.example)"


async def test_link_in_form_error(flow: Flow, entry: ConfigEntry, service_without_list: Simulator) -> None:
    """An error detail is not escaped in a form, because the errors of a form are plain text."""
    body = {"response": None, "error": "[x](http://evil.example)"}
    await flow.start_add_vehicle(entry)
    service_without_list.faults.answer(403, body=body, only=str(service_without_list.vehicles[1].id))
    await flow.submit(id=str(service_without_list.vehicles[1].id))
    assert flow.errors == {"id": "permission_denied"}
    assert flow.detail == "[x](http://evil.example)"


async def test_link_in_name(flow: Flow, entry: ConfigEntry) -> None:
    """The names of accounts and cars can't create links in a flow."""
    name, escaped = "[x](http://evil.example)", r"\[x\](http\://evil.example)"
    config_entries = flow.home.hass.config_entries
    config_entries.async_update_entry(entry, title=name)
    (car,) = entry.subentries.values()
    config_entries.async_update_subentry(entry, car, title=name)
    await flow.home.idle()
    for start in (flow.start_reauth, flow.start_account_options, flow.start_vehicle_options):
        await start(entry)
        assert flow.result["description_placeholders"]
        assert flow.result["description_placeholders"]["name"] == escaped


async def test_add_with_redirect(flow: Flow, entry: ConfigEntry) -> None:
    """If the service redirects, the flow is aborted and names the new host."""
    flow.home.simulator.faults.answer(302, headers={"Location": "https://else.example/?secret=1"})
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "redirected"
    assert flow.detail == "else.example"


async def test_add_by_invalid_id(flow: Flow, entry: ConfigEntry, service_without_list: Simulator) -> None:
    """An ID that is not a number is an error, and the form can be submitted again."""
    _, second = service_without_list.vehicles
    await flow.start_add_vehicle(entry)
    await flow.submit(id="abc")
    assert flow.errors == {"id": "invalid_id"}
    await flow.submit(id=str(second.id))
    assert flow.is_created


async def test_add_by_unknown_id(flow: Flow, entry: ConfigEntry, service_without_list: Simulator) -> None:
    """An ID that the service doesn't know is an error, and the form can be submitted again."""
    _, second = service_without_list.vehicles
    await flow.start_add_vehicle(entry)
    await flow.submit(id="1")
    assert flow.errors == {"id": "not_found"}
    await flow.submit(id=str(second.id))
    assert flow.is_created


async def test_add_record_without_vin(
    flow: Flow, entry: ConfigEntry, service_without_list: Simulator
) -> None:
    """A car is not added until the service reports its VIN."""
    _, second = service_without_list.vehicles
    service_without_list.faults.remove("vin")
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second.id))
    assert flow.errors == {"id": "no_vin"}
    service_without_list.faults.clear()
    await flow.submit(id=str(second.id))
    assert flow.is_created


async def test_add_car_that_cannot_be_read(
    flow: Flow, entry: ConfigEntry, service_without_list: Simulator
) -> None:
    """If a car can't be read, the error shows at its ID, and the form can be submitted again."""
    _, second = service_without_list.vehicles
    await flow.start_add_vehicle(entry)
    service_without_list.faults.answer(500, only=str(second.id))
    await flow.submit(id=str(second.id))
    assert flow.errors == {"id": "service_down"}
    assert flow.detail == "Internal Server Error"
    await flow.submit(id=str(second.id))
    assert flow.is_created


# Vehicle options


async def test_powered_lid(flow: Flow, entry: ConfigEntry) -> None:
    """A frunk can be closed if the options say that it is powered."""
    frunk = flow.home.shown("cover", "vehicle_state.ft").attributes
    assert frunk["supported_features"] == CoverEntityFeature.OPEN
    await flow.start_vehicle_options(entry)
    await flow.submit(powered_lids=["frunk"], intervals={})
    assert flow.abort_reason == "reconfigure_successful"
    frunk = flow.home.shown("cover", "vehicle_state.ft").attributes
    assert frunk["supported_features"] == CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE
    flow.home.car.open("ft")
    await flow.home.call("cover", "close_cover", "vehicle_state.ft")
    assert not flow.home.car.body.openings["ft"]


async def test_powered_lid_removed(flow: Flow, entry: ConfigEntry) -> None:
    """A frunk can't be closed any more once it is no longer in the powered lids."""
    await flow.start_vehicle_options(entry)
    await flow.submit(powered_lids=["frunk"], intervals={})
    await flow.start_vehicle_options(entry)
    await flow.submit(intervals={})
    frunk = flow.home.shown("cover", "vehicle_state.ft").attributes
    assert frunk["supported_features"] == CoverEntityFeature.OPEN


VEHICLE_OPTIONS: Final[Mapping[str, Any]] = {
    "keep_awake_plugged_in": True,
    "wake_for_commands": False,
    "read_only": True,
    "powered_lids": ["frunk"],
    "intervals": {"driving": 10, "charging": 300, "in_use": 45},
}


async def test_default_vehicle_options(flow: Flow, entry: ConfigEntry) -> None:
    """The form contains the defaults at first, and submitting them changes nothing."""
    (vehicle,) = entry.runtime_data.vehicles.values()
    before = vehicle.options
    await flow.start_vehicle_options(entry)
    assert flow.prefilled_values == {
        "keep_awake_plugged_in": False,
        "wake_for_commands": True,
        "read_only": False,
        "intervals": {"driving": 60, "charging": 60, "in_use": 60},
    }
    await flow.submit(**flow.prefilled_values)
    (vehicle,) = entry.runtime_data.vehicles.values()
    assert vehicle.options == before == VehicleOptions()


async def test_vehicle_options_are_stored(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    """The options are stored with the vehicle's data, and apply without a reload."""
    setup_calls.reset_mock()
    await flow.start_vehicle_options(entry)
    await flow.submit(**VEHICLE_OPTIONS)
    assert flow.abort_reason == "reconfigure_successful"
    car = flow.home.car
    assert stored_vehicles(entry) == {car.vin: {**stored_data(car), **VEHICLE_OPTIONS}}
    assert not setup_calls.called
    (vehicle,) = entry.runtime_data.vehicles.values()
    assert vehicle.options == VehicleOptions(
        intervals=VEHICLE_OPTIONS["intervals"],
        keep_awake_plugged_in=True,
        wake_for_commands=False,
        is_read_only=True,
        powered_lids=("frunk",),
    )


async def test_current_vehicle_options(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    """The form contains the current options, and submitting them again doesn't reload the account."""
    await flow.start_vehicle_options(entry)
    await flow.submit(**VEHICLE_OPTIONS)
    setup_calls.reset_mock()
    await flow.start_vehicle_options(entry)
    assert flow.prefilled_values == VEHICLE_OPTIONS
    await flow.submit(**flow.prefilled_values)
    assert stored_vehicles(entry)[flow.home.car.vin].items() >= VEHICLE_OPTIONS.items()
    assert not setup_calls.called


def numbers_in(values: Mapping[str, Any]) -> Iterator[Any]:
    """Yield all values that are not text, lists, or booleans, including those in sections."""
    for value in values.values():
        if isinstance(value, Mapping):
            yield from numbers_in(value)
        elif not isinstance(value, str | list | bool):
            yield value


async def test_seconds_are_integers(flow: Flow, entry: ConfigEntry) -> None:
    """Seconds are stored as integers, whatever type the browser sends."""
    await flow.start_account_options(entry)
    await flow.submit(interval=90.0)
    await flow.start_vehicle_options(entry)
    await flow.submit(intervals={"driving": 30.0, "charging": "20", "in_use": 45.5})
    (vehicle,) = entry.subentries.values()
    numbers = [*numbers_in(entry.options), *numbers_in(vehicle.data)]
    assert [(type(number), number) for number in numbers] == [(int, 90), (int, 30), (int, 20), (int, 45)]


@pytest.mark.parametrize("mode", ["driving", "charging", "in_use"])
@pytest.mark.parametrize(("seconds", "allowed"), [(9, 10), (301, 300), ("often", 60)])
async def test_vehicle_intervals_out_of_range(
    flow: Flow, entry: ConfigEntry, mode: str, seconds: Any, allowed: int
) -> None:
    """Polling intervals out of range are rejected, and the form can be submitted again."""
    await flow.start_vehicle_options(entry)
    with pytest.raises(InvalidData):
        await flow.submit(intervals={mode: seconds})
    assert stored_vehicles(entry) == {flow.home.car.vin: stored_data(flow.home.car)}
    await flow.submit(intervals={mode: allowed})
    assert stored_vehicles(entry)[flow.home.car.vin]["intervals"][mode] == allowed


# Account options


async def test_default_account_options(flow: Flow, entry: ConfigEntry) -> None:
    """The form contains the defaults at first, and submitting them changes nothing."""
    await flow.start_account_options(entry)
    assert flow.step == "init"
    assert flow.prefilled_values == {"interval": 60, "read_only": False}
    await flow.submit(**flow.prefilled_values)
    assert AccountOptions.from_entry(entry.options) == AccountOptions()


async def test_account_options_are_stored(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    """The options are stored in the entry, and apply without a reload."""
    data = dict(entry.data)
    setup_calls.reset_mock()
    await flow.start_account_options(entry)
    await flow.submit(interval=120, read_only=True)
    assert flow.is_created
    assert entry.options == {"interval": 120, "read_only": True}
    assert entry.data == data
    assert not setup_calls.called
    assert entry.runtime_data.options == AccountOptions(interval=120, is_read_only=True)


async def test_current_account_options(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    """The form contains the current options, and submitting them again doesn't reload the account."""
    await flow.start_account_options(entry)
    await flow.submit(interval=120, read_only=True)
    setup_calls.reset_mock()
    await flow.start_account_options(entry)
    assert flow.prefilled_values == {"interval": 120, "read_only": True}
    await flow.submit(**flow.prefilled_values)
    assert entry.options == {"interval": 120, "read_only": True}
    assert not setup_calls.called


@pytest.mark.parametrize(("seconds", "allowed"), [(29, 30), (601, 600), ("often", 60)])
async def test_account_interval_out_of_range(
    flow: Flow, entry: ConfigEntry, seconds: Any, allowed: int
) -> None:
    """A polling interval out of range is rejected, and the form can be submitted again."""
    await flow.start_account_options(entry)
    with pytest.raises(InvalidData):
        await flow.submit(interval=seconds)
    assert entry.options == {}
    await flow.submit(interval=allowed)
    assert entry.options["interval"] == allowed


# Secrets


async def test_tokens_are_not_logged(flow: Flow, caplog: pytest.LogCaptureFixture) -> None:
    """No log record of the integration, Home Assistant, or aiohttp contains a token."""
    for name in ("custom_components", "aiohttp", "homeassistant.helpers", "homeassistant.data_entry_flow"):
        caplog.set_level(logging.DEBUG, logger=name)
    faults = flow.home.simulator.faults
    await flow.start_account(access_token="not-the-token")
    for status in (302, 403, 500):
        faults.answer(status, body={"error": f"for {TOKEN}"}, headers={"Location": f"http://{TOKEN}"})
        await flow.submit_account()
    await flow.submit_account()
    await flow.submit(vehicles=flow.offered_vehicles)
    flow.home.simulator.token = NEW_TOKEN
    await flow.start_reauth(flow.home.entry)
    await flow.submit(access_token=NEW_TOKEN)
    assert flow.abort_reason == "reauth_successful"
    assert any(record.name.startswith(integration.__name__) for record in caplog.records)
    for secret in ("not-the-token", TOKEN, NEW_TOKEN):
        assert secret not in caplog.text


async def test_token_of_wrong_type_is_not_shown(
    empty_home: Home, hass_client: ClientSessionGenerator, caplog: pytest.LogCaptureFixture
) -> None:
    """The error for a token of the wrong type names the field, not its value."""
    assert await async_setup_component(empty_home.hass, "config", {})
    form = await empty_home.start_flow("account")
    data = {"base_url": empty_home.simulator.url, "access_token": [TOKEN]}
    client = await hass_client()
    response = await client.post(f"/api/config/config_entries/flow/{form['flow_id']}", json=data)
    body = await response.text()
    assert response.status == HTTPStatus.BAD_REQUEST
    assert "access_token" in body
    assert TOKEN not in body
    assert TOKEN not in caplog.text
