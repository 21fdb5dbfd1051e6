"""Config flows: add an account, add vehicles to it, and change their options.

An account is a config entry. Each of its vehicles is a subentry whose unique id is the VIN.
"""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Final, override

from homeassistant.components.file_upload import process_uploaded_file
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
    SubentryFlowResult,
)
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_ENTITY_ID, CONF_ID, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.data_entry_flow import section
from homeassistant.helpers import entity_registry as er
from homeassistant.loader import async_get_loaded_integration
from homeassistant.util import dt as dt_util
import voluptuous as vol
from yarl import URL

from .account.certificate import certificate_to_accept
from .account.discovery import (
    DiscoveredVehicle,
    configured_vins,
    discover_vehicle,
    discover_vehicles,
    find_base_url,
    list_vehicles,
)
from .account.markdown import escape_markdown
from .account.options import AccountOptions
from .account.service import create_client, open_service, service_type_of
from .account.token_store import create_refresher, with_tokens
from .api.client import Client
from .api.errors import (
    AccountLockedError,
    AsleepError,
    AuthenticationError,
    CommandUrlError,
    MobileAccessDisabledError,
    PermissionDeniedError,
    RefreshFailedError,
    RefreshRefusedError,
    ServiceError,
    SigningRequiredError,
)
from .api.records import VehicleState
from .api.service_types import OTHER, SERVICE_TYPES
from .api.token_refresher import Tokens
from .const import (
    CONF_ADDRESSES,
    CONF_BASE_URL,
    CONF_BLUEPRINTS,
    CONF_COMMAND_CERTIFICATE,
    CONF_COMMAND_URL,
    CONF_FILE,
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_LIVE_READS_PER_DAY,
    CONF_LOG,
    CONF_POWERED_LIDS,
    CONF_REFRESH_TOKEN,
    CONF_REQUESTS_PER_DAY,
    CONF_SEED,
    CONF_SERVICE,
    CONF_SIMULATOR,
    CONF_SPEED,
    CONF_TOKEN_REFRESH,
    CONF_TOKEN_URL,
    CONF_VEHICLES,
    DOMAIN,
    SUBENTRY_VEHICLE,
)
from .coordinator import VehicleConfigEntry
from .drive_log.entries import Entries
from .drive_log.importer import LogFile, LogFileError, Problem, read_log
from .drive_log.manager import DriveLogManager, log_units
from .schemas import (
    ACCOUNT_OPTIONS_SCHEMA,
    EMPTY_SCHEMA,
    EXAMPLE_URL,
    HISTORY_SCHEMA,
    ID_SCHEMA,
    IMPORT_SCHEMA,
    LOG_SCHEMA,
    MAX_SIMULATED_VEHICLES,
    RECONFIGURE_SIMULATOR_SCHEMA,
    SERVICE_SELECTOR,
    SIMULATOR_SCHEMA,
    InvalidUrlError,
    account_schema,
    is_path_id,
    is_this_host,
    parse_base_url,
    parse_token_url,
    token_schema,
    vehicle_options_schema,
    vehicle_selector,
    vehicles_schema,
)

# More rows make the dialog hard to read.
_MOST_PROBLEMS: Final = 20
# Another access token, or a change in the account or in the car, can solve these errors.
_TOKEN_ERRORS: Final = (
    AccountLockedError,
    AuthenticationError,
    CommandUrlError,
    MobileAccessDisabledError,
    PermissionDeniedError,
    SigningRequiredError,
)


class _InvalidInputError(ValueError):
    """Values of a form that can't be used."""

    def __init__(self, errors: dict[str, str]) -> None:
        """Create the error with the errors by field."""
        super().__init__()
        self.errors = errors


def _tokens(
    user_input: Mapping[str, Any], refresh_url: str, stored: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the access token, and the token refresh if the form has one. Raises _InvalidInputError.

    `refresh_url`: the token URL that the form suggests. `stored`: the account's token refresh. Without
    another refresh token, its own is kept, but only for the same token URL, because it must not be sent
    anywhere else.
    """
    tokens = {CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip()}
    fields = user_input.get(CONF_TOKEN_REFRESH, {})
    entered = {name: text.strip() for name, text in fields.items() if text.strip()}
    if not entered or (not stored and entered == {CONF_TOKEN_URL: refresh_url}):
        return tokens
    if (
        stored
        and entered.get(CONF_TOKEN_URL) == stored[CONF_TOKEN_URL]
        and not entered.get(CONF_REFRESH_TOKEN)
    ):
        entered[CONF_REFRESH_TOKEN] = stored[CONF_REFRESH_TOKEN]
    if not entered.get(CONF_TOKEN_URL) or not entered.get(CONF_REFRESH_TOKEN):
        raise _InvalidInputError({"base": "token_refresh_incomplete"})
    try:
        url = parse_token_url(entered[CONF_TOKEN_URL])
    except InvalidUrlError:
        raise _InvalidInputError({"base": "invalid_token_url"}) from None
    return {**tokens, CONF_TOKEN_REFRESH: {**entered, CONF_TOKEN_URL: url}}


def _with_open_sections(schema: vol.Schema, values: Mapping[str, Any]) -> vol.Schema:
    """Return a form whose sections with values are open: they need to be checked, or completed."""
    return vol.Schema(
        {
            key: section(value.schema, {"collapsed": False})
            if isinstance(value, section) and any(values.get(key, {}).values())
            else value
            for key, value in schema.schema.items()
        }
    )


def _without_secrets(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values to suggest in a form."""
    return {
        name: _without_secrets(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if name not in (CONF_ACCESS_TOKEN, CONF_REFRESH_TOKEN)
    }


def _parse_address(text: str, field: str, key: str = "invalid_url") -> str:
    """Return an address that a person entered. Raises _InvalidInputError for the field of the form."""
    try:
        return str(parse_base_url(text)).rstrip("/")
    except InvalidUrlError:
        raise _InvalidInputError({field: key}) from None


def _insecure_urls(data: Mapping[str, Any]) -> dict[str, URL]:
    """Return the addresses, by field, to which a token would be sent over a network without encryption."""
    urls = {key: URL(data[key]) for key in (CONF_BASE_URL, CONF_COMMAND_URL) if key in data}
    return {key: url for key, url in urls.items() if url.scheme == "http" and not is_this_host(url)}


def _form_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the forms for an account's data. An address of the service itself is left out."""
    service_type = service_type_of(data)
    values = {CONF_SERVICE: service_type.key, **data}
    if service_type.refresh_url:
        values.setdefault(CONF_TOKEN_REFRESH, {CONF_TOKEN_URL: service_type.refresh_url})
    if service_type.base_urls:
        urls = {key: data[key] for key in (CONF_BASE_URL, CONF_COMMAND_URL) if key in data}
        values[CONF_ADDRESSES] = {key: url for key, url in urls.items() if url not in service_type.base_urls}
    return values


def _escape(placeholders: Mapping[str, str]) -> dict[str, str]:
    """Return placeholders for descriptions and abort reasons, which are Markdown."""
    return {key: escape_markdown(text) for key, text in placeholders.items()}


async def _list_vehicles(hass: HomeAssistant, data: Mapping[str, Any]) -> list[DiscoveredVehicle] | None:
    """Return the vehicles of an account with this data, or None if the service does not list them."""
    client, simulator = await open_service(hass, data)
    try:
        return await list_vehicles(client)
    finally:
        if simulator is not None:
            await simulator.stop()


class VehicleConfigFlow(ConfigFlow, domain=DOMAIN):
    """Adds an account, real or simulated, or changes its base URL and access token."""

    def __init__(self) -> None:
        self._data: dict[str, Any] = {}
        self._service_type = OTHER
        self._certificate = ""
        """The fingerprint of the certificate to accept."""
        self._vehicles: list[DiscoveredVehicle] = []
        self._path_id = ""
        self._refreshed: dict[str, Tokens] = {}
        """The tokens that each entered refresh token was exchanged for."""
        self._error_detail = ""

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        return {SUBENTRY_VEHICLE: VehicleSubentryFlow}

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        return AccountOptionsFlow()

    @property
    def _client(self) -> Client:
        return create_client(self.hass, self._data)

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Let the user choose between a real and a simulated account."""
        return self.async_show_menu(step_id="user", menu_options=["account", CONF_SIMULATOR])

    # A real account

    async def async_step_account(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which service has the account."""
        if user_input is None:
            return self._show("account", vol.Schema({vol.Required(CONF_SERVICE): SERVICE_SELECTOR}))
        self._service_type = SERVICE_TYPES[user_input[CONF_SERVICE]]
        self._data = {CONF_SERVICE: self._service_type.key}
        return self._show_account()

    async def async_step_token(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the access token, and for the base URL of a service whose address is unknown."""
        if user_input is None:
            return self._show_account()
        try:
            self._set_account(user_input)
        except _InvalidInputError as error:
            return self._show_account(error.errors, user_input)
        own = (CONF_BASE_URL, CONF_ACCESS_TOKEN)
        self._async_abort_entries_match({key: self._data[key] for key in own if key in self._data})
        return await self._check_command_url() or await self._connect_if_secure()

    async_step_address = async_step_token

    async def async_step_change_address(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the form with the addresses again."""
        return self._show_account()

    async def _check_command_url(self) -> ConfigFlowResult | None:
        """Return the step that says what is wrong with the address for commands, or None if nothing is."""
        if (url := self._data.get(CONF_COMMAND_URL)) is None:
            return None
        try:
            certificate = await certificate_to_accept(url)
        except CommandUrlError as error:
            return self._show_account(self._errors(error, "base"))
        if certificate is None:
            # The proxy may have got a certificate of a public authority since then.
            self._data.pop(CONF_COMMAND_CERTIFICATE, None)
            return None
        if certificate == self._data.get(CONF_COMMAND_CERTIFICATE):
            return None
        self._certificate = certificate
        return await self.async_step_certificate()

    async def async_step_certificate(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether to accept the certificate of the address for commands."""
        return self.async_show_menu(
            step_id="certificate",
            menu_options=["accept_certificate", "change_address"],
            description_placeholders={
                **_escape({"host": URL(self._data[CONF_COMMAND_URL]).authority}),
                # In groups, as browsers and openssl show it
                "fingerprint": bytes.fromhex(self._certificate).hex(":").upper(),
            },
        )

    async def async_step_accept_certificate(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Accept the certificate of the address for commands, and no other."""
        self._data[CONF_COMMAND_CERTIFICATE] = self._certificate
        return await (self._reconfigure() if self._is_reconfigured else self._connect_if_secure())

    async def _connect_if_secure(self) -> ConfigFlowResult:
        is_insecure = bool(_insecure_urls(self._data))
        return await (self.async_step_insecure() if is_insecure else self.async_step_connect())

    async def async_step_insecure(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Warn that the access token would be sent without encryption."""
        hosts = ", ".join(sorted({url.host or "-" for url in _insecure_urls(self._data).values()}))
        return self.async_show_menu(
            step_id="insecure",
            menu_options=["connect", "change_address"],
            description_placeholders=_escape({"host": hosts}),
        )

    async def async_step_connect(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Request the list of vehicles. This wakes no vehicle."""
        if self._is_reconfigured:
            return await self._replace_account()
        if errors := await self._refresh_tokens():
            return self._show_account(errors)
        try:
            await self._find_base_url()
            vehicles = await _list_vehicles(self.hass, self._data)
        except ServiceError as error:
            return self._show_account(self._account_errors(error, self._address_field))
        if vehicles is None:
            return await self.async_step_vehicle()
        if not vehicles:
            return self._show_account({"base": "no_vehicles"})
        self._vehicles = vehicles
        return await self.async_step_vehicles()

    async def async_step_vehicles(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which vehicles to add. Another flow may have added some of them in the meantime."""
        configured = configured_vins(self.hass)
        self._vehicles = [vehicle for vehicle in self._vehicles if vehicle.vin not in configured]
        if not self._vehicles:
            return self.async_abort(reason="already_configured")
        errors = {}
        if user_input is not None:
            selected = [vehicle for vehicle in self._vehicles if vehicle.path_id in user_input[CONF_VEHICLES]]
            if selected:
                del user_input[CONF_VEHICLES]
                return self._create_account(selected, user_input)
            errors = {CONF_VEHICLES: "no_vehicle_chosen"}
        schema = vehicles_schema(self._vehicles, self._service_type)
        return self._show("vehicles", schema, errors=errors)

    async def async_step_vehicle(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a vehicle's id, if the service does not list its vehicles."""
        if user_input is None:
            return self._show("vehicle", ID_SCHEMA)
        self._path_id = user_input[CONF_ID].strip()
        if not is_path_id(self._path_id, self._service_type):
            return self._show("vehicle", ID_SCHEMA, user_input, {CONF_ID: "invalid_id"})
        try:
            vehicle = await discover_vehicle(self._client, self._path_id)
        except AsleepError:
            return await self.async_step_wake()
        except AuthenticationError as error:
            # Without a list, this was the first request with the token.
            return self._show_account(self._errors(error, CONF_ACCESS_TOKEN))
        except ServiceError as error:
            return self._show("vehicle", ID_SCHEMA, user_input, self._errors(error, CONF_ID))
        return self._create_account_with(vehicle)

    async def async_step_wake(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether to wake the vehicle, which must be awake to report its VIN."""
        if user_input is None:
            return self._show("wake", EMPTY_SCHEMA)
        try:
            record = await self._client.wake_up(self._path_id)
        except ServiceError as error:
            return self._show("wake", EMPTY_SCHEMA, errors=self._errors(error, "base"))
        return self._create_account_with(DiscoveredVehicle.from_record(record))

    def _create_account_with(self, vehicle: DiscoveredVehicle | None) -> ConfigFlowResult:
        if vehicle is None:
            return self._show("vehicle", ID_SCHEMA, {CONF_ID: self._path_id}, {CONF_ID: "no_vin"})
        if vehicle.vin in configured_vins(self.hass):
            return self.async_abort(reason="already_configured")
        return self._create_account([vehicle], {})

    # A simulated account

    async def async_step_simulator(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the number of simulated cars and their time factor."""
        if user_input is None:
            return self._show(CONF_SIMULATOR, SIMULATOR_SCHEMA)
        settings = {name: int(user_input[name]) for name in (CONF_VEHICLES, CONF_SPEED)}
        configured = configured_vins(self.hass)
        seeds = count()
        while True:
            self._data = {CONF_SIMULATOR: {**settings, CONF_SEED: next(seeds)}}
            vehicles = await _list_vehicles(self.hass, self._data) or []
            # Each seed has other cars. The cars of two accounts must differ.
            if configured.isdisjoint(vehicle.vin for vehicle in vehicles):
                return self._create_account(vehicles, {CONF_BLUEPRINTS: user_input[CONF_BLUEPRINTS]})

    # A new access token or base URL

    async def async_step_reauth(self, _entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """Start after the service refused the access token."""
        if CONF_SIMULATOR in self._get_reauth_entry().data:
            return await self.async_step_reauth_simulator()
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_simulator(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask whether to restart a simulated account, which creates a new token."""
        entry = self._get_reauth_entry()
        if user_input is None:
            return self._show("reauth_simulator", EMPTY_SCHEMA, name=entry.title)
        self._data = dict(entry.data)
        return self._replace_data(entry)

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a new access token of the same account."""
        entry = self._get_reauth_entry()
        self._service_type = service_type_of(entry.data)
        errors = {}
        if user_input is not None:
            kept = dict(entry.data)
            kept.pop(CONF_TOKEN_REFRESH, None)
            try:
                self._data = {**kept, **_tokens(user_input, self._service_type.refresh_url)}
            except _InvalidInputError as error:
                errors = error.errors
            else:
                errors = await self._check_same_account(entry, CONF_ACCESS_TOKEN)
                if not errors:
                    return self._replace_data(entry)
        values = _form_values(entry.data) if user_input is None else user_input
        schema = token_schema(self._service_type)
        return self._show("reauth_confirm", schema, values, errors, name=entry.title)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for a new base URL or a new access token of the same account."""
        entry = self._get_reconfigure_entry()
        if CONF_SIMULATOR in entry.data:
            return await self.async_step_reconfigure_simulator()
        if user_input is None:
            self._service_type = service_type_of(entry.data)
            return self._show_account(values=_form_values(entry.data))
        service_type = SERVICE_TYPES[user_input.get(CONF_SERVICE, self._service_type.key)]
        if service_type is not self._service_type:
            # It has another form.
            self._service_type = service_type
            return self._show_account(values=_form_values({CONF_SERVICE: service_type.key}))
        try:
            self._set_account(user_input, entry.data)
        except _InvalidInputError as error:
            return self._show_account(error.errors, user_input)
        return await self._check_command_url() or await self._reconfigure()

    async def _reconfigure(self) -> ConfigFlowResult:
        """Replace the data of an account. Warn before commands go to a new address without encryption."""
        known = {url.origin() for url in _insecure_urls(self._get_reconfigure_entry().data).values()}
        new = [key for key, url in _insecure_urls(self._data).items() if url.origin() not in known]
        if CONF_BASE_URL in new:
            return self._show_account({self._address_field: "insecure_url"})
        return await (self.async_step_insecure() if new else self._replace_account())

    async def _replace_account(self) -> ConfigFlowResult:
        """Replace the data of an account, if the new data is for the same one."""
        entry = self._get_reconfigure_entry()
        stored = entry.data.get(CONF_TOKEN_REFRESH)
        errors = await self._check_same_account(entry, self._address_field, stored)
        return self._show_account(errors) if errors else self._replace_data(entry)

    async def async_step_reconfigure_simulator(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for the settings of a simulated account. Added cars are reported as issues."""
        entry = self._get_reconfigure_entry()
        settings = entry.data[CONF_SIMULATOR]
        if user_input is None:
            return self._show(
                "reconfigure_simulator", RECONFIGURE_SIMULATOR_SCHEMA, settings, name=entry.title
            )
        changed = {**user_input, CONF_VEHICLES: int(user_input[CONF_VEHICLES])}
        self._data = {CONF_SIMULATOR: {**settings, **changed}}
        return self._replace_data(entry)

    async def _check_same_account(
        self, entry: ConfigEntry, field: str, stored: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Return an error unless the service knows any vehicle of the account, or can't tell.

        `field`: the form field for the error, if it is not about the token. `stored`: the token refresh of
        the account, which is not tried: its refresh token has a successor that the account itself uses.
        """
        settings = self._data.get(CONF_TOKEN_REFRESH)
        is_kept = settings and stored and settings[CONF_REFRESH_TOKEN] == stored[CONF_REFRESH_TOKEN]
        if not is_kept and (errors := await self._refresh_tokens()):
            return errors
        subentries = entry.subentries.values()
        path_ids = [
            self._service_type.path_id(str(subentry.unique_id), subentry.data[CONF_ID])
            for subentry in subentries
        ]
        try:
            await self._find_base_url()
            vehicles = await _list_vehicles(self.hass, self._data)
            if vehicles is None:
                vehicles = await discover_vehicles(self._client, path_ids)
        except ServiceError as error:
            return self._account_errors(error, field)
        expected = {subentry.unique_id for subentry in subentries}
        if vehicles is not None and expected and expected.isdisjoint(vehicle.vin for vehicle in vehicles):
            return {field: "wrong_account"}
        return {}

    def _replace_data(self, entry: ConfigEntry) -> ConfigFlowResult:
        """Store the new data and reload the account in any state. A service that now costs gets its limit."""
        # Only a loaded account has an update listener, which reloads it if the data changed.
        has_reloaded = entry.state is ConfigEntryState.LOADED and dict(entry.data) != self._data
        options = dict(entry.options)
        if self._service_type is not service_type_of(entry.data) and not options.get(CONF_LIVE_READS_PER_DAY):
            options |= self._limits
        result = self.async_update_and_abort(entry, data=self._data, options=options)
        if not has_reloaded:
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return result

    # Common to all steps

    def _set_account(self, user_input: Mapping[str, Any], stored: Mapping[str, Any] | None = None) -> None:
        """Set the data from a form. Raises _InvalidInputError.

        `stored`: the account's data. Its refresh token is kept if none is entered, and the accepted
        certificate with the address for commands. Without a base URL, the service's own is used, which is
        found later if it has several.
        """
        stored = stored or {}
        refresh_url = self._service_type.refresh_url
        tokens = _tokens(user_input, refresh_url, stored.get(CONF_TOKEN_REFRESH))
        self._data = {CONF_SERVICE: self._service_type.key, **tokens}
        addresses = {**user_input.get(CONF_ADDRESSES, {}), **user_input}
        if (url := addresses.get(CONF_BASE_URL)) or not self._service_type.base_urls:
            self._data[CONF_BASE_URL] = _parse_address(url or "", self._address_field)
        elif len(self._service_type.base_urls) == 1:
            (self._data[CONF_BASE_URL],) = self._service_type.base_urls
        if url := addresses.get(CONF_COMMAND_URL):
            self._data[CONF_COMMAND_URL] = _parse_address(url, "base", "invalid_command_url")
            if self._data[CONF_COMMAND_URL] == stored.get(CONF_COMMAND_URL) and (
                certificate := stored.get(CONF_COMMAND_CERTIFICATE)
            ):
                self._data[CONF_COMMAND_CERTIFICATE] = certificate

    async def _refresh_tokens(self) -> dict[str, str]:
        """Refresh the access token once, to check the data for it. Return errors for the form.

        The service may accept each refresh token only once. So if the same one is entered again after an
        error, its successor is used.
        """
        if (settings := self._data.get(CONF_TOKEN_REFRESH)) is None:
            return {}
        entered = settings[CONF_REFRESH_TOKEN]
        if entered not in self._refreshed:
            refresher = create_refresher(self.hass, self._data)
            try:
                await refresher.refresh()
            except (RefreshFailedError, RefreshRefusedError) as error:
                return self._errors(error, "base")
            self._refreshed[entered] = refresher.tokens
        self._data = with_tokens(self._data, self._refreshed[entered])
        return {}

    async def _find_base_url(self) -> None:
        """Find the region of the account if no base URL was entered. Raises ServiceError."""
        if CONF_BASE_URL not in self._data:
            self._data[CONF_BASE_URL] = await find_base_url(
                lambda url: create_client(self.hass, {**self._data, CONF_BASE_URL: url}), self._service_type
            )

    def _create_account(
        self, vehicles: list[DiscoveredVehicle], options: Mapping[str, Any]
    ) -> ConfigFlowResult:
        """Create the account. Without options, it has the limit that fits the cost of its requests."""
        limits = {key: int(options.get(key, limit)) for key, limit in self._limits.items()}
        return self.async_create_entry(
            title=self._title(),
            data=self._data,
            options={CONF_BLUEPRINTS: False, **options, **limits},
            subentries=[vehicle.subentry for vehicle in vehicles],
        )

    @property
    def _limits(self) -> dict[str, int]:
        """The limit that fits the cost of the service's requests, if they cost money."""
        limit = self._service_type.live_reads_per_day
        return {CONF_LIVE_READS_PER_DAY: limit} if limit else {}

    def _title(self) -> str:
        """Return the service or host of the account, with a number if another account has the same title."""
        url = self._data.get(CONF_BASE_URL)
        name = self._service_type.name or ("Simulator" if url is None else URL(url).host or url)
        taken = {entry.title for entry in self._async_current_entries()}
        titles = (name if number == 1 else f"{name} {number}" for number in count(1))
        return next(title for title in titles if title not in taken)

    def _errors(self, error: ServiceError, field: str) -> dict[str, str]:
        self._error_detail = error.detail
        return {field: error.key}

    def _account_errors(self, error: ServiceError, field: str) -> dict[str, str]:
        """Return an error of the token's field if the token can solve it, else of another field."""
        return self._errors(error, CONF_ACCESS_TOKEN if isinstance(error, _TOKEN_ERRORS) else field)

    @property
    def _is_reconfigured(self) -> bool:
        return self.source == SOURCE_RECONFIGURE

    @property
    def _account_step(self) -> str:
        """The step that asks for the access to the service."""
        if self._is_reconfigured:
            return SOURCE_RECONFIGURE
        return "token" if self._service_type.base_urls else "address"

    @property
    def _address_field(self) -> str:
        """The field for errors of the address. Sections can't show errors."""
        return "base" if self._service_type.base_urls else CONF_BASE_URL

    def _show_account(
        self, errors: dict[str, str] | None = None, values: Mapping[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the form for the access to the service."""
        schema = account_schema(self._service_type)
        if self._is_reconfigured:
            service = vol.Required(CONF_SERVICE, default=self._service_type.key)
            schema = vol.Schema({service: SERVICE_SELECTOR, **schema.schema})
        return self._show(
            self._account_step,
            schema,
            _form_values(self._data) if values is None else values,
            errors,
            service=self._service_type.name,
            console=self._service_type.console_url,
        )

    def _show(
        self,
        step: str,
        schema: vol.Schema,
        values: Mapping[str, Any] | None = None,
        errors: dict[str, str] | None = None,
        **placeholders: str,
    ) -> ConfigFlowResult:
        """Show a form with suggested values, but never with a token."""
        if values is not None:
            schema = self.add_suggested_values_to_schema(schema, _without_secrets(values))
            schema = _with_open_sections(schema, values)
        return self.async_show_form(
            step_id=step,
            data_schema=schema,
            errors=errors,
            description_placeholders={
                # Not escaped, because only errors contain it, and they are plain text.
                "detail": self._error_detail or "-",
                "documentation": async_get_loaded_integration(self.hass, DOMAIN).documentation or "-",
                "example": EXAMPLE_URL,
                **_escape(placeholders),
            },
        )


class AccountOptionsFlow(OptionsFlow):
    """Changes the options of an account."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the options."""
        if user_input is None:
            return self.async_show_form(
                step_id="init",
                data_schema=self.add_suggested_values_to_schema(
                    ACCOUNT_OPTIONS_SCHEMA, self.config_entry.options
                ),
                description_placeholders=_escape({"name": self.config_entry.title}),
            )
        numbers = (CONF_INTERVAL, CONF_REQUESTS_PER_DAY, CONF_LIVE_READS_PER_DAY)
        return self.async_create_entry(data={**user_input, **{key: int(user_input[key]) for key in numbers}})


def _needs_running_client(entry: ConfigEntry) -> bool:
    """Return whether only the loaded account has what requests need: the simulator, or the newest tokens."""
    return not {CONF_SIMULATOR, CONF_TOKEN_REFRESH}.isdisjoint(entry.data)


def _read_uploaded_log(hass: HomeAssistant, file_id: str) -> LogFile:
    """Return the content of an uploaded file, and delete the file. Raises LogFileError."""
    try:
        with process_uploaded_file(hass, file_id) as path:
            content = path.read_bytes()
    except ValueError:
        # Home Assistant was restarted after the upload.
        raise LogFileError from None
    return read_log(content, log_units(hass), dt_util.utcnow().timestamp())


def _as_rows(problems: Sequence[Problem]) -> str:
    """Return the rows of a Markdown table with the first problems, and how many more there are."""
    rows = [
        "".join(f"| {escape_markdown(cell)} " for cell in problem) + "|"
        for problem in problems[:_MOST_PROBLEMS]
    ]
    more = len(problems) - len(rows)
    return "\n".join([*rows, *([f"| + {more} | | |"] if more else [])])


class VehicleSubentryFlow(ConfigSubentryFlow):
    """Adds a vehicle to an account, or changes its options."""

    def __init__(self) -> None:
        self._path_id = ""
        self._file = LogFile(Entries())

    @property
    def _client(self) -> Client:
        """The client of the account."""
        entry = self._get_entry()
        if _needs_running_client(entry):
            client: Client = entry.runtime_data.service.client
            return client
        return create_client(self.hass, entry.data)

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask for a vehicle from the list, or for its id if the service has no list."""
        entry = self._get_entry()
        if _needs_running_client(entry) and entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="not_loaded")
        try:
            listed = await list_vehicles(self._client)
        except ServiceError as error:
            return self.async_abort(reason=error.key, description_placeholders=_escape(error.placeholders))
        schema, available = ID_SCHEMA, {}
        if listed is not None:
            configured = configured_vins(self.hass)
            available = {vehicle.path_id: vehicle for vehicle in listed if vehicle.vin not in configured}
            if not available:
                return await self.async_step_simulated()
            schema = vol.Schema({vol.Required(CONF_ID): vehicle_selector(available.values(), multiple=False)})
        if user_input is None:
            return self._show("user", schema)
        self._path_id = user_input[CONF_ID].strip()
        if not is_path_id(self._path_id, service_type_of(entry.data)):
            return self._show("user", schema, {CONF_ID: "invalid_id"})
        return await self._find_and_add(available, schema)

    async def async_step_simulated(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """If all vehicles of the account are configured, offer another one of a simulated account."""
        entry = self._get_entry()
        if (settings := entry.data.get(CONF_SIMULATOR)) is None:
            return self.async_abort(reason="already_configured")
        number = int(settings[CONF_VEHICLES]) + 1
        if number > MAX_SIMULATED_VEHICLES:
            return self.async_abort(reason="simulator_full")
        if user_input is None:
            return self._show("simulated", EMPTY_SCHEMA)
        data = {CONF_SIMULATOR: {**settings, CONF_VEHICLES: number}}
        *_, added = await _list_vehicles(self.hass, data) or []
        self.hass.config_entries.async_update_entry(entry, data=data)
        return self._add(added, EMPTY_SCHEMA)

    async def _find_and_add(
        self, available: Mapping[str, DiscoveredVehicle], schema: vol.Schema
    ) -> SubentryFlowResult:
        try:
            vehicle = available.get(self._path_id) or await discover_vehicle(self._client, self._path_id)
        except ServiceError as error:
            may_wake = not AccountOptions.from_entry(self._get_entry().options).is_read_only
            if isinstance(error, AsleepError) and may_wake:
                return await self.async_step_wake()
            return self._show("user", schema, {CONF_ID: error.key}, error.placeholders)
        return self._add(vehicle, schema)

    async def async_step_wake(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask whether to wake the vehicle, which must be awake to report its VIN."""
        if user_input is None:
            return self._show("wake", EMPTY_SCHEMA)
        try:
            record = await self._client.wake_up(self._path_id)
        except ServiceError as error:
            return self._show("wake", EMPTY_SCHEMA, {"base": error.key}, error.placeholders)
        return self._add(DiscoveredVehicle.from_record(record), ID_SCHEMA)

    def _add(self, vehicle: DiscoveredVehicle | None, schema: vol.Schema) -> SubentryFlowResult:
        if vehicle is None:
            return self._show("user", schema, {CONF_ID: "no_vin"})
        if vehicle.vin in configured_vins(self.hass):
            return self.async_abort(reason="already_configured")
        return self.async_create_entry(title=vehicle.name, data=vehicle.data, unique_id=vehicle.vin)

    async def async_step_reconfigure(self, _user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Let the user choose between the options and two imports."""
        return self.async_show_menu(
            step_id="reconfigure",
            menu_options=["settings", "import_log", "import_history"],
            description_placeholders=_escape({"name": self._get_reconfigure_subentry().title}),
        )

    async def async_step_settings(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask for the options of a vehicle."""
        subentry = self._get_reconfigure_subentry()
        if user_input is None:
            suggested = {**subentry.data, CONF_LOG: subentry.data}
            schema = vehicle_options_schema(service_type_of(self._get_entry().data))
            schema = self.add_suggested_values_to_schema(schema, suggested)
            return self._show("settings", schema, placeholders=_escape({"name": subentry.title}))
        intervals = {mode: int(seconds) for mode, seconds in user_input[CONF_INTERVALS].items()}
        log = {**dict.fromkeys(map(str, LOG_SCHEMA.schema)), **user_input.pop(CONF_LOG)}
        options = {CONF_POWERED_LIDS: [], **user_input, CONF_INTERVALS: intervals, **log}
        return self.async_update_and_abort(self._get_entry(), subentry, data_updates=options)

    @property
    def _log(self) -> DriveLogManager | None:
        """The log of the vehicle, if the account is loaded."""
        entry: VehicleConfigEntry = self._get_entry()
        if entry.state is not ConfigEntryState.LOADED:
            return None
        vehicle = entry.runtime_data.vehicles.get(self._reconfigure_subentry_id)
        return None if vehicle is None else vehicle.log_manager

    async def async_step_import_log(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask for a file with a log."""
        if (log := self._log) is None:
            return self.async_abort(reason="not_loaded")
        if user_input is None:
            return self._show("import_log", IMPORT_SCHEMA)
        try:
            self._file = await self.hass.async_add_executor_job(
                _read_uploaded_log, self.hass, user_input[CONF_FILE]
            )
        except LogFileError as error:
            return self._show("import_log", IMPORT_SCHEMA, {CONF_FILE: error.key}, error.placeholders)
        if form := await self._summarize(log):
            return form
        if not self._file.problems:
            return self._show("import_log", IMPORT_SCHEMA, {CONF_FILE: "import_nothing_new"})
        counts = {"skipped": str(self._file.entries.total), "wrong": str(len(self._file.problems))}
        first = self._file.problems[0]._asdict()
        return self._show("import_log", IMPORT_SCHEMA, {CONF_FILE: "import_nothing_right"}, counts | first)

    async def async_step_import_history(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Ask for an odometer with statistics of the time before the log."""
        if (log := self._log) is None:
            return self.async_abort(reason="not_loaded")
        if user_input is not None:
            self._file = LogFile(await log.async_drives_before(user_input[CONF_ENTITY_ID]))
            if form := await self._summarize(log):
                return form
        vin = self._get_reconfigure_subentry().unique_id
        own = er.async_get(self.hass).async_get_entity_id(
            Platform.SENSOR, DOMAIN, f"{vin}-{VehicleState.odometer.path}"
        )
        schema = self.add_suggested_values_to_schema(HISTORY_SCHEMA, user_input or {CONF_ENTITY_ID: own})
        return self._show(
            "import_history", schema, {CONF_ENTITY_ID: "import_no_history"} if user_input else None
        )

    async def _summarize(self, log: DriveLogManager) -> SubentryFlowResult | None:
        """Show what is imported and what is not, or return None if nothing is new."""
        entries, problems, ignored = self._file
        new = await log.async_new_entries(entries)
        if not new.total:
            return None
        start, end = (dt_util.as_local(dt_util.utc_from_timestamp(moment)) for moment in new.period)
        summary = {
            "drives": str(len(new.drives)),
            "charges": str(len(new.charges)),
            "stays": str(len(new.stays)),
            "start": str(start.date()),
            "end": str(end.date()),
            "skipped": str(entries.total - new.total),
            "ignored": ", ".join(map(escape_markdown, ignored[:_MOST_PROBLEMS])) or "-",
        }
        if not problems:
            return self._show("confirm_import", EMPTY_SCHEMA, placeholders=summary)
        summary |= {"wrong": str(len(problems)), "problems": _as_rows(problems)}
        return self._show("confirm_partial_import", EMPTY_SCHEMA, placeholders=summary)

    async def async_step_confirm_import(
        self, _user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Import the log, after the user has seen what it contains."""
        log = self._log
        is_imported = log is not None and await log.async_insert(self._file.entries)
        return self.async_abort(reason="log_imported" if is_imported else "not_loaded")

    async_step_confirm_partial_import = async_step_confirm_import

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
