"""Tests of the `simulated_account` package."""
