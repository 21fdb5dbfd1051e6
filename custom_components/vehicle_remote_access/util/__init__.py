"""What several packages use: time, positions, stored values, copies."""
