"""The schedules that a client stores in the car."""

from dataclasses import dataclass, field

from custom_components.vehicle_remote_access.simulator.persistence import Json, Persistent


@dataclass
class Schedules(Persistent):
    """The departure, and the lists of schedules by id. The car reports them, but does not follow them."""

    departure: Json = field(default_factory=dict)
    """The settings of the scheduled departure, empty if it is off."""
    solar: Json = field(default_factory=dict)
    """Whether the car charges with solar power, and between which levels, empty before the first command."""
    charge: dict[str, Json] = field(default_factory=dict)
    precondition: dict[str, Json] = field(default_factory=dict)
