"""What the dialogs ask for, and what an address may be."""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

from homeassistant.const import CONF_ACCESS_TOKEN, CONF_ID, UnitOfTime
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol
from yarl import URL

from .account.discovery import Car
from .account.options import (
    INTERVAL,
    LONGEST_INTERVAL,
    LONGEST_READ_INTERVAL,
    READ_INTERVALS,
    SHORTEST_INTERVAL,
    SHORTEST_READ_INTERVAL,
)
from .const import (
    CONF_BASE_URL,
    CONF_INTERVAL,
    CONF_INTERVALS,
    CONF_KEEP_AWAKE_PLUGGED_IN,
    CONF_POWERED_LIDS,
    CONF_READ_ONLY,
    CONF_SPEED,
    CONF_VEHICLES,
    CONF_WAKE_FOR_COMMANDS,
)

_MOST_SIMULATED: Final = 10
_FASTEST: Final = 600


def _number(most: int) -> NumberSelector:
    return NumberSelector(NumberSelectorConfig(min=1, max=most, mode=NumberSelectorMode.BOX))


def _seconds(shortest: int, longest: int) -> NumberSelector:
    return NumberSelector(
        NumberSelectorConfig(
            min=shortest,
            max=longest,
            unit_of_measurement=UnitOfTime.SECONDS,
            # A box takes any number, and Home Assistant says of a wrong one only that it is.
            mode=NumberSelectorMode.SLIDER,
            step=5,
        )
    )


EXAMPLE: Final = "https://vehicles.example.com"
_TOKEN: Final = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="off"))
ACCOUNT: Final = vol.Schema(
    {
        vol.Required(CONF_BASE_URL): TextSelector(TextSelectorConfig(autocomplete="off")),
        vol.Required(CONF_ACCESS_TOKEN): _TOKEN,
    }
)
NOTHING: Final = vol.Schema({})
TOKEN_ONLY: Final = vol.Schema({vol.Required(CONF_ACCESS_TOKEN): _TOKEN})
ID_ONLY: Final = vol.Schema({vol.Required(CONF_ID): TextSelector()})
SIMULATED_CARS: Final = vol.Schema({vol.Required(CONF_VEHICLES, default=1): _number(_MOST_SIMULATED)})
SIMULATOR: Final = SIMULATED_CARS.extend({vol.Required(CONF_SPEED, default=1): _number(_FASTEST)})
ACCOUNT_SETTINGS: Final = vol.Schema(
    {
        vol.Required(CONF_INTERVAL, default=INTERVAL): _seconds(SHORTEST_INTERVAL, LONGEST_INTERVAL),
        vol.Required(CONF_READ_ONLY, default=False): BooleanSelector(),
    }
)
_INTERVALS: Final = vol.Schema(
    {
        vol.Required(mode, default=seconds): _seconds(SHORTEST_READ_INTERVAL, LONGEST_READ_INTERVAL)
        for mode, seconds in READ_INTERVALS.items()
    }
)
VEHICLE_SETTINGS: Final = vol.Schema(
    {
        vol.Required(CONF_KEEP_AWAKE_PLUGGED_IN, default=False): BooleanSelector(),
        vol.Required(CONF_WAKE_FOR_COMMANDS, default=True): BooleanSelector(),
        vol.Required(CONF_READ_ONLY, default=False): BooleanSelector(),
        vol.Optional(CONF_POWERED_LIDS): SelectSelector(
            SelectSelectorConfig(options=["trunk", "frunk"], multiple=True, translation_key=CONF_POWERED_LIDS)
        ),
        vol.Required(CONF_INTERVALS): section(_INTERVALS, {"collapsed": True}),
    }
)


def choice_of(cars: Iterable[Car], *, multiple: bool) -> SelectSelector:
    """Return a list of these cars to choose from, each with the end of its VIN."""
    options = [SelectOptionDict(value=car.number, label=f"{car.name} ({car.vin[-6:]})") for car in cars]
    return SelectSelector(
        SelectSelectorConfig(options=options, multiple=multiple, mode=SelectSelectorMode.LIST)
    )


class InvalidUrlError(ValueError):
    """A base URL that cannot be one."""


def base_url(typed: str) -> URL:
    """Return a typed address as the root that paths are appended to. https unless it says otherwise."""
    typed = typed.strip()
    try:
        url = URL(typed if "://" in typed else f"https://{typed}")
        path = url.path.rstrip("/").removesuffix("/api/1")
        root = URL.build(scheme=url.scheme, host=url.host or "", port=url.explicit_port, path=path)
    except ValueError:
        raise InvalidUrlError from None
    # What stands before an @ would be a second secret, and one that shows in every log of addresses.
    if url.scheme not in ("http", "https") or not url.host or url.user or url.password or url.query_string:
        raise InvalidUrlError
    return root


def is_this_host(url: URL) -> bool:
    """Return whether an address is that of the machine that asks."""
    if url.host == "localhost":
        return True
    try:
        return ip_address(url.host or "").is_loopback
    except ValueError:
        return False
