"""The log as a file to download."""

import time
from typing import Any, Final
from urllib.parse import urlencode

from aiohttp.test_utils import TestClient
from pytest_homeassistant_custom_component.common import MockUser
from pytest_homeassistant_custom_component.typing import MockHAClientWebSocket

from custom_components.vehicle_remote_access.const import DOMAIN
from tests.conftest import Home, request, set_group
from tests.dashboard.conftest import NOBODY, let_only_read
from tests.drive_log.five_years import five_years
from tests.drive_log.log_files import rows

SPAN: Final = f"{DOMAIN}/log/span"


def path(home: Home, content: str, device_id: str | None = None, **query: str) -> str:
    return f"/api/{DOMAIN}/log/{device_id or home.device.id}/{content}?{urlencode(query)}".rstrip("?")


async def sign(socket: MockHAClientWebSocket, path: str, expires: int = 30) -> str:
    return str((await request(socket, "auth/sign_path", path=path, expires=expires))["path"])


async def test_csv_has_entries_that_began_in_a_local_month(
    client: TestClient[Any, Any], long_log: Home
) -> None:
    response = await client.get(path(long_log, "drives", period="2023-01"))
    assert response.content_type == "text/csv"
    assert response.headers["Content-Disposition"] == 'attachment; filename="aurora_drives_2023-01.csv"'
    drives = rows(await response.read())
    expected: Any = await long_log.act("get_log", start="2023-01-01 00:00:00", end="2023-02-01 00:00:00")
    assert [drive["id"] for drive in drives] == [drive["id"] for drive in expected["drives"]]
    assert float(drives[0]["distance (km)"]) == expected["drives"][0]["distance"]
    assert drives[0]["start"].startswith("2023-01-01T")
    year = rows(await (await client.get(path(long_log, "charges", period="2023"))).read())
    assert {charge["start"][:4] for charge in year} == {"2023"}
    quarter = rows(await (await client.get(path(long_log, "charges", period="2023-Q4"))).read())
    assert {charge["start"][:7] for charge in quarter} == {"2023-10", "2023-11", "2023-12"}
    december = rows(await (await client.get(path(long_log, "stays", period="2023-12"))).read())
    assert {stay["start"][:7] for stay in december} == {"2023-12"}


async def test_json_has_what_get_log_returns(client: TestClient[Any, Any], long_log: Home) -> None:
    response = await client.get(path(long_log, "json"))
    disposition = response.headers["Content-Disposition"]
    assert disposition == 'attachment; filename="aurora_log_2020-09-13_2025-09-20.json"'
    log = await response.json()
    expected: Any = await long_log.act("get_log")
    assert log["units"].pop("temperature") == "°C"
    for entry in (*log["drives"], *log["charges"]):
        entry.pop("range_used", entry.pop("range_added", None))
    assert log == expected


async def test_empty_log_is_a_file_with_only_headers(client: TestClient[Any, Any], home: Home) -> None:
    response = await client.get(path(home, "drives"))
    assert response.headers["Content-Disposition"] == 'attachment; filename="aurora_drives.csv"'
    assert rows(await response.read()) == []


async def test_long_file_does_not_block_the_event_loop(client: TestClient[Any, Any], long_log: Home) -> None:
    await client.get(path(long_log, "drives"))
    started = time.thread_time()
    assert len(rows(await (await client.get(path(long_log, "drives"))).read())) == 5500
    assert time.thread_time() - started < 0.3


async def test_signature_allows_one_file_for_a_short_time(
    anyone: TestClient[Any, Any], home: Home, socket: MockHAClientWebSocket
) -> None:
    drives = path(home, "drives", period="2023")
    signed = await sign(socket, drives)
    assert (await anyone.get(signed)).status == 200
    assert (await anyone.get(drives)).status == 401
    for changed in (signed.replace("drives", "stays"), signed.replace("2023", "2024")):
        assert (await anyone.get(changed)).status == 401
    assert (await anyone.get(await sign(socket, drives, expires=-1))).status == 401


async def test_wrong_path_or_period_has_no_file(client: TestClient[Any, Any], home: Home) -> None:
    for content, query, status in (
        ("drives", {"period": "2023-13"}, 400),
        ("drives", {"period": "2023-Q5"}, 400),
        ("drives", {"period": "last year"}, 400),
        ("drives", {"period": "0000"}, 400),
        ("cars", {}, 404),
        ("drives", {"device_id": "a-lamp"}, 404),
    ):
        assert (await client.get(path(home, content, **query))).status == status


async def test_only_readers_of_the_car_can_download_its_log(
    anyone: TestClient[Any, Any], home: Home, socket: MockHAClientWebSocket, hass_admin_user: MockUser
) -> None:
    signed = await sign(socket, path(home, "json"))
    await let_only_read(home, hass_admin_user)
    assert (await anyone.get(signed)).status == 200
    set_group(home.hass, hass_admin_user, NOBODY)
    assert (await anyone.get(signed)).status == 403
    assert await request(socket, SPAN, device_id=home.device.id) == "unauthorized"


async def test_span_is_first_and_last_month_of_entries(socket: MockHAClientWebSocket, home: Home) -> None:
    assert await request(socket, SPAN, device_id=home.device.id) == {"first": None, "last": None}
    home.coordinator.log_manager.log = five_years()
    span = {"first": "2020-09", "last": "2025-09"}
    assert await request(socket, SPAN, device_id=home.device.id) == span
