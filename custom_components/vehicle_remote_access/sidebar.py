"""The dashboard in the sidebar, as long as there is an account. Its owner can edit it, and get ours back."""

from typing import Any, Final, override

from homeassistant.components.frontend import (
    async_panel_exists,
    async_register_built_in_panel,
    async_remove_panel,
)
from homeassistant.components.lovelace.const import (
    CONF_URL_PATH,
    DOMAIN as LOVELACE,
    LOVELACE_DATA,
    MODE_STORAGE,
    ConfigNotFound,
)
from homeassistant.components.lovelace.dashboard import LovelaceStorage
from homeassistant.config_entries import SIGNAL_CONFIG_ENTRY_CHANGED
from homeassistant.const import CONF_ID, CONF_MODE
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.json import cached_json_fragment, json_fragment
from homeassistant.helpers.translation import async_get_translations

from .const import DOMAIN

URL_PATH: Final = DOMAIN.replace("_", "-")
GENERATED: Final = {"strategy": {"type": f"custom:{URL_PATH}"}}
ICON: Final = "mdi:car-electric"


class CarsDashboard(LovelaceStorage):
    """A dashboard that is generated until somebody edits it, and again once that is deleted."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Keep what somebody makes of it under a name that no dashboard of theirs can have."""
        super().__init__(hass, {CONF_ID: f"{DOMAIN}.cars", CONF_URL_PATH: URL_PATH})
        # With a config it would be listed in the settings, where nothing could be done to it.
        self.config = None

    @property
    @override
    def url_path(self) -> str:
        """Return where it is shown, for those who look at it while it changes."""
        return URL_PATH

    @override
    async def async_load(self, force: bool) -> dict[str, Any]:
        """Return what somebody made of it, or else how it is generated."""
        try:
            return await super().async_load(force)
        except ConfigNotFound:
            return GENERATED

    @override
    async def async_json(self, force: bool) -> json_fragment:
        """Return the same as JSON."""
        try:
            return await super().async_json(force)
        except ConfigNotFound:
            return cached_json_fragment(GENERATED)


async def keep_in_sidebar(hass: HomeAssistant) -> None:
    """Show the dashboard while there is an account, from now on."""
    words = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    title = words[f"component.{DOMAIN}.common.cars"]
    dashboards = hass.data[LOVELACE_DATA].dashboards
    ours = CarsDashboard(hass)

    @callback
    def show_or_hide(*_: object) -> None:
        is_wanted = bool(hass.config_entries.async_entries(DOMAIN, include_disabled=False))
        is_shown = dashboards.get(URL_PATH) is ours
        # Somebody may have a dashboard there already.
        if is_wanted and not async_panel_exists(hass, URL_PATH):
            dashboards[URL_PATH] = ours
            async_register_built_in_panel(
                hass,
                LOVELACE,
                sidebar_title=title,
                sidebar_icon=ICON,
                frontend_url_path=URL_PATH,
                config={CONF_MODE: MODE_STORAGE},
            )
        elif is_shown and not is_wanted:
            del dashboards[URL_PATH]
            async_remove_panel(hass, URL_PATH)

    show_or_hide()
    async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, show_or_hide)
