"""An automation that somebody makes in Home Assistant's own editor, of what a car brings to it."""

from .visitor import CARS, Bystander, Visitor


def test_car_locks_itself_when_plugged_in(visitor: Visitor, bystander: Bystander) -> None:
    """An automation that was put together with clicks runs when the car is plugged in, and the car obeys."""
    bystander.do("unplug")
    bystander.do("unlock")
    visitor.open(CARS)
    visitor.press("Refresh")
    visitor.see("Disconnected")
    visitor.see("Doors Unlocked")

    visitor.open("/config/automation/edit/new")
    visitor.press("Add trigger")
    visitor.click("Garage")
    visitor.click("Car plugged in Garage")
    visitor.press("Add action")
    visitor.click("Garage")
    visitor.click("Lock lock Garage")
    visitor.press("Save")
    visitor.fill("Name", "Lock at the charging point")
    visitor.press("Save")
    visitor.see("Lock at the charging point")

    bystander.do("plug_in")
    visitor.open(CARS)
    visitor.press("Refresh")
    visitor.see("Doors Locked")
    assert bystander.car["record"]["vehicle_state"]["locked"]
