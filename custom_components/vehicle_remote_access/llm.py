"""Tools for Home Assistant's assistants: what is known of the cars, and their logs.

The tools only read what Home Assistant already knows. They send no request to the service, so they never wake
a car, and never keep one awake. Their answers have no coordinates and no VIN.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, override

from homeassistant.auth.permissions.const import POLICY_READ
from homeassistant.components.climate.const import HVACMode
from homeassistant.components.cover import CoverState
from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.llm import LLMTools
from homeassistant.components.lock import LockState
from homeassistant.components.sensor import SensorDeviceClass
from homeassistant.const import (
    ATTR_DEVICE_CLASS,
    ATTR_UNIT_OF_MEASUREMENT,
    STATE_NOT_HOME,
    STATE_ON,
    STATE_UNAVAILABLE,
    STATE_UNKNOWN,
    Platform,
)
from homeassistant.core import Context, HomeAssistant, State, callback
from homeassistant.helpers import (
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
    llm,
)
from homeassistant.helpers.selector import DateSelector
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .api.records import (
    TIRE_PRESSURES,
    ChargeState,
    ClimateState,
    DriveState,
    SoftwareUpdate,
    Vehicle,
    VehicleState,
)
from .const import DOMAIN
from .drive_log.manager import log_units, log_zones
from .drive_log.summary import LogSummary
from .vehicle.coordinator import VehicleCoordinator
from .vehicle_access import may_use

type _Entity = tuple[Platform, str]
"""An entity of a car, by its platform and its path."""

_LOCATION: Final[_Entity] = (Platform.DEVICE_TRACKER, DriveState.key)
_RANGES: Final = (ChargeState.battery_range, ChargeState.ideal_battery_range, ChargeState.est_battery_range)
_STATUS: Final[Mapping[str, Sequence[_Entity]]] = {
    "state": [(Platform.SENSOR, Vehicle.state.path)],
    "locked": [(Platform.LOCK, VehicleState.locked.path)],
    "any_door_or_trunk_open": [(Platform.BINARY_SENSOR, f"{VehicleState.df.path}.any")],
    "location": [_LOCATION],
    "driving": [(Platform.BINARY_SENSOR, DriveState.shift_state.path)],
    "driver_present": [(Platform.BINARY_SENSOR, VehicleState.is_user_present.path)],
    "battery_level": [(Platform.SENSOR, ChargeState.battery_level.path)],
    # Which of them is enabled depends on the car.
    "range": [(Platform.SENSOR, field.path) for field in _RANGES],
    "plugged_in": [(Platform.BINARY_SENSOR, ChargeState.conn_charge_cable.path)],
    "charging": [(Platform.SENSOR, ChargeState.charging_state.path)],
    "charging_power": [(Platform.SENSOR, ChargeState.charger_power.path)],
    "charge_limit": [(Platform.NUMBER, ChargeState.charge_limit_soc.path)],
    "charging_ends": [(Platform.SENSOR, ChargeState.time_to_full_charge.path)],
    "climate_on": [(Platform.CLIMATE, ClimateState.key)],
    "inside_temperature": [(Platform.SENSOR, ClimateState.inside_temp.path)],
    "outside_temperature": [(Platform.SENSOR, ClimateState.outside_temp.path)],
    # A service has one of both.
    "sentry_mode_on": [
        (platform, VehicleState.sentry_mode.path) for platform in (Platform.SWITCH, Platform.BINARY_SENSOR)
    ],
    "odometer": [(Platform.SENSOR, VehicleState.odometer.path)],
    "tire_pressure_low": [(Platform.BINARY_SENSOR, f"{VehicleState.tpms_soft_warning_fl.path}.any")],
    **{
        f"tire_pressure_{tire}": [(Platform.SENSOR, pressure.path)]
        for tire, pressure in TIRE_PRESSURES.items()
    },
    "software_update_available": [(Platform.UPDATE, SoftwareUpdate.key)],
}
"""What an answer has of a car: the first exposed entity of each row."""
_OPENINGS: Final[Mapping[str, Sequence[_Entity]]] = {
    "driver_front_door": [(Platform.BINARY_SENSOR, VehicleState.df.path)],
    "driver_rear_door": [(Platform.BINARY_SENSOR, VehicleState.dr.path)],
    "passenger_front_door": [(Platform.BINARY_SENSOR, VehicleState.pf.path)],
    "passenger_rear_door": [(Platform.BINARY_SENSOR, VehicleState.pr.path)],
    "frunk": [(Platform.COVER, VehicleState.ft.path)],
    "trunk": [(Platform.COVER, VehicleState.rt.path)],
    "charge_port": [(Platform.COVER, ChargeState.charge_port_door_open.path)],
    "windows": [(Platform.COVER, "windows")],
    "sunroof": [(Platform.COVER, VehicleState.sun_roof_percent_open.path)],
}
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

# Home Assistant 2026.8 has neither. There, a tool returns its data.
_ToolAnnotations: Final[Any] = getattr(llm, "ToolAnnotations", None)
_ToolResult: Final[Any] = getattr(llm, "ToolResult", None)


@callback
def async_get_tools(hass: HomeAssistant, llm_context: llm.LLMContext, api_id: str) -> LLMTools | None:
    """Return the tools if a car is exposed to the assistant."""
    if api_id != llm.LLM_API_ASSIST or not any(_exposed_cars(hass, llm_context)):
        return None
    return LLMTools(tools=[StatusTool(), LogTool()])


class _Car(NamedTuple):
    """A car of which an entity is exposed to the assistant."""

    name: str
    device_id: str
    vehicle: VehicleCoordinator
    entities: Mapping[_Entity, str]
    """The ids of all enabled entities."""
    exposed: frozenset[str]
    """The ids of those that are exposed."""


def _exposed_cars(hass: HomeAssistant, llm_context: llm.LLMContext) -> Iterator[_Car]:
    if not llm_context.assistant:
        return
    devices, registry = dr.async_get(hass), er.async_get(hass)
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        for vehicle in entry.runtime_data.vehicles.values():
            device = devices.async_get_device_by_identifier((DOMAIN, vehicle.vin), entry.entry_id)
            if device is None:
                continue
            entities: dict[_Entity, str] = {
                (Platform(entity.domain), entity.unique_id.removeprefix(f"{vehicle.vin}-")): entity.entity_id
                for entity in er.async_entries_for_device(registry, device.id)
                if entity.platform == DOMAIN
            }
            exposed = frozenset(
                entity_id
                for entity_id in entities.values()
                if async_should_expose(hass, llm_context.assistant, entity_id)
            )
            if exposed:
                name = device.name_by_user or device.name or vehicle.title
                yield _Car(name, device.id, vehicle, entities, exposed)


class _CarTool(llm.Tool):
    """A tool that answers questions about the exposed cars."""

    integration = DOMAIN
    annotations = _ToolAnnotations and _ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    )

    @override
    async def async_call(
        self, hass: HomeAssistant, tool_input: llm.ToolInput, llm_context: llm.LLMContext
    ) -> Any:
        # Models fill in what they don't need.
        given = {name: value for name, value in tool_input.tool_args.items() if value not in (None, "")}
        context = llm_context.context or Context()
        cars = [
            car
            for car in list(_exposed_cars(hass, llm_context))
            if await may_use(hass, car.device_id, context, POLICY_READ)
        ]
        try:
            arguments = self.parameters(given)
            answer = self.answer(hass, _selected(cars, arguments.get("car")), arguments)
        except vol.Invalid as error:
            # The message tells the model what to do.
            return _result({"error": str(error)}, is_error=True)
        return _result(answer)

    @abstractmethod
    def answer(
        self, hass: HomeAssistant, cars: Sequence[_Car], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the answer about these cars. Raises vol.Invalid."""


def _result(data: dict[str, Any], *, is_error: bool = False) -> Any:
    return data if _ToolResult is None else _ToolResult(data=data, error=is_error)


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


_CAR_PARAMETER: Final = {
    vol.Optional("car", description="Name of the car. Leave it out to get all cars."): str
}


class StatusTool(_CarTool):
    """What is known of the cars now."""

    name = f"{DOMAIN}__get_car_status"
    title = "Get car status"
    description = (
        "Get what is known of the user's electric cars now: locked, open doors and windows, location, "
        "battery level, range, charging, climate, temperatures, tires. It never asks or wakes the car: "
        "minutes_since_update is the age of the data, so mention it if it is old. Times are local. null "
        "means unknown. What not_exposed lists is hidden from you."
    )
    parameters = vol.Schema(_CAR_PARAMETER)

    @override
    def answer(
        self, hass: HomeAssistant, cars: Sequence[_Car], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        return {"cars": [_status(hass, car) for car in cars]}


def _status(hass: HomeAssistant, car: _Car) -> dict[str, Any]:
    values: dict[str, Any] = {}
    not_exposed: list[str] = []
    openings: dict[str, list[str]] = {}
    for name, entities in {**_STATUS, **_OPENINGS}.items():
        existing = [car.entities[entity] for entity in entities if entity in car.entities]
        visible = [entity_id for entity_id in existing if entity_id in car.exposed]
        if not visible:
            if existing:
                not_exposed.append(name)
            continue
        value = _value(hass.states.get(visible[0]))
        if name in _OPENINGS:
            opening = "unknown" if value is None else "open" if value else "closed"
            openings.setdefault(opening, []).append(name)
        else:
            values[name] = value
    updated = car.vehicle.data.charge_state.timestamp
    if updated is None and (read_at := car.vehicle.reader.tracker.read_at) is not None:
        updated = dt_util.utc_from_timestamp(car.vehicle.service.time.real(read_at))
    return {
        "car": car.name,
        "last_update": updated and _local_time(updated),
        "minutes_since_update": updated and round((dt_util.utcnow() - updated) / timedelta(minutes=1)),
        **values,
        **({"doors_and_covers": openings} if openings else {}),
        **({"not_exposed": not_exposed} if not_exposed else {}),
    }


def _local_time(moment: datetime) -> str:
    return f"{dt_util.as_local(moment):%Y-%m-%d %H:%M}"


def _value(state: State | None) -> str | bool | None:
    """Return a state for an answer, None if it is unknown."""
    if state is None or state.state in (STATE_UNKNOWN, STATE_UNAVAILABLE):
        return None
    text, unit = state.state, state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)
    match state.domain:
        case Platform.BINARY_SENSOR | Platform.SWITCH | Platform.UPDATE:
            return text == STATE_ON
        case Platform.COVER:
            return text != CoverState.CLOSED
        case Platform.LOCK:
            return text == LockState.LOCKED
        case Platform.CLIMATE:
            return text != HVACMode.OFF
        case Platform.DEVICE_TRACKER:
            text = "elsewhere" if text == STATE_NOT_HOME else text
        case _ if unit is not None:
            text = f"{round(float(text), 1):g} {unit}"
        case _ if state.attributes.get(ATTR_DEVICE_CLASS) == SensorDeviceClass.TIMESTAMP:
            text = _local_time(datetime.fromisoformat(text))
    return text


class LogTool(_CarTool):
    """What the logs of the cars say of a period."""

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
            **_CAR_PARAMETER,
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
    def answer(
        self, hass: HomeAssistant, cars: Sequence[_Car], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        period = _period(arguments, dt_util.now().date())
        units, zones = log_units(hass), log_zones(hass)
        show, is_largest_first = arguments["show"], arguments["order"] == "largest"
        answers = []
        for car in cars:
            # The time of a simulated car can be ahead.
            now = car.vehicle.service.time.local_now()
            first, last = _period(arguments, now.date())
            summary = LogSummary(
                car.vehicle.log,
                units,
                zones,
                _midnight(first),
                _midnight(last + timedelta(1)),
                shows_places=car.entities.get(_LOCATION) in car.exposed,
            )
            entries = (
                summary.as_totals(now.timestamp())
                if show == "totals"
                else summary.as_list(show, largest_first=is_largest_first)
            )
            own = {} if (first, last) == period else {"period": _named(arguments, first, last)}
            answers.append({"car": car.name, **own, **entries})
        return {
            "period": _named(arguments, *period),
            "units": units.names,
            "cars": answers,
        }


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


def _named(arguments: Mapping[str, Any], first: date, last: date) -> str:
    return "all" if arguments.get("period") == "all" else f"{first} to {last}"


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


def _midnight(day: date) -> float:
    return dt_util.start_of_local_day(day).timestamp()
