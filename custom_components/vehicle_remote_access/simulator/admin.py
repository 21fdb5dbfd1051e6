"""Looking at the simulated cars and steering them over HTTP, without a token; off unless asked for."""

import inspect
import json
from typing import Any, Final

from aiohttp import web

from .answers import Variant, full
from .controls import CONTROLS, ControlError, Vehicle, refuse
from .keeping import Json

NUMBERS: Final[dict[Any, Any]] = {float: int | float, float | None: int | float | None}


class Admin:
    """The paths under /simulator/, which no real service has."""

    def __init__(self, vehicles: list[Vehicle]) -> None:
        """Steer these vehicles."""
        self._vehicles = vehicles

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Say what answers which path."""
        router.add_get("/simulator/state", self.state, allow_head=False)
        router.add_post("/simulator/vehicles/{vin}/{control}", self.control)

    async def state(self, _: web.Request) -> web.Response:
        """Answer what every car would report, without keeping it awake."""
        return web.json_response({"vehicles": [seen(vehicle) for vehicle in self._vehicles]})

    async def control(self, request: web.Request) -> web.Response:
        """Run a control with the arguments in the JSON body, and answer the car after it."""
        vin, control = request.match_info["vin"], request.match_info["control"]
        vehicle = next((each for each in self._vehicles if each.vin == vin), None)
        if vehicle is None:
            return refusal(404, "there is no vehicle with this VIN")
        if control not in CONTROLS:
            return refusal(404, f"there is no control {control}; there are {', '.join(sorted(CONTROLS))}")
        try:
            run(vehicle, control, await arguments(request))
        except ControlError as error:
            return refusal(400, str(error))
        return web.json_response(seen(vehicle))


def seen(vehicle: Vehicle) -> Json:
    """Return a car as an observer beside it sees it."""
    vehicle.catch_up()
    return {
        "vin": vehicle.vin,
        "id": vehicle.id,
        "horn": vehicle.body.horn,
        "lights": vehicle.body.lights,
        "record": full(vehicle, Variant.CURRENT),
    }


def run(vehicle: Vehicle, control: str, values: Json) -> None:
    """Run a control, if the arguments are those that it takes.

    Raises:
        ControlError: in words, when they are not or when the car is in no state for it.
    """
    act = getattr(vehicle, control)
    taken = inspect.signature(act).parameters
    for name, value in values.items():
        if name not in taken:
            refuse(f"{control} takes {', '.join(taken) or 'no arguments'}, not {name}")
        if not fits(value, taken[name].annotation):
            refuse(f"{name} of {control} is of the wrong type")
    missing = [name for name, each in taken.items() if each.default is each.empty and name not in values]
    if missing:
        refuse(f"{control} needs {', '.join(missing)}")
    act(**values)


def fits(value: Any, kind: Any) -> bool:
    """Return whether a JSON value is of the kind that a control takes: a whole number is a number too."""
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, NUMBERS.get(kind, kind))


async def arguments(request: web.Request) -> Json:
    """Return the JSON object in a request's body, empty when there is no body.

    Raises:
        ControlError: when there is something else in it.
    """
    text = await request.text()
    if not text.strip():
        return {}
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        refuse("the body has to be a JSON object")
    return values


def refusal(status: int, words: str) -> web.Response:
    """Return why not."""
    return web.json_response({"error": words}, status=status)
