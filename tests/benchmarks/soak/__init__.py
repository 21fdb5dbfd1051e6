"""Benchmark of a month with faults, in virtual time."""
