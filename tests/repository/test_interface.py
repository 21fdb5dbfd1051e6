"""The page of the interface matches the code, and has each section that the code cites."""

import re
from typing import Final

from aiohttp import web
import pytest

from custom_components.vehicle_remote_access.api import commands
from custom_components.vehicle_remote_access.api.commands import COMMANDS, WAKE_UP, Endpoint
from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.api.service_types import REGION, SERVICE_TYPES
from custom_components.vehicle_remote_access.simulator import TOKEN_PATH
from custom_components.vehicle_remote_access.simulator.faults.switches import Switches
from custom_components.vehicle_remote_access.simulator.http.car_records import SEPARATE_RECORDS
from custom_components.vehicle_remote_access.simulator.http.endpoints import Endpoints
from simulator_console.fleet_commands import commands_of
from simulator_console.services import REGION_PATH

from ..source import INTEGRATION, ROOT

PAGE: Final = (ROOT / "docs" / "interface.md").read_text()
SECTIONS: Final = dict(re.findall(r"^#+ (.+)\n((?:(?!#+ ).*\n)*)", PAGE, re.MULTILINE))
COMMANDS_OF_ALL: Final = "Commands"
COMMANDS_OF_FLEET: Final = "Fleet commands"
COMMAND_PATH: Final = "/api/1/vehicles/{id}/command/"
CITATION: Final = re.compile(r'[Ii]nterface document((?:,? (?:and )?"[^"]+")+)')


def _rows(section: str) -> list[list[str]]:
    """Return the cells of all rows of a section's tables."""
    rows = re.findall(r"^\|(.+)\|\n", SECTIONS[section], re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in rows]


def _first_names(section: str) -> list[str]:
    """Return the names in the first column of a section's tables."""
    return [row[0].strip("`") for row in _rows(section) if row[0].startswith("`")]


def _names(cell: str) -> list[str]:
    """Return the names of the parameters that a cell describes."""
    return re.findall(r"`(\w+)`:", cell)


def _listed_endpoints() -> list[tuple[str, str, list[str]]]:
    rows = [row for section in SECTIONS for row in _rows(section) if row[0] in {"GET", "POST"}]
    return sorted((row[0], row[1].strip("`"), _names(row[2])) for row in rows)


def test_page_lists_each_field_once_and_those_of_the_fleet_apis_family_in_their_own_section() -> None:
    records = dict.fromkeys(field.path.partition(".")[0] for field in FIELDS if "." in field.path)
    listed = [f"{record}.{name}" for record in records for name in _first_names(record)]
    listed += _first_names("Vehicle record")
    assert sorted(listed) == sorted(field.path for field in FIELDS if not field.fleet_only)
    assert sorted(_first_names("Fields")) == sorted(field.path for field in FIELDS if field.fleet_only)


@pytest.mark.parametrize("section", [COMMANDS_OF_ALL, COMMANDS_OF_FLEET])
def test_page_lists_each_command_once_with_its_parameters(section: str) -> None:
    listed = [(row[0].strip("`"), _names(row[1])) for row in _rows(section) if row[0].startswith("`")]
    ours = [
        (command.name, [parameter.name for parameter in command.parameters])
        for command in COMMANDS
        if command.has_result and command.fleet_only is (section == COMMANDS_OF_FLEET)
    ]
    assert sorted(listed) == sorted(ours)


def test_page_lists_each_other_endpoint_once_with_its_parameters() -> None:
    values = [
        each
        for value in vars(commands).values()
        for each in (value.values() if isinstance(value, dict) else [value])
    ]
    reads = [each for each in values if isinstance(each, Endpoint) and each not in COMMANDS]
    ours = [
        (endpoint.method, endpoint.path, [parameter.name for parameter in endpoint.parameters])
        for endpoint in (*reads, WAKE_UP, REGION)
    ]
    assert _listed_endpoints() == sorted(ours)


def test_page_lists_paths_of_simulator() -> None:
    application = web.Application()
    Endpoints([], Switches()).add_routes(application.router)
    parts = {"{command}": commands_of(Switches(profile="fleet-2024")), "{record}": SEPARATE_RECORDS}
    served = {("GET", REGION_PATH)}
    for route in application.router.routes():
        path = route.resource.canonical if route.resource else ""
        last = path.rpartition("/")[2]
        served |= {(route.method, path.replace(last, each)) for each in parts.get(last, (last,))}
    names = _first_names(COMMANDS_OF_ALL) + _first_names(COMMANDS_OF_FLEET)
    forms = [form for service_type in SERVICE_TYPES.values() for form in service_type.forms.values()]
    names += [form.path.rpartition("/")[2] for form in forms]
    listed = {(method, path) for method, path, _ in _listed_endpoints()}
    assert not served - listed - {("POST", COMMAND_PATH + name) for name in names}
    assert f"`POST {TOKEN_PATH}`" in SECTIONS["Authentication"]


def test_cited_sections_exist() -> None:
    cited = {
        name
        for folder in (INTEGRATION, ROOT / "simulator_console", ROOT / "tests")
        for path in folder.rglob("*.py")
        for names in CITATION.findall(re.sub(r"\s+(?:# )?", " ", path.read_text()))
        for name in re.findall(r'"([^"]+)"', names)
    }
    assert cited
    assert not cited - SECTIONS.keys()
