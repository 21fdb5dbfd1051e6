"""The Cars dashboard: the panel in the sidebar and the scripts that draw it."""
