"""One vehicle: its merged data, live reads and commands."""
