"""How well the arrival of a car at home is predicted, on simulated drives."""
