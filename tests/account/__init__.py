"""Tests of the `account` package."""
