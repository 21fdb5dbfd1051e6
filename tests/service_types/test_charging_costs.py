"""Fast charges get their cost from the service: when it is asked, and what the log then has."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.drive_log.entries import Charge
from custom_components.vehicle_remote_access.simulator.http.parameters import Parameters
from custom_components.vehicle_remote_access.vehicle import charging_costs
from simulator_console.billing import Bill, Terms
from simulator_console.services import SimulatedService

from ..conftest import DAY, HOUR, MINUTE, Home
from ..drive_log.activities import end_charge, start_charge
from .conftest import each_service

HISTORY: Final = "/dx/charging/history"
INVOICES: Final = "/charging_invoices"


def service_of(home: Home) -> SimulatedService:
    assert isinstance(home.simulator, SimulatedService)
    return home.simulator


def bills(home: Home) -> list[Bill]:
    return [bill for bill in service_of(home).billing.bills() if bill.vin == home.car.vin]


def charges(home: Home) -> list[Charge]:
    return home.coordinator.log.charges


def asked(home: Home, path: str = HISTORY) -> int:
    return len(home.requests(path))


async def charge_fast(home: Home, *, level: float = 20, minutes: int = 20, parked: int = 0) -> None:
    """Drive to a fast charger, charge there, and drive on."""
    home.car.charging.set_level(level)
    await home.advance(home.car.drive(3) + 5 * MINUTE, step=60)
    home.car.plug_in(fast=True)
    await home.advance(minutes * MINUTE, step=60)
    home.car.charging.stop()
    await home.advance((parked + 1) * MINUTE, step=60)
    home.car.unplug()
    await home.advance(2 * MINUTE, step=60)
    await home.advance(home.car.drive(3) + 5 * MINUTE, step=60)


def costs(home: Home) -> list[tuple[float | None, float | None, str | None, str | None]]:
    return [(each.cost, each.fees, each.currency, each.cost_source) for each in charges(home)]


def expected(home: Home) -> list[Any]:
    return [(bill.net, bill.parking, bill.terms.currency, "service") for bill in bills(home)]


@each_service("tesla_fleet", "tessie")
async def test_cost_is_that_of_the_bill(home: Home) -> None:
    """A few minutes after the charge, one request gets the cost and the parking fee. Then none follows."""
    await home.set_car_options(price_away=0.6)
    await charge_fast(home, parked=8)
    await home.advance(5 * MINUTE, step=60)
    assert costs(home) == expected(home)
    assert bills(home)[0].parking > 0
    await home.advance(2 * DAY, step=600)
    assert asked(home) == 1
    log: Any = await home.act("get_log", kind="charges")
    (shown,) = log["charges"]
    assert (shown["cost"], shown["fees"]) == (bills(home)[0].net, bills(home)[0].parking)
    assert log["totals"]["cost"] == shown["cost"]


@pytest.mark.parametrize("service", ["tesla_fleet"])
async def test_days_with_two_currencies_a_late_bill_and_a_refund(home: Home) -> None:
    """Each cost is known within 24 hours after it is billed, and no wrong one is ever shown."""
    known_at: dict[str, float] = {}
    for day in range(8):
        if day < 5:
            await charge_fast(home)
        for _ in range(46):
            await home.advance(30 * MINUTE, step=600)
            for charge, bill in zip(charges(home), bills(home), strict=True):
                if charge.cost_source == "service":
                    assert bill.is_billed
                    assert charge.cost in (bill.gross, bill.net)
                    known_at.setdefault(charge.id, home.simulator.clock.now())
    delays = [
        known_at[charge.id] - bill.unplugged - bill.terms.delay
        for charge, bill in zip(charges(home), bills(home), strict=True)
    ]
    assert max(delays) < DAY
    assert {each.currency for each in charges(home)} == {"EUR", "SEK"}
    # A request for a later charge shows the refund.
    assert bills(home)[3].net < bills(home)[3].gross
    await charge_fast(home)
    await home.advance(HOUR, step=60)
    assert costs(home) == expected(home)
    # The service may charge for each request.
    provider = home.entry.runtime_data.provider
    assert 6 <= provider.billed["live_read"] - provider.live_read_count <= 12


async def test_cost_of_a_person_stays(home: Home) -> None:
    await charge_fast(home)
    await home.act("update_log_entry", id=charges(home)[0].id, cost=3.5)
    await home.advance(2 * DAY, step=600)
    assert [(each.cost, each.cost_source) for each in charges(home)] == [(3.5, "person")]
    assert asked(home) == 0


async def test_restart_asks_again_for_what_waits(home: Home) -> None:
    """What waits is not stored, because the log has it."""
    service_of(home).billing.terms = [Terms(delay=2 * DAY)]
    await charge_fast(home)
    await home.advance(DAY, step=600)
    assert 2 <= asked(home) <= 6
    await home.unload()
    home.skip(2 * DAY)
    await home.load()
    before = asked(home)
    await home.advance(14 * MINUTE, step=60)
    assert asked(home) == before
    await home.advance(3 * MINUTE, step=60)
    assert asked(home) == before + 1
    assert costs(home) == expected(home)


async def test_charge_that_was_not_seen_is_added(home: Home) -> None:
    """Home Assistant was off while the car charged at a fast charger, and then at a hotel.

    The car counts only the second one.
    """
    await home.advance(HOUR, step=60)
    await charge_fast(home)
    await home.advance(HOUR, step=60)
    before = home.coordinator.log.charge_tracker.energy or 0.0
    await home.unload()
    for seconds, fast in ((10 * MINUTE, True), (5 * HOUR, False)):
        home.car.charging.set_level(30)
        home.car.drive(3)
        home.skip(HOUR)
        home.car.plug_in(fast=fast)
        home.skip(seconds)
        home.car.unplug()
    home.car.drive(3)
    home.skip(HOUR)
    home.car.wake()
    await home.load()
    await home.poll()
    await home.advance(20 * MINUTE, step=60)
    (_, session), log = bills(home), home.coordinator.log
    (billed,) = [each for each in charges(home)[1:] if each.cost_source == "service"]
    assert (billed.cost, billed.place) == (session.net, session.terms.site)
    assert (billed.start, billed.end) == (round(session.start), round(session.end))
    counted = (log.charge_tracker.energy or 0.0) - before
    assert sum(each.energy_added for each in charges(home)[1:]) == pytest.approx(
        counted + session.energy, abs=0.01
    )


@pytest.mark.parametrize("status", [403, 404])
async def test_refused_requests_end(home: Home, status: int) -> None:
    """A service that refuses is not asked again until the next start."""
    home.simulator.faults.answer(status, times=100, only=HISTORY, body={"error": "missing scopes"})
    await charge_fast(home)
    await home.advance(3 * DAY, step=600)
    assert asked(home) == 1
    home.simulator.faults.clear()
    await home.restart()
    await home.advance(20 * MINUTE, step=60)
    assert costs(home) == expected(home)


@pytest.mark.parametrize("body", [{"data": [None, 1, {"vin": []}, {"fees": "x"}]}, {"data": {}}, [], "x"])
async def test_garbage_changes_nothing(home: Home, body: Any) -> None:
    home.simulator.faults.answer(200, only=HISTORY, body=body)
    await charge_fast(home)
    await home.advance(20 * MINUTE, step=60)
    assert [each.cost_source for each in charges(home)] == [None]
    await home.advance(3 * HOUR, step=600)
    assert costs(home) == expected(home)


async def test_limit_of_requests_holds(home: Home) -> None:
    """Nothing is asked while the limit of the day is reached."""
    await charge_fast(home)
    await home.set_account_options(requests_per_day=10)
    await home.advance(6 * HOUR, step=600)
    assert asked(home) == 0
    await home.set_account_options()
    await home.advance(DAY, step=600)
    assert costs(home) == expected(home)


@pytest.mark.parametrize("service", ["tessie"])
async def test_tessie_is_asked_for_invoices_if_it_has_no_history(home: Home) -> None:
    billing = service_of(home).billing
    billing.has_history, billing.is_fleet_account = False, True
    await charge_fast(home, parked=8)
    await home.advance(20 * MINUTE, step=60)
    assert (asked(home), asked(home, INVOICES)) == (1, 1)
    assert costs(home) == expected(home)


@pytest.mark.parametrize("cars", [2])
async def test_bills_of_other_cars_change_nothing(home: Home) -> None:
    """Both cars charge at the same time. The service lists all bills of the account."""
    _, other = home.simulator.vehicles
    other.plug_in(fast=True)
    await charge_fast(home)
    other.unplug()
    await home.advance(3 * MINUTE, step=60)
    history = service_of(home).billing.history(Parameters({}))
    home.simulator.faults.serve("GET", f"/api/1{HISTORY}", history)
    await home.advance(20 * MINUTE, step=60)
    assert costs(home) == expected(home)
    assert {record["vin"] for record in history["data"]} == {home.car.vin, other.vin}


async def test_all_pages_are_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charging_costs, "_PAGE_SIZE", 1)
    await charge_fast(home, minutes=5)
    await charge_fast(home, minutes=5)
    await home.advance(3 * HOUR, step=60)
    assert len(charges(home)) == 2
    assert costs(home) == expected(home)


@pytest.mark.parametrize("service", ["other"])
async def test_other_services_are_not_asked(home: Home) -> None:
    await charge_fast(home)
    await home.advance(DAY, step=600)
    assert not home.requests("charging")
    assert charges(home)


async def test_charge_at_home_asks_nothing(home: Home) -> None:
    await start_charge(home)
    await home.advance(2 * HOUR, step=300)
    await end_charge(home)
    await home.advance(DAY, step=600)
    assert len(charges(home)) == 1
    assert asked(home) == 0
