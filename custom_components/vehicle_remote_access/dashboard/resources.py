"""The web interface: the scripts of our dashboard, and the dashboard itself in the sidebar."""

import hashlib
from pathlib import Path
from typing import Final

from homeassistant.components.frontend import add_extra_js_url
from homeassistant.components.http import StaticPathConfig
from homeassistant.core import HomeAssistant

from ..const import DOMAIN, LOGGER

SCRIPTS: Final = Path(__file__).parent / "www"


async def set_up_dashboard(hass: HomeAssistant) -> None:
    """Give the web interface what it needs to show cars. Without a web interface, nothing happens."""
    if "frontend" not in hass.config.components:
        return
    try:
        scripts = await _serve_scripts(hass)
        # Loaded here, because it knows the insides of dashboards, and those may change.
        from .panel import keep_in_sidebar  # noqa: PLC0415

        await keep_in_sidebar(hass, scripts)
    except Exception:  # noqa: BLE001 - whatever it is, a car without a dashboard is still a car
        LOGGER.exception("The dashboard cannot be shown. All else works")


async def _serve_scripts(hass: HomeAssistant) -> str:
    """Serve the scripts, and return where: browsers keep for a month what they got once from a URL."""
    url = f"/{DOMAIN}/{await hass.async_add_executor_job(_fingerprint)}"
    await hass.http.async_register_static_paths([StaticPathConfig(url, str(SCRIPTS))])
    add_extra_js_url(hass, f"{url}/main.js")
    return url


def _fingerprint() -> str:
    content = b"".join(script.read_bytes() for script in sorted(SCRIPTS.iterdir()))
    return hashlib.sha256(content).hexdigest()[:12]
