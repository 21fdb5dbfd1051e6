"""The view of all cars."""

import re
from typing import Final

from playwright.sync_api import expect
import pytest

from development.user import CARS, User

from .accessibility import violations

OPTIONS: Final = ("--vehicles", "2")
CARD: Final = "vehicle-remote-access-car"


@pytest.mark.parametrize("width", [390, 1280])
def test_card_of_a_car_opens_its_page(width: int, user: User) -> None:
    """The first view has a card for each car. Selecting one opens the page of its car."""
    user.page.set_viewport_size({"width": width, "height": 900})
    user.open(CARS)
    cards = user.page.locator(CARD)
    expect(cards).to_have_count(2)
    expect(cards.get_by_text("Parked at home")).to_have_count(2)
    assert violations(user.page) == {}
    assert not user.scrolls_sideways
    user.see_no_error()
    name = cards.last.get_by_role("link").inner_text()
    cards.last.click()
    expect(user.page).to_have_url(re.compile(f"{CARS}/{user.car_id(name)}$"))
    expect(cards).to_have_count(1)
    expect(cards.get_by_role("group", name=f"{name}, seen from above")).to_be_visible()
