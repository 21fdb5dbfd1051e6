"""What `scripts/simulate` adds to the simulator: a command line, an admin page, a recording and a log."""
