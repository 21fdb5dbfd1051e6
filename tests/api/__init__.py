"""Tests of the client: its tables, and its way of speaking to a service, over real HTTP."""
