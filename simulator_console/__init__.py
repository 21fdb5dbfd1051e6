"""The simulated service as a program of its own, with an admin page, a log and a recording."""
