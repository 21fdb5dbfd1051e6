"""What a service has billed for charges at fast chargers. docs/services.md has the sources."""

from collections.abc import Callable, Mapping
from datetime import datetime
import re
from typing import Any, NamedTuple

from .value_types import FLAG, NUMBER, OBJECT, TEXT, TIMESTAMP


class ChargingSession(NamedTuple):
    """A charge, in Unix seconds and kWh of the charger. Unknown values are None, also what is not billed."""

    start: float
    end: float
    place: str | None
    energy: float | None
    cost: float | None
    fees: float | None
    """What parking and congestion cost besides."""
    currency: str | None


def session_records(answer: Any) -> list[dict[str, Any]]:
    """Return the records in an answer, which is wrapped in `response` or not."""
    wrapped = OBJECT.read(answer) or {}
    found = OBJECT.read(wrapped.get("response")) or wrapped
    return _objects(found.get("data", found.get("results")))


def read_session(record: Mapping[str, Any]) -> ChargingSession | None:
    """Return the session of a record of the Fleet API or of Tessie, None if its times can't be used."""
    start = _seconds(record.get("chargeStartDateTime", record.get("started_at")))
    end = _seconds(record.get("chargeStopDateTime", record.get("ended_at")))
    if start is None or end is None or end < start:
        return None
    place = TEXT.read(record.get("siteLocationName", record.get("location")))
    if "fees" in record:
        fees = _objects(record["fees"])
        charging = [fee for fee in fees if fee.get("feeType") == "CHARGING"]
        extra = [fee for fee in fees if fee.get("feeType") in ("PARKING", "CONGESTION")]
        energy, cost, more = _total(_usage, charging), _total(_amount, charging), _total(_amount, extra)
        currencies = {TEXT.read(fee.get("currencyCode")) for fee in (*charging, *extra)}
        currency = currencies.pop() if charging and len(currencies) == 1 else None
    else:
        names = ("energy_used", "charging_fees", "total_cost")
        energy, cost, total = (NUMBER.read(record.get(name)) for name in names)
        more = None if cost is None or total is None else round(total - cost, 2)
        currency = TEXT.read(record.get("currency"))
    if not re.fullmatch("[A-Z]{3}", currency or ""):
        cost = more = currency = None
    return ChargingSession(start, end, place, energy or None, cost, more, currency)


def _objects(raw: Any) -> list[dict[str, Any]]:
    return [each for each in map(OBJECT.read, raw if isinstance(raw, list) else ()) if each]


def _seconds(raw: Any) -> float | None:
    """Return Unix seconds from such a number, or from a text with a time zone."""
    try:
        moment = TIMESTAMP.read(raw) or datetime.fromisoformat(raw)
    except TypeError, ValueError:
        return None
    return moment.timestamp() if moment.tzinfo else None


def _amount(fee: Mapping[str, Any]) -> float | None:
    """Return what a fee costs after credits and refunds. A 0 that is not paid is not billed yet."""
    net = NUMBER.read(fee.get("netDue"))
    amount = NUMBER.read(fee.get("totalDue")) if net is None else net
    return amount if amount or FLAG.read(fee.get("isPaid")) is not False else None


def _usage(fee: Mapping[str, Any]) -> float | None:
    """Return the kWh of a fee, None if it is for minutes. Prices by power have a usage for each tier."""
    names = ("Base", "Tier1", "Tier2", "Tier3", "Tier4")
    base, *tiers = (NUMBER.read(fee.get(f"usage{name}")) or 0.0 for name in names)
    return base or sum(tiers) if fee.get("uom") == "kwh" else None


def _total(read: Callable[[Mapping[str, Any]], float | None], fees: list[dict[str, Any]]) -> float | None:
    amounts = [read(fee) for fee in fees]
    return None if None in amounts else round(sum(filter(None, amounts)), 2)
