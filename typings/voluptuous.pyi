# Home Assistant loads probatio under this name since 2026.9, and its own types are probatio's.
from probatio import *  # noqa: F403 - the same names
