"""The architecture document matches the code, and every entity, error and action has texts and icons."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
import inspect
import json
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.helpers.update_coordinator import DataUpdateCoordinator
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.vehicle_remote_access.account import issues
from custom_components.vehicle_remote_access.api import errors
from custom_components.vehicle_remote_access.api.commands import COMMANDS
from custom_components.vehicle_remote_access.api.fields import BINARY_SENSOR, SENSOR, ShownAs
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState
from custom_components.vehicle_remote_access.binary_sensor import DERIVED_BINARY_SENSORS
from custom_components.vehicle_remote_access.condition import CONDITIONS
from custom_components.vehicle_remote_access.const import PLATFORMS
from custom_components.vehicle_remote_access.entity_descriptions import (
    BINARY_SENSOR_DEVICE_CLASSES,
    SENSOR_PROPERTIES,
)
from custom_components.vehicle_remote_access.polling.policy import Mode
from custom_components.vehicle_remote_access.sensor import DERIVED_SENSORS
from custom_components.vehicle_remote_access.trigger import TRIGGERS

INTEGRATION: Final = Path(__file__).parents[2] / "custom_components" / "vehicle_remote_access"
ROOT: Final = INTEGRATION.parent.parent

DOCUMENT: Final = ROOT / "docs" / "architecture.md"


def _modules(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        yield ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts), path


MODULES: Final = dict(_modules(INTEGRATION))


def _import_statements(node: ast.AST, *, is_run: bool) -> Iterator[ast.ImportFrom]:
    """Yield the imports. With `is_run`, leave out those under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if is_run and isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom):
            yield child
        yield from _import_statements(child, is_run=is_run)


def _imports(name: str, *, is_run: bool = False) -> Iterator[str]:
    """Yield the modules of the integration that a module imports."""
    path = MODULES[name]
    package = path.relative_to(INTEGRATION).parts[:-1]
    for node in _import_statements(ast.parse(path.read_text()), is_run=is_run):
        if node.level:
            base = package[: len(package) - node.level + 1]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            for each in names:
                module = ".".join((*base, each))
                submodules = [f"{module}.{alias.name}" for alias in node.names]
                yield from [found for found in submodules if found in MODULES] or [module]


def _external_imports(name: str) -> set[str]:
    """Return the packages outside the integration that a module imports, also for type checking."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return found


def _row(name: str) -> str:
    """Return the row of the document for a module."""
    first = name.partition(".")[0]
    return "platforms" if first in PLATFORMS else first


def _documented() -> dict[str, set[str]]:
    """Return the imports of each row of the first table of the document."""
    rows = re.findall(r"^\| (.+?) \| .+ \|(.*)\|$", DOCUMENT.read_text().split("\n\n## ")[1], re.MULTILINE)
    return {
        name.strip("`"): set(re.findall(r"`(\w+)`", imports))
        for names, imports in rows[: [row[0] for row in rows].index("`__init__`") + 1]
        if names != "Package or module" and not names.startswith("---")
        for name in names.split(", ")
    }


DOCUMENTED: Final = _documented()


@pytest.mark.parametrize("row", sorted({_row(name) for name in MODULES}))
def test_document_lists_imports(row: str) -> None:
    """The document lists exactly the packages that a package imports."""
    names = [name for name in MODULES if _row(name) == row]
    imported = {_row(each) for name in names for each in _imports(name)} - {row}
    assert imported == DOCUMENTED[row]


def test_document_lists_existing_packages() -> None:
    """The document lists no package that does not exist."""
    assert set(DOCUMENTED) == {_row(name) for name in MODULES}


def test_document_is_sorted_by_imports() -> None:
    """Each package imports only packages above it in the document."""
    rows = list(DOCUMENTED)
    for row, imported in DOCUMENTED.items():
        assert all(rows.index(each) < rows.index(row) for each in imported), row


def test_modules_have_no_import_cycle() -> None:
    """No module imports itself through others."""
    graph = {name: {each for each in _imports(name, is_run=True) if each in MODULES} for name in MODULES}
    TopologicalSorter(graph).prepare()


def _functions() -> set[str]:
    """Return all functions and methods of the integration, such as `plan` or `Client.send`."""
    found = set()
    for path in MODULES.values():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.ClassDef):
                methods = [
                    each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                found |= {f"{node.name}.{each.name}" for each in methods}
    return found


def test_document_names_existing_functions() -> None:
    """Each function that the three paths of the document name exists."""
    paths = "".join(DOCUMENT.read_text().split("\n## ")[2:5])
    named = {each for each in re.findall(r"`([\w.]+)`", paths) if "." in each or each.islower()}
    assert len(named) > 40
    inherited = {"VehicleCoordinator.async_refresh"}
    assert named - inherited <= _functions()


@pytest.mark.parametrize("name", [name for name in MODULES if _row(name) in ("api", "polling", "simulator")])
def test_pure_packages_do_not_import_home_assistant(name: str) -> None:
    """The client, the polling policy and the simulator do not import Home Assistant."""
    assert not _external_imports(name) & {"homeassistant", "custom_components", "voluptuous"}


def test_setup_is_short() -> None:
    """The setup of the integration fits on one screen."""
    assert len((INTEGRATION / "__init__.py").read_text().splitlines()) <= 70


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_does_not_queue_commands(platform: str) -> None:
    """Home Assistant does not queue commands, because each vehicle has its own queue."""
    assert "\nPARALLEL_UPDATES = 0\n" in (INTEGRATION / f"{platform}.py").read_text()


# Texts and icons


def _load(name: str) -> Any:
    return json.loads((INTEGRATION / name).read_text())


ENGLISH: Final = _load("translations/en.json")


# Entities that show no field, or show a field in another way
DERIVED_ENTITIES: Final = {
    "sensor": {
        *(description.key for description in DERIVED_SENSORS),
        ChargeState.time_to_full_charge.path,
        "last_command",
        "requests_today",
    },
    "binary_sensor": {
        *(description.key for description in DERIVED_BINARY_SENSORS),
        "service_reachable",
    },
}


@pytest.mark.parametrize(("shown_as", "platform"), [(SENSOR, "sensor"), (BINARY_SENSOR, "binary_sensor")])
def test_shown_fields_are_named(shown_as: ShownAs, platform: str) -> None:
    """Exactly the shown fields and derived entities have an English name."""
    paths = {field.path for field in FIELDS if field.shown_as is shown_as} | DERIVED_ENTITIES[platform]
    assert set(ENGLISH["entity"][platform]) == {path.replace(".", "_") for path in paths}


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if field.shown_as is SENSOR and field.value_type.options]
)
def test_states_of_fields_are_translated(field: Any) -> None:
    """Each state of a sensor is translated."""
    texts = ENGLISH["entity"]["sensor"][field.path.replace(".", "_")]["state"]
    assert set(texts) == set(field.value_type.options)


@pytest.mark.parametrize("key", ["polling_mode", "last_command"])
def test_states_of_derived_sensors_are_translated(key: str) -> None:
    """Each polling mode and each command is translated."""
    texts = ENGLISH["entity"]["sensor"][key]["state"]
    states = {"polling_mode": set(Mode), "last_command": {command.name for command in COMMANDS}}
    assert set(texts) == states[key]


@pytest.mark.parametrize("field", [field for field in FIELDS if field.shown_as in (SENSOR, BINARY_SENSOR)])
def test_shown_value_types_have_properties(field: Any) -> None:
    """Each value type of a shown field has sensor properties, a device class or options."""
    properties = BINARY_SENSOR_DEVICE_CLASSES if field.shown_as is BINARY_SENSOR else SENSOR_PROPERTIES
    assert field.value_type in properties or field.value_type.options


ERRORS: Final = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.ServiceError)
]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_are_translated(error: type[errors.ServiceError]) -> None:
    """Each error has a message, and supplies all placeholders of the message."""
    message = ENGLISH["exceptions"][error.key]["message"]
    arguments: dict[type[errors.ServiceError], tuple[Any, ...]] = {
        errors.RateLimitedError: (120.0,),
        errors.OutOfBoundsError: ("text", 1.5, 20.0),
    }
    raised = error(*arguments.get(error, ("text",)))
    assert set(re.findall(r"{(\w+)}", message)) <= set(raised.placeholders)


@pytest.mark.parametrize("reason", sorted(errors.KNOWN_REASONS))
def test_reasons_of_refusals_are_translated(reason: str) -> None:
    """Exactly the known reasons of refusals have a message."""
    assert errors.RefusedError(reason.replace("_", " ").title()).translation_key == f"refused_{reason}"
    refusals = {key for key in ENGLISH["exceptions"] if key.startswith("refused_")}
    assert refusals == {f"refused_{name}" for name in errors.KNOWN_REASONS}


def test_issues_are_translated() -> None:
    """Exactly the known issues have texts, which use only supplied placeholders."""
    placeholders = {error.key: {"name", "detail"} for error in ERRORS if error.issue_scope}
    placeholders |= {issues.DUPLICATE_ACCOUNT: {"name", "other"}, issues.OTHER_ACCOUNT: {"name"}}
    placeholders |= {key: {"name", "account"} for key in (issues.NOT_LISTED, issues.NEW)}
    assert set(ENGLISH["issues"]) == set(placeholders)
    for key, texts in ENGLISH["issues"].items():
        assert set(re.findall(r"{(\w+)}", json.dumps(texts))) <= placeholders[key], key


@pytest.mark.parametrize(
    "form", [ENGLISH["config"], ENGLISH["config_subentries"]["vehicle"], ENGLISH["options"]]
)
def test_forms_have_no_error_details_in_markdown(form: dict[str, Any]) -> None:
    """A form shows error details only in its error, which is plain text. Its other texts are Markdown."""
    assert "{detail}" not in json.dumps(form["step"])


def test_icons_belong_to_named_entities() -> None:
    """Each icon belongs to an entity with a name."""
    for platform, icons in _load("icons.json")["entity"].items():
        assert set(icons) <= set(ENGLISH["entity"][platform]), platform


def test_actions_are_described() -> None:
    """Each action has a description, texts and an icon. Each field and option has texts."""
    described = load_yaml_dict(str(INTEGRATION / "services.yaml"))
    texts = ENGLISH["services"]
    assert set(described) == set(texts) == set(_load("icons.json")["services"])
    for name, action in described.items():
        assert set(action["fields"]) == set(texts[name]["fields"]), name
        for field in action["fields"].values():
            select = field["selector"].get("select")
            if select:
                assert set(select["options"]) == set(
                    ENGLISH["selector"][select["translation_key"]]["options"]
                )


@pytest.mark.parametrize(("kind", "keys"), [("triggers", TRIGGERS), ("conditions", CONDITIONS)])
def test_triggers_and_conditions_are_described(kind: str, keys: dict[str, Any]) -> None:
    """Each trigger and condition has a description, texts, an icon and a page with all options."""
    described = load_yaml_dict(str(INTEGRATION / f"{kind}.yaml"))
    described = {key: value for key, value in described.items() if not key.startswith(".")}
    texts, pages = ENGLISH[kind], {page.stem: page.read_text() for page in (ROOT / "docs" / kind).iterdir()}
    index = pages.pop("README")
    assert set(described) == set(texts) == set(_load("icons.json")[kind]) == set(pages) == set(keys)
    for key, page in pages.items():
        options = set(described[key]["fields"])
        assert set(texts[key]["fields"]) == options, key
        assert set(re.findall(r"`options`, `(\w+)`", page)) == options, key
        assert page.startswith(f"# {texts[key]['name']}\n"), key
        assert f"[{texts[key]['name']}]({key}.md)" in index


# Private names of Home Assistant


def test_private_names_of_the_coordinator() -> None:
    """The integration uses only those private names of Home Assistant's coordinator that it has to."""
    source = inspect.getsource(DataUpdateCoordinator)
    private = set(re.findall(r"(?:self\.|def )(_[a-z]\w+)", source))
    used = {
        name for path in INTEGRATION.glob("*.py") for name in re.findall(r"\b_[a-z]\w+", path.read_text())
    }
    assert {"_async_update_data", "_async_refresh_finished", "_shutdown_requested"} <= private
    assert private & used == {"_async_update_data", "_async_refresh_finished", "_schedule_refresh"}
