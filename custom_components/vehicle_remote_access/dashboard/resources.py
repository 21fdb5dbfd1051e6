"""The scripts of the dashboard, which the web interface loads."""

import hashlib
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.core import HomeAssistant
from homeassistant.helpers.importlib import async_import_module

from ..const import DOMAIN, LOGGER
from .download import LogExportView, StatementView
from .websocket import register_log_commands

SCRIPTS: Final = Path(__file__).parent / "www"


async def set_up_dashboard(hass: HomeAssistant) -> None:
    """Serve the scripts and add the dashboard to the sidebar, if there is a web interface."""
    if "frontend" not in hass.config.components:
        return
    register_log_commands(hass)
    hass.http.register_view(LogExportView)
    try:
        scripts_url = await _serve_scripts(hass)
        hass.http.register_view(StatementView(scripts_url))
        # Imported here, because it uses internals of Home Assistant's dashboards, which may change.
        panel = await async_import_module(hass, f"{__package__}.panel")
        await panel.set_up_panel(hass, scripts_url)
    except Exception:  # noqa: BLE001 - the rest of the integration works without the dashboard
        LOGGER.exception("The dashboard cannot be shown. Everything else works")


async def _serve_scripts(hass: HomeAssistant) -> str:
    """Serve the scripts and return the URL of their folder."""
    # It changes with the scripts, because browsers cache them for a month.
    url = f"/{DOMAIN}/{await hass.async_add_executor_job(_fingerprint)}"
    await hass.http.async_register_static_paths([StaticPathConfig(url, str(SCRIPTS))])
    add_extra_js_url(hass, f"{url}/main.js")
    return url


def _fingerprint() -> str:
    content = b"".join(script.read_bytes() for script in sorted(SCRIPTS.iterdir()))
    return hashlib.sha256(content).hexdigest()[:12]
