"""Benchmark of the integration's speed."""
