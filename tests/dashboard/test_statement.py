"""Statements to print and as CSV."""

import json
import re
from typing import Any, Final
from urllib.parse import urlencode

from aiohttp.test_utils import TestClient
import pytest
from pytest_homeassistant_custom_component.common import MockUser
from pytest_homeassistant_custom_component.typing import MockHAClientWebSocket

from custom_components.vehicle_remote_access.const import DOMAIN
from tests.conftest import Home, request, set_group
from tests.dashboard.conftest import NOBODY, let_only_read
from tests.drive_log.log_files import rows

TAG: Final = 'a, "b" & =1+1'
MONTH: Final = "2023-01"


@pytest.fixture
def tagged_log(long_log: Home) -> Home:
    """A log whose drives are tagged, and whose charges are at home."""
    log = long_log.coordinator.log
    log.drives[:] = [drive._replace(tag=TAG, note="</script><!--") for drive in log.drives]
    log.charges[:] = [charge._replace(place=long_log.hass.config.location_name) for charge in log.charges]
    return long_log


def path(home: Home, content: str, device_id: str | None = None, **query: str) -> str:
    return f"/api/{DOMAIN}/statement/{device_id or home.device.id}/{content}?{urlencode(query)}"


async def load(client: TestClient[Any, Any], address: str) -> Any:
    page = await (await client.get(address)).text()
    found = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


async def test_page_has_the_statement_and_a_script(client: TestClient[Any, Any], tagged_log: Home) -> None:
    """No text of a user ends the element with the data."""
    address = path(tagged_log, "mileage.html", period=MONTH, tag=TAG, rate="0.3", locale='{"language":"de"}')
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
        data = await load(client, path(tagged_log, f"{kind}.html", period=MONTH, **query))
        response = await client.get(path(tagged_log, f"{kind}.csv", period=MONTH, **query))
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
        address = path(tagged_log, "charging.html", period="2023-Q1", language=language)
        assert f'<html lang="{shown}">' in await (await client.get(address)).text()
        assert (await load(client, address))["columns"][-1]["title"] == title


async def test_wrong_query_has_no_statement(client: TestClient[Any, Any], long_log: Home) -> None:
    for content, query, status in (
        ("mileage.csv", {}, 400),
        ("mileage.html", {"period": "2023-13"}, 400),
        ("charging.csv", {"period": "2023", "rate": "much"}, 400),
        ("charging.csv", {"period": "2023", "rate": "-1"}, 400),
        ("charging.csv", {"period": "2023", "rate": "nan"}, 400),
        ("parking.csv", {"period": "2023"}, 404),
        ("mileage.csv", {"period": "2023", "device_id": "a-lamp"}, 404),
    ):
        assert (await client.get(path(long_log, content, **query))).status == status


async def test_only_readers_of_the_car_get_a_statement(
    anyone: TestClient[Any, Any],
    tagged_log: Home,
    socket: MockHAClientWebSocket,
    hass_admin_user: MockUser,
) -> None:
    """A signed path opens one statement, also without a session."""
    address = path(tagged_log, "mileage.html", period=MONTH, tag=TAG)
    signed = (await request(socket, "auth/sign_path", path=address, expires=600))["path"]
    await let_only_read(tagged_log, hass_admin_user)
    assert (await anyone.get(signed)).status == 200
    assert (await anyone.get(address)).status == 401
    assert (await anyone.get(signed.replace(MONTH, "2023-02"))).status == 401
    set_group(tagged_log.hass, hass_admin_user, NOBODY)
    assert (await anyone.get(signed)).status == 403
