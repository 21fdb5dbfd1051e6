"""Tests of the client: its tables and its requests over real HTTP."""
