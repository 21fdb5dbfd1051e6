"""Blueprints: what an owner imports, and what the car does because of it."""

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
from .repository.test_architecture import HOUSE, ROOT

FOLDER: Final = HOUSE / "blueprints" / "automation"
BLUEPRINTS: Final = sorted(FOLDER.rglob("*.yaml"))

ROOF: Final = VehicleState.sun_roof_percent_open.path
CAR: Final = {
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
"""The inputs that are entities of the car: the platform, and the path of what they show."""


class Calendar(CalendarEntity):
    """Somebody's calendar."""

    _attr_name = "Family"
    _events: tuple[CalendarEvent, ...] = ()

    def has(self, *events: CalendarEvent) -> None:
        """Have nothing but these in it."""
        self._events = events

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return nothing: only what is to come counts here."""
        return None

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return what is between two moments."""
        return [
            each
            for each in self._events
            if each.start_datetime_local < end_date and each.end_datetime_local > start_date
        ]


class Weather(WeatherEntity):
    """A weather service."""

    _attr_name = "Outside"
    _attr_condition = "cloudy"
    _attr_native_temperature: float | None = 4.0
    _attr_native_temperature_unit = "°C"
    _attr_supported_features = WeatherEntityFeature.FORECAST_HOURLY
    _dry_for = timedelta(days=1)
    _wet_before: timedelta | None = None
    _probability: int | None = None

    def measures(self, temperature: float | None) -> None:
        """Tell how warm it is."""
        self._attr_native_temperature = temperature
        self.async_write_ha_state()

    def stays_dry(self, **duration: float) -> None:
        """Tell for how long it does not rain."""
        self._dry_for = timedelta(**duration)

    def expects_rain(self, percent: int) -> None:
        """Tell with which probability it rains all the same."""
        self._probability = percent

    def rained(self, before: timedelta) -> None:
        """Tell also of the last hours, in which it rained until so long ago."""
        self._wet_before = before

    def goes_away(self) -> None:
        """Tell nothing any more."""
        self._attr_available = False
        self.async_write_ha_state()

    @override
    async def async_forecast_hourly(self) -> list[Forecast]:
        """Return what the next hours bring, and perhaps what the last ones brought."""
        if self._wet_before is not None:
            past = dt_util.utcnow() - self._wet_before
            return [
                {"datetime": (past - timedelta(hours=hour)).isoformat(), "condition": "rainy"}
                for hour in range(3)
            ]
        return [
            {
                "datetime": (dt_util.utcnow() + timedelta(hours=hour)).isoformat(),
                "condition": "cloudy" if timedelta(hours=hour) < self._dry_for else "rainy",
                "precipitation_probability": self._probability,
            }
            for hour in range(24)
        ]


class House:
    """A home with its car in front of it, a calendar and the weather, and an automation from a blueprint."""

    def __init__(self, home: Home) -> None:
        """Begin with no automation, and nobody told of anything."""
        self.home = home
        self.hass = home.hass
        self.car = home.car
        self.calendar = Calendar()
        self.weather = Weather()
        self.told: list[Notification] = []

    async def set_up(self) -> None:
        """Add the car, parked where Home Assistant is, and all that is not of this integration."""
        await self.hass.config.async_update(**self.car.driving.point._asdict())
        platforms: dict[str, Entity] = {"calendar": self.calendar, "weather": self.weather}
        for domain, entity in platforms.items():
            setup_test_component_platform(self.hass, domain, [entity])
            await self.add(domain, [{"platform": "test"}])
        for domain in ("homeassistant", "persistent_notification", "zone"):
            await self.add(domain, {})
        await self.home.set_up()
        async_register_callback(self.hass, self._tell)

    def _tell(self, update: UpdateType, notifications: dict[str, Notification]) -> None:
        self.told += notifications.values() if update is UpdateType.ADDED else ()

    async def add(self, domain: str, configuration: Any) -> None:
        """Set up an integration of Home Assistant."""
        assert await async_setup_component(self.hass, domain, {domain: configuration})
        await self.hass.async_block_till_done()

    async def follow(self, name: str, **inputs: Any) -> None:
        """Make an automation of a blueprint, with the car's entities and what else is given."""
        path = f"{DOMAIN}/{name}.yaml"
        described = _inputs(FOLDER / path)
        ours = {each: self.home.entity_id(*CAR[each]) for each in described if each in CAR}
        use = {"path": path, "input": ours | inputs}
        with patch.object(DomainBlueprints, "blueprint_folder", PropertyMock(return_value=FOLDER)):
            await self.add("automation", [{"alias": "Ours", "use_blueprint": use}])
        automation = self.hass.states.get("automation.ours")
        assert automation is not None
        assert automation.state == "on"

    async def leave(self) -> None:
        """End the automation, whatever it waits for."""
        for each in self.hass.states.async_entity_ids("automation"):
            await self.hass.services.async_call("automation", "turn_off", {"entity_id": each}, blocking=True)

    async def pass_time(self, **duration: float) -> None:
        """Let so many minutes or hours pass, in not more steps than it takes to see what comes of them."""
        seconds = timedelta(**duration).total_seconds()
        await self.home.endure(seconds, step=max(30, seconds / 20))

    async def see(self) -> None:
        """Let Home Assistant know what somebody has just done to the car."""
        await self.home.call("button", "press", "refresh")
        await self.pass_time(seconds=1)

    async def show(self, entity_id: str, state: Any, **attributes: Any) -> None:
        """Let something that is not the car have a state."""
        self.hass.states.async_set(entity_id, str(state), attributes)
        await self.pass_time(seconds=1)

    @property
    def commands(self) -> list[str]:
        """The commands that the car was sent."""
        return [path.rpartition("/")[2] for path in self.home.requests("/command/")]

    def move_away(self) -> None:
        """Park the car elsewhere."""
        self.car.driving.point = self.car.home.point.beyond(5, 0)

    def come_home(self) -> None:
        """Park the car at home."""
        self.car.wake()
        self.car.driving.point = self.car.home.point

    def lose(self, path: str) -> None:
        """Let the car no longer say something."""
        self.home.simulator.faults.remove(path)


# They speak of every custom integration, of every machine without fast libraries, and of every slow one.
_LOUD: Final = {"homeassistant.loader", "aiohttp_fast_zlib", "asyncio"}

type Deed = Callable[[House], object]
"""What is different in a case in which nothing happens."""


def _nothing(_: House) -> None:
    """Leave all as it is: what differs is what the automation was asked for."""


@pytest.fixture(autouse=True)
def _quiet_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail on anything that Home Assistant would show in its log."""
    yield
    records = [*caplog.get_records("setup"), *caplog.get_records("call")]
    loud = [each for each in records if each.levelno >= logging.WARNING and each.name not in _LOUD]
    assert not [each.getMessage() for each in loud]


@pytest.fixture
async def house(empty_home: Home) -> AsyncIterator[House]:
    """A house whose car is at home: locked and shut, 72 % full, a cable in, and not charging."""
    house = House(empty_home)
    await house.set_up()
    yield house
    await house.leave()


def _inputs(blueprint: Path) -> dict[str, dict[str, Any]]:
    """Return the inputs of a blueprint by name, those in sections too."""
    inputs: dict[str, dict[str, Any]] = {}
    for name, each in load_yaml_dict(str(blueprint))["blueprint"]["input"].items():
        inputs |= each.get("input", {name: each})
    return inputs


# What they say


EACH: Final = pytest.mark.parametrize("blueprint", BLUEPRINTS, ids=lambda blueprint: blueprint.stem)


@EACH
def test_explains_itself(blueprint: Path) -> None:
    """It has a name and a description, and so has every input, with a selector."""
    about = load_yaml_dict(str(blueprint))["blueprint"]
    assert about["name"]
    assert about["description"]
    for name, each in _inputs(blueprint).items():
        assert {"name", "description", "selector"} <= set(each), name
        assert each["name"], name
        assert each["description"].endswith("."), name


@EACH
def test_uses_its_inputs(blueprint: Path) -> None:
    """Every input is used, and no other one."""
    body = load_yaml_dict(str(blueprint))
    del body["blueprint"]
    assert extract_inputs(body) == set(_inputs(blueprint))


@EACH
def test_says_where_it_is_from(blueprint: Path) -> None:
    """Its address is its own in the repository, and the version that it needs the one that we test."""
    about = load_yaml_dict(str(blueprint))["blueprint"]
    assert about["source_url"] == _address(blueprint)
    wanted = json.loads((ROOT / "hacs.json").read_text())["homeassistant"]
    assert about["homeassistant"]["min_version"] == wanted


@EACH
def test_can_be_imported(blueprint: Path) -> None:
    """The page about blueprints has a link that imports it."""
    page = (ROOT / "docs" / "blueprints.md").read_text()
    links = re.findall(r"\((https://my\.home-assistant\.io/redirect/blueprint_import/\S+)\)", page)
    assert [_address(blueprint)] in [parse_qs(urlsplit(link).query)["blueprint_url"] for link in links]


@EACH
async def test_offers_the_entities_of_the_car(blueprint: Path, house: House) -> None:
    """What it asks of the car can be chosen where it is asked, and is found by the name that it has."""
    for name in set(CAR) & set(_inputs(blueprint)):
        entity = er.async_get(house.hass).async_get(house.home.entity_id(*CAR[name]))
        assert entity is not None
        described = _inputs(blueprint)[name]
        filters = described["selector"]["entity"]["filter"]
        found = {
            "integration": entity.platform,
            "domain": entity.domain,
            "device_class": entity.original_device_class,
        }
        assert any(
            each.items() <= found.items() for each in (filters if isinstance(filters, list) else [filters])
        ), name
        assert f"*{entity.original_name}*" in described["description"], name


def _address(blueprint: Path) -> str:
    repository = json.loads((HOUSE / "manifest.json").read_text())["documentation"]
    return f"{repository}/blob/main/{blueprint.relative_to(ROOT)}"


# Warm up the car before an event


def _event(summary: str = "Swimming lesson", **after_noon: float) -> CalendarEvent:
    start = NOON + timedelta(**after_noon or {"minutes": 60})
    return CalendarEvent(start=start, end=start + timedelta(hours=1), summary=summary)


def _whole_day(summary: str) -> CalendarEvent:
    return CalendarEvent(start=date(2026, 5, 5), end=date(2026, 5, 6), summary=summary)


async def _go_swimming(house: House, **inputs: Any) -> None:
    """Let the time pass until half an hour before an event."""
    await house.follow("warm_up_before_an_event", calendars=[house.calendar.entity_id], **inputs)
    await house.pass_time(minutes=29)
    assert AUTO_CONDITIONING_START.name not in house.commands
    await house.pass_time(minutes=2)


async def test_warm_before_an_event(house: House) -> None:
    """Half an hour before the event, the climate of a car that sleeps is turned on."""
    house.calendar.has(_event())
    house.car.fall_asleep()
    await _go_swimming(house)
    assert house.home.requests("/wake_up")
    assert house.car.cabin.on


async def test_cold_again_if_nobody_comes(house: House) -> None:
    """The climate is turned off after an hour in which nobody has got in."""
    house.calendar.has(_event())
    await _go_swimming(house)
    await house.pass_time(minutes=57)
    assert house.car.cabin.on
    await house.pass_time(minutes=3)
    assert not house.car.cabin.on


@pytest.mark.parametrize(
    "happens",
    [
        pytest.param(lambda house: house.car.enter(), id="somebody in it"),
        pytest.param(lambda house: house.car.climate_keeper("dog"), id="a dog in it"),
        pytest.param(lambda house: house.car.cabin.stop(), id="off already"),
    ],
)
async def test_not_turned_off(house: House, happens: Deed) -> None:
    """The climate is left to somebody who got in and to a dog; one that is off is not turned off."""
    house.calendar.has(_event())
    await _go_swimming(house)
    happens(house)
    await house.pass_time(minutes=90)
    assert house.commands == [AUTO_CONDITIONING_START.name]


async def test_warm_for_who_has_been_in_it(house: House) -> None:
    """Once somebody got in, the climate is theirs, also when they have left again."""
    house.calendar.has(_event())
    await _go_swimming(house)
    house.car.enter()
    await house.see()
    house.car.leave()
    house.car.cabin.on = True
    await house.see()
    await house.pass_time(minutes=90)
    assert house.car.cabin.on


@pytest.mark.parametrize(
    "differs",
    [
        pytest.param(lambda house: house.car.climate_keeper("camp"), id="on already"),
        pytest.param(lambda house: house.car.enter(), id="somebody in it"),
        pytest.param(lambda house: house.move_away(), id="away"),
        pytest.param(lambda house: (house.car.unplug(), house.car.set_level(29)), id="battery low"),
        pytest.param(lambda house: house.lose(ChargeState.key), id="battery unknown"),
        pytest.param(lambda house: house.calendar.has(_event("Call me")), id="other event"),
        pytest.param(lambda house: house.weather.measures(18), id="mild"),
        pytest.param(lambda house: house.weather.measures(None), id="temperature unknown"),
    ],
)
async def test_not_warm(house: House, differs: Deed) -> None:
    """The climate is left as it is unless all that is asked for is known to be so."""
    house.calendar.has(_event())
    differs(house)
    await house.see()
    await _go_swimming(house, title="swim", outside=[house.weather.entity_id])
    assert not house.commands


async def test_warm_if_all_is_so(house: House) -> None:
    """An event with the right words in cold weather turns it on."""
    house.calendar.has(_event())
    await _go_swimming(house, title="swim", outside=[house.weather.entity_id])
    assert house.car.cabin.on


async def test_warm_anywhere(house: House) -> None:
    """Away from home too, if that is what the owner wants."""
    house.calendar.has(_event())
    house.move_away()
    await house.see()
    await _go_swimming(house, only_at_home=False)
    assert house.car.cabin.on


async def test_not_warm_for_a_whole_day(house: House) -> None:
    """An event that lasts all day has no hour to be ready for."""
    house.calendar.has(_whole_day("Swimming"))
    await house.follow(
        "warm_up_before_an_event", calendars=[house.calendar.entity_id], lead={"hours": 11, "minutes": 50}
    )
    await house.pass_time(minutes=20)
    assert not house.commands


# Charge on surplus or cheap power

SENSOR: Final = "sensor.power"


async def _charge(house: House, value: Any, **inputs: Any) -> None:
    """Charge from a surplus of 3,000 on unless other things are asked for; now it is this."""
    await house.show(SENSOR, value)
    inputs = {"source": SENSOR, "threshold": 3000, "margin": 500, **inputs}
    await house.follow("charge_on_surplus_or_cheap_power", **inputs)


@pytest.mark.parametrize(
    ("kind", "too_little", "between", "enough"),
    [("surplus", 2400, 2600, 3000), ("price", 3600, 3400, 3000)],
)
async def test_charge_while_there_is_enough(
    house: House, kind: str, too_little: float, between: float, enough: float
) -> None:
    """Charging starts when there has been enough for ten minutes, and stops after ten with too little."""
    await _charge(house, too_little, kind=kind)
    await house.show(SENSOR, enough)
    await house.pass_time(minutes=9)
    assert not house.car.charging.active
    await house.pass_time(minutes=2)
    assert house.car.charging.active
    await house.show(SENSOR, between)
    await house.pass_time(minutes=15)
    await house.show(SENSOR, too_little)
    await house.pass_time(minutes=9)
    assert house.car.charging.active
    await house.pass_time(minutes=2)
    assert not house.car.charging.active
    assert house.commands == [CHARGE_START.name, CHARGE_STOP.name]


async def test_a_cloud(house: House) -> None:
    """A cloud that passes does not stop charging."""
    await _charge(house, 0)
    await house.show(SENSOR, 4000)
    await house.pass_time(minutes=11)
    await house.show(SENSOR, 0)
    await house.pass_time(minutes=5)
    await house.show(SENSOR, 4000)
    await house.pass_time(minutes=20)
    assert house.commands == [CHARGE_START.name]


async def test_charge_a_low_battery(house: House) -> None:
    """A battery that is low is charged without any surplus, until it is not low any more."""
    await _charge(house, 0)
    house.car.set_level(10)
    await house.see()
    await house.pass_time(minutes=1)
    assert house.car.charging.active
    await house.show(SENSOR, 4000)
    await house.show(SENSOR, 0)
    await house.pass_time(minutes=12)
    assert house.car.charging.active
    house.car.set_level(21)
    await house.pass_time(minutes=2)
    assert not house.car.charging.active


async def test_plugged_in_without_surplus(house: House) -> None:
    """A car that begins to charge as soon as the cable is in is stopped while there is too little."""
    house.car.unplug()
    await house.see()
    await _charge(house, 0)
    house.car.plug_in()
    await house.see()
    await house.pass_time(minutes=1)
    assert house.commands == [CHARGE_STOP.name]


async def test_started_with_surplus(house: House) -> None:
    """A start of Home Assistant finds that there is enough, and has not seen it begin."""
    house.hass.set_state(CoreState.not_running)
    await _charge(house, 4000)
    await house.hass.async_start()
    await house.pass_time(minutes=1)
    assert house.car.charging.active


def _fill(house: House) -> None:
    house.car.unplug()
    house.car.set_level(80)
    house.car.plug_in()


@pytest.mark.parametrize(
    ("differs", "enough"),
    [
        pytest.param(_fill, 4000, id="full"),
        pytest.param(lambda house: house.car.unplug(), 4000, id="no cable"),
        pytest.param(lambda house: house.move_away(), 4000, id="away"),
        pytest.param(lambda house: house.car.charging.set_limit(100), 4000, id="journey"),
        pytest.param(lambda house: house.lose(ChargeState.key), 4000, id="unknown"),
        pytest.param(_nothing, STATE_UNAVAILABLE, id="no sensor"),
    ],
)
async def test_not_charged(house: House, differs: Deed, enough: Any) -> None:
    """A car that does not need it, or of which not enough is known, is told nothing and left asleep."""
    differs(house)
    await house.see()
    await _charge(house, 0)
    house.car.fall_asleep()
    await house.show(SENSOR, enough)
    await house.pass_time(minutes=15)
    assert not house.commands
    assert not house.home.requests("/wake_up")


async def test_charging_without_sensor(house: House) -> None:
    """A sensor that is lost stops nothing."""
    await _charge(house, 0)
    await house.show(SENSOR, 4000)
    await house.pass_time(minutes=11)
    await house.show(SENSOR, STATE_UNAVAILABLE)
    await house.pass_time(minutes=15)
    assert house.car.charging.active


async def test_home_and_plugged_in_at_once(house: House) -> None:
    """A car that came home and was plugged in before it was seen again is stopped if there is too little."""
    house.car.unplug()
    house.move_away()
    await house.see()
    await _charge(house, 0)
    house.come_home()
    house.car.plug_in()
    await house.see()
    await house.pass_time(minutes=2)
    assert house.commands == [CHARGE_STOP.name]


async def test_surplus_after_an_outage(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A surplus that began while nobody heard of the car counts as soon as somebody does."""
    await _charge(house, 0)
    house.home.simulator.faults.answer(503, times=10**6)
    await house.pass_time(minutes=40)
    await house.show(SENSOR, 4000)
    await house.pass_time(minutes=15)
    house.home.simulator.faults.clear()
    await house.pass_time(minutes=30)
    caplog.clear()  # the outage is told there
    assert house.car.charging.active


# Remind to plug the car in


def _unplug(house: House) -> None:
    house.car.unplug()
    house.car.set_level(30)


async def _become_evening(house: House, **inputs: Any) -> None:
    """Let half an hour pass, in which it becomes evening."""
    await house.see()
    await house.follow("remind_to_plug_in", **{"evening": "12:30:00", **inputs})
    await house.pass_time(minutes=29)
    assert not house.told
    await house.pass_time(minutes=2)


async def test_reminded(house: House) -> None:
    """In the evening, the owner is told once that the car is not plugged in."""
    _unplug(house)
    await _become_evening(house)
    await house.pass_time(hours=1)
    assert [(each["title"], each["message"]) for each in house.told] == [
        ("Aurora is not plugged in", "Its battery has 30 %.")
    ]


async def test_reminded_after_coming_home(house: House) -> None:
    """A car that comes home later has ten minutes first."""
    _unplug(house)
    house.move_away()
    await _become_evening(house)
    house.come_home()
    await house.see()
    await house.pass_time(minutes=9)
    assert not house.told
    await house.pass_time(minutes=2)
    assert house.told


async def test_not_reminded_of_what_is_done(house: House) -> None:
    """A cable that was put in unseen, while the car was left in peace, is seen in time."""
    _unplug(house)
    await house.see()
    await house.follow("remind_to_plug_in", evening="12:30:00")
    await house.pass_time(minutes=29)
    house.car.plug_in()
    assert house.home.shown(*CAR["plug"]).state == "off"
    await house.pass_time(minutes=2)
    assert not house.told


@pytest.mark.parametrize(
    ("differs", "inputs"),
    [
        pytest.param(lambda house: house.car.plug_in(), {}, id="plugged in"),
        pytest.param(lambda house: house.car.set_level(50), {}, id="enough"),
        pytest.param(lambda house: house.move_away(), {}, id="away"),
        pytest.param(lambda house: house.lose(ChargeState.key), {}, id="unknown"),
        pytest.param(_nothing, {"days": ["tue", "wed"]}, id="other day"),
    ],
)
async def test_not_reminded(house: House, differs: Deed, inputs: dict[str, Any]) -> None:
    """Nobody is reminded without need, or of what nobody knows."""
    _unplug(house)
    differs(house)
    await _become_evening(house, **inputs)
    assert not house.told


async def test_not_reminded_at_night(house: House) -> None:
    """Who comes home late at night is left in peace."""
    _unplug(house)
    house.move_away()
    await _become_evening(house, night="12:35:00")
    house.come_home()
    await house.see()
    await house.pass_time(minutes=15)
    assert not house.told


async def test_reminder_tells_what_it_was_decided_by(house: House) -> None:
    """The reminder names the level that was read just before, not that of the afternoon."""
    house.car.unplug()
    house.car.set_level(45)
    await house.see()
    await house.follow("remind_to_plug_in", evening="12:30:00")
    await house.pass_time(minutes=29)
    house.car.wake()
    house.car.set_level(30)
    await house.pass_time(minutes=2)
    (told,) = house.told
    assert "30 %" in told["message"]


# Lock the car when everybody has left

ANN, BEN = "person.ann", "person.ben"


def _be(house: House, person: str, zone: str | None) -> None:
    state = "home" if zone == "zone.home" else "not_home"
    house.hass.states.async_set(person, state, {"in_zones": [zone] if zone else []})


async def _live_here(house: House, **inputs: Any) -> None:
    """Let two persons be at home, and the car stand there unlocked."""
    house.car.unlock()
    await house.see()
    for person in (ANN, BEN):
        _be(house, person, "zone.home")
    await house.follow("lock_when_everybody_left", persons=[ANN, BEN], **inputs)


async def test_locked_when_everybody_left(house: House) -> None:
    """The car is locked when the last one has been away for five minutes, wherever they go."""
    await _live_here(house)
    _be(house, ANN, None)
    await house.pass_time(minutes=10)
    _be(house, BEN, None)
    await house.pass_time(minutes=3)
    _be(house, BEN, "zone.work")
    assert not house.car.body.locked
    await house.pass_time(minutes=3)
    assert house.car.body.locked
    assert house.commands == [DOOR_LOCK.name]


async def test_locked_once_it_is_shut(house: House) -> None:
    """A car with a door open is locked when somebody has shut it."""
    await _live_here(house)
    house.car.open("dr")
    await house.see()
    _be(house, ANN, None)
    _be(house, BEN, None)
    await house.pass_time(minutes=10)
    assert not house.commands
    house.car.close("dr")
    await house.pass_time(minutes=10)
    assert house.car.body.locked


async def test_locked_although_it_was_opened_unseen(house: House) -> None:
    """A car that was unlocked while it was left in peace is looked at, and locked."""
    await _live_here(house)
    house.car.lock()
    await house.see()
    await house.pass_time(minutes=8)
    house.car.unlock()
    assert house.home.shown(*CAR["lock"]).state == "locked"
    _be(house, ANN, None)
    _be(house, BEN, None)
    await house.pass_time(minutes=6)
    assert house.car.body.locked


async def test_locked_anywhere(house: House) -> None:
    """Away from home too, if that is what the owner wants."""
    house.move_away()
    await _live_here(house, only_at_home=False)
    _be(house, ANN, None)
    _be(house, BEN, None)
    await house.pass_time(minutes=6)
    assert house.car.body.locked


@pytest.mark.parametrize(
    "differs",
    [
        pytest.param(lambda house: house.hass.states.async_set(BEN, STATE_UNKNOWN), id="somebody unknown"),
        pytest.param(lambda house: _be(house, BEN, "zone.home"), id="somebody at home"),
        pytest.param(lambda house: house.car.open("ft"), id="a lid open"),
        pytest.param(lambda house: house.car.enter(), id="somebody in it"),
        pytest.param(lambda house: house.move_away(), id="away"),
        pytest.param(lambda house: house.lose(VehicleState.df.path), id="a door unknown"),
        pytest.param(lambda house: house.lose(VehicleState.locked.path), id="lock unknown"),
    ],
)
async def test_not_locked(house: House, differs: Deed) -> None:
    """The car is left as it is while somebody may need it, or not enough is known."""
    await _live_here(house)
    _be(house, BEN, None)
    differs(house)
    await house.see()
    _be(house, ANN, None)
    await house.pass_time(minutes=15)
    assert not house.commands


async def test_locked_after_it_was_unknown_where_somebody_is(house: House) -> None:
    """Once it is known again that the last one is away, the car is locked."""
    await _live_here(house)
    await house.pass_time(minutes=10)
    await house.show(BEN, STATE_UNKNOWN)
    _be(house, ANN, None)
    await house.pass_time(minutes=10)
    assert not house.commands
    _be(house, BEN, None)
    await house.pass_time(minutes=10)
    assert house.commands == [DOOR_LOCK.name]


async def test_locked_after_a_start(house: House) -> None:
    """If everybody left before Home Assistant was restarted, the car is locked after the start."""
    house.hass.set_state(CoreState.not_running)
    await _live_here(house)
    _be(house, ANN, None)
    _be(house, BEN, None)
    await house.hass.async_start()
    await house.pass_time(minutes=7)
    assert house.commands == [DOOR_LOCK.name]


# Warn of an open car before rain


async def _expect_rain(house: House, **inputs: Any) -> None:
    """Have an eye on the doors, the lids and the roof."""
    openings = [house.home.entity_id(*CAR["openings"]), house.home.entity_id("cover", ROOF)]
    await house.follow("warn_before_rain", weather=house.weather.entity_id, openings=openings, **inputs)


async def _leave_open(house: House, **inputs: Any) -> None:
    """Let somebody leave the trunk open for six minutes, with rain in an hour unless it stays dry longer."""
    await _expect_rain(house, **inputs)
    house.car.open("rt")
    await house.see()
    await house.pass_time(minutes=4)
    assert not house.told
    await house.pass_time(minutes=2)


async def test_warned_before_rain(house: House) -> None:
    """The owner is told when it will rain, and what is open."""
    house.weather.stays_dry(hours=1)
    await _leave_open(house)
    ((title, message),) = [(each["title"], each["message"]) for each in house.told]
    assert title == "Rain from 13:05 on"
    assert message == "Open: Aurora Any door or lid."


async def test_warned_of_the_roof(house: House) -> None:
    """An open roof counts as well."""
    house.weather.stays_dry(hours=1)
    house.car.body.roof.percent = 15
    await _leave_open(house)
    assert house.told[0]["message"] == "Open: Aurora Any door or lid, Aurora Sun roof."


@pytest.mark.parametrize(("percent", "told"), [(49, 0), (50, 1)])
async def test_warned_of_probable_rain(house: House, percent: int, told: int) -> None:
    """Clouds count from the probability on that was chosen."""
    house.weather.expects_rain(percent)
    await _leave_open(house)
    assert len(house.told) == told


async def test_warned_away(house: House) -> None:
    """A car that has a roof over it at home has none elsewhere."""
    house.weather.stays_dry(hours=1)
    house.move_away()
    await _leave_open(house, only_away=True)
    assert house.told


async def test_warned_when_the_forecast_changes(house: House) -> None:
    """What has long been open is told of when rain comes nearer."""
    await _leave_open(house)
    assert not house.told
    house.weather.stays_dry(hours=1)
    await house.pass_time(minutes=30)
    assert house.told


async def test_warned_once(house: House) -> None:
    """The owner is told again only after six hours, or when it was shut and is open again."""
    house.weather.stays_dry(hours=1)
    await _leave_open(house)
    house.car.open("df")
    await house.pass_time(hours=2)
    assert len(house.told) == 1
    house.car.close("df")
    house.car.close("rt")
    await house.see()
    house.car.open("rt")
    await house.see()
    await house.pass_time(minutes=15)
    assert len(house.told) == 2


async def test_warned_again(house: House) -> None:
    """What is open for hours is told of again."""
    house.weather.stays_dry(hours=1)
    await _leave_open(house, repeat={"hours": 1})
    await house.pass_time(minutes=58)
    assert len(house.told) == 1
    await house.pass_time(minutes=30)
    assert len(house.told) == 2


async def test_not_warned_of_what_is_done(house: House) -> None:
    """A roof that was closed unseen, while the car was left in peace, is seen in time."""
    house.weather.stays_dry(hours=1)
    await _expect_rain(house, patience={"minutes": 9})
    house.car.body.roof.percent = 15
    await house.see()
    await house.pass_time(minutes=8)
    house.car.body.roof.percent = 0
    assert house.home.shown("cover", ROOF).state == "open"
    await house.pass_time(minutes=3)
    assert not house.told


@pytest.mark.parametrize(
    ("differs", "inputs"),
    [
        pytest.param(lambda house: house.weather.stays_dry(hours=3), {}, id="rain later"),
        pytest.param(lambda house: house.car.enter(), {}, id="somebody in it"),
        pytest.param(lambda house: house.lose(VehicleState.key), {}, id="unknown"),
        pytest.param(_nothing, {"only_away": True}, id="under its roof"),
        pytest.param(_nothing, {"patience": {"minutes": 40}}, id="not for long"),
    ],
)
async def test_not_warned(house: House, differs: Deed, inputs: dict[str, Any]) -> None:
    """Nobody is warned without need, or of what nobody knows."""
    house.weather.stays_dry(hours=1)
    differs(house)
    await house.see()
    await _leave_open(house, **inputs)
    await house.pass_time(minutes=30)
    assert not house.told


async def test_rain_that_is_over(house: House) -> None:
    """Some weather services tell of the past too: nobody is warned of that."""
    house.weather.rained(before=timedelta(hours=2))
    await _leave_open(house)
    await house.pass_time(minutes=31)
    assert not house.told


async def test_weather_that_is_away(house: House) -> None:
    """While the weather service is unavailable, nothing is asked of it, and nothing said."""
    house.weather.goes_away()
    await _leave_open(house)
    assert not house.told


# Charge for a journey

HELPER: Final = "input_number.limit"
DEPARTURE: Final = "input_datetime.departure"


async def _plan(house: House, remembered: float = 0, **inputs: Any) -> None:
    """Plan to be full three hours before a journey in the calendar, unless otherwise asked for."""
    await house.add("input_number", {"limit": {"min": 0, "max": 100, "initial": remembered}})
    inputs = {"calendars": [house.calendar.entity_id], "memory": HELPER, "lead": {"hours": 3}, **inputs}
    await house.follow("charge_for_a_journey", **inputs)


def _remembered(house: House) -> float:
    state = house.hass.states.get(HELPER)
    assert state is not None
    return float(state.state)


async def _come_near(house: House) -> None:
    """Let ten minutes pass, until the journey is near."""
    await house.pass_time(minutes=9)
    assert not house.commands
    await house.pass_time(minutes=2)


async def test_full_for_a_journey(house: House) -> None:
    """Three hours before the journey, the limit is raised and charging begins."""
    house.calendar.has(_event("Journey", hours=3, minutes=10))
    await _plan(house, title="journey")
    await _come_near(house)
    assert house.car.charging.limit == 100
    assert house.car.charging.active


async def test_full_for_a_departure(house: House) -> None:
    """A date and a time in a helper do as well as a calendar."""
    await house.add("input_datetime", {"departure": {"has_date": True, "has_time": True}})
    await _plan(house, calendars=[], departures=[DEPARTURE])
    data = {"entity_id": DEPARTURE, "datetime": (NOON + timedelta(hours=3, minutes=10)).replace(tzinfo=None)}
    await house.hass.services.async_call("input_datetime", "set_datetime", data, blocking=True)
    await _come_near(house)
    assert house.car.charging.limit == 100


async def test_full_although_it_was_out_of_reach(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A car that cannot be reached when it is time is told again until it can."""
    house.calendar.has(_event(hours=3, minutes=10))
    await _plan(house)
    house.car.coverage(on=False)
    await _come_near(house)
    await house.pass_time(minutes=4)
    assert "did not wake up" in caplog.text
    caplog.clear()
    house.car.coverage(on=True)
    await house.pass_time(minutes=20)
    assert house.car.charging.limit == 100


async def test_back_when_it_has_left(house: House) -> None:
    """Half an hour after the cable was pulled out, the limit is what it was."""
    house.calendar.has(_event(hours=3, minutes=10))
    await _plan(house)
    await _come_near(house)
    house.car.unplug()
    await house.see()
    await house.pass_time(minutes=29)
    assert house.car.charging.limit == 100
    await house.pass_time(minutes=2)
    assert house.car.charging.limit == 80
    assert _remembered(house) == 0


async def test_full_in_spite_of_an_errand(house: House) -> None:
    """A cable that is put in again soon leaves the limit raised."""
    house.calendar.has(_event(hours=3, minutes=10))
    await _plan(house)
    await _come_near(house)
    house.car.unplug()
    await house.see()
    await house.pass_time(minutes=20)
    house.car.plug_in()
    await house.see()
    await house.pass_time(minutes=20)
    assert house.car.charging.limit == 100


async def test_back_if_it_does_not_leave(house: House) -> None:
    """A journey that was given up has an end too; of two, the second one counts."""
    house.calendar.has(_event(minutes=30), _event(minutes=90))
    await _plan(house, lead={"minutes": 20}, at_most={"minutes": 100})
    await house.pass_time(minutes=11)
    assert house.car.charging.limit == 100
    await house.pass_time(minutes=110)
    assert house.car.charging.limit == 100
    await house.pass_time(hours=1)
    assert house.car.charging.limit == 80


async def test_back_after_a_restart(house: House) -> None:
    """An automation that has just been started knows from the helper what the limit was."""
    house.car.charging.set_limit(100)
    await house.see()
    await _plan(house, remembered=70)
    house.car.unplug()
    await house.see()
    await house.pass_time(minutes=40)
    assert house.car.charging.limit == 70


async def test_limit_that_somebody_changed(house: House) -> None:
    """A limit that was set by hand meanwhile stays."""
    house.calendar.has(_event(hours=3, minutes=10))
    await _plan(house)
    await _come_near(house)
    house.car.charging.set_limit(90)
    house.car.unplug()
    await house.see()
    await house.pass_time(minutes=40)
    assert house.car.charging.limit == 90
    assert _remembered(house) == 0


async def test_limit_that_nobody_knows(house: House) -> None:
    """What is remembered stays so while nobody knows what the limit is."""
    house.calendar.has(_event(hours=3, minutes=10))
    await _plan(house)
    await _come_near(house)
    house.lose(ChargeState.charge_limit_soc.path)
    house.car.unplug()
    await house.see()
    await house.pass_time(minutes=40)
    assert _remembered(house) == 80


@pytest.mark.parametrize(
    "differs",
    [
        pytest.param(
            lambda house: house.calendar.has(_event("Call me", hours=3, minutes=10)), id="other event"
        ),
        pytest.param(lambda house: house.car.charging.set_limit(100), id="full always"),
        pytest.param(lambda house: house.lose(ChargeState.key), id="unknown"),
    ],
)
async def test_no_journey(house: House, differs: Deed) -> None:
    """A limit that is high already, unknown, or not asked for stays as it is, also without the cable."""
    house.calendar.has(_event("Journey", hours=3, minutes=10))
    differs(house)
    await house.see()
    await _plan(house, title="journey")
    await _come_near(house)
    house.car.unplug()
    await house.see()
    await house.pass_time(minutes=40)
    assert SET_CHARGE_LIMIT.name not in house.commands
    assert _remembered(house) == 0


async def test_journey_while_the_car_is_unavailable(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A journey that is due during an outage is charged for as soon as the car is heard of."""
    house.calendar.has(_event(hours=3, minutes=40))
    await _plan(house)
    house.home.simulator.faults.answer(503, times=10**6)
    await house.pass_time(minutes=38)
    assert house.home.shown(*CAR["charge_limit"]).state == STATE_UNAVAILABLE
    await house.pass_time(minutes=5)
    house.home.simulator.faults.clear()
    await house.pass_time(minutes=30)
    caplog.clear()  # the outage is told there
    assert house.car.charging.limit == 100
    assert _remembered(house) == 80
