"""What owners enter in the forms of the config flows."""

import pytest
from yarl import URL

from custom_components.vehicle_remote_access.api.service_types import OTHER, TESSIE
from custom_components.vehicle_remote_access.flows.schemas import (
    InvalidInputError,
    account_options_schema,
    is_path_id,
    is_this_host,
    parse_base_url,
)


def test_id_has_only_ascii_digits_and_is_a_vin_for_some_services() -> None:
    texts = ("", "abc", "12.5", "-1", "1/../2", "\u0661\u0662", "12", "5YJSA11111111111X")
    assert [text for text in texts if is_path_id(text, OTHER)] == ["12"]
    assert [text for text in texts if is_path_id(text, TESSIE)] == ["12", "5YJSA11111111111X"]


def test_option_for_live_data_is_there_only_for_a_service_with_a_stream() -> None:
    for service_type, entered in ((TESSIE, {}), (TESSIE, {"live_data": False}), (OTHER, {})):
        options = account_options_schema(service_type)({**entered, "advanced": {}})
        assert options.get("live_data") is (
            entered.get("live_data", True) if service_type is TESSIE else None
        )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not an address",
        "https://<host>",
        "http://[::1",
        "https://host:99999",
        "ftp://host",
        "https://user@host",
        "https://:word@host",
        "https://host/?token=word",
    ],
)
def test_address_has_no_user_no_password_and_no_query(text: str) -> None:
    with pytest.raises(InvalidInputError):
        parse_base_url(text)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://host:8080", "http://host:8080"),
        ("host:8443", "https://host:8443"),
        ("https://host/api/1/", "https://host"),
        ("  https://host\n", "https://host"),
        ("https://host/#top", "https://host"),
        ("https://host/cars/api/1/", "https://host/cars"),
    ],
)
def test_common_additions_to_a_pasted_address_are_ignored(text: str, url: str) -> None:
    assert parse_base_url(text) == url


def test_only_loopback_addresses_are_this_machine() -> None:
    local = {"localhost", "LOCALHOST", "127.8.8.8", "[::1]"}
    for host in (*local, "car.example", "192.0.2.1", "[2001:db8::1]", "127.0.0.1.example"):
        assert is_this_host(URL(f"http://{host}:8080")) is (host in local), host
