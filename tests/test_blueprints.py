"""Test the blueprints: their descriptions, and what their automations do."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import date, datetime, timedelta
import json
import logging
from pathlib import Path
import re
from typing import Any, Final, override
from unittest.mock import PropertyMock, patch
from urllib.parse import parse_qs, urlsplit

from homeassistant.components.blueprint.models import DomainBlueprints
from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.components.persistent_notification import Notification, UpdateType, async_register_callback
from homeassistant.components.weather import Forecast, WeatherEntity
from homeassistant.components.weather.const import WeatherEntityFeature
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import extract_inputs, load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.common import setup_test_component_platform

from custom_components.vehicle_remote_access.api.commands import (
    AUTO_CONDITIONING_START,
    CHARGE_START,
    CHARGE_STOP,
    DOOR_LOCK,
    SET_CHARGE_LIMIT,
)
from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    ClimateState,
    DriveState,
    VehicleState,
)
from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import NOON, Home
from .repository.test_architecture import INTEGRATION, ROOT

FOLDER: Final = INTEGRATION / "blueprints" / "automation"
BLUEPRINTS: Final = sorted(FOLDER.rglob("*.yaml"))

ROOF: Final = VehicleState.sun_roof_percent_open.path
CAR_INPUTS: Final = {
    "battery": ("sensor", ChargeState.battery_level.path),
    "charge": ("switch", ChargeState.charging_state.path),
    "charge_limit": ("number", ChargeState.charge_limit_soc.path),
    "charging_state": ("sensor", ChargeState.charging_state.path),
    "climate": ("climate", ClimateState.key),
    "climate_keeper": ("sensor", ClimateState.climate_keeper_mode.path),
    "driving": ("binary_sensor", DriveState.shift_state.path),
    "location": ("device_tracker", DriveState.key),
    "lock": ("lock", VehicleState.locked.path),
    "occupied": ("binary_sensor", VehicleState.is_user_present.path),
    "openings": ("binary_sensor", f"{VehicleState.df.path}.any"),
    "plug": ("binary_sensor", ChargeState.conn_charge_cable.path),
}
"""Inputs for entities of the car → platform and path of the entity."""


class Calendar(CalendarEntity):
    """A calendar."""

    _attr_name = "Family"
    _events: tuple[CalendarEvent, ...] = ()

    def set_events(self, *events: CalendarEvent) -> None:
        """Replace all events."""
        self._events = events

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return no current event: the automations use only future ones."""
        return None

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return the events between two times."""
        return [
            event
            for event in self._events
            if event.start_datetime_local < end_date and event.end_datetime_local > start_date
        ]


class Weather(WeatherEntity):
    """A weather service. Its forecast is dry at first."""

    _attr_name = "Outside"
    _attr_condition = "cloudy"
    _attr_native_temperature: float | None = 4.0
    _attr_native_temperature_unit = "°C"
    _attr_supported_features = WeatherEntityFeature.FORECAST_HOURLY
    _rain_after = timedelta(days=1)
    _past_rain_age: timedelta | None = None
    _rain_probability: int | None = None

    def set_temperature(self, temperature: float | None) -> None:
        """Set the current temperature."""
        self._attr_native_temperature = temperature
        self.async_write_ha_state()

    def set_rain_after(self, **duration: float) -> None:
        """Forecast rain after this duration."""
        self._rain_after = timedelta(**duration)

    def set_rain_probability(self, percent: int) -> None:
        """Forecast rain with this probability in percent."""
        self._rain_probability = percent

    def set_past_rain(self, age: timedelta) -> None:
        """Return a forecast of only the past, with rain that ended this long ago."""
        self._past_rain_age = age

    def set_unavailable(self) -> None:
        """Make the weather service unavailable."""
        self._attr_available = False
        self.async_write_ha_state()

    @override
    async def async_forecast_hourly(self) -> list[Forecast]:
        """Return the forecast of the next 24 hours, or the past rain."""
        if self._past_rain_age is not None:
            end = dt_util.utcnow() - self._past_rain_age
            return [
                {"datetime": (end - timedelta(hours=hour)).isoformat(), "condition": "rainy"}
                for hour in range(3)
            ]
        return [
            {
                "datetime": (dt_util.utcnow() + timedelta(hours=hour)).isoformat(),
                "condition": "cloudy" if timedelta(hours=hour) < self._rain_after else "rainy",
                "precipitation_probability": self._rain_probability,
            }
            for hour in range(24)
        ]


class House:
    """A home with its car, a calendar, a weather service, and an automation from a blueprint."""

    def __init__(self, home: Home) -> None:
        """Initialize without an automation and without notifications."""
        self.home = home
        self.hass = home.hass
        self.car = home.car
        self.calendar = Calendar()
        self.weather = Weather()
        self.notifications: list[Notification] = []

    async def set_up(self) -> None:
        """Add the car, parked at home, and everything that is not part of this integration."""
        await self.hass.config.async_update(**self.car.driving.point._asdict())
        platforms: dict[str, Entity] = {"calendar": self.calendar, "weather": self.weather}
        for domain, entity in platforms.items():
            setup_test_component_platform(self.hass, domain, [entity])
            await self.set_up_integration(domain, [{"platform": "test"}])
        for domain in ("homeassistant", "persistent_notification", "zone"):
            await self.set_up_integration(domain, {})
        await self.home.set_up()
        async_register_callback(self.hass, self._collect_notifications)

    def _collect_notifications(self, update: UpdateType, notifications: dict[str, Notification]) -> None:
        self.notifications += notifications.values() if update is UpdateType.ADDED else ()

    async def set_up_integration(self, domain: str, configuration: Any) -> None:
        """Set up another integration."""
        assert await async_setup_component(self.hass, domain, {domain: configuration})
        await self.hass.async_block_till_done()

    async def create_automation(self, name: str, **inputs: Any) -> None:
        """Create an automation from a blueprint, with the car's entities and other inputs."""
        path = f"{DOMAIN}/{name}.yaml"
        known_inputs = _inputs(FOLDER / path)
        entities = {key: self.home.entity_id(*CAR_INPUTS[key]) for key in known_inputs if key in CAR_INPUTS}
        blueprint = {"path": path, "input": entities | inputs}
        with patch.object(DomainBlueprints, "blueprint_folder", PropertyMock(return_value=FOLDER)):
            await self.set_up_integration("automation", [{"alias": "Test", "use_blueprint": blueprint}])
        automation = self.hass.states.get("automation.test")
        assert automation is not None
        assert automation.state == "on"

    async def turn_off_automations(self) -> None:
        """Turn off the automation, even if it is waiting."""
        for automation in self.hass.states.async_entity_ids("automation"):
            data = {"entity_id": automation}
            await self.hass.services.async_call("automation", "turn_off", data, blocking=True)

    async def pass_time(self, **duration: float) -> None:
        """Let time pass, in at most 20 steps."""
        seconds = timedelta(**duration).total_seconds()
        await self.home.endure(seconds, step=max(30, seconds / 20))

    async def refresh(self) -> None:
        """Read the car, so that the states show its latest changes."""
        await self.home.call("button", "press", "refresh")
        await self.pass_time(seconds=1)

    async def set_state(self, entity_id: str, state: Any, **attributes: Any) -> None:
        """Set the state of an entity that doesn't belong to the car."""
        self.hass.states.async_set(entity_id, str(state), attributes)
        await self.pass_time(seconds=1)

    @property
    def commands(self) -> list[str]:
        """The commands that were sent to the car."""
        return [path.rpartition("/")[2] for path in self.home.requests("/command/")]

    def park_away(self) -> None:
        """Park the car away from home."""
        self.car.driving.point = self.car.home.point.beyond(5, 0)

    def park_at_home(self) -> None:
        """Wake the car and park it at home."""
        self.car.wake()
        self.car.driving.point = self.car.home.point

    def remove_field(self, path: str) -> None:
        """Remove a field from the car's data."""
        self.home.simulator.faults.remove(path)


# These warn about every custom integration, missing fast libraries, and slow machines.
_UNRELATED_LOGGERS: Final = {"homeassistant.loader", "aiohttp_fast_zlib", "asyncio"}

type HouseAction = Callable[[House], object]
"""Changes one thing, so that the automation does nothing."""


def _no_change(_: House) -> None:
    """Change nothing: the inputs of the automation differ."""


@pytest.fixture(autouse=True)
def _no_warnings(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail if Home Assistant logs a warning or an error."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert not [
        record.getMessage()
        for record in records
        if record.levelno >= logging.WARNING and record.name not in _UNRELATED_LOGGERS
    ]


@pytest.fixture
async def house(empty_home: Home) -> AsyncIterator[House]:
    """A house whose car is at home: locked, closed, charged to 72 %, plugged in, and not charging."""
    house = House(empty_home)
    await house.set_up()
    yield house
    await house.turn_off_automations()


def _inputs(blueprint: Path) -> dict[str, dict[str, Any]]:
    """Return the inputs of a blueprint by name, including those in sections."""
    inputs: dict[str, dict[str, Any]] = {}
    for name, properties in load_yaml_dict(str(blueprint))["blueprint"]["input"].items():
        inputs |= properties.get("input", {name: properties})
    return inputs


# Descriptions

EACH_BLUEPRINT: Final = pytest.mark.parametrize("blueprint", BLUEPRINTS, ids=lambda blueprint: blueprint.stem)


@EACH_BLUEPRINT
def test_descriptions(blueprint: Path) -> None:
    """A blueprint has a name and a description. Each input has a name, a description, and a selector."""
    metadata = load_yaml_dict(str(blueprint))["blueprint"]
    assert metadata["name"]
    assert metadata["description"]
    for name, properties in _inputs(blueprint).items():
        assert {"name", "description", "selector"} <= set(properties), name
        assert properties["name"], name
        assert properties["description"].endswith("."), name


@EACH_BLUEPRINT
def test_inputs_are_used(blueprint: Path) -> None:
    """The automation uses every input, and no others."""
    body = load_yaml_dict(str(blueprint))
    del body["blueprint"]
    assert extract_inputs(body) == set(_inputs(blueprint))


@EACH_BLUEPRINT
def test_source_url_and_min_version(blueprint: Path) -> None:
    """The source URL is the file in the repository. The minimum version is the tested one."""
    metadata = load_yaml_dict(str(blueprint))["blueprint"]
    assert metadata["source_url"] == _source_url(blueprint)
    tested = json.loads((ROOT / "hacs.json").read_text())["homeassistant"]
    assert metadata["homeassistant"]["min_version"] == tested


@EACH_BLUEPRINT
def test_import_link(blueprint: Path) -> None:
    """The page about blueprints has a link that imports the blueprint."""
    page = (ROOT / "docs" / "blueprints.md").read_text()
    links = re.findall(r"\((https://my\.home-assistant\.io/redirect/blueprint_import/\S+)\)", page)
    assert [_source_url(blueprint)] in [parse_qs(urlsplit(link).query)["blueprint_url"] for link in links]


@EACH_BLUEPRINT
async def test_selectors_offer_car_entities(blueprint: Path, house: House) -> None:
    """The selector of each car input offers its entity, and the description contains the entity's name."""
    for name in set(CAR_INPUTS) & set(_inputs(blueprint)):
        entity = er.async_get(house.hass).async_get(house.home.entity_id(*CAR_INPUTS[name]))
        assert entity is not None
        properties = _inputs(blueprint)[name]
        filters = properties["selector"]["entity"]["filter"]
        attributes = {
            "integration": entity.platform,
            "domain": entity.domain,
            "device_class": entity.original_device_class,
        }
        assert any(
            entity_filter.items() <= attributes.items()
            for entity_filter in (filters if isinstance(filters, list) else [filters])
        ), name
        assert f"*{entity.original_name}*" in properties["description"], name


def _source_url(blueprint: Path) -> str:
    repository = json.loads((INTEGRATION / "manifest.json").read_text())["documentation"]
    return f"{repository}/blob/main/{blueprint.relative_to(ROOT)}"


# Warm up the car before an event


def _event(summary: str = "Swimming lesson", **after_noon: float) -> CalendarEvent:
    start = NOON + timedelta(**after_noon or {"minutes": 60})
    return CalendarEvent(start=start, end=start + timedelta(hours=1), summary=summary)


def _all_day_event(summary: str) -> CalendarEvent:
    return CalendarEvent(start=date(2026, 5, 5), end=date(2026, 5, 6), summary=summary)


async def _warm_up(house: House, **inputs: Any) -> None:
    """Create the automation, and let time pass until half an hour before an event at 13:00."""
    await house.create_automation("warm_up_before_an_event", calendars=[house.calendar.entity_id], **inputs)
    await house.pass_time(minutes=29)
    assert AUTO_CONDITIONING_START.name not in house.commands
    await house.pass_time(minutes=2)


async def test_warm_up_before_event(house: House) -> None:
    """The climate of a sleeping car turns on half an hour before the event."""
    house.calendar.set_events(_event())
    house.car.fall_asleep()
    await _warm_up(house)
    assert house.home.requests("/wake_up")
    assert house.car.cabin.on


async def test_climate_turns_off_if_unused(house: House) -> None:
    """The climate turns off if the car stays empty for an hour."""
    house.calendar.set_events(_event())
    await _warm_up(house)
    await house.pass_time(minutes=57)
    assert house.car.cabin.on
    await house.pass_time(minutes=3)
    assert not house.car.cabin.on


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda house: house.car.enter(), id="occupied"),
        pytest.param(lambda house: house.car.climate_keeper("dog"), id="dog mode"),
        pytest.param(lambda house: house.car.cabin.stop(), id="already off"),
    ],
)
async def test_climate_is_not_turned_off(house: House, change: HouseAction) -> None:
    """The climate is not turned off if the car is occupied, in dog mode, or its climate is already off."""
    house.calendar.set_events(_event())
    await _warm_up(house)
    change(house)
    await house.pass_time(minutes=90)
    assert house.commands == [AUTO_CONDITIONING_START.name]


async def test_climate_stays_on_after_use(house: House) -> None:
    """Once the car was occupied, the climate stays on even after the driver left."""
    house.calendar.set_events(_event())
    await _warm_up(house)
    house.car.enter()
    await house.refresh()
    house.car.leave()
    house.car.cabin.on = True
    await house.refresh()
    await house.pass_time(minutes=90)
    assert house.car.cabin.on


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda house: house.car.climate_keeper("camp"), id="already on"),
        pytest.param(lambda house: house.car.enter(), id="occupied"),
        pytest.param(lambda house: house.park_away(), id="away"),
        pytest.param(lambda house: (house.car.unplug(), house.car.set_level(29)), id="battery low"),
        pytest.param(lambda house: house.remove_field(ChargeState.key), id="battery unknown"),
        pytest.param(lambda house: house.calendar.set_events(_event("Call me")), id="other event"),
        pytest.param(lambda house: house.weather.set_temperature(18), id="mild"),
        pytest.param(lambda house: house.weather.set_temperature(None), id="temperature unknown"),
    ],
)
async def test_no_warm_up(house: House, change: HouseAction) -> None:
    """The climate doesn't turn on unless all conditions are known to be met."""
    house.calendar.set_events(_event())
    change(house)
    await house.refresh()
    await _warm_up(house, title="swim", outside=[house.weather.entity_id])
    assert not house.commands


async def test_warm_up_with_all_conditions(house: House) -> None:
    """The climate turns on if the title matches and it is cold outside."""
    house.calendar.set_events(_event())
    await _warm_up(house, title="swim", outside=[house.weather.entity_id])
    assert house.car.cabin.on


async def test_warm_up_away(house: House) -> None:
    """The climate also turns on away from home if the inputs allow it."""
    house.calendar.set_events(_event())
    house.park_away()
    await house.refresh()
    await _warm_up(house, only_at_home=False)
    assert house.car.cabin.on


async def test_no_warm_up_for_all_day_event(house: House) -> None:
    """The climate doesn't turn on for an event that lasts all day."""
    house.calendar.set_events(_all_day_event("Swimming"))
    await house.create_automation(
        "warm_up_before_an_event", calendars=[house.calendar.entity_id], lead={"hours": 11, "minutes": 50}
    )
    await house.pass_time(minutes=20)
    assert not house.commands


# Charge on surplus or cheap power

SENSOR: Final = "sensor.power"


async def _automate_charging(house: House, value: Any, **inputs: Any) -> None:
    """Create the automation, by default for a surplus of 3000 or more. The sensor has this value."""
    await house.set_state(SENSOR, value)
    inputs = {"source": SENSOR, "threshold": 3000, "margin": 500, **inputs}
    await house.create_automation("charge_on_surplus_or_cheap_power", **inputs)


@pytest.mark.parametrize(
    ("kind", "insufficient", "between", "sufficient"),
    [("surplus", 2400, 2600, 3000), ("price", 3600, 3400, 3000)],
)
async def test_charging_follows_power(
    house: House, kind: str, insufficient: float, between: float, sufficient: float
) -> None:
    """Charging starts after ten minutes of sufficient power, and stops after ten minutes of too little."""
    await _automate_charging(house, insufficient, kind=kind)
    await house.set_state(SENSOR, sufficient)
    await house.pass_time(minutes=9)
    assert not house.car.charging.active
    await house.pass_time(minutes=2)
    assert house.car.charging.active
    await house.set_state(SENSOR, between)
    await house.pass_time(minutes=15)
    await house.set_state(SENSOR, insufficient)
    await house.pass_time(minutes=9)
    assert house.car.charging.active
    await house.pass_time(minutes=2)
    assert not house.car.charging.active
    assert house.commands == [CHARGE_START.name, CHARGE_STOP.name]


async def test_short_drop(house: House) -> None:
    """A short drop of the surplus doesn't stop charging."""
    await _automate_charging(house, 0)
    await house.set_state(SENSOR, 4000)
    await house.pass_time(minutes=11)
    await house.set_state(SENSOR, 0)
    await house.pass_time(minutes=5)
    await house.set_state(SENSOR, 4000)
    await house.pass_time(minutes=20)
    assert house.commands == [CHARGE_START.name]


async def test_low_battery(house: House) -> None:
    """A low battery charges without surplus until it is no longer low."""
    await _automate_charging(house, 0)
    house.car.set_level(10)
    await house.refresh()
    await house.pass_time(minutes=1)
    assert house.car.charging.active
    await house.set_state(SENSOR, 4000)
    await house.set_state(SENSOR, 0)
    await house.pass_time(minutes=12)
    assert house.car.charging.active
    house.car.set_level(21)
    await house.pass_time(minutes=2)
    assert not house.car.charging.active


async def test_plugged_in_without_surplus(house: House) -> None:
    """Charging that starts on plugging in is stopped if there is no surplus."""
    house.car.unplug()
    await house.refresh()
    await _automate_charging(house, 0)
    house.car.plug_in()
    await house.refresh()
    await house.pass_time(minutes=1)
    assert house.commands == [CHARGE_STOP.name]


async def test_started_with_surplus(house: House) -> None:
    """Charging starts if there already is a surplus when Home Assistant starts."""
    house.hass.set_state(CoreState.not_running)
    await _automate_charging(house, 4000)
    await house.hass.async_start()
    await house.pass_time(minutes=1)
    assert house.car.charging.active


def _charge_to_limit(house: House) -> None:
    house.car.unplug()
    house.car.set_level(80)
    house.car.plug_in()


@pytest.mark.parametrize(
    ("change", "value"),
    [
        pytest.param(_charge_to_limit, 4000, id="full"),
        pytest.param(lambda house: house.car.unplug(), 4000, id="unplugged"),
        pytest.param(lambda house: house.park_away(), 4000, id="away"),
        pytest.param(lambda house: house.car.charging.set_limit(100), 4000, id="raised limit"),
        pytest.param(lambda house: house.remove_field(ChargeState.key), 4000, id="state unknown"),
        pytest.param(_no_change, STATE_UNAVAILABLE, id="sensor unavailable"),
    ],
)
async def test_not_charged(house: House, change: HouseAction, value: Any) -> None:
    """A car that needs no charge, or whose state is unknown, gets no command and stays asleep."""
    change(house)
    await house.refresh()
    await _automate_charging(house, 0)
    house.car.fall_asleep()
    await house.set_state(SENSOR, value)
    await house.pass_time(minutes=15)
    assert not house.commands
    assert not house.home.requests("/wake_up")


async def test_charging_continues_without_sensor(house: House) -> None:
    """Charging continues if the sensor becomes unavailable."""
    await _automate_charging(house, 0)
    await house.set_state(SENSOR, 4000)
    await house.pass_time(minutes=11)
    await house.set_state(SENSOR, STATE_UNAVAILABLE)
    await house.pass_time(minutes=15)
    assert house.car.charging.active


async def test_arrival_and_plug_in_in_one_read(house: House) -> None:
    """Charging is stopped if a single read shows that the car came home and was plugged in."""
    house.car.unplug()
    house.park_away()
    await house.refresh()
    await _automate_charging(house, 0)
    house.park_at_home()
    house.car.plug_in()
    await house.refresh()
    await house.pass_time(minutes=2)
    assert house.commands == [CHARGE_STOP.name]


async def test_surplus_during_outage(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A surplus that began during an outage of the service starts charging after the outage."""
    await _automate_charging(house, 0)
    house.home.simulator.faults.answer(503, times=10**6)
    await house.pass_time(minutes=40)
    await house.set_state(SENSOR, 4000)
    await house.pass_time(minutes=15)
    house.home.simulator.faults.clear()
    await house.pass_time(minutes=30)
    caplog.clear()  # The outage was logged.
    assert house.car.charging.active


# Remind to plug the car in


def _unplug_at_30_percent(house: House) -> None:
    house.car.unplug()
    house.car.set_level(30)


async def _wait_for_evening(house: House, **inputs: Any) -> None:
    """Create the automation, and let half an hour pass until evening begins."""
    await house.refresh()
    await house.create_automation("remind_to_plug_in", **{"evening": "12:30:00", **inputs})
    await house.pass_time(minutes=29)
    assert not house.notifications
    await house.pass_time(minutes=2)


async def test_reminder(house: House) -> None:
    """There is one reminder in the evening if the car is not plugged in."""
    _unplug_at_30_percent(house)
    await _wait_for_evening(house)
    await house.pass_time(hours=1)
    assert [(notification["title"], notification["message"]) for notification in house.notifications] == [
        ("Aurora is not plugged in", "Its battery has 30 %.")
    ]


async def test_reminder_after_arrival(house: House) -> None:
    """If the car comes home later, the reminder follows ten minutes after the arrival."""
    _unplug_at_30_percent(house)
    house.park_away()
    await _wait_for_evening(house)
    house.park_at_home()
    await house.refresh()
    await house.pass_time(minutes=9)
    assert not house.notifications
    await house.pass_time(minutes=2)
    assert house.notifications


async def test_no_reminder_after_unseen_plug_in(house: House) -> None:
    """The automation reads the car first, so there is no reminder if a cable was plugged in unseen."""
    _unplug_at_30_percent(house)
    await house.refresh()
    await house.create_automation("remind_to_plug_in", evening="12:30:00")
    await house.pass_time(minutes=29)
    house.car.plug_in()
    assert house.home.shown(*CAR_INPUTS["plug"]).state == "off"
    await house.pass_time(minutes=2)
    assert not house.notifications


@pytest.mark.parametrize(
    ("change", "inputs"),
    [
        pytest.param(lambda house: house.car.plug_in(), {}, id="plugged in"),
        pytest.param(lambda house: house.car.set_level(50), {}, id="battery high enough"),
        pytest.param(lambda house: house.park_away(), {}, id="away"),
        pytest.param(lambda house: house.remove_field(ChargeState.key), {}, id="state unknown"),
        pytest.param(_no_change, {"days": ["tue", "wed"]}, id="other day"),
    ],
)
async def test_no_reminder(house: House, change: HouseAction, inputs: dict[str, Any]) -> None:
    """There is no reminder if it is unnecessary or the state is unknown."""
    _unplug_at_30_percent(house)
    change(house)
    await _wait_for_evening(house, **inputs)
    assert not house.notifications


async def test_no_reminder_at_night(house: House) -> None:
    """There is no reminder if the car comes home late at night."""
    _unplug_at_30_percent(house)
    house.park_away()
    await _wait_for_evening(house, night="12:35:00")
    house.park_at_home()
    await house.refresh()
    await house.pass_time(minutes=15)
    assert not house.notifications


async def test_reminder_has_current_level(house: House) -> None:
    """The reminder contains the battery level that was read just before it."""
    house.car.unplug()
    house.car.set_level(45)
    await house.refresh()
    await house.create_automation("remind_to_plug_in", evening="12:30:00")
    await house.pass_time(minutes=29)
    house.car.wake()
    house.car.set_level(30)
    await house.pass_time(minutes=2)
    (notification,) = house.notifications
    assert "30 %" in notification["message"]


# Lock the car when everybody has left

ANN, BEN = "person.ann", "person.ben"


def _set_zone(house: House, person: str, zone: str | None) -> None:
    state = "home" if zone == "zone.home" else "not_home"
    house.hass.states.async_set(person, state, {"in_zones": [zone] if zone else []})


async def _automate_locking(house: House, **inputs: Any) -> None:
    """Create the automation for two persons at home and an unlocked car."""
    house.car.unlock()
    await house.refresh()
    for person in (ANN, BEN):
        _set_zone(house, person, "zone.home")
    await house.create_automation("lock_when_everybody_left", persons=[ANN, BEN], **inputs)


async def test_locked_when_everybody_left(house: House) -> None:
    """The car locks once the last person has been away for five minutes, in any zone or none."""
    await _automate_locking(house)
    _set_zone(house, ANN, None)
    await house.pass_time(minutes=10)
    _set_zone(house, BEN, None)
    await house.pass_time(minutes=3)
    _set_zone(house, BEN, "zone.work")
    assert not house.car.body.locked
    await house.pass_time(minutes=3)
    assert house.car.body.locked
    assert house.commands == [DOOR_LOCK.name]


async def test_locked_once_doors_are_closed(house: House) -> None:
    """A car with an open door locks once the door is closed."""
    await _automate_locking(house)
    house.car.open("dr")
    await house.refresh()
    _set_zone(house, ANN, None)
    _set_zone(house, BEN, None)
    await house.pass_time(minutes=10)
    assert not house.commands
    house.car.close("dr")
    await house.pass_time(minutes=10)
    assert house.car.body.locked


async def test_locked_after_unseen_unlock(house: House) -> None:
    """The automation reads the car first, so it locks a car that was unlocked unseen."""
    await _automate_locking(house)
    house.car.lock()
    await house.refresh()
    await house.pass_time(minutes=8)
    house.car.unlock()
    assert house.home.shown(*CAR_INPUTS["lock"]).state == "locked"
    _set_zone(house, ANN, None)
    _set_zone(house, BEN, None)
    await house.pass_time(minutes=6)
    assert house.car.body.locked


async def test_locked_away(house: House) -> None:
    """The car also locks away from home if the inputs allow it."""
    house.park_away()
    await _automate_locking(house, only_at_home=False)
    _set_zone(house, ANN, None)
    _set_zone(house, BEN, None)
    await house.pass_time(minutes=6)
    assert house.car.body.locked


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda house: house.hass.states.async_set(BEN, STATE_UNKNOWN), id="person unknown"),
        pytest.param(lambda house: _set_zone(house, BEN, "zone.home"), id="person at home"),
        pytest.param(lambda house: house.car.open("ft"), id="frunk open"),
        pytest.param(lambda house: house.car.enter(), id="occupied"),
        pytest.param(lambda house: house.park_away(), id="away"),
        pytest.param(lambda house: house.remove_field(VehicleState.df.path), id="door unknown"),
        pytest.param(lambda house: house.remove_field(VehicleState.locked.path), id="lock unknown"),
    ],
)
async def test_not_locked(house: House, change: HouseAction) -> None:
    """The car doesn't lock while it may be in use or a state is unknown."""
    await _automate_locking(house)
    _set_zone(house, BEN, None)
    change(house)
    await house.refresh()
    _set_zone(house, ANN, None)
    await house.pass_time(minutes=15)
    assert not house.commands


async def test_locked_after_person_was_unknown(house: House) -> None:
    """The car locks once the location of the last person is known again."""
    await _automate_locking(house)
    await house.pass_time(minutes=10)
    await house.set_state(BEN, STATE_UNKNOWN)
    _set_zone(house, ANN, None)
    await house.pass_time(minutes=10)
    assert not house.commands
    _set_zone(house, BEN, None)
    await house.pass_time(minutes=10)
    assert house.commands == [DOOR_LOCK.name]


async def test_locked_after_restart(house: House) -> None:
    """The car locks after a restart if all persons left before it."""
    house.hass.set_state(CoreState.not_running)
    await _automate_locking(house)
    _set_zone(house, ANN, None)
    _set_zone(house, BEN, None)
    await house.hass.async_start()
    await house.pass_time(minutes=7)
    assert house.commands == [DOOR_LOCK.name]


# Warn of an open car before rain


async def _automate_warning(house: House, **inputs: Any) -> None:
    """Create the automation for the doors, the lids, and the sunroof."""
    openings = [house.home.entity_id(*CAR_INPUTS["openings"]), house.home.entity_id("cover", ROOF)]
    await house.create_automation(
        "warn_before_rain", weather=house.weather.entity_id, openings=openings, **inputs
    )


async def _leave_trunk_open(house: House, **inputs: Any) -> None:
    """Create the automation, open the trunk, and let six minutes pass."""
    await _automate_warning(house, **inputs)
    house.car.open("rt")
    await house.refresh()
    await house.pass_time(minutes=4)
    assert not house.notifications
    await house.pass_time(minutes=2)


async def test_warning(house: House) -> None:
    """The warning contains the start of the rain and what is open."""
    house.weather.set_rain_after(hours=1)
    await _leave_trunk_open(house)
    (notification,) = house.notifications
    assert notification["title"] == "Rain from 13:05 on"
    assert notification["message"] == "Open: Aurora Any door or lid."


async def test_warning_with_sun_roof(house: House) -> None:
    """The warning contains an open sunroof."""
    house.weather.set_rain_after(hours=1)
    house.car.body.roof.percent = 15
    await _leave_trunk_open(house)
    assert house.notifications[0]["message"] == "Open: Aurora Any door or lid, Aurora Sun roof."


@pytest.mark.parametrize(("percent", "warnings"), [(49, 0), (50, 1)])
async def test_warning_of_probable_rain(house: House, percent: int, warnings: int) -> None:
    """Probable rain causes a warning from the chosen probability."""
    house.weather.set_rain_probability(percent)
    await _leave_trunk_open(house)
    assert len(house.notifications) == warnings


async def test_warning_away(house: House) -> None:
    """If the inputs exclude home, an open car away from home still causes a warning."""
    house.weather.set_rain_after(hours=1)
    house.park_away()
    await _leave_trunk_open(house, only_away=True)
    assert house.notifications


async def test_warning_after_forecast_change(house: House) -> None:
    """A car that is already open causes a warning when the forecast changes."""
    await _leave_trunk_open(house)
    assert not house.notifications
    house.weather.set_rain_after(hours=1)
    await house.pass_time(minutes=30)
    assert house.notifications


async def test_one_warning(house: House) -> None:
    """A warning isn't repeated within two hours, unless the car was closed and opened again."""
    house.weather.set_rain_after(hours=1)
    await _leave_trunk_open(house)
    house.car.open("df")
    await house.pass_time(hours=2)
    assert len(house.notifications) == 1
    house.car.close("df")
    house.car.close("rt")
    await house.refresh()
    house.car.open("rt")
    await house.refresh()
    await house.pass_time(minutes=15)
    assert len(house.notifications) == 2


async def test_repeated_warning(house: House) -> None:
    """A warning is repeated after the chosen time."""
    house.weather.set_rain_after(hours=1)
    await _leave_trunk_open(house, repeat={"hours": 1})
    await house.pass_time(minutes=58)
    assert len(house.notifications) == 1
    await house.pass_time(minutes=30)
    assert len(house.notifications) == 2


async def test_no_warning_after_unseen_close(house: House) -> None:
    """The automation reads the car first, so there is no warning if the sunroof was closed unseen."""
    house.weather.set_rain_after(hours=1)
    await _automate_warning(house, patience={"minutes": 9})
    house.car.body.roof.percent = 15
    await house.refresh()
    await house.pass_time(minutes=8)
    house.car.body.roof.percent = 0
    assert house.home.shown("cover", ROOF).state == "open"
    await house.pass_time(minutes=3)
    assert not house.notifications


@pytest.mark.parametrize(
    ("change", "inputs"),
    [
        pytest.param(lambda house: house.weather.set_rain_after(hours=3), {}, id="rain later"),
        pytest.param(lambda house: house.car.enter(), {}, id="occupied"),
        pytest.param(lambda house: house.remove_field(VehicleState.key), {}, id="state unknown"),
        pytest.param(_no_change, {"only_away": True}, id="at home"),
        pytest.param(_no_change, {"patience": {"minutes": 40}}, id="open for a short time"),
    ],
)
async def test_no_warning(house: House, change: HouseAction, inputs: dict[str, Any]) -> None:
    """There is no warning if it is unnecessary or the state is unknown."""
    house.weather.set_rain_after(hours=1)
    change(house)
    await house.refresh()
    await _leave_trunk_open(house, **inputs)
    await house.pass_time(minutes=30)
    assert not house.notifications


async def test_no_warning_of_past_rain(house: House) -> None:
    """Rain in the past causes no warning. Some weather services include it in their forecast."""
    house.weather.set_past_rain(age=timedelta(hours=2))
    await _leave_trunk_open(house)
    await house.pass_time(minutes=31)
    assert not house.notifications


async def test_unavailable_weather(house: House) -> None:
    """An unavailable weather service causes neither a warning nor a log entry."""
    house.weather.set_unavailable()
    await _leave_trunk_open(house)
    assert not house.notifications


# Charge for a journey

HELPER: Final = "input_number.limit"
DEPARTURE: Final = "input_datetime.departure"


async def _automate_journey(house: House, stored_limit: float = 0, **inputs: Any) -> None:
    """Create the automation, by default with a lead time of three hours before an event."""
    await house.set_up_integration("input_number", {"limit": {"min": 0, "max": 100, "initial": stored_limit}})
    inputs = {"calendars": [house.calendar.entity_id], "memory": HELPER, "lead": {"hours": 3}, **inputs}
    await house.create_automation("charge_for_a_journey", **inputs)


def _stored_limit(house: House) -> float:
    state = house.hass.states.get(HELPER)
    assert state is not None
    return float(state.state)


async def _wait_for_lead_time(house: House) -> None:
    """Let ten minutes pass, until the lead time begins."""
    await house.pass_time(minutes=9)
    assert not house.commands
    await house.pass_time(minutes=2)


async def test_charge_for_journey(house: House) -> None:
    """Three hours before the journey, the limit is raised and charging starts."""
    house.calendar.set_events(_event("Journey", hours=3, minutes=10))
    await _automate_journey(house, title="journey")
    await _wait_for_lead_time(house)
    assert house.car.charging.limit == 100
    assert house.car.charging.active


async def test_charge_for_departure(house: House) -> None:
    """A helper with a date and time works like a calendar."""
    await house.set_up_integration("input_datetime", {"departure": {"has_date": True, "has_time": True}})
    await _automate_journey(house, calendars=[], departures=[DEPARTURE])
    data = {"entity_id": DEPARTURE, "datetime": (NOON + timedelta(hours=3, minutes=10)).replace(tzinfo=None)}
    await house.hass.services.async_call("input_datetime", "set_datetime", data, blocking=True)
    await _wait_for_lead_time(house)
    assert house.car.charging.limit == 100


async def test_unreachable_car(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """If the car is unreachable, the command is repeated until it succeeds."""
    house.calendar.set_events(_event(hours=3, minutes=10))
    await _automate_journey(house)
    house.car.coverage(on=False)
    await _wait_for_lead_time(house)
    await house.pass_time(minutes=4)
    assert "did not wake up" in caplog.text
    caplog.clear()
    house.car.coverage(on=True)
    await house.pass_time(minutes=20)
    assert house.car.charging.limit == 100


async def test_limit_is_restored_after_departure(house: House) -> None:
    """The limit is restored half an hour after the car was unplugged."""
    house.calendar.set_events(_event(hours=3, minutes=10))
    await _automate_journey(house)
    await _wait_for_lead_time(house)
    house.car.unplug()
    await house.refresh()
    await house.pass_time(minutes=29)
    assert house.car.charging.limit == 100
    await house.pass_time(minutes=2)
    assert house.car.charging.limit == 80
    assert _stored_limit(house) == 0


async def test_limit_stays_after_errand(house: House) -> None:
    """The limit stays raised if the car is plugged in again soon."""
    house.calendar.set_events(_event(hours=3, minutes=10))
    await _automate_journey(house)
    await _wait_for_lead_time(house)
    house.car.unplug()
    await house.refresh()
    await house.pass_time(minutes=20)
    house.car.plug_in()
    await house.refresh()
    await house.pass_time(minutes=20)
    assert house.car.charging.limit == 100


async def test_limit_is_restored_without_departure(house: House) -> None:
    """The limit is restored if the car doesn't leave. The time counts from the second of two journeys."""
    house.calendar.set_events(_event(minutes=30), _event(minutes=90))
    await _automate_journey(house, lead={"minutes": 20}, at_most={"minutes": 100})
    await house.pass_time(minutes=11)
    assert house.car.charging.limit == 100
    await house.pass_time(minutes=110)
    assert house.car.charging.limit == 100
    await house.pass_time(hours=1)
    assert house.car.charging.limit == 80


async def test_limit_is_restored_after_restart(house: House) -> None:
    """A newly started automation restores the limit from the helper."""
    house.car.charging.set_limit(100)
    await house.refresh()
    await _automate_journey(house, stored_limit=70)
    house.car.unplug()
    await house.refresh()
    await house.pass_time(minutes=40)
    assert house.car.charging.limit == 70


async def test_changed_limit_stays(house: House) -> None:
    """A limit that was changed by hand in the meantime stays."""
    house.calendar.set_events(_event(hours=3, minutes=10))
    await _automate_journey(house)
    await _wait_for_lead_time(house)
    house.car.charging.set_limit(90)
    house.car.unplug()
    await house.refresh()
    await house.pass_time(minutes=40)
    assert house.car.charging.limit == 90
    assert _stored_limit(house) == 0


async def test_unknown_limit(house: House) -> None:
    """The stored limit stays while the current limit is unknown."""
    house.calendar.set_events(_event(hours=3, minutes=10))
    await _automate_journey(house)
    await _wait_for_lead_time(house)
    house.remove_field(ChargeState.charge_limit_soc.path)
    house.car.unplug()
    await house.refresh()
    await house.pass_time(minutes=40)
    assert _stored_limit(house) == 80


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda house: house.calendar.set_events(_event("Call me", hours=3, minutes=10)), id="other event"
        ),
        pytest.param(lambda house: house.car.charging.set_limit(100), id="limit already high"),
        pytest.param(lambda house: house.remove_field(ChargeState.key), id="state unknown"),
    ],
)
async def test_limit_is_not_changed(house: House, change: HouseAction) -> None:
    """A limit that is already high or unknown stays, even after unplugging. So does one without an event."""
    house.calendar.set_events(_event("Journey", hours=3, minutes=10))
    change(house)
    await house.refresh()
    await _automate_journey(house, title="journey")
    await _wait_for_lead_time(house)
    house.car.unplug()
    await house.refresh()
    await house.pass_time(minutes=40)
    assert SET_CHARGE_LIMIT.name not in house.commands
    assert _stored_limit(house) == 0


async def test_journey_during_outage(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A journey that comes due during an outage takes effect after the outage."""
    house.calendar.set_events(_event(hours=3, minutes=40))
    await _automate_journey(house)
    house.home.simulator.faults.answer(503, times=10**6)
    await house.pass_time(minutes=38)
    assert house.home.shown(*CAR_INPUTS["charge_limit"]).state == STATE_UNAVAILABLE
    await house.pass_time(minutes=5)
    house.home.simulator.faults.clear()
    await house.pass_time(minutes=30)
    caplog.clear()  # The outage was logged.
    assert house.car.charging.limit == 100
    assert _stored_limit(house) == 80
