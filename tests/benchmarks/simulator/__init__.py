"""Benchmark of the simulated service."""
