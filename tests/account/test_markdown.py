"""Escaping of Markdown: text of the service can't create markup, and ordinary names don't change."""

import pytest

from custom_components.vehicle_remote_access.account.markdown import escape_markdown


@pytest.mark.parametrize(
    "name",
    [
        "Anna's car",
        "Model 3 (blue)",
        "my_car",
        "R2-D2",
        "50% off!",
        "#1",
        "+1 km",
        "-5 °C",
        "2.0 TDI",
        "Car @ home",
        "Tom & Jerry",
        "AT&T car",
        "Überfahrt, Ñandú, 我的車",
        "The car: blue / 2020",
        "wwwagon. Mine.",
        "",
    ],
)
def test_ordinary_name_does_not_change(name: str) -> None:
    """An ordinary name does not change, because issue titles show it as plain text."""
    assert escape_markdown(name) == name


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        pytest.param("[x](http://evil)", r"\[x\](http\://evil)", id="link"),
        pytest.param("![x](a.png)", r"!\[x\](a.png)", id="image"),
        pytest.param("[x][y]", r"\[x\]\[y\]", id="reference"),
        pytest.param("[x]: evil", r"\[x\]: evil", id="definition"),
        pytest.param("<img src=x>", r"\<img src=x\>", id="HTML"),
        pytest.param("https://evil.example", r"https\://evil.example", id="address"),
        pytest.param("WWW.evil.example", r"WWW\.evil.example", id="address without a scheme"),
        pytest.param("a@b.example", r"a\@b.example", id="e-mail"),
        pytest.param("a.@b.example", r"a.\@b.example", id="e-mail after a dot"),
        pytest.param("`code`", r"\`code\`", id="code"),
        pytest.param("**b** *i*", r"\*\*b\*\* \*i\*", id="asterisks"),
        pytest.param("__b__ _i_", r"\_\_b\_\_ \_i\_", id="underscores"),
        pytest.param("a__b", r"a\_\_b", id="two underscores in a word"),
        pytest.param("~~s~~ ~s~", r"\~\~s\~\~ \~s\~", id="strikethrough"),
        pytest.param("a | b", r"a \| b", id="table"),
        pytest.param("&#91;x&#x5D; &lt;", r"\&#91;x\&#x5D; \&lt;", id="entities"),
        pytest.param("\\[x](y)", r"\\\[x\](y)", id="backslash"),
        pytest.param("x\\", r"x\\", id="backslash at the end"),
    ],
)
def test_markup_is_escaped(text: str, escaped: str) -> None:
    """A character that creates markup anywhere in a text is escaped."""
    assert escape_markdown(text) == escaped


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# heading", r"\# heading"),
        ("###### heading", r"\###### heading"),
        ("- item", r"\- item"),
        ("-", r"\-"),
        ("+ item", r"\+ item"),
        ("* item", r"\* item"),
        ("1. item", r"1\. item"),
        ("12) item", r"12\) item"),
        ("> quote", r"\> quote"),
        ("---", r"\---"),
        ("===", r"\==="),
    ],
)
def test_markup_is_escaped_at_the_start(text: str, escaped: str) -> None:
    """A character that starts a heading, list, quote or rule is escaped only at the start of the text."""
    assert escape_markdown(text) == escaped
    if text[0] not in "*>":
        assert escape_markdown(f"Car {text}") == f"Car {text}"


@pytest.mark.parametrize(
    "text", ["one\n\n# two", " one \r\n # two ", "one\t# two", "one\u2028# two", "one\x0b\x0c# two\n"]
)
def test_whitespace_becomes_one_space(text: str) -> None:
    """Line breaks and other whitespace become one space, so the text stays on one line."""
    assert escape_markdown(text) == "one # two"
