"""Benchmarks of the integration, which run outside pytest: `scripts/bench`."""
