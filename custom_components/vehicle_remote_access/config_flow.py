"""From an address and a token, or from a simulator, to an account with its vehicles.

An account is a config entry, each of its vehicles a subentry whose unique id is the VIN.
"""

from collections.abc import Mapping
from itertools import count
from typing import Any, Final, override

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
    SubentryFlowResult,
)
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_ID
from homeassistant.core import callback
from homeassistant.loader import async_get_loaded_integration
import voluptuous as vol
from yarl import URL

from .account.discovery import Car, cars_among, find_car, list_cars, vins_taken
from .account.markdown import escape_markdown
from .account.options import AccountSettings
from .account.service import client_for, open_service
from .api.client import Client
from .api.errors import (
    AccountLockedError,
    AsleepError,
    AuthenticationError,
    MobileAccessDisabledError,
    PermissionDeniedError,
    ServiceError,
    SigningRequiredError,
)
from .const import (
    CONF_BASE_URL,
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_POWERED_LIDS,
    CONF_SEED,
    CONF_SIMULATOR,
    CONF_VEHICLES,
    DOMAIN,
    SUBENTRY_VEHICLE,
)
from .schemas import (
    ACCOUNT,
    ACCOUNT_SETTINGS,
    EXAMPLE,
    ID_ONLY,
    NOTHING,
    SIMULATED_CARS,
    SIMULATOR,
    TOKEN_ONLY,
    VEHICLE_SETTINGS,
    InvalidUrlError,
    base_url,
    choice_of,
    is_this_host,
)

# What another token, or what stands behind it, would mend
_AT_TOKEN: Final = (
    AccountLockedError,
    AuthenticationError,
    MobileAccessDisabledError,
    PermissionDeniedError,
    SigningRequiredError,
)


def _at_fault(error: ServiceError, elsewhere: str) -> str:
    """Return the field that a person has to mend: the token or, if that is not it, the other."""
    return CONF_ACCESS_TOKEN if isinstance(error, _AT_TOKEN) else elsewhere


def _escaped(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return the placeholders for a text that is Markdown, as descriptions and abort reasons are."""
    return {key: escape_markdown(text) for key, text in placeholders.items()}


class VehicleConfigFlow(ConfigFlow, domain=DOMAIN):
    """Adds an account, real or simulated."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._data: dict[str, Any] = {}
        self._cars: list[Car] = []
        self._number = ""
        self._errors: dict[str, str] = {}
        self._detail = ""

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        """Return what can be added to an account: a vehicle."""
        return {SUBENTRY_VEHICLE: VehicleSubentryFlow}

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        """Return the dialog for the settings of an account."""
        return AccountSettingsFlow()

    @property
    def _client(self) -> Client:
        return client_for(self.hass, self._data)

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether there is an account."""
        return self.async_show_menu(step_id="user", menu_options=["account", CONF_SIMULATOR])

    # A real account

    async def async_step_account(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the address and the token."""
        if user_input is None:
            return self._show("account", ACCOUNT, self._data)
        try:
            url = base_url(user_input[CONF_BASE_URL])
        except InvalidUrlError:
            self._errors = {CONF_BASE_URL: "invalid_url"}
            return self._show("account", ACCOUNT, user_input)
        self._data = {
            CONF_BASE_URL: str(url).rstrip("/"),
            CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip(),
        }
        self._async_abort_entries_match(self._data)
        if url.scheme == "http" and not is_this_host(url):
            return await self.async_step_insecure()
        return await self.async_step_connect()

    async def async_step_insecure(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say that the token would travel in the open, and ask whether it may."""
        return self.async_show_menu(
            step_id="insecure",
            menu_options=["connect", "account"],
            description_placeholders={"host": escape_markdown(URL(self._data[CONF_BASE_URL]).host or "-")},
        )

    async def async_step_connect(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask the service for the vehicles. That wakes none."""
        try:
            cars = await self._list()
        except ServiceError as error:
            return self._again("account", ACCOUNT, error, _at_fault(error, CONF_BASE_URL), self._data)
        if cars is None:
            return await self.async_step_vehicle()
        if not cars:
            self._errors = {"base": "no_vehicles"}
            return self._show("account", ACCOUNT, self._data)
        self._cars = cars
        return await self.async_step_vehicles()

    async def async_step_vehicles(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which of the account's vehicles to add: of those that nobody has added, not even meanwhile."""
        known = vins_taken(self.hass)
        self._cars = [car for car in self._cars if car.vin not in known]
        if not self._cars:
            return self.async_abort(reason="already_configured")
        if user_input is not None:
            if chosen := [car for car in self._cars if car.number in user_input[CONF_VEHICLES]]:
                return self._create(chosen)
            self._errors = {CONF_VEHICLES: "no_vehicle_chosen"}
        every = [car.number for car in self._cars]
        schema = {vol.Required(CONF_VEHICLES, default=every): choice_of(self._cars, multiple=True)}
        return self._show("vehicles", vol.Schema(schema))

    async def async_step_vehicle(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a vehicle's id, where the service does not list them."""
        if user_input is None:
            return self._show("vehicle", ID_ONLY)
        self._number = user_input[CONF_ID].strip()
        if not (self._number.isascii() and self._number.isdecimal()):
            self._errors = {CONF_ID: "invalid_id"}
            return self._show("vehicle", ID_ONLY, user_input)
        try:
            car = await find_car(self._client, self._number)
        except AsleepError:
            return await self.async_step_wake()
        except AuthenticationError as error:
            # Without a list, this is the first request that shows what the token is worth.
            return self._again("account", ACCOUNT, error, CONF_ACCESS_TOKEN, self._data)
        except ServiceError as error:
            return self._again("vehicle", ID_ONLY, error, CONF_ID, user_input)
        return self._create_one(car)

    async def async_step_wake(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether the car may be woken once: only awake can it say which car it is."""
        if user_input is None:
            return self._show("wake", NOTHING)
        try:
            record = await self._client.wake_up(self._number)
        except ServiceError as error:
            return self._again("wake", NOTHING, error, "base")
        return self._create_one(Car.of(record))

    def _create_one(self, car: Car | None) -> ConfigFlowResult:
        if car is None:
            self._errors = {CONF_ID: "no_vin"}
            return self._show("vehicle", ID_ONLY, {CONF_ID: self._number})
        if car.vin in vins_taken(self.hass):
            return self.async_abort(reason="already_configured")
        return self._create([car])

    # A simulated account

    async def async_step_simulator(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask how many cars to simulate and how fast their time runs."""
        if user_input is None:
            return self._show(CONF_SIMULATOR, SIMULATOR)
        settings = {name: int(value) for name, value in user_input.items()}
        known = vins_taken(self.hass)
        seeds = count()
        while True:
            self._data = {CONF_SIMULATOR: {**settings, CONF_SEED: next(seeds)}}
            cars = await self._list() or []
            # Each simulated account has cars that nobody has yet.
            if known.isdisjoint(car.vin for car in cars):
                return self._create(cars)

    # A new token, or a new address

    async def async_step_reauth(self, _entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """Begin to ask for a new token."""
        if CONF_SIMULATOR in self._get_reauth_entry().data:
            return await self.async_step_reauth_simulator()
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_simulator(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether to go on: a simulated account gets a new token by itself when it starts anew."""
        entry = self._get_reauth_entry()
        if user_input is None:
            return self._show("reauth_simulator", NOTHING, name=entry.title)
        self._data = dict(entry.data)
        return self._replace(entry)

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a new token of the same account."""
        entry = self._get_reauth_entry()
        if user_input is None:
            return self._show("reauth_confirm", TOKEN_ONLY, name=entry.title)
        self._data = {**entry.data, CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip()}
        if not await self._is_same_account(entry, CONF_ACCESS_TOKEN):
            return self._show("reauth_confirm", TOKEN_ONLY, name=entry.title)
        return self._replace(entry)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a new address or a new token of the same account."""
        entry = self._get_reconfigure_entry()
        if CONF_SIMULATOR in entry.data:
            return await self.async_step_reconfigure_simulator()
        if user_input is None:
            return self._show("reconfigure", ACCOUNT, {CONF_BASE_URL: entry.data[CONF_BASE_URL]})
        try:
            url = base_url(user_input[CONF_BASE_URL])
        except InvalidUrlError:
            self._errors = {CONF_BASE_URL: "invalid_url"}
            return self._show("reconfigure", ACCOUNT, user_input)
        is_agreed = url.origin() == URL(entry.data[CONF_BASE_URL]).origin()
        if url.scheme == "http" and not is_this_host(url) and not is_agreed:
            self._errors = {CONF_BASE_URL: "insecure_url"}
            return self._show("reconfigure", ACCOUNT, user_input)
        self._data = {
            CONF_BASE_URL: str(url).rstrip("/"),
            CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip(),
        }
        if not await self._is_same_account(entry, CONF_BASE_URL):
            return self._show("reconfigure", ACCOUNT, user_input)
        return self._replace(entry)

    async def async_step_reconfigure_simulator(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask how many cars the simulated account is to have: one more is announced like any new car."""
        entry = self._get_reconfigure_entry()
        before = entry.data[CONF_SIMULATOR]
        if user_input is None:
            return self._show("reconfigure_simulator", SIMULATED_CARS, before, name=entry.title)
        vehicles = int(user_input[CONF_VEHICLES])
        self._data = {CONF_SIMULATOR: {**before, CONF_VEHICLES: vehicles}}
        return self._replace(entry)

    async def _is_same_account(self, entry: ConfigEntry, elsewhere: str) -> bool:
        """Return whether the service knows the account's cars; one that cannot tell is believed."""
        wanted = {subentry.unique_id for subentry in entry.subentries.values()}
        try:
            cars = await self._list()
            if cars is None:
                cars = await cars_among(
                    self._client, [each.data[CONF_ID] for each in entry.subentries.values()]
                )
        except ServiceError as error:
            self._note(error, _at_fault(error, elsewhere))
            return False
        if cars is None:
            return True
        if wanted and wanted.isdisjoint(car.vin for car in cars):
            self._errors = {elsewhere: "wrong_account"}
            return False
        return True

    def _replace(self, entry: ConfigEntry) -> ConfigFlowResult:
        """Store the new data, and see to it that the account starts again whatever state it is in."""
        is_heard = entry.state is ConfigEntryState.LOADED and dict(entry.data) != self._data
        result = self.async_update_and_abort(entry, data=self._data)
        # Only now, because a reload begins at once, with the data that it finds.
        if not is_heard:
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return result

    # What the steps have in common

    async def _list(self) -> list[Car] | None:
        """Return the account's cars, or None where the service does not list them."""
        client, simulator = await open_service(self.hass, self._data)
        try:
            return await list_cars(client)
        finally:
            if simulator is not None:
                await simulator.stop()

    def _create(self, cars: list[Car]) -> ConfigFlowResult:
        return self.async_create_entry(
            title=self._title(),
            data=self._data,
            subentries=[car.subentry for car in cars],
        )

    def _title(self) -> str:
        """Return what to call the account: where it is, and a number if that is the name of another."""
        url = self._data.get(CONF_BASE_URL)
        name = "Simulator" if url is None else URL(url).host or url
        taken = {entry.title for entry in self._async_current_entries()}
        names = (name if number == 1 else f"{name} {number}" for number in count(1))
        return next(each for each in names if each not in taken)

    def _note(self, error: ServiceError, field: str) -> None:
        self._errors = {field: error.key}
        self._detail = error.detail

    def _again(
        self,
        step: str,
        schema: vol.Schema,
        error: ServiceError,
        field: str,
        values: Mapping[str, Any] | None = None,
    ) -> ConfigFlowResult:
        """Show a step once more, with what the service said about it."""
        self._note(error, field)
        return self._show(step, schema, values)

    def _show(
        self,
        step: str,
        schema: vol.Schema,
        values: Mapping[str, Any] | None = None,
        **placeholders: str,
    ) -> ConfigFlowResult:
        """Show a step with what is wrong so far; the token is never shown again."""
        errors, self._errors = self._errors, {}
        if values is not None:
            schema = self.add_suggested_values_to_schema(
                schema, {name: value for name, value in values.items() if name != CONF_ACCESS_TOKEN}
            )
        return self.async_show_form(
            step_id=step,
            data_schema=schema,
            errors=errors,
            description_placeholders={
                # Not escaped: only errors show it, and the errors of a form are plain text.
                "detail": self._detail or "-",
                "documentation": async_get_loaded_integration(self.hass, DOMAIN).documentation or "-",
                "example": EXAMPLE,
                "host": escape_markdown(URL(self._data.get(CONF_BASE_URL, "")).host or "-"),
                **_escaped(placeholders),
            },
        )


class AccountSettingsFlow(OptionsFlow):
    """Changes what is set for an account."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask how often the service may be asked, and whether it is only to be read."""
        if user_input is None:
            return self.async_show_form(
                step_id="init",
                data_schema=self.add_suggested_values_to_schema(ACCOUNT_SETTINGS, self.config_entry.options),
                description_placeholders={"name": escape_markdown(self.config_entry.title)},
            )
        return self.async_create_entry(data={**user_input, CONF_INTERVAL: int(user_input[CONF_INTERVAL])})


class VehicleSubentryFlow(ConfigSubentryFlow):
    """Adds a vehicle to an account that is there already, or changes what is set for one."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._number = ""

    @property
    def _client(self) -> Client:
        """The service; a simulated one is that which runs."""
        entry = self._get_entry()
        if CONF_SIMULATOR in entry.data:
            client: Client = entry.runtime_data.connection.client
            return client
        return client_for(self.hass, entry.data)

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask which vehicle: from the list, or by id where the service has none."""
        entry = self._get_entry()
        if CONF_SIMULATOR in entry.data and entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="not_loaded")
        try:
            listed = await list_cars(self._client)
        except ServiceError as error:
            return self.async_abort(reason=error.key, description_placeholders=_escaped(error.placeholders))
        known = vins_taken(self.hass)
        schema = ID_ONLY
        if listed is not None:
            listed = [car for car in listed if car.vin not in known]
            if not listed:
                return self.async_abort(reason="already_configured")
            schema = vol.Schema({vol.Required(CONF_ID): choice_of(listed, multiple=False)})
        if user_input is None:
            return self._show("user", schema)
        self._number = user_input[CONF_ID].strip()
        if not (self._number.isascii() and self._number.isdecimal()):
            return self._show("user", schema, {CONF_ID: "invalid_id"})
        return await self._add(listed or [], schema)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask how the owner wants the car treated, and what the car does not know of itself."""
        subentry = self._get_reconfigure_subentry()
        if user_input is None:
            schema = self.add_suggested_values_to_schema(VEHICLE_SETTINGS, subentry.data)
            return self._show("reconfigure", schema, placeholders={"name": escape_markdown(subentry.title)})
        intervals = {mode: int(seconds) for mode, seconds in user_input[CONF_INTERVALS].items()}
        settings = {CONF_POWERED_LIDS: [], **user_input, CONF_INTERVALS: intervals}
        return self.async_update_and_abort(self._get_entry(), subentry, data_updates=settings)

    async def _add(self, listed: list[Car], schema: vol.Schema) -> SubentryFlowResult:
        try:
            car = next((each for each in listed if each.number == self._number), None)
            return self._create(car or await find_car(self._client, self._number), schema)
        except ServiceError as error:
            may_wake = not AccountSettings.of(self._get_entry().options).is_read_only
            if isinstance(error, AsleepError) and may_wake:
                return await self.async_step_wake()
            return self._show("user", schema, {CONF_ID: error.key}, error.placeholders)

    async def async_step_wake(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask whether the car may be woken once: only awake can it say which car it is."""
        if user_input is None:
            return self._show("wake", NOTHING)
        try:
            return self._create(Car.of(await self._client.wake_up(self._number)), ID_ONLY)
        except ServiceError as error:
            return self._show("wake", NOTHING, {"base": error.key}, error.placeholders)

    def _create(self, car: Car | None, schema: vol.Schema) -> SubentryFlowResult:
        if car is None:
            return self._show("user", schema, {CONF_ID: "no_vin"})
        if car.vin in vins_taken(self.hass):
            return self.async_abort(reason="already_configured")
        return self.async_create_entry(title=car.name, data=car.data, unique_id=car.vin)

    def _show(
        self,
        step: str,
        schema: vol.Schema,
        errors: dict[str, str] | None = None,
        placeholders: Mapping[str, str] | None = None,
    ) -> SubentryFlowResult:
        return self.async_show_form(
            step_id=step, data_schema=schema, errors=errors, description_placeholders=placeholders
        )
