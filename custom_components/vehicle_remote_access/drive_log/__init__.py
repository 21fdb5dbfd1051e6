"""The log of one vehicle: every drive, charge and stay. The rules know neither a clock nor Home Assistant."""
