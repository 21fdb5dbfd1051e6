"""Translations: each language has all texts, with the placeholders and the format of the English texts."""

from collections import Counter
from collections.abc import Iterator
import json
import re
from string import Formatter
from typing import Any, Final

import pytest

from .test_architecture import ENGLISH, INTEGRATION

TRANSLATIONS: Final = INTEGRATION / "translations"
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
"""Each language, and its word for "vehicle"."""


def flatten(translations: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text with its complete key."""
    for name, value in translations.items():
        key = f"{prefix}.{name}" if prefix else name
        if isinstance(value, dict):
            yield from flatten(value, key)
        else:
            yield key, value


def placeholders(text: str) -> Counter[str]:
    """Return the placeholders of a text, and how often each occurs."""
    return Counter(name for _, name, _, _ in Formatter().parse(text) if name is not None)


ENGLISH_TEXTS: Final = dict(flatten(ENGLISH))

every_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def translations(language: str) -> dict[str, Any]:
    """All texts of a language."""
    content: dict[str, Any] = json.loads((TRANSLATIONS / f"{language}.json").read_text())
    return content


def test_languages() -> None:
    """The integration is translated to exactly these languages besides English."""
    assert {path.stem for path in TRANSLATIONS.iterdir()} == {*LANGUAGES, "en"}


@every_language
def test_is_complete(translations: dict[str, Any]) -> None:
    """A language has exactly the English keys, in the same order."""
    assert list(dict(flatten(translations))) == list(ENGLISH_TEXTS)


@every_language
def test_placeholders(translations: dict[str, Any]) -> None:
    """A text has the same placeholders as the English text, equally often."""
    assert not [
        key for key, text in flatten(translations) if placeholders(text) != placeholders(ENGLISH_TEXTS[key])
    ]


@every_language
def test_format(translations: dict[str, Any]) -> None:
    """A text has the paragraphs of the English text, no surrounding whitespace, no HTML and no URLs."""
    for key, text in flatten(translations):
        assert text == text.strip() != "", key
        assert text.count("\n") == ENGLISH_TEXTS[key].count("\n"), key
        assert not re.search(r"<\w|://|'\{", text), key


@every_language
def test_is_the_named_language(language: str, translations: dict[str, Any]) -> None:
    """A file contains texts in the language of its name."""
    assert translations["config_subentries"]["vehicle"]["entry_type"] == LANGUAGES[language]


@every_language
def test_entity_names_are_unique(translations: dict[str, Any]) -> None:
    """The entities of a device have different names within a platform."""
    for platform, entities in translations["entity"].items():
        names = Counter((texts["name"], key.startswith("simulation_")) for key, texts in entities.items())
        assert not [name for name, times in names.items() if times > 1], platform


@every_language
def test_state_texts_are_unique(translations: dict[str, Any]) -> None:
    """The states of an entity have different texts, unless the English texts are the same."""
    for platform, entities in translations["entity"].items():
        for key, texts in entities.items():
            states = Counter(texts.get("state", {}).values())
            english = Counter(ENGLISH["entity"][platform][key].get("state", {}).values())
            assert max(states.values(), default=0) <= max(english.values(), default=0), (platform, key)
