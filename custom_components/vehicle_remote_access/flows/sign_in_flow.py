"""The steps of the config flow in which owners sign in at the service in their browser."""

from abc import abstractmethod
from contextlib import suppress
from typing import Any, Final, cast, override

import aiohttp
from homeassistant.config_entries import SOURCE_REAUTH, ConfigFlowResult
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_CLIENT_ID
from homeassistant.core import callback
from homeassistant.helpers.config_entry_oauth2_flow import (
    ImplementationUnavailableError,
    LocalOAuth2Implementation,
    async_get_implementations,
)
from yarl import URL

from .. import const
from ..account.certificate import certificate_to_accept
from ..account.checklist import PUBLIC_KEY_PATH, Checklist
from ..account.oauth import ApplicationImplementation, RegisteredImplementation
from ..account.token_store import with_tokens
from ..api.errors import CommandUrlError, RefreshFailedError, ServiceDownError
from ..api.token_refresher import Tokens, new_tokens
from .new_account_flow import NewAccountFlow
from .schemas import EMPTY_SCHEMA, SIGN_IN_SCHEMA, InvalidInputError, parse_application
from .vehicle_flow import UserInput

_FAILURES: Final = frozenset(
    {
        "authorize_url_timeout",
        "no_url_available",
        "oauth_error",
        "oauth_failed",
        "oauth_implementation_unavailable",
        "oauth_timeout",
        "oauth_unauthorized",
        "user_rejected_authorize",
    }
)
"""The reasons for which Home Assistant's flow ends a sign-in."""
_MARKS: Final = {True: "✓", False: "✗", None: "?"}


class SignInFlow(NewAccountFlow):
    """Signs in, by Home Assistant's own OAuth flow, and checks what the service needs besides."""

    DOMAIN = const.DOMAIN

    _signs_in = False
    """Whether the owner has chosen to sign in, and not to enter a token."""
    _checklist: Checklist | None = None
    logger = const.LOGGER

    def __init__(self) -> None:
        super().__init__()
        self._refreshed: dict[str, Tokens] = {}
        """The newest tokens by the refresh token that the owner entered or got."""

    @callback
    @override
    def async_abort(self, *, reason: str, **properties: Any) -> ConfigFlowResult:
        result = super().async_abort(reason=reason, **properties)
        # Home Assistant itself has texts for these reasons since 2026.10.
        if reason in _FAILURES and result.get("translation_domain") is None:
            result["reason"] = "sign_in_failed"
        return result

    async def async_step_auth_method(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask whether to sign in or to enter a token, if the service has both."""
        if self._service_type.sign_in is None:
            return await self.async_step_token()
        return self.async_show_menu(step_id="auth_method", menu_options=["sign_in", "token"])

    async def async_step_sign_in(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Sign in with the owner's own client, and ask for what belongs to it, or with a new client."""
        self._signs_in, sign_in = True, self._service_type.sign_in
        if sign_in is not None and sign_in.register_url:
            try:
                stored = self._data.get(const.CONF_TOKEN_REFRESH, {})
                self.flow_impl = await RegisteredImplementation.create(self.hass, sign_in, stored)
            except aiohttp.ClientError, TimeoutError, ValueError:
                return self._show_account(self._errors(ServiceDownError(), "base"))
            return await self.async_step_auth()
        errors = {}
        if user_input is not None:
            try:
                application = parse_application(user_input)
                if url := application.get(const.CONF_COMMAND_URL):
                    await certificate_to_accept(url)
                if url != self._data.pop(const.CONF_COMMAND_URL, None):
                    self._data.pop(const.CONF_COMMAND_CERTIFICATE, None)
                self._data |= application
            except InvalidInputError as error:
                errors = error.errors
            except CommandUrlError as error:
                errors = self._errors(error, const.CONF_COMMAND_URL)
        is_complete = user_input is not None and not errors
        has_client = False
        with suppress(ImplementationUnavailableError):
            has_client = bool(await async_get_implementations(self.hass, self.DOMAIN))
        if is_complete or not has_client or self.source == SOURCE_REAUTH:
            # Without a client, Home Assistant asks for its ID and secret.
            return await self.async_step_pick_implementation()
        console = {"console": self._service_type.console_url}
        return self._show("sign_in", SIGN_IN_SCHEMA, errors, user_input or self._data, console)

    async def async_step_sign_in_again(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        return await self.async_step_sign_in()

    @override
    async def async_oauth_create_entry(self, data: dict[str, Any]) -> ConfigFlowResult:
        """Continue with the tokens, as if the owner had entered them."""
        client = cast("LocalOAuth2Implementation", self.flow_impl)
        try:
            tokens = new_tokens(data["token"])
        except RefreshFailedError as error:
            return self._show_account(self._errors(error, "base"))
        self._data.pop(const.CONF_TOKEN_REFRESH, None)
        self._data[CONF_ACCESS_TOKEN] = tokens.access_token
        if isinstance(client, ApplicationImplementation):
            # Home Assistant does not delete credentials that are in use.
            self._data[const.CONF_AUTH_IMPLEMENTATION] = client.domain
        if tokens.refresh_token:
            refresh = {const.CONF_TOKEN_URL: client.token_url, CONF_CLIENT_ID: client.client_id}
            self._data = with_tokens({**self._data, const.CONF_TOKEN_REFRESH: refresh}, tokens)
            self._refreshed[tokens.refresh_token] = tokens
        return await self._finish_sign_in()

    @abstractmethod
    async def async_step_token(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask for the access token."""

    @abstractmethod
    async def _finish_sign_in(self) -> ConfigFlowResult:
        """Connect with the tokens in the data."""

    async def _check_if_due(self) -> ConfigFlowResult | None:
        """Return the checklist of an application that was not checked yet, else None."""
        if const.CONF_APPLICATION_DOMAIN not in self._data or not self._signs_in or self._checklist:
            return None
        return await self.async_step_checklist()

    async def async_step_checklist(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        self._checklist = Checklist(self.hass, self._data, cast("ApplicationImplementation", self.flow_impl))
        await self._checklist.run()
        own = (None, *self._service_type.base_urls)
        if self._checklist.base_url is not None and self._data.get(const.CONF_BASE_URL) in own:
            self._data[const.CONF_BASE_URL] = self._checklist.base_url
        results = self._checklist.results
        if all(results.values()):
            return await self.async_step_connect()
        domain = URL(self._data[const.CONF_APPLICATION_DOMAIN]).raw_authority
        return self.async_show_menu(
            step_id="checklist",
            menu_options=["checklist", "connect"],
            description_placeholders={
                **{name: _MARKS[result] for name, result in results.items()},
                "domain": domain,
                "public_key_url": self._data[const.CONF_APPLICATION_DOMAIN] + PUBLIC_KEY_PATH,
                "key_url": f"https://tesla.com/_ak/{domain}",
                "documentation": self._documentation,
            },
        )

    @abstractmethod
    async def async_step_connect(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        """Request the list of vehicles."""

    @abstractmethod
    def _show_account(self, errors: dict[str, str] | None = None) -> ConfigFlowResult:
        """Show the form for the access to the service."""

    def _show_sign_in_again(self, errors: dict[str, str] | None) -> ConfigFlowResult:
        self._checklist = None
        error = {"base": next(iter(errors.values()))} if errors else {}
        return self._show(
            "sign_in_again", EMPTY_SCHEMA, error, placeholders={"service": self._service_type.name}
        )
