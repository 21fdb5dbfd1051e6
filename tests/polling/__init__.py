"""Tests of the `polling` package."""
