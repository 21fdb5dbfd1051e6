"""Faults of the simulated service, and switches for its variants."""
