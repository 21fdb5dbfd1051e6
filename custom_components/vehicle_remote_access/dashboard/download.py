"""The log as a file to download."""

from datetime import datetime, tzinfo
from http import HTTPStatus
import math
import re
from typing import Final

from aiohttp import web
from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components.http import KEY_HASS, KEY_HASS_USER, HomeAssistantView
from homeassistant.core import Context
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers.json import json_bytes
from homeassistant.util import slugify

from ..const import DOMAIN
from ..drive_log.drive_log import DriveLog
from ..drive_log.entries import KINDS
from ..drive_log.manager import log_units, log_view
from ..drive_log.units import LogUnits, next_month
from ..drive_log.view import LogExport
from ..vehicle_access import find_vehicle

_JSON: Final = "json"
_YEAR_OR_MONTH: Final = re.compile(r"(\d{4})(?:-(\d\d))?", re.ASCII)


class LogExportView(HomeAssistantView):
    """Returns the drives, charges or stays as CSV, or all of them as JSON.

    A user needs the same permission as for `get_log`. `period` in the query is a year or a month, such as
    `2026` or `2026-10`. The default is everything.
    """

    name = f"api:{DOMAIN}:log"
    url = f"/api/{DOMAIN}/log/{{device_id}}/{{content}}"

    async def get(self, request: web.Request, device_id: str, content: str) -> web.Response:
        """Return the file. `content`: a kind of entries, or `json` for all."""
        hass = request.app[KEY_HASS]
        if content not in (*KINDS, _JSON):
            return web.Response(status=HTTPStatus.NOT_FOUND)
        context = Context(user_id=request[KEY_HASS_USER].id)
        try:
            vehicle = await find_vehicle(hass, device_id, context, POLICY_READ)
        except Unauthorized:
            # The status for an unknown user would count as a failed login.
            return web.Response(status=HTTPStatus.FORBIDDEN)
        except ServiceValidationError:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        units, period = log_units(hass), request.query.get("period")
        try:
            start, end = period_of(period, units.zone)
        except OverflowError, ValueError:
            return web.Response(status=HTTPStatus.BAD_REQUEST)
        log = vehicle.log.snapshot()
        export = log_view(hass, log, LogExport)

        def write() -> bytes:
            if content == _JSON:
                return json_bytes(export.period(start, end, KINDS))
            return export.as_csv(start, end, content)

        # A long log takes longer than the event loop should be blocked.
        body = await hass.async_add_executor_job(write)
        parts = [
            slugify(vehicle.title),
            "log" if content == _JSON else content,
            *([period] if period else days_with_entries(log, units)),
        ]
        # Only letters, digits, `_` and `-`
        name = f"{'_'.join(parts)}.{_JSON if content == _JSON else 'csv'}"
        return web.Response(
            body=body,
            content_type="application/json" if content == _JSON else "text/csv",
            charset="utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def period_of(text: str | None, zone: tzinfo) -> tuple[float, float]:
    """Return the start and the end of a year or a month. Raises ValueError if it is neither."""
    if text is None:
        return -math.inf, math.inf
    if (match := _YEAR_OR_MONTH.fullmatch(text)) is None:
        raise ValueError
    start = datetime(int(match[1]), int(match[2] or 1), 1, tzinfo=zone)
    end = next_month(start) if match[2] else start.replace(year=start.year + 1)
    return start.timestamp(), end.timestamp()


def days_with_entries(log: DriveLog, units: LogUnits) -> list[str]:
    """Return the first and the last day on which an entry ended, or nothing if there is no entry."""
    ends = [entry.end for entry in log.entries.all]
    return [f"{units.local_time(end):%Y-%m-%d}" for end in (min(ends), max(ends))] if ends else []
