"""When to ask the service and the car. No Home Assistant, no network."""
