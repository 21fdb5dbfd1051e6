"""Translations: texts have English keys and the placeholders and format of the English texts.

Home Assistant shows the English text if a translation is missing.
"""

from collections import Counter
from collections.abc import Iterator
import json
from pathlib import Path
import re
from shutil import copy
from string import Formatter
import subprocess
import sys
from typing import Any, Final

import pytest

from ..source import ENGLISH, INTEGRATION, ROOT

TRANSLATIONS: Final = INTEGRATION / "translations"
LANGUAGES: Final = "cs da de es fi fr hu it ja ko nb nl pl pt pt-BR ru sv tr uk zh-Hans zh-Hant"


def flatten(translations: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in translations.items():
        key = f"{prefix}.{name}" if prefix else name
        if isinstance(value, dict):
            yield from flatten(value, key)
        else:
            yield key, value


ENGLISH_TEXTS: Final = dict(flatten(ENGLISH))

every_language = pytest.mark.parametrize("language", LANGUAGES.split())


def load(language: str) -> dict[str, str]:
    return dict(flatten(json.loads((TRANSLATIONS / f"{language}.json").read_text())))


def placeholders(text: str) -> Counter[str]:
    return Counter(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def test_languages() -> None:
    assert {path.stem for path in TRANSLATIONS.iterdir()} == {*LANGUAGES.split(), "en"}


@every_language
def test_texts(language: str) -> None:
    """A text has an English key, and the placeholders and paragraphs of the English text.

    Each file names its language, so that the dashboard knows when its texts are the English ones.
    """
    texts = load(language)
    assert (texts["common.language"], ENGLISH_TEXTS["common.language"]) == (language, "en")
    assert not texts.keys() - ENGLISH_TEXTS.keys()
    for key, text in texts.items():
        assert placeholders(text) == placeholders(ENGLISH_TEXTS[key]), key
        assert text.count("\n") == ENGLISH_TEXTS[key].count("\n"), key
        assert text == text.strip() != "", key
        assert not re.search(r"<\w|://|'\{", text), key


def duplicates(texts: dict[str, str]) -> Counter[tuple[str, str]]:
    """Return how often the entities of a platform, or the states of an entity, have the same text."""
    found: Counter[tuple[str, str]] = Counter()
    for key, text in texts.items():
        if match := re.fullmatch(
            r"(entity\.\w+)\.(simulation_)?\w+\.name|(entity\.\w+\.\w+\.state)\.\w+", key
        ):
            found["".join(filter(None, match.groups())), text] += 1
    return Counter({place: times for place, times in found.items() if times > 1})


@every_language
def test_names_are_unique(language: str) -> None:
    """Entities and states have different texts, unless the English texts are the same."""
    english = {place for place, _ in duplicates(ENGLISH_TEXTS)}
    assert not {place for place, _ in duplicates(ENGLISH_TEXTS | load(language))} - english


def test_script_lists_missing_texts(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "translations"
    folder = tmp_path / TRANSLATIONS.relative_to(ROOT)
    script.parent.mkdir()
    folder.mkdir(parents=True)
    copy(ROOT / "scripts" / "translations", script)
    (folder / "en.json").write_text('{"title": "Cars", "common": {"left": "Left", "right": "Right"}}')
    (folder / "de.json").write_text('{"title": "Autos", "common": {"left": "Links"}}')
    listed = subprocess.run([sys.executable, script, "de"], capture_output=True, text=True, check=True)  # noqa: S603 - our script
    assert listed.stdout == "de: 1 missing of 3\n  common.right: 'Right'\n"
