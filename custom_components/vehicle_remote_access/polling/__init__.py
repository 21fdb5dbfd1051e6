"""When to ask the car, learned from what it did. No Home Assistant."""
