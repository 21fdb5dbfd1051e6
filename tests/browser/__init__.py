"""Tests of what a person sees: a browser at a Home Assistant that runs as a process of its own."""
