"""Statements to print, and as CSV."""

from collections.abc import Mapping
from functools import partial
import re
from typing import Any, Final

from aiohttp import web
from homeassistant.components.http import KEY_HASS, HomeAssistantView
from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_dumps
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util, slugify
import voluptuous as vol

from ..const import DOMAIN
from ..drive_log.columns import LARGEST_COST
from ..drive_log.statements import USUAL_TAGS, charging_statement, mileage_statement
from .download import attachment, requested_log

_MILEAGE: Final = "mileage"
_CHARGING: Final = "charging"
_CSV: Final = "csv"
_TEXTS: Final = ("car", "created_on", "no_entries", "period", "print", "quarter", "tag", "total")
"""The keys of the texts of the page itself."""
_RATE: Final = vol.Schema(vol.Any(None, vol.All(vol.Coerce(float), vol.Range(min=0, max=LARGEST_COST))))
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class StatementView(HomeAssistantView):
    """Returns a statement as a page to print or as CSV.

    In the query are `period`, which is required, and optionally `tag` (of the drives; all drives without it),
    `rate` (the amount for each kilometer or mile, or for each kWh), `language` (of the texts) and `locale`,
    the user's formats as JSON.
    """

    name = f"api:{DOMAIN}:statement"
    url = f"/api/{DOMAIN}/statement/{{device_id}}/{{kind:{_MILEAGE}|{_CHARGING}}}.{{form:html|{_CSV}}}"

    def __init__(self, scripts_url: str) -> None:
        self._scripts_url = scripts_url

    async def get(self, request: web.Request, device_id: str, kind: str, form: str) -> web.Response:
        vehicle, view, limits = await requested_log(request, device_id)
        hass, query = request.app[KEY_HASS], request.query
        if (period := query.get("period")) is None:
            raise web.HTTPBadRequest
        tag = query.get("tag") if kind == _MILEAGE else None
        rate = _RATE(query.get("rate"))
        texts = await _load_texts(hass, query.get("language"))

        create = partial(charging_statement, view, *limits, rate)
        if kind == _MILEAGE:
            create = partial(mileage_statement, view, *limits, tag, rate)
        # A long log takes longer than the event loop should be blocked.
        if form == _CSV:
            file = await hass.async_add_executor_job(lambda: create().as_csv(texts))
            return attachment(file, _CSV, vehicle.title, kind, period, *([slugify(tag)] if tag else []))
        data = {
            "title": texts[f"statement_{kind}"],
            "car": vehicle.title,
            "vin": vehicle.vin,
            "period": period,
            "tag": texts[f"tag_{tag}"] if tag in USUAL_TAGS else tag,
            "created": dt_util.utcnow().isoformat(),
            "time_zone": hass.config.time_zone,
            "locale": query.get("locale"),
            "texts": {key: texts[key] for key in _TEXTS},
        }
        page = await hass.async_add_executor_job(lambda: self._page(data | create().as_json(texts), texts))
        return web.Response(
            text=page,
            content_type="text/html",
            charset="utf-8",
            headers={"Content-Security-Policy": _CONTENT_SECURITY_POLICY},
        )

    def _page(self, data: dict[str, Any], texts: Mapping[str, str]) -> str:
        # Otherwise, a note could end the element.
        content = json_dumps(data).replace("<", "\\u003c")
        return (
            f'<!doctype html><html lang="{texts["language"]}"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            '<link rel="icon" href="/static/icons/favicon.ico">'
            f'<script type="application/json">{content}</script>'
            f'<script type="module" src="{self._scripts_url}/statement.js"></script></html>'
        )


async def _load_texts(hass: HomeAssistant, language: str | None) -> dict[str, str]:
    """Return the texts in a language, English ones if it is unknown."""
    # The language is a part of the name of a file.
    safe = language if language and re.fullmatch(r"[\w-]{1,20}", language) else "en"
    texts = await async_get_translations(hass, safe, "common", {DOMAIN})
    return {key.rpartition(".")[2]: text for key, text in texts.items()}
