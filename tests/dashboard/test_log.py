"""The log for the dashboard: pages of entries, and a subscription to what changes."""

from itertools import pairwise
import json
import time
from typing import Any
from unittest.mock import AsyncMock, patch

from homeassistant.util import dt as dt_util
from homeassistant.util.unit_system import METRIC_SYSTEM, US_CUSTOMARY_SYSTEM, UnitSystem
import pytest
from pytest_homeassistant_custom_component.common import MockUser
from pytest_homeassistant_custom_component.typing import MockHAClientWebSocket, WebSocketGenerator

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.entries import DriveSample, Stay
from custom_components.vehicle_remote_access.drive_log.view import iso
from tests.conftest import Home, request, set_group
from tests.dashboard.conftest import NOBODY, let_only_read
from tests.drive_log.activities import start_charge, start_drive


async def request_log(socket: MockHAClientWebSocket, home: Home, command: str, **values: Any) -> Any:
    """Send a command about the log of the car. Return the result, or the code of the error."""
    return await request(socket, f"{DOMAIN}/log/{command}", **{"device_id": home.device.id, **values})


async def subscribe(socket: MockHAClientWebSocket, home: Home) -> Any:
    assert await request_log(socket, home, "subscribe") is None
    return (await socket.receive_json())["event"]


async def all_pages(socket: MockHAClientWebSocket, home: Home, **values: Any) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    more: dict[str, Any] = {}
    while True:
        page = await request_log(socket, home, "list", **values, **more)
        entries += page["entries"]
        if page["next"] is None:
            return entries
        more = {"before": page["next"]}


async def test_pages_have_each_entry_once_newest_first(socket: MockHAClientWebSocket, long_log: Home) -> None:
    entries = await all_pages(socket, long_log, limit=1000)
    assert len(entries) == len({entry["id"] for entry in entries}) == 12_500
    assert all(one["start"] >= other["start"] for one, other in pairwise(entries))
    assert {entry["kind"] for entry in entries} == {"drive", "charge", "stay"}
    assert len(await all_pages(socket, long_log, limit=1000, kind="charges")) == 1500
    started = time.thread_time()
    page = await request_log(socket, long_log, "list")
    assert time.thread_time() - started < 0.1
    assert 100 <= len(page["entries"]) < 105


async def test_entries_that_start_together_are_on_one_page(socket: MockHAClientWebSocket, home: Home) -> None:
    page = await request_log(socket, home, "list")
    assert (page["entries"], page["next"]) == ([], None)
    home.coordinator.log.stays = [Stay(id=f"stay-{number}", start=9.0, end=10.0) for number in range(5)]
    page = await request_log(socket, home, "list", limit=2)
    assert (len(page["entries"]), page["next"]) == (5, None)


async def test_values_have_the_units_of_get_log(socket: MockHAClientWebSocket, long_log: Home) -> None:
    long_log.hass.config.units = US_CUSTOMARY_SYSTEM
    page = await request_log(socket, long_log, "list", kind="drives", limit=1)
    response: Any = await long_log.act("get_log", kind="drives")
    (entry,) = page["entries"]
    assert entry == {"kind": "drive", **response["drives"][-1]}
    assert page["units"] == response["units"]


async def test_open_drive_becomes_an_entry(web: None, home: Home, hass_ws_client: WebSocketGenerator) -> None:
    await start_drive(home, 5)
    socket = await hass_ws_client()
    first = await subscribe(socket, home)
    assert [(entry["kind"], entry["goes_on"]) for entry in first["open"]] == [("drive", True)]
    await home.advance(40, step=20)  # Home Assistant closes connections that are idle for longer.
    await home.poll()
    grown = (await socket.receive_json())["event"]
    assert grown["revision"] == first["revision"]
    assert grown["open"][0]["id"] == first["open"][0]["id"]
    assert grown["open"][0]["distance"] > first["open"][0]["distance"]
    await home.advance(1500, step=20)
    socket = await hass_ws_client()
    ended = await subscribe(socket, home)
    assert ended["revision"] == first["revision"] + 1
    assert [entry["kind"] for entry in ended["open"]] == ["stay"]
    (drive,) = (await request_log(socket, home, "list"))["entries"]
    assert drive["id"] == first["open"][0]["id"]


async def test_subscription_survives_a_reload(socket: MockHAClientWebSocket, long_log: Home) -> None:
    before = (await subscribe(socket, long_log))["revision"]
    await long_log.act("delete_log_entry", id="drive-7")
    assert (await socket.receive_json())["event"]["revision"] == before + 1
    await long_log.restart()
    await long_log.act("delete_log_entry", id="drive-8")
    while (event := (await socket.receive_json())["event"])["revision"] < before + 2:
        pass
    assert event["open"] == []


async def test_only_readers_of_the_car_can_read_its_log_and_only_users_who_control_it_can_edit(
    socket: MockHAClientWebSocket, home: Home, hass_admin_user: MockUser
) -> None:
    assert (await request_log(socket, home, "list"))["can_edit"] is True
    await let_only_read(home, hass_admin_user)
    assert (await request_log(socket, home, "list"))["can_edit"] is False
    set_group(home.hass, hass_admin_user, NOBODY)
    assert await request_log(socket, home, "detail", entry_id="drive-1") == "unauthorized"
    for command in ("list", "subscribe", "months", "battery"):
        assert await request_log(socket, home, command) == "unauthorized"


async def test_subscription_sends_what_changed_to_users_with_the_permission(
    socket: MockHAClientWebSocket, home: Home, hass_admin_user: MockUser
) -> None:
    await subscribe(socket, home)
    (group,) = hass_admin_user.groups
    for new, changes, kinds in (
        (group, 0, {"result"}), (NOBODY, 1, {"result"}), (group, 1, {"event", "result"}),
    ):  # fmt: skip
        set_group(home.hass, hass_admin_user, new)
        home.coordinator.log.revision += changes
        home.coordinator.log_manager.edited()
        await socket.send_json_auto_id({"type": "supported_features", "features": {}})
        received = [await socket.receive_json() for _ in kinds]
        assert {answer["type"] for answer in received} == kinds


@pytest.mark.parametrize(
    ("units", "speed", "unit"), [(METRIC_SYSTEM, 101, "km/h"), (US_CUSTOMARY_SYSTEM, 63, "mph")]
)
async def test_samples_of_a_drive_have_the_units_of_home_assistant(
    socket: MockHAClientWebSocket, long_log: Home, units: UnitSystem, speed: float, unit: str
) -> None:
    long_log.hass.config.units = units
    log = long_log.coordinator.log
    drive = log.drives[-1]
    samples = [
        DriveSample(drive.start + 60, speed=62.7, power=-4.5, level=70.0),
        DriveSample(drive.start + 120, speed=62.7, latitude=48.1, longitude=11.5),
    ]
    store = long_log.coordinator.log_manager.samples
    with patch.object(store, "load", AsyncMock(return_value=samples)) as load:
        detail = await request_log(socket, long_log, "detail", entry_id=drive.id)
    load.assert_awaited_once_with(drive)
    first, second = detail["samples"]
    assert first == {"at": iso(drive.start + 60), "speed": speed, "power": -4.5, "battery": 70}
    assert (second["latitude"], second["longitude"], second["power"]) == (48.1, 11.5, None)
    assert (detail["units"]["speed"], detail["units"]["power"]) == (unit, "kW")


async def test_open_charge_has_samples(socket: MockHAClientWebSocket, home: Home) -> None:
    await start_charge(home, 40)
    await home.advance(40, step=20)
    (charge,) = home.coordinator.log.open_entries.charges
    detail = await request_log(socket, home, "detail", entry_id=charge.id)
    assert detail["samples"][-1]["power"] is not None
    assert detail["samples"][-1]["cost"] is None
    assert detail["units"]["price"] == "EUR/kWh"


async def test_unknown_entry_has_no_detail(socket: MockHAClientWebSocket, long_log: Home) -> None:
    for wrong in ({"entry_id": "drive-9999"}, {"entry_id": "stay-1"}, {"device_id": "lamp", "entry_id": "x"}):
        assert await request_log(socket, long_log, "detail", **wrong) == "home_assistant_error"


async def test_months_have_what_get_log_returns(socket: MockHAClientWebSocket, long_log: Home) -> None:
    long_log.hass.config.units = US_CUSTOMARY_SYSTEM
    started = time.thread_time()
    answer = await request_log(socket, long_log, "months")
    assert time.thread_time() - started < 0.5
    month = next(row for row in answer["months"] if row["period"] == "2021-06")
    response: Any = await long_log.act("get_log", start="2021-06-01 00:00:00", end="2021-07-01 00:00:00")
    totals = {name: month[name] for name in response["totals"]}
    assert totals == pytest.approx(response["totals"])
    assert (month["drives"], month["charges"]) == (len(response["drives"]), len(response["charges"]))
    assert answer["units"] == response["units"]
    latest = await request_log(socket, long_log, "latest")
    assert len(json.dumps(latest)) < 2048
    assert latest["drive"]["start"] == iso(long_log.coordinator.log.drives[-1].start)
    assert sum(year["drives"] for year in answer["years"]) == 5500
    battery = await request_log(socket, long_log, "battery")
    assert [(place["place"], place["charges"]) for place in battery["charges"][0]["places"]] == [(None, 1500)]


async def test_search_finds_entries_and_sums_them_up(socket: MockHAClientWebSocket, long_log: Home) -> None:
    log = long_log.coordinator.log
    log.drives[7] = log.drives[7]._replace(tag="business", note="Trip to Ærø and Malmö")
    log.charges[3] = log.charges[3]._replace(cost=None, place="Harbor")

    async def search(**wanted: Any) -> Any:
        started = time.thread_time()
        page = await request_log(socket, long_log, "list", **wanted)
        assert time.thread_time() - started < 0.3
        return page

    for wanted, found in (
        ({"text": " ærø "}, ["drive-8"]),
        ({"text": "malmo business"}, ["drive-8"]),
        ({"tag": "business"}, ["drive-8"]),
        ({"text": "geschäftlich", "named_tag": "business"}, ["drive-8"]),
        ({"text": "harb"}, ["charge-4"]),
        ({"without_cost": True}, ["charge-4"]),
        ({"without_cost": True, "tag": "business"}, []),
    ):
        assert [entry["id"] for entry in (await search(**wanted))["entries"]] == found
    page = await search(period="2021-06", kind="drives", longer_than=16)
    assert page["tags"] == ["business"]
    assert page["found"]["drives"] == len(page["entries"]) == 90
    assert (await search(period="2021-06", longer_than=17))["entries"] == []
    assert "stay" in {entry["kind"] for entry in (await search(period="2021-06"))["entries"]}
    older = await search(period="2021", before=1_620_000_000)
    assert older["found"] is None
    assert (await search())["found"] is None
    assert await request_log(socket, long_log, "list", period="June") == "invalid_format"
    assert (await search(text="harb " * 40))["entries"]
    for name in ("text", "named_tag", "tag"):
        assert await request_log(socket, long_log, "list", **{name: "x" * 201}) == "invalid_format"


async def test_map_has_tracks(web: None, home: Home, hass_ws_client: WebSocketGenerator) -> None:
    await home.set_car_options(keep_positions=True)
    home.car.unplug()
    await home.poll()
    home.car.drive(miles=6)
    await home.poll()
    await home.advance(900, step=30)
    seen = home.coordinator.log.drives[0]
    straight = seen._replace(id="drive-8", start=seen.start - 9000, end=seen.end - 9000)
    unknown = straight._replace(id="drive-9", start_latitude=None, end_latitude=None)
    home.coordinator.log.drives[:0] = [unknown, straight]
    socket = await hass_ws_client()
    answer = await request_log(socket, home, "map", period=str(dt_util.now().year))
    straight_line, track = answer["tracks"]
    assert (straight_line["is_track"], track["is_track"]) == (False, True)
    start, end = straight_line["points"]
    assert start == [seen.start_latitude, seen.start_longitude, straight.start]
    assert end == [seen.end_latitude, seen.end_longitude, straight.start]
    assert await request_log(socket, home, "map") == answer
    position = [seen.end_latitude, seen.end_longitude]
    (place,) = answer["places"]
    assert place == {"place": None, "position": position, "stays": 2, "start": seen.start}
    assert await request_log(socket, home, "map", period="2020") == {"tracks": [], "places": []}
    assert await request_log(socket, home, "map", period="2020-13") == "invalid_format"
