"""The log as files to download, and statements to print."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timedelta, tzinfo
from functools import partial
import math
import re
from typing import Any, Final

from aiohttp import web
from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components.http import KEY_HASS, KEY_HASS_USER, HomeAssistantView
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.json import json_bytes, json_dumps
from homeassistant.helpers.translation import async_get_translations
from homeassistant.helpers.typing import VolDictType
from homeassistant.util import dt as dt_util, slugify
import voluptuous as vol

from ..const import DOMAIN
from ..drive_log.columns import LARGEST_COST
from ..drive_log.drive_log import DriveLog
from ..drive_log.entries import KINDS
from ..drive_log.export import csv_of, log_of
from ..drive_log.manager import log_units, log_view
from ..drive_log.search import LONGEST_SEARCH, LogFilter
from ..drive_log.statements import USUAL_TAGS, charging_statement, mileage_statement
from ..drive_log.units import LogUnits, next_month
from ..drive_log.view import LogView
from ..vehicle.coordinator import VehicleCoordinator
from ..vehicle_access import find_vehicle

_JSON: Final = "json"
_MILEAGE: Final = "mileage"
_CHARGING: Final = "charging"
_CSV: Final = "csv"
_TEXTS: Final = ("car", "created_on", "no_entries", "period", "print", "quarter", "tag", "total")
"""The keys of the texts that the script of the page shows."""
_RATE: Final = vol.Schema(vol.Any(None, vol.All(vol.Coerce(float), vol.Range(min=0, max=LARGEST_COST))))
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_PERIOD: Final = re.compile(r"(\d{4})(?:-(?:(\d\d)(?:-(\d\d))?|Q([1-4])))?", re.ASCII)
_TEXT: Final = vol.All(cv.string, vol.Length(max=LONGEST_SEARCH))
FILTER: Final[VolDictType] = {
    vol.Optional("kind"): vol.In(KINDS),
    # A year, a quarter, a month or a day
    vol.Optional("period"): cv.string,
    # As in `LogFilter`
    vol.Optional("text"): vol.All(_TEXT, str.strip),
    vol.Optional("named_tag"): _TEXT,
    vol.Optional("tag"): _TEXT,
    vol.Optional("longer_than"): vol.Coerce(float),
    vol.Optional("without_cost"): cv.boolean,
}
"""The values of a search, in a message or in the query of a file."""
_QUERY: Final = vol.Schema(FILTER, extra=vol.REMOVE_EXTRA)

type Limits = tuple[float, float]
"""The start and the end of a period, in Unix seconds."""


async def _requested_log(request: web.Request, device_id: str) -> tuple[VehicleCoordinator, LogView]:
    """Return the car, and a view of its log for another thread.

    Users need the same permission as for `get_log`. Raises HTTPForbidden or HTTPNotFound.
    """
    hass = request.app[KEY_HASS]
    context = Context(user_id=request[KEY_HASS_USER].id)
    try:
        vehicle = await find_vehicle(hass, device_id, context, POLICY_READ)
    except Unauthorized:
        # The status for an unknown user would count as a failed login.
        raise web.HTTPForbidden from None
    except ServiceValidationError:
        raise web.HTTPNotFound from None
    return vehicle, log_view(hass, vehicle.log.snapshot())


class LogExportView(HomeAssistantView):
    """Returns the drives, charges or stays as CSV, or all of them as JSON.

    The query can have the values of a search. Without them, the file has everything.
    """

    name = f"api:{DOMAIN}:log"
    url = f"/api/{DOMAIN}/log/{{device_id}}/{{content:{'|'.join(KINDS)}|{_JSON}}}"

    async def get(self, request: web.Request, device_id: str, content: str) -> web.Response:
        vehicle, view = await _requested_log(request, device_id)
        wanted = filter_of(request.app[KEY_HASS], _QUERY(dict(request.query)))
        extension, name = (_JSON, "log") if content == _JSON else (_CSV, content)

        def write() -> bytes:
            entries = wanted.matching(view)
            if content == _JSON:
                return json_bytes(log_of(view, entries, KINDS, for_import=True))
            return csv_of(view, entries, content)

        # A long log takes longer than the event loop should be blocked.
        body = await request.app[KEY_HASS].async_add_executor_job(write)
        period = request.query.get("period")
        dates = [period] if period else days_with_entries(view.log, view.units)
        return _attachment(body, extension, vehicle.title, name, *dates)


class StatementView(HomeAssistantView):
    """Returns a statement as a page to print or as CSV.

    The query has a `period`, and may have a `tag`, a `rate`, a `language`, and the user's `locale` as JSON.
    """

    name = f"api:{DOMAIN}:statement"
    url = f"/api/{DOMAIN}/statement/{{device_id}}/{{kind:{_MILEAGE}|{_CHARGING}}}.{{form:html|{_CSV}}}"

    def __init__(self, scripts_url: str) -> None:
        self._scripts_url = scripts_url

    async def get(self, request: web.Request, device_id: str, kind: str, form: str) -> web.Response:
        vehicle, view = await _requested_log(request, device_id)
        hass, query = request.app[KEY_HASS], request.query
        if (period := query.get("period")) is None:
            raise web.HTTPBadRequest
        limits = limits_of(hass, period)
        tag = query.get("tag") if kind == _MILEAGE else None
        rate = _RATE(query.get("rate"))
        texts = await _load_texts(hass, query.get("language"))

        create = partial(charging_statement, view, *limits, rate)
        if kind == _MILEAGE:
            create = partial(mileage_statement, view, *limits, tag, rate)
        # A long log takes longer than the event loop should be blocked.
        if form == _CSV:
            file = await hass.async_add_executor_job(lambda: create().as_csv(texts))
            return _attachment(file, _CSV, vehicle.title, kind, period, *([slugify(tag)] if tag else []))
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
        # Otherwise, a note could end the script element.
        content = json_dumps(data).replace("<", "\\u003c")
        return (
            f'<!doctype html><html lang="{texts["language"]}"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            '<link rel="icon" href="/static/icons/favicon.ico">'
            f'<script type="application/json">{content}</script>'
            f'<script type="module" src="{self._scripts_url}/statement.js"></script></html>'
        )


def _attachment(body: bytes, extension: str, title: str, *parts: str) -> web.Response:
    """Return a file to save. Its name is made of the title of the car and `parts`."""
    # Only letters, digits, `_` and `-`
    name = f"{'_'.join((slugify(title), *parts))}.{extension}"
    return web.Response(
        body=body,
        content_type="application/json" if extension == _JSON else "text/csv",
        charset="utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def filter_of(hass: HomeAssistant, values: Mapping[str, Any]) -> LogFilter:
    """Return the filter for the values of a search. Raises vol.Invalid."""
    start, end = limits_of(hass, values.get("period"))
    kinds = (values["kind"],) if "kind" in values else KINDS
    given = {field.name: values[field.name] for field in fields(LogFilter) if field.name in values}
    return LogFilter(kinds=kinds, start=start, end=end, **given)


def limits_of(hass: HomeAssistant, period: str | None) -> Limits:
    """Return the start and the end of a period. Raises vol.Invalid, which is answered as a bad request."""
    if period is None:
        return -math.inf, math.inf
    try:
        return _parse_period(period, log_units(hass).zone)
    except (OverflowError, ValueError) as error:
        raise vol.Invalid(str(error), path=["period"]) from error


def _parse_period(text: str, zone: tzinfo) -> Limits:
    """Return the start and the end of a year, a quarter, a month or a day. Raises ValueError."""
    if (match := _PERIOD.fullmatch(text)) is None:
        raise ValueError
    year, month, day, quarter = match.groups()
    if day:
        start = datetime(int(year), int(month), int(day), tzinfo=zone)
        return start.timestamp(), (start + timedelta(days=1)).timestamp()
    first, months = (int(month), 1) if month else (1, 12)
    if quarter:
        first, months = 3 * int(quarter) - 2, 3
    start = end = datetime(int(year), first, 1, tzinfo=zone)
    for _ in range(months):
        end = next_month(end)
    return start.timestamp(), end.timestamp()


def days_with_entries(log: DriveLog, units: LogUnits) -> list[str]:
    """Return the first and the last day on which an entry began, or nothing if there is no entry."""
    starts = [entry.start for entry in log.entries.all]
    return [f"{units.local_time(at):%Y-%m-%d}" for at in (min(starts), max(starts))] if starts else []


async def _load_texts(hass: HomeAssistant, language: str | None) -> dict[str, str]:
    """Return the texts in a language, English ones if it is unknown."""
    # Home Assistant reads the file with this name.
    safe = language if language and re.fullmatch(r"[\w-]{1,20}", language) else "en"
    texts = await async_get_translations(hass, safe, "common", {DOMAIN})
    return {key.rpartition(".")[2]: text for key, text in texts.items()}
