"""Random steps of a car, and what is observed after each."""

from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from custom_components.vehicle_remote_access.drive_log.entries import Observation

CHARGING: Final = [None, "charging", "starting", "stopped", "complete", "disconnected", "no_power"]


class Step(NamedTuple):
    """What happens to the car, and what is seen of it afterwards."""

    seconds: float
    miles: float
    energy: float
    is_driving: bool
    charging: str | None
    is_asleep: bool
    missing: frozenset[str]
    place: str
    clock: float
    """By how much the clock is set back."""
    is_restarted: bool


STEPS: Final = st.builds(
    Step,
    seconds=st.sampled_from([1.0, 60.0, 61.0, 170.0, 400.0, 1000.0, 40_000.0, 600_000.0]),
    miles=st.sampled_from([0.0, 0.0, 0.05, 0.4, 1.0, 4.0]),
    energy=st.sampled_from([0.0, 0.0, 0.05, 0.3, 1.0, 30.0]),
    is_driving=st.booleans(),
    charging=st.sampled_from(CHARGING),
    is_asleep=st.booleans(),
    missing=st.frozensets(st.sampled_from(["odometer", "energy", "level", "range", "power", "is_home"])),
    place=st.sampled_from(["Home", "Home", "Home", "Work", "Friend", "Charger"]),
    clock=st.sampled_from([0.0, 0.0, 0.0, 0.0, 2.0, 7200.0, 1e7]),
    is_restarted=st.booleans(),
)


def observed_after(step: Step, now: float, miles: float, energy: float) -> Observation:
    values: dict[str, Any] = {
        "odometer": miles,
        "energy": energy,
        "level": 50.0,
        "range": 120.0,
        "power": 7.0,
        "is_home": step.place == "Home",
        "place": step.place,
    }
    values |= dict.fromkeys(step.missing)
    if step.is_asleep:
        return Observation(at=now, is_asleep=True)
    return Observation(at=now, is_driving=step.is_driving, charging=step.charging, **values)
