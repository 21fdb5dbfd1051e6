"""Makes the pictures of the documentation from a running Home Assistant, for `scripts/screenshots`."""
# ruff: noqa: INP001 - a script, not a module

import argparse
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import hass_frontend
from playwright.sync_api import Locator, expect, sync_playwright

from development.browser import NO_BROWSER, find_browser
from development.commuter_log import ZONE
from development.process import run_develop
from development.stored_log import write_log
from development.user import CARS, SimulatorAdmin
from scripts.screenshots_history import write_statistics, write_temperatures
from scripts.screenshots_log import log_with_curves
from scripts.screenshots_studio import PICTURES, Film, Studio, around, bottom

DOMAIN: Final = "vehicle_remote_access"
NAME: Final = "Vehicle Remote Access"
FLOWS: Final = "config/config_entries/flow"
INTEGRATION_PAGE: Final = f"/config/integrations/integration/{DOMAIN}"
CARD: Final = "vehicle-remote-access-car"
LOG: Final = "vehicle-remote-access-log"
CARD_PATH: Final = "log-card"
LOCK: Final = "lock.vehicle_state_locked"
SUBMIT: Final = "ha-button[slot=primaryAction]"
ROBOTO: Final = hass_frontend.where() / "static" / "fonts" / "roboto"

SECONDS_TO_CALM_DOWN: Final = 12

FONT: Final = (
    "".join(
        f"@font-face {{ font-family: Roboto; font-weight: {weight}; src: url(data:font/woff2;base64,"
        f"{b64encode((ROBOTO / f'Roboto-{name}.woff2').read_bytes()).decode()}) }}"
        for weight, name in {400: "Regular", 500: "Medium", 700: "Bold"}.items()
    )
    + ":root { font-family: Roboto !important }"
)
"""Styles with the font of Home Assistant, so that the simulator's page looks the same on each machine."""
SELECT: Final = """(picker, value) => picker.dispatchEvent(
    new CustomEvent("value-changed", { detail: { value }, bubbles: true, composed: true }))"""
INDEX_OF_TILE: Final = """(cards, entity_id) =>
    cards.findIndex(({ config }) => config.type === "tile" && config.entity === entity_id)"""


class Scene(NamedTuple):
    """A function that makes pictures, and their names."""

    play: Callable[[Studio], None]
    pictures: tuple[str, ...]


def main() -> int:
    """Make the pictures, and return the exit status."""
    wanted = parse_names()
    browser = find_browser()
    if browser is None:
        sys.stderr.write(f"screenshots: {NO_BROWSER}\n")
        return 1
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as temporary, sync_playwright() as driver:
        if any(not wanted.isdisjoint(scene.pictures) for scene in SCENES):
            folder = Path(temporary) / "new"
            with run_develop(folder, "--empty", "--no-routine") as running:
                studio = Studio(driver, browser, running, folder, wanted)
                for scene in SCENES:
                    if scene.play in {install, prepare} or not wanted.isdisjoint(scene.pictures):
                        scene.play(studio)
        if not wanted.isdisjoint(LOG_SCENE.pictures):
            folder = Path(temporary) / "log"
            with run_develop(folder, "--no-routine") as running:
                port = running.simulator_url.rpartition(":")[2]
            write_log(folder, *log_with_curves())
            with run_develop(folder, "--no-routine", "--simulator-port", port) as running:
                LOG_SCENE.play(Studio(driver, browser, running, folder, wanted, str(ZONE)))
    return 0


def parse_names() -> set[str]:
    """Return the names on the command line, or all names. Exit with a message if one is unknown."""
    names = [name for scene in (*SCENES, LOG_SCENE) for name in scene.pictures]
    parser = argparse.ArgumentParser(
        prog="scripts/screenshots",
        description="Make the pictures of the documentation in docs/pictures from a running Home Assistant.",
        epilog=f"The pictures are: {', '.join(names)}.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="name of a picture. Without names: all")
    wanted = {name if "." in name else f"{name}.png" for name in parser.parse_args().names}
    if unknown := wanted.difference(names):
        parser.error(f"there is no picture {', '.join(sorted(unknown))}. --help lists the pictures")
    return wanted or set(names)


def show_simulator_page(studio: Studio) -> None:
    """Show the page of the simulator that runs alone."""
    page, running = studio.page, studio.running
    address = f"{running.simulator_url}/simulator/"
    token = {"Authorization": f"Bearer {running.token}"}
    simulator = studio.driver.request.new_context(base_url=address, extra_http_headers=token)
    control = SimulatorAdmin(simulator)
    control.do("unplug")
    control.do("set_level", percent=58)
    control.do("plug_in")
    control.do("enter")
    control.do("open", name="pf")
    control.do("set_temperatures", inside=18, outside=7.5)
    simulator.post("clock", data={"speed": 60})
    page.wait_for_timeout(1000)  # in which the temperature sensors start
    simulator.post("clock", data={"speed": 1})
    car = f"/api/1/vehicles/{control.car['id']}"
    simulator.get("/api/1/vehicles")
    simulator.get(f"{car}/vehicle_data")
    simulator.post(f"{car}/command/auto_conditioning_start")
    simulator.post(f"{car}/command/flash_lights")

    page.set_viewport_size({"width": 1240, "height": 940})
    page.goto(address)
    page.add_style_tag(content=FONT)
    studio.take("simulator-page.png")


def find_integration(studio: Studio) -> Locator:
    """Open the dialog that adds an integration, and return the found one."""
    studio.show("/config/integrations/dashboard", 1000, 540)
    studio.press("Add integration")
    studio.fill("Search for a brand name", "Vehicle Remote")
    found = studio.page.locator("ha-integration-list-item")
    expect(found).to_have_count(1)
    return found


def select_in_menu(studio: Studio, option: str) -> None:
    """Select an option of the dialog's menu."""
    menu = studio.page.locator("step-flow-menu")
    options = menu.evaluate("menu => menu.step.menu_options")
    menu.locator(".options > *").nth(options.index(option)).click()


def install(studio: Studio) -> None:
    """Add an account with a simulated car."""
    page = studio.page
    found = find_integration(studio)
    studio.take_dialog("install-add-integration.png")
    found.click()
    page.set_viewport_size({"width": 1000, "height": 800})
    page.locator("step-flow-menu").wait_for()
    studio.take_dialog("install-menu.png")

    select_in_menu(studio, "account")
    page.get_by_text("Another service").wait_for()
    studio.take_dialog("install-service.png")
    select_in_menu(studio, "tessie")
    page.get_by_text("Connect Tessie").wait_for()
    studio.take_dialog("install-token.png")

    find_integration(studio).click()
    page.set_viewport_size({"width": 1000, "height": 800})
    select_in_menu(studio, "simulator")
    page.locator("step-flow-form").wait_for()
    studio.take_dialog("install-simulator.png")
    page.locator(SUBMIT).click()
    page.locator("step-flow-create-entry").wait_for()

    studio.show(INTEGRATION_PAGE, 1000, 900)
    page.locator("ha-config-sub-entry-row ha-config-entry-device-row").nth(1).wait_for()
    studio.end_at(bottom(page.locator("ha-config-entry-row")) + 24)
    studio.take("install-done.png")


def prepare(studio: Studio) -> None:
    """Let the car charge in the garage."""
    area = studio.send("config/area_registry/create", name="Garage", icon="mdi:garage")["area_id"]
    car = studio.device_id(LOCK)
    studio.send("config/device_registry/update", device_id=car, area_id=area)
    studio.act("switch.simulation_routine", "turn_off")
    studio.act("switch.simulation_weather", "turn_off")
    studio.act("select.simulation_cable", "select_option", option="unplugged")
    studio.act("number.simulation_battery_level", "set_value", value=72)
    studio.act("select.simulation_cable", "select_option", option="charging_point")
    studio.page.wait_for_timeout(31_000)  # in which charging and the temperature sensors start
    studio.act("number.simulation_outside_temp", "set_value", value=7.5)
    studio.act("number.simulation_inside_temp", "set_value", value=18)
    studio.act("button.refresh", "press")
    studio.wait_for_state("sensor.charge_state_charging_state", "charging")


def show_dashboard(studio: Studio) -> None:
    """Show the dashboard of a car that is charging."""
    write_temperatures(studio)
    write_statistics(studio)
    # With two columns, the map is below them. It needs the internet.
    studio.show(CARS, 960, 1200)
    studio.page.locator(CARD).wait_for()
    studio.wait_until_still()
    map_card = studio.page.locator("hui-map-card")
    map_section = studio.page.locator("hui-grid-section", has=map_card).filter(visible=True)
    studio.end_at(around(map_section)["y"] - 12)
    studio.take("dashboard.png")
    studio.show(CARS, 1240, 1400)
    graph = studio.page.locator("hui-statistics-graph-card")
    graph.locator("canvas").first.wait_for()
    charts = studio.page.locator("hui-grid-section", has=graph)
    studio.take("dashboard-charts.png", around(charts, 16))
    studio.show(CARS, 390, 844, "dark")
    studio.page.locator(CARD).wait_for()
    studio.take("dashboard-phone.png")


def show_simulation(studio: Studio) -> None:
    """Show the device with the controls of the simulation."""
    device_id = studio.device_id("select.simulation_cable")
    studio.show(f"/config/devices/device/{device_id}", 860, 1000)
    studio.page.locator("ha-device-entities-card hui-select-entity-row").first.wait_for()
    studio.take("simulation.png")


def show_settings(studio: Studio) -> None:
    """Show the settings of the account and of the car."""
    page = studio.page
    for name, gear in {
        "settings-account.png": "ha-config-entry-row ha-row-item ha-icon-button[slot=end]",
        "settings-vehicle.png": "ha-config-sub-entry-row ha-list-item-base > ha-icon-button[slot=end]",
    }.items():
        studio.show(INTEGRATION_PAGE, 860, 900)
        page.locator(gear).first.click()
        page.locator("step-flow-form ha-form, step-flow-menu").first.wait_for()
        studio.take_dialog(name)


def show_triggers(studio: Studio) -> None:
    """Show the triggers of the integration for an area in the automation editor."""
    studio.show("/config/automation/edit/new", 1000, 815)
    studio.press("Add trigger")
    studio.click("Garage")
    heading = studio.page.locator("ha-automation-add-items .items-title").get_by_text(NAME)
    heading.evaluate("heading => heading.scrollIntoView()")
    studio.take_dialog("trigger-picker.png")


def show_blueprint(studio: Studio) -> None:
    """Show an automation that uses a blueprint."""
    inputs = {"car": studio.device_id(LOCK)}
    # scripts/develop added the blueprints.
    blueprint = {"path": "vehicle-remote-access/remind_to_plug_in.yaml", "input": inputs}
    studio.post("config/automation/config/reminder", alias="Plug in the car", use_blueprint=blueprint)
    studio.show("/config/automation/edit/reminder", 860, 1400)
    form = studio.page.locator("blueprint-automation-editor ha-card")
    form.wait_for()
    studio.end_at(bottom(form) + 16)
    studio.take("blueprint.png")


def film_dashboard(studio: Studio) -> None:
    """Film how the dashboard unlocks a car and opens its trunk, and how the car is charged."""
    page = studio.page
    studio.act("select.simulation_cable", "select_option", option="unplugged")
    studio.act("number.simulation_battery_level", "set_value", value=61)
    studio.wait_for_state("sensor.charge_state_battery_level", "61")
    studio.act("cover.charge_state_charge_port_door_open", "close_cover")
    studio.act(LOCK, "lock")
    studio.show(CARS, 460, 960)
    page.locator(CARD).wait_for()
    studio.wait_until_still()

    section = page.locator("hui-grid-section", has=page.locator(CARD))
    clip = around(section, 8)
    film = Film(page, clip)
    film.record(0.6)
    for key in (LOCK, "cover.vehicle_state_rt"):
        film.tap(tile(studio, key))
        film.record(0.4)
        film.tap(page.locator("dialog-box").locator(SUBMIT))
        film.record(0.8)
    studio.act("switch.simulation_rt", "turn_off")
    film.record(0.4)
    studio.act("select.simulation_cable", "select_option", option="charging_point")
    film.record(1.04)
    page.wait_for_timeout(5000)  # in which charging starts
    studio.act("button.refresh", "press")
    film.record(2.08)
    film.save("dashboard.webp")


def tile(studio: Studio, key: str) -> Locator:
    """Return the visible tile of an entity on the dashboard."""
    cards = studio.page.locator("hui-card").filter(visible=True)
    index = cards.evaluate_all(INDEX_OF_TILE, studio.entity_id(key))
    return cards.nth(index)


def show_energy(studio: Studio) -> None:
    """Show how a user adds the car to the Energy dashboard."""
    page = studio.page
    studio.show("/config/energy", 1000, 800)
    page.locator("ha-energy-device-settings ha-button").last.click()
    for index, key in enumerate(("log_energy_charged_home", "charge_state_charger_power")):
        entity_id = studio.entity_id(f"sensor.{key}")
        page.locator("ha-statistic-picker").nth(index).evaluate(SELECT, entity_id)
    studio.take_dialog("energy.png")


def show_repair(studio: Studio) -> None:
    """Show the repair that adds a new car of the account."""
    page = studio.page
    entry = studio.send("config_entries/get", domain=DOMAIN)[0]["entry_id"]
    step = studio.post(FLOWS, handler=DOMAIN, entry_id=entry)
    studio.post(f"{FLOWS}/{step['flow_id']}", vehicles=2)
    studio.show("/config/repairs", 1000, 800)
    page.locator("ha-config-repairs ha-list-item-button", has_text=NAME).click()
    page.locator("step-flow-menu").wait_for()
    studio.take_dialog("repair.png")


def show_sleep(studio: Studio) -> None:
    """Show a car that fell asleep hours ago."""
    page = studio.page
    studio.act("select.simulation_cable", "select_option", option="unplugged")
    studio.act("cover.charge_state_charge_port_door_open", "close_cover")
    studio.act(LOCK, "lock")
    # The dashboard shows since when the car sleeps, if nothing else has changed with that.
    page.wait_for_timeout(1000 * SECONDS_TO_CALM_DOWN)
    studio.act("button.simulation_fall_asleep", "press")
    studio.wait_for_state("sensor.state", "asleep")
    page.clock.set_fixed_time(datetime.now(UTC) + timedelta(hours=5))
    studio.show(CARS, 440, 960)
    page.locator(CARD).wait_for()
    studio.wait_until_still()
    studio.end_at(bottom(page.locator(CARD)) + 8)
    studio.take("dashboard-asleep.png")


def show_log(studio: Studio) -> None:
    """Show the pages of a log with entries of more than two years, and the card for the log."""
    page = studio.page
    card = {"type": f"custom:{LOG}-card", "device_id": studio.device_id("button.refresh")}
    studio.create_dashboard(CARD_PATH, {"cards": [card]})
    studio.show(f"/{CARD_PATH}", 440, 700)
    studio.wait_until_still()
    studio.take("log-card.png", around(page.locator(f"{LOG}-card"), 8))

    studio.show(CARS, 760, 1000)
    studio.click("Log")
    page.locator(f"{LOG} .day").first.wait_for()
    studio.take("log.png")
    for picture, title in {"log-drive.png": "Work → Home", "log-charge.png": "Charge · Home"}.items():
        studio.show(page.url, 440, 2000)
        entries = page.get_by_role("listitem")
        entry = entries.filter(has=page.get_by_role("button", name=title)).first
        entry.get_by_role("button").first.click()
        entry.locator(".charts").wait_for()
        studio.take(picture, around(entry, 8))
    for picture, name in {"log-months.png": "Months", "log-battery.png": "Battery"}.items():
        page.get_by_role("link", name=name).click()
        page.set_viewport_size({"width": 1100, "height": 1000})
        page.locator(f"{LOG}-{name.lower()} dl").first.wait_for()
        studio.take(picture)


LOG_SCENE: Final = Scene(
    show_log,
    ("log.png", "log-drive.png", "log-charge.png", "log-months.png", "log-battery.png", "log-card.png"),
)
"""The scene of a Home Assistant that already has a log when it starts."""
SCENES: Final = (
    Scene(show_simulator_page, ("simulator-page.png",)),
    Scene(
        install,
        (
            "install-add-integration.png",
            "install-menu.png",
            "install-service.png",
            "install-token.png",
            "install-simulator.png",
            "install-done.png",
        ),
    ),
    Scene(prepare, ()),
    Scene(show_dashboard, ("dashboard.png", "dashboard-charts.png", "dashboard-phone.png")),
    Scene(show_simulation, ("simulation.png",)),
    Scene(show_settings, ("settings-account.png", "settings-vehicle.png")),
    Scene(show_triggers, ("trigger-picker.png",)),
    Scene(show_blueprint, ("blueprint.png",)),
    Scene(film_dashboard, ("dashboard.webp",)),
    Scene(show_energy, ("energy.png",)),
    Scene(show_repair, ("repair.png",)),
    Scene(show_sleep, ("dashboard-asleep.png",)),
)


if __name__ == "__main__":
    sys.exit(main())
