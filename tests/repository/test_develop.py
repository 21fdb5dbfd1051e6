"""`scripts/develop` for real: a Home Assistant process with the integration in it, and a simulated car."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
import subprocess
import sys
import time
from typing import Any, Final

import aiohttp
import pytest

from ..developing import DEVELOP, SECONDS_BETWEEN_LOOKS, SECONDS_TO_END, Developing, developing

DOMAIN: Final = "vehicle_remote_access"
SECONDS_TO_HAPPEN: Final = 15


class Owner:
    """The owner, who uses Home Assistant, and can look at the vehicle itself."""

    def __init__(self, home: aiohttp.ClientSession, simulator: aiohttp.ClientSession) -> None:
        """Begin signed in."""
        self.home = home
        self._simulator = simulator

    async def car(self) -> dict[str, Any]:
        """Return the vehicle's own record."""
        async with self._simulator.get("/api/1/vehicles") as response:
            car: dict[str, Any] = (await response.json())["response"][0]
        return car

    async def in_the_car(self, path: str) -> Any:
        """Return a field of the vehicle, as it is."""
        number = (await self.car())["id_s"]
        async with self._simulator.get(f"/api/1/vehicles/{number}/vehicle_data") as response:
            seen = (await response.json())["response"]
        for key in path.split("."):
            seen = seen[key]
        return seen

    async def entity_id(self, domain: str, path: str) -> str:
        """Return which entity shows the path."""
        unique_id = f"{(await self.car())['vin']}-{path}"
        async with self.home.ws_connect("/api/websocket") as socket:
            await socket.receive_json()
            token = self.home.headers["Authorization"].removeprefix("Bearer ")
            await socket.send_json({"type": "auth", "access_token": token})
            await socket.receive_json()
            await socket.send_json({"id": 1, "type": "config/entity_registry/list"})
            entities = (await socket.receive_json())["result"]
        (found,) = (
            each["entity_id"]
            for each in entities
            if each["unique_id"] == unique_id and each["entity_id"].startswith(f"{domain}.")
        )
        return str(found)

    async def shown(self, entity_id: str) -> str:
        """Return the state that Home Assistant shows."""
        async with self.home.get("/api/states") as response:
            states = {state["entity_id"]: state["state"] for state in await response.json()}
        return str(states[entity_id])

    async def accounts(self) -> list[str]:
        """Return the states of the accounts."""
        async with self.home.get("/api/config/config_entries/entry", params={"domain": DOMAIN}) as response:
            return [entry["state"] for entry in await response.json()]

    async def call(self, domain: str, service: str, **data: Any) -> None:
        """Use a service."""
        async with self.home.post(f"/api/services/{domain}/{service}", json=data):
            pass


@asynccontextmanager
async def signed_in(developing: Developing) -> AsyncIterator[Owner]:
    """Sign in as the owner."""
    client = {"client_id": f"{developing.home}/"}
    form = {**client, "handler": ["homeassistant", None], "redirect_uri": f"{developing.home}/"}
    person = {**client, "username": "demo", "password": "demo"}
    known = {"Authorization": f"Bearer {developing.token}"}
    async with (
        aiohttp.ClientSession(developing.home, raise_for_status=True) as home,
        aiohttp.ClientSession(developing.simulator, raise_for_status=True, headers=known) as simulator,
    ):
        async with home.post("/auth/login_flow", json=form) as response:
            flow = (await response.json())["flow_id"]
        async with home.post(f"/auth/login_flow/{flow}", json=person) as response:
            code = (await response.json())["result"]
        grant = {**client, "grant_type": "authorization_code", "code": code}
        async with home.post("/auth/token", data=grant) as response:
            home.headers["Authorization"] = f"Bearer {(await response.json())['access_token']}"
        yield Owner(home, simulator)


async def eventually[T](wanted: T, look: Callable[[str], Awaitable[T]], where: str) -> None:
    """Look until it is as wanted, and fail with what it is if that takes too long."""
    end = time.monotonic() + SECONDS_TO_HAPPEN
    while True:
        seen = await look(where)
        if seen == wanted or time.monotonic() > end:
            break
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
    assert seen == wanted, where


async def is_closed(address: str) -> bool:
    """Return whether nobody answers there."""
    async with aiohttp.ClientSession() as session:
        try:
            async with session.get(address):
                return False
        except aiohttp.ClientConnectorError:
            return True


@pytest.fixture(autouse=True)
def _real_integration_over_real_http(socket_enabled: None) -> None:
    """Let the tests reach the programs. Home Assistant is one of them: there is none in the tests."""


@pytest.fixture(scope="module")
def developed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Developing]:
    """Both programs, running in a new folder."""
    with developing(tmp_path_factory.mktemp("develop") / "home") as running:
        yield running


@pytest.fixture
async def owner(developed: Developing) -> AsyncIterator[Owner]:
    """The owner of the vehicle, signed in."""
    async with signed_in(developed) as person:
        yield person


@dataclass(frozen=True)
class Use:
    """A service, the entity that it is used on, and what then is in the vehicle and in Home Assistant."""

    domain: str
    path: str
    service: str
    in_the_car: tuple[str, object]
    shown: str
    data: dict[str, object] = field(default_factory=dict)


@pytest.mark.parametrize(
    "use",
    [
        Use("lock", "vehicle_state.locked", "unlock", ("vehicle_state.locked", False), "unlocked"),
        Use("cover", "vehicle_state.rt", "open_cover", ("vehicle_state.rt", 255), "open"),
        Use("climate", "climate_state", "turn_on", ("climate_state.is_climate_on", True), "heat_cool"),
        Use(
            "number",
            "charge_state.charge_limit_soc",
            "set_value",
            ("charge_state.charge_limit_soc", 63),
            "63",
            {"value": 63},
        ),
    ],
    ids=lambda use: use.service,
)
async def test_what_is_used_happens_in_the_car(use: Use, owner: Owner) -> None:
    """What the owner uses in Home Assistant happens in the vehicle, and is shown."""
    entity_id = await owner.entity_id(use.domain, use.path)
    path, wanted = use.in_the_car
    assert await owner.in_the_car(path) != wanted
    assert await owner.shown(entity_id) != use.shown

    await owner.call(use.domain, use.service, entity_id=entity_id, **use.data)

    await eventually(wanted, owner.in_the_car, path)
    await eventually(use.shown, owner.shown, entity_id)


async def test_start_interrupt_and_start_again(tmp_path: Path) -> None:
    """Ctrl-C ends both programs; the next start finds the account; if one program ends, both do."""
    folder = tmp_path / "home"
    with developing(folder) as first:
        first.interrupt()
        assert first.status() == 0, first.log.read_text()
        assert await is_closed(first.home)
        assert await is_closed(first.simulator)

    port = first.simulator.rpartition(":")[2]
    with developing(folder, "--simulator-port", port) as second:
        async with signed_in(second) as owner:
            assert await owner.accounts() == ["loaded"]
            await owner.call("homeassistant", "stop")
        assert second.status() == 1
        assert "develop: Home Assistant ended by itself, with status 0" in second.log.read_text()
        assert await is_closed(second.home)
        assert await is_closed(second.simulator)


def test_taken_port_is_told_before_anything_starts(tmp_path: Path, developed: Developing) -> None:
    """A port that another program has is told in words, and nothing is written."""
    port = developed.home.rpartition(":")[2]
    told = subprocess.run(  # noqa: S603 - nothing in it is from elsewhere
        (sys.executable, DEVELOP, "--port", port, "--folder", tmp_path / "home"),
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS_TO_END,
    )
    assert told.returncode == 2
    assert f"port {port} cannot be used" in told.stderr
    assert not (tmp_path / "home").exists()
