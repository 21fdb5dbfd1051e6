"""Tests of the `dashboard` package."""
