"""Home Assistant with the integration in it and a simulated service for it: `scripts/develop`."""
# ruff: noqa: INP001 - a program, not a module

import argparse
import asyncio
from dataclasses import dataclass
from http import HTTPStatus
import json
import math
import os
from pathlib import Path
import signal
import socket
import sys
from typing import Any, Final

import aiohttp

DOMAIN: Final = "vehicle_remote_access"
ROOT: Final = Path(__file__).resolve().parent.parent
CUSTOM_COMPONENTS: Final = ROOT / "custom_components"
HASS: Final = Path(sys.executable).with_name("hass")

LOOPBACK: Final = "127.0.0.1"
HIGHEST_PORT: Final = 65_535
MOST_VEHICLES: Final = 1_000
SEED: Final = 1
SLOWEST, FASTEST = 1, 600
LATITUDE, LONGITUDE = 52.3731, 4.8926
DEMO: Final = "demo"
SIMULATED: Final = "simulated"

ENTRIES: Final = "/api/config/config_entries/entry"
FLOW: Final = "/api/config/config_entries/flow"

RESTART: Final = 100
SECONDS_TO_START: Final = 120
SECONDS_TO_END: Final = 20
SECONDS_BETWEEN_LOOKS: Final = 0.2

WRITTEN: Final = "# Written by scripts/develop at every start.\n"
INCLUDED: Final = ("automations.yaml", "scripts.yaml")
CONFIGURATION: Final = f"""{WRITTEN}
homeassistant:
  name: Development
  latitude: {LATITUDE}
  longitude: {LONGITUDE}
  elevation: 2
  radius: 100
  unit_system: metric
  currency: EUR
  country: NL
  language: en
  time_zone: Europe/Amsterdam

automation: !include automations.yaml
script: !include scripts.yaml

frontend:
history:
logbook:
recorder:
logger:
  default: warning
  logs:
    custom_components.{DOMAIN}: debug
    # Home Assistant sets up cameras and speech in any case; a machine need not have what they call.
    haffmpeg: fatal
    homeassistant.components.camera.img_util: fatal
"""


class DevelopError(Exception):
    """What went wrong, in words for the person at the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for."""

    port: int
    simulator_port: int
    vehicles: int
    speed: float
    folder: Path
    empty: bool

    @property
    def home(self) -> str:
        """Return the address of Home Assistant."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def simulator(self) -> str:
        """Return the address of the simulator."""
        return f"http://{LOOPBACK}:{self.simulator_port}"


def main() -> int:
    """Run both programs until told to stop, and return the exit status."""
    try:
        options = parsed()
        is_new = prepare(options)
        asyncio.run(develop(options, is_new=is_new))
    except* DevelopError as errors:
        for error in errors.exceptions:
            sys.stderr.write(f"develop: {error}\n")
    else:
        return 0
    return 1


# What was asked for


def parsed() -> Options:
    """Return the command line's options, or end with words about what is wrong with them."""
    parser = argparse.ArgumentParser(
        prog="scripts/develop",
        description="Run Home Assistant with the integration in it, and a simulated service, until Ctrl-C.",
        epilog="To run another version of Home Assistant, begin with --home-assistant VERSION.",
    )
    parser.add_argument("--port", type=free_port, default="8123", help="of Home Assistant (8123); 0: any")
    parser.add_argument(
        "--simulator-port", type=free_port, default="8124", help="of the simulated service (8124); 0: any"
    )
    parser.add_argument("--vehicles", type=vehicles, default=1, help="how many the service has (1)")
    parser.add_argument("--speed", type=speed, default=1.0, help="simulated seconds in a real second (1)")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / ".dev" / "home-assistant",
        help="where Home Assistant keeps its data (.dev/home-assistant)",
    )
    parser.add_argument(
        "--empty", action="store_true", help="add no account: you go through the dialog yourself"
    )
    options = Options(**vars(parser.parse_args()))
    if options.port == options.simulator_port:
        parser.error(f"Home Assistant and the simulator cannot both have port {options.port}")
    return options


def free_port(text: str) -> int:
    """Return the port that was named, or a free one for 0."""
    number = whole(text, 0, HIGHEST_PORT)
    try:
        with socket.create_server((LOOPBACK, number)) as server:
            port: int = server.getsockname()[1]
    except OSError as error:
        message = f"port {number} cannot be used: {os.strerror(error.errno or 0)}"
        raise argparse.ArgumentTypeError(message) from None
    return port


def vehicles(text: str) -> int:
    """Return a number of vehicles."""
    return whole(text, 1, MOST_VEHICLES)


def whole(text: str, lowest: int, highest: int) -> int:
    """Return a whole number within its limits."""
    if not text.isdecimal() or not lowest <= int(text) <= highest:
        message = f"{text} is not a whole number from {lowest} to {highest}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def speed(text: str) -> float:
    """Return how many simulated seconds there are in a real one."""
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not SLOWEST <= factor <= FASTEST:
        message = f"{text} is not a number from {SLOWEST} to {FASTEST}"
        raise argparse.ArgumentTypeError(message)
    return factor


# The folder


def prepare(options: Options) -> bool:
    """Write what Home Assistant reads when it starts, and return whether an account is to be added."""
    try:
        addresses = known_addresses(options.folder)
        if addresses and options.simulator not in addresses:
            known = f"the account in {options.folder} is at {addresses[0]}"
            message = f"{known}: use that --simulator-port, or another --folder"
            raise DevelopError(message)
        write(options)
    except OSError as error:
        message = f"{options.folder} cannot be used: {error}"
        raise DevelopError(message) from None
    return not addresses and not options.empty


def known_addresses(folder: Path) -> list[str]:
    """Return where the services of the accounts are that an earlier start left."""
    entries = folder / ".storage" / "core.config_entries"
    if not entries.exists():
        return []
    return [
        entry["data"]["base_url"]
        for entry in json.loads(entries.read_text())["data"]["entries"]
        if entry["domain"] == DOMAIN and "base_url" in entry["data"]
    ]


def write(options: Options) -> None:
    """Write the configuration, and link the integration into the folder."""
    configuration = options.folder / "configuration.yaml"
    before = configuration.read_text() if configuration.exists() else WRITTEN
    if not before.startswith(WRITTEN):
        message = f"{options.folder} belongs to another Home Assistant"
        raise DevelopError(message)
    (options.folder / ".storage").mkdir(parents=True, exist_ok=True)
    if before != CONFIGURATION:
        configuration.write_text(CONFIGURATION)

    for name in INCLUDED:
        (options.folder / name).touch()

    # A port in configuration.yaml is read once and only tried: if nobody confirms it within five minutes,
    # Home Assistant restarts on port 8123 of all interfaces. So it goes to where a confirmed one is kept, in
    # the oldest form of that file, which Home Assistant completes.
    store(options.folder, "http", 1, {"server_host": [LOOPBACK], "server_port": options.port})
    if not (options.folder / ".storage" / "onboarding").exists():
        # What is left is to make the owner. The step core_config would add what needs the internet.
        store(options.folder, "onboarding", 4, {"done": ["core_config", "analytics", "integration"]})

    link = options.folder / "custom_components"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(CUSTOM_COMPONENTS, target_is_directory=True)


def store(folder: Path, key: str, version: int, data: dict[str, Any]) -> None:
    """Write a file as Home Assistant's storage does."""
    content = {"version": version, "minor_version": 1, "key": key, "data": data}
    (folder / ".storage" / key).write_text(json.dumps(content))


# The programs


async def develop(options: Options, *, is_new: bool) -> None:
    """Run both programs until a signal arrives. If one ends before, end the other and raise."""
    told_to_stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(simulator(options)),
            group.create_task(home_assistant(options)),
            group.create_task(introduce(options, is_new=is_new)),
        ]
        await told_to_stop.wait()
        for task in tasks:
            task.cancel()


async def simulator(options: Options) -> None:
    """Run the simulator: the same vehicles at every start."""
    await keep(
        "the simulator",
        *(sys.executable, "-m", "simulator_console", "--port", str(options.simulator_port)),
        *("--vehicles", str(options.vehicles), "--speed", str(options.speed)),
        *("--seed", str(SEED), "--token", SIMULATED, f"--home={LATITUDE},{LONGITUDE}"),
        environment={"PYTHONPATH": str(ROOT)},
    )


async def home_assistant(options: Options) -> None:
    """Run Home Assistant, with the packages that scripts/setup installed: it fetches none itself."""
    await keep("Home Assistant", str(HASS), "--config", str(options.folder), "--skip-pip")


async def keep(name: str, *command: str, environment: dict[str, str] | None = None) -> None:
    """Run a program until cancelled, again if it asks to be restarted; raise if it ends otherwise."""
    status = RESTART
    while status == RESTART:
        # In a session of its own: else Ctrl-C reaches it as well, and being ended in order is then a second
        # signal, at which Home Assistant drops what it has not saved.
        process = await asyncio.create_subprocess_exec(
            *command,
            env=os.environ | (environment or {}),
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = await process.wait()
        finally:
            await end(process)
    message = f"{name} ended by itself, with status {status}"
    raise DevelopError(message)


async def end(process: asyncio.subprocess.Process) -> None:
    """End a program, if need be by force."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(SECONDS_TO_END):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


# The web interface, as a person would use it


async def introduce(options: Options, *, is_new: bool) -> None:
    """Sign in, add the account if it is new, and say where everything is."""
    try:
        async with (
            asyncio.timeout(SECONDS_TO_START),
            aiohttp.ClientSession(options.home, raise_for_status=True) as session,
        ):
            await answering(session)
            session.headers["Authorization"] = f"Bearer {await signed_in(session, options)}"
            await started(session)
            if is_new:
                await add_account(session, options)
            if not options.empty:
                await loaded(session)
            if is_new:
                await park(session)
    except TimeoutError:
        message = f"the integration was not ready within {SECONDS_TO_START} seconds"
        raise DevelopError(message) from None
    except aiohttp.ClientError as error:
        message = f"Home Assistant did not do as expected: {error}"
        raise DevelopError(message) from None
    sys.stdout.write(
        f"""
    Home Assistant  {options.home}
    user, password  {DEMO}, {DEMO}
    simulator       {options.simulator}, token {SIMULATED}
    its cars        {options.simulator}/simulator/
    Ctrl-C ends both.

"""
    )
    sys.stdout.flush()


async def answering(session: aiohttp.ClientSession) -> None:
    """Wait until the web interface answers."""
    while True:
        try:
            async with session.get("/manifest.json"):
                return
        except aiohttp.ClientConnectionError:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)


async def signed_in(session: aiohttp.ClientSession, options: Options) -> str:
    """Return an access token of the owner, who is made the first time."""
    client = {"client_id": f"{options.home}/"}
    person = {"username": DEMO, "password": DEMO}
    try:
        made = await post(session, "/api/onboarding/users", name=DEMO, language="en", **person, **client)
        code = made["auth_code"]
    except aiohttp.ClientResponseError as error:
        # Once there is an owner, this step is no longer offered.
        if error.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            raise
        form = {"handler": ["homeassistant", None], "redirect_uri": f"{options.home}/", **client}
        step = await post(session, "/auth/login_flow", **form)
        step = await post(session, f"/auth/login_flow/{step['flow_id']}", **person, **client)
        if step["type"] != "create_entry":
            message = f"{DEMO} with password {DEMO} cannot sign in any more: use another --folder"
            raise DevelopError(message) from None
        code = step["result"]
    grant = {"grant_type": "authorization_code", "code": code, **client}
    async with session.post("/auth/token", data=grant) as response:
        token: str = (await response.json())["access_token"]
    return token


async def started(session: aiohttp.ClientSession) -> None:
    """Wait until Home Assistant has set up everything."""
    while True:
        core = await get(session, "/api/core/state")
        if core["state"] == "RUNNING":
            return
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)


async def add_account(session: aiohttp.ClientSession, options: Options) -> None:
    """Go through the dialogue that adds an account, and add all its vehicles."""
    step = await post(session, FLOW, handler=DOMAIN)
    step = await proceed(session, step, "user", next_step_id="account")
    step = await proceed(session, step, "account", base_url=options.simulator, access_token=SIMULATED)
    offered = step["data_schema"][0]["selector"]["select"]["options"] if step["type"] == "form" else []
    step = await proceed(session, step, "vehicles", vehicles=[option["value"] for option in offered])
    if step["type"] != "create_entry":
        message = f"the account was not added: {json.dumps(step)}"
        raise DevelopError(message)


async def proceed(
    session: aiohttp.ClientSession, step: dict[str, Any], expected: str, **answers: Any
) -> dict[str, Any]:
    """Answer a step of the dialogue, and return the next."""
    if step.get("step_id") != expected or step.get("errors"):
        message = f"adding the account, {expected} was to be asked, but came: {json.dumps(step)}"
        raise DevelopError(message)
    answer: dict[str, Any] = await post(session, f"{FLOW}/{step['flow_id']}", **answers)
    return answer


async def loaded(session: aiohttp.ClientSession) -> None:
    """Wait until an account is set up."""
    while True:
        entries = await get(session, f"{ENTRIES}?domain={DOMAIN}")
        states = {entry["state"] for entry in entries}
        if "loaded" in states:
            return
        if states == {"setup_error"}:
            message = f"the account could not be set up: {entries[0]['reason'] or 'the log says why'}"
            raise DevelopError(message)
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)


async def park(session: aiohttp.ClientSession) -> None:
    """Put the cars into a garage: the overview shows an area's devices ready to be used."""
    async with session.ws_connect("/api/websocket") as socket:
        await socket.receive_json()
        token = session.headers["Authorization"].removeprefix("Bearer ")
        await socket.send_json({"type": "auth", "access_token": token})
        await socket.receive_json()
        garage = await ask(socket, 1, "area_registry/create", name="Garage", icon="mdi:garage")
        cars = [
            device["id"]
            for device in await ask(socket, 2, "device_registry/list")
            if any(identifier[0] == DOMAIN for identifier in device["identifiers"])
            and device["serial_number"]
        ]
        for number, car in enumerate(cars, 3):
            await ask(socket, number, "device_registry/update", device_id=car, area_id=garage["area_id"])


async def ask(socket: aiohttp.ClientWebSocketResponse, number: int, command: str, **values: Any) -> Any:
    """Return the result of a command to one of the registries."""
    await socket.send_json({"id": number, "type": f"config/{command}", **values})
    answer = await socket.receive_json()
    if not answer["success"]:
        message = f"{command} was refused: {answer['error']['message']}"
        raise DevelopError(message)
    return answer["result"]


async def get(session: aiohttp.ClientSession, path: str) -> Any:
    """Return the answer to a request."""
    async with session.get(path) as response:
        return await response.json()


async def post(session: aiohttp.ClientSession, path: str, **body: Any) -> Any:
    """Return the answer to a request with a body."""
    async with session.post(path, json=body) as response:
        return await response.json()


if __name__ == "__main__":
    sys.exit(main())
