"""Shared by several benchmarks."""
