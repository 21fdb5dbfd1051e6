"""Prints the packages that Home Assistant installs at its first start, for `scripts/setup`.

They are the requirements of the integrations that it always loads, and of their dependencies.
"""
# ruff: noqa: INP001 - a script, not a module

import json
from pathlib import Path
import sys
from typing import Final

import homeassistant
from homeassistant.bootstrap import DEFAULT_INTEGRATIONS

COMPONENTS: Final = Path(homeassistant.__file__).parent / "components"
# The versions that Home Assistant requires have no wheel for this Python.
VERSIONS_WITH_WHEEL: Final = {"pymicro-vad": "2.1.0", "pyspeex-noise": "2.0.1"}


def main() -> None:
    """Print each requirement on its own line."""
    requirements: set[str] = set()
    pending = {*DEFAULT_INTEGRATIONS, "history", "logbook", "recorder"}
    pending.add("hassio")  # imported by analytics
    seen: set[str] = set()
    while pending:
        domain = pending.pop()
        seen.add(domain)
        manifest = json.loads((COMPONENTS / domain / "manifest.json").read_text())
        requirements.update(manifest.get("requirements", ()))
        pending.update(set(manifest.get("dependencies", ())) - seen)
    for requirement in sorted(requirements, key=str.lower):
        name, _, version = requirement.partition("==")
        sys.stdout.write(f"{name}=={VERSIONS_WITH_WHEEL.get(name, version)}\n")


if __name__ == "__main__":
    main()
