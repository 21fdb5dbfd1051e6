"""What the integration costs and what it gives, measured outside pytest: `scripts/bench`."""
