"""The dialogs: from an address and a token, or from a simulator, to an account with its vehicles."""

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
from custom_components.vehicle_remote_access.account.options import AccountSettings, VehicleSettings
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.schemas import is_this_host
from custom_components.vehicle_remote_access.simulator import Simulator, Vehicle

from .conftest import TOKEN, Home

NEW_TOKEN: Final = "a-newer-token-that-nobody-may-see"
LIST: Final = "/api/1/vehicles"


def words_of(component: Any) -> dict[str, Any]:
    """Return the English texts of an integration."""
    found: dict[str, Any] = json.loads(
        (Path(component.__file__).parent / "translations" / "en.json").read_text()
    )
    return found


OURS: Final = words_of(integration)
CORE: Final = words_of(homeassistant_component)


class Dialog:
    """A dialog, as a person goes through it.

    All that it shows is looked at: every text has to be there, with all that belongs into it, every message
    has to stand at a field that is shown, and no token may come back.
    """

    shown: ConfigFlowResult | SubentryFlowResult

    def __init__(self, home: Home) -> None:
        """Begin with no dialog open."""
        self.home = home
        self._tokens: set[str] = set()
        self._flows: ConfigEntriesFlowManager | ConfigSubentryFlowManager | OptionsFlowManager = (
            home.hass.config_entries.flow
        )
        self._words: dict[str, Any] = OURS["config"]

    @property
    def at(self) -> str:
        """The step that is shown."""
        return self.shown["step_id"]

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong, by field."""
        return self.shown["errors"] or {}

    @property
    def suggested(self) -> dict[str, Any]:
        """What stands in the fields already."""
        return {
            str(field): field.description["suggested_value"]
            for field in self._fields
            if "suggested_value" in (field.description or {})
        }

    @property
    def filled_in(self) -> dict[str, Any]:
        """What a person finds in the fields: what is suggested, else the default."""
        return _filled_in(self._fields)

    @property
    def offered(self) -> list[str]:
        """The ids of the vehicles to choose from."""
        (selector,) = self._fields.values()
        return [option["value"] for option in selector.config["options"]]

    @property
    def detail(self) -> str:
        """What the service itself said."""
        return (self.shown["description_placeholders"] or {})["detail"]

    @property
    def is_done(self) -> bool:
        """Whether the dialog has ended with something new."""
        return self.shown["type"] is FlowResultType.CREATE_ENTRY

    @property
    def aborted(self) -> str:
        """Why the dialog has ended with nothing new."""
        assert self.shown["type"] is FlowResultType.ABORT, self.shown
        return self.shown["reason"]

    async def open(self, choice: str) -> None:
        """Ask for a new account, real or simulated."""
        flows = self.home.hass.config_entries.flow
        self._see(await flows.async_init(DOMAIN, context={"source": SOURCE_USER}))
        assert self.at == "user"
        self._see(await flows.async_configure(self.shown["flow_id"], {"next_step_id": choice}))

    async def open_again(self, entry: ConfigEntry) -> None:
        """Ask to change an account."""
        flows = self.home.hass.config_entries.flow
        context = ConfigFlowContext(source=SOURCE_RECONFIGURE, entry_id=entry.entry_id)
        self._see(await flows.async_init(DOMAIN, context=context))

    async def be_asked(self, entry: ConfigEntry) -> None:
        """Open the dialog that Home Assistant began when the token was no longer accepted."""
        hass = self.home.hass
        entry.async_start_reauth(hass)
        await self.home.idle()
        (flow,) = entry.async_get_active_flows(hass, {SOURCE_REAUTH})
        self._see(await hass.config_entries.flow.async_configure(flow["flow_id"]))

    async def open_vehicle(self, entry: ConfigEntry) -> None:
        """Ask for one more vehicle of an account."""
        self._flows = self.home.hass.config_entries.subentries
        self._words = OURS["config_subentries"]["vehicle"]
        self._see(await self._flows.async_init((entry.entry_id, "vehicle"), context={"source": SOURCE_USER}))

    async def open_settings(self, entry: ConfigEntry) -> None:
        """Ask to change what is set for the first vehicle of an account."""
        self._flows = self.home.hass.config_entries.subentries
        self._words = OURS["config_subentries"]["vehicle"]
        context = SubentryFlowContext(
            source=SOURCE_RECONFIGURE, entry_id=entry.entry_id, subentry_id=next(iter(entry.subentries))
        )
        self._see(await self._flows.async_init((entry.entry_id, "vehicle"), context=context))

    async def open_account_settings(self, entry: ConfigEntry) -> None:
        """Ask to change what is set for an account."""
        self._flows = self.home.hass.config_entries.options
        self._words = OURS["options"]
        self._see(await self._flows.async_init(entry.entry_id))

    async def send(self, **values: Any) -> None:
        """Send what is shown, filled in."""
        if token := values.get("access_token", "").strip():
            self._tokens.add(token)
        self._see(await self._flows.async_configure(self.shown["flow_id"], values))
        await self.home.idle()

    async def sign_in(self, **values: str) -> None:
        """Open the dialog and send the right address and token, or others."""
        await self.open("account")
        await self.send_account(**values)

    async def send_account(self, **values: str) -> None:
        """Send the right address and token, or others."""
        right = {"base_url": self.home.simulator.url, "access_token": self.home.simulator.token}
        await self.send(**(right | values))

    @property
    def _fields(self) -> Mapping[Any, Any]:
        schema = self.shown.get("data_schema")
        if schema is None or self.shown["type"] is not FlowResultType.FORM:
            return {}
        fields: Mapping[Any, Any] = schema.schema
        return fields

    def _see(self, shown: ConfigFlowResult | SubentryFlowResult) -> None:
        self.shown = shown
        placeholders = shown.get("description_placeholders") or {}
        for text in self._texts():
            assert text
            assert {name for _, name, _, _ in Formatter().parse(text) if name} <= placeholders.keys(), text
        assert (shown.get("errors") or {}).keys() <= {str(field) for field in self._fields} | {"base"}
        filled_in = [field.default() for field in self._fields if callable(field.default)]
        seen = repr((placeholders, shown.get("errors"), self.suggested, filled_in))
        assert not any(token in seen for token in self._tokens)

    def _texts(self) -> Iterator[str]:
        """Yield every text of what is shown; one that is missing is a KeyError."""
        shown = self.shown
        if shown["type"] is FlowResultType.CREATE_ENTRY:
            return
        if shown["type"] is FlowResultType.ABORT:
            words = CORE["config"] if shown.get("translation_domain") == "homeassistant" else self._words
            yield words["abort"][shown["reason"]]
            return
        step = self._words["step"][shown["step_id"]]
        yield step["title"]
        if shown["type"] is FlowResultType.MENU:
            options = shown["menu_options"]
            assert isinstance(options, list)
            yield from (step["menu_options"][option] for option in options)
            return
        yield from _texts_of(step, self._fields)
        # A step without a field is a question, and the question is its description.
        yield step.get("description", "-") if self._fields else step["description"]
        yield from (self._words["error"][key] for key in (shown["errors"] or {}).values())


def _texts_of(words: Mapping[str, Any], fields: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the texts of fields, and of the sections among them."""
    for field, kind in fields.items():
        if isinstance(kind, section):
            inner = words["sections"][str(field)]
            yield inner["name"]
            yield from _texts_of(inner, kind.schema.schema)
        else:
            yield from (words[part][str(field)] for part in ("data", "data_description"))


def _filled_in(fields: Mapping[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field, kind in fields.items():
        if isinstance(kind, section):
            found[str(field)] = _filled_in(kind.schema.schema)
        elif "suggested_value" in (field.description or {}):
            found[str(field)] = field.description["suggested_value"]
        elif callable(field.default):
            found[str(field)] = field.default()
    return found


@pytest.fixture
async def simulator(freezer: FrozenDateTimeFactory) -> AsyncIterator[Simulator]:
    """A service with two cars."""
    service = Simulator(vehicles=2, seed=0, token=TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def elsewhere(freezer: FrozenDateTimeFactory) -> AsyncIterator[Simulator]:
    """The same account at another address and with another token."""
    service = Simulator(vehicles=2, seed=0, token=NEW_TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
def others(elsewhere: Simulator) -> Simulator:
    """A service at which somebody else's car is all that there is."""
    stranger = Simulator(vehicles=1, seed=1).vehicles[0]
    elsewhere.faults.serve("GET", LIST, listing(stranger))
    return elsewhere


@pytest.fixture
async def dialog(empty_home: Home) -> AsyncIterator[Dialog]:
    """A dialog; what came of it is unloaded in the end."""
    yield Dialog(empty_home)
    for entry in empty_home.hass.config_entries.async_entries(DOMAIN):
        await empty_home.hass.config_entries.async_unload(entry.entry_id)
    await empty_home.idle()


@pytest.fixture
async def entry(dialog: Dialog) -> ConfigEntry:
    """The account with the first of its two cars."""
    await dialog.sign_in()
    await dialog.send(vehicles=[str(dialog.home.car.id)])
    assert dialog.home.entry.state is ConfigEntryState.LOADED
    return dialog.home.entry


@pytest.fixture
def set_ups() -> Iterator[AsyncMock]:
    """Count how often an account is set up."""
    with patch.object(integration, "async_setup_entry", wraps=integration.async_setup_entry) as set_up:
        yield set_up


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port at which nothing answers, and nothing else will."""
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


def listing(*cars: Vehicle) -> dict[str, Any]:
    """Return the answer that lists these cars."""
    records = [{"id": car.id, "id_s": str(car.id), "vin": car.vin, "state": "online"} for car in cars]
    return {"response": records, "count": len(records)}


def subentries(entry: ConfigEntry) -> dict[str | None, dict[str, Any]]:
    """Return what is kept of an account's vehicles, by unique id."""
    return {each.unique_id: dict(each.data) for each in entry.subentries.values()}


def kept(car: Vehicle) -> dict[str, str]:
    """Return what is to be kept of a car."""
    return {"id": str(car.id), "vin": car.vin, "name": car.name}


# An account that lists its vehicles


async def test_account_keeps_address_and_token(dialog: Dialog) -> None:
    """An account keeps its address and its token, nothing else, and is called after the address."""
    await dialog.sign_in()
    await dialog.send(vehicles=dialog.offered)
    assert dialog.is_done
    entry = dialog.home.entry
    assert entry.data == {"base_url": dialog.home.simulator.url, "access_token": TOKEN}
    assert entry.options == {}
    assert entry.title == "127.0.0.1"


async def test_account_runs_at_once(entry: ConfigEntry) -> None:
    """An account runs as soon as it was added, and whose it is the first read has told."""
    assert entry.state is ConfigEntryState.LOADED
    assert entry.unique_id is not None


async def test_vehicles_are_subentries(dialog: Dialog) -> None:
    """Each chosen vehicle is a subentry that keeps id, VIN and name, and is known by its VIN."""
    await dialog.sign_in()
    assert dialog.at == "vehicles"
    await dialog.send(vehicles=dialog.offered)
    found = dialog.home.entry.subentries.values()
    assert [(each.subentry_type, each.title, each.unique_id, dict(each.data)) for each in found] == [
        ("vehicle", car.name, car.vin, kept(car)) for car in dialog.home.simulator.vehicles
    ]


async def test_vehicle_without_a_name(dialog: Dialog) -> None:
    """A vehicle that has no name is called what its VIN says it is."""
    car = dialog.home.car
    dialog.home.simulator.faults.serve("GET", LIST, listing(car))
    await dialog.sign_in()
    await dialog.send(vehicles=[str(car.id)])
    (subentry,) = dialog.home.entry.subentries.values()
    assert subentry.title == "Model S 2019"


async def test_every_vehicle_is_chosen_at_first(dialog: Dialog) -> None:
    """Who just goes on adds all vehicles of the account."""
    await dialog.sign_in()
    await dialog.send()
    assert subentries(dialog.home.entry).keys() == {car.vin for car in dialog.home.simulator.vehicles}


async def test_some_vehicles(dialog: Dialog) -> None:
    """Only the chosen vehicles are added."""
    _, second = dialog.home.simulator.vehicles
    await dialog.sign_in()
    await dialog.send(vehicles=[str(second.id)])
    assert subentries(dialog.home.entry) == {second.vin: kept(second)}


async def test_no_vehicle_chosen(dialog: Dialog) -> None:
    """Who chooses no vehicle is told so and may choose again."""
    await dialog.sign_in()
    await dialog.send(vehicles=[])
    assert dialog.errors == {"vehicles": "no_vehicle_chosen"}
    await dialog.send(vehicles=dialog.offered)
    assert dialog.is_done


async def test_account_without_vehicles(dialog: Dialog) -> None:
    """An account that has no vehicles is not added; once it has one, the same dialog goes on."""
    dialog.home.simulator.faults.serve("GET", LIST, listing())
    await dialog.sign_in()
    assert dialog.errors == {"base": "no_vehicles"}
    dialog.home.simulator.faults.clear()
    await dialog.send_account()
    assert dialog.at == "vehicles"


async def test_asking_for_the_vehicles_wakes_none(dialog: Dialog) -> None:
    """Adding cars that sleep neither wakes them nor keeps anything from working."""
    for car in dialog.home.simulator.vehicles:
        car.fall_asleep()
    await dialog.sign_in()
    await dialog.send(vehicles=dialog.offered)
    assert dialog.home.entry.state is ConfigEntryState.LOADED
    assert [car.state for car in dialog.home.simulator.vehicles] == ["asleep", "asleep"]
    assert not dialog.home.requests("wake_up")


async def test_same_account_again(dialog: Dialog, entry: ConfigEntry) -> None:
    """The same address with the same token is not added twice, and the service is not asked."""
    dialog.home.simulator.requests.clear()
    await dialog.sign_in()
    assert dialog.aborted == "already_configured"
    assert not dialog.home.requests()


async def test_vehicle_of_another_account_is_not_offered(dialog: Dialog, entry: ConfigEntry) -> None:
    """A vehicle that was added with another token of its account is not offered again."""
    first, second = dialog.home.simulator.vehicles
    dialog.home.simulator.token = NEW_TOKEN
    await dialog.sign_in()
    assert dialog.offered == [str(second.id)]
    assert first.vin in subentries(entry)


async def test_all_vehicles_are_there_already(
    dialog: Dialog, entry: ConfigEntry, elsewhere: Simulator
) -> None:
    """An account whose vehicles all belong to others already is not added."""
    elsewhere.vehicles.pop()
    await dialog.sign_in(base_url=elsewhere.url, access_token=NEW_TOKEN)
    assert dialog.aborted == "already_configured"


async def test_two_dialogs_add_a_vehicle_once(dialog: Dialog, empty_home: Home, elsewhere: Simulator) -> None:
    """A vehicle that another dialog has added meanwhile is not added a second time."""
    first, second = dialog.home.simulator.vehicles
    await dialog.sign_in()
    faster = Dialog(empty_home)
    await faster.sign_in(base_url=elsewhere.url, access_token=NEW_TOKEN)
    await faster.send(vehicles=[str(first.id)])

    await dialog.send(vehicles=[str(first.id)])
    assert dialog.errors == {"vehicles": "no_vehicle_chosen"}
    assert dialog.offered == [str(second.id)]
    await faster.open_vehicle(empty_home.entry)
    await faster.send(id=str(second.id))
    await dialog.send(vehicles=[str(second.id)])
    assert dialog.aborted == "already_configured"


# An account that does not


@pytest.fixture
def unlisted(simulator: Simulator) -> Simulator:
    """A service that does not list its vehicles."""
    simulator.switches.list = False
    return simulator


def hide_record(simulator: Simulator) -> None:
    """Let the service have no record of its first car: only the car itself can tell who it is."""
    simulator.faults.serve("GET", f"{LIST}/{simulator.vehicles[0].id}", None, status=404)


async def test_vehicle_by_id(dialog: Dialog, unlisted: Simulator) -> None:
    """Where the service does not list its vehicles, one is added by its id."""
    car = dialog.home.car
    await dialog.sign_in()
    assert dialog.at == "vehicle"
    await dialog.send(id=f" {car.id} ")
    assert dialog.is_done
    assert subentries(dialog.home.entry) == {car.vin: kept(car)}
    assert dialog.home.entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize("profile", ["current-2019", "legacy-2018"])
async def test_vehicle_by_what_it_says_itself(dialog: Dialog, unlisted: Simulator, profile: Any) -> None:
    """Where the service has no record either, the car that is awake tells who it is."""
    unlisted.switches.profile = profile
    hide_record(unlisted)
    await dialog.sign_in()
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.is_done
    assert subentries(dialog.home.entry) == {dialog.home.car.vin: kept(dialog.home.car)}


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("", id="nothing"),
        pytest.param("abc", id="letters"),
        pytest.param("12.5", id="fraction"),
        pytest.param("-1", id="negative"),
        pytest.param("1/../2", id="path"),
        pytest.param("\u0661\u0662", id="arabic digits"),
    ],
)
async def test_id_that_is_no_number(dialog: Dialog, unlisted: Simulator, typed: str) -> None:
    """An id that is no number is not sent to the service, and stays to be mended."""
    await dialog.sign_in()
    unlisted.requests.clear()
    await dialog.send(id=typed)
    assert dialog.errors == {"id": "invalid_id"}
    assert dialog.suggested == {"id": typed}
    assert not dialog.home.requests()
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.is_done


async def test_unknown_id(dialog: Dialog, unlisted: Simulator) -> None:
    """An id that the service does not know can be mended."""
    await dialog.sign_in()
    await dialog.send(id="1")
    assert dialog.errors == {"id": "not_found"}
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.is_done


async def test_record_without_vin(dialog: Dialog, unlisted: Simulator) -> None:
    """A car that the service does not name is not added until it does."""
    unlisted.faults.remove("vin")
    await dialog.sign_in()
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.errors == {"id": "no_vin"}
    assert dialog.suggested == {"id": str(dialog.home.car.id)}
    unlisted.faults.clear()
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.is_done


@pytest.mark.parametrize(
    ("status", "word", "key"),
    [
        pytest.param(401, "mobile_access_disabled", "mobile_access_disabled", id="mobile access off"),
        pytest.param(403, "forbidden", "permission_denied", id="forbidden"),
        pytest.param(405, "vehicle is in service", "in_service", id="in service"),
        pytest.param(429, "too many requests", "rate_limited", id="asked too often"),
        pytest.param(500, "internal", "service_down", id="down"),
    ],
)
async def test_vehicle_cannot_be_asked(
    dialog: Dialog, unlisted: Simulator, status: int, word: str, key: str
) -> None:
    """Why a car could not be asked stands at its id, the only field there, and it can be asked again."""
    await dialog.sign_in()
    unlisted.faults.answer(status, body={"response": None, "error": word})
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.errors == {"id": key}
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.is_done


async def test_wrong_token_without_a_list(dialog: Dialog, unlisted: Simulator) -> None:
    """Where the first request for a car shows that the token is wrong, the token can be mended."""
    await dialog.sign_in()
    unlisted.token = NEW_TOKEN
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.at == "account"
    assert dialog.errors == {"access_token": "invalid_token"}
    await dialog.send_account()
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.is_done


async def test_record_says_less_than_the_car(dialog: Dialog, unlisted: Simulator) -> None:
    """Where the service's record does not say which car it is, the car itself does."""
    number = str(dialog.home.car.id)
    unlisted.faults.serve("GET", f"{LIST}/{number}", {"response": {"id": int(number), "state": "online"}})
    await dialog.sign_in()
    await dialog.send(id=number)
    assert dialog.is_done


async def test_list_says_less_than_the_cars(dialog: Dialog) -> None:
    """Where the list does not say which cars it lists, each is asked for by its id."""
    number = str(dialog.home.car.id)
    records = [{"id": int(number), "id_s": number, "vehicle_id": 7, "state": "online"}]
    dialog.home.simulator.faults.serve("GET", LIST, {"response": records})
    await dialog.sign_in()
    assert dialog.at == "vehicle"


async def test_vehicle_is_there_already(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """A vehicle that another account has is not added by its id either."""
    unlisted.token = NEW_TOKEN
    await dialog.sign_in()
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.aborted == "already_configured"


# A car that only awake can say who it is


@pytest.fixture
def asleep(unlisted: Simulator) -> Vehicle:
    """A car that sleeps, of which the service has no record."""
    hide_record(unlisted)
    unlisted.vehicles[0].fall_asleep()
    return unlisted.vehicles[0]


@pytest.mark.parametrize("shape", ["array", "object"])
async def test_wake(dialog: Dialog, asleep: Vehicle, shape: Any) -> None:
    """A car that has to be woken to be known is woken once, after that was allowed."""
    dialog.home.simulator.switches.wake_shape = shape
    await dialog.sign_in()
    await dialog.send(id=str(asleep.id))
    assert dialog.at == "wake"
    assert not dialog.home.requests("wake_up")
    await dialog.send()
    assert dialog.is_done
    assert subentries(dialog.home.entry) == {asleep.vin: kept(asleep)}
    assert dialog.home.entry.state is ConfigEntryState.LOADED
    assert len(dialog.home.requests("wake_up")) == 1


async def test_wake_again(dialog: Dialog, asleep: Vehicle) -> None:
    """A car that refuses to wake can be called again, and why it refused is told."""
    await dialog.sign_in()
    await dialog.send(id=str(asleep.id))
    asleep.mobile_enabled = False
    await dialog.send()
    assert dialog.at == "wake"
    assert dialog.errors == {"base": "mobile_access_disabled"}
    asleep.mobile_enabled = True
    await dialog.send()
    assert dialog.is_done


async def test_woken_car_without_vin(dialog: Dialog, asleep: Vehicle) -> None:
    """A car that the service does not name even when it was woken can be replaced by another."""
    await dialog.sign_in()
    await dialog.send(id=str(asleep.id))
    dialog.home.simulator.faults.remove("vin")
    await dialog.send()
    assert dialog.at == "vehicle"
    assert dialog.errors == {"id": "no_vin"}


# Where the service is


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("", id="nothing"),
        pytest.param("not an address", id="words"),
        pytest.param("https://<host>", id="no host name"),
        pytest.param("http://[::1", id="half an address"),
        pytest.param("https://host:99999", id="no port"),
        pytest.param("ftp://host", id="ftp"),
        pytest.param("https://user:word@host", id="user"),
        pytest.param("https://host/?token=word", id="query"),
    ],
)
async def test_no_address(dialog: Dialog, typed: str) -> None:
    """What cannot be a service's address is not asked, and stays to be mended."""
    await dialog.sign_in(base_url=typed)
    assert dialog.errors == {"base_url": "invalid_url"}
    assert dialog.suggested == {"base_url": typed}
    assert not dialog.home.requests()
    await dialog.send_account()
    assert dialog.at == "vehicles"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "/", id="slash"),
        pytest.param("", "/api/1", id="api"),
        pytest.param("", "/api/1/", id="api and slash"),
        pytest.param("  ", "\n", id="blanks"),
        pytest.param("", "/#top", id="fragment"),
    ],
)
async def test_pasted_address(dialog: Dialog, before: str, after: str) -> None:
    """An address means the same with or without what people paste along with it."""
    url = dialog.home.simulator.url
    await dialog.sign_in(base_url=f"{before}{url}{after}")
    await dialog.send(vehicles=dialog.offered)
    assert dialog.home.entry.data["base_url"] == url


async def test_service_below_a_path(dialog: Dialog) -> None:
    """A service may be below a path of its host."""
    url = dialog.home.simulator.url
    dialog.home.simulator.faults.serve("GET", f"/cars{LIST}", listing(dialog.home.car))
    await dialog.sign_in(base_url=f"{url}/cars/api/1/")
    await dialog.send(vehicles=dialog.offered)
    assert dialog.home.entry.data["base_url"] == f"{url}/cars"


async def test_address_without_scheme(dialog: Dialog, closed_port: int) -> None:
    """An address that does not say how to speak is spoken to over https."""
    await dialog.sign_in(base_url=f"127.0.0.1:{closed_port}")
    assert dialog.suggested == {"base_url": f"https://127.0.0.1:{closed_port}"}


async def test_service_that_cannot_prove_who_it_is(dialog: Dialog) -> None:
    """A service that does not speak https although it should gets no token."""
    host = dialog.home.simulator.url.removeprefix("http://")
    await dialog.sign_in(base_url=f"https://{host}")
    assert dialog.errors == {"base_url": "certificate_error"}
    assert not dialog.home.requests()


async def test_nothing_answers(dialog: Dialog, closed_port: int) -> None:
    """An address at which nothing answers can be mended."""
    await dialog.sign_in(base_url=f"http://127.0.0.1:{closed_port}")
    assert dialog.errors == {"base_url": "cannot_connect"}
    await dialog.send_account()
    assert dialog.at == "vehicles"


@pytest.mark.parametrize(
    ("status", "body", "headers", "errors", "detail"),
    [
        pytest.param(200, "<html></html>", {}, {"base_url": "malformed_answer"}, "-", id="a web page"),
        pytest.param(404, "<html></html>", {}, {"base_url": "malformed_answer"}, "-", id="no such page"),
        pytest.param(200, '{"response": [', {}, {"base_url": "malformed_answer"}, "-", id="half a json"),
        pytest.param(200, {"cars": []}, {}, {"base_url": "malformed_answer"}, "-", id="other json"),
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
        pytest.param(408, None, {}, {"base_url": "service_down"}, "request timeout", id="too slow"),
        pytest.param(429, None, {}, {"base_url": "rate_limited"}, "too many requests", id="too often"),
        pytest.param(500, None, {}, {"base_url": "service_down"}, "internal server error", id="server error"),
        pytest.param(
            403,
            {"response": None, "error": f"{TOKEN} may not"},
            {},
            {"access_token": "permission_denied"},
            "\u2026 may not",
            id="token repeated",
        ),
    ],
)
async def test_wrong_answer(
    dialog: Dialog, status: int, body: Any, headers: dict[str, str], errors: dict[str, str], detail: str
) -> None:
    """Why an account could not be reached stands at what is to be mended, and it can be tried again."""
    dialog.home.simulator.faults.answer(status, body=body, headers=headers)
    await dialog.sign_in()
    assert dialog.errors == errors
    assert dialog.detail.lower() == detail
    assert dialog.suggested == {"base_url": dialog.home.simulator.url}
    await dialog.send_account()
    await dialog.send(vehicles=dialog.offered)
    assert dialog.is_done


async def test_wrong_token(dialog: Dialog) -> None:
    """A token that the service does not accept can be mended."""
    await dialog.sign_in(access_token="not-the-token")
    assert dialog.errors == {"access_token": "invalid_token"}
    await dialog.send_account()
    await dialog.send(vehicles=dialog.offered)
    assert dialog.home.entry.data["access_token"] == TOKEN


async def test_pasted_token(dialog: Dialog) -> None:
    """Blanks around a token do not belong to it."""
    await dialog.sign_in(access_token=f" {TOKEN}\n")
    await dialog.send(vehicles=dialog.offered)
    assert dialog.home.entry.data["access_token"] == TOKEN


# http


@pytest.fixture
def far_away() -> Iterator[None]:
    """Let this machine pass for another."""
    with patch.object(config_flow, "is_this_host", return_value=False):
        yield


@pytest.mark.parametrize("host", ["car.example", "192.0.2.1", "[2001:db8::1]", "127.0.0.1.example"])
async def test_insecure(dialog: Dialog, host: str) -> None:
    """Before a token goes to another machine in the open, it is asked whether it may."""
    await dialog.sign_in(base_url=f"http://{host}:8080")
    assert dialog.at == "insecure"
    assert dialog.shown["description_placeholders"]
    assert dialog.shown["description_placeholders"]["host"] == host.strip("[]")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "[::1]"])
def test_this_machine(host: str) -> None:
    """A service on this very machine may be spoken to over http."""
    assert is_this_host(URL(f"http://{host}:8080"))


async def test_insecure_address_is_no_link(dialog: Dialog) -> None:
    """The address that the token would travel to in the open does not become a link."""
    await dialog.sign_in(base_url="http://www.car.example")
    assert dialog.at == "insecure"
    assert dialog.shown["description_placeholders"] == {"host": r"www\.car.example"}


async def test_insecure_but_wanted(dialog: Dialog, far_away: None) -> None:
    """Nothing is sent in the open before that was allowed; then all goes on as ever."""
    await dialog.sign_in()
    assert dialog.at == "insecure"
    assert not dialog.home.requests()
    await dialog.send(next_step_id="connect")
    await dialog.send(vehicles=dialog.offered)
    assert dialog.is_done


async def test_insecure_and_not_wanted(dialog: Dialog, far_away: None) -> None:
    """Who would rather not goes back to the address, which stands there to be mended; nothing was sent."""
    await dialog.sign_in()
    await dialog.send(next_step_id="account")
    assert dialog.at == "account"
    assert dialog.suggested == {"base_url": dialog.home.simulator.url}
    assert not dialog.home.requests()


async def test_insecure_and_wrong(dialog: Dialog, far_away: None) -> None:
    """What goes wrong after that stands where the address and the token are asked for."""
    await dialog.sign_in(access_token="not-the-token")
    await dialog.send(next_step_id="connect")
    assert dialog.at == "account"
    assert dialog.errors == {"access_token": "invalid_token"}


# A simulated account


async def simulate(dialog: Dialog, **settings: int) -> ConfigEntry:
    """Add a simulated account and return it."""
    await dialog.open("simulator")
    await dialog.send(**settings)
    assert dialog.is_done
    return dialog.home.hass.config_entries.async_entries(DOMAIN)[-1]


async def test_simulated_account(dialog: Dialog) -> None:
    """A simulated account keeps what it simulates, no address and no token."""
    entry = await simulate(dialog, vehicles=3, speed=60)
    assert entry.title == "Simulator"
    assert entry.data.keys() == {"simulator"}
    assert entry.data["simulator"].keys() == {"vehicles", "speed", "seed"}
    assert (entry.data["simulator"]["vehicles"], entry.data["simulator"]["speed"]) == (3, 60)
    assert len(entry.subentries) == 3


async def test_simulated_car_works(dialog: Dialog) -> None:
    """A simulated car obeys."""
    entry = await simulate(dialog)
    assert entry.state is ConfigEntryState.LOADED
    (vin,) = subentries(entry)
    doors = dialog.home.entity_id("lock", "vehicle_state.locked", vin)
    hass = dialog.home.hass
    await hass.services.async_call("lock", "unlock", {"entity_id": doors}, blocking=True)
    state = hass.states.get(doors)
    assert state is not None
    assert state.state == "unlocked"


async def test_simulated_accounts_differ(dialog: Dialog) -> None:
    """Two simulated accounts never have a car in common."""
    first = await simulate(dialog, vehicles=2)
    second = await simulate(dialog, vehicles=2)
    assert (first.title, second.title) == ("Simulator", "Simulator 2")
    assert subentries(first).keys().isdisjoint(subentries(second))


async def test_simulated_account_leaves_nothing_running(dialog: Dialog) -> None:
    """Every service that was started for a simulated account, by the dialog too, is stopped again."""
    with (
        patch.object(Simulator, "start", autospec=True, side_effect=Simulator.start) as start,
        patch.object(Simulator, "stop", autospec=True, side_effect=Simulator.stop) as stop,
    ):
        entry = await simulate(dialog)
        await dialog.home.hass.config_entries.async_unload(entry.entry_id)
    assert start.call_count == stop.call_count > 0


async def test_simulated_account_has_all_its_vehicles(dialog: Dialog) -> None:
    """Nothing can be added to a simulated account from which nothing was taken."""
    await dialog.open_vehicle(await simulate(dialog, vehicles=2))
    assert dialog.aborted == "already_configured"


async def test_simulated_vehicle_comes_back(dialog: Dialog, set_ups: AsyncMock) -> None:
    """A simulated car that was deleted is offered, and is there again as it was."""
    entry = await simulate(dialog, vehicles=3)
    before = subentries(entry)
    first, second, third = entry.subentries.values()
    for each in (first, third):
        dialog.home.hass.config_entries.async_remove_subentry(entry, each.subentry_id)
        await dialog.home.idle()
    assert subentries(entry).keys() == {second.unique_id}
    await dialog.open_vehicle(entry)
    assert dialog.offered == [first.data["id"], third.data["id"]]
    set_ups.reset_mock()
    await dialog.send(id=third.data["id"])
    assert dialog.is_done
    assert set_ups.call_count == 1
    assert third.unique_id is not None
    assert subentries(entry)[third.unique_id] == before[third.unique_id]
    assert dialog.home.shown("lock", "vehicle_state.locked", third.unique_id).state == "locked"


async def test_simulated_vehicle_of_an_account_that_does_not_run(dialog: Dialog) -> None:
    """While a simulated account does not run, nobody can say which cars it has."""
    entry = await simulate(dialog)
    await dialog.home.hass.config_entries.async_unload(entry.entry_id)
    await dialog.open_vehicle(entry)
    assert dialog.aborted == "not_loaded"


async def test_simulated_account_has_settings(dialog: Dialog) -> None:
    """A simulated account and its cars have the same settings as real ones."""
    entry = await simulate(dialog)
    await dialog.open_account_settings(entry)
    await dialog.send(interval=300, read_only=True)
    assert dialog.is_done
    await dialog.open_settings(entry)
    await dialog.send(wake_for_commands=False, intervals={})
    assert dialog.aborted == "reconfigure_successful"
    (vehicle,) = entry.runtime_data.vehicles.values()
    assert vehicle.settings.is_read_only
    assert not vehicle.settings.is_woken_for_commands


async def test_simulated_account_gets_a_car(dialog: Dialog) -> None:
    """A simulated account can have another number of cars; one that is new is announced like any other."""
    entry = await simulate(dialog, vehicles=2)
    before = subentries(entry)
    await dialog.open_again(entry)
    assert dialog.filled_in == {"vehicles": 2}
    await dialog.send(vehicles=3)
    assert dialog.aborted == "reconfigure_successful"
    assert entry.state is ConfigEntryState.LOADED
    assert subentries(entry) == before
    issues = [each for each in ir.async_get(dialog.home.hass).issues.values() if each.domain == DOMAIN]
    assert [issue.translation_key for issue in issues] == ["new_vehicle"]
    await dialog.open_vehicle(entry)
    assert len(dialog.offered) == 1


# A new token


async def account_in(state: ConfigEntryState, dialog: Dialog) -> ConfigEntry:
    """Return an account in a state: added just when its service began to refuse, or to fail, or not."""
    faults = dialog.home.simulator.faults
    await dialog.sign_in()
    if state is not ConfigEntryState.LOADED:
        faults.answer(401 if state is ConfigEntryState.SETUP_ERROR else 500, times=100)
    await dialog.send(vehicles=[str(dialog.home.car.id)])
    faults.clear()
    assert dialog.home.entry.state is state
    return dialog.home.entry


every_state: Final = pytest.mark.parametrize(
    "state",
    [ConfigEntryState.LOADED, ConfigEntryState.SETUP_ERROR, ConfigEntryState.SETUP_RETRY],
    ids=lambda state: str(state.value),
)


async def reaches(entry: ConfigEntry) -> bool:
    """Return whether an account runs and its service answers it."""
    vehicles = entry.runtime_data.vehicles.values()
    for vehicle in vehicles:
        await vehicle.async_refresh()
    return entry.state is ConfigEntryState.LOADED and all(each.last_update_success for each in vehicles)


@every_state
@pytest.mark.parametrize("token", [NEW_TOKEN, TOKEN], ids=["new token", "same token"])
async def test_new_token(dialog: Dialog, set_ups: AsyncMock, state: ConfigEntryState, token: str) -> None:
    """Whatever state an account was in, after a new token, or the same again, it runs and uses it."""
    entry = await account_in(state, dialog)
    dialog.home.simulator.token = token
    await dialog.be_asked(entry)
    assert dialog.at == "reauth_confirm"
    set_ups.reset_mock()
    await dialog.send(access_token=f"{token} ")
    assert dialog.aborted == "reauth_successful"
    assert entry.data == {"base_url": dialog.home.simulator.url, "access_token": token}
    assert await reaches(entry)
    assert set_ups.call_count == 1
    assert not dialog.home.hass.config_entries.flow.async_progress()


async def test_new_token_is_asked_for_by_name(dialog: Dialog, entry: ConfigEntry) -> None:
    """A token that is refused opens a dialog that says for which account."""
    dialog.home.simulator.token = NEW_TOKEN
    await dialog.home.poll()
    await dialog.home.advance(6)
    (flow,) = dialog.home.hass.config_entries.flow.async_progress()
    assert flow["context"]["source"] == SOURCE_REAUTH
    await dialog.be_asked(entry)
    assert dialog.shown["description_placeholders"]
    assert dialog.shown["description_placeholders"]["name"] == entry.title


@pytest.mark.parametrize(
    ("status", "key"),
    [
        pytest.param(401, "invalid_token", id="still wrong"),
        pytest.param(403, "permission_denied", id="forbidden"),
        pytest.param(500, "service_down", id="down"),
    ],
)
async def test_new_token_is_not_accepted(dialog: Dialog, entry: ConfigEntry, status: int, key: str) -> None:
    """A new token that cannot be tried with success is not stored, and another can follow."""
    dialog.home.simulator.token = NEW_TOKEN
    await dialog.be_asked(entry)
    dialog.home.simulator.faults.answer(status)
    await dialog.send(access_token="not-the-token")
    assert dialog.errors == {"access_token": key}
    assert entry.data["access_token"] == TOKEN
    await dialog.send(access_token=NEW_TOKEN)
    assert dialog.aborted == "reauth_successful"
    assert await reaches(entry)


async def test_new_token_of_another_account(dialog: Dialog, entry: ConfigEntry) -> None:
    """A token that knows none of the account's vehicles is not stored, and another can follow."""
    stranger = Simulator(vehicles=1, seed=1).vehicles[0]
    await dialog.be_asked(entry)
    dialog.home.simulator.faults.serve("GET", LIST, listing(stranger))
    await dialog.send(access_token=TOKEN)
    assert dialog.errors == {"access_token": "wrong_account"}
    dialog.home.simulator.faults.clear()
    await dialog.send(access_token=TOKEN)
    assert dialog.aborted == "reauth_successful"


async def test_new_token_where_nothing_is_listed(
    dialog: Dialog, entry: ConfigEntry, unlisted: Simulator
) -> None:
    """Where the service does not list its vehicles, a token that it accepts is taken."""
    unlisted.token = NEW_TOKEN
    await dialog.be_asked(entry)
    await dialog.send(access_token=NEW_TOKEN)
    assert dialog.aborted == "reauth_successful"
    assert await reaches(entry)


async def test_new_token_of_an_account_without_vehicles(dialog: Dialog, entry: ConfigEntry) -> None:
    """An account whose last vehicle was removed can still be given a new token."""
    (subentry_id,) = entry.subentries
    dialog.home.hass.config_entries.async_remove_subentry(entry, subentry_id)
    await dialog.home.idle()
    dialog.home.simulator.token = NEW_TOKEN
    await dialog.be_asked(entry)
    await dialog.send(access_token=NEW_TOKEN)
    assert dialog.aborted == "reauth_successful"


# A new address


@every_state
async def test_new_address(
    dialog: Dialog, set_ups: AsyncMock, state: ConfigEntryState, elsewhere: Simulator
) -> None:
    """Whatever state an account was in, at its new address it runs and uses the new token."""
    entry = await account_in(state, dialog)
    await dialog.home.simulator.stop()
    await dialog.open_again(entry)
    assert dialog.at == "reconfigure"
    set_ups.reset_mock()
    await dialog.send(base_url=f"{elsewhere.url}/", access_token=f" {NEW_TOKEN}")
    assert dialog.aborted == "reconfigure_successful"
    assert entry.data == {"base_url": elsewhere.url, "access_token": NEW_TOKEN}
    assert await reaches(entry)
    assert set_ups.call_count == 1


@every_state
async def test_unchanged_address(dialog: Dialog, set_ups: AsyncMock, state: ConfigEntryState) -> None:
    """Who enters the same address and token once more starts the account again."""
    entry = await account_in(state, dialog)
    await dialog.open_again(entry)
    set_ups.reset_mock()
    await dialog.send_account()
    assert dialog.aborted == "reconfigure_successful"
    assert await reaches(entry)
    assert set_ups.call_count == 1


async def test_address_is_suggested(dialog: Dialog, entry: ConfigEntry) -> None:
    """Who changes an account finds its address there, and not its token."""
    await dialog.open_again(entry)
    assert dialog.suggested == {"base_url": dialog.home.simulator.url}


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        pytest.param("not an address", "invalid_url", id="no address"),
        pytest.param("https://user@host", "invalid_url", id="user in it"),
        pytest.param("http://car.example", "insecure_url", id="in the open"),
    ],
)
async def test_new_address_is_none(dialog: Dialog, entry: ConfigEntry, typed: str, key: str) -> None:
    """An address that an account may not have is not asked, and stays to be mended."""
    await dialog.open_again(entry)
    dialog.home.simulator.requests.clear()
    await dialog.send_account(base_url=typed)
    assert dialog.errors == {"base_url": key}
    assert dialog.suggested == {"base_url": typed}
    assert not dialog.home.requests()
    await dialog.send_account()
    assert dialog.aborted == "reconfigure_successful"


@pytest.mark.parametrize(
    ("status", "errors"),
    [
        pytest.param(401, {"access_token": "invalid_token"}, id="wrong token"),
        pytest.param(403, {"access_token": "permission_denied"}, id="forbidden"),
        pytest.param(500, {"base_url": "service_down"}, id="down"),
    ],
)
async def test_new_address_fails(
    dialog: Dialog, entry: ConfigEntry, elsewhere: Simulator, status: int, errors: dict[str, str]
) -> None:
    """An address that cannot be tried with success is not stored, and can be tried again."""
    elsewhere.faults.answer(status)
    await dialog.open_again(entry)
    await dialog.send(base_url=elsewhere.url, access_token=NEW_TOKEN)
    assert dialog.errors == errors
    assert dialog.suggested == {"base_url": elsewhere.url}
    assert entry.data == {"base_url": dialog.home.simulator.url, "access_token": TOKEN}
    await dialog.send(base_url=elsewhere.url, access_token=NEW_TOKEN)
    assert dialog.aborted == "reconfigure_successful"
    assert await reaches(entry)


async def test_new_address_of_another_account(dialog: Dialog, entry: ConfigEntry, others: Simulator) -> None:
    """A service that knows none of the account's vehicles does not take its place."""
    await dialog.open_again(entry)
    await dialog.send(base_url=others.url, access_token=NEW_TOKEN)
    assert dialog.errors == {"base_url": "wrong_account"}
    assert entry.data["base_url"] == dialog.home.simulator.url
    others.faults.clear()
    await dialog.send(base_url=others.url, access_token=NEW_TOKEN)
    assert dialog.aborted == "reconfigure_successful"


async def test_new_address_where_nothing_is_listed(
    dialog: Dialog, entry: ConfigEntry, elsewhere: Simulator
) -> None:
    """A service that accepts the token and does not list its vehicles is taken."""
    elsewhere.switches.list = False
    await dialog.open_again(entry)
    await dialog.send(base_url=elsewhere.url, access_token=NEW_TOKEN)
    assert dialog.aborted == "reconfigure_successful"
    assert await reaches(entry)


async def test_new_address_where_nothing_is_listed_nor_recorded(
    dialog: Dialog, entry: ConfigEntry, elsewhere: Simulator
) -> None:
    """A service that cannot say whose the token is, is taken: the next live read will tell."""
    elsewhere.switches.list = False
    hide_record(elsewhere)
    await dialog.open_again(entry)
    await dialog.send(base_url=elsewhere.url, access_token=NEW_TOKEN)
    assert dialog.aborted == "reconfigure_successful"


@pytest.mark.parametrize(("vin", "accepted"), [("5YJSA1E26KF000316", False), (None, True)])
async def test_new_address_where_the_id_is_another_car(
    dialog: Dialog, entry: ConfigEntry, elsewhere: Simulator, vin: str | None, *, accepted: bool
) -> None:
    """Where nothing is listed, the records of the account's vehicles tell whether it is the same account."""
    elsewhere.switches.list = False
    number = str(dialog.home.car.id)
    record = {"id": int(number), "vin": vin, "state": "online"}
    elsewhere.faults.serve("GET", f"{LIST}/{number}", {"response": record})
    await dialog.open_again(entry)
    await dialog.send(base_url=elsewhere.url, access_token=NEW_TOKEN)
    assert (dialog.shown["type"] is FlowResultType.ABORT) is accepted
    assert accepted or dialog.errors == {"base_url": "wrong_account"}


# One more vehicle


async def test_account_takes_vehicles(entry: ConfigEntry) -> None:
    """Vehicles, and nothing else, can be added to an account."""
    assert entry.supported_subentry_types.keys() == {"vehicle"}


async def test_add_from_the_list(dialog: Dialog, entry: ConfigEntry) -> None:
    """A vehicle of the account that is not there yet can be added."""
    first, second = dialog.home.simulator.vehicles
    await dialog.open_vehicle(entry)
    assert dialog.offered == [str(second.id)]
    await dialog.send(id=str(second.id))
    assert dialog.is_done
    assert subentries(entry) == {first.vin: kept(first), second.vin: kept(second)}
    assert [each.title for each in entry.subentries.values()] == [first.name, second.name]


async def test_added_vehicle_is_there_at_once(dialog: Dialog, entry: ConfigEntry, set_ups: AsyncMock) -> None:
    """An added vehicle has its entities at once, for which the account starts again once."""
    _, second = dialog.home.simulator.vehicles
    set_ups.reset_mock()
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(second.id))
    assert set_ups.call_count == 1
    assert dialog.home.shown("lock", "vehicle_state.locked", second.vin).state == "locked"
    added = entry.get_subentries_of_type("vehicle")[1]
    registry = er.async_get(dialog.home.hass)
    entities = er.async_entries_for_config_entry(registry, entry.entry_id)
    assert any(each.config_subentry_id == added.subentry_id for each in entities)


async def test_add_by_id(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """Where the service does not list its vehicles, one more is added by its id."""
    _, second = unlisted.vehicles
    await dialog.open_vehicle(entry)
    await dialog.send(id=f" {second.id} ")
    assert dialog.is_done
    assert subentries(entry)[second.vin] == kept(second)


@pytest.fixture
def second_asleep(unlisted: Simulator) -> Vehicle:
    """The car that is not there yet, asleep, and without a record at the service."""
    _, second = unlisted.vehicles
    unlisted.faults.serve("GET", f"{LIST}/{second.id}", None, status=404)
    second.fall_asleep()
    return second


async def test_add_by_waking(dialog: Dialog, entry: ConfigEntry, second_asleep: Vehicle) -> None:
    """A car that has to be woken to be known is woken once, after that was allowed."""
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(second_asleep.id))
    assert dialog.at == "wake"
    assert not dialog.home.requests("wake_up")
    await dialog.send()
    assert dialog.is_done
    assert subentries(entry)[second_asleep.vin] == kept(second_asleep)
    assert len(dialog.home.requests("wake_up")) == 1


async def test_read_only_account_wakes_nobody(
    dialog: Dialog, entry: ConfigEntry, second_asleep: Vehicle
) -> None:
    """To an account that is read-only a car is added once it is awake, and it is not woken for that."""
    await dialog.open_account_settings(entry)
    await dialog.send(read_only=True)
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(second_asleep.id))
    assert dialog.at == "user"
    assert dialog.errors == {"id": "asleep"}
    second_asleep.wake()
    await dialog.send(id=str(second_asleep.id))
    assert dialog.is_done
    assert not dialog.home.requests("wake_up")


async def test_add_by_waking_again(dialog: Dialog, entry: ConfigEntry, second_asleep: Vehicle) -> None:
    """A car that refuses to wake can be called again, and why it refused is told."""
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(second_asleep.id))
    second_asleep.mobile_enabled = False
    await dialog.send()
    assert dialog.at == "wake"
    assert dialog.errors == {"base": "mobile_access_disabled"}
    assert dialog.detail == "mobile_access_disabled"
    second_asleep.mobile_enabled = True
    await dialog.send()
    assert dialog.is_done


async def test_add_a_woken_car_without_vin(
    dialog: Dialog, entry: ConfigEntry, second_asleep: Vehicle
) -> None:
    """A car that the service does not name even when it was woken is not added."""
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(second_asleep.id))
    dialog.home.simulator.faults.remove("vin")
    await dialog.send()
    assert dialog.at == "user"
    assert dialog.errors == {"id": "no_vin"}


async def test_nothing_to_add(dialog: Dialog, entry: ConfigEntry) -> None:
    """An account whose vehicles are all there has none to offer."""
    dialog.home.simulator.vehicles.pop()
    await dialog.open_vehicle(entry)
    assert dialog.aborted == "already_configured"


async def test_add_by_known_id(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """A vehicle that is there already is not added by its id either."""
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(dialog.home.car.id))
    assert dialog.aborted == "already_configured"


async def test_add_what_another_has_added(dialog: Dialog, entry: ConfigEntry, elsewhere: Simulator) -> None:
    """A vehicle that another account took while it was offered is not added a second time."""
    _, second = dialog.home.simulator.vehicles
    faster = Dialog(dialog.home)
    await faster.sign_in(base_url=elsewhere.url, access_token=NEW_TOKEN)
    dialog.home.simulator.vehicles.append(Simulator(vehicles=1, seed=1).vehicles[0])
    await dialog.open_vehicle(entry)
    await faster.send(vehicles=[str(second.id)])
    await dialog.send(id=str(second.id))
    assert dialog.aborted == "already_configured"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        pytest.param(401, "invalid_token", id="wrong token"),
        pytest.param(403, "permission_denied", id="forbidden"),
        pytest.param(408, "service_down", id="too slow"),
        pytest.param(429, "rate_limited", id="asked too often"),
        pytest.param(500, "service_down", id="down"),
    ],
)
async def test_add_while_the_service_fails(
    dialog: Dialog, entry: ConfigEntry, status: int, reason: str
) -> None:
    """While the service does not answer rightly no vehicle can be added, and why is told."""
    dialog.home.simulator.faults.answer(status)
    await dialog.open_vehicle(entry)
    assert dialog.aborted == reason


async def test_link_in_an_error(dialog: Dialog, entry: ConfigEntry) -> None:
    """An error detail cannot place a link where the dialog ends, because that text is Markdown."""
    dialog.home.simulator.faults.answer(403, body={"response": None, "error": "[x](http://evil.example)"})
    await dialog.open_vehicle(entry)
    assert dialog.aborted == "permission_denied"
    assert dialog.detail == r"\[x\](http\://evil.example)"


async def test_link_in_the_error_of_a_form(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """An error detail stays as it is in a form, because the errors of a form are plain text."""
    body = {"response": None, "error": "[x](http://evil.example)"}
    await dialog.open_vehicle(entry)
    unlisted.faults.answer(403, body=body, only=str(unlisted.vehicles[1].id))
    await dialog.send(id=str(unlisted.vehicles[1].id))
    assert dialog.errors == {"id": "permission_denied"}
    assert dialog.detail == "[x](http://evil.example)"


async def test_link_in_a_name(dialog: Dialog, entry: ConfigEntry) -> None:
    """Neither the name of an account nor that of a car can place a link in a dialog."""
    name, escaped = "[x](http://evil.example)", r"\[x\](http\://evil.example)"
    config_entries = dialog.home.hass.config_entries
    config_entries.async_update_entry(entry, title=name)
    (car,) = entry.subentries.values()
    config_entries.async_update_subentry(entry, car, title=name)
    await dialog.home.idle()
    for open_dialog in (dialog.be_asked, dialog.open_account_settings, dialog.open_settings):
        await open_dialog(entry)
        assert dialog.shown["description_placeholders"]
        assert dialog.shown["description_placeholders"]["name"] == escaped


async def test_add_at_an_address_that_has_moved(dialog: Dialog, entry: ConfigEntry) -> None:
    """A service that has moved says where to."""
    dialog.home.simulator.faults.answer(302, headers={"Location": "https://else.example/?secret=1"})
    await dialog.open_vehicle(entry)
    assert dialog.aborted == "redirected"
    assert dialog.detail == "else.example"


async def test_add_by_no_number(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """An id that is no number can be mended."""
    _, second = unlisted.vehicles
    await dialog.open_vehicle(entry)
    await dialog.send(id="abc")
    assert dialog.errors == {"id": "invalid_id"}
    await dialog.send(id=str(second.id))
    assert dialog.is_done


async def test_add_by_unknown_id(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """An id that the service does not know can be mended."""
    _, second = unlisted.vehicles
    await dialog.open_vehicle(entry)
    await dialog.send(id="1")
    assert dialog.errors == {"id": "not_found"}
    await dialog.send(id=str(second.id))
    assert dialog.is_done


async def test_add_a_record_without_vin(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """A car that the service does not name is not added until it does."""
    _, second = unlisted.vehicles
    unlisted.faults.remove("vin")
    await dialog.open_vehicle(entry)
    await dialog.send(id=str(second.id))
    assert dialog.errors == {"id": "no_vin"}
    unlisted.faults.clear()
    await dialog.send(id=str(second.id))
    assert dialog.is_done


async def test_added_car_cannot_be_asked(dialog: Dialog, entry: ConfigEntry, unlisted: Simulator) -> None:
    """Why a car could not be asked stands at its id, and it can be asked again."""
    _, second = unlisted.vehicles
    await dialog.open_vehicle(entry)
    unlisted.faults.answer(500, only=str(second.id))
    await dialog.send(id=str(second.id))
    assert dialog.errors == {"id": "service_down"}
    assert dialog.detail == "Internal Server Error"
    await dialog.send(id=str(second.id))
    assert dialog.is_done


# Settings of a vehicle


async def test_lid_with_a_motor(dialog: Dialog, entry: ConfigEntry) -> None:
    """An owner who had a motor put into the frunk can say so; then it closes too."""
    frunk = dialog.home.shown("cover", "vehicle_state.ft").attributes
    assert frunk["supported_features"] == CoverEntityFeature.OPEN
    await dialog.open_settings(entry)
    await dialog.send(powered_lids=["frunk"], intervals={})
    assert dialog.aborted == "reconfigure_successful"
    frunk = dialog.home.shown("cover", "vehicle_state.ft").attributes
    assert frunk["supported_features"] == CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE
    dialog.home.car.open("ft")
    await dialog.home.call("cover", "close_cover", "vehicle_state.ft")
    assert not dialog.home.car.body.openings["ft"]


async def test_lid_without_a_motor_again(dialog: Dialog, entry: ConfigEntry) -> None:
    """What was said of a lid can be taken back."""
    await dialog.open_settings(entry)
    await dialog.send(powered_lids=["frunk"], intervals={})
    await dialog.open_settings(entry)
    await dialog.send(intervals={})
    frunk = dialog.home.shown("cover", "vehicle_state.ft").attributes
    assert frunk["supported_features"] == CoverEntityFeature.OPEN


VEHICLE_SETTINGS: Final[Mapping[str, Any]] = {
    "keep_awake_plugged_in": True,
    "wake_for_commands": False,
    "read_only": True,
    "powered_lids": ["frunk"],
    "intervals": {"driving": 10, "charging": 300, "in_use": 45},
}


async def test_settings_before_any_was_changed(dialog: Dialog, entry: ConfigEntry) -> None:
    """The dialog shows first what holds if nothing is set, and to send it as it is changes nothing."""
    (vehicle,) = entry.runtime_data.vehicles.values()
    before = vehicle.settings
    await dialog.open_settings(entry)
    assert dialog.filled_in == {
        "keep_awake_plugged_in": False,
        "wake_for_commands": True,
        "read_only": False,
        "intervals": {"driving": 60, "charging": 60, "in_use": 60},
    }
    await dialog.send(**dialog.filled_in)
    (vehicle,) = entry.runtime_data.vehicles.values()
    assert vehicle.settings == before == VehicleSettings()


async def test_settings_are_kept(dialog: Dialog, entry: ConfigEntry, set_ups: AsyncMock) -> None:
    """What is set is kept beside what is known of the car, and taken without starting the account again."""
    set_ups.reset_mock()
    await dialog.open_settings(entry)
    await dialog.send(**VEHICLE_SETTINGS)
    assert dialog.aborted == "reconfigure_successful"
    car = dialog.home.car
    assert subentries(entry) == {car.vin: {**kept(car), **VEHICLE_SETTINGS}}
    assert not set_ups.called
    (vehicle,) = entry.runtime_data.vehicles.values()
    assert vehicle.settings == VehicleSettings(
        intervals=VEHICLE_SETTINGS["intervals"],
        is_kept_awake_plugged_in=True,
        is_woken_for_commands=False,
        is_read_only=True,
        powered_lids=("frunk",),
    )


async def test_settings_are_shown_as_they_are(dialog: Dialog, entry: ConfigEntry, set_ups: AsyncMock) -> None:
    """What is set stands in the dialog; to send the same again starts nothing."""
    await dialog.open_settings(entry)
    await dialog.send(**VEHICLE_SETTINGS)
    set_ups.reset_mock()
    await dialog.open_settings(entry)
    assert dialog.filled_in == VEHICLE_SETTINGS
    await dialog.send(**dialog.filled_in)
    assert subentries(entry)[dialog.home.car.vin].items() >= VEHICLE_SETTINGS.items()
    assert not set_ups.called


def seconds_in(values: Mapping[str, Any]) -> Iterator[Any]:
    """Yield all that is not text, not a list and not on or off, of settings and of their sections."""
    for value in values.values():
        if isinstance(value, Mapping):
            yield from seconds_in(value)
        elif not isinstance(value, str | list | bool):
            yield value


async def test_seconds_are_whole(dialog: Dialog, entry: ConfigEntry) -> None:
    """Seconds are kept as whole numbers, whatever the browser makes of them."""
    await dialog.open_account_settings(entry)
    await dialog.send(interval=90.0)
    await dialog.open_settings(entry)
    await dialog.send(intervals={"driving": 30.0, "charging": "20", "in_use": 45.5})
    (vehicle,) = entry.subentries.values()
    found = [*seconds_in(entry.options), *seconds_in(vehicle.data)]
    assert [(type(each), each) for each in found] == [(int, 90), (int, 30), (int, 20), (int, 45)]


@pytest.mark.parametrize("mode", ["driving", "charging", "in_use"])
@pytest.mark.parametrize(("seconds", "allowed"), [(9, 10), (301, 300), ("often", 60)])
async def test_settings_out_of_bounds(
    dialog: Dialog, entry: ConfigEntry, mode: str, seconds: Any, allowed: int
) -> None:
    """A car is not read more often than does good, nor so seldom that nothing is seen; this can be mended."""
    await dialog.open_settings(entry)
    with pytest.raises(InvalidData):
        await dialog.send(intervals={mode: seconds})
    assert subentries(entry) == {dialog.home.car.vin: kept(dialog.home.car)}
    await dialog.send(intervals={mode: allowed})
    assert subentries(entry)[dialog.home.car.vin]["intervals"][mode] == allowed


# Settings of an account


async def test_account_settings_before_any_was_changed(dialog: Dialog, entry: ConfigEntry) -> None:
    """The dialog shows first what holds if nothing is set."""
    await dialog.open_account_settings(entry)
    assert dialog.at == "init"
    assert dialog.filled_in == {"interval": 60, "read_only": False}
    await dialog.send(**dialog.filled_in)
    assert AccountSettings.of(entry.options) == AccountSettings()


async def test_account_settings_are_kept(dialog: Dialog, entry: ConfigEntry, set_ups: AsyncMock) -> None:
    """What is set for an account is an option of it, for which it need not start again."""
    data = dict(entry.data)
    set_ups.reset_mock()
    await dialog.open_account_settings(entry)
    await dialog.send(interval=120, read_only=True)
    assert dialog.is_done
    assert entry.options == {"interval": 120, "read_only": True}
    assert entry.data == data
    assert not set_ups.called
    assert entry.runtime_data.settings == AccountSettings(interval=120, is_read_only=True)


async def test_account_settings_are_shown_as_they_are(
    dialog: Dialog, entry: ConfigEntry, set_ups: AsyncMock
) -> None:
    """What is set stands in the dialog; to send the same again starts nothing."""
    await dialog.open_account_settings(entry)
    await dialog.send(interval=120, read_only=True)
    set_ups.reset_mock()
    await dialog.open_account_settings(entry)
    assert dialog.filled_in == {"interval": 120, "read_only": True}
    await dialog.send(**dialog.filled_in)
    assert entry.options == {"interval": 120, "read_only": True}
    assert not set_ups.called


@pytest.mark.parametrize(("seconds", "allowed"), [(29, 30), (601, 600), ("often", 60)])
async def test_account_settings_out_of_bounds(
    dialog: Dialog, entry: ConfigEntry, seconds: Any, allowed: int
) -> None:
    """The service is not asked more often than it likes, nor too seldom; this can be mended."""
    await dialog.open_account_settings(entry)
    with pytest.raises(InvalidData):
        await dialog.send(interval=seconds)
    assert entry.options == {}
    await dialog.send(interval=allowed)
    assert entry.options["interval"] == allowed


# Secrets


async def test_log_holds_no_token(dialog: Dialog, caplog: pytest.LogCaptureFixture) -> None:
    """From the first attempt to a new token, no log of ours or of aiohttp holds one."""
    for name in ("custom_components", "aiohttp", "homeassistant.helpers", "homeassistant.data_entry_flow"):
        caplog.set_level(logging.DEBUG, logger=name)
    faults = dialog.home.simulator.faults
    await dialog.sign_in(access_token="not-the-token")
    for status in (302, 403, 500):
        faults.answer(status, body={"error": f"for {TOKEN}"}, headers={"Location": f"http://{TOKEN}"})
        await dialog.send_account()
    await dialog.send_account()
    await dialog.send(vehicles=dialog.offered)
    dialog.home.simulator.token = NEW_TOKEN
    await dialog.be_asked(dialog.home.entry)
    await dialog.send(access_token=NEW_TOKEN)
    assert dialog.aborted == "reauth_successful"
    assert any(record.name.startswith(integration.__name__) for record in caplog.records)
    for secret in ("not-the-token", TOKEN, NEW_TOKEN):
        assert secret not in caplog.text


async def test_token_of_the_wrong_type_is_not_shown(
    empty_home: Home, hass_client: ClientSessionGenerator, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer to a form that was not sent by the web interface names the field, not its value."""
    assert await async_setup_component(empty_home.hass, "config", {})
    form = await empty_home.start_flow("account")
    data = {"base_url": empty_home.simulator.url, "access_token": [TOKEN]}
    client = await hass_client()
    response = await client.post(f"/api/config/config_entries/flow/{form['flow_id']}", json=data)
    answer = await response.text()
    assert response.status == HTTPStatus.BAD_REQUEST
    assert "access_token" in answer
    assert TOKEN not in answer
    assert TOKEN not in caplog.text
