"""The streams of the simulated services, as their clients see them."""

import asyncio
from collections.abc import AsyncIterator
import json
import re
from typing import Any, Final
from unittest.mock import patch

from aiohttp import ClientResponseError, ClientSession, ClientWebSocketResponse, WSMsgType
import pytest
from teslemetry_stream import Signal, TeslemetryStream

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle
from simulator_console.services import SimulatedService
from simulator_console.signals import ENUMS, signals

from ..simulator.conftest import TOKEN, Act, Client, charge, driving, nothing, send, sends, serving

CONFIGURED: Final = ("BatteryLevel", "Gear", "Location", "Locked", "VehicleSpeed")


class Listener:
    """A client of a stream of either service."""

    def __init__(self, service: SimulatedService, session: ClientSession) -> None:
        self.service = service
        self._session = session
        self.received = ""
        self.socket: ClientWebSocketResponse | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def clock(self) -> ManualClock:
        assert isinstance(self.service.clock, ManualClock)
        return self.service.clock

    async def connect(self, path: str | None = None, token: str = TOKEN, **params: str) -> Listener:
        """Connect to all cars, at Tessie to the first. Raises ClientResponseError if this is refused."""
        count = len(self.service.streams.connections)
        is_tessie = self.service.service == "tessie"
        default = f"/streaming/{self.service.vehicles[0].vin}" if is_tessie else "/sse"
        url, headers = self.service.url + (path or default), {"Authorization": f"Bearer {token}"}
        listen = self._listen_to_socket(url, headers) if is_tessie else self._listen(url, headers, params)
        self.task = asyncio.create_task(listen)
        while len(self.service.streams.connections) == count:
            if self.task.done():
                await self.task
            await asyncio.sleep(0)
        return self

    async def _listen(self, url: str, headers: dict[str, str], params: dict[str, str]) -> None:
        get = self._session.get(url, headers=headers, params=params, raise_for_status=True)
        async with get as response:
            assert response.content_type == "text/event-stream"
            async for chunk in response.content.iter_any():
                self.received += chunk.decode()

    async def _listen_to_socket(self, url: str, headers: dict[str, str]) -> None:
        async with self._session.ws_connect(url, headers=headers, autoping=False) as self.socket:
            async for message in self.socket:
                is_text = message.type is WSMsgType.TEXT
                self.received += f"{message.data if is_text else message.type.name}\n"

    async def leave(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])

    async def text(self) -> str:
        """Return what has arrived since the last time."""
        await asyncio.sleep(0.02)
        text, self.received = self.received, ""
        return text

    async def messages(self) -> list[dict[str, Any]]:
        found = re.findall(r"^(?:data: )?({.*})$", await self.text(), re.MULTILINE)
        return [json.loads(text) for text in found]

    async def after(self, seconds: float = 1) -> list[dict[str, Any]]:
        """Let time pass, and return the new messages."""
        self.clock.advance(seconds)
        await self.service.streams.update()
        return await self.messages()

    async def values(self, seconds: float = 1) -> Any:
        """Let time pass, and return the values of the changed signals."""
        (data,) = [message["data"] for message in await self.after(seconds) if "data" in message]
        return data if isinstance(data, dict) else {each["key"]: each["value"] for each in data}


@pytest.fixture(params=["teslemetry", "tessie"])
async def service(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[SimulatedService]:
    """Start a service whose first car is awake, and streams some signals."""
    service = SimulatedService(request.param, vehicles=4, token=TOKEN, clock=clock)
    service.streams.is_on = True
    car = service.vehicles[0]
    car.wake_now()
    service.streams.configs[car.vin] = {name: {} for name in CONFIGURED}
    # The tests let it look at the cars, unless they say otherwise.
    with patch("simulator_console.streams.UPDATE_EVERY", 1000):
        async with serving(service):
            yield service


@pytest.fixture
def first(service: SimulatedService) -> SimulatedVehicle:
    return service.vehicles[0]


@pytest.fixture
async def listener(service: SimulatedService) -> AsyncIterator[Listener]:
    async with ClientSession() as session:
        listener = Listener(service, session)
        yield listener
        await listener.leave()


@pytest.fixture
async def http(service: SimulatedService) -> AsyncIterator[Client]:
    async with ClientSession() as session:
        yield Client(session, service, vehicle=service.vehicles[0].vin)


@pytest.fixture
async def live(listener: Listener) -> Listener:
    """Return a client that has received what is known."""
    await (await listener.connect()).text()
    return listener


teslemetry = pytest.mark.parametrize("service", ["teslemetry"], indirect=True)
tessie = pytest.mark.parametrize("service", ["tessie"], indirect=True)


# What both have in common


async def test_car_sleeps_and_wakes(live: Listener, first: SimulatedVehicle) -> None:
    """A sleeping car sends nothing. One that comes online sends all its signals."""
    first.fall_asleep()
    messages = await live.after()
    assert [each["status"] for each in messages if "status" in each] == ["DISCONNECTED"]
    assert [each["state"] for each in messages if "state" in each] == (
        [] if live.service.service == "tessie" else ["asleep"]
    )
    assert not any("data" in each for each in messages)
    assert await live.after(600) == []
    first.wake_now()
    connected, *_, data = await live.after()
    assert (connected["status"], connected["networkInterface"]) == ("CONNECTED", "cellular")
    assert len(data["data"]) >= len(CONFIGURED)


async def test_second_connection(live: Listener, first: SimulatedVehicle) -> None:
    """A second client also starts with all signals, and both get the changes."""
    async with ClientSession() as session:
        second = await Listener(live.service, session).connect()
        assert any("data" in message for message in await second.messages())
        first.unlock()
        assert "Locked" in await live.values()
        assert "Locked" in str(await second.messages())
        await second.leave()


async def refusal_of(listener: Listener, **how: Any) -> int:
    with pytest.raises(ClientResponseError) as error:
        await listener.connect(**how)
    return error.value.status


async def test_refused_connection(listener: Listener) -> None:
    """A wrong token, an unknown car, any status on demand, and a service without a stream are refused."""
    streams = listener.service.streams
    unknown = "/streaming/unknown" if listener.service.service == "tessie" else "/sse/unknown"
    assert await refusal_of(listener, token="another-token") == 401
    assert await refusal_of(listener, path=unknown) == 404
    for status in (401, 429, 503):
        streams.refuse_with = status
        assert await refusal_of(listener) == status
    streams.refuse_with, streams.is_on = 0, False
    assert await refusal_of(listener) == 404


# Teslemetry


@teslemetry
async def test_snapshot_of_teslemetry(listener: Listener, first: SimulatedVehicle) -> None:
    """What is known of each car comes first, marked as cached, with the moment at which it was reported."""
    await listener.connect()
    messages = await listener.messages()
    assert all(message["isCache"] for message in messages)
    states = {message["vin"]: message["state"] for message in messages if "state" in message}
    assert states == {car.vin: car.state for car in listener.service.vehicles}
    (data,) = [message for message in messages if "data" in message]
    assert data["vin"] == first.vin
    assert data["data"] == {
        "BatteryLevel": 72.0,
        "Gear": "ShiftStateP",
        "Location": {"latitude": 37.441883, "longitude": -122.143019},
        "Locked": True,
        "VehicleSpeed": None,
    }
    (config,) = [message["config"] for message in messages if message.get("config", {}).get("fields")]
    assert config["fields"].keys() == set(CONFIGURED)


@teslemetry
async def test_topics(listener: Listener, first: SimulatedVehicle) -> None:
    for invalid in ("", "state,unknown"):
        assert await refusal_of(listener, topics=invalid) == 400
    await listener.connect(topics="state,live_status")
    assert all("state" in message for message in await listener.messages())
    first.unlock()
    assert await listener.after() == []


@teslemetry
async def test_one_car_of_teslemetry(listener: Listener, first: SimulatedVehicle) -> None:
    await listener.connect(f"/sse/{first.vin}")
    assert {message["vin"] for message in await listener.messages()} == {first.vin}


@teslemetry
async def test_live_read_is_passed_on(live: Listener, http: Client, first: SimulatedVehicle) -> None:
    """A fresh read reaches the stream. One from the cache doesn't."""
    for expected in ([first.vin], []):
        await http.read()
        reads = [each["vehicle_data"] for each in await live.messages() if "vehicle_data" in each]
        assert [read["vin"] for read in reads] == expected


@teslemetry
async def test_client_sets_which_signals_are_streamed_and_how_often(live: Listener, http: Client) -> None:
    service, vin = live.service, live.service.vehicles[1].vin
    path, car = f"/api/config/{vin}", live.service.vehicles[1]
    car.wake_now()
    await live.after()
    assert (await http.get(path)).status == 404
    fields: Any = {"Locked": None, "Odometer": {"interval_seconds": 60}, "Retired": None}
    answer = await http.request("PATCH", path, json={"fields": fields})
    assert answer.body == {"response": {"updated_vehicles": 1}, "ignoredFields": ["Retired"]}
    stored = {"Locked": {}, "Odometer": {"interval_seconds": 60}}
    assert (await http.get(path)).body == {"fields": stored}
    assert (await live.messages())[-1]["config"] == {"fields": stored}
    assert (await live.values()).keys() == {"Locked", "Odometer"}
    car.drive(5)
    assert (await live.values()).keys() == {"Locked"}
    for _ in range(5):
        assert await live.after(10) == []
    assert (await live.values(10)).keys() == {"Odometer"}
    await http.post(path, json={"fields": {"Gear": None}})
    assert (await http.get(path)).body == {"fields": {"Gear": {}}}
    for fields in (None, [], {"Gear": 5}, {"Gear": {"interval_seconds": "often"}}):
        assert (await http.request("PATCH", path, json={"fields": fields})).status == 400
    await live.messages()
    service.streams.unsupported.add(vin)
    answer = await http.request("PATCH", path, json={"fields": {"Gear": None}})
    skipped = {"unsupported_hardware": [vin]}
    assert answer.response == {"updated_vehicles": 0, "skipped_vehicles": skipped}
    assert await live.after() == []


SITUATIONS: Final[dict[str, Act]] = {
    "parked": nothing,
    "driving": driving,
    "charging": charge,
    "at a fast charger": lambda car: charge(car, fast=True),
    "in use": lambda car: car.enter(),
    "warm": sends("auto_conditioning_start"),
}


@teslemetry
@pytest.mark.parametrize("situation", SITUATIONS)
async def test_library_of_teslemetry(
    service: SimulatedService, first: SimulatedVehicle, clock: ManualClock, situation: str
) -> None:
    """Its own library configures the signals, and understands each of them."""
    SITUATIONS[situation](first)
    clock.advance(40)
    first.catch_up()
    service.streams.configs.clear()
    expected, heard = signals(first), asyncio.Queue[tuple[str, Any]]()
    async with ClientSession() as session:
        with patch.object(session, "_request", redirected(session, service.url)):
            stream = TeslemetryStream(session, TOKEN, vin=first.vin, parse_timestamp=True)
            for name in expected:
                listen = getattr(stream.vehicle, f"listen_{METHODS.get(name, name)}")
                listen(lambda value, name=name: heard.put_nowait((name, value)))
            with patch("simulator_console.streams.UPDATE_EVERY", 0.05):
                async with asyncio.timeout(5):
                    values = dict([await heard.get() for _ in expected])
            stream.close()
    assert expected.keys() <= {signal.value for signal in Signal}
    for name, value in expected.items():
        assert (values[name] is None) is (value is None), name
        if name in ENUMS:
            assert values[name] == value


def redirected(session: ClientSession, url: str) -> Any:
    """Return how a session requests something of Teslemetry from another address."""
    request = session._request  # noqa: SLF001 - the library only lets the name of the server be changed

    async def redirect(method: str, address: str, **more: Any) -> Any:
        return await request(method, url + address.partition("teslemetry.com")[2], **more)

    return redirect


METHODS: Final = {
    "FdWindow": "FrontDriverWindow",
    "FpWindow": "FrontPassengerWindow",
    "RdWindow": "RearDriverWindow",
    "RpWindow": "RearPassengerWindow",
}
"""The methods of the library that are not named as their signals."""


# Tessie


@tessie
async def test_first_messages_of_tessie(listener: Listener, first: SimulatedVehicle) -> None:
    """All signals of a car that is online come first. Older ones are text, as in Tessie's documentation."""
    await listener.connect()
    values = await listener.values(0)
    assert values.keys() == signals(first).keys()
    expected = {
        "BatteryLevel": {"stringValue": "72.000"},
        "ChargeLimitSoc": {"stringValue": "80"},
        "ChargerPhases": {"invalid": True},
        "DetailedChargeState": {"detailedChargeStateValue": "DetailedChargeStateStopped"},
        "FdWindow": {"stringValue": "Closed"},
        "Gear": {"shiftStateValue": "ShiftStateP"},
        "HvacLeftTemperatureRequest": {"doubleValue": 21.0},
        "Location": {"locationValue": {"latitude": 37.441883, "longitude": -122.143019}},
        "Locked": {"stringValue": "true"},
        "ValetModeEnabled": {"booleanValue": False},
        "VehicleName": {"stringValue": first.name},
        "VehicleSpeed": {"invalid": True},
    }
    assert {name: values[name] for name in expected} == expected
    assert values["DoorState"]["doorValue"].keys() == {
        *("DriverFront", "DriverRear", "PassengerFront", "PassengerRear", "TrunkFront", "TrunkRear")
    }
    assert values["TpmsSoftWarnings"]["tireLocationValue"]["rearLeft"] is False


@tessie
async def test_typed_values_of_tessie(listener: Listener, first: SimulatedVehicle) -> None:
    listener.service.streams.is_typed = True
    assert send(first, "set_scheduled_departure", enable=True, departure_time=450) == ""
    await listener.connect()
    values = await listener.values(0)
    assert values["BatteryLevel"] == {"doubleValue": 72.0}
    assert values["ChargeLimitSoc"] == {"intValue": 80}
    assert values["FdWindow"] == {"windowStateValue": "WindowStateClosed"}
    assert values["Locked"] == {"booleanValue": True}
    assert values["ScheduledDepartureTime"] == {"timeValue": {"hour": 7, "minute": 30, "second": 0}}


@tessie
async def test_sleeping_car_of_tessie(listener: Listener) -> None:
    sleeper = listener.service.vehicles[3]
    await listener.connect(f"/streaming/{sleeper.vin}")
    assert sleeper.state == "asleep"
    assert await listener.messages() == []


@tessie
async def test_service_answers_pings_unless_it_is_silent(live: Listener) -> None:
    assert live.socket is not None
    for silent, expected in ((False, "PONG\n"), (True, "")):
        live.service.streams.is_silent = silent
        await live.socket.ping()
        assert await live.text() == expected


# Faults


@pytest.mark.parametrize("name", ["other", "tesla_fleet"])
async def test_service_without_streams(name: str, clock: ManualClock) -> None:
    service = SimulatedService(name, token=TOKEN, clock=clock)
    service.streams.is_on = True
    async with serving(service) as client:
        assert (await client.get("/sse")).status == 404
        assert (await client.get(f"/streaming/{service.vehicles[0].vin}")).status == 404
    assert service.streams.url == ""
