"""The sentences of docs/assistants.md that Home Assistant understands by itself, and what it exposes."""

import re
from typing import Any, Final

from homeassistant.components import conversation
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity, async_should_expose
from homeassistant.core import Context
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.intent import IntentResponse, IntentResponseType
from homeassistant.setup import async_setup_component
import pytest

from .conftest import Home
from .source import ROOT

AGENT: Final = "conversation"
PAGE: Final = (ROOT / "docs" / "assistants.md").read_text()
ROWS: Final = re.findall(r"^\| (.+) \| \*(.+)\* \| (yes|no) \|$", PAGE, re.MULTILINE)
SENTENCES: Final = [
    (sentence, entity, is_exposed == "yes")
    for sentences, entity, is_exposed in ROWS
    for sentence in re.findall(r"\*(.+?)\*", sentences)
]

pytestmark = pytest.mark.parametrize("service", ["tessie"])


@pytest.fixture
async def home(empty_home: Home) -> Home:
    """A home with the car Comet, which exposes new entities by itself."""
    for component in ("homeassistant", "intent", AGENT):
        assert await async_setup_component(empty_home.hass, component, {})
    await empty_home.set_up()
    await empty_home.idle()
    assert empty_home.device.name == "Comet"
    return empty_home


async def _say(home: Home, sentence: str) -> IntentResponse:
    conversing = conversation.async_converse(home.hass, sentence, None, Context(), "en")
    result = await home.run_until_complete(conversing)
    await home.advance(5)
    return result.response


def _commands(home: Home) -> list[str]:
    return [path.rpartition("/")[2] for path in home.requests("/command/")]


def _entity_id(home: Home, name: str) -> str:
    """Return the exposed entity with this name, or the one that shows a value or can be controlled."""
    named = [
        entity.entity_id
        for entity in er.async_entries_for_device(er.async_get(home.hass), home.device.id)
        if entity.original_name == name and entity.domain not in {"event", "button"}
    ]
    exposed = [each for each in named if async_should_expose(home.hass, AGENT, each)]
    (entity_id,) = exposed or named
    return entity_id


async def test_sentences_work_if_their_entities_are_exposed(home: Home) -> None:
    for _, name, is_exposed in SENTENCES:
        assert async_should_expose(home.hass, AGENT, _entity_id(home, name)) == is_exposed, name
    for sentence, name, _ in SENTENCES:
        async_expose_entity(home.hass, AGENT, entity_id := _entity_id(home, name), True)
        commands = _commands(home)
        response = await _say(home, sentence)
        is_question = sentence.endswith("?")
        wanted = IntentResponseType.QUERY_ANSWER if is_question else IntentResponseType.ACTION_DONE
        assert response.response_type is wanted, sentence
        assert [each.id for each in response.success_results] == [entity_id], sentence
        assert (_commands(home) == commands) == is_question, sentence


async def test_short_sentences_do_not_work(home: Home) -> None:
    for entity_id in home.states():
        async_expose_entity(home.hass, AGENT, entity_id, True)
    for sentence in ("Lock Comet", "What is the battery of Comet?", "Open the trunk"):
        response = await _say(home, sentence)
        assert response.response_type is IntentResponseType.ERROR, sentence
    assert not _commands(home)


async def test_lock_that_is_not_exposed_counts_as_locked(home: Home) -> None:
    home.car.unlock()
    await home.press("refresh")
    response = await _say(home, "Are all doors locked?")
    assert response.speech["plain"]["speech"] == "Yes"


@pytest.mark.parametrize(
    ("name", "alias", "sentence", "command"),
    [
        ("Trunk", "trunk", "Open the trunk", "actuate_trunk"),
        ("Doors", "car doors", "Lock the car doors", "door_lock"),
    ],
)
async def test_alias(home: Home, name: str, alias: str, sentence: str, command: str) -> None:
    entity_id = _entity_id(home, name)
    aliases: list[Any] = [er.COMPUTED_NAME, alias]
    er.async_get(home.hass).async_update_entity(entity_id, aliases=aliases)
    async_expose_entity(home.hass, AGENT, entity_id, True)
    await home.idle()
    await _say(home, sentence)
    assert _commands(home) == [command]


async def test_covers_climate_and_doors_are_exposed_by_themselves_but_not_the_lock(home: Home) -> None:
    by_itself = PAGE.partition("## What Home Assistant exposes by itself")[2].partition("To withhold")[0]
    exposed, _, withheld = by_itself.partition("It doesn't expose")
    for names, is_exposed in ((exposed, True), (withheld, False)):
        for name in re.findall(r"(?<!\*)\*([A-Z][\w ]+)\*(?!\*)", names):
            assert async_should_expose(home.hass, AGENT, _entity_id(home, name)) == is_exposed, name
