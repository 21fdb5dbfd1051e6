"""Test the blueprints: their descriptions, and what their automations do."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import date, timedelta
import json
import logging
from pathlib import Path
import re
from typing import Any, Final, override
from unittest.mock import PropertyMock, patch
from urllib.parse import parse_qs, urlsplit

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.blueprint.models import DomainBlueprints
from homeassistant.components.calendar import CalendarEvent
from homeassistant.components.mobile_app import device_action
from homeassistant.components.persistent_notification import Notification, UpdateType, async_register_callback
from homeassistant.components.weather import Forecast, WeatherEntity
from homeassistant.components.weather.const import WeatherEntityFeature
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import CoreState, HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er, template
from homeassistant.helpers.dispatcher import async_dispatcher_connect, async_dispatcher_send
from homeassistant.helpers.entity import entity_sources
from homeassistant.helpers.typing import ConfigType
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import extract_inputs, load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_mock_service,
    setup_test_component_platform,
)

from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    ClimateState,
    DriveState,
    VehicleState,
)
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import Changes, DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive
from custom_components.vehicle_remote_access.drive_log.manager import log_signal

from .calendar_entity import Calendar
from .conftest import BATTERY, LOCK, MOVING, NOON, Home
from .source import INTEGRATION, ROOT

FOLDER: Final = INTEGRATION / "blueprints" / "automation"
# The folder of the copies of 1.0.0, and of imported blueprints
COPIES: Final = "vehicle-remote-access"
BLUEPRINTS: Final = sorted(FOLDER.rglob("*.yaml"))

CHARGE: Final = ("switch", ChargeState.charging_state.path)
CHARGE_LIMIT: Final = ("number", ChargeState.charge_limit_soc.path)
CHARGING: Final = ("binary_sensor", ChargeState.charging_state.path)
CHARGING_STATE: Final = ("sensor", ChargeState.charging_state.path)
CLIMATE: Final = ("climate", ClimateState.key)
CLIMATE_KEEPER: Final = ("sensor", ClimateState.climate_keeper_mode.path)
DOORS: Final = ("binary_sensor", f"{VehicleState.df.path}.any")
LEFT_UNLOCKED: Final = ("binary_sensor", f"{VehicleState.locked.path}.left")
LOCATION: Final = ("device_tracker", DriveState.key)
OCCUPIED: Final = ("binary_sensor", VehicleState.is_user_present.path)
PLUG: Final = ("binary_sensor", ChargeState.conn_charge_cable.path)
ROOF: Final = ("cover", VehicleState.sun_roof_percent_open.path)

# The entities that each blueprint uses, by platform and path
USED: Final = {
    "ask_what_a_drive_was_for": (("event", "log.drive"),),
    "charge_for_a_journey": (CHARGE_LIMIT, CHARGING_STATE, CHARGE, PLUG),
    "charge_on_surplus_or_cheap_power": (CHARGE, CHARGING_STATE, CHARGE_LIMIT, BATTERY, LOCATION),
    "lock_when_everybody_left": (LOCK, LEFT_UNLOCKED, DOORS, LOCATION),
    "open_garage_when_arriving": (MOVING,),
    "remind_to_plug_in": (PLUG, BATTERY, LOCATION),
    "show_charging_on_your_phone": (CHARGING, CHARGING_STATE, BATTERY),
    "tag_drives_by_place": (("event", "log.drive"),),
    "tell_about_drives_and_charges": (("event", "log.drive"), ("event", "log.charge")),
    "tell_or_lock_if_left_open": (LOCK, LEFT_UNLOCKED, DOORS, OCCUPIED, LOCATION),
    "warm_up_before_an_event": (CLIMATE, CLIMATE_KEEPER, OCCUPIED, PLUG, BATTERY, LOCATION),
    "warn_before_rain": (DOORS, OCCUPIED, LOCATION, ROOF),
}


class Weather(WeatherEntity):
    """A weather service. Its forecast is dry at first, and includes the past hours."""

    _attr_name = "Outside"
    _attr_condition = "cloudy"
    _attr_native_temperature = 4.0
    _attr_native_temperature_unit = "°C"
    _attr_supported_features = WeatherEntityFeature.FORECAST_HOURLY
    rainy_hours = range(0)
    probability: int | None = None

    def set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)
        self.async_write_ha_state()

    @override
    async def async_forecast_hourly(self) -> list[Forecast]:
        return [
            {
                "datetime": (dt_util.utcnow() + timedelta(hours=hour)).isoformat(),
                "condition": "rainy" if hour in self.rainy_hours else "cloudy",
                "precipitation_probability": self.probability,
            }
            for hour in range(-4, 24)
        ]


class House(Home):
    """A home with a calendar, a weather service, and an automation from a blueprint."""

    def __init__(self, *home: Any) -> None:
        super().__init__(*home)
        self.calendar = Calendar()
        self.weather = Weather()
        self.inputs: dict[str, Any] = {}
        """Inputs for the automation, in addition to those of the test."""
        self.notifications: list[Notification] = []
        self.phone = ""
        """The device id of the phone."""
        self.phone_notifications: list[dict[str, Any]] = []
        self.phone_errors: list[HomeAssistantError] = []
        """The errors of the next attempts to notify the phone."""
        self.before_creation: Step = House.idle
        self.after_creation: Step = House.idle

    def add_phone(self, patch: pytest.MonkeyPatch) -> None:
        """Add a phone with the Companion app, and collect its notifications."""
        app = MockConfigEntry(domain="mobile_app")
        app.add_to_hass(self.hass)
        app.mock_state(self.hass, ConfigEntryState.LOADED)
        devices = dr.async_get(self.hass)
        self.phone = devices.async_get_or_create(
            config_entry_id=app.entry_id, identifiers={("phone", "1")}, name="Ann's phone"
        ).id

        async def notify(_hass: HomeAssistant, config: ConfigType, variables: Any, _context: Any) -> None:
            if self.phone_errors:
                raise self.phone_errors.pop()
            keys = ("title", "message", "data")
            self.phone_notifications.append(
                template.render_complex({key: config[key] for key in keys if key in config}, variables)
            )

        patch.setattr(device_action, "async_call_action_from_config", notify)

        @callback
        def notify_by_name(call: ServiceCall) -> None:
            self.phone_notifications.append(dict(call.data))

        self.hass.services.async_register("notify", "mobile_app_ann_s_phone", notify_by_name)

    @callback
    def collect(self, update: UpdateType, notifications: dict[str, Notification]) -> None:
        self.notifications += notifications.values() if update is UpdateType.ADDED else ()

    async def set_up_integration(self, domain: str, configuration: Any) -> None:
        assert await async_setup_component(self.hass, domain, {domain: configuration})
        await self.hass.async_block_till_done()

    async def create_automation(self, name: str, **inputs: Any) -> None:
        """Create an automation from a blueprint, with the car and other inputs."""
        blueprint = {"path": f"{DOMAIN}/{name}.yaml", "input": {"car": self.device.id} | inputs | self.inputs}
        await self.before_creation(self)
        with patch.object(DomainBlueprints, "blueprint_folder", PropertyMock(return_value=FOLDER)):
            await self.set_up_integration("automation", [{"alias": "Test", "use_blueprint": blueprint}])
        assert self.hass.states.is_state("automation.test", "on")
        await self.after_creation(self)

    async def pass_time(self, **duration: float) -> None:
        """Let time pass, in at most twelve steps."""
        seconds = timedelta(**duration).total_seconds()
        await self.advance_while_pending(seconds, step=max(60, seconds / 12))

    async def refresh(self, **duration: float) -> None:
        """Read the car, so that the states show its latest changes, and let time pass."""
        await self.press("refresh")
        await self.pass_time(**(duration or {"seconds": 1}))

    async def set_state(self, entity_id: str, state: Any, **duration: float) -> None:
        """Set the state of an entity that doesn't belong to the car, and let time pass."""
        self.hass.states.async_set(entity_id, str(state))
        await self.pass_time(**(duration or {"seconds": 1}))

    @property
    def commands(self) -> list[str]:
        return [path.rpartition("/")[2] for path in self.requests("/command/")]

    def park_away(self, **inputs: Any) -> None:
        self.inputs.update(inputs)
        self.park_at(self.car.home.point.beyond(5, 0))

    def park_at_home(self) -> None:
        """Wake the car and park it at home."""
        self.car.wake()
        self.park_at(self.car.home.point)


# These warn about every custom integration, missing fast libraries, and slow machines.
_UNRELATED_LOGGERS: Final = {"homeassistant.loader", "aiohttp_fast_zlib", "asyncio"}


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
async def house(empty_home: Home, freezer: FrozenDateTimeFactory, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house with an event at 13:00. Its car is at home: locked, at 72 %, plugged in, and not charging."""
    house = House(empty_home.hass, freezer, empty_home.simulator)
    house.calendar.set_events(_event())
    await house.hass.config.async_update(**house.car.driving.point._asdict())
    for domain, entity in (("calendar", house.calendar), ("weather", house.weather)):
        setup_test_component_platform(house.hass, domain, [entity])
        await house.set_up_integration(domain, [{"platform": "test"}])
    for domain in ("homeassistant", "persistent_notification", "zone"):
        await house.set_up_integration(domain, {})
    await house.set_up()
    async_register_callback(house.hass, house.collect)
    house.add_phone(monkeypatch)
    _add_entities_of_another_integration(house)
    await _rename_entities(house)
    return house


# Entities of another integration on the car's device, which resemble those of the car
OTHER_ENTITIES: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    *(
        ("binary_sensor", state, {"device_class": device_class})
        for device_class in ("battery_charging", "moving", "occupancy", "opening", "plug", "safety")
        for state in ("on", "off")
    ),
    ("climate", "heat_cool", {}),
    ("cover", "open", {"device_class": "window"}),
    ("device_tracker", "not_home", {"in_zones": []}),
    ("device_tracker", "home", {"in_zones": ["zone.home"]}),
    ("lock", "locked", {}),
    ("lock", "unlocked", {}),
    ("number", "100", {"device_class": "battery"}),
    ("sensor", "99", {"device_class": "battery"}),
    ("sensor", "disconnected", {"device_class": "enum", "options": ["disconnected", "no_power"]}),
    ("sensor", "charging", {"device_class": "enum", "options": ["charging", "no_power"]}),
    ("sensor", "dog", {"device_class": "enum", "options": ["camp", "dog"]}),
    ("switch", "on", {"device_class": "switch"}),
)


def _add_entities_of_another_integration(house: House) -> None:
    registry = er.async_get(house.hass)
    for number, (domain, state, attributes) in enumerate(OTHER_ENTITIES):
        entity = registry.async_get_or_create(domain, "other", str(number), device_id=house.device.id)
        entity_sources(house.hass)[entity.entity_id] = {"domain": "other"}
        house.hass.states.async_set(entity.entity_id, state, attributes)


async def _rename_entities(house: House) -> None:
    """Give the used entities other IDs. They then come after the entities of the other integration."""
    registry = er.async_get(house.hass)
    for platform, path in sorted({entity for used in USED.values() for entity in used}):
        entity_id = house.entity_id(platform, path)
        registry.async_update_entity(entity_id, new_entity_id=f"{entity_id}_renamed")
    await house.idle()


type Change = Callable[[House], object]
type Step = Callable[[House], Awaitable[object]]


def _cases(**changes: Change) -> pytest.MarkDecorator:
    """Run a test for each of these changes, which precede the automation."""
    return pytest.mark.parametrize("change", changes.values(), ids=changes)


def _inputs(blueprint: Path) -> dict[str, dict[str, Any]]:
    inputs: dict[str, dict[str, Any]] = {}
    for name, properties in load_yaml_dict(str(blueprint))["blueprint"]["input"].items():
        inputs |= properties.get("input", {name: properties})
    return inputs


# Descriptions


@pytest.mark.parametrize("blueprint", BLUEPRINTS, ids=lambda blueprint: blueprint.stem)
def test_blueprint_and_its_inputs_are_described_used_and_linked_in_the_docs(blueprint: Path) -> None:
    content, inputs = load_yaml_dict(str(blueprint)), _inputs(blueprint)
    metadata = content.pop("blueprint")
    assert metadata["name"]
    assert metadata["description"]
    described = {
        name
        for name, properties in inputs.items()
        if properties["name"] and properties["description"].endswith(".") and properties["selector"]
    }
    assert described == set(inputs) == extract_inputs(content)
    tested = json.loads((ROOT / "hacs.json").read_text())["homeassistant"]
    assert metadata["homeassistant"]["min_version"] == tested
    repository = json.loads((INTEGRATION / "manifest.json").read_text())["documentation"]
    assert metadata["source_url"] == f"{repository}/blob/main/{blueprint.relative_to(ROOT)}"
    # A blueprint that a person imports from there replaces the copy of 1.0.0, instead of appearing twice.
    assert metadata["source_url"].startswith(f"https://github.com/{COPIES}/")
    page = (ROOT / "docs" / "blueprints.md").read_text()
    links = re.findall(r"\((https://my\.home-assistant\.io/redirect/blueprint_import/\S+)\)", page)
    assert f"\n## {metadata['name']}\n" in page
    assert [metadata["source_url"]] in [parse_qs(urlsplit(link).query)["blueprint_url"] for link in links]


async def test_old_copies_stay_without_their_hashes(hass_storage: Any, home: Home, tmp_path: Path) -> None:
    home.hass.config.config_dir = str(tmp_path)
    copy = tmp_path / "blueprints" / "automation" / COPIES / "warn_before_rain.yaml"
    copy.parent.mkdir(parents=True)
    copy.write_text("copied")
    key = f"{DOMAIN}.blueprints"
    hass_storage[key] = {"version": 1, "minor_version": 1, "key": key, "data": {copy.name: "0"}}
    await home.set_account_options(blueprints=True)
    await home.restart()
    assert home.shown(*LOCK).state == "locked"
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    assert copy.read_text() == "copied"
    assert key not in hass_storage


async def test_each_blueprint_offers_the_cars_of_all_accounts_and_no_other_devices(house: House) -> None:
    await house.add_simulated_account()
    entities = er.async_get(house.hass).entities.values()
    path = VehicleState.locked.path
    cars = {entity.device_id for entity in entities if entity.unique_id.endswith(f"-{path}")}
    assert len(cars) == 2
    for name in USED:
        (offered,) = _inputs(FOLDER / DOMAIN / f"{name}.yaml")["car"]["selector"]["device"]["entity"]
        required = {"device_class": None, **offered}
        assert cars == {
            entity.device_id
            for entity in entities
            if entity.platform == required["integration"]
            and entity.domain == required["domain"]
            and required["device_class"] in (None, entity.original_device_class)
        }, name


async def test_used_entities_are_named_and_enabled_by_default(house: House) -> None:
    for name, used in USED.items():
        description = _inputs(FOLDER / DOMAIN / f"{name}.yaml")["car"]["description"]
        for platform, path in used:
            entity = er.async_get(house.hass).async_get(house.entity_id(platform, path))
            assert entity is not None
            assert f"*{entity.original_name}*" in description, (name, path)
            assert not entity.disabled, (name, path)


# Warm up the car before an event


def _event(summary: str = "Swimming lesson", **after_noon: float) -> CalendarEvent:
    start = NOON + timedelta(**after_noon or {"minutes": 60})
    return CalendarEvent(start=start, end=start + timedelta(hours=1), summary=summary)


def _all_day_event(house: House) -> None:
    """Replace the event by one on the next day, with a lead time that is half an hour from now, too."""
    house.calendar.set_events(CalendarEvent(date(2026, 5, 5), date(2026, 5, 6), "Swimming"))
    house.inputs["lead"] = {"hours": 11, "minutes": 30}


async def _warm_up(house: House, **inputs: Any) -> None:
    """Let time pass until half an hour before an event at 13:00."""
    await house.create_automation("warm_up_before_an_event", calendars=[house.calendar.entity_id], **inputs)
    await house.pass_time(minutes=29)
    assert "auto_conditioning_start" not in house.commands
    await house.pass_time(minutes=2)


@_cases(
    cold=lambda house: house.inputs.update(title="swim", outside=[house.weather.entity_id]),
    away=lambda house: house.park_away(only_at_home=False),
    asleep=lambda house: house.car.fall_asleep(),
)
async def test_warm_up(house: House, change: Change) -> None:
    """The climate turns on half an hour before the event. It turns off if the car stays empty for an hour."""
    change(house)
    await house.refresh()
    await _warm_up(house)
    await house.pass_time(minutes=57)
    assert house.car.cabin.on
    await house.pass_time(minutes=3)
    assert not house.car.cabin.on


@_cases(
    occupied=lambda house: house.car.enter(),
    dog_mode=lambda house: house.car.climate_keeper("dog"),
    already_off=lambda house: house.car.cabin.stop(),
)
async def test_climate_of_a_used_car_is_not_turned_off(house: House, change: Change) -> None:
    await _warm_up(house)
    change(house)
    await house.pass_time(minutes=90)
    assert house.commands == ["auto_conditioning_start"]


async def test_climate_stays_on_once_the_car_was_occupied(house: House) -> None:
    await _warm_up(house)
    house.car.enter()
    await house.refresh()
    house.car.leave()
    house.car.cabin.on = True
    await house.refresh(minutes=90)
    assert house.car.cabin.on


@_cases(
    already_on=lambda house: house.car.climate_keeper("camp"),
    occupied=lambda house: house.car.enter(),
    away=House.park_away,
    battery_low=lambda house: (house.car.unplug(), house.car.set_level(29)),
    battery_unknown=lambda house: house.simulator.faults.remove(ChargeState.key),
    other_event=lambda house: house.calendar.set_events(_event("Call me")),
    all_day_event=_all_day_event,
    mild=lambda house: house.weather.set(_attr_native_temperature=18),
    temperature_unknown=lambda house: house.weather.set(_attr_native_temperature=None),
)
async def test_no_warm_up_unless_all_conditions_are_known_to_be_met(house: House, change: Change) -> None:
    change(house)
    await house.refresh()
    await _warm_up(house, title="swim", outside=[house.weather.entity_id])
    assert not house.commands


# Charge with surplus power, or at a low price

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
async def test_charging_follows_power_that_lasts_ten_minutes(
    house: House, kind: str, insufficient: float, between: float, sufficient: float
) -> None:
    await _automate_charging(house, insufficient, kind=kind)
    await house.set_state(SENSOR, sufficient, minutes=9)
    assert not house.car.charging.active
    await house.pass_time(minutes=2)
    assert house.car.charging.active
    await house.set_state(SENSOR, insufficient, minutes=5)
    for value in (between, STATE_UNAVAILABLE):
        await house.set_state(SENSOR, value, minutes=11)
    await house.set_state(SENSOR, insufficient, minutes=9)
    assert house.car.charging.active
    await house.pass_time(minutes=2)
    assert not house.car.charging.active
    assert house.commands == ["charge_start", "charge_stop"]


async def test_low_battery_charges_without_surplus_until_it_is_no_longer_low(house: House) -> None:
    await _automate_charging(house, 0)
    house.car.set_level(10)
    await house.refresh(minutes=1)
    assert house.car.charging.active
    await house.set_state(SENSOR, 4000)
    await house.set_state(SENSOR, 0, minutes=12)
    assert house.car.charging.active
    house.car.set_level(21)
    await house.pass_time(minutes=6)
    assert not house.car.charging.active


async def _plug_in_at_home(house: House, before: Change = House.park_away) -> None:
    """Come home and plug in without a surplus, so that the same read shows both."""
    house.car.unplug()
    before(house)
    await house.refresh()
    await _automate_charging(house, 0)
    house.park_at_home()
    house.car.plug_in()
    await house.refresh(minutes=2)


async def test_charging_that_starts_on_plugging_in_without_surplus_is_stopped(house: House) -> None:
    await _plug_in_at_home(house, before=House.park_at_home)
    assert house.commands == ["charge_stop"]


async def test_charging_starts_if_there_is_a_surplus_when_home_assistant_starts(house: House) -> None:
    house.hass.set_state(CoreState.not_running)
    await _automate_charging(house, 4000)
    await house.hass.async_start()
    await house.pass_time(minutes=1)
    assert house.car.charging.active


@_cases(
    full=lambda house: (house.car.unplug(), house.car.set_level(80), house.car.plug_in()),
    unplugged=lambda house: house.car.unplug(),
    away=House.park_away,
    raised_limit=lambda house: house.car.charging.set_limit(100),
    state_unknown=lambda house: house.simulator.faults.remove(ChargeState.key),
    sensor_unavailable=lambda house: house.inputs.update(source="sensor.unavailable"),
)
async def test_car_that_needs_no_charge_or_is_unknown_stays_asleep(house: House, change: Change) -> None:
    change(house)
    await house.refresh()
    await _automate_charging(house, 0)
    house.car.fall_asleep()
    await house.set_state("sensor.unavailable", STATE_UNAVAILABLE)
    await house.set_state(SENSOR, 4000, minutes=15)
    assert not house.commands
    assert not house.requests("/wake_up")


async def test_surplus_during_outage(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A surplus that began during an outage of the service starts charging after the outage."""
    await _automate_charging(house, 0)
    house.simulator.faults.answer(503, times=10**6)
    await house.pass_time(minutes=40)
    await house.set_state(SENSOR, 4000, minutes=15)
    house.simulator.faults.clear()
    await house.pass_time(minutes=30)
    caplog.clear()  # The outage was logged.
    assert house.car.charging.active


# Remind to plug the car in


async def _wait_for_evening(house: House, before: Callable[[], object] = int, **inputs: Any) -> None:
    """Create the automation, and let half an hour pass until evening begins. Act a minute before."""
    await house.refresh()
    await house.create_automation("remind_to_plug_in", **{"evening": "12:30:00", **inputs})
    await house.pass_time(minutes=29)
    assert not house.notifications
    before()
    await house.pass_time(minutes=2)


def _unplug(house: House, level: float = 30) -> None:
    house.car.unplug()
    house.car.set_level(level)


async def _remind_after_arrival(house: House, night: str = "23:30:00") -> None:
    """Come home in the evening. A reminder must not come before ten minutes have passed."""
    _unplug(house)
    house.park_away()
    await house.refresh()
    await house.create_automation("remind_to_plug_in", evening="11:30:00", night=night)
    house.park_at_home()
    await house.refresh(minutes=9)
    assert not house.notifications
    await house.pass_time(minutes=7)


async def test_no_reminder_after_an_arrival_at_night(house: House) -> None:
    await _remind_after_arrival(house, night="12:05:00")
    assert not house.notifications


@pytest.mark.parametrize("is_plugged_in", [False, True])
async def test_reminder(house: House, *, is_plugged_in: bool) -> None:
    """There is one reminder. The automation reads the car first, so it knows the level and the cable."""
    _unplug(house, 45)
    plug_in = house.car.plug_in if is_plugged_in else int
    await _wait_for_evening(house, before=lambda: (house.car.wake(), house.car.set_level(30), plug_in()))
    await house.pass_time(hours=1)
    reminders = [(notification["title"], notification["message"]) for notification in house.notifications]
    assert reminders == ([] if is_plugged_in else [("Aurora is not plugged in", "The battery is at 30%.")])


@_cases(
    plugged_in=lambda house: house.car.plug_in(),
    battery_high_enough=lambda house: house.car.set_level(50),
    away=House.park_away,
    state_unknown=lambda house: house.simulator.faults.remove(ChargeState.key),
    other_day=lambda house: house.inputs.update(days=["tue", "wed"]),
)
async def test_no_reminder_if_it_is_unnecessary_or_the_state_is_unknown(house: House, change: Change) -> None:
    _unplug(house)
    change(house)
    await _wait_for_evening(house)
    assert not house.notifications


# Lock the car when everybody has left

ANN, BEN = "person.ann", "person.ben"


def _set_zone(house: House, zone: str | None, *persons: str) -> None:
    state = "home" if zone == "zone.home" else "not_home"
    for person in persons:
        house.hass.states.async_set(person, state, {"in_zones": [zone] if zone else []})


async def _leave_home(house: House, *persons: str, minutes: float = 10) -> None:
    """Let persons leave home, and let time pass."""
    _set_zone(house, None, *persons)
    await house.pass_time(minutes=minutes)


async def _automate_locking(house: House, **inputs: Any) -> None:
    house.car.unlock()
    await house.refresh()
    _set_zone(house, "zone.home", ANN, BEN)
    await house.create_automation("lock_when_everybody_left", persons=[ANN, BEN], **inputs)


async def test_locked_once_the_last_person_was_away_for_five_minutes(house: House) -> None:
    await _automate_locking(house)
    await _leave_home(house, ANN)
    await _leave_home(house, BEN, minutes=3)
    _set_zone(house, "zone.work", BEN)
    assert not house.car.body.locked
    await house.pass_time(minutes=3)
    assert house.car.body.locked
    assert house.commands == ["door_lock"]


async def test_locked_once_doors_are_closed_also_away_from_home(house: House) -> None:
    house.park_away()
    await _automate_locking(house, only_at_home=False)
    house.car.open("dr")
    await house.refresh()
    await _leave_home(house, ANN, BEN)
    assert not house.commands
    house.car.close("dr")
    await house.pass_time(minutes=10)
    assert house.car.body.locked


async def test_locked_after_unseen_unlock_because_the_car_is_read_first(house: House) -> None:
    await _automate_locking(house)
    house.car.lock()
    await house.refresh(minutes=8)
    house.car.unlock()
    assert house.shown(*LOCK).state == "locked"
    await _leave_home(house, ANN, BEN, minutes=6)
    assert house.car.body.locked


@_cases(
    frunk_open=lambda house: house.car.open("ft"),
    occupied=lambda house: house.car.enter(),
    presence_unknown=lambda house: house.simulator.faults.remove(VehicleState.is_user_present.path),
    away=House.park_away,
    door_unknown=lambda house: house.simulator.faults.remove(VehicleState.df.path),
    lock_unknown=lambda house: house.simulator.faults.remove(VehicleState.locked.path),
)
async def test_not_locked_while_the_car_may_be_in_use(house: House, change: Change) -> None:
    await _automate_locking(house)
    change(house)
    await house.refresh()
    await _leave_home(house, ANN, BEN, minutes=15)
    assert not house.commands


async def test_locked_once_the_last_person_is_known_again(house: House) -> None:
    await _automate_locking(house)
    await house.pass_time(minutes=10)
    await house.set_state(BEN, STATE_UNKNOWN)
    await _leave_home(house, ANN)
    assert not house.commands
    await _leave_home(house, BEN)
    assert house.commands == ["door_lock"]


async def test_locked_after_a_restart_if_all_persons_left_before_it(house: House) -> None:
    house.hass.set_state(CoreState.not_running)
    await _automate_locking(house)
    _set_zone(house, None, ANN, BEN)
    await house.hass.async_start()
    await house.pass_time(minutes=7)
    assert house.commands == ["door_lock"]


async def test_not_locked_after_a_restart_if_someone_comes_home_during_the_delay(house: House) -> None:
    house.hass.set_state(CoreState.not_running)
    await _automate_locking(house)
    _set_zone(house, None, ANN, BEN)
    await house.hass.async_start()
    await house.pass_time(minutes=2)
    _set_zone(house, "zone.home", ANN)
    await house.pass_time(minutes=10)
    assert not house.commands


# Warn of an open car before rain


async def _automate_warning(house: House, **inputs: Any) -> None:
    """Create the automation for the doors, the lids, and the sunroof. It will rain in an hour."""
    house.weather.set(rainy_hours=range(1, 24))
    await house.create_automation("warn_before_rain", weather=house.weather.entity_id, **inputs)


async def _leave_trunk_open(house: House) -> None:
    house.car.open("rt")
    await house.refresh(minutes=4)
    assert not house.notifications
    await house.pass_time(minutes=2)


async def test_warning_contains_the_start_of_the_rain_and_what_is_open(house: House) -> None:
    await _automate_warning(house)
    house.car.body.roof.percent = 15
    await _leave_trunk_open(house)
    house.car.open("df")
    await house.pass_time(hours=2)
    (notification,) = house.notifications
    assert notification["title"] == "Rain expected at 13:05"
    assert notification["message"] == "Check the car: Aurora Any door or trunk open, Aurora Sunroof."


async def test_car_that_is_already_open_causes_a_warning_once_rain_becomes_probable(house: House) -> None:
    await _automate_warning(house)
    house.weather.set(rainy_hours=range(0), probability=49)
    await _leave_trunk_open(house)
    await house.pass_time(minutes=30)
    assert not house.notifications
    house.weather.set(probability=50)
    await house.pass_time(minutes=30)
    assert house.notifications


async def test_repeated_warning(house: House) -> None:
    await _automate_warning(house, repeat={"hours": 1})
    await _leave_trunk_open(house)
    await house.pass_time(minutes=58)
    assert len(house.notifications) == 1
    await house.pass_time(minutes=30)
    assert len(house.notifications) == 2
    house.car.close("rt")
    await house.refresh()
    house.car.open("rt")
    await house.refresh(minutes=15)
    assert len(house.notifications) == 3


@pytest.mark.parametrize("service", ["tessie"])
@pytest.mark.parametrize("is_trunk_open", [False, True])
async def test_windows_and_roof_are_closed_before_a_warning(house: House, *, is_trunk_open: bool) -> None:
    await _automate_warning(house, close=True)
    house.fleet_car.open_window("fd")
    house.car.body.roof.percent = 15
    if is_trunk_open:
        house.car.open("rt")
    await house.refresh(minutes=6)
    assert sorted(house.commands) == ["sun_roof_control", "window_control"]
    assert not any(house.fleet_car.body.windows.values())
    warning = f"Check the car: {house.coordinator.title} Any door or trunk open."
    assert [each["message"] for each in house.notifications] == [warning] * is_trunk_open


@pytest.mark.parametrize("service", ["tessie"])
async def test_route_to_home_is_not_taken_for_the_car_being_at_home(house: House) -> None:
    """The tracker of the route is home while the car is still on its way."""
    house.park_away()
    await _automate_warning(house, only_away=True)
    await house.act("navigation_gps_request", location=house.car.home.point._asdict())
    await house.pass_time(minutes=1)
    # A refresh within seconds of another read would share it.
    await house.refresh(seconds=10)
    assert house.shown("device_tracker", "drive_state.active_route").state == "home"
    await _leave_trunk_open(house)
    assert house.notifications


async def test_no_warning_after_unseen_close_because_the_car_is_read_first(house: House) -> None:
    await _automate_warning(house, patience={"minutes": 9})
    house.car.body.roof.percent = 15
    await house.refresh(minutes=8)
    house.car.body.roof.percent = 0
    assert house.shown(*ROOF).state == "open"
    await house.pass_time(minutes=3)
    assert not house.notifications


@_cases(
    # Some weather services include the past in their forecast.
    past_rain=lambda house: house.weather.set(rainy_hours=range(-4, -1)),
    rain_later=lambda house: house.weather.set(rainy_hours=range(3, 24)),
    weather_unavailable=lambda house: house.weather.set(_attr_available=False),
    occupied=lambda house: house.car.enter(),
    state_unknown=lambda house: house.simulator.faults.remove(VehicleState.key),
    at_home=lambda house: house.inputs.update(only_away=True),
    open_for_a_short_time=lambda house: house.inputs.update(patience={"minutes": 40}),
)
async def test_no_warning_if_it_is_unnecessary_or_the_state_is_unknown(house: House, change: Change) -> None:
    change(house)
    await _automate_warning(house)
    change(house)
    await house.refresh()
    await _leave_trunk_open(house)
    await house.pass_time(minutes=30)
    assert not house.notifications


# Tell me, or lock it, if the car was left unlocked or open

LEFT_OPEN: Final = "The car was left unlocked or open"
CLEAR: Final = "clear_notification"


async def _leave_open(house: House, change: Change = lambda house: house.car.unlock(), **inputs: Any) -> None:
    """Create the automation, change the car, and let six minutes pass."""
    await house.create_automation("tell_or_lock_if_left_open", phones=[house.phone], **inputs)
    change(house)
    await house.refresh(minutes=4)
    assert not house.phone_notifications
    assert not house.commands
    await house.pass_time(minutes=2)


async def test_button_locks_the_unlocked_car_and_removes_the_notification(house: House) -> None:
    await _leave_open(house)
    (notification,) = house.phone_notifications
    assert notification["title"] == LEFT_OPEN
    assert notification["message"] == "Aurora Left unlocked"
    assert [button["title"] for button in notification["data"]["actions"]] == ["Lock"]
    await _tap(house, notification, 0)
    assert house.commands == ["door_lock"]
    assert house.car.body.locked
    removal = {"message": CLEAR, "data": {"tag": notification["data"]["tag"]}}
    assert house.phone_notifications == [notification, removal]


async def test_button_also_works_after_the_automation_was_off_as_in_a_restart(house: House) -> None:
    house.park_away(only_away=True)
    await _leave_open(house)
    await house.hass.services.async_call("automation", "turn_off", {"entity_id": "all"}, blocking=True)
    await house.hass.services.async_call("automation", "turn_on", {"entity_id": "all"}, blocking=True)
    await _tap(house, house.phone_notifications[0], 0)
    assert house.car.body.locked


async def test_button_about_another_car_locks_nothing_and_keeps_the_notification(house: House) -> None:
    await _leave_open(house)
    for data in ({"action": "lock_car/another car"}, {"action": "OPEN_GARAGE"}, {}):
        house.hass.bus.async_fire("mobile_app_notification_action", data)
        await house.pass_time(seconds=1)
    assert not house.commands
    assert len(house.phone_notifications) == 1


@_cases(
    locked_and_closed=lambda house: (house.car.lock(), house.car.close("rt")),
    occupied=lambda house: house.car.enter(),
)
async def test_notification_disappears_once_the_car_is_secured_or_used(house: House, change: Change) -> None:
    await _leave_open(house, lambda house: (house.car.unlock(), house.car.open("rt")))
    (notification,) = house.phone_notifications
    assert notification["message"] == "Aurora Left unlocked, Aurora Any door or trunk open"
    change(house)
    await house.refresh()
    assert [each["message"] for each in house.phone_notifications[1:]] == [CLEAR]


@pytest.mark.parametrize("service", ["tessie"])
async def test_open_window_of_a_locked_car_is_told_without_a_button(house: House) -> None:
    await _leave_open(house, lambda house: house.fleet_car.open_window("fd"))
    (notification,) = house.phone_notifications
    assert notification["message"] == f"{house.coordinator.title} Windows left open"
    assert not notification["data"]["actions"]


@pytest.mark.parametrize("is_trunk_open", [False, True])
async def test_car_is_locked_without_asking_and_only_the_rest_is_told(
    house: House, *, is_trunk_open: bool
) -> None:
    if is_trunk_open:
        house.car.open("rt")
    await _leave_open(house, lock_itself=True)
    assert house.commands == ["door_lock"]
    messages = [each["message"] for each in house.phone_notifications]
    assert messages == ["Aurora Any door or trunk open"] * is_trunk_open


async def test_car_that_could_not_be_locked_is_told(house: House, caplog: pytest.LogCaptureFixture) -> None:
    refusal = {"response": {"result": False, "reason": "could_not_lock"}}
    house.simulator.faults.answer(200, body=refusal, times=2, only="/door_lock")
    await _leave_open(house, lock_itself=True)
    caplog.clear()
    (notification,) = house.phone_notifications
    assert notification["message"] == "Aurora Left unlocked"


async def test_no_notification_after_unseen_locking_because_the_car_is_read_first(house: House) -> None:
    await house.create_automation("tell_or_lock_if_left_open", phones=[house.phone], wait={"minutes": 9})
    house.car.unlock()
    await house.refresh(minutes=8)
    house.car.lock()
    assert house.shown(*LOCK).state == "unlocked"
    await house.pass_time(minutes=3)
    assert not house.phone_notifications


@_cases(
    occupied=lambda house: house.car.enter(),
    presence_unknown=lambda house: house.simulator.faults.remove(VehicleState.is_user_present.path),
    state_unknown=lambda house: house.simulator.faults.remove(VehicleState.key),
    at_home=lambda house: house.inputs.update(only_away=True),
    open_for_a_short_time=lambda house: house.inputs.update(wait={"minutes": 40}),
)
async def test_car_in_use_or_at_home_or_unknown_is_not_told_or_locked(house: House, change: Change) -> None:
    change(house)
    await _leave_open(house, lambda house: (house.car.unlock(), house.car.open("rt")), lock_itself=True)
    await house.pass_time(minutes=30)
    assert not house.phone_notifications
    assert not house.commands


# Charge for a journey

HELPER: Final = "input_number.limit"


async def _automate_journey(house: House, stored_limit: float = 0, **inputs: Any) -> None:
    """Create the automation, by default with a lead time of three hours before an event."""
    await house.set_up_integration("input_number", {"limit": {"min": 0, "max": 100, "initial": stored_limit}})
    inputs = {"calendars": [house.calendar.entity_id], "memory": HELPER, "lead": {"hours": 3}, **inputs}
    await house.create_automation("charge_for_a_journey", **inputs)


def _limits(house: House) -> tuple[float, float]:
    """Return the limit of the car, and the one that the automation stored."""
    state = house.hass.states.get(HELPER)
    assert state is not None
    return house.car.charging.limit, float(state.state)


async def _wait_for_lead_time(house: House) -> None:
    await house.pass_time(minutes=9)
    assert not house.commands
    await house.pass_time(minutes=2)


async def _charge_in_time(house: House) -> None:
    """Create the automation, and let the lead time of a journey begin: the car charges to 100 %."""
    house.calendar.set_events(_event("Journey", hours=3, minutes=10))
    await _automate_journey(house, title="journey")
    await _wait_for_lead_time(house)


async def _unplug_for(house: House, **duration: float) -> None:
    house.car.unplug()
    await house.refresh(**duration)


async def test_helper_with_a_date_and_time_works_like_a_calendar(house: House) -> None:
    await house.set_up_integration("input_datetime", {"departure": {"has_date": True, "has_time": True}})
    await _automate_journey(house, calendars=[], departures=["input_datetime.departure"])
    departure = NOON + timedelta(hours=3, minutes=10)
    data = {"entity_id": "input_datetime.departure", "datetime": departure.replace(tzinfo=None)}
    await house.hass.services.async_call("input_datetime", "set_datetime", data, blocking=True)
    await _wait_for_lead_time(house)
    assert house.car.charging.limit == 100


async def test_unreachable_car(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """If the car is unreachable, the command is repeated until it succeeds."""
    house.car.coverage(on=False)
    await _charge_in_time(house)
    await house.pass_time(minutes=4)
    assert "did not wake up" in caplog.text
    caplog.clear()
    house.car.coverage(on=True)
    await house.pass_time(minutes=20)
    assert house.car.charging.limit == 100


async def test_limit_is_restored_half_an_hour_after_departure_but_not_after_an_errand(house: House) -> None:
    await _charge_in_time(house)
    await _unplug_for(house, minutes=20)
    house.car.plug_in()
    await house.refresh(minutes=20)
    await _unplug_for(house, minutes=29)
    assert _limits(house) == (100, 80)
    await house.pass_time(minutes=2)
    assert _limits(house) == (80, 0)


async def test_limit_is_restored_after_the_second_of_two_journeys_without_departure(house: House) -> None:
    house.calendar.set_events(_event(minutes=30), _event(minutes=90))
    await _automate_journey(house, lead={"minutes": 20}, at_most={"minutes": 100})
    await house.pass_time(minutes=11)
    assert house.car.charging.limit == 100
    await house.pass_time(minutes=110)
    assert house.car.charging.limit == 100
    await house.pass_time(hours=1)
    assert house.car.charging.limit == 80


async def test_newly_started_automation_restores_the_limit_from_the_helper(house: House) -> None:
    house.car.charging.set_limit(100)
    await house.refresh()
    await _automate_journey(house, stored_limit=70)
    await _unplug_for(house, minutes=40)
    assert house.car.charging.limit == 70


@pytest.mark.parametrize(
    ("change", "limits"),
    [
        (lambda house: house.car.charging.set_limit(90), (90, 0)),
        (lambda house: house.simulator.faults.remove(ChargeState.charge_limit_soc.path), (100, 80)),
    ],
    ids=["changed by hand", "unknown"],
)
async def test_other_limit_stays(house: House, change: Change, limits: tuple[float, float]) -> None:
    """A limit that was changed by hand stays. The stored limit stays while the current one is unknown."""
    await _charge_in_time(house)
    change(house)
    await _unplug_for(house, minutes=40)
    assert _limits(house) == limits


@_cases(
    other_event=lambda house: house.inputs.update(title="holiday"),
    limit_already_high=lambda house: house.car.charging.set_limit(100),
    state_unknown=lambda house: house.simulator.faults.remove(ChargeState.key),
)
async def test_limit_stays_if_it_is_high_or_unknown_or_without_an_event(house: House, change: Change) -> None:
    change(house)
    await house.refresh()
    await _charge_in_time(house)
    await _unplug_for(house, minutes=40)
    assert "set_charge_limit" not in house.commands
    assert _limits(house)[1] == 0


async def test_journey_during_outage(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """A journey that comes due during an outage takes effect after the outage."""
    house.calendar.set_events(_event(hours=3, minutes=40))
    await _automate_journey(house)
    house.simulator.faults.answer(503, times=10**6)
    await house.pass_time(minutes=38)
    assert house.shown(*CHARGE_LIMIT).state == STATE_UNAVAILABLE
    await house.pass_time(minutes=5)
    house.simulator.faults.clear()
    await house.pass_time(minutes=30)
    caplog.clear()  # The outage was logged.
    assert _limits(house) == (100, 80)


# Tell about drives and charges


async def _drive(house: House, name: str, **inputs: Any) -> None:
    """Create an automation, and drive away from home."""
    house.car.unplug()
    await house.refresh()
    await house.create_automation(name, **inputs)
    await _drive_on(house)


async def _drive_on(house: House) -> None:
    house.car.drive(miles=6)
    await house.refresh(minutes=15)


async def _drive_and_charge(house: House, **inputs: Any) -> list[str]:
    """Create the automation, drive, and charge at a fast charger. Return the messages."""
    await _drive(house, "tell_about_drives_and_charges", **inputs)
    house.car.plug_in(fast=True)
    await house.refresh(minutes=15)
    house.car.unplug()
    await house.refresh()
    return [str(notification["message"]) for notification in house.notifications]


async def test_summary_has_the_values_of_the_entry(house: House) -> None:
    drive, charge = await _drive_and_charge(house)
    assert re.fullmatch(r"test home → \?: 9\.7 km, [67] min", drive), drive
    assert re.fullmatch(r"\d+\.\d kWh, \d+ min, \d+%", charge), charge


async def test_summary_leaves_out_what_is_unknown(house: House) -> None:
    await house.create_automation("tell_about_drives_and_charges", distance=0)
    log, now = house.coordinator.log, dt_util.utcnow().timestamp()
    ended: list[Drive | Charge] = [
        Drive("drive-1", now, now + 600, start_place="Home"),
        Charge("charge-1", now + 600, now + 1200, end_battery=80.0),
    ]
    signal = log_signal(house.coordinator.subentry_id)
    async_dispatcher_send(house.hass, signal, log, Changes(ended=ended))
    await house.pass_time(seconds=1)
    messages = {notification["message"] for notification in house.notifications}
    assert messages == {"Home → ?: 10 min", "10 min, 80%"}


@pytest.mark.parametrize(
    ("inputs", "count"), [({"kinds": ["drive"]}, 1), ({"distance": 20}, 1), ({"kinds": []}, 0)]
)
async def test_only_the_selected_entries_are_told(house: House, inputs: dict[str, Any], count: int) -> None:
    assert len(await _drive_and_charge(house, **inputs)) == count


# Tag drives by their places


def _tags(house: House) -> list[str | None]:
    return [drive.tag for drive in house.coordinator.log.drives]


def _tag_each_drive(house: House, tag: str) -> None:
    """Tag each drive as soon as it ends, as a person or another automation could."""

    @callback
    def tag_drives(log: DriveLog, changes: Changes) -> None:
        log.update([entry.id for entry in changes.ended], {"tag": tag})

    async_dispatcher_connect(house.hass, log_signal(house.coordinator.subentry_id), tag_drives)


async def _tag_by_place(house: House, **inputs: Any) -> None:
    places = {"start_places": ["zone.home"], "end_places": []}
    await _drive(house, "tag_drives_by_place", **{"tag": "commute", **places, **inputs})


@pytest.mark.parametrize(
    ("inputs", "tag"),
    [
        ({}, "commute"),
        ({"start_places": []}, "commute"),
        ({"end_places": ["zone.home"]}, None),
        ({"start_places": [], "end_places": ["zone.home"]}, "commute"),
        ({"start_places": [], "end_places": ["zone.home"], "both_ways": False}, None),
        ({"start_places": ["zone.deleted"]}, None),
        ({"days": ["mon"], "after": "11:59:00", "before": "12:30:00"}, "commute"),
        ({"days": ["tue"]}, None),
        ({"after": "12:30:00", "before": "12:00:00"}, None),
        ({"after": "22:00:00", "before": "12:30:00"}, "commute"),
    ],
    ids=str,
)
async def test_drive_is_tagged_by_its_places_and_start(house: House, inputs: Any, tag: str | None) -> None:
    await _tag_by_place(house, **inputs)
    assert _tags(house) == [tag]


async def test_drive_keeps_the_tag_that_it_has(house: House) -> None:
    _tag_each_drive(house, "private")
    await _tag_by_place(house)
    assert _tags(house) == ["private"]


# Ask what a drive was for


async def _ask(house: House, **inputs: Any) -> list[dict[str, Any]]:
    """Create the automation and drive. Return the questions."""
    await _drive(house, "ask_what_a_drive_was_for", phones=[house.phone], **inputs)
    return house.phone_notifications


async def _tap(house: House, question: dict[str, Any], button: int) -> None:
    data = {"action": question["data"]["actions"][button]["action"]}
    house.hass.bus.async_fire("mobile_app_notification_action", data)
    await house.pass_time(seconds=1)


async def test_answer_tags_the_drive_and_removes_the_question_from_all_phones(house: House) -> None:
    (question,) = await _ask(house)
    assert question["title"] == "What was this drive for?"
    assert re.fullmatch(r"\S+: test home → \?, 9\.7 km", question["message"])
    assert [button["title"] for button in question["data"]["actions"]] == ["Business", "Private"]
    assert _tags(house) == [None]
    await _tap(house, question, 0)
    assert _tags(house) == ["business"]
    removal = {"message": "clear_notification", "data": {"tag": question["data"]["tag"]}}
    assert house.phone_notifications == [question, removal]


async def test_each_drive_gets_its_own_answer_also_if_the_automation_was_off_meanwhile(house: House) -> None:
    own = {"first_answer": "For Ann", "first_tag": "Ann's / work ", "second_answer": "For me"}
    await _ask(house, **own)
    await _drive_on(house)
    first, second = house.phone_notifications
    await house.hass.services.async_call("automation", "turn_off", {"entity_id": "all"}, blocking=True)
    await house.hass.services.async_call("automation", "turn_on", {"entity_id": "all"}, blocking=True)
    await _tap(house, second, 1)
    assert _tags(house) == [None, "private"]
    await _tap(house, first, 0)
    assert _tags(house) == ["Ann's / work", "private"]


async def test_answer_to_another_question_tags_nothing(house: House) -> None:
    await _ask(house)
    unknown_answer = f"tag_drive/{house.device.id}/drive-1/stolen"
    for action in ("OPEN_GARAGE", "tag_drive/another car/drive-1/business", unknown_answer, None):
        data = {"action": action} if action else {}
        house.hass.bus.async_fire("mobile_app_notification_action", data)
        await house.pass_time(seconds=1)
        assert _tags(house) == [None], action


@pytest.mark.parametrize(("inputs", "count"), [({"distance": 20}, 0), ({"distance": 5}, 1)], ids=str)
async def test_only_long_drives_are_asked_about(house: House, inputs: dict[str, Any], count: int) -> None:
    assert len(await _ask(house, **inputs)) == count


async def test_question_has_no_distance_if_that_is_unknown(house: House) -> None:
    await _ask(house)
    ended = house.shown("event", "log.drive")
    ended_again = dt_util.utcnow().isoformat(timespec="milliseconds")
    house.hass.states.async_set(ended.entity_id, ended_again, {**ended.attributes, "distance": None})
    await house.pass_time(minutes=1)
    assert house.phone_notifications[-1]["message"].endswith(": test home → ?")


@pytest.mark.parametrize("only_untagged", [True, False])
async def test_tagged_drive_is_asked_about_only_if_selected(house: House, *, only_untagged: bool) -> None:
    _tag_each_drive(house, "commute")
    assert len(await _ask(house, only_untagged=only_untagged)) == (0 if only_untagged else 1)


# Open the garage when the car arrives

GARAGE: Final = "cover.garage"


async def _come_home(house: House, **inputs: Any) -> list[ServiceCall]:
    """Create the automation, and let the car come home. Return the calls that open the garage."""
    opened: list[ServiceCall] = async_mock_service(house.hass, "cover", "open_cover")
    house.hass.states.async_set(GARAGE, inputs.pop("state", "closed"))
    house.park_away()
    _unplug(house)
    await house.refresh()
    inputs = {"garage": GARAGE, "phones": [house.phone], **inputs}
    await house.create_automation("open_garage_when_arriving", **inputs)
    house.car.start_trip(5, 25, house.car.home.point)
    await house.advance_while_pending(12 * 60 + 30, step=10)
    return opened


async def _ask_to_open(house: House) -> None:
    await _come_home(house)


async def test_garage_opens_only_after_the_tap(house: House) -> None:
    opened = await _come_home(house)
    await house.advance_while_pending(60, step=10)
    (question,) = house.phone_notifications
    assert not opened
    house.hass.bus.async_fire("mobile_app_notification_action", {"action": "open_garage/another/question"})
    await house.pass_time(seconds=1)
    assert not opened
    await _tap(house, question, 0)
    assert [call.data["entity_id"] for call in opened] == [[GARAGE]]
    assert house.phone_notifications[1]["message"] == "clear_notification"
    await _tap(house, question, 0)
    assert len(opened) == 1


async def test_old_question_opens_nothing(house: House) -> None:
    opened = await _come_home(house)
    (question,) = house.phone_notifications
    await house.pass_time(minutes=14)
    assert [each["message"] for each in house.phone_notifications[1:]] == ["clear_notification"]
    await _tap(house, question, 0)
    assert not opened


@pytest.mark.parametrize("state", ["open", "opening", "unavailable"])
async def test_garage_that_is_open_or_unavailable_is_not_asked_about(house: House, state: str) -> None:
    assert not await _come_home(house, state=state, without_asking=True)
    assert not house.phone_notifications


async def test_garage_opens_at_once_only_if_the_owner_chose_so(house: House) -> None:
    assert len(await _come_home(house, without_asking=True, minutes=1)) == 1
    assert not house.phone_notifications


# Finding the entities of the car


async def _lock_after_unlocking(house: House) -> None:
    _set_zone(house, "zone.home", ANN)
    _set_zone(house, None, BEN)
    await house.create_automation("lock_when_everybody_left", persons=[ANN, BEN])
    # The automation reads the car, which is locked.
    await _leave_home(house, ANN)
    house.car.unlock()
    await house.refresh(minutes=10)


async def _show_charging(house: House) -> None:
    await house.create_automation("show_charging_on_your_phone", phone=house.phone)
    house.car.charging.set_limit(80)
    house.car.charging.start()
    await house.refresh(minutes=12)
    house.car.unplug()
    await house.refresh(minutes=1)


async def test_notification_is_updated_while_the_car_charges_and_then_replaced(house: House) -> None:
    fields = {"power": ChargeState.charger_power, "ends": ChargeState.time_to_full_charge}
    house.inputs.update({name: house.entity_id("sensor", field.path) for name, field in fields.items()})
    await _show_charging(house)
    *updates, removal, end = house.phone_notifications
    levels = [each["data"]["progress"] for each in updates]
    # Phones limit how many notifications they accept.
    assert len(levels) == len(set(levels)) >= 2
    level = updates[-1]["data"]["progress"]
    assert re.fullmatch(rf"{level}% · [1-9]\d* kW · until \d\d:\d\d", updates[-1]["message"])
    assert {each["data"]["live_update"] for each in updates} == {True}
    assert removal["message"] == "clear_notification"
    assert {each["data"]["tag"] for each in updates} == {removal["data"]["tag"]}
    assert end["message"].startswith("The cable was unplugged.")


async def test_next_update_is_sent_after_a_failed_one(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.phone_errors.append(HomeAssistantError("no connection"))
    await _show_charging(house)
    assert len(house.phone_notifications) >= 3
    assert "no connection" in caplog.text
    caplog.clear()


async def _warm_up_in_vain(house: House) -> None:
    await _warm_up(house)
    await house.pass_time(minutes=70)


async def _warn_of_open_trunk(house: House) -> None:
    await _automate_warning(house)
    await _leave_trunk_open(house)


async def _lock_after_the_tap(house: House) -> None:
    await _leave_open(house)
    for notification in [*house.phone_notifications]:
        if notification["data"]["actions"]:
            await _tap(house, notification, 0)


async def _ask_and_answer(house: House) -> None:
    for question in [*await _ask(house)]:
        await _tap(house, question, 0)


NOTIFICATION: Final = "notification"
PHONE: Final = "notifications on the phone"
TAG: Final = "tag of a drive"
# For each blueprint: a function that creates and triggers its automation, and what the automation does
SCENARIOS: Final[dict[str, tuple[Callable[[House], Awaitable[object]], list[str]]]] = {
    "ask_what_a_drive_was_for": (_ask_and_answer, [PHONE, TAG]),
    "charge_for_a_journey": (_charge_in_time, ["set_charge_limit", "charge_start"]),
    "charge_on_surplus_or_cheap_power": (_plug_in_at_home, ["charge_stop"]),
    "lock_when_everybody_left": (_lock_after_unlocking, ["door_lock"]),
    "open_garage_when_arriving": (_ask_to_open, [PHONE]),
    "remind_to_plug_in": (_remind_after_arrival, [NOTIFICATION]),
    "show_charging_on_your_phone": (_show_charging, [PHONE]),
    "tag_drives_by_place": (_tag_by_place, [TAG]),
    "tell_about_drives_and_charges": (_drive_and_charge, [NOTIFICATION, NOTIFICATION]),
    "tell_or_lock_if_left_open": (_lock_after_the_tap, ["door_lock", PHONE]),
    "warm_up_before_an_event": (_warm_up_in_vain, ["auto_conditioning_start", "auto_conditioning_stop"]),
    "warn_before_rain": (_warn_of_open_trunk, [NOTIFICATION]),
}


async def _play(house: House, name: str) -> list[str]:
    """Create and trigger an automation, and return what it does."""
    await SCENARIOS[name][0](house)
    phone = [PHONE] if house.phone_notifications else []
    tags = [TAG for tag in _tags(house) if tag]
    return [*house.commands, *(NOTIFICATION for _ in house.notifications), *phone, *tags]


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(
    ("before", "after"),
    [(House.idle, _rename_entities), (House.idle, House.restart), (House.unload, House.load)],
    ids=["renamed", "reloaded", "account loaded later"],
)
async def test_change_around_creation(house: House, name: str, before: Step, after: Step) -> None:
    """An automation also works after such a change of its entities, or of the account."""
    house.before_creation, house.after_creation = before, after
    assert await _play(house, name) == SCENARIOS[name][1]


# What an automation does without an entity, if not the same as with it or nothing
WITHOUT: Final = {
    ("charge_for_a_journey", CHARGING_STATE): ["set_charge_limit"],
    ("charge_for_a_journey", CHARGE): ["set_charge_limit"],
    ("charge_for_a_journey", PLUG): ["set_charge_limit", "charge_start"],
    ("charge_on_surplus_or_cheap_power", CHARGE_LIMIT): ["charge_stop"],
    ("tell_about_drives_and_charges", ("event", "log.drive")): [NOTIFICATION],
    ("tell_about_drives_and_charges", ("event", "log.charge")): [NOTIFICATION],
    ("tell_or_lock_if_left_open", LOCK): [PHONE],
    ("tell_or_lock_if_left_open", DOORS): ["door_lock", PHONE],
    ("tell_or_lock_if_left_open", LOCATION): ["door_lock", PHONE],
    ("warm_up_before_an_event", CLIMATE_KEEPER): ["auto_conditioning_start"],
    ("warm_up_before_an_event", PLUG): ["auto_conditioning_start", "auto_conditioning_stop"],
    ("warm_up_before_an_event", BATTERY): ["auto_conditioning_start", "auto_conditioning_stop"],
    ("warn_before_rain", LOCATION): [NOTIFICATION],
    ("warn_before_rain", ROOF): [NOTIFICATION],
}


@pytest.mark.parametrize(
    ("name", "entity"),
    [pytest.param(name, each, id=f"{name}-{'.'.join(each)}") for name, used in USED.items() for each in used],
)
async def test_disabled_entity(house: House, name: str, entity: tuple[str, str]) -> None:
    """Without an entity, an automation does nothing that depends on it, and logs nothing."""
    registry = er.async_get(house.hass)
    registry.async_update_entity(house.entity_id(*entity), disabled_by=er.RegistryEntryDisabler.USER)
    assert await _play(house, name) == WITHOUT.get((name, entity), [])


@pytest.mark.parametrize("cars", [2])
async def test_another_car_does_not_matter_and_gets_no_commands(house: House) -> None:
    house.simulator.vehicles[1].unlock()
    house.simulator.vehicles[1].enter()
    await _lock_after_unlocking(house)
    (command,) = house.requests("/command/")
    assert f"/{house.car.id}/" in command


async def test_location_that_is_known_again_is_no_arrival(house: House) -> None:
    _unplug(house)
    await house.refresh()
    await house.create_automation("remind_to_plug_in", evening="11:30:00")
    await house.restart()
    await house.pass_time(minutes=16)
    assert not house.notifications
