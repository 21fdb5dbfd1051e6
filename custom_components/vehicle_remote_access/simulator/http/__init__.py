"""The simulated service over HTTP."""
