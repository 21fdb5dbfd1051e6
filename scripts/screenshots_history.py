"""Writes the history of the days before the start to the database, for `scripts/screenshots`."""
# ruff: noqa: INP001 - a script, not a module

from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
import sqlite3
import time
from typing import Final

from scripts.screenshots_studio import Studio

HOURS_PER_DAY: Final = 24
STEPS_PER_HOUR: Final = 6
SECONDS_PER_HOUR: Final = 3600
MILLISECONDS_TO_RECORD: Final = 7000
"""Home Assistant writes states to its database every five seconds."""
DATABASE: Final = "home-assistant_v2.db"

Curve = tuple[tuple[float, float], ...]
"""Pairs of hours ago and a value, with straight lines between them."""
TEMPERATURES: Final[dict[str, Curve]] = {
    "sensor.climate_state_inside_temp": (
        *((24, 12), (17, 6), (10.8, 5), (10.5, 20), (9.8, 21), (6, 12), (2.2, 12), (1.9, 20), (0, 18)),
    ),
    "sensor.climate_state_outside_temp": ((24, 7), (12, 4), (3.5, 11), (0, 7.5)),
}
"""The temperatures of a day."""
BATTERY: Final = "sensor.charge_state_battery_level"
LEVELS: Final[Curve] = (
    *((24, 73), (23.3, 80), (10.5, 79), (9.8, 71), (1.9, 70), (1.3, 61), (1.2, 61), (0, 73)),
)
"""The battery levels of a normal day."""
LIMIT: Final = 80
TOTALS: Final = {
    "sensor.charge_state_charge_energy_added_lifetime": 14,
    "sensor.vehicle_state_odometer": 48,
}
"""The increase of each meter of the car on a normal day."""
DRIVES: Final = (1, 1.2, 0.3, 0.5, 1.4, 0.8, 1)
"""How much the car was driven today and on the days before, relative to a normal day."""
DAYS_OF_LEVELS: Final = 8
DAYS_OF_TOTALS: Final = 366

MEAN_TYPES: Final = {True: 0, False: 1}
"""Home Assistant's codes for no mean and for an arithmetic mean, by whether the statistics have a sum."""


def write_temperatures(studio: Studio) -> None:
    """Write the temperatures of the past day, in place of those that Home Assistant has recorded."""
    studio.page.wait_for_timeout(MILLISECONDS_TO_RECORD)
    now = time.time()
    with closing(sqlite3.connect(studio.folder / DATABASE, timeout=30)) as database, database:
        for key, curve in TEMPERATURES.items():
            query = "SELECT metadata_id FROM states_meta WHERE entity_id = ?"
            (entity,) = database.execute(query, (studio.entity_id(key),)).fetchone()
            database.execute("UPDATE states SET last_updated_ts = 0 WHERE metadata_id = ?", (entity,))
            hours = [step / STEPS_PER_HOUR for step in range(HOURS_PER_DAY * STEPS_PER_HOUR, 0, -1)]
            database.executemany(
                "INSERT INTO states (metadata_id, last_updated_ts, state) VALUES (?, ?, ?)",
                [(entity, now - ago * SECONDS_PER_HOUR, f"{value_at(curve, ago):.1f}") for ago in hours],
            )


def write_statistics(studio: Studio) -> None:
    """Write long-term statistics of the battery level and of meters."""
    levels = {}
    for ago in range(1, DAYS_OF_LEVELS * HOURS_PER_DAY):
        days, hours = divmod(ago, HOURS_PER_DAY)
        level = LIMIT - (LIMIT - value_at(LEVELS, hours)) * drives(days)
        levels[ago] = {"mean": level, "min": level, "max": level}
    import_statistics(studio, BATTERY, levels, has_sum=False)
    for key, per_day in TOTALS.items():
        total, totals = 0.0, {}
        for days in range(DAYS_OF_TOTALS, 0, -1):
            total += per_day * drives(days)
            totals[days * HOURS_PER_DAY] = {"state": total, "sum": total}
        import_statistics(studio, key, totals, has_sum=True)


def import_statistics(
    studio: Studio, key: str, values: dict[int, dict[str, float]], *, has_sum: bool
) -> None:
    """Write statistics of an entity. `values`: by hours ago."""
    entity_id = studio.entity_id(key)
    (known,) = studio.send("recorder/get_statistics_metadata", statistic_ids=[entity_id])
    metadata = {
        "source": "recorder",
        "statistic_id": entity_id,
        "name": None,
        "has_sum": has_sum,
        "mean_type": MEAN_TYPES[has_sum],
        "unit_class": known["unit_class"],
        "unit_of_measurement": known["statistics_unit_of_measurement"],
    }
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    stats = [{"start": (now - timedelta(hours=ago)).isoformat(), **each} for ago, each in values.items()]
    studio.send("recorder/import_statistics", metadata=metadata, stats=stats)


def drives(days_ago: int) -> float:
    """Return how much the car was driven on a day, relative to a normal day."""
    return DRIVES[days_ago % len(DRIVES)]


def value_at(curve: Curve, ago: float) -> float:
    """Return the value of a curve at a time within it."""
    return next(
        first + (last - first) * (start - ago) / (start - end)
        for (start, first), (end, last) in pairwise(curve)
        if start >= ago >= end
    )
