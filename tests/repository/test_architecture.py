"""The architecture document matches the code, and every error, issue and action has texts and icons."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import import_module
import json
import re
from typing import Any, Final

from homeassistant.const import Platform
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.vehicle_remote_access.account import issues
from custom_components.vehicle_remote_access.account.storage import log_names, samples_name
from custom_components.vehicle_remote_access.account.token_store import tokens_file
from custom_components.vehicle_remote_access.api import errors
from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.condition import CONDITIONS
from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS
from custom_components.vehicle_remote_access.entity import VehicleEntityDescription
from custom_components.vehicle_remote_access.trigger import (
    ACCOUNT_TRIGGERS,
    ARRIVAL_TRIGGERS,
    LOG_TRIGGERS,
    PLAN_TRIGGERS,
    TRIGGERS,
)

from ..source import ENGLISH, INTEGRATION, MODULES, ROOT, external_imports, load_json

DOCUMENT: Final = ROOT / "docs" / "architecture.md"
LIKE_A_NAME: Final = re.compile(r"\w[._/]\w|[a-z][A-Z]")
STORED: Final = [
    *(
        f"{DOMAIN}.{name}"
        for name in (
            "<account>",
            tokens_file("<account>"),
            "<car>",
            *log_names("<car>"),
            samples_name("<car>"),
            samples_name("<car>", "<month>"),
            "removed_logs",
        )
    ),
    f"lovelace.{DOMAIN}.cars",
]


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


def test_document_lists_exactly_the_packages_and_what_each_imports_from_packages_above_it() -> None:
    imported: dict[str, set[str]] = {}
    for name in MODULES:
        imported.setdefault(_row(name), set()).update({_row(each) for each in _imports(name)} - {_row(name)})
    assert imported == DOCUMENTED
    rows = list(DOCUMENTED)
    for row, names in DOCUMENTED.items():
        assert all(rows.index(each) < rows.index(row) for each in names), row


def test_rules_of_the_log_know_no_home_assistant() -> None:
    """Only four modules of the log import Home Assistant, or a package that needs it.

    Together they would be too long for one: its zones, prices and timers, its files, the logs of removed
    cars, and its recorder.
    """
    modules = [name for name in MODULES if name.startswith("drive_log.")]
    needs_it = {"account", "const"}
    assert {
        name
        for name in modules
        if "homeassistant" in external_imports(name) or needs_it & {_row(each) for each in _imports(name)}
    } == {f"drive_log.{name}" for name in ("kept_logs", "manager", "statistics", "stores")}


def test_no_module_imports_itself_through_others_not_even_for_type_checking() -> None:
    graph = {name: {each for each in _imports(name) if each in MODULES} for name in MODULES}
    TopologicalSorter(graph).prepare()


def test_no_test_module_is_imported() -> None:
    """What several tests use is in a module without tests."""
    statement = re.compile(r"^ *from (tests)?\.(\S*\btest_\w+ import| import .*\btest_)", re.MULTILINE)
    modules = (ROOT / "tests").rglob("*.py")
    assert not [path for path in modules if statement.search(path.read_text())]


def _defined() -> set[str]:
    """Return the classes, functions and constants of all modules, and the words of classes after a dot."""
    names: set[str] = set()
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.ClassDef(name=name):
                    names |= {name, *(f"{name}.{word}" for word in re.findall(r"\w+", ast.unparse(node)))}
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    names.add(name)
                case ast.AnnAssign(target=ast.Name(id=name)):
                    names.add(name)
    return names


def _named(section: str) -> Iterator[str]:
    """Yield what a section names: those in backticks, and those in diagrams that cannot be words."""
    for diagram in re.findall(r"```mermaid\n\w+(.*?)```", section, re.DOTALL):
        yield from (each for each in re.findall(r"\w[\w./]*\w", diagram) if LIKE_A_NAME.search(each))
    yield from re.findall(r"`(\w[\w./]*)`", re.sub(r"```.*?```", "", section, flags=re.DOTALL))


def test_document_names_what_exists() -> None:
    """Each path has a diagram. The paths, the files and the instructions name only what exists.

    Names of the scripts count only in sections about scripts.
    """
    sections = DOCUMENT.read_text().split("\n## ")[2:11]
    assert ["```mermaid\n" in each for each in sections] == [True] * 8 + [False]
    instructions = (ROOT / "CONTRIBUTING.md").read_text().split("\n## ")[1:]
    sections += [each for each in instructions if re.match("Add a (field|command|value)", each)]
    defined, texts = _defined(), "".join(path.read_text() for path in MODULES.values())
    defined |= {"VehicleCoordinator.async_refresh", *STORED}
    defined |= set(re.findall(r'f"\{DOMAIN\}/(log/\w+)"', texts))
    scripts = "".join(path.read_text() for path in (INTEGRATION / "dashboard" / "www").glob("*.js"))
    scripted = set(re.findall(r"^(?:export )?(?:\w+ )*(?:class|function|const) (\w+)", scripts, re.MULTILINE))
    folders = (INTEGRATION, *(ROOT / name for name in ("simulator_console", "typings", "docs", "tests")))
    files = [f"/{path}" for folder in folders for path in folder.rglob("*")]
    count = 0
    for section in sections:
        named = set(_named(section))
        known = defined | scripted if ".js" in section else defined
        missing = {name for name in named - known if not any(path.endswith(f"/{name}") for path in files)}
        assert not missing, section.partition("\n")[0]
        count += len(named)
    assert count > 120


def test_document_lists_stored_files() -> None:
    table = DOCUMENT.read_text().partition("\n## What is stored\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE) == STORED


def test_pure_packages_do_not_import_home_assistant() -> None:
    for name in MODULES:
        if _row(name) in ("api", "polling", "simulator"):
            assert not external_imports(name) & {"homeassistant", "custom_components", "voluptuous"}, name


ERRORS: Final = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.ServiceError)
]


@pytest.mark.parametrize("error", ERRORS)
def test_each_error_has_a_message_and_supplies_all_its_placeholders(error: type[errors.ServiceError]) -> None:
    message = ENGLISH["exceptions"][error.key]["message"]
    bounds: dict[str, Any] = {"low": "1.5", "high": "20"} if error is errors.OutOfBoundsError else {}
    raised = error("text", **bounds)
    assert set(re.findall(r"{(\w+)}", message)) <= set(raised.placeholders)


def test_reasons_of_refusals_are_translated() -> None:
    refusals = {key for key in ENGLISH["exceptions"] if key.startswith("refused_")}
    raised = {errors.RefusedError(reason.replace("_", " ").title()) for reason in errors.KNOWN_REASONS}
    assert refusals == {error.translation_key for error in raised}


def test_exactly_the_known_issues_have_texts_which_use_only_supplied_placeholders() -> None:
    placeholders = {error.key: {"name", "detail"} for error in ERRORS if error.issue_scope}
    for service_type in SERVICE_TYPES.values():
        own = {"name", "detail", "service", "key_url"}
        placeholders |= dict.fromkeys(service_type.issues.values(), own)
    placeholders |= {issues.DUPLICATE_ACCOUNT: {"name", "other"}, issues.OTHER_ACCOUNT: {"name"}}
    placeholders[issues.BLOCKED_PLAN] = {"name"}
    placeholders[issues.SMALL_LIMIT] = {"name", "requests", "minutes"}
    placeholders |= {issues.NOT_LISTED: {"name", "account"}, issues.NEW: {"name", "account", "logs"}}
    placeholders |= {key: {"folder", "error"} for key in ("disk_full", "disk_read_only", "not_stored")}
    assert set(ENGLISH["issues"]) == set(placeholders)
    for key, texts in ENGLISH["issues"].items():
        assert set(re.findall(r"{(\w+)}", json.dumps(texts))) <= placeholders[key], key


@pytest.mark.parametrize("platform", PLATFORMS)
def test_descriptions_are_those_of_the_platform(platform: Platform) -> None:
    """Home Assistant reads properties of its platform from them, and adds others with its releases.

    It gets no description without own properties.
    """
    module = import_module(f"custom_components.{DOMAIN}.{platform}")
    for entity, descriptions in module.async_setup_entry.keywords["descriptions"].items():
        base = next(cls for cls in entity.__mro__ if cls.__module__.startswith("homeassistant.components."))
        expected = getattr(import_module(base.__module__), f"{base.__name__}Description")
        assert descriptions
        for each in descriptions:
            assert type(each) is VehicleEntityDescription or isinstance(each, expected), entity


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
    ("kind", "keys"),
    [
        ("triggers", {**TRIGGERS, **LOG_TRIGGERS, **PLAN_TRIGGERS, **ARRIVAL_TRIGGERS, **ACCOUNT_TRIGGERS}),
        ("conditions", CONDITIONS),
    ],
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
