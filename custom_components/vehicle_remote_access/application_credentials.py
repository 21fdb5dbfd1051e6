"""Application credentials: the client ID and secret of the owner's application at the Tesla Fleet API."""

from typing import cast

from homeassistant.components.application_credentials import ClientCredential
from homeassistant.core import HomeAssistant
from homeassistant.helpers.config_entry_oauth2_flow import MY_AUTH_CALLBACK_PATH

from .account.oauth import ApplicationImplementation
from .api.service_types import SERVICE_TYPES, TESLA_FLEET, SignIn


async def async_get_auth_implementation(
    hass: HomeAssistant, auth_domain: str, credential: ClientCredential
) -> ApplicationImplementation:
    sign_in = SERVICE_TYPES[TESLA_FLEET.key].sign_in
    return ApplicationImplementation(hass, auth_domain, credential, cast("SignIn", sign_in))


async def async_get_description_placeholders(_hass: HomeAssistant) -> dict[str, str]:
    return {"console": TESLA_FLEET.console_url, "redirect_uri": MY_AUTH_CALLBACK_PATH}
