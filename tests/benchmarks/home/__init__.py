"""Benchmark of what the integration costs a home."""
