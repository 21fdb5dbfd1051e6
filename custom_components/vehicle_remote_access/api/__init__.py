"""The client of the vehicle remote-access service.

It knows nothing of Home Assistant. `records` is the table of fields, `commands` the table of commands.
"""
