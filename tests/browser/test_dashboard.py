"""The dashboard that the integration adds to the sidebar."""

from typing import Literal

import pytest

from .user import CARS, SimulatorControl, User


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)], ids=["phone", "desktop"])
def test_car_fits_on_screen(
    scheme: Literal["light", "dark"], width: int, height: int, user: User, simulation: SimulatorControl
) -> None:
    """The car, its battery, lock and position fit on each screen, in the color scheme of the device."""
    user.page.set_viewport_size({"width": width, "height": height})
    user.page.emulate_media(color_scheme=scheme)
    user.open(CARS)
    user.see("Comet")
    user.see(f"{simulation.car['record']['charge_state']['battery_level']}%")
    user.see("Doors Locked")
    user.see_card("hui-map-card")
    user.see_no_error()
    assert user.has_dark_theme is (scheme == "dark")


def test_lock(user: User, simulation: SimulatorControl) -> None:
    """The dashboard unlocks the car after a confirmation, and locks it immediately."""
    user.open(CARS)
    user.press("Doors Locked")
    user.press("OK")
    user.see("Doors Unlocked")
    assert not simulation.car["record"]["vehicle_state"]["locked"]
    user.press("Doors Unlocked")
    user.see("Doors Locked")
    assert simulation.car["record"]["vehicle_state"]["locked"]


def test_card_is_suggested(user: User) -> None:
    """The card picker suggests the car's card for an entity that the card shows."""
    user.open_new_dashboard()
    user.press("Add card")
    user.fill("Search entities", "Comet Battery")
    user.click("Battery")
    user.see_card("vehicle-remote-access-car")
