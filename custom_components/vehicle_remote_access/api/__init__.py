"""Client for the vehicle remote-access service, independent of Home Assistant.

`records` holds the table of fields, `commands` the table of commands. They cite the interface
document, which is docs/interface.md.
"""
