"""The log of two years that version 1.0.0 stored of a simulated car, and the totals that 1.0.0 showed."""

from dataclasses import replace
import json
import lzma
from pathlib import Path
from typing import Any, Final

from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.totals import months
from custom_components.vehicle_remote_access.drive_log.view import LogView

from .log_files import MILES
from .simulated_year import UNTIL, ZONE

FIXTURE: Final = Path(__file__).parents[1] / "fixtures" / "log_of_two_years_by_1.0.0.json.xz"


def _without_new(shown: Any, before: Any) -> Any:
    """Return what is shown without the values that newer versions added."""
    if isinstance(before, dict):
        return {name: _without_new(shown[name], value) for name, value in before.items()}
    if isinstance(before, list):
        return [_without_new(*pair) for pair in zip(shown, before, strict=True)]
    return shown


def test_log_of_two_years() -> None:
    stored = json.loads(lzma.decompress(FIXTURE.read_bytes()))
    log = DriveLog.restored(stored["archive"], stored["journal"])
    assert [len(log.drives), len(log.charges), len(log.stays)] == [1715, 594, 1714]
    view = LogView(log, replace(MILES, zone=ZONE))
    before = stored["months"]["total"]
    total = _without_new(months(view, UNTIL)["total"], before)
    # A fast charger bills at least what reached the battery, which 1.0.0 did not know.
    assert 0 < total.pop("energy_used") - before.pop("energy_used") < 25
    assert total == before
    archive = stored["archive"]
    assert _without_new(json.loads(json.dumps(log.start_archive())), archive) == archive
