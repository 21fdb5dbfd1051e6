"""Rules of Home Assistant's quality scale that concern the whole integration."""

import ast
from collections.abc import Iterable
from logging import INFO
import re
from typing import Final

from homeassistant import exceptions
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.const import DOMAIN, PLATFORMS
from custom_components.vehicle_remote_access.entity import AccountEntity, VehicleEntity
from custom_components.vehicle_remote_access.sensor import SPENT_THIS_MONTH
from custom_components.vehicle_remote_access.simulated_account.entities import SimulatorEntity

from ..conftest import MINUTE, Home
from ..source import ENGLISH, INTEGRATION, MODULES, external_imports


def test_exempt_rules_have_a_reason() -> None:
    rules = load_yaml_dict(str(INTEGRATION / "quality_scale.yaml"))["rules"]
    exempt = [claim for claim in rules.values() if claim != "done"]
    assert all(claim["status"] == "exempt" and claim["comment"] for claim in exempt)


async def test_action_setup(hass: HomeAssistant, enable_custom_integrations: None) -> None:
    """The actions are registered before any account is set up."""
    assert await async_setup_component(hass, DOMAIN, {})
    actions = load_yaml_dict(str(INTEGRATION / "services.yaml"))
    assert set(hass.services.async_services_for_domain(DOMAIN)) == set(actions)


@pytest.mark.parametrize(("cars", "service"), [(2, "teslemetry")])
async def test_entities_follow_the_rules(entity_registry_enabled_by_default: None, home: Home) -> None:
    """All entities of two cars and two accounts have a base class, a unique id, a name, and texts of states.

    No other text exists, except for fields that only other cars have, and for the cost of other services.
    """
    home.simulator.faults.corrupt("vehicle_config.car_type", "cybertruck")
    await home.poll()
    await home.add_simulated_account()
    platforms = async_get_platforms(home.hass, DOMAIN)
    entities = [entity for platform in platforms for entity in platform.entities.values()]
    assert {entity.platform.domain for entity in entities} == set(PLATFORMS)
    states: dict[tuple[str, str | None], Iterable[str]] = {
        (field.shown_as, field.path.replace(".", "_")): field.value_type.options
        for field in FIELDS
        if field.shown_as is not None
    }
    states["sensor", SPENT_THIS_MONTH.key] = ()
    for entity in entities:
        assert isinstance(entity, VehicleEntity | AccountEntity | SimulatorEntity), entity.entity_id
        assert entity.unique_id is not None, entity.entity_id
        assert entity.has_entity_name, entity.entity_id
        assert entity.icon is None, entity.entity_id
        states[entity.platform.domain, entity.translation_key] = getattr(entity, "options", None) or ()
    texts = {
        (platform, key): of_entity
        for platform, of_platform in ENGLISH["entity"].items()
        for key, of_entity in of_platform.items()
    }
    assert states.keys() == texts.keys()
    for key, options in states.items():
        assert texts[key]["name"], key
        assert set(options) <= set(texts[key].get("state", ())), key


async def test_log_when_unavailable(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    """The log contains one message when service and car become unavailable, and one when they return."""
    caplog.set_level(INFO)
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(20 * MINUTE, step=20)
    unavailable = _messages(caplog)
    assert len(unavailable) == len(set(unavailable)) == 2
    caplog.clear()
    home.simulator.faults.clear()
    # The longest backoff is five minutes, plus a jitter of up to a quarter.
    await home.advance(7 * MINUTE, step=20)
    await home.run_until_complete(home.call("button", "press", "wake_up"))
    await home.advance(5 * MINUTE, step=20)
    available = _messages(caplog)
    assert len(available) == len(set(available)) == 2


def _messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith(f"custom_components.{DOMAIN}") and record.levelno >= INFO
    ]


# Errors with a message for the user
ERRORS: Final = {
    "UpdateFailed",
    *(
        name
        for name, value in vars(exceptions).items()
        if isinstance(value, type)
        and issubclass(value, exceptions.HomeAssistantError)
        # It takes no translation key.
        and not issubclass(value, exceptions.Unauthorized)
    ),
}


def test_exceptions_are_translated() -> None:
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise) and node.exc is not None:
                error, _, arguments = ast.unparse(node.exc).partition("(")
                assert error not in ERRORS or re.search(r"\btranslation_key=|\*\*", arguments), (path, error)


def test_client_uses_no_library_that_blocks_and_the_integration_creates_no_session() -> None:
    for name, path in MODULES.items():
        if name.startswith("api"):
            assert external_imports(name).isdisjoint({"requests", "socket"}), name
        if not name.startswith("simulator"):
            # A session with the connections of Home Assistant's own is none.
            own = r"ClientSession\((?!\s*connector=session\.connector,)|async_create_clientsession"
            assert not re.search(own, path.read_text()), name
