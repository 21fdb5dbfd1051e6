"""The state that a command changes is shown at once, and stays when the car has confirmed it.

`test_every_endpoint` tests what is sent.
"""

from typing import Final

from .conftest import CHARGING, LOCK, Home
from .user_actions import LIMIT, PIN, PORT, UserAction, action, close_port, entity, number, press

CLIMATE: Final = ("climate", "climate_state")
CHARGE_SWITCH: Final = ("switch", CHARGING[1])
CHARGE_LIMIT: Final = ("number", LIMIT)
CHARGE_PORT: Final = ("cover", PORT)
TRUNK: Final = ("cover", "vehicle_state.rt")
FRUNK: Final = ("cover", "vehicle_state.ft")
VALET: Final = ("switch", "vehicle_state.valet_mode")
SPEED_LIMIT: Final = ("binary_sensor", "vehicle_state.speed_limit_mode.active")

# What a user does, the entity that shows it, and its new state
STEPS: Final[tuple[tuple[UserAction, tuple[str, str], str], ...]] = (
    (entity("lock", "unlock", LOCK[1]), LOCK, "unlocked"),
    (entity("lock", "lock", LOCK[1]), LOCK, "locked"),
    (entity("climate", "turn_on", CLIMATE[1]), CLIMATE, "heat_cool"),
    (entity("climate", "turn_off", CLIMATE[1]), CLIMATE, "off"),
    (entity("climate", "set_hvac_mode", CLIMATE[1], hvac_mode="heat_cool"), CLIMATE, "heat_cool"),
    (entity("climate", "set_hvac_mode", CLIMATE[1], hvac_mode="off"), CLIMATE, "off"),
    (entity("switch", "turn_on", CHARGING[1]), CHARGE_SWITCH, "on"),
    (entity("switch", "turn_off", CHARGING[1]), CHARGE_SWITCH, "off"),
    (entity("switch", "turn_on", VALET[1]), VALET, "on"),
    (entity("switch", "turn_off", VALET[1]), VALET, "off"),
    (action("set_valet_mode", on=True, password=PIN), VALET, "on"),
    (action("set_valet_mode", on=False, password=PIN), VALET, "off"),
    (action("speed_limit_activate", pin=PIN), SPEED_LIMIT, "on"),
    (action("speed_limit_deactivate", pin=PIN), SPEED_LIMIT, "off"),
    (entity("cover", "open_cover", TRUNK[1]), TRUNK, "open"),
    (entity("cover", "close_cover", TRUNK[1]), TRUNK, "closed"),
    (entity("cover", "open_cover", FRUNK[1]), FRUNK, "open"),
    (number(LIMIT, 80), CHARGE_LIMIT, "80"),
    # Setting the same limit again is not an error.
    (number(LIMIT, 80), CHARGE_LIMIT, "80"),
    (press("charge_max_range"), CHARGE_LIMIT, "100"),
    (press("charge_standard"), CHARGE_LIMIT, "90"),
    (close_port, CHARGE_PORT, "closed"),
    (entity("cover", "open_cover", PORT), CHARGE_PORT, "open"),
    (
        action("remote_start_drive", password="simulated"),
        ("binary_sensor", "vehicle_state.remote_start"),
        "on",
    ),
)


async def test_new_state_is_shown_at_once_and_stays(home: Home) -> None:
    for step, (act, shown, state) in enumerate(STEPS):
        await act(home)
        assert home.shown(*shown).state == state, step
        await home.advance(5)
        await home.poll()
        assert home.shown(*shown).state == state, step
