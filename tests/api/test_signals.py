"""Live data: its transports, the messages of both services, and signals as the fields of the document."""

from datetime import UTC, datetime
from typing import Any, Final

from aiohttp import ClientSession, web
import orjson
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.api import errors
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
from custom_components.vehicle_remote_access.api.stream import Message, messages, read_message

from .conftest import TOKEN, Handler, answer_with, serving

VIN: Final = "5YJ3E1EA7KF000316"
LOCKED: Final = (
    f'{{"vin": "{VIN}", "createdAt": "2026-02-24T04:58:44.983607402Z", "data": {{"Locked": true}}}}'
)


async def received(handler: Handler, scheme: str = "http") -> list[Message | None]:
    """Return what a stream of this server yields until it ends."""
    async with serving(handler) as server, ClientSession() as session:
        return [message async for message in messages(session, URL(server.url).with_scheme(scheme), TOKEN)]


def events(*chunks: bytes) -> Handler:
    """Return a handler that sends server-sent events in these chunks, and ends."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"
        assert TOKEN not in request.path_qs
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for chunk in chunks:
            await response.write(chunk)
        return response

    return handler


async def test_events() -> None:
    """Server-sent events are read, also if a line comes in parts. What is no message is skipped."""
    line = f"data: {LOCKED}\n\n".encode()
    chunks = b"event: data\n", line[:30], line[30:], b": ping\n\ndata: {\n\ndata: 1\n\n", line, b"data: {"
    opened, *read = await received(events(*chunks))
    assert opened is None
    assert [message and message.signals for message in read] == [{"Locked": True}] * 2


@pytest.mark.parametrize("scheme", ["http", "ws"])
@pytest.mark.parametrize(
    ("code", "error"),
    [
        (401, errors.AuthenticationError),
        (403, errors.PermissionDeniedError),
        (307, errors.ServiceDownError),
        (502, errors.ServiceDownError),
    ],
)
async def test_refused(code: int, error: type[errors.ServiceError], scheme: str) -> None:
    """A refused token is told apart from a service that fails. Nothing is sent to another address."""
    async with serving(answer_with(b"", code, {"Location": "/elsewhere"})) as server:
        async with ClientSession() as session:
            with pytest.raises(error):
                await anext(messages(session, URL(server.url).with_scheme(scheme), TOKEN))
        assert [request.path for request in server.requests] == ["/"]


async def test_service_that_can_not_be_reached_is_a_failure_of_the_service() -> None:
    async with ClientSession() as session:
        for url in (URL("http://127.0.0.1:1/sse"), URL("ws://127.0.0.1:1")):
            with pytest.raises(errors.NotSentError):
                await anext(messages(session, url, TOKEN))


async def test_line_without_an_end_closes_the_stream_instead_of_filling_the_memory() -> None:
    with pytest.raises(errors.ServiceDownError):
        await received(events(b"data: ", *[b"x" * 2**16] * 8))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOCKED, {"sent_at": datetime(2026, 2, 24, 4, 58, 44, 983607, UTC), "signals": {"Locked": True}}),
        (
            f"""{{"vin": "{VIN}", "createdAt": "2026-02-24T04:58:44", "data": [
                {{"key": "Soc", "value": {{"doubleValue": 56.5}}}},
                {{"key": "Gear", "value": {{"shiftStateValue": "ShiftStateD"}}}},
                {{"key": "InsideTemp", "value": {{"invalid": true}}}},
                {{"key": 5, "value": {{"a": 1}}}}, {{"value": {{}}}}, {{"key": "Odometer", "value": {{}}}}, 7
            ]}}""",
            {
                "sent_at": datetime(2026, 2, 24, 4, 58, 44, tzinfo=UTC),
                "signals": {"Soc": 56.5, "Gear": "ShiftStateD", "InsideTemp": None},
            },
        ),
        (f'{{"vin": "{VIN}", "state": "asleep", "createdAt": 5}}', {"state": "asleep"}),
        (f'{{"vin": "{VIN}", "vehicle_data": {{"charge_state": {{}}}}}}', {"record": {"charge_state": {}}}),
        (f'{{"vin": "{VIN}", "connectionId": "a", "status": "DISCONNECTED"}}', {"is_connected": False}),
        (f'{{"vin": "{VIN}", "alerts": [], "data": "?", "status": 3, "vehicle_data": {{"id": 1}}}}', {}),
    ],
    ids=["object", "list", "state", "record", "connectivity", "nothing"],
)
def test_message_of_either_service_says_the_same(text: str, expected: dict[str, Any]) -> None:
    nothing = Message(VIN, None, {}, None, None, None)
    assert read_message(text) == nothing._replace(**expected)


def test_record_too_deep_to_be_stored_is_cut_off() -> None:
    deep = f'{{"charge_state": {{"battery_level": 5, "deep": {"[" * 900}{"]" * 900}}}}}'
    message = read_message(f'{{"vin": "{VIN}", "vehicle_data": {deep}}}')
    assert message is not None
    assert message.record is not None
    assert message.record["charge_state"]["battery_level"] == 5
    assert len(orjson.dumps(message.record)) < 300


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"vin": 5}', "[" * 100_000])
def test_no_message(text: str) -> None:
    assert read_message(text) is None


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
        ({"GuestModeEnabled": True}, VehicleState.guest_mode_enabled, True),
        ({"TonneauPosition": "TonneauPositionStateFullyOpen"}, VehicleState.tonneau_position, True),
        ({"TonneauPosition": "TonneauPositionStateInvalid"}, VehicleState.tonneau_position, None),
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


def test_field_that_follows_from_several_signals_is_right_although_they_are_sent_one_by_one() -> None:
    vehicle = shown({"DCChargingPower": 80}, {"ACChargingPower": 0})
    assert vehicle.charge_state.charger_power == 80


def test_field_that_follows_from_several_signals_keeps_its_value_until_all_are_known() -> None:
    assert SignalReader().read({"PackVoltage": 400, "HvacLeftTemperatureRequest": 21}, AT) == {}
    reader = SignalReader(is_right_hand_drive=True)
    assert reader.read({"HvacLeftTemperatureRequest": 21}, AT) == {}
    assert reader.read({"HvacRightTemperatureRequest": 23}, AT)[ClimateState.driver_temp_setting] == 23


def test_signal_that_is_older_than_the_known_value_changes_nothing() -> None:
    reader = SignalReader()
    assert reader.read({"Locked": True, "Odometer": 5}, AT)
    assert reader.read({"Locked": False, "Soc": 70}, AT - 1) == {ChargeState.usable_battery_level: 70}


def test_signal_without_a_field_is_dropped_and_counted() -> None:
    reader = SignalReader()
    signals = {"DiTorqueActualF": 5, "BrakePedal": True, "Locked": True}
    assert reader.read(signals, AT) == {VehicleState.locked: True}
    assert reader.unknown_count == 2


def test_no_value_of_a_signal_raises_an_error_or_makes_a_vehicle_that_can_not_be_read() -> None:
    for name in {name for signal in SIGNALS for name in signal.names}:
        shown(*({name: value} for value in GARBAGE))
