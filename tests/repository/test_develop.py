"""`scripts/develop` as a process: Home Assistant with the integration, and the simulated service."""

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

from ..developing import SCRIPT, SECONDS_BETWEEN_CHECKS, SECONDS_TO_STOP, DevelopProcess, run_develop

DOMAIN: Final = "vehicle_remote_access"
TIMEOUT_SECONDS: Final = 15


class Owner:
    """Uses Home Assistant as its owner, and reads the simulated vehicle directly."""

    def __init__(self, home_assistant: aiohttp.ClientSession, simulator: aiohttp.ClientSession) -> None:
        """Use sessions that are signed in."""
        self._home_assistant = home_assistant
        self._simulator = simulator

    async def list_record(self) -> dict[str, Any]:
        """Return the vehicle's record in the list."""
        async with self._simulator.get("/api/1/vehicles") as response:
            record: dict[str, Any] = (await response.json())["response"][0]
        return record

    async def field(self, path: str) -> Any:
        """Return the value of a field from the service."""
        vehicle_id = (await self.list_record())["id_s"]
        async with self._simulator.get(f"/api/1/vehicles/{vehicle_id}/vehicle_data") as response:
            value = (await response.json())["response"]
        for key in path.split("."):
            value = value[key]
        return value

    async def entity_id(self, domain: str, path: str) -> str:
        """Return the entity for a path."""
        unique_id = f"{(await self.list_record())['vin']}-{path}"
        async with self._home_assistant.ws_connect("/api/websocket") as socket:
            await socket.receive_json()
            token = self._home_assistant.headers["Authorization"].removeprefix("Bearer ")
            await socket.send_json({"type": "auth", "access_token": token})
            await socket.receive_json()
            await socket.send_json({"id": 1, "type": "config/entity_registry/list"})
            entities = (await socket.receive_json())["result"]
        (entity_id,) = (
            entity["entity_id"]
            for entity in entities
            if entity["unique_id"] == unique_id and entity["entity_id"].startswith(f"{domain}.")
        )
        return str(entity_id)

    async def state(self, entity_id: str) -> str:
        """Return the state of an entity."""
        async with self._home_assistant.get("/api/states") as response:
            states = {state["entity_id"]: state["state"] for state in await response.json()}
        return str(states[entity_id])

    async def account_states(self) -> list[str]:
        """Return the states of the config entries."""
        async with self._home_assistant.get(
            "/api/config/config_entries/entry", params={"domain": DOMAIN}
        ) as response:
            return [entry["state"] for entry in await response.json()]

    async def call(self, domain: str, service: str, **data: Any) -> None:
        """Perform an action of Home Assistant."""
        async with self._home_assistant.post(f"/api/services/{domain}/{service}", json=data):
            pass


@asynccontextmanager
async def sign_in(running: DevelopProcess) -> AsyncIterator[Owner]:
    """Sign in as the owner."""
    client = {"client_id": f"{running.home_assistant_url}/"}
    form = {**client, "handler": ["homeassistant", None], "redirect_uri": f"{running.home_assistant_url}/"}
    credentials = {**client, "username": "demo", "password": "demo"}
    headers = {"Authorization": f"Bearer {running.token}"}
    async with (
        aiohttp.ClientSession(running.home_assistant_url, raise_for_status=True) as home_assistant,
        aiohttp.ClientSession(running.simulator_url, raise_for_status=True, headers=headers) as simulator,
    ):
        async with home_assistant.post("/auth/login_flow", json=form) as response:
            flow = (await response.json())["flow_id"]
        async with home_assistant.post(f"/auth/login_flow/{flow}", json=credentials) as response:
            code = (await response.json())["result"]
        grant = {**client, "grant_type": "authorization_code", "code": code}
        async with home_assistant.post("/auth/token", data=grant) as response:
            token = (await response.json())["access_token"]
        home_assistant.headers["Authorization"] = f"Bearer {token}"
        yield Owner(home_assistant, simulator)


async def wait_for_value[T](expected: T, read: Callable[[str], Awaitable[T]], name: str) -> None:
    """Read a value by its name until it is as expected. Fail after the timeout."""
    timeout = time.monotonic() + TIMEOUT_SECONDS
    while True:
        value = await read(name)
        if value == expected or time.monotonic() > timeout:
            break
        await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
    assert value == expected, name


async def is_closed(url: str) -> bool:
    """Return whether connections to the address are refused."""
    async with aiohttp.ClientSession() as session:
        try:
            async with session.get(url):
                return False
        except aiohttp.ClientConnectorError:
            return True


@pytest.fixture(autouse=True)
def _real_integration_over_real_http(socket_enabled: None) -> None:
    """Let the tests connect to the processes. They use no Home Assistant of the test plugin."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevelopProcess]:
    """The script, running in a new folder."""
    with run_develop(tmp_path_factory.mktemp("develop") / "home") as process:
        yield process


@pytest.fixture
async def owner(running: DevelopProcess) -> AsyncIterator[Owner]:
    """The owner of Home Assistant, signed in."""
    async with sign_in(running) as owner:
        yield owner


@dataclass(frozen=True)
class EntityAction:
    """An action, its entity, and the resulting field of the vehicle and state of the entity."""

    domain: str
    path: str
    service: str
    expected_field: tuple[str, object]
    expected_state: str
    data: dict[str, object] = field(default_factory=dict)


@pytest.mark.parametrize(
    "action",
    [
        EntityAction("lock", "vehicle_state.locked", "unlock", ("vehicle_state.locked", False), "unlocked"),
        EntityAction("cover", "vehicle_state.rt", "open_cover", ("vehicle_state.rt", 255), "open"),
        EntityAction(
            "climate", "climate_state", "turn_on", ("climate_state.is_climate_on", True), "heat_cool"
        ),
        EntityAction(
            "number",
            "charge_state.charge_limit_soc",
            "set_value",
            ("charge_state.charge_limit_soc", 63),
            "63",
            {"value": 63},
        ),
    ],
    ids=lambda action: action.service,
)
async def test_action_changes_vehicle_and_state(action: EntityAction, owner: Owner) -> None:
    """An action in Home Assistant changes the vehicle and the state of the entity."""
    entity_id = await owner.entity_id(action.domain, action.path)
    path, expected = action.expected_field
    assert await owner.field(path) != expected
    assert await owner.state(entity_id) != action.expected_state

    await owner.call(action.domain, action.service, entity_id=entity_id, **action.data)

    await wait_for_value(expected, owner.field, path)
    await wait_for_value(action.expected_state, owner.state, entity_id)


async def test_start_interrupt_and_restart(tmp_path: Path) -> None:
    """Ctrl-C stops both programs. The next start finds the account. If one program exits, the other stops."""
    folder = tmp_path / "home"
    with run_develop(folder) as first:
        first.interrupt()
        assert first.wait() == 0, first.log.read_text()
        assert await is_closed(first.home_assistant_url)
        assert await is_closed(first.simulator_url)

    port = first.simulator_url.rpartition(":")[2]
    with run_develop(folder, "--simulator-port", port) as second:
        async with sign_in(second) as owner:
            assert await owner.account_states() == ["loaded"]
            await owner.call("homeassistant", "stop")
        assert second.wait() == 1
        assert "develop: Home Assistant exited unexpectedly with status 0" in second.log.read_text()
        assert await is_closed(second.home_assistant_url)
        assert await is_closed(second.simulator_url)


def test_used_port(tmp_path: Path, running: DevelopProcess) -> None:
    """If another program uses the port, the script reports an error and creates no folder."""
    port = running.home_assistant_url.rpartition(":")[2]
    process = subprocess.run(  # noqa: S603 - all arguments come from this test
        (sys.executable, SCRIPT, "--port", port, "--folder", tmp_path / "home"),
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS_TO_STOP,
    )
    assert process.returncode == 2
    assert f"port {port} cannot be used" in process.stderr
    assert not (tmp_path / "home").exists()
