"""Home Assistant's quality scale: the integration follows the rules as `quality_scale.yaml` claims.

Each rule that can be tested has a test here with the name of the rule, or tests in other modules.
"""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from logging import INFO
from pathlib import Path
import re
import sys
import tomllib
from typing import Any, Final

from homeassistant import exceptions
from homeassistant.config_entries import SOURCE_REAUTH, SOURCE_RECONFIGURE, SOURCE_USER, SubentryFlowContext
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import section
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS, SUBENTRY_VEHICLE
from custom_components.vehicle_remote_access.coordinator import AccountCoordinator
from custom_components.vehicle_remote_access.entity import AccountEntity, VehicleEntity
from custom_components.vehicle_remote_access.simulator_entities import SimulatorEntity

from ..conftest import Home
from .test_architecture import ENGLISH, INTEGRATION, MODULES, ROOT
from .test_hassfest import MANIFEST

MINUTE: Final = 60
TESTS: Final = Path(__file__).parents[1]
CLAIMS: Final = load_yaml_dict(str(INTEGRATION / "quality_scale.yaml"))["rules"]

RULES: Final = """
    action-setup appropriate-polling brands common-modules config-flow config-flow-test-coverage
    dependency-transparency docs-actions docs-conditions docs-high-level-description
    docs-installation-instructions docs-removal-instructions docs-triggers entity-event-setup entity-unique-id
    has-entity-name runtime-data test-before-configure test-before-setup unique-config-entry

    action-exceptions config-entry-unloading docs-configuration-parameters docs-installation-parameters
    entity-unavailable integration-owner log-when-unavailable parallel-updates reauthentication-flow
    test-coverage

    devices diagnostics discovery discovery-update-info docs-data-update docs-examples docs-known-limitations
    docs-supported-devices docs-supported-functions docs-troubleshooting docs-use-cases dynamic-devices
    entity-category entity-device-class entity-disabled-by-default entity-translations exception-translations
    icon-translations reconfiguration-flow repair-issues stale-devices

    async-dependency inject-websession strict-typing
""".split()  # noqa: SIM905 - a list would be two pages long

# Rules that require a section of the README, and a pattern for its heading
SECTIONS: Final = {
    "docs-installation-instructions": "install",
    "docs-removal-instructions": "remov",
    "docs-data-update": "asked|read|update",
    "docs-examples": "example|blueprint|automation",
    "docs-known-limitations": "limit",
    "docs-supported-devices": "works with|supported|which (cars|services)",
    "docs-supported-functions": "what you get|functions|entities",
    "docs-troubleshooting": "goes wrong|trouble",
    "docs-use-cases": "use case|what (it is|you can|to) |good for",
}

# Rules that are tested in other modules: module and test
ELSEWHERE: Final = {
    "action-exceptions": (
        "test_services.test_wrong_value",
        "test_coordinator.test_refused_command_raises_the_reason",
    ),
    "appropriate-polling": (
        "test_coordinator.test_driving_car_is_read_every_minute",
        "test_coordinator.test_sleeping_car_gets_no_request",
    ),
    "brands": ("test_hacs.test_brand",),
    "config-entry-unloading": (
        "test_init.test_unloaded_account_sends_no_requests",
        "test_init.test_unload_stops_the_simulated_service",
    ),
    "dependency-transparency": ("test_hassfest.test_integration_has_no_requirements",),
    "discovery-update-info": ("test_quality_scale.test_discovery",),
    "devices": ("test_coordinator.test_device_describes_the_car",),
    "diagnostics": (
        "test_diagnostics.test_private_data_is_redacted",
        "test_diagnostics.test_other_fields_are_unchanged",
    ),
    "docs-conditions": (
        "test_architecture.test_triggers_and_conditions_are_described",
        "test_condition.test_example",
    ),
    "docs-triggers": (
        "test_architecture.test_triggers_and_conditions_are_described",
        "test_trigger.test_example",
    ),
    "dynamic-devices": ("test_issues.test_new_car_is_offered", "test_issues.test_new_car_is_added"),
    "entity-device-class": ("test_architecture.test_shown_value_types_have_properties",),
    "entity-event-setup": (
        "test_lifecycle.test_ending_during_activity",
        "test_coordinator.test_only_changed_states_are_written",
    ),
    "entity-unavailable": (
        "test_coordinator.test_values_expire_after_15_minutes",
        "test_broken_fields.test_broken_field",
    ),
    "parallel-updates": ("test_architecture.test_platform_does_not_queue_commands",),
    "reauthentication-flow": (
        "test_coordinator.test_rejected_token_starts_reauthentication",
        "test_config_flow.test_new_token",
        "test_config_flow.test_new_token_of_another_account",
    ),
    "reconfiguration-flow": (
        "test_config_flow.test_new_address",
        "test_config_flow.test_new_address_of_another_account",
    ),
    "repair-issues": (
        "test_architecture.test_issues_are_translated",
        "test_issues.test_other_failures_change_no_issue",
    ),
    "stale-devices": ("test_issues.test_sold_car_is_removed", "test_init.test_deleted_device"),
    "test-before-configure": (
        "test_config_flow.test_wrong_token",
        "test_config_flow.test_connection_refused",
    ),
    "test-before-setup": ("test_every_fault.test_set_up", "test_coordinator.test_service_down_at_start"),
    "unique-config-entry": (
        "test_config_flow.test_same_account_again",
        "test_issues.test_duplicate_account_is_reported",
    ),
}

# Rules that cannot be tested, and the reason
NOT_TESTABLE: Final = {
    "entity-category": "Which entities are diagnostic is a decision. It is in records.py and the snapshots.",
    "entity-disabled-by-default": "Which entities few users need is a decision, too. See above.",
}


def test_every_rule_is_claimed() -> None:
    """The file contains exactly the rules of the scale, in the same order."""
    assert list(CLAIMS) == RULES


@pytest.mark.parametrize("rule", RULES)
def test_claim(rule: str) -> None:
    """Each rule is done, or exempt with a reason."""
    claim = CLAIMS[rule]
    assert claim == "done" or (claim["status"] == "exempt" and claim["comment"])


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_tested(rule: str) -> None:
    """Each rule has a test here, a section, tests in other modules, or a reason not to have tests."""
    has_test = f"test_{rule.replace('-', '_')}" in globals()
    assert [has_test, rule in SECTIONS, rule in ELSEWHERE, rule in NOT_TESTABLE].count(True) == 1


@pytest.mark.parametrize("name", sorted({test for tests in ELSEWHERE.values() for test in tests}))
def test_referenced_test_exists(name: str) -> None:
    """The test in the other module exists."""
    module, _, test = name.partition(".")
    assert re.search(rf"^(async )?def {test}\(", next(TESTS.rglob(f"{module}.py")).read_text(), re.MULTILINE)


# Code


@pytest.fixture
async def entities(entity_registry_enabled_by_default: None, home: Home) -> list[Entity]:
    """All entities of two cars, their account, and a simulated account."""
    await home.submit(await home.start_flow("simulator"), vehicles=1, speed=1)
    await home.idle()
    platforms = async_get_platforms(home.hass, DOMAIN)
    entities = [entity for platform in platforms for entity in platform.entities.values()]
    assert {entity.platform.domain for entity in entities} == set(PLATFORMS)
    return entities


two_cars = pytest.mark.parametrize("cars", [2])


async def test_action_setup(hass: HomeAssistant) -> None:
    """The actions are registered before any account is set up."""
    assert await async_setup_component(hass, DOMAIN, {})
    assert set(hass.services.async_services_for_domain(DOMAIN)) == set(_yaml("services"))


@two_cars
async def test_common_modules(entities: list[Entity]) -> None:
    """All entities use the base classes in `entity.py` and `simulator_entities.py`."""
    bases = (VehicleEntity, AccountEntity, SimulatorEntity)
    assert [entity.entity_id for entity in entities if not isinstance(entity, bases)] == []


async def test_config_flow(empty_home: Home) -> None:
    """Each field of a form has a label and a description."""
    assert MANIFEST["config_flow"]
    account, simulator = [await empty_home.start_flow(step) for step in ("account", "simulator")]
    service = empty_home.simulator
    vehicles = await empty_home.submit(account, base_url=service.url, access_token=service.token)
    await empty_home.submit(vehicles, vehicles=[str(empty_home.car.id)])
    await empty_home.idle()
    flows, entry = empty_home.hass.config_entries, empty_home.entry
    reauth = await flows.flow.async_init(
        DOMAIN, context={"source": SOURCE_REAUTH, "entry_id": entry.entry_id}, data=entry.data
    )
    reconfigure = await flows.flow.async_init(
        DOMAIN, context={"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}
    )
    for form in (account, simulator, vehicles, reauth, reconfigure):
        _check_descriptions(ENGLISH["config"], form)
    _check_descriptions(ENGLISH["options"], await flows.options.async_init(entry.entry_id))
    # If the service lists no vehicles, the form asks for an id.
    service.faults.answer(404, times=1)
    for context in (
        SubentryFlowContext(source=SOURCE_USER),
        SubentryFlowContext(source=SOURCE_RECONFIGURE, subentry_id=next(iter(entry.subentries))),
    ):
        vehicle_form = await flows.subentries.async_init((entry.entry_id, SUBENTRY_VEHICLE), context=context)
        _check_descriptions(ENGLISH["config_subentries"][SUBENTRY_VEHICLE], vehicle_form)


def _check_descriptions(texts: dict[str, Any], form: Any) -> None:
    """Check that each field of a form and of its sections has a label and a description."""
    step = texts["step"][form["step_id"]]
    for key, selector in form["data_schema"].schema.items():
        is_section = isinstance(selector, section)
        part, fields = (step["sections"][key], selector.schema.schema) if is_section else (step, [key])
        for field in map(str, fields):
            assert field in part["data"].keys() & part["data_description"].keys(), (form["step_id"], field)


def test_config_flow_test_coverage() -> None:
    """`scripts/test` requires full coverage of the modules of the config flow."""
    script = (ROOT / "scripts" / "test").read_text()
    command = re.search(r"coverage report --include '(.*)' --fail-under 100", script)
    assert command
    for name in ("account/discovery", "config_flow", "schemas"):
        assert any(fnmatch(f"/{name}.py", pattern) for pattern in command[1].split(",")), name


@two_cars
async def test_entity_unique_id(entities: list[Entity]) -> None:
    """Each entity has a unique id."""
    ids = [(entity.platform.domain, entity.unique_id) for entity in entities]
    assert None not in {unique_id for _, unique_id in ids}
    assert len(set(ids)) == len(ids)


@two_cars
async def test_has_entity_name(entities: list[Entity]) -> None:
    """Each entity has its own name, in addition to the name of its device."""
    assert [entity.entity_id for entity in entities if not entity.has_entity_name] == []


async def test_runtime_data(home: Home) -> None:
    """The coordinator of an account is in the runtime data of its entry."""
    assert isinstance(home.entry.runtime_data, AccountCoordinator)
    assert DOMAIN not in home.hass.data


def test_integration_owner() -> None:
    """The manifest names code owners."""
    assert MANIFEST["codeowners"]


async def test_log_when_unavailable(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """The log contains one message when service and car become unavailable, and one when they return."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(20 * MINUTE, step=20)
    unavailable = _messages(caplog)
    assert len(unavailable) == len(set(unavailable)) == 2
    caplog.clear()
    home.simulator.faults.clear()
    # The longest backoff is five minutes, plus a jitter of up to a quarter.
    await home.advance(7 * MINUTE, step=20)
    await home.while_it_takes(home.call("button", "press", "wake_up"))
    await home.advance(5 * MINUTE, step=20)
    available = _messages(caplog)
    assert len(available) == len(set(available)) == 2


def _messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log messages of the integration, except debug messages."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith(f"custom_components.{DOMAIN}") and record.levelno >= INFO
    ]


def test_test_coverage() -> None:
    """`scripts/test` requires a coverage of more than 95 %."""
    assert _project()["coverage"]["report"]["fail_under"] > 95
    assert re.search(r"^\.venv/bin/coverage report$", (ROOT / "scripts" / "test").read_text(), re.MULTILINE)


DISCOVERY_KEYS: Final = {"bluetooth", "dhcp", "homekit", "mqtt", "ssdp", "usb", "zeroconf"}


def test_discovery() -> None:
    """The integration does not use discovery."""
    assert DISCOVERY_KEYS.isdisjoint(MANIFEST)


@two_cars
async def test_entity_translations(entities: list[Entity]) -> None:
    """Each entity has a translated name."""
    untranslated = [
        entity.entity_id
        for entity in entities
        if "name" not in ENGLISH["entity"][entity.platform.domain].get(entity.translation_key, {})
    ]
    assert untranslated == []


# Errors with a message for the user
ERRORS: Final = {
    "UpdateFailed",
    *(
        name
        for name, value in vars(exceptions).items()
        if isinstance(value, type) and issubclass(value, exceptions.HomeAssistantError)
    ),
}


@pytest.mark.parametrize("module", MODULES)
def test_exception_translations(module: str) -> None:
    """Errors of Home Assistant are raised with a translation key."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            error, _, arguments = ast.unparse(node.exc).partition("(")
            assert error not in ERRORS or re.search(r"\btranslation_key=|\*\*", arguments), error


@two_cars
async def test_icon_translations(entities: list[Entity]) -> None:
    """No entity sets its icon in code."""
    assert [entity.entity_id for entity in entities if entity.icon is not None] == []


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("api")])
def test_async_dependency(module: str) -> None:
    """The client uses aiohttp, and no library that blocks."""
    modules = set(_imports(module))
    assert modules.isdisjoint({"http.client", "requests", "socket", "urllib.request"})
    external = {imported.partition(".")[0] for imported in modules} - set(sys.stdlib_module_names)
    assert external <= {"aiohttp", "orjson", "yarl"}


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("simulator")])
def test_inject_websession(module: str) -> None:
    """The integration uses Home Assistant's session and creates none."""
    called = {ast.unparse(node.func) for node in ast.walk(_tree(module)) if isinstance(node, ast.Call)}
    assert called.isdisjoint({"ClientSession", "aiohttp.ClientSession", "async_create_clientsession"})


def test_strict_typing() -> None:
    """The integration is checked by mypy in strict mode."""
    assert _project()["mypy"]["strict"]
    assert "custom_components" in _project()["mypy"]["files"]
    assert ".venv/bin/mypy" in (ROOT / "scripts" / "lint").read_text().splitlines()


def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


def _imports(module: str) -> Iterator[str]:
    """Yield the external modules that a module imports."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module)


def _yaml(name: str) -> dict[str, Any]:
    return load_yaml_dict(str(INTEGRATION / f"{name}.yaml"))


def _project() -> dict[str, Any]:
    tools: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    return tools


# Documentation

README: Final = (ROOT / "README.md").read_text()
DOCS: Final = "\n".join([README, *(page.read_text() for page in sorted((ROOT / "docs").rglob("*.md")))])


def _sections() -> Iterator[tuple[str, str]]:
    """Yield the heading and text of each section of the README."""
    _, *sections = re.split(r"^##+ ", README, flags=re.MULTILINE)
    for content in sections:
        heading, _, text = content.partition("\n")
        yield heading, text


@pytest.mark.parametrize("rule", SECTIONS)
def test_readme_section(rule: str) -> None:
    """The README has a section for the rule."""
    pattern = re.compile(SECTIONS[rule], re.IGNORECASE)
    assert any(len(text.split()) > 20 for heading, text in _sections() if pattern.search(heading))


def test_docs_high_level_description() -> None:
    """The README starts with a description of the integration."""
    introduction = README.partition("\n## ")[0]
    assert "electric car" in introduction
    assert len(introduction.split()) > 50


@pytest.mark.parametrize("action", _yaml("services"))
def test_docs_actions(action: str) -> None:
    """Each action is documented with its fields. The target fields are documented once for all actions."""
    page = (ROOT / "docs" / "actions.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith(f"| `{action}` |")]
    assert lines
    for field in _yaml("services")[action]["fields"]:
        text = page if field in ("device_id", "config_entry_id") else lines[0]
        assert f"`{field}`" in text, field


def _labels(*steps: dict[str, Any]) -> Iterator[str]:
    """Yield the labels of the fields of these steps and their sections."""
    for step in steps:
        yield from step.get("data", {}).values()
        yield from _labels(*step.get("sections", {}).values())


CONFIG: Final = ENGLISH["config"]["step"]
INSTALLATION: Final = set(_labels(*CONFIG.values()))
CONFIGURATION: Final = set(
    _labels(
        ENGLISH["options"]["step"]["init"], ENGLISH["config_subentries"]["vehicle"]["step"]["reconfigure"]
    )
)


@pytest.mark.parametrize("label", sorted(INSTALLATION))
def test_docs_installation_parameters(label: str) -> None:
    """Each field for adding an account has a row in the README, with its label."""
    assert f"\n| {label} |" in README


@pytest.mark.parametrize("label", sorted(CONFIGURATION))
def test_docs_configuration_parameters(label: str) -> None:
    """Each option is documented with its label."""
    assert label.casefold() in DOCS.casefold()
