"""From an address and a token, or from a simulator, to an account with its vehicles.

An account is a config entry, each of its vehicles a subentry whose unique id is the VIN.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import count
from typing import Any, Final, Self, override

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryData,
    ConfigSubentryFlow,
    OptionsFlow,
    SubentryFlowResult,
)
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_ID, CONF_NAME, UnitOfTime
from homeassistant.core import HomeAssistant, callback
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import probatio
from yarl import URL

from .api.client import Client
from .api.errors import (
    AccountLockedError,
    AsleepError,
    AuthenticationError,
    MobileAccessDisabledError,
    NotFoundError,
    PermissionDeniedError,
    ServiceError,
    SigningRequiredError,
)
from .api.records import Vehicle
from .connection import client_for, open_service
from .const import (
    CONF_BASE_URL,
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_KEEP_AWAKE_PLUGGED_IN,
    CONF_POWERED_LIDS,
    CONF_READ_ONLY,
    CONF_SEED,
    CONF_SIMULATOR,
    CONF_SPEED,
    CONF_VEHICLES,
    CONF_VIN,
    CONF_WAKE_FOR_COMMANDS,
    DOMAIN,
    SUBENTRY_VEHICLE,
)
from .device import name_of
from .settings import (
    INTERVAL,
    LONGEST_INTERVAL,
    LONGEST_READ_INTERVAL,
    READ_INTERVALS,
    SHORTEST_INTERVAL,
    SHORTEST_READ_INTERVAL,
    AccountSettings,
)

# What another token, or what stands behind it, would mend
_AT_TOKEN: Final = (
    AccountLockedError,
    AuthenticationError,
    MobileAccessDisabledError,
    PermissionDeniedError,
    SigningRequiredError,
)
_MOST_SIMULATED: Final = 10
_FASTEST: Final = 600
_EXAMPLE: Final = "https://vehicles.example.com"
_TOKEN: Final = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="off"))
_ACCOUNT: Final = probatio.Schema(
    {
        probatio.Required(CONF_BASE_URL): TextSelector(TextSelectorConfig(autocomplete="off")),
        probatio.Required(probatio.Secret(CONF_ACCESS_TOKEN)): _TOKEN,
    }
)
_NOTHING: Final = probatio.Schema({})
_TOKEN_ONLY: Final = probatio.Schema({probatio.Required(probatio.Secret(CONF_ACCESS_TOKEN)): _TOKEN})
_ID_ONLY: Final = probatio.Schema({probatio.Required(CONF_ID): TextSelector()})
_SIMULATOR: Final = probatio.Schema(
    {
        probatio.Required(CONF_VEHICLES, default=1): NumberSelector(
            NumberSelectorConfig(min=1, max=_MOST_SIMULATED, mode=NumberSelectorMode.BOX)
        ),
        probatio.Required(CONF_SPEED, default=1): NumberSelector(
            NumberSelectorConfig(min=1, max=_FASTEST, mode=NumberSelectorMode.BOX)
        ),
    }
)


def _seconds(shortest: int, longest: int) -> NumberSelector:
    return NumberSelector(
        NumberSelectorConfig(
            min=shortest,
            max=longest,
            unit_of_measurement=UnitOfTime.SECONDS,
            # A box takes any number, and Home Assistant says of a wrong one only that it is.
            mode=NumberSelectorMode.SLIDER,
            step=5,
        )
    )


_ACCOUNT_SETTINGS: Final = probatio.Schema(
    {
        probatio.Required(CONF_INTERVAL, default=INTERVAL): _seconds(SHORTEST_INTERVAL, LONGEST_INTERVAL),
        probatio.Required(CONF_READ_ONLY, default=False): BooleanSelector(),
    }
)
_INTERVALS: Final = probatio.Schema(
    {
        probatio.Required(mode, default=seconds): _seconds(SHORTEST_READ_INTERVAL, LONGEST_READ_INTERVAL)
        for mode, seconds in READ_INTERVALS.items()
    }
)
_VEHICLE_SETTINGS: Final = probatio.Schema(
    {
        probatio.Required(CONF_KEEP_AWAKE_PLUGGED_IN, default=False): BooleanSelector(),
        probatio.Required(CONF_WAKE_FOR_COMMANDS, default=True): BooleanSelector(),
        probatio.Required(CONF_READ_ONLY, default=False): BooleanSelector(),
        probatio.Optional(CONF_POWERED_LIDS): SelectSelector(
            SelectSelectorConfig(options=["trunk", "frunk"], multiple=True, translation_key=CONF_POWERED_LIDS)
        ),
        probatio.Required(CONF_INTERVALS): section(_INTERVALS, {"collapsed": True}),
    }
)


@dataclass(frozen=True)
class Car:
    """A vehicle of an account, known well enough to be added."""

    number: str
    vin: str
    name: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self | None:
        """Return the car of a vehicle record, or None if the record does not say which car it is."""
        vehicle = Vehicle.parse(record)
        if vehicle.number is None or vehicle.vin is None:
            return None
        return cls(vehicle.number, vehicle.vin, name_of(vehicle))

    @property
    def data(self) -> dict[str, str]:
        """What a subentry keeps."""
        return {CONF_ID: self.number, CONF_VIN: self.vin, CONF_NAME: self.name}


class InvalidUrlError(ValueError):
    """A base URL that cannot be one."""


def _base_url(typed: str) -> URL:
    """Return a typed address as the root that paths are appended to. https unless it says otherwise."""
    typed = typed.strip()
    try:
        url = URL(typed if "://" in typed else f"https://{typed}")
        path = url.path.rstrip("/").removesuffix("/api/1")
        root = URL.build(scheme=url.scheme, host=url.host or "", port=url.explicit_port, path=path)
    except ValueError:
        raise InvalidUrlError from None
    # What stands before an @ would be a second secret, and one that shows in every log of addresses.
    if url.scheme not in ("http", "https") or not url.host or url.user or url.password or url.query_string:
        raise InvalidUrlError
    return root


def _is_this_host(url: URL) -> bool:
    if url.host == "localhost":
        return True
    try:
        return ip_address(url.host or "").is_loopback
    except ValueError:
        return False


def _at_fault(error: ServiceError, elsewhere: str) -> str:
    """Return the field that a person has to mend: the token or, if that is not it, the other."""
    return CONF_ACCESS_TOKEN if isinstance(error, _AT_TOKEN) else elsewhere


async def _listed(client: Client) -> list[Car] | None:
    """Return the account's cars, or None where the service does not list them, or not which they are."""
    try:
        records = await client.vehicles()
    except NotFoundError:
        return None
    cars = [car for record in records if (car := Car.of(record)) is not None]
    return cars if cars or not records else None


async def _found(client: Client, number: str) -> Car | None:
    """Return the car with this id: from its record, else from a live read.

    Raises AsleepError where only a car that is awake can tell.
    """
    is_known = False
    for ask in (client.vehicle, client.vehicle_data, client.data):
        try:
            car = Car.of(await ask(number))
        except NotFoundError:
            continue
        if car is not None:
            return car
        is_known = True
    if not is_known:
        raise NotFoundError
    return None


async def _known(client: Client, numbers: Iterable[str]) -> list[Car] | None:
    """Return those of these cars that the service knows, from its records; None if it has no records."""
    cars: list[Car] = []
    for number in numbers:
        with suppress(NotFoundError):
            if car := Car.of(await client.vehicle(number)):
                cars.append(car)
    return cars or None


@callback
def _known_vins(hass: HomeAssistant) -> set[str | None]:
    """Return the VINs of all accounts: Home Assistant itself compares within one."""
    return {
        subentry.unique_id
        for entry in hass.config_entries.async_entries(DOMAIN)
        for subentry in entry.subentries.values()
    }


def _choice(cars: Iterable[Car], *, multiple: bool) -> SelectSelector:
    options = [SelectOptionDict(value=car.number, label=f"{car.name} ({car.vin[-6:]})") for car in cars]
    return SelectSelector(
        SelectSelectorConfig(options=options, multiple=multiple, mode=SelectSelectorMode.LIST)
    )


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
            return self._show("account", _ACCOUNT)
        try:
            url = _base_url(user_input[CONF_BASE_URL])
        except InvalidUrlError:
            self._errors = {CONF_BASE_URL: "invalid_url"}
            return self._show("account", _ACCOUNT, user_input)
        self._data = {
            CONF_BASE_URL: str(url).rstrip("/"),
            CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip(),
        }
        self._async_abort_entries_match(self._data)
        if url.scheme == "http" and not _is_this_host(url):
            return await self.async_step_insecure()
        return await self._connect()

    async def async_step_insecure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say that the token would travel in the open, and ask whether it may."""
        if user_input is None:
            return self._show("insecure", _NOTHING)
        return await self._connect()

    async def _connect(self) -> ConfigFlowResult:
        """Ask the service for the vehicles. That wakes none."""
        try:
            cars = await self._list()
        except ServiceError as error:
            return self._again("account", _ACCOUNT, error, _at_fault(error, CONF_BASE_URL), self._data)
        if cars is None:
            return await self.async_step_vehicle()
        if not cars:
            self._errors = {"base": "no_vehicles"}
            return self._show("account", _ACCOUNT, self._data)
        self._cars = cars
        return await self.async_step_vehicles()

    async def async_step_vehicles(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which of the account's vehicles to add: of those that nobody has added, not even meanwhile."""
        known = _known_vins(self.hass)
        self._cars = [car for car in self._cars if car.vin not in known]
        if not self._cars:
            return self.async_abort(reason="already_configured")
        if user_input is not None:
            if chosen := [car for car in self._cars if car.number in user_input[CONF_VEHICLES]]:
                return self._create(chosen)
            self._errors = {CONF_VEHICLES: "no_vehicle_chosen"}
        every = [car.number for car in self._cars]
        schema = {probatio.Required(CONF_VEHICLES, default=every): _choice(self._cars, multiple=True)}
        return self._show("vehicles", probatio.Schema(schema))

    async def async_step_vehicle(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a vehicle's id, where the service does not list them."""
        if user_input is None:
            return self._show("vehicle", _ID_ONLY)
        self._number = user_input[CONF_ID].strip()
        if not (self._number.isascii() and self._number.isdecimal()):
            self._errors = {CONF_ID: "invalid_id"}
            return self._show("vehicle", _ID_ONLY, user_input)
        try:
            car = await _found(self._client, self._number)
        except AsleepError:
            return await self.async_step_wake()
        except AuthenticationError as error:
            # Without a list, this is the first request that shows what the token is worth.
            return self._again("account", _ACCOUNT, error, CONF_ACCESS_TOKEN, self._data)
        except ServiceError as error:
            return self._again("vehicle", _ID_ONLY, error, CONF_ID, user_input)
        return self._create_one(car)

    async def async_step_wake(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether the car may be woken once: only awake can it say which car it is."""
        if user_input is None:
            return self._show("wake", _NOTHING)
        try:
            record = await self._client.wake_up(self._number)
        except ServiceError as error:
            return self._again("wake", _NOTHING, error, "base")
        return self._create_one(Car.of(record))

    def _create_one(self, car: Car | None) -> ConfigFlowResult:
        if car is None:
            self._errors = {CONF_ID: "no_vin"}
            return self._show("vehicle", _ID_ONLY, {CONF_ID: self._number})
        if car.vin in _known_vins(self.hass):
            return self.async_abort(reason="already_configured")
        return self._create([car])

    # A simulated account

    async def async_step_simulator(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask how many cars to simulate and how fast their time runs."""
        if user_input is None:
            return self._show(CONF_SIMULATOR, _SIMULATOR)
        settings = {name: int(user_input[name]) for name in (CONF_VEHICLES, CONF_SPEED)}
        known = _known_vins(self.hass)
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
            return self._show("reauth_simulator", _NOTHING, name=entry.title)
        self._data = dict(entry.data)
        return self._replace(entry)

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a new token of the same account."""
        entry = self._get_reauth_entry()
        if user_input is None:
            return self._show("reauth_confirm", _TOKEN_ONLY, name=entry.title)
        self._data = {**entry.data, CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip()}
        if not await self._is_same_account(entry, CONF_ACCESS_TOKEN):
            return self._show("reauth_confirm", _TOKEN_ONLY, name=entry.title)
        return self._replace(entry)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a new address or a new token of the same account."""
        entry = self._get_reconfigure_entry()
        if CONF_SIMULATOR in entry.data:
            return self.async_abort(reason="nothing_to_reconfigure")
        if user_input is None:
            return self._show("reconfigure", _ACCOUNT, {CONF_BASE_URL: entry.data[CONF_BASE_URL]})
        try:
            url = _base_url(user_input[CONF_BASE_URL])
        except InvalidUrlError:
            self._errors = {CONF_BASE_URL: "invalid_url"}
            return self._show("reconfigure", _ACCOUNT, user_input)
        is_agreed = url.origin() == URL(entry.data[CONF_BASE_URL]).origin()
        if url.scheme == "http" and not _is_this_host(url) and not is_agreed:
            self._errors = {CONF_BASE_URL: "insecure_url"}
            return self._show("reconfigure", _ACCOUNT, user_input)
        self._data = {
            CONF_BASE_URL: str(url).rstrip("/"),
            CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip(),
        }
        if not await self._is_same_account(entry, CONF_BASE_URL):
            return self._show("reconfigure", _ACCOUNT, user_input)
        return self._replace(entry)

    async def _is_same_account(self, entry: ConfigEntry, elsewhere: str) -> bool:
        """Return whether the service knows the account's cars; one that cannot tell is believed."""
        wanted = {subentry.unique_id for subentry in entry.subentries.values()}
        try:
            cars = await self._list()
            if cars is None:
                cars = await _known(self._client, [each.data[CONF_ID] for each in entry.subentries.values()])
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
            return await _listed(client)
        finally:
            if simulator is not None:
                await simulator.stop()

    def _create(self, cars: list[Car]) -> ConfigFlowResult:
        url = self._data.get(CONF_BASE_URL)
        return self.async_create_entry(
            title="Simulator" if url is None else URL(url).host or url,
            data=self._data,
            subentries=[
                ConfigSubentryData(
                    data=car.data, subentry_type=SUBENTRY_VEHICLE, title=car.name, unique_id=car.vin
                )
                for car in cars
            ],
        )

    def _note(self, error: ServiceError, field: str) -> None:
        self._errors = {field: error.key}
        self._detail = error.detail

    def _again(
        self,
        step: str,
        schema: probatio.Schema,
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
        schema: probatio.Schema,
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
                "detail": self._detail or "-",
                "example": _EXAMPLE,
                "host": URL(self._data.get(CONF_BASE_URL, "")).host or "-",
                **placeholders,
            },
        )


class AccountSettingsFlow(OptionsFlow):
    """Changes what is set for an account."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask how often the service may be asked, and whether it is only to be read."""
        if user_input is None:
            schema = self.add_suggested_values_to_schema(_ACCOUNT_SETTINGS, self.config_entry.options)
            return self.async_show_form(step_id="init", data_schema=schema)
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
            listed = await _listed(self._client)
        except ServiceError as error:
            return self.async_abort(reason=error.key, description_placeholders=error.placeholders)
        known = _known_vins(self.hass)
        schema = _ID_ONLY
        if listed is not None:
            listed = [car for car in listed if car.vin not in known]
            if not listed:
                return self.async_abort(reason="already_configured")
            schema = probatio.Schema({probatio.Required(CONF_ID): _choice(listed, multiple=False)})
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
            schema = self.add_suggested_values_to_schema(_VEHICLE_SETTINGS, subentry.data)
            return self._show("reconfigure", schema)
        intervals = {mode: int(seconds) for mode, seconds in user_input[CONF_INTERVALS].items()}
        settings = {CONF_POWERED_LIDS: [], **user_input, CONF_INTERVALS: intervals}
        return self.async_update_and_abort(self._get_entry(), subentry, data_updates=settings)

    async def _add(self, listed: list[Car], schema: probatio.Schema) -> SubentryFlowResult:
        try:
            car = next((each for each in listed if each.number == self._number), None)
            return self._create(car or await _found(self._client, self._number), schema)
        except ServiceError as error:
            may_wake = not AccountSettings.of(self._get_entry().options).is_read_only
            if isinstance(error, AsleepError) and may_wake:
                return await self.async_step_wake()
            return self._show("user", schema, {CONF_ID: error.key}, error.placeholders)

    async def async_step_wake(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask whether the car may be woken once: only awake can it say which car it is."""
        if user_input is None:
            return self._show("wake", _NOTHING)
        try:
            return self._create(Car.of(await self._client.wake_up(self._number)), _ID_ONLY)
        except ServiceError as error:
            return self._show("wake", _NOTHING, {"base": error.key}, error.placeholders)

    def _create(self, car: Car | None, schema: probatio.Schema) -> SubentryFlowResult:
        if car is None:
            return self._show("user", schema, {CONF_ID: "no_vin"})
        if car.vin in _known_vins(self.hass):
            return self.async_abort(reason="already_configured")
        return self.async_create_entry(title=car.name, data=car.data, unique_id=car.vin)

    def _show(
        self,
        step: str,
        schema: probatio.Schema,
        errors: dict[str, str] | None = None,
        placeholders: Mapping[str, str] | None = None,
    ) -> SubentryFlowResult:
        return self.async_show_form(
            step_id=step, data_schema=schema, errors=errors, description_placeholders=placeholders
        )
