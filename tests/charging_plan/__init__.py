"""Tests of the charging plan."""
