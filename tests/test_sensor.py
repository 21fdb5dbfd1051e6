"""Sensors and binary sensors."""

from typing import Any

import pytest

from custom_components.vehicle_remote_access.api.field import BINARY, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import FIELDS

from .conftest import Home

PLUG = "charge_state.conn_charge_cable"
SHOWN = [field for field in FIELDS if field.place in (SENSOR, BINARY)]


async def test_every_enabled_entity_knows_something(home: Home) -> None:
    """On a car that is awake, what is enabled by default has a value, but for what has no value just now."""
    unknown = {
        entity
        for entity, state in home.states().items()
        if state in ("unknown", "unavailable") and not entity.startswith("button.")
    }
    assert unknown == {
        home.entity_id("sensor", "charge_state.scheduled_charging_start_time"),
        home.entity_id("sensor", "charge_state.time_to_full_charge"),
    }


@pytest.mark.parametrize("field", SHOWN, ids=lambda field: field.path)
async def test_bad_field_only_loses_itself(
    field: Field[Any], entity_registry_enabled_by_default: None, home: Home
) -> None:
    """A field of the wrong type leaves every entity that does not show it as it was."""
    before = home.states()
    home.simulator.faults.corrupt(field.path, {"not": "a value"})
    await home.poll()
    after = home.states()
    changed = {entity for entity in before if before[entity] != after[entity]}
    when_it_is_read = {home.entity_id("sensor", path) for path in ("polling_mode", "next_read")}
    assert changed <= home.shown_by(field) | when_it_is_read


@pytest.mark.parametrize(
    ("cable", "charging_state", "shown"),
    [
        ("SAE", "Charging", "on"),
        ("IEC", None, "on"),
        ("<invalid>", "Disconnected", "off"),
        ("A new kind of plug", "Stopped", "on"),
        (None, "Complete", "on"),
        (None, "Disconnected", "off"),
        (None, None, "unknown"),
    ],
)
async def test_plug(home: Home, cable: str | None, charging_state: str | None, shown: str) -> None:
    """The plug is known by its cable, or else by what charging says."""
    home.simulator.faults.corrupt("charge_state.conn_charge_cable", cable)
    home.simulator.faults.corrupt("charge_state.charging_state", charging_state)
    await home.poll()
    assert home.shown("binary_sensor", PLUG).state == shown


async def test_any_door(home: Home) -> None:
    """One open door is enough."""
    home.car.open("pr")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"
    assert home.shown("binary_sensor", "vehicle_state.pr").state == "on"
    assert home.shown("binary_sensor", "vehicle_state.df").state == "off"


async def test_unknown_door_is_not_a_closed_one(home: Home) -> None:
    """As long as one door is not known, nobody can say that none is open; that one is open, they can."""
    home.simulator.faults.remove("vehicle_state.df")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "unknown"
    home.car.open("pr")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"


async def test_unknown_word_is_unknown(home: Home) -> None:
    """A state that nobody has heard of is unknown, not an error."""
    home.simulator.faults.corrupt("charge_state.charging_state", "Levitating")
    await home.poll()
    assert home.shown("sensor", "charge_state.charging_state").state == "unknown"


async def test_long_text_is_cut(entity_registry_enabled_by_default: None, home: Home) -> None:
    """A text beyond what Home Assistant keeps is cut."""
    home.simulator.faults.corrupt("option_codes", "AB12," * 100)
    await home.poll()
    assert len(home.shown("sensor", "option_codes").state) == 255
