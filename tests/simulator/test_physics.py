"""What happens to a car over time: charging, losing charge, heating, driving."""

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator

from .conftest import Client


async def test_charging_starts_slowly(clock: ManualClock, client: Client) -> None:
    """A car is Starting for five seconds before it is Charging."""
    await client.command("charge_start")
    assert await client.value("charge_state.charging_state") == "Starting"
    clock.advance(5)
    assert await client.value("charge_state.charging_state") == "Charging"


async def test_charging_shows_in_the_charger(clock: ManualClock, client: Client) -> None:
    """40 amperes at 240 volts are nine full kilowatts, and 28.8 miles per hour."""
    await client.command("charge_start")
    clock.advance(60)
    state = await client.value("charge_state")
    shown = [state[name] for name in ("charger_voltage", "charger_actual_current", "charger_phases")]
    assert shown == [240, 40, 1]
    assert (state["charger_power"], state["charge_rate"]) == (9, 28.8)
    assert await client.value("drive_state.power") == -9


async def test_charging_to_the_limit(clock: ManualClock, client: Client) -> None:
    """Charging from 72 to 80 percent takes 42 minutes, and then it is complete."""
    await client.command("charge_start")
    clock.advance(40 * 60)
    assert await client.value("charge_state.charging_state") == "Charging"
    clock.advance(4 * 60)
    state = await client.value("charge_state")
    assert (state["charging_state"], state["battery_level"]) == ("Complete", 80)
    assert state["charge_energy_added"] == pytest.approx(8 * 0.75, abs=0.2)
    assert (state["charger_power"], state["charger_voltage"], state["charger_phases"]) == (0, 0, None)


async def test_time_to_full_charge(clock: ManualClock, client: Client) -> None:
    """The time to the limit is in quarters of an hour, and 0 without charging."""
    assert await client.value("charge_state.time_to_full_charge") == 0
    await client.command("charge_start")
    clock.advance(60)
    assert await client.value("charge_state.time_to_full_charge") == 0.75


async def test_raised_limit_restarts_charging(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A fully charged car starts to charge again when its limit is raised."""
    await client.command("charge_start")
    clock.advance(3000)
    assert car.clock is clock
    await client.command("set_charge_limit", percent="90")
    assert await client.value("charge_state.charging_state") == "Starting"


async def test_full_charge_tapers(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """The last percents charge slowly, and a full charge is counted."""
    await client.command("charge_max_range")
    car.set_level(99)
    await client.command("charge_start")
    clock.advance(60)
    assert await client.value("charge_state.charger_power") < 5
    clock.advance(3600)
    car.wake()
    assert await client.value("charge_state.max_range_charge_counter") == 1


async def test_three_phases(simulator: Simulator, clock: ManualClock, client: Client) -> None:
    """16 amperes on three phases are eleven kilowatts, through an IEC cable."""
    vehicle = simulator.vehicles[1]
    vehicle.plug_in()
    clock.advance(60)
    state = (await client.get(f"/api/1/vehicles/{vehicle.id}/data_request/charge_state")).response
    assert (state["charger_phases"], state["charger_power"], state["conn_charge_cable"]) == (3, 11, "IEC")


async def test_fast_charging(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A fast charger reports its type, and its power falls as the battery fills."""
    car.unplug()
    car.set_level(20)
    car.plug_in(fast=True)
    clock.advance(60)
    state = await client.value("charge_state")
    assert (state["fast_charger_present"], state["fast_charger_type"]) == (True, "Supercharger")
    assert state["charger_power"] == 120
    clock.advance(1800)
    assert await client.value("charge_state.charger_power") < 60


async def test_lost_supply(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A car reports when its charger has no power, and continues when the power is back."""
    await client.command("charge_start")
    car.power_supply(on=False)
    assert await client.value("charge_state.charging_state") == "NoPower"
    car.power_supply(on=True)
    clock.advance(10)
    assert await client.value("charge_state.charging_state") == "Charging"


async def test_new_session_restarts_the_counter(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """The energy added stays after unplugging, and is zero in the next session."""
    await client.command("charge_start")
    clock.advance(600)
    car.unplug()
    assert await client.value("charge_state.charge_energy_added") > 1
    car.plug_in()
    assert await client.value("charge_state.charge_energy_added") == 0


async def test_scheduled_charging(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A car waits asleep for its scheduled start, and then charges."""
    car.unplug()
    car.schedule_charging(2)
    car.plug_in()
    state = await client.value("charge_state")
    assert (state["charging_state"], state["scheduled_charging_pending"]) == ("Stopped", True)
    assert state["scheduled_charging_start_time"] == int(clock.now()) + 7200
    clock.advance(7190)
    assert await client.state() == "asleep"
    clock.advance(20)
    assert await client.value("charge_state.charging_state") == "Charging"


async def test_schedule_stops_charging(car: SimulatedVehicle, client: Client) -> None:
    """A schedule stops charging. A start command cancels the schedule."""
    await client.command("charge_start")
    car.schedule_charging(2)
    assert await client.value("charge_state.charging_state") == "Stopped"
    assert not (await client.command("charge_start")).reason
    assert await client.value("charge_state.scheduled_charging_pending") is False


async def test_schedule_without_a_cable(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A scheduled start without a cable has no effect."""
    car.unplug()
    car.schedule_charging(1)
    clock.advance(3601)
    car.plug_in()
    assert car.charging.active


async def test_port_opened_with_a_cable_stays_stopped(car: SimulatedVehicle, client: Client) -> None:
    """A released cable charges only after a new start, which latches it again."""
    await client.command("charge_port_door_open")
    car.power_supply(on=False)
    car.power_supply(on=True)
    assert await client.value("charge_state.charging_state") == "Stopped"
    await client.command("charge_start")
    assert await client.value("charge_state.charge_port_latch") == "Engaged"


async def test_port_opened_without_a_cable(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A port that is opened without a cable closes after five minutes."""
    car.unplug()
    await client.command("charge_port_door_close")
    await client.command("charge_port_door_open")
    assert await client.value("charge_state.charge_port_door_open") is True
    clock.advance(300)
    assert await client.value("charge_state.charge_port_door_open") is False


async def test_port_without_a_motor(simulator: Simulator) -> None:
    """A port without a motor is closed by hand when the car is unplugged."""
    vehicle = simulator.vehicles[2]
    vehicle.unplug()
    assert vehicle.charging.port_open is False


async def test_cold_battery(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A cold battery has less usable charge, and is heated before charging."""
    car.set_temperatures(outside=-20)
    clock.advance(2 * 86_400)
    car.wake()
    state = await client.value("charge_state")
    assert state["usable_battery_level"] < state["battery_level"]
    await client.command("charge_start")
    assert await client.value("charge_state.battery_heater_on") is True


async def test_awake_car_loses_more(car: SimulatedVehicle, clock: ManualClock) -> None:
    """Sentry mode uses about fourteen percent per day."""
    car.sentry(on=True)
    clock.advance(86_400)
    car.catch_up()
    assert car.charging.level == pytest.approx(72 - 14, abs=1)


async def test_cabin_warms(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """Heating from 0 to 21 degrees takes about a quarter of an hour, and the fan slows down."""
    car.set_temperatures(inside=0, outside=0)
    await client.command("auto_conditioning_start")
    assert await client.value("climate_state.fan_status") == 7
    clock.advance(600)
    assert 8 < await client.value("climate_state.inside_temp") < 20
    clock.advance(600)
    assert await client.value("climate_state.inside_temp") == 21
    assert await client.value("climate_state.fan_status") == 1


async def test_cabin_cools(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A hot cabin is cooled to the setting."""
    car.set_temperatures(inside=45, outside=30)
    await client.command("auto_conditioning_start")
    assert await client.value("climate_state.left_temp_direction") < 0
    clock.advance(3600)
    assert await client.value("climate_state.inside_temp") == 21


async def test_climate_stops_at_low_battery(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Climate control stops before the battery is empty."""
    car.unplug()
    car.set_level(21)
    car.set_temperatures(inside=-10, outside=-10)
    await client.command("auto_conditioning_start")
    clock.advance(7200)
    car.wake()
    assert await client.value("climate_state.is_climate_on") is False


async def test_drive(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A driving car is in gear, moves and uses power."""
    car.unplug()
    before = await client.data()
    seconds = car.drive(20)
    clock.advance(seconds / 2)
    state = await client.value("drive_state")
    assert (state["shift_state"], state["speed"], state["power"]) == ("D", 65, 20)
    assert state["latitude"] != before["drive_state"]["latitude"]
    assert await client.value("vehicle_state.odometer") == pytest.approx(
        before["vehicle_state"]["odometer"] + 10, abs=0.1
    )


async def test_drive_ends_parked(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """After a drive the car is in P for a minute, then the gear is null. The odometer has the distance."""
    car.unplug()
    before = car.driving.odometer
    clock.advance(car.drive(20))
    state = await client.value("drive_state")
    assert (state["shift_state"], state["speed"]) == ("P", None)
    clock.advance(60)
    assert await client.value("drive_state.shift_state") is None
    assert car.driving.odometer == pytest.approx(before + 20)
    assert car.charging.level == pytest.approx(72 - 8.2, abs=0.5)
    assert await client.value("vehicle_state.is_user_present") is False


async def test_drive_ends_remote_start(car: SimulatedVehicle, client: Client) -> None:
    """Driving away ends remote start."""
    car.unplug()
    await client.command("remote_start_drive", password="simulated")
    car.drive(5)
    assert await client.value("vehicle_state.remote_start") is False


async def test_speed_limit_applies(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A car with an active speed limit does not drive faster."""
    car.unplug()
    await client.command("speed_limit_set_limit", limit_mph="50")
    await client.command("speed_limit_activate", pin="1234")
    car.drive(10)
    clock.advance(120)
    assert await client.value("drive_state.speed") == 50


async def test_valet_mode_limits_power(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """In valet mode the power is at most 80 kilowatts, and the speed at most 70 miles per hour."""
    await client.command("set_valet_mode", on="true")
    car.unplug()
    car.drive(10, speed=110)
    seen = []
    for _ in range(60):
        clock.advance(1)
        state = (await client.data())["drive_state"]
        seen.append((state["power"], state["speed"]))
    assert 70 <= max(power for power, _ in seen) <= 80
    assert max(speed for _, speed in seen) == 70


async def test_short_drive(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A drive of a tenth of a mile does not reach full speed, but its distance."""
    car.unplug()
    before = car.driving.odometer
    clock.advance(car.drive(0.1))
    car.catch_up()
    assert car.driving.odometer == pytest.approx(before + 0.1)


async def test_empty_battery_ends_the_drive(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A car with an empty battery stops."""
    car.unplug()
    car.set_level(2)
    clock.advance(car.drive(100))
    car.catch_up()
    assert not car.driving.in_gear
    assert car.charging.level == pytest.approx(0, abs=0.1)


async def test_update_runs_through_its_steps(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """New software is offered, downloaded, scheduled and installed. Meanwhile the car goes offline."""
    car.offer_update()
    seen = []
    for seconds in (0, 300, 600):
        clock.advance(seconds)
        seen.append(await client.value("vehicle_state.software_update.status"))
    assert seen == ["available", "downloading", "scheduled"]
    clock.advance(1800)
    assert await client.state() == "offline"
    clock.advance(1500)
    state = await client.value("vehicle_state")
    assert (state["software_update"]["status"], state["car_version"]) == (
        "",
        "2019.44.1 " + state["car_version"][-12:],
    )
