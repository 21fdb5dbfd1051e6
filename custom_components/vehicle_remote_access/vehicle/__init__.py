"""One vehicle: its merged state, its live reads, its listeners, its commands and what is stored of it."""
