"""How the simulated service departs from the interface document, or fails."""
