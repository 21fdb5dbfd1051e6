"""Facts that hold for every car: at any moment, while time passes, and after an action."""

import json
from typing import Final

from custom_components.vehicle_remote_access.simulator.car import physics
from custom_components.vehicle_remote_access.simulator.car.body import OPENINGS
from custom_components.vehicle_remote_access.simulator.controls import MAX_SPEED
from custom_components.vehicle_remote_access.simulator.fleet import MODELS

from .documented import OBJECTS, Json, differences, full_record_fields, short_record_fields

INTO_PACK: Final = {
    model.car_type: model.supply.power(min(model.supply.amperes, model.charger_amperes))
    * model.supply.efficiency
    for model in MODELS
}
"""Power that reaches the battery at each model's home charger, kW."""
REGAINED: Final = 0.6
"""Energy that braking from the highest speed returns, kWh."""
ROUNDING: Final = 0.02
"""Rounding error of an energy, kWh."""
ACTIVE: Final = {"Starting", "Charging"}


class Snapshot:
    """What is known about a car at a moment: its full data, and its record in the list."""

    def __init__(self, moment: float, data: Json, listed: Json) -> None:
        self.moment = moment
        self.data = data
        self.listed = listed
        self.charge: Json = data["charge_state"]
        self.climate: Json = data["climate_state"]
        self.drive: Json = data["drive_state"]
        self.body: Json = data["vehicle_state"]
        self.charging: str = self.charge["charging_state"]

    @property
    def energy(self) -> float:
        """The energy in the battery, kWh. The range has more digits than the level."""
        return float(self.charge["battery_range"] / physics.MILES_PER_PERCENT * physics.ENERGY_PER_PERCENT)

    @property
    def in_gear(self) -> bool:
        return self.drive["shift_state"] in {"D", "R", "N"}

    @property
    def max_power_into_pack(self) -> float:
        if self.charge["fast_charger_present"]:
            return max(power for _, power in physics.FAST_CURVE)
        return INTO_PACK[self.data["vehicle_config"]["car_type"]]


# At any moment


def fields_are_documented(now: Snapshot) -> None:
    """Every record has the documented fields, and is valid JSON. The list agrees with the data."""
    assert json.dumps([now.data, now.listed], allow_nan=False)
    assert differences(now.data, full_record_fields("current")) == []
    assert differences(now.listed, short_record_fields()) == []
    assert {name: now.data[name] for name in now.listed} == now.listed


def battery_is_between_empty_and_full(now: Snapshot) -> None:
    """Levels and ranges are within their limits, and agree with each other."""
    charge = now.charge
    assert 0 <= charge["usable_battery_level"] <= charge["battery_level"] <= 100
    assert abs(charge["battery_range"] / physics.MILES_PER_PERCENT - charge["battery_level"]) <= 0.51
    assert 50 <= charge["charge_limit_soc"] <= 100
    assert charge["charge_to_max_range"] is (charge["charge_limit_soc"] == 100)


def car_drives_only_when_ready(now: Snapshot) -> None:
    """A car moves only in gear: with a driver, with everything closed, and without a cable."""
    assert (now.drive["speed"] is not None) is now.in_gear
    if now.in_gear:
        assert now.body["is_user_present"] or now.body["remote_start"]
        assert 0 <= now.drive["speed"] <= MAX_SPEED
        assert now.charging == "Disconnected"
        assert not now.charge["charge_port_door_open"]
        assert [now.body[name] for name in OPENINGS] == [0] * len(OPENINGS)
        assert not now.body["remote_start"]


def sleeping_car_is_idle(now: Snapshot) -> None:
    if now.data["state"] != "asleep":
        return
    assert not now.in_gear
    assert now.charging not in ACTIVE
    for name in ("is_user_present", "sentry_mode", "remote_start", *OPENINGS):
        assert not now.body[name], name
    assert not now.climate["is_climate_on"]
    assert now.body["sun_roof_state"] != "moving"
    assert now.body["software_update"]["status"] not in {"downloading", "installing"}


def times_are_not_in_the_future(now: Snapshot) -> None:
    for name in OBJECTS:
        assert now.data[name]["timestamp"] <= now.moment * 1000 + 10
    assert now.drive["gps_as_of"] <= now.moment


# While time passes without an action


def times_never_go_back(before: Snapshot, now: Snapshot) -> None:
    for name in OBJECTS:
        assert now.data[name]["timestamp"] >= before.data[name]["timestamp"]
    assert now.drive["gps_as_of"] >= before.drive["gps_as_of"]


def gear_only_goes_to_park(before: Snapshot, now: Snapshot) -> None:
    """Without an action a car only parks. It moves only in gear, at a possible speed."""
    order = ["D", "P", None]
    assert order.index(now.drive["shift_state"]) >= order.index(before.drive["shift_state"])
    miles = now.body["odometer"] - before.body["odometer"]
    assert 0 <= miles <= MAX_SPEED * _hours(before, now) + 1e-5
    if not before.in_gear:
        assert miles == 0
        for name in ("latitude", "longitude", "heading"):
            assert now.drive[name] == before.drive[name]


def charging_only_proceeds(before: Snapshot, now: Snapshot) -> None:
    """Without an action charging only starts, flows and completes, or starts as scheduled."""
    next_states = {"Starting": {"Charging", "Complete"}, "Charging": {"Complete"}}
    allowed = {before.charging, *next_states.get(before.charging, ())}
    if before.charge["scheduled_charging_pending"]:
        allowed |= {"Starting", "Charging", "Complete"}
    assert now.charging in allowed


def added_energy_comes_from_the_charger(before: Snapshot, now: Snapshot) -> None:
    """The battery gains no more than what the charger can deliver, except by braking."""
    added = now.charge["charge_energy_added"] - before.charge["charge_energy_added"]
    assert 0 <= added <= before.max_power_into_pack * _hours(before, now) + ROUNDING
    if before.charging not in ACTIVE and not before.charge["scheduled_charging_pending"]:
        assert added == 0
    braking = REGAINED if before.in_gear else 0
    assert now.energy - before.energy <= added + braking + ROUNDING


def battery_loses_only_used_energy(before: Snapshot, now: Snapshot) -> None:
    """A parked car loses no more than it can use. A sleeping car loses exactly its own consumption."""
    lost, hours = before.energy - now.energy, _hours(before, now)
    if not before.in_gear:
        assert lost <= (physics.AWAKE + physics.SENTRY + physics.HEATING) * hours + ROUNDING
    as_of = [snapshot.data["gui_settings"]["timestamp"] for snapshot in (before, now)]
    kept_sleeping = before.data["state"] == now.data["state"] == "asleep" and as_of[0] == as_of[1]
    if kept_sleeping and now.energy > 0:
        assert abs(lost - physics.ASLEEP * hours) <= ROUNDING


def settings_stay(before: Snapshot, now: Snapshot) -> None:
    for name in ("locked", "sentry_mode", "valet_mode", "speed_limit_mode", *OPENINGS):
        assert now.body[name] == before.body[name], name
    for name in before.climate:
        if name.startswith("seat_heater") or name.endswith("_temp_setting"):
            assert now.climate[name] == before.climate[name], name
    assert now.charge["charge_limit_soc"] == before.charge["charge_limit_soc"]
    assert now.data["gui_settings"].keys() == before.data["gui_settings"].keys()


def nothing_starts_without_an_action(before: Snapshot, now: Snapshot) -> None:
    """Climate control, remote start and the driver's presence only end."""
    assert before.climate["is_climate_on"] or not now.climate["is_climate_on"]
    assert before.body["remote_start"] or not now.body["remote_start"]
    assert before.body["is_user_present"] or not now.body["is_user_present"]
    assert not (now.body["remote_start"] and now.moment - before.moment >= 120)


# After an action


def action_takes_no_time(before: Snapshot, now: Snapshot) -> None:
    """An action moves no car, and charges none. A car starts to drive only from park, with a driver."""
    assert now.body["odometer"] == before.body["odometer"]
    for name in ("latitude", "longitude"):
        assert now.drive[name] == before.drive[name]
    if now.charge["charge_energy_added"] != before.charge["charge_energy_added"]:
        # A new session begins.
        assert now.charge["charge_energy_added"] == 0
        assert (before.charging, now.charging == "Disconnected") == ("Disconnected", False)
    if now.in_gear and not before.in_gear:
        assert before.drive["shift_state"] in {"P", None}
        assert now.body["is_user_present"] or before.body["remote_start"]


def level_stays(before: Snapshot, now: Snapshot) -> None:
    assert abs(now.energy - before.energy) <= ROUNDING


AT_ANY_MOMENT: Final = (
    fields_are_documented,
    battery_is_between_empty_and_full,
    car_drives_only_when_ready,
    sleeping_car_is_idle,
    times_are_not_in_the_future,
)
WHILE_TIME_PASSES: Final = (
    times_never_go_back,
    gear_only_goes_to_park,
    charging_only_proceeds,
    added_energy_comes_from_the_charger,
    battery_loses_only_used_energy,
    settings_stay,
    nothing_starts_without_an_action,
)
AFTER_AN_ACTION: Final = (times_never_go_back, action_takes_no_time)


def _hours(before: Snapshot, now: Snapshot) -> float:
    return (now.moment - before.moment) / 3600
