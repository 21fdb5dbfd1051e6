"""Tests of the simulated service, over HTTP, as any client sees it."""
