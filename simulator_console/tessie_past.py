"""What Tessie has recorded of a car: a year of drives, charges and idles before the simulation began.

Written from https://developer.tessie.com/reference/get-drives, .../get-charges and .../get-idles. These pages
leave out some fields that Tessie sends: the odometer of a drive, the saved locations, and `is_fast_charger`.

Each drive begins at the odometer at which the last one ended, and the last one ends at that of the car. As in
a real account, some records are missing or wrong: see `PECULIARITIES`.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from random import Random
from typing import Final, NamedTuple

from custom_components.vehicle_remote_access.simulator import Point, SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.persistence import Json

DAYS: Final = 365
DAY: Final = 86_400.0
HOUR: Final = 3600.0
MOST_MILES: Final = 12_000.0
USUAL_SHARE: Final = 0.9
"""At most this share of the odometer is from that year."""
SPEED: Final = 34.0
USABLE: Final = 75.0
KWH_PER_MILE: Final = 0.27
RATED_KWH_PER_MILE: Final = 0.25
LOSS_PER_DAY: Final = 0.8
AT_HOME, AT_FAST_CHARGER = 11.0, 120.0
CHARGER_LOSS: Final = 1.1
PRICE: Final = 0.28
LOW: Final = 40.0
FULL: Final = 80.0
SATURDAY: Final = 5
FAST_EVERY: Final = 9
KILOMETERS_PER_MILE: Final = 1.609344
FIRST_ID: Final = 1_363_162

MISSING, WRONG_DISTANCE, TWICE, INCOMPLETE = 100, 200, 300, 400
PECULIARITIES: Final = {
    MISSING: "Tessie did not record this drive",
    WRONG_DISTANCE: "odometer_distance is twice what the odometer shows",
    TWICE: "Tessie recorded this drive twice, with times that overlap",
    INCOMPLETE: "some fields are null, also the odometer at the end",
}
"""By the number of the drive. Each charge at a fast charger has no cost."""

DISTANCES: Final = {
    "starting_odometer", "ending_odometer", "odometer_distance", "average_speed", "max_speed",
    "rated_range_used", "ideal_range_used", "autopilot_distance", "odometer", "miles_added",
    "miles_added_ideal", "since_last_charge",
}  # fmt: skip
"""The fields that `distance_format` applies to."""
TEMPERATURES: Final = {"average_inside_temperature", "average_outside_temperature"}


class Place(NamedTuple):
    """Where a car is: its name in Tessie if the owner saved it, and its address."""

    point: Point
    saved: str | None
    address: str

    def fields(self, prefix: str = "") -> Json:
        return {
            f"{prefix}location": self.address,
            f"{prefix}saved_location": self.saved,
            f"{prefix}latitude": round(self.point.latitude, 6),
            f"{prefix}longitude": round(self.point.longitude, 6),
        }


class TessiePast:
    """What Tessie has recorded of one car. Tests can change `drives`, `charges` and `idles`."""

    def __init__(self, vehicle: SimulatedVehicle, odometer: float, until: float) -> None:
        """`odometer`: that of the car at the end of the past."""
        self.drives: list[Json] = []
        self.charges: list[Json] = []
        self.idles: list[Json] = []
        self._random = Random(vehicle.vin)  # noqa: S311 - a repeatable past, not secrets
        self._ids, self._numbers = count(FIRST_ID), count(1)
        home = vehicle.home.point
        self._home = Place(home, "Home", "12 Garden Street, Springfield, Oregon 97477, United States")
        work = Place(home.beyond(11, 60), "Work", "500 Main Street, Eugene, Oregon 97401, United States")
        shop = Place(home.beyond(4, 200), None, "Mill Road, 97478 Thurston, United States")
        self._trips: Mapping[bool, Place] = {False: work, True: shop}
        self._level = FULL
        self._at = (until // DAY - DAYS) * DAY
        self._since_charge = 0.0
        miles = [self._random.uniform(4, 30) for _ in range(2 * DAYS)]
        scale = min(MOST_MILES, odometer * USUAL_SHARE) / sum(miles)
        self._odometer = odometer - scale * sum(miles)
        self._live(iter([each * scale for each in miles]))
        # The last odometer is that of the car, without what was lost by rounding.
        self.drives[-1]["ending_odometer"] = round(odometer, 2)

    def _live(self, miles: Iterator[float]) -> None:
        midnight = self._at
        for day in range(DAYS):
            start = midnight + day * DAY
            there = self._trips[datetime.fromtimestamp(start, UTC).weekday() >= SATURDAY]
            self._drive(start + self._random.uniform(7, 9) * HOUR, next(miles), self._home, there)
            is_fast = len(self.charges) % FAST_EVERY == FAST_EVERY - 1
            if self._level < LOW and is_fast:
                self._charge(start + 12 * HOUR, there, is_fast=True)
            self._drive(start + self._random.uniform(16, 18) * HOUR, next(miles), there, self._home)
            if self._level < LOW and not is_fast:
                self._charge(start + 20 * HOUR, self._home, is_fast=False)

    def _idle(self, until: float, place: Place) -> None:
        lost = LOSS_PER_DAY * (until - self._at) / DAY
        is_warmed = self._random.random() < 0.2  # noqa: PLR2004 - on some mornings
        self.idles.append(
            {
                **self._record(self._at, until),
                **place.fields(),
                **self._battery(-lost),
                "rated_range_used": round(lost / 100 * USABLE / RATED_KWH_PER_MILE, 2),
                "ideal_range_used": None,
                "climate_fraction": 0.02 if is_warmed else 0,
                "sentry_fraction": 0 if place is self._home else 1,
                "energy_used": round(lost / 100 * USABLE, 2),
            }
        )

    def _drive(self, start: float, miles: float, origin: Place, destination: Place) -> None:
        self._idle(start, origin)
        end, odometer, energy = start + miles / SPEED * HOUR, self._odometer + miles, miles * KWH_PER_MILE
        drive = {
            **self._record(start, end),
            "tag": "Work" if origin.saved == "Work" or destination.saved == "Work" else None,
            **origin.fields("starting_"),
            "starting_odometer": round(self._odometer, 2),
            **destination.fields("ending_"),
            "ending_odometer": round(odometer, 2),
            **self._battery(-100 * energy / USABLE),
            "average_inside_temperature": 20.5,
            "average_outside_temperature": round(self._random.uniform(-3, 24), 2),
            "average_speed": round(SPEED),
            "max_speed": 62,
            "rated_range_used": round(energy / RATED_KWH_PER_MILE, 2),
            "ideal_range_used": None,
            "odometer_distance": round(miles, 2),
            "autopilot_distance": None,
            "energy_used": round(energy, 2),
        }
        self._odometer, self._at = odometer, end
        self._since_charge += miles
        self._keep(drive, next(self._numbers))

    def _keep(self, drive: Json, number: int) -> None:
        if number == MISSING:
            return
        if number == WRONG_DISTANCE:
            drive["odometer_distance"] *= 2
        if number == INCOMPLETE:
            nulls = (
                "ending_odometer",
                "average_outside_temperature",
                "ending_saved_location",
                "tag",
                "max_speed",
            )
            drive |= dict.fromkeys(nulls)
        self.drives.append(drive)
        if number == TWICE:
            again = {"id": next(self._ids), "started_at": drive["started_at"] + 60}
            self.drives.append({**drive, **again})

    def _charge(self, start: float, place: Place, *, is_fast: bool) -> None:
        self._idle(start, place)
        percent = FULL - self._level
        added, used = percent / 100 * USABLE, percent / 100 * USABLE * (1 if is_fast else CHARGER_LOSS)
        end = start + added / (AT_FAST_CHARGER if is_fast else AT_HOME) * HOUR
        self.charges.append(
            {
                **self._record(start, end),
                **place.fields(),
                "is_supercharger": is_fast,
                "is_fast_charger": is_fast,
                "odometer": round(self._odometer, 2),
                "energy_added": round(added, 2),
                "energy_used": round(used, 2),
                "miles_added": round(added / RATED_KWH_PER_MILE, 2),
                "miles_added_ideal": round(added / RATED_KWH_PER_MILE, 2),
                **self._battery(percent),
                "max_range": 300.0,
                "max_ideal_range": 300.0,
                "capacity": USABLE,
                "cost": None if is_fast else round(used * PRICE, 2),
                "since_last_charge": round(self._since_charge, 2),
            }
        )
        self._at, self._since_charge = end, 0.0

    def _record(self, start: float, end: float) -> Json:
        times = {"started_at": round(start), "ended_at": round(end)}
        return {
            "id": next(self._ids),
            "import_id": None,
            **times,
            "created_at": round(end),
            "updated_at": None,
        }

    def _battery(self, change: float) -> Json:
        """Return the levels before and after a change of the battery in percent."""
        before = self._level
        self._level = min(max(before + change, 5.0), 100.0)
        return {"starting_battery": round(before), "ending_battery": round(self._level)}


def answer(entries: list[Json], query: Mapping[str, str]) -> Json:
    """Return what an endpoint answers: the newest entry first."""
    start, end = float(query.get("from", 0)), float(query.get("to", 1e12))
    found = [each for each in entries if not isinstance(each, dict) or start <= each["started_at"] <= end]
    newest = found[::-1][: int(query["limit"]) if "limit" in query else None]
    return {"results": [_converted(each, query) if isinstance(each, dict) else each for each in newest]}


def _converted(entry: Json, query: Mapping[str, str]) -> Json:
    converted = dict(entry)
    for name, value in entry.items():
        if not isinstance(value, int | float):
            continue
        if name in DISTANCES and query.get("distance_format") == "km":
            converted[name] = round(value * KILOMETERS_PER_MILE, 2)
        if name in TEMPERATURES and query.get("temperature_format") == "f":
            converted[name] = round(value * 1.8 + 32, 2)
    return converted
