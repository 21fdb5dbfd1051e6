"""The architecture document matches the code, and every error, issue and action has texts and icons."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
import json
import re
from typing import Any, Final

from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.vehicle_remote_access.account import issues
from custom_components.vehicle_remote_access.api import errors
from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.condition import CONDITIONS
from custom_components.vehicle_remote_access.const import PLATFORMS
from custom_components.vehicle_remote_access.trigger import LOG_TRIGGERS, TRIGGERS

from ..source import ENGLISH, INTEGRATION, MODULES, ROOT, external_imports, load_json

DOCUMENT: Final = ROOT / "docs" / "architecture.md"


def _imports(name: str) -> Iterator[str]:
    """Yield the modules of the integration that a module imports, also for type checking."""
    path = MODULES[name]
    package = path.relative_to(INTEGRATION).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            for each in names:
                module = ".".join((*base, each))
                submodules = [f"{module}.{alias.name}" for alias in node.names]
                yield from [found for found in submodules if found in MODULES] or [module]


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


def test_document_lists_imports() -> None:
    """The document lists exactly the packages, and what each of them imports from packages above it."""
    imported: dict[str, set[str]] = {}
    for name in MODULES:
        imported.setdefault(_row(name), set()).update({_row(each) for each in _imports(name)} - {_row(name)})
    assert imported == DOCUMENTED
    rows = list(DOCUMENTED)
    for row, names in DOCUMENTED.items():
        assert all(rows.index(each) < rows.index(row) for each in names), row


def test_rules_of_the_log_know_no_home_assistant() -> None:
    """Only three modules of the log import Home Assistant, or a package that needs it.

    Together they would be too long for one: its zones, prices and timers, its files, and its recorder.
    """
    modules = [name for name in MODULES if name.startswith("drive_log.")]
    needs_it = {"account", "const"}
    assert {
        name
        for name in modules
        if "homeassistant" in external_imports(name) or needs_it & {_row(each) for each in _imports(name)}
    } == {"drive_log.manager", "drive_log.statistics", "drive_log.stores"}


def test_modules_have_no_import_cycle() -> None:
    """No module imports itself through others, not even for type checking."""
    graph = {name: {each for each in _imports(name) if each in MODULES} for name in MODULES}
    TopologicalSorter(graph).prepare()


def test_no_test_module_is_imported() -> None:
    """What several tests use is in a module without tests."""
    statement = re.compile(r"^ *from (tests)?\.(\S*\btest_\w+ import| import .*\btest_)", re.MULTILINE)
    modules = (ROOT / "tests").rglob("*.py")
    assert not [path for path in modules if statement.search(path.read_text())]


def test_document_names_existing_functions() -> None:
    paths = "".join(DOCUMENT.read_text().split("\n## ")[2:6])
    named = {each for each in re.findall(r"`([\w.]+)`", paths) if "." in each or each.islower()}
    assert len(named) > 40
    sources = "".join(path.read_text() for path in MODULES.values())
    defined = set(re.findall(r"^ *(?:class|def|async def) (\w+)", sources, re.MULTILINE))
    inherited = {"VehicleCoordinator.async_refresh"}
    assert not [name for name in named - inherited if not defined.issuperset(name.split("."))]


def test_pure_packages_do_not_import_home_assistant() -> None:
    """The client, the polling policy and the simulator do not import Home Assistant."""
    for name in MODULES:
        if _row(name) in ("api", "polling", "simulator"):
            assert not external_imports(name) & {"homeassistant", "custom_components", "voluptuous"}, name


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


def test_reasons_of_refusals_are_translated() -> None:
    refusals = {key for key in ENGLISH["exceptions"] if key.startswith("refused_")}
    raised = {errors.RefusedError(reason.replace("_", " ").title()) for reason in errors.KNOWN_REASONS}
    assert refusals == {error.translation_key for error in raised}


def test_issues_are_translated() -> None:
    """Exactly the known issues have texts, which use only supplied placeholders."""
    placeholders = {error.key: {"name", "detail"} for error in ERRORS if error.issue_scope}
    for service_type in SERVICE_TYPES.values():
        own = {"name", "detail", "service", "key_url"}
        placeholders |= dict.fromkeys(service_type.issues.values(), own)
    placeholders |= {issues.DUPLICATE_ACCOUNT: {"name", "other"}, issues.OTHER_ACCOUNT: {"name"}}
    placeholders[issues.SMALL_LIMIT] = {"name", "requests", "minutes"}
    placeholders |= {key: {"name", "account"} for key in (issues.NOT_LISTED, issues.NEW)}
    assert set(ENGLISH["issues"]) == set(placeholders)
    for key, texts in ENGLISH["issues"].items():
        assert set(re.findall(r"{(\w+)}", json.dumps(texts))) <= placeholders[key], key


def test_forms_have_no_error_details_in_markdown() -> None:
    """A form shows error details only in its error, which is plain text. Its other texts are Markdown."""
    for form in (ENGLISH["config"], ENGLISH["config_subentries"]["vehicle"], ENGLISH["options"]):
        assert "{detail}" not in json.dumps(form["step"])


def test_icons_belong_to_named_entities() -> None:
    for platform, icons in load_json("icons.json")["entity"].items():
        assert set(icons) <= set(ENGLISH["entity"][platform]), platform


def test_actions_are_described() -> None:
    """Each action has a description, texts, an icon and a row on its page; each option has a text."""
    described = load_yaml_dict(str(INTEGRATION / "services.yaml"))
    page = (ROOT / "docs" / "actions.md").read_text()
    # The page explains the targets once for all actions.
    targets = {key for key in ("device_id", "config_entry_id") if f"`{key}`" in page}
    texts = ENGLISH["services"]
    assert set(described) == set(texts) == set(load_json("icons.json")["services"])
    for name, action in described.items():
        row = re.search(rf"^\| `{name}` \|(.*)", page, re.MULTILINE)
        assert row, name
        assert set(action["fields"]) == set(texts[name]["fields"]), name
        assert set(action["fields"]) <= targets | set(re.findall(r"`(\w+)`", row[1])), name
        for field in action["fields"].values():
            if select := field["selector"].get("select"):
                options = ENGLISH["selector"][select["translation_key"]]["options"]
                assert set(select["options"]) == set(options), name


@pytest.mark.parametrize(
    ("kind", "keys"), [("triggers", {**TRIGGERS, **LOG_TRIGGERS}), ("conditions", CONDITIONS)]
)
def test_triggers_and_conditions_are_described(kind: str, keys: dict[str, Any]) -> None:
    """Each trigger and condition has a description, texts, an icon and a page with all options."""
    described = load_yaml_dict(str(INTEGRATION / f"{kind}.yaml"))
    described = {key: value for key, value in described.items() if not key.startswith(".")}
    texts, pages = ENGLISH[kind], {page.stem: page.read_text() for page in (ROOT / "docs" / kind).iterdir()}
    index = pages.pop("README")
    assert set(described) == set(texts) == set(load_json("icons.json")[kind]) == set(pages) == set(keys)
    for key, page in pages.items():
        options = set(described[key]["fields"])
        assert set(texts[key]["fields"]) == options, key
        assert set(re.findall(r"`options`, `(\w+)`", page)) == options, key
        assert page.startswith(f"# {texts[key]['name']}\n"), key
        assert f"[{texts[key]['name']}]({key}.md)" in index
