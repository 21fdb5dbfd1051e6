"""Startup: no wait for the service, no blocking of the event loop, no additional libraries."""

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
from .repository.test_architecture import INTEGRATION, MODULES, ROOT

# Not restored: the state of a car can change during the restart, and the others describe the polling.
NOT_RESTORED: Final = [
    ("binary_sensor", "state"),
    *(("sensor", path) for path in ("state", "polling_mode", "next_read")),
]


@pytest.mark.parametrize("cars", [1, 2])
async def test_startup_sends_one_request_at_most(
    entity_registry_enabled_by_default: None, hass_storage: dict[str, Any], home: Home
) -> None:
    """Startup sends one request at most, does not wait for its response, and shows restored states."""
    before, start = home.states(), dt_util.utcnow()
    home.simulator.faults.fail("silence", times=100)
    home.simulator.requests.clear()
    assert await home.while_it_takes(home.hass.config_entries.async_reload(home.entry.entry_id))
    assert dt_util.utcnow() == start
    after = home.states()
    changed = {entity_id for entity_id, state in before.items() if after[entity_id] != state}
    assert len(home.requests()) <= 1
    assert not changed - _not_restored(home)


def _not_restored(home: Home) -> set[str]:
    vins = [car.vin for car in home.simulator.vehicles]
    of_account = [("binary_sensor", "service_reachable"), ("sensor", "requests_today")]
    return {
        *(home.entity_id(*entity, vin) for entity in NOT_RESTORED for vin in vins),
        *(home.entity_id(*entity, home.entry.entry_id) for entity in of_account),
    }


@pytest.fixture
def strict_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make Home Assistant log all blocking calls in the event loop, also those that it ignores in tests."""
    monkeypatch.setattr(block_async_io, "_IN_TESTS", False)
    block_async_io.enable()
    yield
    calls = block_async_io._BLOCKED_CALLS.calls  # noqa: SLF001 - there is no public way to undo it
    for call in calls:
        setattr(call.object, call.function, call.original_func)
    calls.clear()


@pytest.mark.parametrize("account", ["real", "simulated"])
async def test_startup_does_not_block_the_loop(
    account: str, empty_home: Home, strict_loop: None, caplog: pytest.LogCaptureFixture
) -> None:
    """Setup and startup read no files, import no modules and do not sleep in the event loop."""
    if account == "real":
        await empty_home.set_up()
    else:
        form = await empty_home.start_flow("simulator")
        await empty_home.submit(form, vehicles=1, speed=1)
        await empty_home.idle()
    await empty_home.restart()
    assert "blocking call" not in caplog.text


# Imports the modules of the first list, then those of the second, and prints what the second list loaded.
_IMPORT: Final = """
import importlib, json, sys
first, then = map(json.loads, sys.argv[1:])
for name in first: importlib.import_module(name)
before = {*sys.modules}
for name in then: importlib.import_module(name)
print(json.dumps([*sys.modules.keys() - before]))
"""


def test_no_additional_library_is_loaded() -> None:
    """The integration loads no library that Home Assistant and its platforms have not loaded already."""
    manifest = json.loads((INTEGRATION / "manifest.json").read_text())
    components = (*manifest["after_dependencies"], *PLATFORMS)
    first = ["homeassistant.bootstrap", *(f"homeassistant.components.{name}" for name in components)]
    package = f"custom_components.{manifest['domain']}"
    then = [package, *(f"{package}.{module}" for module in MODULES if "__" not in module)]
    process = subprocess.run(  # noqa: S603 - all arguments come from this test
        [sys.executable, "-c", _IMPORT, json.dumps(first), json.dumps(then)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in json.loads(process.stdout)}
    assert "custom_components" in loaded
    assert loaded <= {"custom_components", "homeassistant", *sys.stdlib_module_names}
