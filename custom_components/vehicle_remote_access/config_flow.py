"""Config flow of an account: add it with its vehicles, and change its access to the service and its options.

An account is a config entry. Each of its vehicles is a subentry whose unique id is the VIN.
"""

from collections.abc import Mapping
from functools import partialmethod
from typing import Any, Final, override

from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
)
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_ID
from homeassistant.core import callback
from homeassistant.helpers import schema_config_entry_flow as schema_flow
import voluptuous as vol
from yarl import URL

from . import const
from .account.certificate import certificate_to_accept
from .account.discovery import DiscoveredVehicle, discover_vehicles, fetch_vehicles, find_base_url
from .account.markdown import escape_markdown
from .account.provider import service_type_of
from .account.token_store import create_refresher, with_tokens
from .api import errors as api_errors
from .api.service_types import SERVICE_TYPES, Prices
from .flows import schemas
from .flows.sign_in_flow import SignInFlow
from .flows.subentry_flow import VehicleSubentryFlow
from .flows.vehicle_flow import UserInput

# Another access token, or a change in the account or in the car, can solve these errors.
_TOKEN_ERRORS: Final = (
    api_errors.AccountLockedError,
    api_errors.AuthenticationError,
    api_errors.MobileAccessDisabledError,
    api_errors.PaymentRequiredError,
    api_errors.PermissionDeniedError,
    api_errors.SigningRequiredError,
)
# The fields that can solve these errors are in sections, which can't show errors.
_SECTION_ERRORS: Final = (
    api_errors.CommandUrlError,
    api_errors.RefreshFailedError,
    api_errors.RefreshRefusedError,
)


class VehicleConfigFlow(SignInFlow, domain=const.DOMAIN):
    """Adds an account, real or simulated, or changes its access to the service."""

    def __init__(self) -> None:
        super().__init__()
        self._certificate = ""
        """The fingerprint of the certificate to accept."""

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        return {const.SUBENTRY_VEHICLE: VehicleSubentryFlow}

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        service_type = service_type_of(config_entry.data)

        async def placeholders(_handler: schema_flow.SchemaCommonFlowHandler) -> dict[str, str]:
            prices = {name: f"{price:g}" for name, price in vars(service_type.prices or Prices()).items()}
            return {"name": escape_markdown(config_entry.title), **prices}

        # What is stored is flat.
        async def values(handler: schema_flow.SchemaCommonFlowHandler) -> dict[str, Any]:
            return {**handler.options, const.CONF_ADVANCED: handler.options}

        async def flatten(
            _handler: schema_flow.SchemaCommonFlowHandler, user_input: UserInput
        ) -> dict[str, Any]:
            advanced = user_input.pop(const.CONF_ADVANCED)
            return {**user_input, **advanced}

        step = schema_flow.SchemaFlowFormStep(
            schemas.account_options_schema(service_type),
            validate_user_input=flatten,
            suggested_values=values,
            description_placeholders=placeholders,
        )
        return schema_flow.SchemaOptionsFlowHandler(config_entry, {"init": step})

    @override
    async def async_step_user(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        return self.async_show_menu(step_id="user", menu_options=["account", const.CONF_SIMULATOR])

    # Access to the service

    async def async_step_account(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        return self.async_show_menu(
            step_id="account",
            menu_options=[*SERVICE_TYPES],
            description_placeholders={"documentation": self._documentation},
        )

    async def _select_service(self, key: str, _user_input: UserInput | None = None) -> ConfigFlowResult:
        self._data = {const.CONF_SERVICE: key}
        return await self.async_step_auth_method()

    async_step_tessie = partialmethod(_select_service, "tessie")
    async_step_teslemetry = partialmethod(_select_service, "teslemetry")
    async_step_tesla_fleet = partialmethod(_select_service, "tesla_fleet")
    async_step_other = partialmethod(_select_service, "other")

    @override
    async def async_step_token(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask for the access token, and for the base URL of a service whose address is unknown."""
        if user_input is not None:
            return await self._submit_account(user_input)
        self._signs_in = False
        return (
            await self.async_step_reauth_confirm() if self.source == SOURCE_REAUTH else self._show_account()
        )

    async_step_address = async_step_token

    async def async_step_change_address(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        return self._show_account()

    async def async_step_reconfigure(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask for another service, base URL or access token of the same account."""
        entry = self._get_reconfigure_entry()
        self._name = entry.title
        if const.CONF_SIMULATOR in entry.data:
            return await self.async_step_reconfigure_simulator()
        if user_input is None:
            self._data = dict(entry.data)
            return await self.async_step_auth_method()
        if user_input[const.CONF_SERVICE] != self._service_type.key:
            # The form of another service has other fields. A token of this service must not reach that one.
            return await self._select_service(user_input[const.CONF_SERVICE])
        return await self._submit_account(user_input)

    async def _submit_account(self, user_input: Mapping[str, Any]) -> ConfigFlowResult:
        try:
            self._data = schemas.parse_account(user_input, self._service_type, self._stored)
        except schemas.InvalidInputError as error:
            return self._show_account(error.errors, user_input)
        if not self._stored:
            own = (const.CONF_BASE_URL, CONF_ACCESS_TOKEN)
            self._async_abort_entries_match({key: self._data[key] for key in own if key in self._data})
        return await self._check_command_url() or await self._connect_if_secure()

    async def _check_command_url(self) -> ConfigFlowResult | None:
        """Return the step that reports a problem of the address for commands, or None if there is none."""
        if (url := self._data.get(const.CONF_COMMAND_URL)) is None:
            return None
        try:
            certificate = await certificate_to_accept(url)
        except api_errors.CommandUrlError as error:
            return self._show_account(self._errors(error, "base"))
        if certificate is None:
            # The proxy may have got a certificate of a public authority since then.
            self._data.pop(const.CONF_COMMAND_CERTIFICATE, None)
            return None
        if certificate == self._data.get(const.CONF_COMMAND_CERTIFICATE):
            return None
        self._certificate = certificate
        return await self.async_step_certificate()

    async def async_step_certificate(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        return self.async_show_menu(
            step_id="certificate",
            menu_options=["accept_certificate", "change_address"],
            description_placeholders={
                "host": escape_markdown(URL(self._data[const.CONF_COMMAND_URL]).authority),
                # In groups, as browsers and openssl show it
                "fingerprint": bytes.fromhex(self._certificate).hex(":").upper(),
            },
        )

    async def async_step_accept_certificate(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        self._data[const.CONF_COMMAND_CERTIFICATE] = self._certificate
        return await self._connect_if_secure()

    async def _connect_if_secure(self) -> ConfigFlowResult:
        """Connect, or warn before a token is sent to a new address without encryption."""
        known = {url.origin() for url in schemas.insecure_urls(self._stored).values()}
        urls = schemas.insecure_urls(self._data)
        insecure = {field for field, url in urls.items() if url.origin() not in known}
        if self._stored and const.CONF_BASE_URL in insecure:
            return self._show_account({schemas.address_field(self._service_type): "insecure_url"})
        return await (self.async_step_insecure() if insecure else self.async_step_connect())

    async def async_step_insecure(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        hosts = ", ".join(sorted({url.host or "-" for url in schemas.insecure_urls(self._data).values()}))
        return self.async_show_menu(
            step_id="insecure",
            menu_options=["connect", "change_address"],
            description_placeholders={"host": escape_markdown(hosts)},
        )

    async def async_step_connect(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        """Request the list of vehicles. This wakes no vehicle."""
        if checklist := await self._check_if_due():
            return checklist
        if self._stored:
            entry = self._get_reconfigure_entry()
            errors = await self._check_same_account(entry, schemas.address_field(self._service_type))
            return self._show_account(errors) if errors else self._replace_data(entry)
        try:
            vehicles = await self._request_vehicles()
        except api_errors.ServiceError as error:
            return self._show_account(self._account_errors(error, schemas.address_field(self._service_type)))
        if vehicles is None:
            return await self.async_step_vehicle()
        if not vehicles:
            return self._show_account({"base": "no_vehicles"})
        self._vehicles = vehicles
        return await self.async_step_vehicles()

    async def _request_vehicles(self) -> list[DiscoveredVehicle] | None:
        """Return the vehicles of the account, or None if the service does not list them. Raises ServiceError.

        A refresh token that is kept is not tried, because it has a successor that the account itself uses.
        """
        entered = self._data.get(const.CONF_TOKEN_REFRESH, {}).get(const.CONF_REFRESH_TOKEN)
        kept = self._stored.get(const.CONF_TOKEN_REFRESH, {}).get(const.CONF_REFRESH_TOKEN)
        if entered and entered != kept:
            await self._refresh_tokens(entered)
        if const.CONF_BASE_URL not in self._data:
            self._data[const.CONF_BASE_URL] = await find_base_url(self.hass, self._data)
        return await fetch_vehicles(self.hass, self._data)

    async def _refresh_tokens(self, entered: str) -> None:
        """Check the entered refresh token by using it. Raises ServiceError.

        It may work only once, so if the same one is entered again after an error, its successor is used.
        """
        if entered not in self._refreshed:
            refresher = create_refresher(self.hass, self._data)
            await refresher.refresh()
            self._refreshed[entered] = refresher.tokens
        self._data = with_tokens(self._data, self._refreshed[entered])

    @override
    def _show_id_error(self, error: api_errors.ServiceError) -> ConfigFlowResult:
        if isinstance(error, api_errors.AuthenticationError):
            # Without a list, this was the first request with the token.
            return self._show_account(self._errors(error, CONF_ACCESS_TOKEN))
        return super()._show_id_error(error)

    # Changes of a simulated account

    async def async_step_reconfigure_simulator(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask for the settings of a simulated account. Added cars are reported as issues."""
        entry = self._get_reconfigure_entry()
        settings = entry.data[const.CONF_SIMULATOR]
        if user_input is None:
            return self._show("reconfigure_simulator", schemas.RECONFIGURE_SIMULATOR_SCHEMA, values=settings)
        self._data = {const.CONF_SIMULATOR: {**settings, **user_input}}
        return self._replace_data(entry)

    # Reauthentication

    async def async_step_reauth(self, _entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        entry = self._get_reauth_entry()
        self._name, self._data = entry.title, dict(entry.data)
        if const.CONF_SIMULATOR in self._data:
            return await self.async_step_reauth_simulator()
        return await self.async_step_auth_method()

    async def async_step_reauth_simulator(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask whether to restart a simulated account, which creates a new token."""
        if user_input is None:
            return self._show("reauth_simulator", schemas.EMPTY_SCHEMA)
        return self._replace_data(self._get_reauth_entry())

    async def async_step_reauth_confirm(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        entry = self._get_reauth_entry()
        errors = {}
        if user_input is not None:
            kept = {key: value for key, value in entry.data.items() if key != const.CONF_TOKEN_REFRESH}
            try:
                self._data = {**kept, **schemas.parse_tokens(user_input, self._service_type)}
            except schemas.InvalidInputError as error:
                errors = error.errors
            else:
                errors = await self._check_same_account(entry, CONF_ACCESS_TOKEN)
                if not errors:
                    return self._replace_data(entry)
        values = user_input or schemas.account_form_values(entry.data)
        schema = schemas.token_schema(self._service_type)
        return self._show("reauth_confirm", schema, errors, values)

    @override
    async def _finish_sign_in(self) -> ConfigFlowResult:
        if self.source == SOURCE_REAUTH:
            errors = await self._check_same_account(self._get_reauth_entry(), CONF_ACCESS_TOKEN)
            return self._show_account(errors) if errors else self._replace_data(self._get_reauth_entry())
        if len(self._service_type.base_urls) == 1:
            self._data.setdefault(const.CONF_BASE_URL, self._service_type.base_urls[0])
        # A proxy that does not run now is no reason against a new token.
        is_new_url = self._data.get(const.CONF_COMMAND_URL) != self._stored.get(const.CONF_COMMAND_URL)
        problem = await self._check_command_url() if is_new_url else None
        return problem or await self._connect_if_secure()

    # Changes of an existing account

    async def _check_same_account(self, entry: ConfigEntry, field: str) -> dict[str, str]:
        """Return an error at `field` unless the service knows a vehicle of the account, or can't tell."""
        subentries = entry.subentries.values()
        path_ids = [
            self._service_type.path_id(str(subentry.unique_id), subentry.data[CONF_ID])
            for subentry in subentries
        ]
        try:
            vehicles = await self._request_vehicles()
            if vehicles is None:
                vehicles = await discover_vehicles(self._provider, path_ids)
        except api_errors.ServiceError as error:
            return self._account_errors(error, field)
        expected = {str(subentry.unique_id).upper() for subentry in subentries}
        if vehicles is not None and expected and expected.isdisjoint(vehicle.vin for vehicle in vehicles):
            return {field: "wrong_account"}
        return {}

    def _replace_data(self, entry: ConfigEntry) -> ConfigFlowResult:
        """Store the new data and reload the account in any state. A service that now costs gets its limit."""
        # Only a loaded account has an update listener, which reloads it if the data changed.
        has_reloaded = entry.state is ConfigEntryState.LOADED and dict(entry.data) != self._data
        options = dict(entry.options)
        is_other_service = self._service_type is not service_type_of(entry.data)
        if is_other_service:
            for name in (const.CONF_PRICES, const.CONF_SPENDING_LIMIT):
                options.pop(name, None)
            if not options.get(const.CONF_LIVE_READS_PER_DAY):
                options = {**self._limits, **options}
        result = self.async_update_and_abort(entry, data=self._data, options=options)
        if not has_reloaded:
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return result

    # Forms

    def _account_errors(self, error: api_errors.ServiceError, field: str) -> dict[str, str]:
        """Return an error at the field that can solve it. `field`: the field if neither token can."""
        if isinstance(error, _TOKEN_ERRORS):
            field = CONF_ACCESS_TOKEN
        elif isinstance(error, _SECTION_ERRORS):
            field = "base"
        return self._errors(error, field)

    @property
    def _stored(self) -> Mapping[str, Any]:
        """The current data of an account that is reconfigured, else empty."""
        return self._get_reconfigure_entry().data if self.source == SOURCE_RECONFIGURE else {}

    def _show_account(
        self, errors: dict[str, str] | None = None, values: Mapping[str, Any] | None = None
    ) -> ConfigFlowResult:
        if self._signs_in:
            return self._show_sign_in_again(errors)
        service_type = self._service_type
        step = "token" if service_type.base_urls else "address"
        fields = schemas.account_schema(service_type).schema
        if self._stored:
            step = SOURCE_RECONFIGURE
            fields = {**schemas.service_field(service_type), **fields}
        return self._show(
            step,
            vol.Schema(fields),
            errors,
            schemas.account_form_values(self._data) if values is None else values,
            {"service": service_type.name, "console": service_type.console_url},
        )
