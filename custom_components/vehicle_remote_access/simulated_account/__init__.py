"""What Home Assistant has for simulated accounts only: a past, and controls."""
