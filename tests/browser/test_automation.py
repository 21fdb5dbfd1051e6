"""An automation that a user creates in the automation editor, with the triggers and actions of a car."""

from development.user import CARS, SimulatorControl, User


def test_automation_locks_the_car(user: User, simulation: SimulatorControl) -> None:
    """An automation from the editor runs when the car is plugged in, and locks the car."""
    simulation.do("unplug")
    simulation.do("unlock")
    user.open(CARS)
    user.press("Refresh")
    user.see("Charge port Open")
    user.see("Doors Unlocked")

    user.open("/config/automation/edit/new")
    user.press("Add trigger")
    user.click("Garage")
    user.click("Car plugged in Garage")
    user.see("Garage (1)")
    user.press("Add action")
    user.click("Garage")
    user.click("Lock lock Garage")
    user.press("Save")
    user.fill("Name", "Lock at the charging point")
    user.press("Save")
    user.see("Lock at the charging point")

    simulation.do("plug_in")
    user.open(CARS)
    user.press("Refresh")
    user.see("Doors Locked")
    assert simulation.car["record"]["vehicle_state"]["locked"]
