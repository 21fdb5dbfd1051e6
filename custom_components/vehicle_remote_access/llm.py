"""The tool of Home Assistant's assistants for the logs of the cars.

It sends no request to the service, so it never wakes a car, and never keeps one awake. Its answers have no
coordinates and no VIN. The states of the cars are in Home Assistant's own live context.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final, NamedTuple, override

from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.llm import LLMTools
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, device_registry as dr, entity_registry as er, llm
from homeassistant.helpers.selector import DateSelector
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .api.records import DriveState
from .const import DOMAIN
from .drive_log.manager import log_units, log_view
from .drive_log.summary import LogSummary
from .vehicle.coordinator import VehicleCoordinator
from .vehicle_access import may_use

_PERIODS: Final[Mapping[str, Callable[[date], tuple[date, date]]]] = {
    "today": lambda today: (today, today),
    "yesterday": lambda today: (today - timedelta(1), today - timedelta(1)),
    "this_week": lambda today: (_monday(today), today),
    "last_week": lambda today: (_monday(today) - timedelta(7), _monday(today) - timedelta(1)),
    "this_month": lambda today: (today.replace(day=1), today),
    "last_month": lambda today: (
        (today.replace(day=1) - timedelta(1)).replace(day=1),
        today.replace(day=1) - timedelta(1),
    ),
    "this_year": lambda today: (today.replace(month=1, day=1), today),
    "last_year": lambda today: (date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)),
    "all": lambda today: (date(1971, 1, 1), today),
}
"""The first and the last day of each named period."""

# Home Assistant 2026.8 has neither class. Its tools return their data without a wrapper.
_ToolAnnotations: Final[Any] = getattr(llm, "ToolAnnotations", None)
_ToolResult: Final[Any] = getattr(llm, "ToolResult", None)


@callback
def async_get_tools(hass: HomeAssistant, llm_context: llm.LLMContext, api_id: str) -> LLMTools | None:
    """Return the tool if a car is exposed to the assistant."""
    if api_id != llm.LLM_API_ASSIST or not any(_exposed_cars(hass, llm_context)):
        return None
    return LLMTools(tools=[LogTool()])


class _Car(NamedTuple):
    """A car of which an entity is exposed to the assistant."""

    name: str
    device_id: str
    vehicle: VehicleCoordinator
    is_location_exposed: bool


def _exposed_cars(hass: HomeAssistant, llm_context: llm.LLMContext) -> Iterator[_Car]:
    if not llm_context.assistant:
        return
    devices, registry = dr.async_get(hass), er.async_get(hass)
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        for vehicle in entry.runtime_data.vehicles.values():
            device = devices.async_get_device_by_identifier((DOMAIN, vehicle.vin), entry.entry_id)
            if device is None:
                continue
            exposed = {
                entity.unique_id
                for entity in er.async_entries_for_device(registry, device.id)
                if entity.platform == DOMAIN
                and async_should_expose(hass, llm_context.assistant, entity.entity_id)
            }
            if exposed:
                name = device.name_by_user or device.name or vehicle.title
                yield _Car(name, device.id, vehicle, f"{vehicle.vin}-{DriveState.key}" in exposed)


def _selected(cars: Sequence[_Car], name: str | None) -> Sequence[_Car]:
    """Return the cars with this name, or all. Raises vol.Invalid if there is none."""
    if not cars:
        message = "No car is exposed to this assistant, or the user may not see it."
        raise vol.Invalid(message)
    if name is None:
        return cars
    selected = [car for car in cars if car.name.casefold() == name.strip().casefold()]
    if not selected:
        message = f"There is no car named {name}. These cars exist: {', '.join(car.name for car in cars)}"
        raise vol.Invalid(message)
    return selected


class LogTool(llm.Tool):
    """The tool that returns what the cars did in a period."""

    integration = DOMAIN
    annotations = _ToolAnnotations and _ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    )
    name = f"{DOMAIN}__get_car_log"
    title = "Get car log"
    description = (
        "Get what the log of the user's electric cars says of a period: totals of drives (distance, energy, "
        "consumption, cost, by tag, longest and last drive) and charges (energy, cost, by place, last "
        "charge), and what the parked car loses. Use period, or start and end. Entries belong to the period "
        "in which they began. Times are local. null means unknown. A cost with price_known, the percent of "
        "the energy whose price is known, is an estimate. It never asks or wakes the car."
    )
    parameters = vol.Schema(
        {
            vol.Optional("car", description="Name of the car. Leave it out to get all cars."): str,
            vol.Optional("period", description="A week starts on Monday. The default is this_month."): vol.In(
                list(_PERIODS)
            ),
            vol.Optional("start", description="First day, instead of period."): DateSelector(),
            vol.Optional("end", description="Last day, inclusive. The default is today."): DateSelector(),
            vol.Optional(
                "show", default="totals", description="List single drives or charges instead of totals."
            ): vol.In(["totals", "drives", "charges"]),
            vol.Optional(
                "order",
                default="newest",
                description="Order of a list. largest: longest drives, or charges with the most energy.",
            ): vol.In(["newest", "largest"]),
        }
    )

    @override
    async def async_call(
        self, hass: HomeAssistant, tool_input: llm.ToolInput, llm_context: llm.LLMContext
    ) -> Any:
        # Language models fill in arguments that they don't need.
        given = {name: value for name, value in tool_input.tool_args.items() if value not in (None, "")}
        context = llm_context.context or Context()
        exposed = list(_exposed_cars(hass, llm_context))
        cars = [car for car in exposed if await may_use(hass, car.device_id, context, POLICY_READ)]
        try:
            arguments = self.parameters(given)
            data = _answer(hass, _selected(cars, arguments.get("car")), arguments)
        except vol.Invalid as error:
            # The message tells the model what to do.
            data = {"error": str(error)}
        return data if _ToolResult is None else _ToolResult(data=data, error="error" in data)


def _answer(hass: HomeAssistant, cars: Sequence[_Car], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what these cars did in the period. Raises vol.Invalid."""
    now = dt_util.now()
    first, last = _period(arguments, now.date())
    start, end = (dt_util.start_of_local_day(day).timestamp() for day in (first, last + timedelta(1)))
    answers = []
    for car in cars:
        view = log_view(hass, car.vehicle.log)
        summary = LogSummary(view=view, start=start, end=end, shows_places=car.is_location_exposed)
        if arguments["show"] == "totals":
            shown = summary.as_totals(now.timestamp())
        else:
            shown = summary.as_list(arguments["show"], largest_first=arguments["order"] == "largest")
        answers.append({"car": car.name, **shown})
    period = "all" if arguments.get("period") == "all" else f"{first} to {last}"
    return {"period": period, "units": log_units(hass).names, "cars": answers}


def _period(arguments: Mapping[str, Any], today: date) -> tuple[date, date]:
    """Return the first and the last day. Raises vol.Invalid."""
    if "start" not in arguments and "end" not in arguments:
        return _PERIODS[arguments.get("period", "this_month")](today)
    if "start" not in arguments or "period" in arguments:
        message = "Use either period, or start and end."
        raise vol.Invalid(message)
    first = cv.date(arguments["start"])
    # The last day of all has no next one.
    last = min(cv.date(arguments.get("end", today)), today + timedelta(366))
    if first > last:
        message = "start must not be after end. Both are dates such as 2026-10-31."
        raise vol.Invalid(message)
    return first, last


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())
