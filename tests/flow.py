"""A config flow, as a user goes through it."""

from collections.abc import Mapping
import json
import re
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, SOURCE_RECONFIGURE, SOURCE_USER, ConfigEntry
from homeassistant.data_entry_flow import FlowResultType, section

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home
from .source import ENGLISH

NEW_TOKEN: Final = "a-newer-secret-token"
ONLY_TESSIE: Final = {"import_past"}
"""The choices of menus that only some services have."""


class Flow:
    """A flow, as a user goes through it.

    Each step is checked: every text exists and gets all its placeholders, every error belongs to a field that
    is shown, and no token is shown.
    """

    result: Any
    step: str
    errors: dict[str, str]
    placeholders: dict[str, str]
    abort_reason: str | None
    is_created: bool
    """Whether the flow created an entry or a subentry."""
    values: dict[str, Any]
    """The suggested or default values of the fields."""
    _fields: Mapping[Any, Any]
    _flows: Any
    _translations: dict[str, Any]

    def __init__(self, home: Home) -> None:
        self.home = home
        self._tokens: set[str] = set()

    @property
    def offered_vehicles(self) -> list[str]:
        """Return the ids of the vehicles to select from."""
        selector = next(iter(self._fields.values()))
        return [option["value"] for option in selector.config["options"]]

    @property
    def offered_prices(self) -> set[str]:
        """Return the entity IDs of the price sensors to select from."""
        return set(self._fields["price_entity"].config["include_entities"])

    def is_collapsed(self, name: str) -> bool:
        """Return whether a section of the form is collapsed."""
        return bool(self._fields[name].options["collapsed"])

    async def start(self, choice: str, service: str = "other", *, way: str = "token") -> None:
        """Start the flow for a new account. Select the service of a real one, and the way to connect."""
        await self._start("config", DOMAIN, source=SOURCE_USER)
        assert self.step == "user"
        await self.submit(next_step_id=choice)
        if choice == "account":
            await self.submit(next_step_id=service)
            await self.choose(way)

    async def start_account(self, **values: str) -> None:
        """Start the flow for an account, and submit its address and token, except for the given values."""
        await self.start("account")
        await self.submit_account(**values)

    async def start_reconfigure(self, entry: ConfigEntry, *, way: str = "token") -> None:
        """Start the flow for the address and token of an account."""
        await self._start("config", DOMAIN, source=SOURCE_RECONFIGURE, entry_id=entry.entry_id)
        await self.choose(way)

    async def start_reauth(self, entry: ConfigEntry, *, way: str = "token") -> None:
        """Continue the flow that Home Assistant starts if the token is no longer accepted."""
        hass = self.home.hass
        entry.async_start_reauth(hass)
        await self.home.idle()
        (progress,) = entry.async_get_active_flows(hass, {SOURCE_REAUTH})
        self._flows, self._translations = hass.config_entries.flow, ENGLISH["config"]
        self._show(await self._flows.async_configure(progress["flow_id"]))
        await self.choose(way)

    async def choose(self, way: str) -> None:
        """Choose how to connect, if the service has several ways."""
        if self.step == "auth_method":
            await self.submit(next_step_id=way)

    async def start_add_vehicle(self, entry: ConfigEntry) -> None:
        """Start the flow for another vehicle of an account."""
        await self._start("subentry", (entry.entry_id, "vehicle"), source=SOURCE_USER)

    async def start_vehicle_options(self, entry: ConfigEntry, choice: str = "price") -> None:
        """Start the flow for the first vehicle of an account. Select a choice of its menu, or of the log."""
        context = {"source": SOURCE_RECONFIGURE, "subentry_id": next(iter(entry.subentries))}
        await self._start("subentry", (entry.entry_id, "vehicle"), **context)
        if choice not in self.result["menu_options"]:
            await self.submit(next_step_id="log")
        await self.submit(next_step_id=choice)

    async def start_account_options(self, entry: ConfigEntry) -> None:
        """Start the flow for the options of an account."""
        await self._start("options", entry.entry_id)

    async def submit(self, **values: Any) -> None:
        """Submit the current form or menu, and check the next step."""
        if token := values.get("access_token", "").strip():
            self._tokens.add(token)
        self._show(await self._flows.async_configure(self.result["flow_id"], values))
        await self.home.idle()

    async def wait(self) -> None:
        """Wait until the progress that is shown has ended, and continue."""
        await self.home.hass.async_block_till_done(wait_background_tasks=True)
        await self.submit()

    async def submit_account(self, **values: str) -> None:
        """Submit the address and token of the account, except for the given values."""
        await self.submit(**(self.home.access | values))

    async def _start(self, kind: str, handler: str | tuple[str, str], **context: str) -> None:
        entries = self.home.hass.config_entries
        self._flows, self._translations = {
            "config": (entries.flow, ENGLISH["config"]),
            "subentry": (entries.subentries, ENGLISH["config_subentries"]["vehicle"]),
            "options": (entries.options, ENGLISH["options"]),
        }[kind]
        self._show(await self._flows.async_init(handler, context=context))

    def _show(self, result: Any) -> None:
        self.result = result
        self.step = result.get("step_id")
        self.errors = result.get("errors") or {}
        self.placeholders = result.get("description_placeholders") or {}
        self.abort_reason = result.get("reason")
        self.is_created = result["type"] is FlowResultType.CREATE_ENTRY
        self._fields = result["data_schema"].schema if result["type"] is FlowResultType.FORM else {}
        self.values = _values(self._fields)
        texts = json.dumps(self._texts())
        assert set(re.findall(r"{(\w+)}", texts)) <= self.placeholders.keys(), texts
        for field, selector in self._fields.items():
            is_section = isinstance(selector, section)
            step = self._translations["step"][self.step]
            of_fields = step["sections"][field] if is_section else step
            for name in selector.schema.schema if is_section else (field,):
                assert of_fields["data"][name]
                assert of_fields["data_description"][name]
        assert self.errors.keys() <= {str(field) for field in self._fields} | {"base"}
        content = repr((self.placeholders, self.errors, self.values))
        assert not any(token in content for token in self._tokens)

    def _texts(self) -> Any:
        """Return the texts of the current step. Raises KeyError if one is missing."""
        # Some reasons, and the steps in a browser, have texts of Home Assistant itself.
        of_home_assistant = self.result.get("translation_domain") == "homeassistant"
        is_external = self.result["type"] in (FlowResultType.EXTERNAL_STEP, FlowResultType.EXTERNAL_STEP_DONE)
        if self.is_created or of_home_assistant or is_external:
            return None
        if self.abort_reason is not None:
            return self._translations["abort"][self.abort_reason]
        if self.result["type"] is FlowResultType.SHOW_PROGRESS:
            return self._translations["progress"][self.result["progress_action"]]
        step = self._translations["step"][self.step]
        if self.result["type"] is FlowResultType.MENU:
            offered = set(self.result["menu_options"])
            assert step["menu_options"].keys() - ONLY_TESSIE == offered - ONLY_TESSIE
            assert offered <= step["menu_options"].keys()
        elif not self._fields:
            # A step without fields is a question.
            assert step["description"]
        return step["title"], step, [self._translations["error"][key] for key in self.errors.values()]


def _values(fields: Mapping[Any, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field, selector in fields.items():
        if isinstance(selector, section):
            if inner := _values(selector.schema.schema):
                values[str(field)] = inner
        elif "suggested_value" in (field.description or {}):
            values[str(field)] = field.description["suggested_value"]
        elif callable(field.default):
            values[str(field)] = field.default()
    return values
