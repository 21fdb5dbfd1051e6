"""The command line of the simulated service."""

import argparse
import asyncio
from collections.abc import Iterable
from dataclasses import fields
import math
from pathlib import Path
import signal
import sys
from typing import Any, Final

from aiohttp import web

from custom_components.vehicle_remote_access.simulator import OTHER, Home, Simulator
from custom_components.vehicle_remote_access.simulator.http.access_tokens import CLIENT_ID
from custom_components.vehicle_remote_access.simulator.http.server import LoopbackServer

from .admin import PAGE, add_admin
from .authorization import CLIENT_SECRET, AuthorizationServer
from .command_proxy import CommandProxy
from .fast_clock import FASTEST, SLOWEST, FastClock
from .recording import Recording
from .service_switches import ServiceSwitches
from .services import SERVICES, SimulatedService
from .terminal import Terminal, write_line
from .values import ValueRefusedError, allowed_values, assign

DEFAULT_PORT: Final = 8124
# Of the other servers, after that of the service
PROXY_PORT: Final = 1
SIGN_IN_PORT: Final = 2
WITH_SIGN_IN: Final = {"teslemetry", "tesla_fleet"}
HIGHEST_PORT: Final = 65_535
MAX_VEHICLES: Final = 1_000
MAX_LATITUDE, MAX_LONGITUDE = 90, 180
SWITCHES: Final = ", ".join(switch.name for switch in fields(ServiceSwitches))


def main() -> int:
    """Serve until interrupted, and return the exit status."""
    try:
        return asyncio.run(serve(parse_arguments()))
    except KeyboardInterrupt:
        return 0


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line. If they are invalid, exit with a message."""
    parser = _parser()
    arguments = parser.parse_args()
    if not 0 <= arguments.port <= HIGHEST_PORT:
        parser.error(f"--port must be between 0 and {HIGHEST_PORT}")
    if not 1 <= arguments.vehicles <= MAX_VEHICLES:
        parser.error(f"--vehicles must be between 1 and {MAX_VEHICLES}")
    if not SLOWEST <= arguments.speed <= FASTEST:
        parser.error(f"--speed must be between {SLOWEST} and {FASTEST}")
    if arguments.token == "":
        parser.error("--token must not be empty")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="simulator", description="A simulated vehicle remote-access service.", allow_abbrev=False
    )
    add = parser.add_argument
    add("--port", type=int, default=DEFAULT_PORT, help="0 for any free port (default: %(default)s)")
    add("--vehicles", type=int, default=1, help="number of vehicles in the account (default: %(default)s)")
    add(
        "--speed",
        type=float,
        default=1.0,
        help=f"simulated seconds per real second, {SLOWEST} to {FASTEST} (default: %(default)s)",
    )
    add("--seed", type=int, default=0, help="the same seed creates the same vehicles (default: %(default)s)")
    add(
        "--home",
        type=parse_home,
        metavar="LATITUDE,LONGITUDE",
        help="home of all vehicles (default: another one for each model)",
    )
    add("--token", default=None, help='access token (default: random, or "simulated" with scripts/simulate)')
    add(
        "--service",
        choices=tuple(SERVICES),
        default=OTHER,
        help="which service to play; --switch overrides its switches (default: %(default)s)",
    )
    add(
        "--command-proxy",
        choices=("signing", "bluetooth"),
        help="also play tesla-http-proxy or TeslaBleHttpProxy, on the next port",
    )
    add("--record", type=Path, metavar="FILE", help="append all requests and responses to a file as JSON")
    add(
        "--switch",
        type=parse_switch,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"change how the service differs from the interface document; can be repeated: {SWITCHES}",
    )
    add(
        "--routine",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="let owners drive, charge, and park the vehicles every day (default: on)",
    )
    add(
        "--admin",
        action=argparse.BooleanOptionalAction,
        default=True,
        help=f"serve a page to control the vehicles at {PAGE}, without a token (default: on)",
    )
    return parser


def parse_switch(text: str) -> tuple[str, Any]:
    """Return the name and the value of a switch from `NAME=VALUE`.

    Raises:
        argparse.ArgumentTypeError: if there is no such switch, or the value is not allowed.
    """
    name, _, value_text = text.partition("=")
    switches = ServiceSwitches()
    try:
        value = allowed_values(switches, name).parse(name, value_text)
        assign(switches, {name: value})
    except ValueRefusedError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name, value


def parse_home(text: str) -> Home:
    """Return the home at `LATITUDE,LONGITUDE`.

    Raises:
        argparse.ArgumentTypeError: if this is no location.
    """
    try:
        latitude, longitude = (float(degrees) for degrees in text.split(","))
    except ValueError:
        latitude = longitude = math.nan
    if not (abs(latitude) <= MAX_LATITUDE and abs(longitude) <= MAX_LONGITUDE):
        message = "must be a latitude and a longitude in degrees, such as 52.37,4.89"
        raise argparse.ArgumentTypeError(message)
    return Home.at(latitude, longitude)


async def serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, and return the exit status."""
    terminal = Terminal()
    try:
        recording = Recording(arguments.record) if arguments.record else None
    except OSError as error:
        return report_failure(f"{arguments.record} cannot be written: {error.strerror}")
    simulator = create_simulator(arguments, terminal, recording)
    servers: list[tuple[SimulatedService | CommandProxy | AuthorizationServer, int]] = [(simulator, 0)]
    if arguments.command_proxy:
        servers.append((CommandProxy(simulator, arguments.command_proxy), PROXY_PORT))
    if arguments.service in WITH_SIGN_IN:
        servers.append((AuthorizationServer(simulator, simulator.application), SIGN_IN_PORT))
    port = arguments.port
    try:
        for server, offset in servers:
            port = arguments.port and arguments.port + offset
            await server.start(port)
    except OSError as error:
        await stop(servers)
        return report_failure(f"port {port} cannot be used: {error.strerror}")
    page = PAGE if arguments.admin else ""
    urls = {type(server): server.url for server, _ in servers}
    terminal.write_introduction(
        simulator, page=page, proxy=urls.get(CommandProxy, ""), stream=simulator.streams.url
    )
    if AuthorizationServer in urls:
        write_line(f"sign in  {urls[AuthorizationServer]} as {CLIENT_ID} with {CLIENT_SECRET}")
    await wait_for_interrupt()
    await stop(servers)
    if recording:
        recording.close()
    return 0


def create_simulator(
    arguments: argparse.Namespace, terminal: Terminal, recording: Recording | None = None
) -> SimulatedService:

    def extend(simulator: Simulator, application: web.Application) -> None:
        if recording is not None:
            recording.add_to(simulator, application)
        if arguments.admin:
            add_admin(simulator, application)

    simulator = SimulatedService(
        arguments.service,
        vehicles=arguments.vehicles,
        seed=arguments.seed,
        token=arguments.token,
        clock=FastClock(arguments.speed),
        home=arguments.home,
        routine=arguments.routine,
        on_request=terminal.write_request,
        extend=extend,
    )
    assign(simulator.switches, dict(arguments.switch))
    simulator.streams.is_on = True
    return simulator


async def stop(servers: Iterable[tuple[LoopbackServer, int]]) -> None:
    for server, _ in servers:
        await server.stop()


def report_failure(message: str) -> int:
    sys.stderr.write(f"simulator: {message}\n")
    return 1


async def wait_for_interrupt() -> None:
    stop = asyncio.Event()
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(interrupt, stop.set)
    await stop.wait()
