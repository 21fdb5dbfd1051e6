"""Measures the import of the integration in a process that has imported Home Assistant's default modules."""

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
from typing import Final

_PACKAGE: Final = "custom_components.vehicle_remote_access"
_SIMULATOR: Final = f"{_PACKAGE}.simulator"
# Imported only for simulated accounts, for an enabled calendar, and for assistants
_RARE_MODULES: Final = {"simulator", "simulated_account", "calendar", "llm"}
_DEFAULT_CONFIG: Final = "homeassistant.components.default_config"
_TIMES: Final = 9


def measure_imports() -> tuple[float, set[str]]:
    """Return the milliseconds, and the libraries that only the integration imports."""
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
            results = pool.map(_measure_import, range(_TIMES + 1), chunksize=1)[1:]
    return median(time for time, _ in results), set().union(*(libraries for _, libraries in results))


def _measure_import(_: int) -> tuple[float, set[str]]:
    before, start = set(sys.modules), perf_counter()
    package = import_module(_PACKAGE)
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in _RARE_MODULES:
            import_module(f"{_PACKAGE}.{module.name}")
    milliseconds = (perf_counter() - start) * 1e3
    assert _SIMULATOR not in sys.modules
    imported = {name.partition(".")[0] for name in sys.modules.keys() - before}
    return milliseconds, imported - {_PACKAGE.partition(".")[0]} - sys.stdlib_module_names
