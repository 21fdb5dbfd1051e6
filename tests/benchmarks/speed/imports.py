"""Measures the import of integrations in a process that has imported Home Assistant's default modules."""

from importlib import import_module
import json
import logging
import multiprocessing
from pathlib import Path
import pkgutil
from statistics import median
import sys
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final, NamedTuple

INTEGRATION: Final = "custom_components.vehicle_remote_access"
TESSIE: Final = "homeassistant.components.tessie"
_SIMULATOR: Final = f"{INTEGRATION}.simulator"
# Imported only for simulated accounts, for an enabled calendar, and for assistants
_RARE_MODULES: Final = {"simulator", "simulated_account", "calendar", "llm"}
_DEFAULT_CONFIG: Final = "homeassistant.components.default_config"
_TIMES: Final = 9


class Imports(NamedTuple):
    """What the import of an integration takes."""

    milliseconds: float
    libraries: set[str]
    """Those that only this integration imports."""


def measure_imports(package: str) -> Imports:
    """Return what the import of a package takes, in a process that has not imported it."""
    # Warnings about missing system libraries don't matter here.
    logging.disable()
    bootstrap = import_module("homeassistant.bootstrap")
    manifest = json.loads(Path(import_module(_DEFAULT_CONFIG).__path__[0], "manifest.json").read_text())
    for name in (*bootstrap.DEFAULT_INTEGRATIONS, *manifest["dependencies"]):
        try:
            import_module(f"homeassistant.components.{name}")
        except ModuleNotFoundError:
            # The test requirements don't include all libraries.
            continue
    with TemporaryDirectory() as folder:
        # Bytecode is compiled only at the first start after an installation: not in a measured import.
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False
        # A fork of this process has not imported the integration.
        with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
            results = pool.map(_measure_import, [package] * (_TIMES + 1), chunksize=1)[1:]
    return Imports(median(each.milliseconds for each in results), set().union(*(one[1] for one in results)))


def _measure_import(package: str) -> Imports:
    before, start = set(sys.modules), perf_counter()
    for module in pkgutil.iter_modules(import_module(package).__path__):
        if module.name not in _RARE_MODULES:
            import_module(f"{package}.{module.name}")
    milliseconds = (perf_counter() - start) * 1e3
    assert _SIMULATOR not in sys.modules
    imported = {name.partition(".")[0] for name in sys.modules.keys() - before}
    return Imports(milliseconds, imported - {package.partition(".")[0]} - sys.stdlib_module_names)
