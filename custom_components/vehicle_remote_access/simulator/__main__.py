"""Run the simulated service by itself: `python -m simulator`."""

import argparse
import asyncio
import signal
import sys
from typing import Final

from .clock import Clock
from .server import Request, Simulator

DEFAULT_PORT: Final = 8124
HIGHEST_PORT: Final = 65_535
MOST_VEHICLES: Final = 1_000


def main() -> int:
    """Serve until interrupted, and return the exit status."""
    try:
        return asyncio.run(serve(parsed()))
    except KeyboardInterrupt:
        return 0


def parsed() -> argparse.Namespace:
    """Return the command line's arguments, or end with words about what is wrong with them."""
    parser = argparse.ArgumentParser(
        prog="simulator", description="A simulated vehicle remote-access service."
    )
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="port on this machine, 0 for any free one"
    )
    parser.add_argument("--vehicles", type=int, default=1, help="how many vehicles the account has")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds in a real second")
    parser.add_argument(
        "--seed", type=int, default=0, help="which vehicles: the same ones for the same number"
    )
    parser.add_argument("--token", default=None, help="access token; a random one if left out")
    parser.add_argument(
        "--admin", action="store_true", help="offer the controls under /simulator/, without a token"
    )
    arguments = parser.parse_args()
    if not 0 <= arguments.port <= HIGHEST_PORT:
        parser.error(f"--port has to be between 0 and {HIGHEST_PORT}")
    if not 1 <= arguments.vehicles <= MOST_VEHICLES:
        parser.error(f"--vehicles has to be between 1 and {MOST_VEHICLES}")
    if not 0 < arguments.speed < float("inf"):
        parser.error("--speed has to be more than 0")
    if arguments.token == "":
        parser.error("--token must not be empty")
    return arguments


async def serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM, and return the exit status."""
    simulator = Simulator(
        vehicles=arguments.vehicles,
        seed=arguments.seed,
        token=arguments.token,
        clock=Clock(arguments.speed),
        admin=arguments.admin,
        heard=tell,
    )
    try:
        await simulator.start(arguments.port)
    except OSError as error:
        sys.stderr.write(f"simulator: port {arguments.port} cannot be used: {error.strerror}\n")
        return 1
    introduce(simulator)
    await interrupted()
    await simulator.stop()
    return 0


def introduce(simulator: Simulator) -> None:
    """Say where the service is and what is needed to use it."""
    say(f"address  {simulator.url}")
    say(f"token    {simulator.token}")
    for vehicle in simulator.vehicles:
        say(f"vehicle  {vehicle.id}  {vehicle.vin}  {vehicle.name}, {vehicle.equipment.model}")


def tell(request: Request) -> None:
    """Log a request in one line, without its query: it may hold a password."""
    say(f"{request.method} {request.path} {request.status}")


def say(line: str) -> None:
    """Write a line at once, so that whoever reads the output need not wait."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def interrupted() -> None:
    """Wait for SIGINT or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()


if __name__ == "__main__":
    sys.exit(main())
