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
from homeassistant.components.websocket_api import async_register_command
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.components.websocket_api.decorators import websocket_command
from homeassistant.config_entries import SIGNAL_CONFIG_ENTRY_CHANGED
from homeassistant.const import CONF_ID, CONF_MODE
from homeassistant.core import CoreState, HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.json import json_bytes, json_fragment
from homeassistant.helpers.translation import async_get_translations
import voluptuous as vol

from ..const import DOMAIN

URL_PATH: Final = DOMAIN.replace("_", "-")
GENERATED: Final = {"strategy": {"type": f"custom:{URL_PATH}"}}
ICON: Final = "mdi:car-electric"
ARRIVED: Final = f"{DOMAIN}/arrived"


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
            return json_fragment(json_bytes(GENERATED))


class Place:
    """The place in the sidebar, which is there while there is an account."""

    def __init__(self, hass: HomeAssistant, title: str, scripts: str) -> None:
        """Prepare. `scripts`: the URL of their folder."""
        self._hass = hass
        self._title = title
        self._dashboards = hass.data[LOVELACE_DATA].dashboards
        self._ours = CarsDashboard(hass)
        self._panel: tuple[str, dict[str, Any]] = (LOVELACE, {CONF_MODE: MODE_STORAGE})
        # A page that was loaded before now has not got the scripts. The one to which this panel belongs gets
        # them when the panel is opened, and then says so.
        if hass.state is CoreState.running:
            module = {"name": f"{URL_PATH}-arrival", "module_url": f"{scripts}/arrival.js"}
            self._panel = ("custom", {"_panel_custom": module})

    @callback
    def show_or_hide(self, *_: object) -> None:
        """Show it if there is an account, unless somebody has a dashboard there already; else hide it."""
        is_wanted = bool(self._hass.config_entries.async_entries(DOMAIN, include_disabled=False))
        if is_wanted and not async_panel_exists(self._hass, URL_PATH):
            self._dashboards[URL_PATH] = self._ours
            self._show()
        elif self._is_shown and not is_wanted:
            del self._dashboards[URL_PATH]
            async_remove_panel(self._hass, URL_PATH)

    @callback
    def arrived(self) -> None:
        """Show the dashboard itself, now that the page that opened it has the scripts."""
        self._panel = (LOVELACE, {CONF_MODE: MODE_STORAGE})
        if self._is_shown:
            self._show(update=True)

    @property
    def _is_shown(self) -> bool:
        return self._dashboards.get(URL_PATH) is self._ours

    def _show(self, *, update: bool = False) -> None:
        component, config = self._panel
        async_register_built_in_panel(
            self._hass,
            component,
            sidebar_title=self._title,
            sidebar_icon=ICON,
            frontend_url_path=URL_PATH,
            config=config,
            update=update,
        )


async def keep_in_sidebar(hass: HomeAssistant, scripts: str) -> None:
    """Show the dashboard while there is an account, from now on. `scripts`: the URL of their folder."""
    words = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    place = Place(hass, words[f"component.{DOMAIN}.common.cars"], scripts)

    @websocket_command({vol.Required("type"): ARRIVED})
    @callback
    def arrived(_hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
        place.arrived()
        connection.send_result(message["id"])

    async_register_command(hass, arrived)
    place.show_or_hide()
    async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, place.show_or_hide)
