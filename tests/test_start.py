"""The start: nobody waits for the service, nothing is held up, and nothing heavy comes along."""

from collections.abc import Iterator
import json
import subprocess
import sys
from typing import Any, Final

from homeassistant import block_async_io
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.const import PLATFORMS

from .conftest import Home
from .repository.test_architecture import HOUSE, ROOMS, ROOT

# What no car has said of itself, or tells of the asking
NOT_REMEMBERED: Final = [
    ("binary_sensor", "state"),
    *(("sensor", what) for what in ("state", "polling_mode", "next_read")),
]


@pytest.mark.parametrize("cars", [1, 2])
async def test_start_asks_once_at_most(
    entity_registry_enabled_by_default: None, hass_storage: dict[str, Any], home: Home
) -> None:
    """What is remembered is shown after one request at most, of which nobody awaits the answer."""
    before, began = home.states(), dt_util.utcnow()
    home.simulator.faults.fail("silence", times=100)
    home.simulator.requests.clear()
    assert await home.while_it_takes(home.hass.config_entries.async_reload(home.entry.entry_id))
    assert dt_util.utcnow() == began
    shown = home.states()
    changed = {entity_id for entity_id, state in before.items() if shown[entity_id] != state}
    assert len(home.requests()) <= 1
    assert not changed - _not_remembered(home)


def _not_remembered(home: Home) -> set[str]:
    vins = [car.vin for car in home.simulator.vehicles]
    of_account = [("binary_sensor", "service_reachable"), ("sensor", "requests_today")]
    return {
        *(home.entity_id(*what, vin) for what in NOT_REMEMBERED for vin in vins),
        *(home.entity_id(*what, home.entry.entry_id) for what in of_account),
    }


@pytest.fixture
def strict_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Home Assistant tell of every blocking call in the loop, also of those that it allows in tests."""
    monkeypatch.setattr(block_async_io, "_IN_TESTS", False)
    block_async_io.enable()
    yield
    calls = block_async_io._BLOCKED_CALLS.calls  # noqa: SLF001 - there is no other way back
    for call in calls:
        setattr(call.object, call.function, call.original_func)
    calls.clear()


@pytest.mark.parametrize("what", ["account", "simulator"])
async def test_start_blocks_nothing(
    what: str, empty_home: Home, strict_loop: None, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither a set-up nor a start reads a file, imports a module or sleeps while the loop waits for it."""
    if what == "account":
        await empty_home.set_up()
    else:
        form = await empty_home.start_flow("simulator")
        await empty_home.submit(form, vehicles=1, speed=1)
        await empty_home.idle()
    await empty_home.restart()
    assert "blocking call" not in caplog.text


# Prints what the rooms named last have loaded after the modules named first.
_IMPORT: Final = """
import importlib, json, sys
first, then = map(json.loads, sys.argv[1:])
for name in first: importlib.import_module(name)
before = {*sys.modules}
for name in then: importlib.import_module(name)
print(json.dumps([*sys.modules.keys() - before]))
"""


def test_nothing_heavy_is_loaded() -> None:
    """The integration loads no library that Home Assistant has not loaded for itself and its entities."""
    manifest = json.loads((HOUSE / "manifest.json").read_text())
    components = (*manifest["after_dependencies"], *PLATFORMS)
    first = ["homeassistant.bootstrap", *(f"homeassistant.components.{name}" for name in components)]
    package = f"custom_components.{manifest['domain']}"
    then = [package, *(f"{package}.{room}" for room in ROOMS if "__" not in room)]
    ended = subprocess.run(  # noqa: S603 - nothing in it is from elsewhere
        [sys.executable, "-c", _IMPORT, json.dumps(first), json.dumps(then)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in json.loads(ended.stdout)}
    assert "custom_components" in loaded
    assert loaded <= {"custom_components", "homeassistant", *sys.stdlib_module_names}
