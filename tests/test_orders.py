"""What reaches the car when it is told to do something: each command once, in order, or a clear error."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Vehicle as Car

from .conftest import Home

PASSWORD: Final = "the-password-of-the-owner"
MINUTE: Final = 60.0
ENTITY: Final = "entity_id"

type Press = Callable[[Home], Awaitable[None]]


def _sent(home: Home) -> list[str]:
    """Return the commands that reached the service, in order."""
    return [path.rpartition("/")[2] for path in home.requests("/command/")]


async def _remote_start(home: Home) -> None:
    await home.act("remote_start_drive", password=PASSWORD)


# What cannot be taken back: how an owner does it, the command, and what an observer beside the car counts
ONCE: Final[dict[str, tuple[Press, str, Callable[[Car], int]]]] = {
    "horn": (lambda home: home.call("button", "press", "honk_horn"), "honk_horn", lambda car: car.body.horn),
    "lights": (
        lambda home: home.call("button", "press", "flash_lights"),
        "flash_lights",
        lambda car: car.body.lights,
    ),
    "trunk": (
        lambda home: home.call("cover", "open_cover", "vehicle_state.rt"),
        "actuate_trunk",
        lambda car: car.body.openings["rt"],
    ),
    "frunk": (
        lambda home: home.call("cover", "open_cover", "vehicle_state.ft"),
        "actuate_trunk",
        lambda car: car.body.openings["ft"],
    ),
    "remote start": (
        _remote_start,
        "remote_start_drive",
        lambda car: car.body.remote_start,
    ),
}
HTML: Final = "<html><body>Bad gateway</body></html>"

type Losing = Callable[[Home, str, bool], None]


def _answered(status: int, body: Any = HTML) -> Losing:
    """Return what answers all that is told to the car with this, obeyed or not."""

    def lose(home: Home, only: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
        home.simulator.faults.answer(status, body=body, only=only, is_obeyed=is_obeyed, times=100)

    return lose


def _lost(how: Any) -> Losing:
    """Return what loses all answers so."""

    def lose(home: Home, only: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
        home.simulator.faults.fail(how, only=only, is_obeyed=is_obeyed, times=100)

    return lose


LOST: Final[dict[str, Losing]] = {
    **{str(status): _answered(status) for status in (200, 500, 502, 503, 504, 540)},
    "408 slow": _answered(408, {"error": "timeout"}),
    "response null": _answered(200, {"response": None}),
    **{how: _lost(how) for how in ("reset", "close", "cut", "silence", "endless")},
}


@pytest.mark.parametrize("is_obeyed", [True, False], ids=["obeyed", "not obeyed"])
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("what", ONCE)
async def test_sent_exactly_once(home: Home, what: str, lost: str, is_obeyed: bool) -> None:  # noqa: FBT001 - a case
    """What cannot be taken back is sent once, and the person is told that nobody knows what came of it."""
    press, command, count = ONCE[what]
    home.simulator.switches.remote_password = "any"
    LOST[lost](home, f"/command/{command}", is_obeyed)
    (ended,) = await home.while_time_passes(press(home))
    assert isinstance(ended, HomeAssistantError)
    assert "nobody can tell whether the car obeyed" in str(ended)
    await home.endure(MINUTE)
    assert _sent(home) == [command]
    assert count(home.car) == is_obeyed


@pytest.mark.parametrize("lost", ["reset", "close", "502", "503"])
async def test_what_can_be_repeated_is_tried_again(home: Home, lost: str) -> None:
    """A lock whose answer gets lost at once is told again, and the owner need not know."""
    home.car.unlock()
    if lost.isdecimal():
        home.simulator.faults.answer(int(lost), body=HTML, only="/command/")
    else:
        home.simulator.faults.fail(lost, only="/command/")  # type: ignore[arg-type] # one of those that it takes
    assert await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked")) == [None]
    assert _sent(home) == ["door_lock", "door_lock"]
    assert home.car.body.locked


async def test_second_try_cannot_even_be_sent(home: Home) -> None:
    """That the second try failed for sure does not mean that the first did; the car is asked."""
    home.car.unlock()
    home.simulator.faults.fail("reset", only="/command/", is_obeyed=True)
    home.simulator.faults.answer(400, only="/command/")
    (ended,) = await home.while_time_passes(home.call("lock", "lock", "vehicle_state.locked"))
    assert "nobody can tell" in str(ended)
    await home.advance(5)
    assert home.shown("lock", "vehicle_state.locked").state == "locked"


async def test_obeyed_the_first_time(home: Home) -> None:
    """What was done although its answer got lost is not an error the second time."""
    home.simulator.faults.answer(502, only="/command/", is_obeyed=True)
    limit = home.call("number", "set_value", "charge_state.charge_limit_soc", value=60)
    assert await home.while_time_passes(limit) == [None]
    assert _sent(home) == ["set_charge_limit", "set_charge_limit"]
    assert home.shown("number", "charge_state.charge_limit_soc").state == "60"


async def test_twenty_commands_to_a_sleeping_car(home: Home) -> None:
    """Of twenty at once each is sent once, in order, after one wake; of the setpoints only the newest."""
    home.car.unlock()
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()
    temperature = ("climate", "set_temperature", "climate_state")
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    doing = [
        home.call("lock", "lock", "vehicle_state.locked"),
        *(home.call(*temperature, temperature=degrees) for degrees in (18, 19, 20)),
        home.call("button", "press", "flash_lights"),
        *(home.call(*limit, value=percent) for percent in (60, 70, 80)),
        home.call("climate", "turn_on", "climate_state"),
        home.call("button", "press", "honk_horn"),
        *(home.call(*temperature, temperature=degrees) for degrees in (21, 22)),
        home.call("switch", "turn_on", "charge_state.charging_state"),
        *(home.call(*limit, value=percent) for percent in (55, 90)),
        home.call("button", "press", "flash_lights"),
        home.call("switch", "turn_off", "charge_state.charging_state"),
        home.call("climate", "turn_off", "climate_state"),
        home.call("lock", "unlock", "vehicle_state.locked"),
        home.call("button", "press", "honk_horn"),
    ]
    assert len(doing) == 20
    began = home.car.clock.now()
    ended = await home.while_time_passes(*doing)
    took = home.car.clock.now() - began
    assert ended == [None] * 20
    assert len(home.requests("/wake_up")) == 1
    assert _sent(home) == [
        "door_lock",
        "set_temps",
        "flash_lights",
        "set_charge_limit",
        "auto_conditioning_start",
        "honk_horn",
        "charge_start",
        "flash_lights",
        "charge_stop",
        "auto_conditioning_stop",
        "door_unlock",
        "honk_horn",
    ]
    assert (home.car.body.horn, home.car.body.lights) == (2, 2)
    assert home.car.charging.limit == 90
    assert home.car.cabin.driver_temp == 22
    assert took < 2 * MINUTE


async def test_queue_has_an_end(home: Home) -> None:
    """Behind a car that does not answer nobody waits for ever, and nothing is sent far too late."""
    home.simulator.faults.fail("silence", only="/command/", times=1000)
    doing = [home.call("button", "press", "flash_lights") for _ in range(20)]
    began = home.car.clock.now()
    ended = await home.while_time_passes(*doing, patience=400)
    assert home.car.clock.now() - began < 5 * MINUTE
    said = [str(each) for each in ended]
    tried, too_late = len(_sent(home)), sum("waited three minutes" in each for each in said)
    assert sum("nobody can tell" in each for each in said) == tried
    assert tried + too_late == 20
    assert 3 < tried < 8


async def test_fresh_wish_is_not_too_late(home: Home) -> None:
    """A setpoint that somebody has just renewed is not thrown away because an older one waited."""
    limit = ("number", "set_value", "charge_state.charge_limit_soc")
    home.simulator.faults.fail("silence", only="/command/flash_lights", times=5)
    blocking = [home.call("button", "press", "flash_lights") for _ in range(5)]

    async def change_their_mind() -> None:
        await asyncio.sleep(170)
        await home.call(*limit, value=80)

    ended = await home.while_time_passes(*blocking, home.call(*limit, value=60), change_their_mind())
    assert ended[-2:] == [None, None]
    assert home.car.charging.limit == 80


# Commands that have to be signed

SIGNED: Final = {"response": None, "error": "Tesla Vehicle Command Protocol required"}


async def _lock(home: Home) -> None:
    await home.call("lock", "lock", "vehicle_state.locked")


def _repairs(home: Home) -> list[Any]:
    return [
        issue.translation_key for issue in ir.async_get(home.hass).issues.values() if issue.domain == DOMAIN
    ]


async def test_car_that_wants_signed_commands_is_not_woken_in_vain(home: Home) -> None:
    """After one refusal nothing is sent for a day, nobody wakes the car for it, and a repair says why."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    assert _repairs(home) == ["signing_required"]
    home.car.fall_asleep()
    await home.advance(65)
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    assert _sent(home) == ["door_lock"]
    assert home.car.state == "asleep"
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    await home.advance(24 * 3600, step=1800)
    assert await home.while_time_passes(_lock(home)) == [None]
    assert _repairs(home) == []


async def test_signed_commands_after_a_reload(home: Home) -> None:
    """Who has changed something and reloads the account need not wait a day."""
    home.simulator.faults.answer(403, body=SIGNED, only="/command/")
    with pytest.raises(HomeAssistantError, match="only signed commands"):
        await _lock(home)
    await home.restart()
    assert _repairs(home) == []
    await _lock(home)


# Reasons


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("not_parked", "it is not in park"),
        ("Not Parked", "it is not in park"),
        ("low_soc", "battery is too low"),
        ("something else", "The car refused: something else"),
        ("", "The car refused: no reason given"),
    ],
)
async def test_reason_in_words(home: Home, reason: str, words: str) -> None:
    """Why a car refuses is told in a sentence, or in its own word where nobody knows better."""
    home.simulator.faults.answer(
        200, body={"response": {"result": False, "reason": reason}}, only="/command/"
    )
    with pytest.raises(HomeAssistantError, match=words):
        await _lock(home)
