"""The zones of Home Assistant name the places of the log."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive, Entries, Stay
from custom_components.vehicle_remote_access.drive_log.zones import Zone, Zones

HOME: Final = Zone("Home", 52.0, 5.0, 100, is_home=True)
TOWN: Final = Zone("Town", 52.0, 5.0, 5000)
CHARGER: Final = Zone("Fast charger", 52.2, 5.0, 100, is_passive=True)
PARK: Final = Zone("Park", 52.2, 5.0, 4000)
ISLAND: Final = Zone("Island", 0.0, 179.9999, 100)


@pytest.mark.parametrize(
    ("position", "name"),
    [
        ((52.0005, 5.001), "Home"),
        ((52.02, 5.0), "Town"),
        ((52.2, 5.0), "Fast charger"),
        ((52.3, 5.0), None),
        ((0.0, -179.9999), "Island"),
        ((None, None), None),
    ],
    ids=["smallest", "larger", "passive", "outside", "date line", "unknown"],
)
def test_zone_at_a_position(position: tuple[float | None, float | None], name: str | None) -> None:
    zone = Zones([TOWN, CHARGER, HOME, ISLAND]).containing(*position)
    assert (zone and zone.name) == name


def test_passive_zone_counts_only_where_there_is_no_other() -> None:
    zone = Zones([CHARGER, PARK]).containing(52.2, 5.0)
    assert zone == PARK


def test_entry_without_a_place_has_the_name_of_the_zone_at_its_position() -> None:
    there: dict[str, Any] = {"end_latitude": 52.2, "end_longitude": 5.0}
    drive = Drive(
        "drive-1", 0.0, 10.0, start_place="Old home", start_latitude=52.2, start_longitude=5.0, **there
    )
    charge = Charge("charge-1", 20.0, 30.0, latitude=52.2, longitude=5.0)
    unknown = Charge("charge-2", 40.0, 50.0)
    drives, charges, stays = Zones([CHARGER]).named(
        Entries([drive], [charge, unknown], [Stay("stay-1", 10.0, 60.0), Stay("stay-2", 70.0, 80.0)])
    )
    assert (drives[0].start_place, drives[0].end_place) == ("Old home", "Fast charger")
    assert [each.place for each in charges] == ["Fast charger", None]
    assert [each.place for each in stays] == ["Fast charger", None]
