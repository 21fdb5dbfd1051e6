"""Tests of the `vehicle` package."""
