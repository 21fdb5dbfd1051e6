"""The log as a file to download."""

from abc import abstractmethod
from datetime import datetime, tzinfo
from http import HTTPStatus
import math
import re
from typing import Final, override

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
from ..vehicle.coordinator import VehicleCoordinator
from ..vehicle_access import find_vehicle

_JSON: Final = "json"
_PERIOD: Final = re.compile(r"(\d{4})(?:-(?:(\d\d)|Q([1-4])))?", re.ASCII)


class LogFileView(HomeAssistantView):
    """Returns a part of a log. A user needs the same permission as for `get_log`.

    `period` in the query is a year, a quarter or a month, such as `2026`, `2026-Q4` or `2026-10`. The default
    is everything.
    """

    contents: tuple[str, ...]
    """What can be at the end of the path."""

    async def get(self, request: web.Request, device_id: str, content: str) -> web.Response:
        hass = request.app[KEY_HASS]
        if content not in self.contents:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        context = Context(user_id=request[KEY_HASS_USER].id)
        try:
            vehicle = await find_vehicle(hass, device_id, context, POLICY_READ)
        except Unauthorized:
            # The status for an unknown user would count as a failed login.
            return web.Response(status=HTTPStatus.FORBIDDEN)
        except ServiceValidationError:
            return web.Response(status=HTTPStatus.NOT_FOUND)
        limits = limits_of(hass, request.query.get("period"))
        return await self.respond(request, vehicle, content, limits)

    @abstractmethod
    async def respond(
        self, request: web.Request, vehicle: VehicleCoordinator, content: str, limits: tuple[float, float]
    ) -> web.Response:
        """Return the response. `limits`: the start and the end of the period, in Unix seconds."""


class LogExportView(LogFileView):
    """Returns the drives, charges or stays as CSV, or all of them as JSON."""

    name = f"api:{DOMAIN}:log"
    url = f"/api/{DOMAIN}/log/{{device_id}}/{{content}}"
    contents = (*KINDS, _JSON)

    @override
    async def respond(
        self, request: web.Request, vehicle: VehicleCoordinator, content: str, limits: tuple[float, float]
    ) -> web.Response:
        hass, log = request.app[KEY_HASS], vehicle.log.snapshot()
        view = log_view(hass, log)
        extension, name = (_JSON, "log") if content == _JSON else ("csv", content)

        def write() -> bytes:
            if content == _JSON:
                return json_bytes(log_of_period(view, *limits, KINDS, for_import=True))
            return csv_of_period(view, *limits, content)

        # A long log takes longer than the event loop should be blocked.
        body = await hass.async_add_executor_job(write)
        period = request.query.get("period")
        dates = [period] if period else days_with_entries(log, view.units)
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


def limits_of(hass: HomeAssistant, period: str | None) -> tuple[float, float]:
    """Return the start and the end of a period. Raises vol.Invalid, which is answered as a bad request."""
    if period is None:
        return -math.inf, math.inf
    try:
        return _parse_period(period, log_units(hass).zone)
    except (OverflowError, ValueError) as error:
        raise vol.Invalid(str(error), path=["period"]) from error


def _parse_period(text: str, zone: tzinfo) -> tuple[float, float]:
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
