"""The past of simulated accounts and the controls of the simulation, which real accounts do not have."""
