"""The command line of the simulated service."""

import argparse
import asyncio
from dataclasses import fields
import math
from pathlib import Path
import signal
import sys
from typing import Any, Final

from aiohttp import web

from custom_components.vehicle_remote_access.simulator.clock import FASTEST, SLOWEST, Clock
from custom_components.vehicle_remote_access.simulator.faults.switches import Switches
from custom_components.vehicle_remote_access.simulator.http.server import Simulator
from custom_components.vehicle_remote_access.simulator.vehicle.place import Place

from .admin import PAGE, add_admin
from .recording import Recording
from .terminal import Terminal
from .values import ValueRefusedError, assign, kind_of

DEFAULT_PORT: Final = 8124
HIGHEST_PORT: Final = 65_535
MOST_VEHICLES: Final = 1_000
POLE, DATE_LINE = 90, 180
SWITCHES: Final = ", ".join(each.name for each in fields(Switches))


def main() -> int:
    """Serve until interrupted, and return the exit status."""
    try:
        return asyncio.run(serve(parsed()))
    except KeyboardInterrupt:
        return 0


def parsed() -> argparse.Namespace:
    """Return the command line's arguments, or end with words about what is wrong with them."""
    parser = _parser()
    arguments = parser.parse_args()
    if not 0 <= arguments.port <= HIGHEST_PORT:
        parser.error(f"--port has to be between 0 and {HIGHEST_PORT}")
    if not 1 <= arguments.vehicles <= MOST_VEHICLES:
        parser.error(f"--vehicles has to be between 1 and {MOST_VEHICLES}")
    if not SLOWEST <= arguments.speed <= FASTEST:
        parser.error(f"--speed has to be between {SLOWEST} and {FASTEST}")
    if arguments.token == "":
        parser.error("--token must not be empty")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="simulator", description="A simulated vehicle remote-access service.", allow_abbrev=False
    )
    add = parser.add_argument
    add("--port", type=int, default=DEFAULT_PORT, help="port on this machine, 0 for any free one")
    add("--vehicles", type=int, default=1, help="how many vehicles the account has")
    add(
        "--speed", type=float, default=1.0, help=f"simulated seconds in a real second, {SLOWEST} to {FASTEST}"
    )
    add("--seed", type=int, default=0, help="which vehicles: the same ones for the same number")
    add(
        "--home",
        type=place,
        metavar="LATITUDE,LONGITUDE",
        help="where all of them are at home; elsewhere each if left out",
    )
    add("--token", default=None, help="access token; a random one if left out")
    add("--record", type=Path, metavar="FILE", help="append every request and its answer to a file, as JSON")
    add(
        "--switch",
        type=switch,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"how the service departs from the interface document, repeatable: {SWITCHES}",
    )
    add(
        "--routine",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether the cars have owners who drive, charge and park them day by day",
    )
    add(
        "--admin",
        action=argparse.BooleanOptionalAction,
        default=True,
        help=f"whether the cars can be seen and steered under {PAGE}, without a token",
    )
    return parser


def switch(text: str) -> tuple[str, Any]:
    """Return the switch that `NAME=VALUE` sets, and its value.

    Raises:
        argparse.ArgumentTypeError: when there is none of that name, or it takes no such value.
    """
    name, _, written = text.partition("=")
    settings = Switches()
    try:
        value = kind_of(settings, name).read(name, written)
        assign(settings, {name: value})
    except ValueRefusedError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name, value


def place(text: str) -> Place:
    """Return the place at `LATITUDE,LONGITUDE`.

    Raises:
        argparse.ArgumentTypeError: when there is no such place.
    """
    try:
        latitude, longitude = (float(degrees) for degrees in text.split(","))
    except ValueError:
        latitude = longitude = math.nan
    if not (abs(latitude) <= POLE and abs(longitude) <= DATE_LINE):
        words = "has to be two numbers of degrees, such as 52.37,4.89"
        raise argparse.ArgumentTypeError(words)
    return Place.at(latitude, longitude)


async def serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, and return the exit status."""
    terminal = Terminal()
    try:
        recording = Recording(arguments.record) if arguments.record else None
    except OSError as error:
        return failed(f"{arguments.record} cannot be written: {error.strerror}")
    simulator = simulated(arguments, terminal, recording)
    try:
        await simulator.start(arguments.port)
    except OSError as error:
        return failed(f"port {arguments.port} cannot be used: {error.strerror}")
    terminal.introduce(simulator, page=PAGE if arguments.admin else "")
    await interrupted()
    await simulator.stop()
    if recording:
        recording.close()
    return 0


def simulated(
    arguments: argparse.Namespace, terminal: Terminal, recording: Recording | None = None
) -> Simulator:
    """Return the service for the arguments of the command line."""

    def extend(simulator: Simulator, application: web.Application) -> None:
        if recording is not None:
            recording.add_to(simulator, application)
        if arguments.admin:
            add_admin(simulator, application)

    simulator = Simulator(
        vehicles=arguments.vehicles,
        seed=arguments.seed,
        token=arguments.token,
        clock=Clock(arguments.speed),
        home=arguments.home,
        alive=arguments.routine,
        on_request=terminal.tell,
        extend=extend,
    )
    assign(simulator.switches, dict(arguments.switch))
    return simulator


def failed(words: str) -> int:
    """Say why it cannot be done, and return the exit status."""
    sys.stderr.write(f"simulator: {words}\n")
    return 1


async def interrupted() -> None:
    """Wait for SIGINT or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
