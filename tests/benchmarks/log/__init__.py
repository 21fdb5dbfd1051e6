"""Benchmark of the log: a simulated year, compared with what the car really did."""
