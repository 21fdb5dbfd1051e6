"""Runs Home Assistant with the integration, and a simulated service, for `scripts/develop`."""
# ruff: noqa: INP001 - a script, not a module

import argparse
import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
import json
import os
from pathlib import Path
import re
import shutil
import signal
import socket
import sys
from typing import Any, Final

import aiohttp

from development.rest import DEMO, ENTRIES, DevelopError, get, post, sign_in

DOMAIN: Final = "vehicle_remote_access"
ROOT: Final = Path(__file__).resolve().parent.parent
CUSTOM_COMPONENTS: Final = ROOT / "custom_components"
BLUEPRINTS: Final = CUSTOM_COMPONENTS / DOMAIN / "blueprints" / "automation" / DOMAIN
HASS: Final = Path(sys.executable).with_name("hass")
HASS_WITH_SERVICE: Final = ROOT / "scripts" / "develop_service.py"

LOOPBACK: Final = "127.0.0.1"
SEED: Final = 1
OTHER: Final = "other"
SERVICES: Final = (OTHER, "tessie", "teslemetry", "tesla_fleet")
HOME, LATITUDE, LONGITUDE, RADIUS = "Home", 52.3731, 4.8926, 100
SIMULATED: Final = "simulated"

FLOW: Final = "/api/config/config_entries/flow"

RESTART_STATUS: Final = 100
SECONDS_TO_START: Final = 120
SECONDS_TO_STOP: Final = 20
SECONDS_BETWEEN_CHECKS: Final = 0.2
LONGEST_LINE: Final = 2**20
ROUTINE: Final = re.compile(rb"^\d\d:\d\d:\d\d  | (DEBUG|INFO) \(")
"""A request, what a car does, or a harmless message: they would push the addresses off the screen."""

HEADER: Final = "# Written by scripts/develop at every start.\n"
INCLUDED_FILES: Final = ("automations.yaml", "scripts.yaml")
CONFIGURATION: Final = f"""{HEADER}
homeassistant:
  name: {HOME}
  latitude: {LATITUDE}
  longitude: {LONGITUDE}
  elevation: 2
  radius: {RADIUS}
  unit_system: metric
  currency: EUR
  country: NL
  language: en
  time_zone: Europe/Amsterdam

automation: !include automations.yaml
script: !include scripts.yaml

energy:
frontend:
history:
logbook:
recorder:
logger:
  default: warning
  logs:
    custom_components.{DOMAIN}: debug
    # Home Assistant always sets up cameras and speech, but their programs may not be installed.
    haffmpeg: fatal
    homeassistant.components.camera.img_util: fatal
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command line."""

    port: int
    simulator_port: int
    vehicles: int
    speed: float
    routine: bool
    service: str
    folder: Path
    empty: bool
    past: bool

    @property
    def home_assistant_url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def simulator_url(self) -> str:
        return f"http://{LOOPBACK}:{self.simulator_port}"


def main() -> int:
    """Run both programs until a signal arrives, and return the exit status."""
    try:
        options = parse_options()
        needs_account = prepare_folder(options)
        if needs_account and options.past:
            # A log can be written only while Home Assistant is not running.
            if not asyncio.run(run(options, needs_account=True, only_setup=True)):
                return 0
            write_past(options.folder)
            needs_account = False
        asyncio.run(run(options, needs_account=needs_account))
    except* DevelopError as errors:
        for error in errors.exceptions:
            sys.stderr.write(f"develop: {error}\n")
    else:
        return 0
    return 1


# Command line


def parse_options() -> Options:
    """Return the options of the command line. Exit with a message if they are invalid."""
    parser = argparse.ArgumentParser(
        prog="scripts/develop",
        description="Run Home Assistant with the integration, and a simulated service, until Ctrl-C.",
        epilog="To run another version of Home Assistant, start with --home-assistant VERSION.",
    )
    parser.add_argument(
        "--port", type=free_port, default="8123", help="port of Home Assistant (8123); 0: any"
    )
    parser.add_argument(
        "--simulator-port",
        type=free_port,
        default="8124",
        help="port of the simulated service (8124); 0: any",
    )
    parser.add_argument("--vehicles", type=int, default=1, help="number of vehicles (1)")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds per second (1)")
    parser.add_argument(
        "--routine",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="let owners drive, charge, and park the vehicles every day (on)",
    )
    parser.add_argument(
        "--service", choices=SERVICES, default=OTHER, help="the service that the simulator plays (other)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / ".dev" / "home-assistant",
        help="folder for the data of Home Assistant (.dev/home-assistant)",
    )
    parser.add_argument(
        "--empty", action="store_true", help="add no account, so that you can add one yourself"
    )
    parser.add_argument(
        "--past",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="give the first car a year of drives and charges when the account is added (on)",
    )
    options = Options(**vars(parser.parse_args()))
    if options.port == options.simulator_port:
        parser.error(f"Home Assistant and the simulator cannot both use port {options.port}")
    return options


def free_port(text: str) -> int:
    """Return the given port if it is free, or any free port for 0."""
    try:
        with socket.create_server((LOOPBACK, int(text))) as server:
            port: int = server.getsockname()[1]
    except (OSError, OverflowError) as error:
        message = f"port {text} cannot be used: {error}"
        raise argparse.ArgumentTypeError(message) from None
    return port


# Folder of Home Assistant


def prepare_folder(options: Options) -> bool:
    """Write the configuration of Home Assistant, and return whether it needs an account."""
    try:
        addresses = account_addresses(options.folder)
        if addresses and options.simulator_url not in addresses:
            conflict = f"the account in {options.folder} uses {addresses[0]}"
            message = f"{conflict}: use its --simulator-port, or another --folder"
            raise DevelopError(message)
        write_configuration(options)
    except OSError as error:
        message = f"{options.folder} cannot be used: {error}"
        raise DevelopError(message) from None
    return not addresses and not options.empty


def account_addresses(folder: Path) -> list[str]:
    """Return the service addresses of the accounts that an earlier start created."""
    entries = folder / ".storage" / "core.config_entries"
    if not entries.exists():
        return []
    return [
        entry["data"]["base_url"]
        for entry in json.loads(entries.read_text())["data"]["entries"]
        if entry["domain"] == DOMAIN and "base_url" in entry["data"]
    ]


def write_configuration(options: Options) -> None:
    """Write the configuration, copy the blueprints, and link the integration into the folder."""
    configuration = options.folder / "configuration.yaml"
    current = configuration.read_text() if configuration.exists() else HEADER
    if not current.startswith(HEADER):
        message = f"{options.folder} belongs to another Home Assistant"
        raise DevelopError(message)
    (options.folder / ".storage").mkdir(parents=True, exist_ok=True)
    if current != CONFIGURATION:
        configuration.write_text(CONFIGURATION)

    for name in INCLUDED_FILES:
        (options.folder / name).touch()

    # Home Assistant uses a port in configuration.yaml only on trial: if the user does not confirm it within
    # five minutes, it restarts on port 8123 of all interfaces. So the port is written to the storage of
    # confirmed settings, in the oldest version of the file, which Home Assistant migrates.
    write_storage_file(options.folder, "http", 1, {"server_host": [LOOPBACK], "server_port": options.port})
    if not (options.folder / ".storage" / "onboarding").exists():
        # The only remaining step creates the owner. The step core_config would add integrations that need the
        # internet.
        write_storage_file(
            options.folder, "onboarding", 4, {"done": ["core_config", "analytics", "integration"]}
        )

    # Home Assistant finds no blueprints in linked folders. An import puts them into the same folder.
    copies = options.folder / "blueprints" / "automation" / "vehicle-remote-access"
    shutil.copytree(BLUEPRINTS, copies, dirs_exist_ok=True)

    link = options.folder / "custom_components"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(CUSTOM_COMPONENTS, target_is_directory=True)


def write_storage_file(folder: Path, key: str, version: int, data: dict[str, Any]) -> None:
    """Write a file in the format of Home Assistant's storage."""
    content = {"version": version, "minor_version": 1, "key": key, "data": data}
    (folder / ".storage" / key).write_text(json.dumps(content))


def write_past(folder: Path) -> None:
    """Give the first car the log of a year, and the history of its last days."""
    # These import the integration, which takes seconds. Only the first start needs them.
    from custom_components.vehicle_remote_access.drive_log.zones import Zone  # noqa: PLC0415
    from development.lived_log import a_year, write_history  # noqa: PLC0415
    from development.stored_log import write_log  # noqa: PLC0415

    sys.stdout.write("develop: the car gets a past, which takes seconds\n")
    log, samples = a_year(SEED, Zone(HOME, LATITUDE, LONGITUDE, RADIUS, is_home=True))
    write_log(folder, log, samples)
    write_history(folder, samples)


# Programs


async def run(options: Options, *, needs_account: bool, only_setup: bool = False) -> bool:
    """Run both programs until a signal arrives. If one of them exits, stop the other and raise an error.

    `only_setup`: also stop both when the setup is complete. Return whether it was completed.
    """
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    then = stop.set if only_setup else partial(print_addresses, options)
    async with asyncio.TaskGroup() as group:
        setup = group.create_task(complete_setup(options, then, needs_account=needs_account))
        tasks = [
            group.create_task(run_simulator(options)),
            group.create_task(run_home_assistant(options)),
            setup,
        ]
        await stop.wait()
        for task in tasks:
            task.cancel()
    return not setup.cancelled()


async def run_simulator(options: Options) -> None:
    """Run the simulator, with the same vehicles at every start."""
    await run_program(
        "the simulator",
        *(sys.executable, "-m", "simulator_console", "--port", str(options.simulator_port)),
        *("--vehicles", str(options.vehicles), "--speed", str(options.speed), "--service", options.service),
        "--routine" if options.routine else "--no-routine",
        *("--seed", str(SEED), "--token", SIMULATED, f"--home={LATITUDE},{LONGITUDE}"),
        environment={"PYTHONPATH": str(ROOT)},
    )


async def run_home_assistant(options: Options) -> None:
    """Run Home Assistant with the packages that scripts/setup installed. It installs none itself.

    It knows the addresses of all services but one. The address of the played service is the simulator's.
    """
    command = [str(HASS), "--config", str(options.folder), "--skip-pip"]
    if options.service != OTHER:
        command = [sys.executable, str(HASS_WITH_SERVICE)]
        command += [options.service, options.simulator_url, str(options.folder)]
    await run_program("Home Assistant", *command)


async def run_program(name: str, *command: str, environment: dict[str, str] | None = None) -> None:
    """Run a program until canceled. Start it again if it requests a restart; raise an error if it exits."""
    status = RESTART_STATUS
    while status == RESTART_STATUS:
        # A new session keeps Ctrl-C from reaching the program. Otherwise, the termination signal would be the
        # second signal, and Home Assistant would exit without saving its data.
        process = await asyncio.create_subprocess_exec(
            *command,
            env=os.environ | (environment or {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            limit=LONGEST_LINE,
            start_new_session=True,
        )
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        try:
            async for line in process.stdout:
                if not ROUTINE.search(line):
                    sys.stderr.write(line.decode(errors="replace"))
            status = await process.wait()
        finally:
            await stop_program(process)
    message = f"{name} exited unexpectedly with status {status}"
    raise DevelopError(message)


async def stop_program(process: asyncio.subprocess.Process) -> None:
    """Terminate a program. Kill it if it does not exit in time."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(SECONDS_TO_STOP):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


# Setup through the web interface


async def complete_setup(options: Options, then: Callable[[], None], *, needs_account: bool) -> None:
    """Sign in, add the account if needed, and call `then`."""
    try:
        async with (
            asyncio.timeout(SECONDS_TO_START),
            aiohttp.ClientSession(options.home_assistant_url, raise_for_status=True) as session,
        ):
            await wait_for_web_interface(session)
            session.headers["Authorization"] = f"Bearer {await sign_in(session, options.home_assistant_url)}"
            await wait_for_start(session)
            if needs_account:
                await add_account(session, options)
            if not options.empty:
                await wait_for_account(session)
            if needs_account:
                await put_cars_into_garage(session)
    except TimeoutError:
        message = f"the integration was not ready after {SECONDS_TO_START} seconds"
        raise DevelopError(message) from None
    except aiohttp.ClientError as error:
        message = f"unexpected response of Home Assistant: {error}"
        raise DevelopError(message) from None
    then()


def print_addresses(options: Options) -> None:
    sys.stdout.write(
        f"""
    Home Assistant  {options.home_assistant_url}
    sign in         user {DEMO}, password {DEMO}
    simulator       {options.simulator_url}, token {SIMULATED}
    control cars    {options.simulator_url}/simulator/
    log             {options.folder / "home-assistant.log"}

    Home Assistant is ready. Press Ctrl-C to stop both.

"""
    )
    sys.stdout.flush()


async def wait_for_web_interface(session: aiohttp.ClientSession) -> None:
    while True:
        try:
            async with session.get("/manifest.json"):
                return
        except aiohttp.ClientConnectionError:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)


async def wait_for_start(session: aiohttp.ClientSession) -> None:
    while True:
        core = await get(session, "/api/core/state")
        if core["state"] == "RUNNING":
            return
        await asyncio.sleep(SECONDS_BETWEEN_CHECKS)


async def add_account(session: aiohttp.ClientSession, options: Options) -> None:
    """Add the account with all its vehicles through the config flow."""
    step = await post(session, FLOW, handler=DOMAIN)
    step = await submit_step(session, step, "user", next_step_id="account")
    step = await submit_step(session, step, "account", next_step_id=options.service)
    if step.get("step_id") == "auth_method":
        step = await submit_step(session, step, "auth_method", next_step_id="token")
    if options.service == OTHER:
        address = {"base_url": options.simulator_url}
        step = await submit_step(session, step, "address", **address, access_token=SIMULATED)
    else:
        step = await submit_step(session, step, "token", access_token=SIMULATED)
    choices = step["data_schema"][0]["selector"]["select"]["options"] if step["type"] == "form" else []
    step = await submit_step(session, step, "vehicles", vehicles=[choice["value"] for choice in choices])
    if step["type"] != "create_entry":
        message = f"the account was not added: {json.dumps(step)}"
        raise DevelopError(message)


async def submit_step(
    session: aiohttp.ClientSession, step: dict[str, Any], expected: str, **values: Any
) -> dict[str, Any]:
    """Submit a step of the config flow, and return the next step."""
    if step.get("step_id") != expected or step.get("errors"):
        message = f"expected step {expected} of the config flow, but got: {json.dumps(step)}"
        raise DevelopError(message)
    next_step: dict[str, Any] = await post(session, f"{FLOW}/{step['flow_id']}", **values)
    return next_step


async def wait_for_account(session: aiohttp.ClientSession) -> None:
    while True:
        entries = await get(session, f"{ENTRIES}?domain={DOMAIN}")
        states = {entry["state"] for entry in entries}
        if "loaded" in states:
            return
        if states == {"setup_error"}:
            message = f"the account could not be set up: {entries[0]['reason'] or 'see the log'}"
            raise DevelopError(message)
        await asyncio.sleep(SECONDS_BETWEEN_CHECKS)


async def put_cars_into_garage(session: aiohttp.ClientSession) -> None:
    """Assign the cars to an area, so that the overview shows their controls."""
    async with session.ws_connect("/api/websocket") as socket:
        await socket.receive_json()
        token = session.headers["Authorization"].removeprefix("Bearer ")
        await socket.send_json({"type": "auth", "access_token": token})
        await socket.receive_json()
        garage = await send_command(socket, 1, "area_registry/create", name="Garage", icon="mdi:garage")
        cars = [
            device["id"]
            for device in await send_command(socket, 2, "device_registry/list")
            if any(identifier[0] == DOMAIN for identifier in device["identifiers"])
            and device["serial_number"]
        ]
        for number, car in enumerate(cars, 3):
            await send_command(
                socket, number, "device_registry/update", device_id=car, area_id=garage["area_id"]
            )


async def send_command(
    socket: aiohttp.ClientWebSocketResponse, number: int, command: str, **values: Any
) -> Any:
    """Send a command to one of the registries, and return its result."""
    await socket.send_json({"id": number, "type": f"config/{command}", **values})
    response = await socket.receive_json()
    if not response["success"]:
        message = f"{command} was refused: {response['error']['message']}"
        raise DevelopError(message)
    return response["result"]


if __name__ == "__main__":
    sys.exit(main())
