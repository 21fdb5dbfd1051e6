"""The fixtures of the simulator's own tests."""

from ..simulator.conftest import car, client, clock, fleet, simulator

__all__ = ["car", "client", "clock", "fleet", "simulator"]
