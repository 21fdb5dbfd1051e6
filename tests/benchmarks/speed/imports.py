"""Measures the import of the integration in a process that has imported Home Assistant's default modules."""

from importlib import import_module
import json
import logging
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
import pkgutil
import sys
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from .results import ImportResult
from .timing import Duration

_PACKAGE: Final = "custom_components.vehicle_remote_access"
# Imported only for simulated accounts
_SIMULATION_MODULES: Final = {"simulation", "simulator"}
_DEFAULT_CONFIG: Final = "homeassistant.components.default_config"


def work(pipe: Connection) -> None:
    """Import Home Assistant's default modules, then measure the integration's import on each request."""
    _import_defaults()
    with TemporaryDirectory() as folder:
        # Bytecode is compiled only at the first start after an installation.
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False
        _measure_import()
        while True:
            try:
                _, (times,) = pipe.recv()
            except EOFError:
                return
            pipe.send([_measure_import() for _ in range(times)])


def _import_defaults() -> None:
    """Import the modules that every default Home Assistant imports."""
    # Warnings about missing system libraries don't matter here.
    logging.disable()
    bootstrap = import_module("homeassistant.bootstrap")
    folder = import_module(_DEFAULT_CONFIG).__path__[0]
    manifest = json.loads(Path(folder, "manifest.json").read_text())
    for name in (*bootstrap.DEFAULT_INTEGRATIONS, *manifest["dependencies"]):
        try:
            import_module(f"homeassistant.components.{name}")
        except ModuleNotFoundError:
            # The test requirements don't include all libraries.
            continue


def _measure_import() -> ImportResult:
    """Measure in a fork of this process, which has not imported the integration."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_import, args=(there,))
    process.start()
    result: ImportResult = here.recv()
    process.join()
    return result


def _import(pipe: Connection) -> None:
    before = set(sys.modules)
    wall, cpu = perf_counter(), process_time()
    package = import_module(_PACKAGE)
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in _SIMULATION_MODULES:
            import_module(f"{_PACKAGE}.{module.name}")
    duration = Duration((perf_counter() - wall) * 1e6, (process_time() - cpu) * 1e6)
    imported = {name.partition(".")[0] for name in set(sys.modules) - before}
    libraries = imported - {_PACKAGE.partition(".")[0]} - sys.stdlib_module_names
    pipe.send(ImportResult(duration, sorted(libraries)))
