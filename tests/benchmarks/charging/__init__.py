"""Benchmark of the charging plan in a quarter of a year, in virtual time."""
