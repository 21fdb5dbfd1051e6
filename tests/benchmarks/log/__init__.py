"""Benchmark of the log: a simulated year, compared with the simulator's own history."""
