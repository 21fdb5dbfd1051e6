"""The dialogs: from an address and a token, or from a simulator, to an account with its vehicles."""

from collections.abc import AsyncIterator, Iterator, Mapping
import json
import logging
from pathlib import Path
import socket
from string import Formatter
from typing import Any, Final
from unittest.mock import AsyncMock, Mock, patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components import homeassistant as homeassistant_component
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_USER,
    ConfigEntriesFlowManager,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlowResult,
    ConfigSubentryFlowManager,
    SubentryFlowResult,
)
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

import custom_components.vehicle_remote_access as integration
from custom_components.vehicle_remote_access import config_flow
from custom_components.vehicle_remote_access.const import DOMAIN
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
        self._flows: ConfigEntriesFlowManager | ConfigSubentryFlowManager = home.hass.config_entries.flow
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
        """Ask for a new address and token of an account."""
        self._see(await entry.start_reconfigure_flow(self.home.hass))

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
        self._see(
            await self._flows.async_init((entry.entry_id, "vehicle"), context={"source": SOURCE_USER})
        )

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
        if (schema := self.shown.get("data_schema")) is None:
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
        seen = repr((placeholders, [(field.description, field.default) for field in self._fields]))
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
            yield from (step["menu_options"][option] for option in list(shown["menu_options"]))
            return
        yield from (step[part][str(field)] for field in self._fields for part in ("data", "data_description"))
        # A step without a field is a question, and the question is its description.
        yield step.get("description", "-") if self._fields else step["description"]
        yield from (self._words["error"][key] for key in (shown["errors"] or {}).values())


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
def set_ups(entry: ConfigEntry) -> Iterator[AsyncMock]:
    """Count how often an account is set up from now on."""
    with patch.object(
        integration, "async_setup_entry", wraps=integration.async_setup_entry
    ) as set_up:
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
