"""Benchmark of the polling without one of its rules, in virtual time."""
