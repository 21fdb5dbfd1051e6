"""The steps of the config flows, and their forms."""
