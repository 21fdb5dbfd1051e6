"""The log of the first car of `scripts/develop`, whose simulated owner drives and charges it for a year."""

from contextlib import closing
from pathlib import Path
import sqlite3
import time
from typing import Final

from custom_components.vehicle_remote_access.drive_log.charges import ChargeTracker
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.drives import DriveTracker
from custom_components.vehicle_remote_access.drive_log.entries import ChargeSample, DriveSample
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.samples import Samples
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones
from custom_components.vehicle_remote_access.simulated_account.car_past import PastOptions, create_past
from custom_components.vehicle_remote_access.simulator import Home, ManualClock, Simulator
from development.commuter_log import DAY, ZONE

DATABASE: Final = "home-assistant_v2.db"
NIGHT: Final = 3 * 3600
"""After midnight, in UTC."""
KEPT: Final = 10 * DAY.total_seconds()
"""How long Home Assistant keeps states."""


def a_year(seed: int, home: Zone) -> tuple[DriveLog, Samples]:
    """Return the log, with positions and curves, which takes seconds."""
    now = time.time()
    # At night, when the car is at home, as it is at the service
    until = now - (now - NIGHT) % DAY.total_seconds()
    simulator = Simulator(
        seed=seed,
        clock=ManualClock(until - 365 * DAY.total_seconds()),
        home=Home.at(home.latitude, home.longitude, ZONE),
        routine=True,
    )
    options = PastOptions(
        zones=Zones([home]),
        names={"work": "Work", "shop": "Supermarket"},
        prices=Prices(home=0.26, away=0.59),
        currency="EUR",
        time_zone=ZONE,
        keep_positions=True,
    )
    (past,) = create_past(simulator, options, until, lambda _: None).values()
    log = past.log
    # The car that the service plays has not lived this year: only what has ended is kept, up to its odometer.
    driven = (log.drives[-1].end_odometer or 0.0) - (log.drives[0].start_odometer or 0.0)
    drives = [
        drive._replace(
            start_odometer=(drive.start_odometer or 0.0) - driven,
            end_odometer=(drive.end_odometer or 0.0) - driven,
        )
        for drive in log.drives
    ]
    log = DriveLog(
        drives=drives,
        charges=log.charges,
        stays=log.stays,
        drive_tracker=DriveTracker(next_id=log.drive_tracker.next_id),
        charge_tracker=ChargeTracker(next_id=log.charge_tracker.next_id),
        revision=log.revision,
    )
    return log, past.samples


def write_history(folder: Path, samples: Samples) -> None:
    """Write the battery levels of the last days to the database of a Home Assistant that is not running."""
    levels: list[DriveSample | ChargeSample]
    levels = [*samples.of_type(DriveSample), *samples.of_type(ChargeSample)]
    since = time.time() - KEPT
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        database.executemany(
            "INSERT INTO states (metadata_id, last_updated_ts, state) "
            "SELECT metadata_id, ?, ? FROM states_meta WHERE entity_id LIKE 'sensor.%_battery'",
            [(each.at, str(each.level)) for each in levels if each.at > since],
        )
