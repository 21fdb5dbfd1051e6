"""Home Assistant's quality scale: what `quality_scale.yaml` claims is so.

A rule that a machine can check has a test here, called like the rule, or others elsewhere that prove it.
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
from custom_components.vehicle_remote_access.coordinator import Account
from custom_components.vehicle_remote_access.entity import AccountEntity, VehicleEntity
from custom_components.vehicle_remote_access.simulator_entities import SimulationEntity

from ..conftest import Home
from .test_architecture import ENGLISH, HOUSE, ROOMS, ROOT
from .test_hassfest import MANIFEST

MINUTE: Final = 60
TESTS: Final = Path(__file__).parents[1]
CLAIMED: Final = load_yaml_dict(str(HOUSE / "quality_scale.yaml"))["rules"]

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
""".split()  # noqa: SIM905 - as a list it would be two pages long

# Rules that ask for a chapter, and by which words its heading is known
CHAPTERS: Final = {
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

# Rules that other tests prove: file and test
ELSEWHERE: Final = {
    "action-exceptions": ("test_services.test_wrong_value", "test_coordinator.test_refusal_says_why"),
    "appropriate-polling": (
        "test_coordinator.test_driving_is_read_every_minute",
        "test_coordinator.test_sleeping_car_is_never_asked",
    ),
    "brands": ("test_hacs.test_brand",),
    "config-entry-unloading": (
        "test_init.test_unloaded_account_asks_nothing",
        "test_init.test_unload_leaves_nothing_running",
    ),
    "dependency-transparency": ("test_hassfest.test_nothing_is_required",),
    "discovery-update-info": ("test_quality_scale.test_discovery",),
    "devices": ("test_coordinator.test_device_tells_the_car",),
    "diagnostics": (
        "test_diagnostics.test_nobody_and_nowhere",
        "test_diagnostics.test_everything_else_is_there",
    ),
    "docs-conditions": (
        "test_architecture.test_triggers_and_conditions_are_described",
        "test_condition.test_example",
    ),
    "docs-triggers": ("test_architecture.test_triggers_and_conditions_are_described", "test_trigger.test_example"),
    "dynamic-devices": ("test_issues.test_new_car", "test_issues.test_new_car_is_added"),
    "entity-device-class": ("test_architecture.test_every_shown_kind_has_a_look",),
    "entity-event-setup": (
        "test_lifecycle.test_end",
        "test_coordinator.test_only_what_changed_is_written",
    ),
    "entity-unavailable": (
        "test_coordinator.test_silence_is_borne_for_a_while",
        "test_broken_fields.test_bad_field",
    ),
    "parallel-updates": ("test_architecture.test_platform_leaves_queueing_to_the_car",),
    "reauthentication-flow": (
        "test_coordinator.test_rejected_token_asks_for_a_new_one",
        "test_config_flow.test_new_token",
        "test_config_flow.test_new_token_of_another_account",
    ),
    "reconfiguration-flow": (
        "test_config_flow.test_new_address",
        "test_config_flow.test_new_address_of_another_account",
    ),
    "repair-issues": (
        "test_architecture.test_every_trouble_has_words",
        "test_issues.test_other_failures_tell_nothing",
    ),
    "stale-devices": ("test_issues.test_sold_car_is_removed", "test_init.test_deleted_device"),
    "test-before-configure": (
        "test_config_flow.test_wrong_token",
        "test_config_flow.test_nothing_answers",
    ),
    "test-before-setup": ("test_every_fault.test_set_up", "test_coordinator.test_service_down_at_start"),
    "unique-config-entry": (
        "test_config_flow.test_same_account_again",
        "test_issues.test_same_account_twice",
    ),
}

# Rules that only people can judge, and why
BY_PEOPLE: Final = {
    "entity-category": "What is a matter of the car's workings, and what of its owner's, is no fact. "
    "What was decided stands in records.py, and the snapshots keep it.",
    "entity-disabled-by-default": "Which entities few people need is no fact either; kept by the same.",
}


def test_every_rule_is_claimed() -> None:
    """The file has each rule of the scale, in its order, and no other."""
    assert list(CLAIMED) == RULES


@pytest.mark.parametrize("rule", RULES)
def test_claim(rule: str) -> None:
    """A rule is followed, or it does not apply, for a reason."""
    claim = CLAIMED[rule]
    assert claim == "done" or (claim["status"] == "exempt" and claim["comment"])


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_checked(rule: str) -> None:
    """A rule has its test here, or it is known who else looks after it: one of these."""
    has_test = f"test_{rule.replace('-', '_')}" in globals()
    assert [has_test, rule in CHAPTERS, rule in ELSEWHERE, rule in BY_PEOPLE].count(True) == 1


@pytest.mark.parametrize("name", sorted({test for tests in ELSEWHERE.values() for test in tests}))
def test_elsewhere(name: str) -> None:
    """The test that proves it is there."""
    file, _, test = name.partition(".")
    assert re.search(rf"^(async )?def {test}\(", next(TESTS.rglob(f"{file}.py")).read_text(), re.MULTILINE)


# The code


@pytest.fixture
async def entities(entity_registry_enabled_by_default: None, home: Home) -> list[Entity]:
    """All entities, of two cars, of their account and of a simulated one."""
    await home.submit(await home.start_flow("simulator"), vehicles=1, speed=1)
    await home.idle()
    platforms = async_get_platforms(home.hass, DOMAIN)
    found = [entity for platform in platforms for entity in platform.entities.values()]
    assert {entity.platform.domain for entity in found} == set(PLATFORMS)
    return found


every_kind = pytest.mark.parametrize("cars", [2])


async def test_action_setup(hass: HomeAssistant) -> None:
    """The actions are there before any account is."""
    assert await async_setup_component(hass, DOMAIN, {})
    assert set(hass.services.async_services_for_domain(DOMAIN)) == set(_yaml("services"))


@every_kind
async def test_common_modules(entities: list[Entity]) -> None:
    """What entities have in common is in `entity.py`, but for a simulation's controls."""
    bases = (VehicleEntity, AccountEntity, SimulationEntity)
    assert [entity.entity_id for entity in entities if not isinstance(entity, bases)] == []


async def test_config_flow(empty_home: Home) -> None:
    """Whatever a dialog asks for has its name and its description."""
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
        _is_described(ENGLISH["config"], form)
    _is_described(ENGLISH["options"], await flows.options.async_init(entry.entry_id))
    # One that lists no vehicles asks for an id.
    service.faults.answer(404, times=1)
    for context in (
        SubentryFlowContext(source=SOURCE_USER),
        SubentryFlowContext(source=SOURCE_RECONFIGURE, subentry_id=next(iter(entry.subentries))),
    ):
        of_car = await flows.subentries.async_init((entry.entry_id, SUBENTRY_VEHICLE), context=context)
        _is_described(ENGLISH["config_subentries"][SUBENTRY_VEHICLE], of_car)


def _is_described(words: dict[str, Any], form: Any) -> None:
    """Check that each field of a form, also of its sections, has its words."""
    step = words["step"][form["step_id"]]
    for key, asked in form["data_schema"].schema.items():
        is_section = isinstance(asked, section)
        part, fields = (step["sections"][key], asked.schema.schema) if is_section else (step, [key])
        for field in map(str, fields):
            assert field in part["data"].keys() & part["data_description"].keys(), (form["step_id"], field)


def test_config_flow_test_coverage() -> None:
    """The tests end well only if they reach every branch of what makes up the dialogs."""
    script = (ROOT / "scripts" / "test").read_text()
    full = re.search(r"coverage report --include '(.*)' --fail-under 100", script)
    assert full
    for name in ("account/discovery", "config_flow", "schemas"):
        assert any(fnmatch(f"/{name}.py", pattern) for pattern in full[1].split(",")), name


@every_kind
async def test_entity_unique_id(entities: list[Entity]) -> None:
    """Each entity has an id of its own."""
    ids = [(entity.platform.domain, entity.unique_id) for entity in entities]
    assert None not in {unique_id for _, unique_id in ids}
    assert len(set(ids)) == len(ids)


@every_kind
async def test_has_entity_name(entities: list[Entity]) -> None:
    """Each entity has a name of its own, which stands beside its device's."""
    assert [entity.entity_id for entity in entities if not entity.has_entity_name] == []


async def test_runtime_data(home: Home) -> None:
    """What an account runs on is kept with its entry."""
    assert isinstance(home.entry.runtime_data, Account)
    assert DOMAIN not in home.hass.data


def test_integration_owner() -> None:
    """Somebody looks after it."""
    assert MANIFEST["codeowners"]


async def test_log_when_unavailable(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """That nothing is heard of service and car is logged once each, and so is that they are back."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(20 * MINUTE, step=20)
    lost = _told(caplog)
    assert len(lost) == len(set(lost)) == 2
    caplog.clear()
    home.simulator.faults.clear()
    # The service is asked again after five minutes at the latest, and by chance a quarter of that later.
    await home.advance(7 * MINUTE, step=20)
    await home.while_it_takes(home.call("button", "press", "wake_up"))
    await home.advance(5 * MINUTE, step=20)
    back = _told(caplog)
    assert len(back) == len(set(back)) == 2


def _told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the integration has logged for everybody."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith(f"custom_components.{DOMAIN}") and record.levelno >= INFO
    ]


def test_test_coverage() -> None:
    """The tests end well only if they reach nearly all."""
    assert _project()["coverage"]["report"]["fail_under"] > 95
    assert re.search(r"^\.venv/bin/coverage report$", (ROOT / "scripts" / "test").read_text(), re.MULTILINE)


DISCOVERIES: Final = {"bluetooth", "dhcp", "homekit", "mqtt", "ssdp", "usb", "zeroconf"}


def test_discovery() -> None:
    """Nothing is discovered."""
    assert DISCOVERIES.isdisjoint(MANIFEST)


@every_kind
async def test_entity_translations(entities: list[Entity]) -> None:
    """Each entity has a name in English, from which the other languages are made."""
    nameless = [
        entity.entity_id
        for entity in entities
        if "name" not in ENGLISH["entity"][entity.platform.domain].get(entity.translation_key, {})
    ]
    assert nameless == []


# What a person is told is one of these, or one of theirs.
ERRORS: Final = {
    "UpdateFailed",
    *(
        name
        for name, each in vars(exceptions).items()
        if isinstance(each, type) and issubclass(each, exceptions.HomeAssistantError)
    ),
}


@pytest.mark.parametrize("room", ROOMS)
def test_exception_translations(room: str) -> None:
    """Home Assistant's errors are raised with a translation, never in words of one language."""
    for node in ast.walk(_tree(room)):
        if isinstance(node, ast.Raise) and node.exc is not None:
            error, _, given = ast.unparse(node.exc).partition("(")
            assert error not in ERRORS or re.search(r"\btranslation_key=|\*\*", given), error


@every_kind
async def test_icon_translations(entities: list[Entity]) -> None:
    """No entity brings its icon itself."""
    assert [entity.entity_id for entity in entities if entity.icon is not None] == []


@pytest.mark.parametrize("room", [room for room in ROOMS if room.startswith("api")])
def test_async_dependency(room: str) -> None:
    """The client asks over aiohttp, and waits for nothing else."""
    modules = set(_imported(room))
    assert modules.isdisjoint({"http.client", "requests", "socket", "urllib.request"})
    foreign = {module.partition(".")[0] for module in modules} - set(sys.stdlib_module_names)
    assert foreign <= {"aiohttp", "orjson", "yarl"}


@pytest.mark.parametrize("room", [room for room in ROOMS if not room.startswith("simulator")])
def test_inject_websession(room: str) -> None:
    """Nobody but Home Assistant opens a session."""
    called = {ast.unparse(node.func) for node in ast.walk(_tree(room)) if isinstance(node, ast.Call)}
    assert called.isdisjoint({"ClientSession", "aiohttp.ClientSession", "async_create_clientsession"})


def test_strict_typing() -> None:
    """Types are checked at their strictest, in every room."""
    assert _project()["mypy"]["strict"]
    assert "custom_components" in _project()["mypy"]["files"]
    assert ".venv/bin/mypy" in (ROOT / "scripts" / "lint").read_text().splitlines()


def _tree(room: str) -> ast.Module:
    return ast.parse(ROOMS[room].read_text())


def _imported(room: str) -> Iterator[str]:
    """Yield from which modules outside a room imports."""
    for node in ast.walk(_tree(room)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module)


def _yaml(name: str) -> dict[str, Any]:
    return load_yaml_dict(str(HOUSE / f"{name}.yaml"))


def _project() -> dict[str, Any]:
    tools: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    return tools


# What there is to read

README: Final = (ROOT / "README.md").read_text()
DOCS: Final = "\n".join([README, *(page.read_text() for page in sorted((ROOT / "docs").rglob("*.md")))])


def _chapters() -> Iterator[tuple[str, str]]:
    """Yield the README's chapters: heading, and what stands below it."""
    _, *chapters = re.split(r"^##+ ", README, flags=re.MULTILINE)
    for chapter in chapters:
        heading, _, text = chapter.partition("\n")
        yield heading, text


@pytest.mark.parametrize("rule", CHAPTERS)
def test_chapter(rule: str) -> None:
    """The README has a chapter about it."""
    pattern = re.compile(CHAPTERS[rule], re.IGNORECASE)
    assert any(len(text.split()) > 20 for heading, text in _chapters() if pattern.search(heading))


def test_docs_high_level_description() -> None:
    """The README begins with what it is for."""
    beginning = README.partition("\n## ")[0]
    assert "electric car" in beginning
    assert len(beginning.split()) > 50


@pytest.mark.parametrize("action", _yaml("services"))
def test_docs_actions(action: str) -> None:
    """Each action is documented, with each of its fields; which car or account, is said once for all."""
    page = (ROOT / "docs" / "actions.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith(f"| `{action}` |")]
    assert lines
    for field in _yaml("services")[action]["fields"]:
        described = page if field in ("device_id", "config_entry_id") else lines[0]
        assert f"`{field}`" in described, field


def _labels(*steps: dict[str, Any]) -> Iterator[str]:
    """Yield what the fields of these steps, and of their sections, are called."""
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
    """What is asked for when an account is added has its line in the README, by the name it has there."""
    assert f"\n| {label} |" in README


@pytest.mark.parametrize("label", sorted(CONFIGURATION))
def test_docs_configuration_parameters(label: str) -> None:
    """What can be set is documented, by the name that it has there."""
    assert label.casefold() in DOCS.casefold()
