"""What is read of the bills of the Fleet API and of Tessie: amounts as billed, and nothing unknown."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.charging_sessions import (
    ChargingSession,
    read_session,
    session_records,
)

CHARGING: Final = {
    "feeType": "CHARGING",
    "currencyCode": "COP",
    "rateBase": 1300.0,
    "usageBase": 46.2341,
    "usageTier1": 0.0,
    "usageTier3": None,
    "totalDue": 60104.33,
    "netDue": 60104.33,
    "uom": "kwh",
    "isPaid": True,
    "status": "PAID",
}
PARKING: Final = {
    **CHARGING,
    "feeType": "PARKING",
    "uom": "min",
    "usageBase": 4,
    "totalDue": 2.5,
    "netDue": 2.5,
}
# As in a response of a user. Its numbers and names are others.
SESSION: Final = {
    "sessionId": 1001,
    "vin": "5YJ3E1EA0LF000001",
    "siteLocationName": "Bogota",
    "chargeStartDateTime": "2026-06-28T10:24:41-05:00",
    "chargeStopDateTime": "2026-06-28T11:04:41-05:00",
    "unlatchDateTime": "2026-06-28T11:05:00-05:00",
    "countryCode": "CO",
    "fees": [CHARGING],
    "billingType": "IMMEDIATE",
    "invoices": [{"fileName": "3095P_ES-CO.pdf", "contentId": "abc123", "invoiceType": "IMMEDIATE"}],
    "vehicleMakeType": "TSLA",
}
# The example of Tessie's documentation
INVOICE: Final = {
    "id": 242345313,
    "started_at": 1699829921,
    "ended_at": 1699833374,
    "invoice_number": "3000P0085545388",
    "vin": "7SA3CBE6XPF123456",
    "location": "Yuma, AZ - South Fortuna Road",
    "energy_used": 70,
    "idle_minutes": 0,
    "charging_fees": 24.5,
    "idle_fees": 0,
    "total_cost": 24.5,
    "cost_per_kwh": 0.35,
    "currency": "USD",
}


def session(*fees: Any, **values: Any) -> ChargingSession:
    read = read_session({**SESSION, "fees": [*fees], **values})
    assert read is not None
    return read


def test_session_of_the_fleet_api() -> None:
    start = 1782660281.0
    expected = (start, start + 2400, "Bogota", 46.23, 60104.33, 0.0, "COP")
    assert read_session(SESSION) == pytest.approx(expected)


def test_invoice_of_tessie() -> None:
    assert read_session(INVOICE) == (
        *(1699829921.0, 1699833374.0, "Yuma, AZ - South Fortuna Road", 70, 24.5, 0.0, "USD"),
    )
    assert read_session({**INVOICE, "total_cost": 30.5, "idle_fees": 6})[5] == 6  # type: ignore[index]


AMOUNTS: Final[dict[str, tuple[list[Any], tuple[float | None, float | None]]]] = {
    "parking and congestion are apart": (
        [CHARGING, PARKING, {**PARKING, "feeType": "CONGESTION", "netDue": 1}],
        (60104.33, 3.5),
    ),
    "a refund is what is left of the net amount": ([{**CHARGING, "netDue": 30000.5}], (30000.5, 0)),
    "a charge can be free": ([{**CHARGING, "totalDue": 0, "netDue": 0}], (0, 0)),
    "without a net amount, the total counts": ([{**CHARGING, "netDue": None}], (60104.33, 0)),
    "0 that is not paid is not billed": ([{**CHARGING, "netDue": 0, "isPaid": False}], (None, 0)),
    "an amount that is not paid is billed": ([{**CHARGING, "isPaid": False}], (60104.33, 0)),
    "no fee is no bill": ([], (None, None)),
    "parking alone is no bill": ([PARKING], (None, None)),
    "an amount that is no number is unknown": ([{**CHARGING, "netDue": "x", "totalDue": []}], (None, 0)),
    "an unknown parking fee loses only itself": (
        [CHARGING, {**PARKING, "netDue": {}, "totalDue": None}],
        (60104.33, None),
    ),
    "two currencies have no sum": ([CHARGING, {**PARKING, "currencyCode": "EUR"}], (None, None)),
    "a currency is a code": ([{**CHARGING, "currencyCode": "€"}], (None, None)),
    "other fees do not count": ([CHARGING, {**PARKING, "feeType": "SERVICE"}], (60104.33, 0)),
}  # fmt: skip


@pytest.mark.parametrize(("fees", "amounts"), AMOUNTS.values(), ids=AMOUNTS)
def test_amounts(fees: list[Any], amounts: tuple[float | None, float | None]) -> None:
    read = session(*fees)
    assert (read.cost, read.fees) == amounts
    assert (read.currency is None) == (amounts == (None, None))


@pytest.mark.parametrize(
    ("fee", "energy"),
    [
        ({"usageBase": 20.5, "usageTier1": 7, "usageTier2": 12}, 20.5),
        ({"usageBase": 0, "usageTier1": 30, "usageTier2": 8.7}, 38.7),
        ({"usageBase": 0, "usageTier1": 20, "usageTier2": 8, "usageTier3": 1.5, "usageTier4": 0.5}, 30),
        ({"uom": "min"}, None),
        ({"usageBase": None}, None),
    ],
)
def test_energy(fee: dict[str, Any], energy: float | None) -> None:
    assert session({**CHARGING, **fee}).energy == energy


@pytest.mark.parametrize(
    "values",
    [
        {"chargeStartDateTime": None},
        {"chargeStartDateTime": "2026-06-28T10:24:41"},
        {"chargeStopDateTime": "soon"},
        {"chargeStopDateTime": []},
        {"chargeStopDateTime": "2026-06-27T10:24:41-05:00"},
    ],
)
def test_session_without_usable_times_is_left_out(values: dict[str, Any]) -> None:
    assert read_session({**SESSION, **values}) is None


@pytest.mark.parametrize("fees", [None, "x", {}, [None, 3, "x", []]])
def test_bad_fees_lose_only_the_amounts(fees: Any) -> None:
    read = read_session({**SESSION, "fees": fees})
    assert read is not None
    assert read[2:] == ("Bogota", None, None, None, None)


def test_records_of_every_form_of_an_answer() -> None:
    answers: list[Any] = [
        {"data": [SESSION, None, 3]},
        {"response": {"data": [SESSION]}},
        {"results": [SESSION]},
    ]
    assert [session_records(answer) for answer in answers] == [[SESSION]] * 3
    wrong: list[Any] = [None, [], "x", {}, {"data": None}, {"data": {}}, {"response": None}]
    assert not any(map(session_records, wrong))
