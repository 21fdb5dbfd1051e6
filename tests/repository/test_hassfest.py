"""What hassfest, Home Assistant's own check of integrations, asks of a custom one: here it needs no network.

What it allows and this integration has no use for is left out, so that it is looked up before it is used.
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

from .test_architecture import HOUSE

CORE: Final = Path(components.__path__[0])
MANIFEST: Final[Mapping[str, Any]] = json.loads((HOUSE / "manifest.json").read_text())
ICON_NAMES: Final = {
    f"mdi:{icon['name']}"
    for icon in json.loads((hass_frontend.where() / "static/mdi/iconList.json").read_text())
}


def _rule(holds: Callable[[Any], Any], otherwise: str) -> Callable[[Any], Any]:
    """Return what takes a value for which something holds."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise Invalid(otherwise)
        return value

    return check


def _by(key: Callable[[Any], Any], value: Any) -> Callable[[Any], Any]:
    """Return what takes an object whose names are all keys of this form."""
    return cv.schema_with_slug_keys(value, slug_validator=key)


# manifest.json

ORDERS: Final = [
    AwesomeVersionStrategy.CALVER,
    AwesomeVersionStrategy.SEMVER,
    AwesomeVersionStrategy.SIMPLEVER,
    AwesomeVersionStrategy.BUILDVER,
    AwesomeVersionStrategy.PEP440,
]
VERSION: Final = _rule(
    lambda version: AwesomeVersion(version).strategy in ORDERS, "nobody could put it in order"
)
DOCUMENTATION: Final = All(
    vol.Url(),
    _rule(lambda url: url.startswith("https://"), "documentation is read over https"),
    _rule(lambda url: urlsplit(url).netloc != "www.home-assistant.io", "only core's own is documented there"),
)
IN_ORDER: Final = _rule(
    lambda manifest: (
        list(manifest) == sorted(manifest, key=lambda key: (key != "domain", key != "name", key))
    ),
    "the keys are domain, name, and then the alphabet",
)
MANIFEST_SCHEMA: Final = All(
    Schema(
        {
            Required("domain"): HOUSE.name,
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
    IN_ORDER,
)

# translations/en.json

ADDRESS: Final = re.compile(
    r"(?:(?:ftps?|scp|https?|mqtts?|socket|socks5)://|www\.)[a-z0-9]+(?:[-.][a-z0-9]+)*\.[a-z]{2,5}",
    re.IGNORECASE,
)
KEY: Final = _rule(re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*").fullmatch, "no key of a translation")


def _placeholders(words: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(words) if name is not None]


WORDS: Final = All(
    cv.string_with_no_html,
    _rule(lambda words: words == words.strip(), "no blanks at the ends"),
    _rule(lambda words: not ADDRESS.search(words), "an address is handed in by a placeholder"),
    _rule(lambda words: not re.search(r"'{\w+}'", words), "a placeholder in single quotes is not filled in"),
    _rule(lambda words: "[%key:" not in words, "references to other translations are for core alone"),
    _rule(
        lambda words: all(map(str.isidentifier, _placeholders(words))), "a placeholder is called by a name"
    ),
)
WORDS_WITHOUT_GAPS: Final = All(
    WORDS, _rule(lambda words: not _placeholders(words), "nobody fills in placeholders here")
)
DESCRIBED_IS_THERE: Final = _rule(
    lambda step: all(
        each.get("data_description", {}).keys() <= each.get("data", {}).keys()
        for each in (step, *step.get("sections", {}).values())
    ),
    "something is described and not asked for",
)
FIELDS: Final[Mapping[Any, Any]] = {
    Optional("data"): {str: WORDS},
    Optional("data_description"): {str: WORDS},
    Optional("description"): WORDS,
}
FLOW: Final[Mapping[Any, Any]] = {
    Optional("flow_title"): WORDS,
    Required("step"): {
        str: All(
            Schema(
                {
                    **FIELDS,
                    Optional("title"): WORDS,
                    Optional("submit"): WORDS,
                    Optional("menu_options"): {str: WORDS},
                    Optional("menu_option_descriptions"): {str: WORDS},
                    Optional("sections"): {str: {**FIELDS, Optional("name"): WORDS}},
                }
            ),
            DESCRIBED_IS_THERE,
        )
    },
    **{Optional(name): {str: WORDS} for name in ("error", "abort", "progress", "create_entry")},
}
SUBENTRY_FLOW: Final[Mapping[Any, Any]] = {
    **FLOW,
    Required("entry_type"): WORDS,
    Required("initiate_flow"): {Required("user"): WORDS, str: WORDS},
}
NAME_AND_STATES: Final = {
    Optional("name"): WORDS,
    Optional("state"): _by(KEY, WORDS_WITHOUT_GAPS),
    Optional("unit_of_measurement"): WORDS_WITHOUT_GAPS,
}
ENTITY_WORDS: Final = {
    **NAME_AND_STATES,
    Optional("state_attributes"): _by(KEY, NAME_AND_STATES),
}
ELEMENT_WORDS: Final = {
    Required("name"): WORDS,
    Required("description"): WORDS,
    Optional("fields"): _by(
        KEY,
        {
            Required("name"): WORDS,
            Optional("description"): WORDS,
            Optional("example"): WORDS,
        },
    ),
    Optional("sections"): _by(KEY, {Required("name"): WORDS, Optional("description"): WORDS}),
}
SELECTOR_WORDS: Final = {
    Optional("choices"): _by(KEY, WORDS),
    Optional("options"): _by(KEY, WORDS),
    Optional("unit_of_measurement"): _by(KEY, WORDS),
    Optional("fields"): _by(KEY, {Required("name"): WORDS, Optional("description"): WORDS}),
}
ISSUE_WORDS: Final = All(
    Schema(
        {
            Required("title"): WORDS,
            Optional("description"): WORDS,
            Optional("fix_flow"): FLOW,
        }
    ),
    _rule(
        lambda issue: ("description" in issue) != ("fix_flow" in issue), "either a description or a dialog"
    ),
)
WORDS_SCHEMA: Final = Schema(
    {
        Optional("title"): WORDS,
        Required("config"): FLOW,
        Optional("config_subentries"): _by(cv.slug, SUBENTRY_FLOW),
        Optional("options"): FLOW,
        Optional("selector"): _by(cv.slug, SELECTOR_WORDS),
        Optional("system_health"): {Optional("info"): _by(KEY, WORDS)},
        Optional("issues"): {str: ISSUE_WORDS},
        Optional("device"): _by(KEY, {Optional("name"): WORDS}),
        Optional("entity"): _by(cv.slug, _by(KEY, ENTITY_WORDS)),
        Optional("exceptions"): _by(cv.slug, {Required("message"): WORDS}),
        Optional("services"): _by(KEY, ELEMENT_WORDS),
        Optional("conditions"): _by(cv.underscore_slug, ELEMENT_WORDS),
        Optional("triggers"): _by(cv.underscore_slug, ELEMENT_WORDS),
        Optional("common"): _by(cv.slug, WORDS),
    }
)

# icons.json


NAME_OF_ICON: Final = _rule(ICON_NAMES.__contains__, "no icon that Home Assistant brings")
ASCENDING: Final = _rule(
    lambda icons: list(icons) == sorted(set(icons), key=float), "the bounds of a range ascend"
)
OWN_ICON: Final = _rule(
    lambda icons: icons.get("default") not in icons.get("state", {}).values(),
    "a state has the icon that it has anyway",
)
ICON: Final = {
    Optional("default"): NAME_OF_ICON,
    Optional("state"): _by(KEY, NAME_OF_ICON),
    Optional("range"): All({str: NAME_OF_ICON}, ASCENDING),
}
ENTITY_ICONS: Final = All(
    Schema({**ICON, Optional("state_attributes"): _by(KEY, All(Schema(ICON), OWN_ICON))}),
    OWN_ICON,
)
ICONS_SCHEMA: Final = Schema(
    {
        Optional("entity"): _by(cv.slug, _by(KEY, ENTITY_ICONS)),
        Optional("services"): _by(
            KEY, {"service": NAME_OF_ICON, Optional("sections"): _by(KEY, NAME_OF_ICON)}
        ),
        Optional("conditions"): _by(cv.underscore_slug, {"condition": NAME_OF_ICON}),
        Optional("triggers"): _by(cv.underscore_slug, {"trigger": NAME_OF_ICON}),
    }
)

# services.yaml, triggers.yaml, conditions.yaml


SOMETHING: Final = _rule(lambda value: value is not None, "nothing is no value")
FIELD: Final = {
    Optional("example"): SOMETHING,
    Optional("default"): SOMETHING,
    Optional("required"): bool,
    Optional(CONF_SELECTOR): validate_selector,
}
TARGET: Final = All(
    TargetSelector.CONFIG_SCHEMA,
    _rule(lambda target: "device" not in target, "a target is filtered by its entities alone"),
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
# What begins with a dot holds what several have in common.
ELEMENTS_SCHEMA: Final = Schema(
    {
        Remove(vol.Match(r"^\.")): object,
        cv.underscore_slug: AnyOf(None, {Optional(CONF_TARGET): TARGET, Optional("fields"): {str: FIELD}}),
    }
)

SCHEMAS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "manifest.json": MANIFEST_SCHEMA,
    "translations/en.json": WORDS_SCHEMA,
    "icons.json": ICONS_SCHEMA,
    "services.yaml": SERVICES_SCHEMA,
    "triggers.yaml": ELEMENTS_SCHEMA,
    "conditions.yaml": ELEMENTS_SCHEMA,
}


def _load(name: str) -> Any:
    path = HOUSE / name
    return load_yaml_dict(str(path)) if path.suffix == ".yaml" else json.loads(path.read_text())


@pytest.mark.parametrize("name", SCHEMAS)
def test_file(name: str) -> None:
    """The file has all that it has to have, and nothing that is not known."""
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
def test_file_with_a_fault(name: str, path: tuple[str, ...], value: Any) -> None:
    """The file would not pass with something wrong in it. None stands for what is left out, but in YAML."""
    content = deepcopy(_load(name))
    place = content
    for step in path[:-1]:
        place = place[step]
    if value is None and name.endswith(".json"):
        del place[path[-1]]
    else:
        place[path[-1]] = value
    with pytest.raises(Invalid):
        SCHEMAS[name](content)


@pytest.mark.parametrize("path", sorted(HOUSE.rglob("*.json")), ids=lambda path: path.name)
def test_json(path: Path) -> None:
    """What says that it is JSON is JSON."""
    json.loads(path.read_text())


# What is no file


def test_domain_is_ours() -> None:
    """Home Assistant has no integration of this name."""
    assert not (CORE / DOMAIN).exists()


def test_flow_is_announced() -> None:
    """The manifest says that there is a dialog, and there is one."""
    assert MANIFEST["config_flow"]
    assert (HOUSE / "config_flow.py").is_file()


def test_nothing_is_configured_in_yaml(caplog: pytest.LogCaptureFixture) -> None:
    """Who writes the integration into the configuration file is told that it is set up elsewhere."""
    integration.CONFIG_SCHEMA({DOMAIN: {}})
    assert "does not support YAML" in caplog.text


def test_nothing_is_required() -> None:
    """The integration brings no library into anybody's Home Assistant."""
    assert MANIFEST["requirements"] == []


# What of Home Assistant may be imported whether the manifest names it or not, besides the platforms
ALWAYS_THERE: Final = {
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
    """Yield which of Home Assistant's integrations are imported when the module is."""
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


def test_dependencies_are_named() -> None:
    """What is imported of Home Assistant's integrations is there: named in the manifest, or in any case."""
    named = {*MANIFEST.get("dependencies", ()), *MANIFEST.get("after_dependencies", ())}
    # A file of the same name is what that integration looks for, and imports itself.
    platforms = {path.stem for path in HOUSE.glob("*.py")}
    imported = {
        name for path in HOUSE.rglob("*.py") for name in _imported_components(ast.parse(path.read_text()))
    }
    assert imported <= named | platforms | ALWAYS_THERE | set(Platform)


def test_dependencies_exist() -> None:
    """What the manifest names is an integration of Home Assistant, named once."""
    named = [*MANIFEST.get("dependencies", ()), *MANIFEST.get("after_dependencies", ())]
    assert len(named) == len(set(named))
    assert [name for name in named if not (CORE / name / "manifest.json").is_file()] == []
