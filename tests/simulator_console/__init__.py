"""Tests of the console of `scripts/simulate`."""
