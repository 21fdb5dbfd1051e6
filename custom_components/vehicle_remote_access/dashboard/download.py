"""The log as a file to download."""

from datetime import datetime, tzinfo
import math
import re
from typing import Final

from aiohttp import web
from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components.http import KEY_HASS, KEY_HASS_USER, HomeAssistantView
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers.json import json_bytes
from homeassistant.util import slugify
import voluptuous as vol

from ..const import DOMAIN
from ..drive_log.drive_log import DriveLog
from ..drive_log.entries import KINDS
from ..drive_log.export import csv_of_period, log_of_period
from ..drive_log.manager import log_units, log_view
from ..drive_log.units import LogUnits, next_month
from ..drive_log.view import LogView
from ..vehicle.coordinator import VehicleCoordinator
from ..vehicle_access import find_vehicle

_JSON: Final = "json"
_PERIOD: Final = re.compile(r"(\d{4})(?:-(?:(\d\d)|Q([1-4])))?", re.ASCII)

type Limits = tuple[float, float]
"""The start and the end of a period, in Unix seconds."""


async def requested_log(request: web.Request, device_id: str) -> tuple[VehicleCoordinator, LogView, Limits]:
    """Return the car, a view of its log for another thread, and the limits of the period in the query.

    `period` in the query is a year, a quarter or a month, such as `2026`, `2026-Q4` or `2026-10`. The default
    is everything. A user needs the same permission as for `get_log`. Raises HTTPForbidden, HTTPNotFound or
    vol.Invalid.
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
    limits = limits_of(hass, request.query.get("period"))
    return vehicle, log_view(hass, vehicle.log.snapshot()), limits


class LogExportView(HomeAssistantView):
    """Returns the drives, charges or stays as CSV, or all of them as JSON."""

    name = f"api:{DOMAIN}:log"
    url = f"/api/{DOMAIN}/log/{{device_id}}/{{content:{'|'.join(KINDS)}|{_JSON}}}"

    async def get(self, request: web.Request, device_id: str, content: str) -> web.Response:
        vehicle, view, limits = await requested_log(request, device_id)
        extension, name = (_JSON, "log") if content == _JSON else ("csv", content)

        def write() -> bytes:
            if content == _JSON:
                return json_bytes(log_of_period(view, *limits, KINDS, for_import=True))
            return csv_of_period(view, *limits, content)

        # A long log takes longer than the event loop should be blocked.
        body = await request.app[KEY_HASS].async_add_executor_job(write)
        period = request.query.get("period")
        dates = [period] if period else days_with_entries(view.log, view.units)
        return attachment(body, extension, vehicle.title, name, *dates)


def attachment(body: bytes, extension: str, title: str, *parts: str) -> web.Response:
    """Return a file to save. Its name is made of the title of the car and `parts`."""
    # Only letters, digits, `_` and `-`
    name = f"{'_'.join((slugify(title), *parts))}.{extension}"
    return web.Response(
        body=body,
        content_type="application/json" if extension == _JSON else "text/csv",
        charset="utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def limits_of(hass: HomeAssistant, period: str | None) -> Limits:
    """Return the start and the end of a period. Raises vol.Invalid, which is answered as a bad request."""
    if period is None:
        return -math.inf, math.inf
    try:
        return _parse_period(period, log_units(hass).zone)
    except (OverflowError, ValueError) as error:
        raise vol.Invalid(str(error), path=["period"]) from error


def _parse_period(text: str, zone: tzinfo) -> Limits:
    """Return the start and the end of a year, a quarter or a month. Raises ValueError if it is none."""
    if (match := _PERIOD.fullmatch(text)) is None:
        raise ValueError
    year, month, quarter = match.groups()
    first = 3 * int(quarter) - 2 if quarter else int(month or 1)
    start = end = datetime(int(year), first, 1, tzinfo=zone)
    for _ in range(3 if quarter else 1 if month else 12):
        end = next_month(end)
    return start.timestamp(), end.timestamp()


def days_with_entries(log: DriveLog, units: LogUnits) -> list[str]:
    """Return the first and the last day on which an entry began, or nothing if there is no entry."""
    starts = [entry.start for entry in log.entries.all]
    return [f"{units.local_time(at):%Y-%m-%d}" for at in (min(starts), max(starts))] if starts else []
