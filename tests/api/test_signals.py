"""Signals of cars as the fields of the interface document."""

from typing import Any

import pytest

from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    ClimateState,
    DriveState,
    MediaInfo,
    SoftwareUpdate,
    Vehicle,
    VehicleState,
)
from custom_components.vehicle_remote_access.api.signals import SIGNALS, SignalReader

AT = 1_780_000_000.0
TEMPERATURES = {"HvacLeftTemperatureRequest": 21, "HvacRightTemperatureRequest": 23, "RightHandDrive": False}
UPDATE = {
    "SoftwareUpdateVersion": " ",
    "SoftwareUpdateDownloadPercentComplete": 0,
    "SoftwareUpdateInstallationPercentComplete": 0,
    "SoftwareUpdateScheduledStartTime": None,
}
GARBAGE: list[Any] = [None, "", -1, 1e400, [], {}, [{}], {"latitude": "?"}, True, "a|b", 10**400, 1e308]


def shown(*messages: dict[str, Any]) -> Vehicle:
    """Return the vehicle after messages with these signals."""
    reader, vehicle = SignalReader(), Vehicle.parse({})
    for second, signals in enumerate(messages):
        for field, value in reader.read(signals, AT + second).items():
            record: Any = value
            for name in reversed(field.path.split(".")):
                record = {name: record}
            vehicle = vehicle.with_fields(record)
    return vehicle


@pytest.mark.parametrize(
    ("signals", "field", "value"),
    [
        ({"Gear": "ShiftStateD"}, DriveState.shift_state, "d"),
        ({"Gear": "R"}, DriveState.shift_state, "r"),
        ({"Gear": "ShiftStateSNA"}, DriveState.shift_state, "p"),
        ({"Gear": None}, DriveState.shift_state, "p"),
        ({"VehicleSpeed": "34.797"}, DriveState.speed, 35),
        ({"VehicleSpeed": None}, DriveState.speed, 0),
        ({"PackVoltage": 400, "PackCurrent": -50.2}, DriveState.power, 20),
        ({"PackVoltage": 400, "PackCurrent": 100}, DriveState.power, -40),
        ({"Location": {"latitude": 52.5, "longitude": 13.4}}, DriveState.latitude, 52.5),
        ({"DestinationName": "Home", "MilesToArrival": 3.25}, DriveState.active_route_miles_to_arrival, 3.25),
        ({"MilesToArrival": 3.25}, DriveState.active_route_miles_to_arrival, None),
        ({"Odometer": "11270.940"}, VehicleState.odometer, 11270.94),
        ({"Locked": "true"}, VehicleState.locked, True),
        ({"Locked": False}, VehicleState.locked, False),
        ({"DoorState": {"DriverFront": True, "TrunkRear": False}}, VehicleState.df, True),
        ({"DoorState": {"DriverFront": True, "TrunkRear": False}}, VehicleState.rt, False),
        ({"DoorState": "DriverFront|TrunkRear"}, VehicleState.rt, True),
        ({"DoorState": ""}, VehicleState.df, False),
        ({"FdWindow": "WindowStatePartiallyOpen"}, VehicleState.fd_window, True),
        ({"FdWindow": "Closed"}, VehicleState.fd_window, False),
        ({"FdWindow": "WindowStateUnknown"}, VehicleState.fd_window, None),
        ({"SentryMode": "SentryModeStateArmed"}, VehicleState.sentry_mode, True),
        ({"SentryMode": "Off"}, VehicleState.sentry_mode, False),
        ({"CenterDisplay": "DisplayStateDog"}, VehicleState.center_display_state, "dog"),
        ({"TpmsPressureFl": 2.9}, VehicleState.tpms_pressure_fl, 2.938),
        ({"TpmsSoftWarnings": {"frontLeft": True}}, VehicleState.tpms_soft_warning_fl, True),
        ({"DetailedChargeState": "DetailedChargeStateNoPower"}, ChargeState.charging_state, "no_power"),
        ({"DetailedChargeState": "Charging"}, ChargeState.charging_state, "charging"),
        ({"BatteryLevel": 67.6}, ChargeState.battery_level, 68),
        ({"ACChargingPower": 10.9, "DCChargingPower": 0}, ChargeState.charger_power, 11),
        ({"ACChargingPower": 0, "DCChargingPower": "149.6"}, ChargeState.charger_power, 150),
        ({"DCChargingEnergyIn": 15.359999}, ChargeState.charge_energy_added, 15.36),
        ({"ChargingCableType": "CableTypeSNA"}, ChargeState.conn_charge_cable, "none"),
        ({"ChargingCableType": "IEC"}, ChargeState.conn_charge_cable, "iec"),
        ({"FastChargerType": "FastChargerSupercharger"}, ChargeState.fast_charger_type, "Tesla"),
        ({"HvacPower": "HvacPowerStatePrecondition"}, ClimateState.is_climate_on, True),
        ({"HvacPower": "OverheatProtect"}, ClimateState.is_climate_on, False),
        (TEMPERATURES, ClimateState.driver_temp_setting, 21),
        ({**TEMPERATURES, "RightHandDrive": "true"}, ClimateState.driver_temp_setting, 23),
        ({"ClimateKeeperMode": "ClimateKeeperModeStateParty"}, ClimateState.climate_keeper_mode, "camp"),
        (UPDATE, SoftwareUpdate.status, "none"),
        ({**UPDATE, "SoftwareUpdateVersion": "2026.44"}, SoftwareUpdate.status, "available"),
        (
            {**UPDATE, "SoftwareUpdateVersion": "2026.44", "SoftwareUpdateDownloadPercentComplete": 40},
            SoftwareUpdate.status,
            "downloading",
        ),
        ({"MediaPlaybackStatus": "MediaStatusPaused"}, MediaInfo.media_playback_status, "paused"),
        ({"MediaNowPlayingDuration": 215_000}, MediaInfo.now_playing_duration, 215),
    ],
    ids=str,
)
def test_signal(signals: dict[str, Any], field: Field[Any], value: Any) -> None:
    """A signal is shown as the field of a live read, in both spellings of the services."""
    assert field.get(shown(signals)) == value


def test_field_of_several_signals() -> None:
    """A field that follows from several signals is right although they are sent one after the other."""
    vehicle = shown({"DCChargingPower": 80}, {"ACChargingPower": 0})
    assert vehicle.charge_state.charger_power == 80


def test_field_whose_other_signals_are_unknown() -> None:
    """A field that follows from several signals keeps its value until all are known."""
    assert SignalReader().read({"PackVoltage": 400, "HvacLeftTemperatureRequest": 21}, AT) == {}
    reader = SignalReader(is_right_hand_drive=True)
    assert reader.read({"HvacLeftTemperatureRequest": 21}, AT) == {}
    assert reader.read({"HvacRightTemperatureRequest": 23}, AT)[ClimateState.driver_temp_setting] == 23


def test_older_signal() -> None:
    """A signal that is older than the known value changes nothing."""
    reader = SignalReader()
    assert reader.read({"Locked": True, "Odometer": 5}, AT)
    assert reader.read({"Locked": False, "Soc": 70}, AT - 1) == {ChargeState.usable_battery_level: 70}


def test_unknown_signal() -> None:
    """A signal without a field is dropped, and counted."""
    reader = SignalReader()
    signals = {"DiTorqueActualF": 5, "BrakePedal": True, "Locked": True}
    assert reader.read(signals, AT) == {VehicleState.locked: True}
    assert reader.unknown_count == 2


def test_garbage() -> None:
    """No value of a signal raises an error, and none makes a vehicle that can't be read."""
    for name in {name for signal in SIGNALS for name in signal.names}:
        shown(*({name: value} for value in GARBAGE))
