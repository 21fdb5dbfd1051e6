"""Client for the vehicle remote-access service, independent of Home Assistant."""
