"""Tests of the charging plan, without Home Assistant."""
