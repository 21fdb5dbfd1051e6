"""The dashboard in the sidebar, while there is an account. Users can edit it, and restore the original."""

from typing import Any, Final, override

from homeassistant.components import frontend
from homeassistant.components.lovelace import const as lovelace
from homeassistant.components.lovelace.dashboard import LovelaceStorage
from homeassistant.components.websocket_api import ActiveConnection, async_register_command, websocket_command
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
_DASHBOARD_PANEL: Final = (lovelace.DOMAIN, {CONF_MODE: lovelace.MODE_STORAGE})
SCRIPTS_LOADED: Final = f"{DOMAIN}/arrived"
"""The command that `loader.js` sends."""


class CarsDashboard(LovelaceStorage):
    """A dashboard that is generated unless a user edited it."""

    url_path = URL_PATH
    """For pages that show the dashboard while it changes."""

    def __init__(self, hass: HomeAssistant) -> None:
        # No user's dashboard can have this id.
        super().__init__(hass, {CONF_ID: f"{DOMAIN}.cars", lovelace.CONF_URL_PATH: URL_PATH})
        # With a config, the settings would list it among the dashboards that can be renamed and deleted.
        self.config = None

    @override
    async def async_load(self, force: bool) -> dict[str, Any]:
        """Return the edited version, or the config of the generated dashboard."""
        try:
            return await super().async_load(force)
        except lovelace.ConfigNotFound:
            return GENERATED

    @override
    async def async_json(self, force: bool) -> json_fragment:
        return json_fragment(json_bytes(await self.async_load(force)))


class SidebarPanel:
    """The panel of the dashboard in the sidebar."""

    def __init__(self, hass: HomeAssistant, title: str, scripts_url: str) -> None:
        self._hass = hass
        self._title = title
        self._dashboards = hass.data[lovelace.LOVELACE_DATA].dashboards
        self._dashboard = CarsDashboard(hass)
        self._panel: tuple[str, dict[str, Any]] = _DASHBOARD_PANEL
        # A page that was loaded before the first account was added lacks the scripts. This panel loads them.
        # Then the page sends SCRIPTS_LOADED.
        if hass.state is CoreState.running:
            module = {"name": f"{URL_PATH}-loader", "module_url": f"{scripts_url}/loader.js"}
            self._panel = ("custom", {"_panel_custom": module})

    @callback
    def update(self, *_: object) -> None:
        """Add or remove the panel. It is not added if a user's dashboard has the same path."""
        has_account = bool(self._hass.config_entries.async_entries(DOMAIN, include_disabled=False))
        if has_account and not frontend.async_panel_exists(self._hass, URL_PATH):
            self._dashboards[URL_PATH] = self._dashboard
            self._register()
        elif self._is_registered and not has_account:
            del self._dashboards[URL_PATH]
            frontend.async_remove_panel(self._hass, URL_PATH)

    def show_dashboard(self) -> None:
        """Replace the panel that loads the scripts by the dashboard."""
        if self._panel is _DASHBOARD_PANEL:
            # Each registration makes all browsers load their panels again.
            return
        self._panel = _DASHBOARD_PANEL
        if self._is_registered:
            self._register(update=True)

    @property
    def _is_registered(self) -> bool:
        return self._dashboards.get(URL_PATH) is self._dashboard

    def _register(self, *, update: bool = False) -> None:
        component, config = self._panel
        frontend.async_register_built_in_panel(
            self._hass,
            component,
            sidebar_title=self._title,
            sidebar_icon=ICON,
            frontend_url_path=URL_PATH,
            config=config,
            update=update,
        )


async def set_up_panel(hass: HomeAssistant, scripts_url: str) -> None:
    """Show the dashboard in the sidebar while there is an account."""
    translations = await async_get_translations(hass, hass.config.language, "common", {DOMAIN})
    panel = SidebarPanel(hass, translations[f"component.{DOMAIN}.common.cars"], scripts_url)

    @websocket_command({vol.Required("type"): SCRIPTS_LOADED})
    @callback
    def scripts_loaded(_hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
        panel.show_dashboard()
        connection.send_result(message["id"])

    async_register_command(hass, scripts_loaded)
    panel.update()
    async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, panel.update)
