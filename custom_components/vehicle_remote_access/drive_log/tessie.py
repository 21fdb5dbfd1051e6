"""Tessie's drives, charges and idles as rows of an import. docs/services.md has the sources of the fields."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ..api.value_types import LATITUDE, LONGITUDE, NUMBER, ODOMETER, PERCENT
from ..util.stored import is_position
from .importer import Row
from .zones import Zones

_OTHER_NAMES: Final = {
    "distance": "odometer_distance",
    "outside_temperature": "average_outside_temperature",
    "range_added": "miles_added",
}
_WAY: Final = ("distance", "start_odometer", "end_odometer")
_REASONS: Final = {"climate": "climate_fraction", "sentry": "sentry_fraction"}
_LATEST: Final = 1e11
_PARTS_WITH_TOWN: Final = 3


def past_rows(past: Iterable[tuple[str, Any]], zones: Zones, *, keep_positions: bool) -> Iterator[Row]:
    """Yield entries as rows of an import, in the units of the log. `past`: with their kinds in the log."""
    for kind, entry in past:
        values = _values(entry if isinstance(entry, dict) else {}, zones)
        kept = {name: value for name, value in values.items() if keep_positions or not is_position(name)}
        yield Row(kind, f"{kind} {values['start']}", kept, defaultdict(str))


def _values(entry: Mapping[str, Any], zones: Zones) -> dict[str, Any]:
    # starting_odometer is start_odometer. What is no column is not read.
    values = {name.replace("ing_", "_"): value for name, value in entry.items()}
    values |= {column: entry.get(field) for column, field in _OTHER_NAMES.items()}
    values |= {"start": _time(entry.get("started_at")), "end": _time(entry.get("ended_at"))}
    values |= {f"{prefix}place": _place(values, prefix, zones) for prefix in ("", "start_", "end_")}
    distance, start, end = (ODOMETER.read(values.get(name)) for name in _WAY)
    # The distance counts only where the odometer is unknown.
    if distance is not None and start is not None and end is None:
        values["end_odometer"] = start + distance
    elif distance is not None and end is not None and start is None:
        values["start_odometer"] = end - distance
    # Downhill, a drive can end with more range.
    values["range_used"] = ODOMETER.read(entry.get("rated_range_used")) or None
    is_fast = entry.get("is_fast_charger")
    is_direct = is_fast is True or entry.get("is_supercharger") is True
    values["current"] = "dc" if is_direct else "ac" if is_fast is False else None
    before, after = (PERCENT.read(values.get(name)) for name in ("start_battery", "end_battery"))
    values["battery_lost"] = None if before is None or after is None else before - after
    values["awake_reasons"] = [name for name, field in _REASONS.items() if NUMBER.read(entry.get(field))]
    return values


def _time(moment: Any) -> Any:
    """Return Unix seconds as a text that the import reads, and any other value as it is."""
    is_time = type(moment) in (int, float) and 0 <= moment < _LATEST
    return datetime.fromtimestamp(moment, UTC).isoformat() if is_time else moment


def _place(values: Mapping[str, Any], prefix: str, zones: Zones) -> Any:
    """Return the name of the zone, else that of the place that the owner saved, else the town."""
    latitude, longitude = (values.get(f"{prefix}{name}") for name in ("latitude", "longitude"))
    zone = zones.containing(LATITUDE.read(latitude), LONGITUDE.read(longitude))
    if zone is not None:
        return zone.name
    if saved := values.get(f"{prefix}saved_location"):
        return saved
    # "8055 Dean Martin Drive, Las Vegas, Nevada 89139, United States", "Rokin 7, 1012 Amsterdam, Netherlands"
    parts = str(values.get(f"{prefix}location") or "").split(",")
    words = parts[1 if len(parts) >= _PARTS_WITH_TOWN else 0].split()
    return " ".join(word for word in words if not any(map(str.isdigit, word))) or None
