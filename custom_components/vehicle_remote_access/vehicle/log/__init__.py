"""The log of one vehicle: every drive, charge and stay. Only `keeper` and `storage` know Home Assistant."""
