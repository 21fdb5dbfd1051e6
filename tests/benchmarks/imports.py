"""How long the integration takes to import, where Home Assistant and all that it always has are imported."""

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

from .found import Imported
from .pairs import Took

_PACKAGE: Final = "custom_components.vehicle_remote_access"
# What is loaded only for an account that is simulated
_SELDOM: Final = {"simulation", "simulator"}
_DEFAULT: Final = "homeassistant.components.default_config"


def work(pipe: Connection) -> None:
    """Import what is always there, and then measure the integration's import as often as is asked."""
    _import_defaults()
    with TemporaryDirectory() as folder:
        # Compiled it is only once after it was installed.
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False
        _imported_once()
        while True:
            try:
                _, (times,) = pipe.recv()
            except EOFError:
                return
            pipe.send([_imported_once() for _ in range(times)])


def _import_defaults() -> None:
    """Import what every Home Assistant has imported that was set up in the usual way."""
    # What this machine lacks does not matter here.
    logging.disable()
    bootstrap = import_module("homeassistant.bootstrap")
    folder = import_module(_DEFAULT).__path__[0]
    manifest = json.loads(Path(folder, "manifest.json").read_text())
    for name in (*bootstrap.DEFAULT_INTEGRATIONS, *manifest["dependencies"]):
        try:
            import_module(f"homeassistant.components.{name}")
        except ModuleNotFoundError:
            # Its libraries are not among those that tests need.
            continue


def _imported_once() -> Imported:
    """Import it in a copy of this process, which has not."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_import, args=(there,))
    process.start()
    found: Imported = here.recv()
    process.join()
    return found


def _import(pipe: Connection) -> None:
    before = set(sys.modules)
    wall, processor = perf_counter(), process_time()
    package = import_module(_PACKAGE)
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in _SELDOM:
            import_module(f"{_PACKAGE}.{module.name}")
    took = Took((perf_counter() - wall) * 1e6, (process_time() - processor) * 1e6)
    more = {name.partition(".")[0] for name in set(sys.modules) - before}
    pipe.send(Imported(took, sorted(more - {_PACKAGE.partition(".")[0]} - sys.stdlib_module_names)))
