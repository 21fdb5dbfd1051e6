"""Escaping of Markdown: text of the service can't create markup, and ordinary names don't change."""

from typing import Final

import pytest

from custom_components.vehicle_remote_access.account.markdown import escape_markdown

NAMES: Final = (
    "Model 3 (blue), Anna's my_car|#1|-5 °C|2.0 TDI|Car @ home|Tom & Jerry, AT&T car|Überfahrt, Ñandú, 我的車"
    "|The car: blue / 2020|wwwagon. Mine.|"
)


@pytest.mark.parametrize("name", NAMES.split("|"))
def test_ordinary_name_does_not_change(name: str) -> None:
    assert escape_markdown(name) == name


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("![x](http://evil)", r"!\[x\](http\://evil)"),
        ("<img src=x>", r"\<img src=x\>"),
        ("WWW.evil.example", r"WWW\.evil.example"),
        ("a.@b.example", r"a.\@b.example"),
        ("`code` a | b", r"\`code\` a \| b"),
        ("**b** ~s~", r"\*\*b\*\* \~s\~"),
        ("__b__ _i_ a__b", r"\_\_b\_\_ \_i\_ a\_\_b"),
        ("&#91;x&#x5D; &lt;", r"\&#91;x\&#x5D; \&lt;"),
        ("\\[x](y)\\", r"\\\[x\](y)\\"),
    ],
)
def test_character_that_creates_markup_anywhere_is_escaped(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("###### heading", r"\###### heading"),
        ("-", r"\-"),
        ("+ item", r"\+ item"),
        ("1. item", r"1\. item"),
        ("12) item", r"12\) item"),
        ("===", r"\==="),
    ],
)
def test_start_of_a_heading_list_or_rule_is_escaped_only_at_the_start(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped
    assert escape_markdown(f"Car {text}") == f"Car {text}"


def test_line_breaks_and_other_whitespace_become_one_space() -> None:
    for text in ("one\n\n# two", " one \r\n # two ", "one\u2028# two", "one\x0b\x0c# two\n"):
        assert escape_markdown(text) == "one # two"
