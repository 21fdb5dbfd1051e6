"""The requirements of hassfest, Home Assistant's check of integrations, without network access.

The schemas contain only what this integration uses. Check what hassfest allows before you extend them.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
import json
from pathlib import Path
import re
from string import Formatter
from typing import Any, Final
from urllib.parse import urlsplit

from awesomeversion import AwesomeVersion, AwesomeVersionStrategy
import hass_frontend
from homeassistant import components
from homeassistant.const import CONF_SELECTOR, CONF_TARGET, Platform
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.selector import TargetSelector, validate_selector
from homeassistant.util.yaml import load_yaml_dict
import pytest
import voluptuous as vol
from voluptuous import All, Any as AnyOf, In, Invalid, Optional, Remove, Required, Schema

import custom_components.vehicle_remote_access as integration
from custom_components.vehicle_remote_access.const import DOMAIN

from .test_architecture import INTEGRATION

CORE: Final = Path(components.__path__[0])
MANIFEST: Final[Mapping[str, Any]] = json.loads((INTEGRATION / "manifest.json").read_text())
ICON_NAMES: Final = {
    f"mdi:{icon['name']}"
    for icon in json.loads((hass_frontend.where() / "static/mdi/iconList.json").read_text())
}


def _rule(is_valid: Callable[[Any], Any], message: str) -> Callable[[Any], Any]:
    """Return a validator for values that satisfy a condition."""

    def check(value: Any) -> Any:
        if not is_valid(value):
            raise Invalid(message)
        return value

    return check


def _mapping(key: Callable[[Any], Any], value: Any) -> Callable[[Any], Any]:
    """Return a validator for objects with these keys and values."""
    return cv.schema_with_slug_keys(value, slug_validator=key)


# manifest.json

VERSION_STRATEGIES: Final = [
    AwesomeVersionStrategy.CALVER,
    AwesomeVersionStrategy.SEMVER,
    AwesomeVersionStrategy.SIMPLEVER,
    AwesomeVersionStrategy.BUILDVER,
    AwesomeVersionStrategy.PEP440,
]
VERSION: Final = _rule(
    lambda version: AwesomeVersion(version).strategy in VERSION_STRATEGIES, "the version cannot be compared"
)
DOCUMENTATION: Final = All(
    vol.Url(),
    _rule(lambda url: url.startswith("https://"), "the documentation is not at an https address"),
    _rule(
        lambda url: urlsplit(url).netloc != "www.home-assistant.io",
        "only the core integrations are documented there",
    ),
)
SORTED: Final = _rule(
    lambda manifest: (
        list(manifest) == sorted(manifest, key=lambda key: (key != "domain", key != "name", key))
    ),
    "the keys are not sorted: domain, name, then alphabetically",
)
MANIFEST_SCHEMA: Final = All(
    Schema(
        {
            Required("domain"): INTEGRATION.name,
            Required("name"): str,
            Optional("after_dependencies"): [str],
            Required("codeowners"): [str],
            Optional("config_flow"): bool,
            Optional("dependencies"): [str],
            Required("documentation"): DOCUMENTATION,
            Optional("integration_type"): In(
                ["device", "entity", "hardware", "helper", "hub", "service", "system"]
            ),
            Required("iot_class"): In(
                [
                    "assumed_state",
                    "calculated",
                    "cloud_polling",
                    "cloud_push",
                    "local_polling",
                    "local_push",
                ]
            ),
            Optional("issue_tracker"): vol.Url(),
            Optional("loggers"): [str],
            Optional("quality_scale"): In(["bronze", "silver", "gold", "platinum", "custom"]),
            Optional("requirements"): [vol.Match(r"^\S+$")],
            Required("version"): All(str, VERSION),
        }
    ),
    SORTED,
)

# translations/en.json

URL: Final = re.compile(
    r"(?:(?:ftps?|scp|https?|mqtts?|socket|socks5)://|www\.)[a-z0-9]+(?:[-.][a-z0-9]+)*\.[a-z]{2,5}",
    re.IGNORECASE,
)
KEY: Final = _rule(re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*").fullmatch, "invalid translation key")


def _placeholders(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


TEXT: Final = All(
    cv.string_with_no_html,
    _rule(lambda text: text == text.strip(), "leading or trailing whitespace"),
    _rule(lambda text: not URL.search(text), "a URL must be a placeholder"),
    _rule(lambda text: not re.search(r"'{\w+}'", text), "a placeholder in single quotes is not replaced"),
    _rule(lambda text: "[%key:" not in text, "only core can refer to other translations"),
    _rule(lambda text: all(map(str.isidentifier, _placeholders(text))), "a placeholder has no valid name"),
)
TEXT_WITHOUT_PLACEHOLDERS: Final = All(
    TEXT, _rule(lambda text: not _placeholders(text), "placeholders are not replaced here")
)
DESCRIPTIONS_MATCH: Final = _rule(
    lambda step: all(
        part.get("data_description", {}).keys() <= part.get("data", {}).keys()
        for part in (step, *step.get("sections", {}).values())
    ),
    "a description belongs to no field",
)
FIELDS: Final[Mapping[Any, Any]] = {
    Optional("data"): {str: TEXT},
    Optional("data_description"): {str: TEXT},
    Optional("description"): TEXT,
}
FLOW: Final[Mapping[Any, Any]] = {
    Optional("flow_title"): TEXT,
    Required("step"): {
        str: All(
            Schema(
                {
                    **FIELDS,
                    Optional("title"): TEXT,
                    Optional("submit"): TEXT,
                    Optional("menu_options"): {str: TEXT},
                    Optional("menu_option_descriptions"): {str: TEXT},
                    Optional("sections"): {str: {**FIELDS, Optional("name"): TEXT}},
                }
            ),
            DESCRIPTIONS_MATCH,
        )
    },
    **{Optional(name): {str: TEXT} for name in ("error", "abort", "progress", "create_entry")},
}
SUBENTRY_FLOW: Final[Mapping[Any, Any]] = {
    **FLOW,
    Required("entry_type"): TEXT,
    Required("initiate_flow"): {Required("user"): TEXT, str: TEXT},
}
NAME_AND_STATES: Final = {
    Optional("name"): TEXT,
    Optional("state"): _mapping(KEY, TEXT_WITHOUT_PLACEHOLDERS),
    Optional("unit_of_measurement"): TEXT_WITHOUT_PLACEHOLDERS,
}
ENTITY_TEXTS: Final = {
    **NAME_AND_STATES,
    Optional("state_attributes"): _mapping(KEY, NAME_AND_STATES),
}
ELEMENT_TEXTS: Final = {
    Required("name"): TEXT,
    Required("description"): TEXT,
    Optional("fields"): _mapping(
        KEY,
        {
            Required("name"): TEXT,
            Optional("description"): TEXT,
            Optional("example"): TEXT,
        },
    ),
    Optional("sections"): _mapping(KEY, {Required("name"): TEXT, Optional("description"): TEXT}),
}
SELECTOR_TEXTS: Final = {
    Optional("choices"): _mapping(KEY, TEXT),
    Optional("options"): _mapping(KEY, TEXT),
    Optional("unit_of_measurement"): _mapping(KEY, TEXT),
    Optional("fields"): _mapping(KEY, {Required("name"): TEXT, Optional("description"): TEXT}),
}
ISSUE_TEXTS: Final = All(
    Schema(
        {
            Required("title"): TEXT,
            Optional("description"): TEXT,
            Optional("fix_flow"): FLOW,
        }
    ),
    _rule(
        lambda issue: ("description" in issue) != ("fix_flow" in issue),
        "either a description or a fix flow is required",
    ),
)
TRANSLATION_SCHEMA: Final = Schema(
    {
        Optional("title"): TEXT,
        Required("config"): FLOW,
        Optional("config_subentries"): _mapping(cv.slug, SUBENTRY_FLOW),
        Optional("options"): FLOW,
        Optional("selector"): _mapping(cv.slug, SELECTOR_TEXTS),
        Optional("system_health"): {Optional("info"): _mapping(KEY, TEXT)},
        Optional("issues"): {str: ISSUE_TEXTS},
        Optional("device"): _mapping(KEY, {Optional("name"): TEXT}),
        Optional("entity"): _mapping(cv.slug, _mapping(KEY, ENTITY_TEXTS)),
        Optional("exceptions"): _mapping(cv.slug, {Required("message"): TEXT}),
        Optional("services"): _mapping(KEY, ELEMENT_TEXTS),
        Optional("conditions"): _mapping(cv.underscore_slug, ELEMENT_TEXTS),
        Optional("triggers"): _mapping(cv.underscore_slug, ELEMENT_TEXTS),
        Optional("common"): _mapping(cv.slug, TEXT),
    }
)

# icons.json


ICON_NAME: Final = _rule(ICON_NAMES.__contains__, "not an icon of Home Assistant")
ASCENDING: Final = _rule(
    lambda icons: list(icons) == sorted(set(icons), key=float), "the bounds of a range are not ascending"
)
STATE_ICONS_DIFFER: Final = _rule(
    lambda icons: icons.get("default") not in icons.get("state", {}).values(),
    "a state has the default icon",
)
ICON: Final = {
    Optional("default"): ICON_NAME,
    Optional("state"): _mapping(KEY, ICON_NAME),
    Optional("range"): All({str: ICON_NAME}, ASCENDING),
}
ENTITY_ICONS: Final = All(
    Schema({**ICON, Optional("state_attributes"): _mapping(KEY, All(Schema(ICON), STATE_ICONS_DIFFER))}),
    STATE_ICONS_DIFFER,
)
ICONS_SCHEMA: Final = Schema(
    {
        Optional("entity"): _mapping(cv.slug, _mapping(KEY, ENTITY_ICONS)),
        Optional("services"): _mapping(
            KEY, {"service": ICON_NAME, Optional("sections"): _mapping(KEY, ICON_NAME)}
        ),
        Optional("conditions"): _mapping(cv.underscore_slug, {"condition": ICON_NAME}),
        Optional("triggers"): _mapping(cv.underscore_slug, {"trigger": ICON_NAME}),
    }
)

# services.yaml, triggers.yaml, conditions.yaml


NOT_NULL: Final = _rule(lambda value: value is not None, "the value is null")
FIELD: Final = {
    Optional("example"): NOT_NULL,
    Optional("default"): NOT_NULL,
    Optional("required"): bool,
    Optional(CONF_SELECTOR): validate_selector,
}
TARGET: Final = All(
    TargetSelector.CONFIG_SCHEMA,
    _rule(lambda target: "device" not in target, "a target can be filtered only by its entities"),
)
SECTION: Final = {Optional("collapsed"): bool, Required("fields"): {str: FIELD}}
SERVICES_SCHEMA: Final = Schema(
    {
        cv.slug: AnyOf(
            None,
            {
                Optional(CONF_TARGET): AnyOf(None, TARGET),
                Optional("fields"): {str: AnyOf(FIELD, SECTION)},
            },
        )
    }
)
# Keys that start with a dot contain shared parts.
ELEMENTS_SCHEMA: Final = Schema(
    {
        Remove(vol.Match(r"^\.")): object,
        cv.underscore_slug: AnyOf(None, {Optional(CONF_TARGET): TARGET, Optional("fields"): {str: FIELD}}),
    }
)

SCHEMAS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "manifest.json": MANIFEST_SCHEMA,
    "translations/en.json": TRANSLATION_SCHEMA,
    "icons.json": ICONS_SCHEMA,
    "services.yaml": SERVICES_SCHEMA,
    "triggers.yaml": ELEMENTS_SCHEMA,
    "conditions.yaml": ELEMENTS_SCHEMA,
}


def _load(name: str) -> Any:
    path = INTEGRATION / name
    return load_yaml_dict(str(path)) if path.suffix == ".yaml" else json.loads(path.read_text())


@pytest.mark.parametrize("name", SCHEMAS)
def test_valid_file(name: str) -> None:
    """The file has all required keys, and no unknown keys."""
    SCHEMAS[name](_load(name))


ACCOUNT: Final = ("config", "step", "account")
STATES: Final = ("entity", "sensor", "polling_mode", "state")


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("manifest.json", ("homepage",), "https://example.com"),
        ("manifest.json", ("domain",), "vehicle"),
        ("manifest.json", ("documentation",), "http://example.com"),
        (
            "manifest.json",
            ("documentation",),
            "https://www.home-assistant.io/integrations/vehicle_remote_access",
        ),
        ("manifest.json", ("issue_tracker",), "issues"),
        ("manifest.json", ("iot_class",), "cloud"),
        ("manifest.json", ("iot_class",), None),
        ("manifest.json", ("integration_type",), "car"),
        ("manifest.json", ("requirements",), ["aiohttp == 3"]),
        ("manifest.json", ("version",), "first"),
        ("manifest.json", ("version",), None),
        ("manifest.json", ("dependencies",), []),
        ("translations/en.json", ("advice",), "Drive slowly"),
        ("translations/en.json", ("config", "step"), None),
        ("translations/en.json", (*ACCOUNT, "title"), "<b>Account</b>"),
        ("translations/en.json", (*ACCOUNT, "title"), "Account "),
        ("translations/en.json", (*ACCOUNT, "title"), "See https://example.com"),
        ("translations/en.json", (*ACCOUNT, "title"), "Account '{name}'"),
        ("translations/en.json", (*ACCOUNT, "title"), "Account {0}"),
        ("translations/en.json", (*ACCOUNT, "title"), "[%key:common::account%]"),
        ("translations/en.json", (*ACCOUNT, "data_description", "colour"), "A colour"),
        ("translations/en.json", (*ACCOUNT, "help"), "Account"),
        ("translations/en.json", (*STATES, "fast_"), "Fast"),
        ("translations/en.json", (*STATES, "Fast"), "Fast"),
        ("translations/en.json", (*STATES, "asleep"), "Asleep since {time}"),
        ("translations/en.json", ("issues", "duplicate_account", "description"), None),
        ("translations/en.json", ("issues", "duplicate_account", "fix_flow"), {"step": {}}),
        ("translations/en.json", ("services", "set_temps", "description"), None),
        ("translations/en.json", ("services", "set_temps", "fields", "driver_temp", "name"), None),
        ("icons.json", ("entity", "lock", "vehicle_state_locked", "default"), "hass:lock"),
        ("icons.json", ("entity", "lock", "vehicle_state_locked", "default"), "mdi:lock-of-a-car"),
        ("icons.json", ("entity", "lock", "vehicle_state_locked", "state", "locked"), "mdi:car-door-lock"),
        ("icons.json", ("entity", "sensor", "state", "range"), {"10": "mdi:sleep", "0": "mdi:car"}),
        ("icons.json", ("entity_component",), {}),
        ("services.yaml", ("Set",), {}),
        ("services.yaml", ("set_temps", "fields", "driver_temp", "selector"), {"temperature": {}}),
        ("services.yaml", ("set_temps", "fields", "driver_temp", "filter"), {}),
        ("services.yaml", ("set_temps", "fields", "driver_temp", "default"), None),
        ("services.yaml", ("set_temps", "target"), {"device": {"integration": DOMAIN}}),
        ("services.yaml", (".common",), {}),
        ("triggers.yaml", ("Plugged",), {}),
        ("triggers.yaml", ("plugged_in", "target"), {"device": {"integration": DOMAIN}}),
        ("triggers.yaml", ("plugged_in", "fields", "for", "selector"), {"wait": {}}),
        ("conditions.yaml", ("is_plugged_in", "name"), "Is plugged in"),
    ],
)
def test_invalid_file(name: str, path: tuple[str, ...], value: Any) -> None:
    """The schema rejects each of these changes. In JSON, the value None stands for a missing key."""
    content = deepcopy(_load(name))
    parent = content
    for key in path[:-1]:
        parent = parent[key]
    if value is None and name.endswith(".json"):
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    with pytest.raises(Invalid):
        SCHEMAS[name](content)


@pytest.mark.parametrize("path", sorted(INTEGRATION.rglob("*.json")), ids=lambda path: path.name)
def test_json_files_are_valid(path: Path) -> None:
    """Each JSON file is valid JSON."""
    json.loads(path.read_text())


# Manifest and modules


def test_domain_is_unique() -> None:
    """Home Assistant has no integration with this domain."""
    assert not (CORE / DOMAIN).exists()


def test_config_flow_exists() -> None:
    """The manifest declares a config flow, and it exists."""
    assert MANIFEST["config_flow"]
    assert (INTEGRATION / "config_flow.py").is_file()


def test_yaml_configuration_is_not_supported(caplog: pytest.LogCaptureFixture) -> None:
    """An entry in the configuration file results in an error in the log."""
    integration.CONFIG_SCHEMA({DOMAIN: {}})
    assert "does not support YAML" in caplog.text


def test_integration_has_no_requirements() -> None:
    """The integration installs no libraries."""
    assert MANIFEST["requirements"] == []


# Integrations that hassfest allows to be imported without a dependency in the manifest, besides the platforms
ALLOWED_WITHOUT_DEPENDENCY: Final = {
    "alert",
    "automation",
    "conversation",
    "default_config",
    "device_automation",
    "frontend",
    "group",
    "homeassistant",
    "input_boolean",
    "input_button",
    "input_datetime",
    "input_number",
    "input_select",
    "input_text",
    "labs",
    "media_source",
    "onboarding",
    "panel_custom",
    "persistent_notification",
    "person",
    "script",
    "shopping_list",
    "sun",
    "system_health",
    "system_log",
    "timer",
    "webhook",
    "websocket_api",
    "zone",
}


def _imported_components(tree: ast.AST) -> Iterator[str]:
    """Yield the integrations of Home Assistant that are imported together with the module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("homeassistant.components."):
                yield name.split(".")[2]
        yield from _imported_components(node)


def test_dependencies_are_declared() -> None:
    """Each imported integration of Home Assistant is declared in the manifest or allowed without that."""
    declared = {*MANIFEST.get("dependencies", ()), *MANIFEST.get("after_dependencies", ())}
    # An integration imports the file with its own name itself.
    platforms = {path.stem for path in INTEGRATION.glob("*.py")}
    imported = {
        name
        for path in INTEGRATION.rglob("*.py")
        for name in _imported_components(ast.parse(path.read_text()))
    }
    assert imported <= declared | platforms | ALLOWED_WITHOUT_DEPENDENCY | set(Platform)


def test_dependencies_exist() -> None:
    """Each declared dependency is an integration of Home Assistant, and is declared once."""
    declared = [*MANIFEST.get("dependencies", ()), *MANIFEST.get("after_dependencies", ())]
    assert len(declared) == len(set(declared))
    assert [name for name in declared if not (CORE / name / "manifest.json").is_file()] == []
