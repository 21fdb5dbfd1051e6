"""The log and statements as files, to download and to print."""

import json
import re
import time
from typing import Any, Final
from urllib.parse import urlencode

from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.common import MockUser
from pytest_homeassistant_custom_component.typing import MockHAClientWebSocket

from custom_components.vehicle_remote_access.const import DOMAIN
from tests.conftest import Home, request, set_group
from tests.dashboard.conftest import NOBODY, let_only_read
from tests.drive_log.five_years import five_years
from tests.drive_log.log_files import rows

SPAN: Final = f"{DOMAIN}/log/span"
TAG: Final = 'a, "b" & =1+1'
MONTH: Final = "2023-01"


def path(home: Home, file: str, device_id: str | None = None, **query: str) -> str:
    """Return the path of a file, such as `log/drives` or `statement/mileage.csv`."""
    kind, name = file.split("/")
    return f"/api/{DOMAIN}/{kind}/{device_id or home.device.id}/{name}?{urlencode(query)}".rstrip("?")


# The log


async def test_csv_has_entries_of_local_month(client: TestClient[Any, Any], long_log: Home) -> None:
    response = await client.get(path(long_log, "log/drives", period="2023-01"))
    assert response.content_type == "text/csv"
    assert response.headers["Content-Disposition"] == 'attachment; filename="aurora_drives_2023-01.csv"'
    drives = rows(await response.read())
    expected: Any = await long_log.act("get_log", start="2023-01-01 00:00:00", end="2023-02-01 00:00:00")
    assert [drive["id"] for drive in drives] == [drive["id"] for drive in expected["drives"]]
    assert float(drives[0]["distance (km)"]) == expected["drives"][0]["distance"]
    assert drives[0]["start"].startswith("2023-01-01T")
    year = rows(await (await client.get(path(long_log, "log/charges", period="2023"))).read())
    assert {charge["start"][:4] for charge in year} == {"2023"}
    quarter = rows(await (await client.get(path(long_log, "log/charges", period="2023-Q4"))).read())
    assert {charge["start"][:7] for charge in quarter} == {"2023-10", "2023-11", "2023-12"}
    december = rows(await (await client.get(path(long_log, "log/stays", period="2023-12"))).read())
    assert {stay["start"][:7] for stay in december} == {"2023-12"}
    # Clocks are set back on this day.
    day = rows(await (await client.get(path(long_log, "log/stays", period="2023-10-29"))).read())
    days = {stay["start"][:10] for stay in december} | {stay["start"][:10] for stay in day}
    assert "2023-10-29" in days
    assert "2023-10-30" not in days


async def test_json_has_what_get_log_returns(client: TestClient[Any, Any], long_log: Home) -> None:
    response = await client.get(path(long_log, "log/json"))
    disposition = response.headers["Content-Disposition"]
    assert disposition == 'attachment; filename="aurora_log_2020-09-13_2025-09-20.json"'
    log = await response.json()
    expected: Any = await long_log.act("get_log")
    assert log["units"].pop("temperature") == "°C"
    for entry in (*log["drives"], *log["charges"]):
        entry.pop("range_used", entry.pop("range_added", None))
    assert log == expected


async def test_file_has_what_a_search_finds(
    client: TestClient[Any, Any], socket: MockHAClientWebSocket, long_log: Home
) -> None:
    charges = long_log.coordinator.log.charges
    charges[0] = charges[0]._replace(cost=None)
    for query, kind in (
        ({"longer_than": "16.3", "period": "2023"}, "drives"),
        ({"text": "HOME", "period": "2023"}, "drives"),
        ({"without_cost": "true"}, "charges"),
    ):
        file = await client.get(path(long_log, f"log/{kind}", **query))
        found = [entry["id"] for entry in rows(await file.read())]
        message = query | {"device_id": long_log.device.id, "kind": kind, "limit": 1000}
        page = await request(socket, f"{DOMAIN}/log/list", **message)
        assert found == [entry["id"] for entry in reversed(page["entries"])], query
        assert found
    response = await client.get(path(long_log, "log/json", kind="charges", period=MONTH))
    log = await response.json()
    assert (log["drives"], log["stays"]) == ([], [])
    assert log["charges"]


async def test_empty_log_is_a_file_with_only_headers(client: TestClient[Any, Any], home: Home) -> None:
    response = await client.get(path(home, "log/drives"))
    assert response.headers["Content-Disposition"] == 'attachment; filename="aurora_drives.csv"'
    assert rows(await response.read()) == []


async def test_long_file_does_not_block_the_event_loop(client: TestClient[Any, Any], long_log: Home) -> None:
    await client.get(path(long_log, "log/drives"))
    started = time.thread_time()
    assert len(rows(await (await client.get(path(long_log, "log/drives"))).read())) == 5500
    assert time.thread_time() - started < 0.3


async def test_span_is_first_and_last_month_of_entries(socket: MockHAClientWebSocket, home: Home) -> None:
    assert await request(socket, SPAN, device_id=home.device.id) == {"first": None, "last": None}
    home.coordinator.log_manager.log = five_years()
    span = {"first": "2020-09", "last": "2025-09"}
    assert await request(socket, SPAN, device_id=home.device.id) == span


# Statements


@pytest.fixture
def tagged_log(long_log: Home) -> Home:
    """A log whose drives are tagged, and whose charges are at home."""
    log = long_log.coordinator.log
    log.drives[:] = [drive._replace(tag=TAG, note="</script><!--") for drive in log.drives]
    log.charges[:] = [charge._replace(place=long_log.hass.config.location_name) for charge in log.charges]
    return long_log


async def load(client: TestClient[Any, Any], address: str) -> Any:
    page = await (await client.get(address)).text()
    found = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


async def test_page_has_the_statement_and_a_script(client: TestClient[Any, Any], tagged_log: Home) -> None:
    """No text of a user ends the element with the data."""
    address = path(
        tagged_log, "statement/mileage.html", period=MONTH, tag=TAG, rate="0.3", locale='{"language":"de"}'
    )
    response = await client.get(address)
    assert (response.status, response.content_type) == (200, "text/html")
    assert "script-src 'self'" in response.headers["Content-Security-Policy"]
    page = await response.text()
    assert page.startswith('<!doctype html><html lang="en">')
    assert page.count("</script>") == 2
    script = re.search(r'src="(.+?)"', page)
    assert script
    assert (await client.get(script[1])).content_type == "text/javascript"
    data = await load(client, address)
    assert (data["title"], data["car"], data["vin"]) == ("Mileage", "Aurora", tagged_log.car.vin)
    assert (data["period"], data["tag"], data["locale"]) == (MONTH, TAG, '{"language":"de"}')
    assert {row[4] for row in data["rows"]} == {"</script><!--"}


async def test_csv_has_the_rows_and_sums_of_the_page(client: TestClient[Any, Any], tagged_log: Home) -> None:
    for kind, query in (("mileage", {"tag": TAG, "rate": "0.3"}), ("charging", {})):
        data = await load(client, path(tagged_log, f"statement/{kind}.html", period=MONTH, **query))
        response = await client.get(path(tagged_log, f"statement/{kind}.csv", period=MONTH, **query))
        assert response.content_type == "text/csv"
        *lines, total = rows(await response.read())
        assert list(total) == [column["title"] for column in data["columns"]]
        shown = [["" if value is None else str(value) for value in row] for row in data["rows"]]
        assert [list(line.values()) for line in lines] == shown
        assert len(shown) > 10
        assert [float(value) for value in total.values() if value not in ("", "Total")] == [
            *data["sums"].values()
        ]
    assert response.headers["Content-Disposition"].endswith('filename="aurora_charging_2023-01.csv"')


async def test_texts_are_in_the_language_of_the_user(client: TestClient[Any, Any], tagged_log: Home) -> None:
    english = ("en", "Amount (EUR)")
    for language, shown, title in (("de", "de", "Betrag (EUR)"), ("xx", *english), ("/etc/x", *english)):
        address = path(tagged_log, "statement/charging.html", period="2023-Q1", language=language)
        assert f'<html lang="{shown}">' in await (await client.get(address)).text()
        assert (await load(client, address))["columns"][-1]["title"] == title


# Both


async def test_wrong_path_or_query_has_no_file(client: TestClient[Any, Any], home: Home) -> None:
    for file, query, status in (
        ("log/drives", {"period": "2023-13"}, 400),
        ("log/drives", {"period": "2023-Q5"}, 400),
        ("log/drives", {"period": "last year"}, 400),
        ("log/drives", {"period": "0000"}, 400),
        ("log/drives", {"longer_than": "far"}, 400),
        ("log/cars", {}, 404),
        ("log/drives", {"device_id": "a-lamp"}, 404),
        ("statement/mileage.csv", {}, 400),
        ("statement/mileage.html", {"period": "2023-13"}, 400),
        ("statement/charging.csv", {"period": "2023", "rate": "much"}, 400),
        ("statement/charging.csv", {"period": "2023", "rate": "-1"}, 400),
        ("statement/charging.csv", {"period": "2023", "rate": "nan"}, 400),
        ("statement/parking.csv", {"period": "2023"}, 404),
        ("statement/mileage.csv", {"period": "2023", "device_id": "a-lamp"}, 404),
    ):
        assert (await client.get(path(home, file, **query))).status == status, (file, query)


@pytest.mark.parametrize("file", ["log/drives", "log/json", "statement/mileage.html"])
async def test_only_readers_of_the_car_get_a_file(
    file: str,
    anyone: TestClient[Any, Any],
    home: Home,
    socket: MockHAClientWebSocket,
    hass_admin_user: MockUser,
) -> None:
    """A signed path opens one file for a short time, also without a session."""

    async def sign(expires: int) -> str:
        signed = await request(socket, "auth/sign_path", path=address, expires=expires)
        return str(signed["path"])

    address = path(home, file, period=MONTH)
    signed = await sign(30)
    await let_only_read(home, hass_admin_user)
    assert (await anyone.get(signed)).status == 200
    for refused in (address, await sign(-1), signed.replace(MONTH, "2023-02")):
        assert (await anyone.get(refused)).status == 401, refused
    set_group(home.hass, hass_admin_user, NOBODY)
    assert (await anyone.get(signed)).status == 403
    assert await request(socket, SPAN, device_id=home.device.id) == "unauthorized"
