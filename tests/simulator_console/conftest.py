"""The fixtures of the simulator's own tests."""

from ..simulator.conftest import car, client, clock, simulator, sockets, switches

__all__ = ["car", "client", "clock", "simulator", "sockets", "switches"]
