"""Benchmark of whole days with a car, in virtual time."""
