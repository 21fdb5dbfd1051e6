"""A second address that accepts the commands to the vehicles of a simulated service.

Written from https://github.com/teslamotors/vehicle-command (pkg/proxy) and
https://github.com/wimaha/TeslaBleHttpProxy, read on 2026-11-26.
"""

from contextlib import suppress
from ssl import SSLContext
from typing import Final, Literal

from aiohttp import web
from aiohttp.typedefs import Handler

from custom_components.vehicle_remote_access.simulator.http.car_commands import carry_out
from custom_components.vehicle_remote_access.simulator.http.endpoints import envelope
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters, read_body
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from custom_components.vehicle_remote_access.simulator.http.server import PROXY, LoopbackServer, Simulator

from .fleet_car import as_fleet_car
from .fleet_commands import EVERY_COMMAND, commands_of
from .fleet_endpoints import SIGNED, UNSIGNED_COMMANDS
from .fleet_records import full_record

VIN_LENGTH: Final = 17
NO_VIN: Final = "expected 17-character VIN in path (do not user Fleet API ID)"
NOT_SIGNED: Final = {
    "batch_remove_charge_schedules",
    "batch_remove_precondition_schedules",
    "navigation_gps_request",
    "navigation_waypoints_request",
    "remote_auto_steering_wheel_heat_climate_request",
    "remote_steering_wheel_heat_level_request",
    "sun_roof_control",
    "upcoming_calendar_entries",
}
"""Commands that tesla-http-proxy does not know."""
NOT_IMPLEMENTED: Final = {"remote_boombox"}
"""Commands that tesla-http-proxy knows, but can't sign."""
SEAT: Final = "seat_position"
"""The proxy's name for the seat of a heater. The service has another one."""
BLUETOOTH: Final = {
    "auto_conditioning_start",
    "auto_conditioning_stop",
    "charge_port_door_close",
    "charge_port_door_open",
    "charge_start",
    "charge_stop",
    "door_lock",
    "door_unlock",
    "flash_lights",
    "honk_horn",
    "set_charge_limit",
    "set_charging_amps",
    "set_sentry_mode",
    "wake_up",
}
"""Commands that TeslaBleHttpProxy knows, among those of the simulated cars."""
PROCESSED: Final = "The command was successfully processed."
RECEIVED: Final = "The command was successfully received and will be processed shortly."


class CommandProxy(LoopbackServer):
    """A proxy for the commands to the vehicles of a simulator.

    `signing` plays tesla-http-proxy, which signs commands and forwards all other requests. `bluetooth` plays
    TeslaBleHttpProxy, which needs no token, wakes the car, and answers before the car has got the command.
    """

    def __init__(self, simulator: Simulator, kind: Literal["signing", "bluetooth"] = "signing") -> None:
        """Create the proxy. The simulator's faults and log also apply to it."""
        self._simulator = simulator
        self._kind = kind

    async def start(self, port: int = 0, tls: SSLContext | None = None) -> str:
        application = self._simulator.new_application()
        application[PROXY] = self._kind
        if self._kind == "signing":
            self._simulator.add_service(application)
            application.middlewares.append(self._sign)
        else:
            application.router.add_post("/api/1/vehicles/{vin}/command/{command}", self._send_by_bluetooth)
            application.router.add_get("/api/1/vehicles/{vin}/vehicle_data", self._read_by_bluetooth)
        return await self._listen(application, port, tls)

    async def _read_by_bluetooth(self, request: web.Request) -> web.Response:
        """Return the objects that are asked for. The proxy doesn't wake the car to read it."""
        vin, names = request.match_info["vin"], request.query.get("endpoints", "charge_state;climate_state")
        vehicle = next((vehicle for vehicle in self._simulator.vehicles if vehicle.vin == vin), None)
        answer = {"result": False, "vin": vin, "command": "vehicle_data"}
        if vehicle is None or not vehicle.awake:
            return web.json_response({"response": {**answer, "reason": "vehicle is sleeping"}}, status=503)
        vehicle.catch_up()
        objects = {name: full_record(vehicle).get(name) for name in names.split(";")}
        return envelope({**answer, "result": True, "reason": PROCESSED, "response": objects})

    async def _send_by_bluetooth(self, request: web.Request) -> web.Response:
        vin, command = request.match_info["vin"], request.match_info["command"]
        vehicle = next((vehicle for vehicle in self._simulator.vehicles if vehicle.vin == vin), None)
        answer = {"result": False, "vin": vin, "command": command}
        if command not in BLUETOOTH:
            reason = f'The command "{command}" is not supported.'
            return web.json_response({"response": {**answer, "reason": reason}}, status=503)
        if vehicle is not None:
            vehicle.catch_up()
            vehicle.wake_now()
            if command != "wake_up":
                # The proxy answers before it sends the command, so no client gets a refusal or an error.
                with suppress(RequestError):
                    sent = Parameters(await read_body(request))
                    carry_out(as_fleet_car(vehicle), command, sent, EVERY_COMMAND)
        return envelope({**answer, "result": True, "reason": RECEIVED})

    @web.middleware
    async def _sign(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Sign a command as tesla-http-proxy does, with its errors. Forward all other requests unchanged."""
        command = request.match_info.get("command")
        if command is None:
            return await handler(request)
        vin = request.match_info["id"]
        # The ids of the simulated cars are as long as a VIN.
        if len(vin) != VIN_LENGTH or vin.isdigit():
            raise RequestError(404, NO_VIN)
        if command not in commands_of(self._simulator.switches).keys() - NOT_SIGNED:
            raise RequestError(400, "invalid_command")
        if command in NOT_IMPLEMENTED:
            raise RequestError(400, "command not implemented")
        if command == "remote_seat_heater_request" and SEAT not in await read_body(request):
            return _refusal(f"missing {SEAT} param")
        request[SIGNED] = command not in UNSIGNED_COMMANDS
        try:
            return await handler(request)
        except RequestError as error:
            match error.status:
                case 400:
                    return _refusal(error.description)
                case 408:
                    raise RequestError(500, error.error) from None
            raise


def _refusal(reason: str) -> web.Response:
    body = {"response": {"result": False, "reason": reason}, "error": "", "error_description": ""}
    return web.json_response(body, status=400)
