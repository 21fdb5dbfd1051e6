"""Writes a log into the storage of a Home Assistant that is not running."""

import json
from pathlib import Path
from typing import Any

from custom_components.vehicle_remote_access.account.storage import log_names, samples_name
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.samples import Samples


def write_log(folder: Path, log: DriveLog, samples: Samples | None = None) -> None:
    """Replace the log of the first car in a folder of `scripts/develop`."""
    storage = folder / ".storage"
    entries = json.loads((storage / "core.config_entries").read_text())["data"]["entries"]
    subentries = next(entry for entry in entries if entry["domain"] == DOMAIN)["subentries"]
    name = next(each["subentry_id"] for each in subentries if each["subentry_type"] == "vehicle")
    archive, *others = log_names(name)
    _write(storage, archive, log.start_archive())
    for other in others:
        (storage / f"{DOMAIN}.{other}").unlink(missing_ok=True)
    for month, each in (samples or Samples()).by_month().items():
        _write(storage, samples_name(name, month), {"samples": json.dumps(each.as_json())})


def _write(storage: Path, name: str, data: Any) -> None:
    key = f"{DOMAIN}.{name}"
    content = {"version": 1, "minor_version": 1, "key": key, "data": data}
    (storage / key).write_text(json.dumps(content))
