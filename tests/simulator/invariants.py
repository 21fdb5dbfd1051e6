"""What holds of a car whatever is done to it: at any moment, while time passes, and by a deed."""

from collections.abc import Callable
from dataclasses import dataclass
import json
from typing import Any, Final

from .documented import OBJECTS, Json, departures, full_record, short_record

MILES_PER_PERCENT: Final = 2.5
ENERGY_PER_PERCENT: Final = 0.75
ENERGY_PER_MILE: Final = 0.30
INTO_PACK: Final = {
    "models2": 240 * 40 * 0.9 / 1000,
    "modelx": 230 * 16 * 3 * 0.9 / 1000,
    "model3": 120 * 12 * 0.8 / 1000,
    "models": 230 * 32 * 0.9 / 1000,
    "modely": 240 * 32 * 0.9 / 1000,
}
"""What arrives in the battery at the usual place of each model, kW: volts, amperes, phases and efficiency."""
FAST: Final = 120.0
EFFICIENCY: Final = 0.9
LEAST_SHARE: Final = 0.3
"""What is left of the power just before the battery is full."""
AWAKE, SENTRY, ASLEEP, HEATING, COOLING = 0.19, 0.25, 0.03, 5.5, 4.0
"""The most that each takes or gives, kW."""
HEAT_LOSS, HEAT_CAPACITY = 0.12, 200.0
REGAINED: Final = 0.2
"""What braking from the highest speed brings back, kWh."""
DAYS_SWING: Final = 8.0
SUN: Final = (3.0, 10.0)
"""By how much a parked cabin is warmer than the air, °C."""
TOP_SPEED: Final = 70.0
VALET_POWER: Final = 80.0
SHOWN: Final = 0.02
"""What rounding hides of an energy, kWh."""
DOORS: Final = ("df", "dr", "pf", "pr", "ft", "rt")
ACTIVE: Final = {"Starting", "Charging"}


@dataclass(frozen=True)
class Look:
    """What is seen of a car at a moment: by somebody beside it, and in the list."""

    moment: float
    data: Json
    listed: Json

    @property
    def charge(self) -> Json:
        """The battery and the charge port."""
        return dict(self.data["charge_state"])

    @property
    def climate(self) -> Json:
        """The cabin."""
        return dict(self.data["climate_state"])

    @property
    def drive(self) -> Json:
        """The motion."""
        return dict(self.data["drive_state"])

    @property
    def body(self) -> Json:
        """Doors, roof and settings."""
        return dict(self.data["vehicle_state"])

    @property
    def energy(self) -> float:
        """What is in the battery, kWh, as exactly as the range says it."""
        return float(self.charge["battery_range"] / MILES_PER_PERCENT * ENERGY_PER_PERCENT)

    @property
    def charging(self) -> str:
        """The state of charging."""
        return str(self.charge["charging_state"])

    @property
    def in_gear(self) -> bool:
        """Whether the car drives."""
        return self.drive["shift_state"] in {"D", "R", "N"}

    @property
    def into_pack(self) -> float:
        """The most that can arrive in the battery, kW."""
        if self.charge["fast_charger_present"]:
            return FAST
        return INTO_PACK[self.data["vehicle_config"]["car_type"]]


# At any moment


def is_documented(now: Look) -> None:
    """Every record has the documented fields, and is JSON, which knows no infinity and no NaN."""
    assert json.dumps([now.data, now.listed], allow_nan=False)
    assert departures(now.data, full_record("current")) == []
    assert departures(now.listed, short_record()) == []


def is_listed_as_it_is(now: Look) -> None:
    """The list says the same as the data."""
    assert {name: now.data[name] for name in now.listed} == now.listed


def battery_is_between_empty_and_full(now: Look) -> None:
    """The levels and ranges are in reach, and agree with each other."""
    charge = now.charge
    assert 0 <= charge["usable_battery_level"] <= charge["battery_level"] <= 100
    assert abs(charge["battery_range"] / MILES_PER_PERCENT - charge["battery_level"]) <= 0.51
    assert 50 <= charge["charge_limit_soc"] <= 100
    assert charge["charge_to_max_range"] is (charge["charge_limit_soc"] == 100)


def cable_fits_the_state(now: Look) -> None:
    """There is a cable unless charging is Disconnected; it is latched while it charges, in an open port."""
    charge, plugged = now.charge, now.charging != "Disconnected"
    assert (charge["conn_charge_cable"] != "<invalid>") is plugged
    assert charge["charge_port_door_open"] or not plugged
    assert plugged or not charge["fast_charger_present"]
    assert plugged or charge["charge_port_latch"] != "Engaged"
    assert charge["charge_port_latch"] == "Engaged" or now.charging not in ACTIVE
    assert (charge["charge_port_latch"] == "Blocking") is not charge["charge_port_door_open"]


def nothing_flows_unless_charging(now: Look) -> None:
    """Voltage, current, power and rate are zero unless the car is charging."""
    if now.charging == "Charging":
        return
    names = ("charger_voltage", "charger_actual_current", "charger_power", "charge_rate")
    assert [now.charge[name] for name in names] == [0, 0, 0, 0]
    assert now.charge["charger_phases"] is None


def power_is_voltage_times_current(now: Look) -> None:
    """Whole kilowatts are those of voltage, current and phases, as far as whole amperes can say."""
    charge = now.charge
    if now.charging != "Charging" or charge["fast_charger_present"]:
        return
    per_ampere = charge["charger_voltage"] * (charge["charger_phases"] or 0) / 1000
    least, most = ((charge["charger_actual_current"] + half) * per_ampere for half in (-0.5, 0.5))
    assert least - 1 < charge["charger_power"] <= most
    assert charge["charger_actual_current"] <= charge["charge_current_request"]


def rate_is_what_the_power_brings(now: Look) -> None:
    """The battery gains range as fast as power arrives in it."""
    gained = now.charge["charge_rate"] * ENERGY_PER_MILE
    efficiency = 1 if now.charge["fast_charger_present"] else EFFICIENCY
    assert gained <= (now.charge["charger_power"] + 1) * efficiency + SHOWN


def time_left_can_be(now: Look) -> None:
    """The time to the limit comes in quarters of an hour, and is what the missing energy takes."""
    hours = now.charge["time_to_full_charge"]
    assert hours % 0.25 == 0
    assert (hours > 0) is (now.charging in ACTIVE)
    if hours:
        missing = now.charge["charge_limit_soc"] * ENERGY_PER_PERCENT - now.energy
        assert hours * now.into_pack >= missing - SHOWN
        if not now.charge["fast_charger_present"]:
            assert (hours - 0.25) * now.into_pack * LEAST_SHARE <= missing + SHOWN


def schedule_lies_ahead(now: Look) -> None:
    """A car that waits for its hour has a cable, and the hour has not passed."""
    if now.charge["scheduled_charging_pending"]:
        assert now.charging != "Disconnected"
        assert now.charge["scheduled_charging_start_time"] >= int(now.moment)


def drives_as_it_may(now: Look) -> None:
    """Only a car in gear moves: somebody is in it, it is shut, and nothing holds it at a cable."""
    assert (now.drive["speed"] is not None) is now.in_gear
    if now.in_gear:
        assert now.body["is_user_present"] or now.body["remote_start"]
        assert 0 <= now.drive["speed"] <= TOP_SPEED
        assert now.charging == "Disconnected"
        assert [now.body[name] for name in DOORS] == [0] * len(DOORS)
        assert not now.body["remote_start"]
    if now.body["valet_mode"]:
        assert now.drive["power"] <= VALET_POWER + AWAKE + SENTRY + HEATING + 0.5


def sleeping_car_does_nothing(now: Look) -> None:
    """A car that is asleep has nobody in it and nothing to do."""
    if now.data["state"] != "asleep":
        return
    assert not now.in_gear
    assert now.charging not in ACTIVE
    for name in ("is_user_present", "sentry_mode", "remote_start", *DOORS):
        assert not now.body[name], name
    assert not now.climate["is_climate_on"]
    assert now.body["sun_roof_state"] != "moving"
    assert now.body["software_update"]["status"] not in {"downloading", "installing"}


def climate_fits_itself(now: Look) -> None:
    """Climate control that is off neither blows nor keeps anybody; it is set to what the car can do."""
    climate, on = now.climate, now.climate["is_climate_on"]
    assert climate["is_auto_conditioning_on"] is on
    assert (1 <= climate["fan_status"] <= 7) if on else climate["fan_status"] == 0
    assert on or climate["climate_keeper_mode"] == "off"
    assert climate["is_preconditioning"] is (on and not now.body["is_user_present"])
    for name in ("driver_temp_setting", "passenger_temp_setting"):
        assert climate["min_avail_temp"] <= climate[name] <= climate["max_avail_temp"]


def roof_fits_itself(now: Look) -> None:
    """A roof is where its state says; a car without one has nothing to say."""
    percent, state = now.body["sun_roof_percent_open"], now.body["sun_roof_state"]
    if not now.data["vehicle_config"]["sun_roof_installed"]:
        assert (percent, state) == (None, "unknown")
    elif state != "moving":
        assert 0 <= percent <= 100
        assert state == ("closed" if percent == 0 else "vent" if percent <= 15 else "open")


def times_are_not_ahead(now: Look) -> None:
    """No record is of the future."""
    for name in OBJECTS:
        assert now.data[name]["timestamp"] <= now.moment * 1000 + 10
    assert now.drive["gps_as_of"] <= now.moment


# While time passes and nobody does anything


def times_never_go_back(before: Look, now: Look) -> None:
    """No record becomes older."""
    for name in OBJECTS:
        assert now.data[name]["timestamp"] >= before.data[name]["timestamp"]
    assert now.drive["gps_as_of"] >= before.drive["gps_as_of"]


def car_moves_only_in_gear(before: Look, now: Look) -> None:
    """The odometer never falls; it rises, and the place changes, only in gear and no faster than can be."""
    miles = now.body["odometer"] - before.body["odometer"]
    assert 0 <= miles <= TOP_SPEED * _hours(before, now) + 1e-5
    if not before.in_gear:
        assert miles == 0
        for name in ("latitude", "longitude", "heading"):
            assert now.drive[name] == before.drive[name]


def gear_is_put_in_by_somebody(before: Look, now: Look) -> None:
    """By itself a car only comes to a stop, and forgets its gear then."""
    order = ["D", "P", None]
    assert order.index(now.drive["shift_state"]) >= order.index(before.drive["shift_state"])


def charging_goes_its_way(before: Look, now: Look) -> None:
    """By itself charging only starts, flows and completes; or begins at its hour."""
    ways = {"Starting": {"Charging", "Complete"}, "Charging": {"Complete"}}
    follows = {before.charging, *ways.get(before.charging, ())}
    if before.charge["scheduled_charging_pending"]:
        follows |= {"Starting", "Charging", "Complete"}
    assert now.charging in follows


def energy_comes_from_the_cable(before: Look, now: Look) -> None:
    """What was added since plugging in is what the charging point can have delivered, less the losses."""
    added = now.charge["charge_energy_added"] - before.charge["charge_energy_added"]
    assert 0 <= added <= before.into_pack * _hours(before, now) + SHOWN
    if before.charging not in ACTIVE and not before.charge["scheduled_charging_pending"]:
        assert added == 0


def battery_gains_what_was_added(before: Look, now: Look) -> None:
    """The battery gains no more than was added, but for what braking brings back."""
    added = now.charge["charge_energy_added"] - before.charge["charge_energy_added"]
    braking = REGAINED if before.in_gear else 0
    assert now.energy - before.energy <= added + braking + SHOWN


def battery_loses_what_is_drawn(before: Look, now: Look) -> None:
    """A car that stands loses no more than it can draw, and asleep just its own little."""
    lost, hours = before.energy - now.energy, _hours(before, now)
    if not before.in_gear:
        assert lost <= (AWAKE + SENTRY + HEATING) * hours + SHOWN
    slept_on = before.data["state"] == now.data["state"] == "asleep" and _as_of(before) == _as_of(now)
    if slept_on and now.energy > 0:
        assert abs(lost - ASLEEP * hours) <= SHOWN


def cabin_stays_in_reach(before: Look, now: Look) -> None:
    """The cabin lies between what it was, what the weather makes it and what was asked for."""
    reach = _reach(before, now)
    if reach is not None:
        assert min(reach) - 0.2 <= now.climate["inside_temp"] <= max(reach) + 0.2


def cabin_changes_slowly(before: Look, now: Look) -> None:
    """The cabin gets no warmer or colder than the heater and the cold outside can make it in the time."""
    reach = _reach(before, now)
    if reach is not None:
        inside, seconds = before.climate["inside_temp"], now.moment - before.moment
        power = HEATING + HEAT_LOSS * (max(reach) - min(reach))
        assert abs(now.climate["inside_temp"] - inside) <= power / HEAT_CAPACITY * seconds + 0.2


def settings_stay(before: Look, now: Look) -> None:
    """What only a person or a command changes stays as it is."""
    for name in ("locked", "sentry_mode", "valet_mode", "speed_limit_mode", *DOORS):
        assert now.body[name] == before.body[name], name
    for name in before.climate:
        if name.startswith("seat_heater") or name.endswith("_temp_setting"):
            assert now.climate[name] == before.climate[name], name
    assert now.charge["charge_limit_soc"] == before.charge["charge_limit_soc"]
    assert now.data["gui_settings"].keys() == before.data["gui_settings"].keys()


def nothing_begins_by_itself(before: Look, now: Look) -> None:
    """Climate control, a start from afar and somebody's presence only end."""
    assert before.climate["is_climate_on"] or not now.climate["is_climate_on"]
    assert before.body["remote_start"] or not now.body["remote_start"]
    assert before.body["is_user_present"] or not now.body["is_user_present"]
    assert not (now.body["remote_start"] and now.moment - before.moment >= 120)


def software_goes_its_way(before: Look, now: Look) -> None:
    """An update goes through its steps in their order, and the version changes at the end."""
    order = ["available", "downloading", "scheduled", "installing", ""]
    status = before.body["software_update"]["status"], now.body["software_update"]["status"]
    assert order.index(status[0]) <= order.index(status[1])
    if before.body["car_version"] != now.body["car_version"]:
        assert status[0]
        assert not status[1]


# When something is done


def doing_takes_no_time(before: Look, now: Look) -> None:
    """Neither the way nor the place changes by a deed."""
    assert now.body["odometer"] == before.body["odometer"]
    for name in ("latitude", "longitude"):
        assert now.drive[name] == before.drive[name]


def counter_only_begins_anew(before: Look, now: Look) -> None:
    """What was added stays, or is zero for a new session."""
    added = now.charge["charge_energy_added"]
    if added != before.charge["charge_energy_added"]:
        assert added == 0
        assert (before.charging, now.charging == "Disconnected") == ("Disconnected", False)


def gear_is_put_in_from_park(before: Look, now: Look) -> None:
    """A car drives only if it was parked, and somebody got in or it was started from afar."""
    if now.in_gear and not before.in_gear:
        assert before.drive["shift_state"] in {"P", None}
        assert now.body["is_user_present"] or before.body["remote_start"]


def level_stays(before: Look, now: Look) -> None:
    """The battery's level does not jump."""
    assert abs(now.energy - before.energy) <= SHOWN


type Holds = Callable[[Look], None]
type HoldsSince = Callable[[Look, Look], None]

AT_ANY_MOMENT: Final[tuple[Holds, ...]] = (
    is_documented,
    is_listed_as_it_is,
    battery_is_between_empty_and_full,
    cable_fits_the_state,
    nothing_flows_unless_charging,
    power_is_voltage_times_current,
    rate_is_what_the_power_brings,
    time_left_can_be,
    schedule_lies_ahead,
    drives_as_it_may,
    sleeping_car_does_nothing,
    climate_fits_itself,
    roof_fits_itself,
    times_are_not_ahead,
)
WHILE_TIME_PASSES: Final[tuple[HoldsSince, ...]] = (
    times_never_go_back,
    car_moves_only_in_gear,
    gear_is_put_in_by_somebody,
    charging_goes_its_way,
    energy_comes_from_the_cable,
    battery_gains_what_was_added,
    battery_loses_what_is_drawn,
    cabin_stays_in_reach,
    cabin_changes_slowly,
    settings_stay,
    nothing_begins_by_itself,
    software_goes_its_way,
)
WHEN_SOMETHING_IS_DONE: Final[tuple[HoldsSince, ...]] = (
    times_never_go_back,
    doing_takes_no_time,
    counter_only_begins_anew,
    gear_is_put_in_from_park,
)


def _hours(before: Look, now: Look) -> float:
    return (now.moment - before.moment) / 3600


def _as_of(look: Look) -> int:
    return int(look.data["gui_settings"]["timestamp"])


def _reach(before: Look, now: Look) -> list[float] | None:
    """Return temperatures between which the cabin has to be, none if the car does not know its own."""
    known: list[Any] = [
        look.climate[name] for look in (before, now) for name in ("inside_temp", "outside_temp")
    ]
    if None in known:
        return None
    inside, *_ = known
    outside = before.climate["outside_temp"], now.climate["outside_temp"]
    coldest, warmest = min(outside) - DAYS_SWING, max(outside) + DAYS_SWING
    asked = [before.climate["driver_temp_setting"]] if before.climate["is_climate_on"] else []
    return [inside, coldest + SUN[0], warmest + SUN[1], *asked]
