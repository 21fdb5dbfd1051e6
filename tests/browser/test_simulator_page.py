"""The web page of the simulator."""

from playwright.sync_api import expect

from ..developing import DevelopProcess
from .user import SimulatorControl, User


def test_phone(user: User, simulation: SimulatorControl, running: DevelopProcess) -> None:
    """On a phone, the controls are in closed groups. The buttons On and Off show the present state."""
    page = user.page
    page.set_viewport_size({"width": 390, "height": 844})
    user.open(f"{running.simulator_url}/simulator/")
    user.see(simulation.car["name"])
    width, height = page.evaluate(
        "(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])(document.documentElement)"
    )
    assert width == 390
    assert height < 2000
    user.click("Doors and sentry mode")
    on, off = (page.get_by_role("button", name=f"Sentry: {state}") for state in ("On", "Off"))
    expect(off).to_have_attribute("aria-pressed", "true")
    on.click()
    expect(on).to_have_attribute("aria-pressed", "true")
    expect(off).to_have_attribute("aria-pressed", "false")
    simulation.do("sentry", on=False)
    expect(off).to_have_attribute("aria-pressed", "true")
    user.take_screenshot("Sentry mode")
