"""The simulated vehicle: its parts, their physics, and the owner who uses it."""
