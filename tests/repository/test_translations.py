"""The words in all languages: each is there, with what has to be filled in, and nothing else."""

from collections import Counter
from collections.abc import Iterator
import json
import re
from string import Formatter
from typing import Any, Final

import pytest

from .test_architecture import ENGLISH, HOUSE

TRANSLATIONS: Final = HOUSE / "translations"
LANGUAGES: Final = {
    "cs": "Vozidlo",
    "da": "Køretøj",
    "de": "Fahrzeug",
    "es": "Vehículo",
    "fi": "Ajoneuvo",
    "fr": "Véhicule",
    "hu": "Jármű",
    "it": "Veicolo",
    "ja": "車両",
    "ko": "차량",
    "nb": "Kjøretøy",
    "nl": "Voertuig",
    "pl": "Pojazd",
    "pt": "Veículo",
    "pt-BR": "Veículo",
    "ru": "Автомобиль",
    "sv": "Fordon",
    "tr": "Araç",
    "uk": "Автомобіль",
    "zh-Hans": "车辆",
    "zh-Hant": "車輛",
}
"""Each language, and what it calls a vehicle."""


def texts(words: dict[str, Any], key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text with its key."""
    for name, value in words.items():
        inner = f"{key}.{name}" if key else name
        if isinstance(value, dict):
            yield from texts(value, inner)
        else:
            yield inner, value


def placeholders(text: str) -> Counter[str]:
    """Return what has to be filled in, and how often."""
    return Counter(name for _, name, _, _ in Formatter().parse(text) if name is not None)


IN_ENGLISH: Final = dict(texts(ENGLISH))

every_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def words(language: str) -> dict[str, Any]:
    """All words of a language."""
    found: dict[str, Any] = json.loads((TRANSLATIONS / f"{language}.json").read_text())
    return found


def test_languages() -> None:
    """There are these languages besides English, and no other."""
    assert {path.stem for path in TRANSLATIONS.iterdir()} == {*LANGUAGES, "en"}


@every_language
def test_is_complete(words: dict[str, Any]) -> None:
    """Every text is there, in the order of the English, and none that the English has no more."""
    assert list(dict(texts(words))) == list(IN_ENGLISH)


@every_language
def test_is_filled_in(words: dict[str, Any]) -> None:
    """What is filled into a text is what is filled into the English one, and as often."""
    assert not [key for key, text in texts(words) if placeholders(text) != placeholders(IN_ENGLISH[key])]


@every_language
def test_has_its_shape(words: dict[str, Any]) -> None:
    """A text has the paragraphs of the English one, no blanks around it, and nothing but text in it."""
    for key, text in texts(words):
        assert text == text.strip() != "", key
        assert text.count("\n") == IN_ENGLISH[key].count("\n"), key
        assert not re.search(r"<\w|://|'\{", text), key


@every_language
def test_is_that_language(language: str, words: dict[str, Any]) -> None:
    """A file holds what its name says."""
    assert words["config_subentries"]["vehicle"]["entry_type"] == LANGUAGES[language]


@every_language
def test_no_two_entities_have_one_name(words: dict[str, Any]) -> None:
    """On the page of a car, and on that of its simulation, each entity of a platform has its own name."""
    for platform, entities in words["entity"].items():
        names = Counter((each["name"], key.startswith("simulation_")) for key, each in entities.items())
        assert not [name for name, times in names.items() if times > 1], platform


@every_language
def test_no_two_states_have_one_word(words: dict[str, Any]) -> None:
    """Whoever chooses among the states of an entity can tell them apart, as in English."""
    for platform, entities in words["entity"].items():
        for key, each in entities.items():
            said = Counter(each.get("state", {}).values())
            english = Counter(ENGLISH["entity"][platform][key].get("state", {}).values())
            assert max(said.values(), default=0) <= max(english.values(), default=0), (platform, key)
