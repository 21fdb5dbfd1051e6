"""`scripts/develop` as a process: Home Assistant with the integration, and the simulated service."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
import subprocess
from urllib.parse import quote

import aiohttp
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from development.process import COMMAND, SECONDS_TO_STOP, DevelopProcess, run_develop
from development.rest import ENTRIES, get, post, sign_in


async def is_closed(url: str) -> bool:
    async with aiohttp.ClientSession() as session:
        try:
            async with session.get(url):
                return False
        except aiohttp.ClientConnectorError:
            return True


@pytest.mark.exhaustive
async def test_start_interrupt_and_restart(tmp_path: Path) -> None:
    """Ctrl-C stops both programs. The next start finds the account and its past.

    If one program exits, the other stops.
    """
    folder = tmp_path / "home"
    with run_develop(folder, "--past") as first:
        _check_used_port(first, tmp_path / "other")
        assert "DEBUG" not in first.log.read_text()
        assert "DEBUG" in (folder / "home-assistant.log").read_text()
        first.interrupt()
        assert first.wait() == 0, first.log.read_text()
        # Home Assistant's own function for writing files would end lines.
        assert {"\n" in file.read_text() for file in (folder / ".storage").glob(f"{DOMAIN}.*")} == {False}
        assert await is_closed(first.home_assistant_url)
        assert await is_closed(first.simulator_url)

    port = first.simulator_url.rpartition(":")[2]
    with run_develop(folder, "--simulator-port", port) as second:
        async with aiohttp.ClientSession(second.home_assistant_url, raise_for_status=True) as session:
            session.headers["Authorization"] = f"Bearer {await sign_in(session, second.home_assistant_url)}"
            entries = await get(session, f"{ENTRIES}?domain={DOMAIN}")
            assert [entry["state"] for entry in entries] == ["loaded"]
            distance = await get(session, "/api/states/sensor.comet_last_drive_distance")
            assert float(distance["state"]) > 0
            week = (datetime.now(UTC) - timedelta(days=7)).isoformat()
            path = f"/api/history/period/{quote(week)}?filter_entity_id=sensor.comet_battery"
            (levels,) = await get(session, path)
            assert len({level["state"] for level in levels}) > 5
            await post(session, "/api/services/homeassistant/stop")
        assert second.wait() == 1
        assert "develop: Home Assistant exited unexpectedly with status 0" in second.log.read_text()
        assert await is_closed(second.home_assistant_url)
        assert await is_closed(second.simulator_url)


def _check_used_port(running: DevelopProcess, folder: Path) -> None:
    """Check that the script reports a port that another program uses, and creates no folder then."""
    port = running.home_assistant_url.rpartition(":")[2]
    process = subprocess.run(  # noqa: S603 - all arguments come from this test
        (*COMMAND, "--port", port, "--folder", folder),
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS_TO_STOP,
    )
    assert process.returncode == 2
    assert f"port {port} cannot be used" in process.stderr
    assert not folder.exists()
