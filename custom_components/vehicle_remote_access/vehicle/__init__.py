"""One vehicle: its merged state, live reads, listeners, commands and energy meter."""
