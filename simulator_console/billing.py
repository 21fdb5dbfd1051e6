"""What the services bill for charges at fast chargers.

Written on 2026-11-30 from https://developer.tesla.com/docs/fleet-api/endpoints/charging-endpoints, from
responses that users of the Fleet API published, and from
https://developer.tessie.com/reference/get-all-charging-invoices.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final, NamedTuple

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.clock import Clock
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters, reject
from custom_components.vehicle_remote_access.simulator.persistence import Json

MINUTE: Final = 60.0
DAY: Final = 86_400.0
USUAL_PAGE: Final = 50


class Terms(NamedTuple):
    """How a site bills a charge."""

    currency: str = "EUR"
    price: float = 0.45
    """Of one kWh."""
    delay: float = 2 * MINUTE
    """Seconds until it is billed."""
    refund: float = 0.0
    """The share that is paid back, after another day."""
    parking: float = 0.5
    """The price of a minute with the cable plugged in, from five minutes after the end on."""
    site: str = "Breda, Netherlands"


TERMS: Final = (
    Terms(),
    Terms(currency="SEK", price=5.19, site="Malm\u00f6, Sweden"),
    Terms(price=0.58, delay=2 * DAY),
    Terms(price=0.39, refund=0.25),
)
FREE_MINUTES: Final = 5


class Bill(NamedTuple):
    """What a charge costs now. The amounts are 0 until it is billed."""

    number: int
    vin: str
    start: float
    end: float
    unplugged: float
    energy: float
    terms: Terms
    is_billed: bool
    gross: float
    net: float
    minutes: int
    parking: float


class Billing:
    """The bills of an account."""

    def __init__(self, vehicles: Sequence[SimulatedVehicle], clock: Clock) -> None:
        self._vehicles = vehicles
        self._clock = clock
        self.terms: Sequence[Terms] = TERMS
        """Those of the first charge of each car, of the second one, and so on. They repeat."""
        self.has_history = True
        """Whether the endpoint of the Fleet API exists."""
        self.is_fleet_account = False
        """Whether Tessie's own endpoint answers."""

    def bills(self) -> Iterator[Bill]:
        """Yield the bills of all cars: of charges that have ended, because the cable was pulled out."""
        now = self._clock.now()
        for index, car in enumerate(self._vehicles):
            car.catch_up()
            for count, (start, end, energy, unplugged) in enumerate(car.charging.fast_charges):
                if not unplugged:
                    continue
                terms = self.terms[count % len(self.terms)]
                is_billed = now >= unplugged + terms.delay
                gross = round(energy * terms.price, 2) if is_billed else 0.0
                is_refunded = now >= unplugged + terms.delay + DAY
                minutes = max(0, round((unplugged - end) / MINUTE) - FREE_MINUTES)
                yield Bill(
                    number=1000 * (index + 1) + count,
                    vin=car.vin,
                    start=start,
                    end=end,
                    unplugged=unplugged,
                    energy=round(energy, 3),
                    terms=terms,
                    is_billed=is_billed,
                    gross=gross,
                    net=round(gross * (1 - terms.refund), 2) if is_refunded else gross,
                    minutes=minutes,
                    parking=round(minutes * terms.parking, 2) if is_billed else 0.0,
                )

    def history(self, parameters: Parameters) -> Json:
        """Return a page of the history, the newest charge first."""
        found = [*self._selected(parameters, "startTime", _moment)]
        size, page = (
            int(parameters.number(name)) if name in parameters else usual
            for name, usual in (("pageSize", USUAL_PAGE), ("pageNo", 1))
        )
        first = (page - 1) * size
        data = [_record(bill) for bill in found[first : first + size]]
        return {"data": data, "totalResults": len(found)}

    def invoices(self, parameters: Parameters) -> Json:
        """Return the invoices of Tessie."""
        found = self._selected(parameters, "from", float)
        return {"results": [_invoice(bill) for bill in found if bill.is_billed]}

    def _selected(self, parameters: Parameters, since: str, read: Any) -> Iterable[Bill]:
        vin = parameters.text("vin") if "vin" in parameters else None
        try:
            start = read(parameters.text(since)) if since in parameters else 0.0
        except ValueError:
            reject(since)
        bills = (bill for bill in self.bills() if bill.vin == (vin or bill.vin) and bill.start >= start)
        return sorted(bills, key=lambda bill: -bill.start)


def _moment(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _local(moment: float) -> str:
    return datetime.fromtimestamp(round(moment), timezone(timedelta(hours=2))).isoformat()


def _fee(bill: Bill, kind: str, unit: str, usage: float, rate: float, gross: float, net: float) -> Json:
    empty = {f"{name}Tier{tier}": None for name in ("rate", "usage") for tier in (3, 4)}
    return {
        "sessionFeeId": 10 * bill.number + (kind == "PARKING"),
        "feeType": kind,
        "currencyCode": bill.terms.currency,
        "pricingType": "PAYMENT" if gross else "NO_CHARGE",
        "rateBase": rate,
        "rateTier1": 0,
        "rateTier2": 0,
        "usageBase": usage,
        "usageTier1": 0,
        "usageTier2": 0,
        **empty,
        "totalBase": gross,
        **{f"totalTier{tier}": 0 for tier in range(1, 5)},
        "totalDue": gross,
        "netDue": net,
        "uom": unit,
        "isPaid": bill.is_billed,
        "status": "PAID" if bill.is_billed else "PENDING",
    }


def _record(bill: Bill) -> Json:
    terms = bill.terms
    invoice = {"fileName": f"{bill.number}.pdf", "contentId": str(bill.number), "invoiceType": "IMMEDIATE"}
    return {
        "sessionId": bill.number,
        "vin": bill.vin,
        "siteLocationName": terms.site,
        "chargeStartDateTime": _local(bill.start),
        "chargeStopDateTime": _local(bill.end),
        "unlatchDateTime": _local(bill.unplugged),
        "countryCode": "NL",
        "fees": [
            _fee(bill, "CHARGING", "kwh", bill.energy, terms.price, bill.gross, bill.net),
            _fee(bill, "PARKING", "min", bill.minutes, terms.parking, bill.parking, bill.parking),
        ],
        "billingType": "IMMEDIATE",
        "invoices": [invoice] if bill.is_billed else [],
        "vehicleMakeType": "TSLA",
    }


def _invoice(bill: Bill) -> Json:
    return {
        "id": bill.number,
        "started_at": round(bill.start),
        "ended_at": round(bill.end),
        "invoice_number": f"3000P{bill.number:010d}",
        "vin": bill.vin,
        "location": bill.terms.site,
        "energy_used": bill.energy,
        "idle_minutes": bill.minutes,
        "charging_fees": bill.net,
        "idle_fees": bill.parking,
        "total_cost": round(bill.net + bill.parking, 2),
        "cost_per_kwh": bill.terms.price,
        "currency": bill.terms.currency,
        "invoice_url": f"https://service.invalid/invoice/{bill.number}",
    }
