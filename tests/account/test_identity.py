"""Identity checks: the car's VIN and the token's user must stay the same."""

from dataclasses import replace
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.http.records import Variant, full_record

from ..conftest import Home

MINUTE: Final = 60.0
LOCK: Final = ("lock", "vehicle_state.locked")
BATTERY: Final = ("sensor", "charge_state.battery_level")


def _issue_keys(home: Home) -> list[str | None]:
    issues = ir.async_get(home.hass).issues.values()
    return [issue.translation_key for issue in issues if issue.domain == DOMAIN]


async def _serve_other_car(home: Home) -> None:
    """Let the service answer with another car under the car's id, and wait for the next poll."""
    home.simulator.switches.other_car = True
    home.car.set_level(11)
    await home.advance(70)
    home.simulator.requests.clear()


async def _without_list(home: Home) -> None:
    """Let the service have no list, which is detected at the next start."""
    home.simulator.switches.list = False
    await home.restart()
    await home.advance(5 * MINUTE)


async def _without_records(home: Home) -> None:
    """Let the service have only live data of the car, which is detected at the next start."""
    path = f"/api/1/vehicles/{home.car.id}"
    home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    await _without_list(home)
    await _wait_for_quiet_period(home)


async def _without_polling(home: Home) -> None:
    """Disable polling, and let time pass."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.advance(20 * MINUTE, step=60)


async def _wait_for_quiet_period(home: Home) -> None:
    """Let time pass until the car is no longer read live."""
    await home.advance(20 * MINUTE, step=20)


SERVICES: Final = {
    "list": _wait_for_quiet_period,
    "record": _without_list,
    "live reads": _without_records,
    "no polling": _without_polling,
}


@pytest.mark.parametrize("service", SERVICES)
async def test_other_car_is_not_shown(hass_storage: dict[str, Any], home: Home, service: str) -> None:
    """Another car under the same id changes no name or value, gets no command, and creates an issue."""
    home.car.sleep_after = 24 * 60 * MINUTE
    await SERVICES[service](home)
    name = home.device.name
    await _serve_other_car(home)
    assert home.device.name == name
    assert home.shown(*BATTERY).state == "72"
    assert home.shown(*LOCK).state == "locked"
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.call("lock", "unlock", LOCK[1])
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.call("button", "press", "wake_up")
    assert home.car.body.locked
    assert not home.requests("/command/")
    assert not home.requests("/wake_up")
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in _issue_keys(home)


async def test_other_car_is_not_kept_awake(home: Home) -> None:
    """Another car under the same id is not read live while the list identifies it."""
    await _wait_for_quiet_period(home)
    await _serve_other_car(home)
    await home.advance(60 * MINUTE, step=20)
    assert not home.requests("/vehicle_data")
    assert home.shown(*BATTERY).state == "unavailable"


async def test_returned_car_works_again(home: Home) -> None:
    """Once the id is the right car's again, the car is shown and gets commands, and the issue is deleted."""
    await _serve_other_car(home)
    home.simulator.switches.other_car = False
    await home.advance(2 * MINUTE)
    assert home.shown(*BATTERY).state == "11"
    await home.call("lock", "unlock", LOCK[1])
    assert not home.car.body.locked
    assert _issue_keys(home) == []


async def test_command_stops_if_another_car_wakes(home: Home) -> None:
    """A command fails if the answer to the wake-up request is another car's."""
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.switches.other_car = True
    home.simulator.faults.serve("GET", "/api/1/vehicles", {"response": []})
    (error,) = await home.while_time_passes(home.call("lock", "unlock", LOCK[1]))
    assert "another car" in str(error)
    assert not home.requests("/command/")


@pytest.mark.parametrize("action", [{"record": "drive_state"}, {}], ids=["record", "everything"])
async def test_actions_do_not_read_another_car(home: Home, action: dict[str, str]) -> None:
    """An action that reads the car does not return the data of another car."""
    await _serve_other_car(home)
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.act("get_vehicle_data", **action)


@pytest.mark.parametrize("vin", ["5YJSA1E4XXXXXXXXX", "5YJ**************", "a text", 7, None])
async def test_masked_vin_is_no_other_car(home: Home, vin: Any) -> None:
    """A masked or invalid VIN does not mean that it is another car."""
    home.simulator.faults.corrupt("vin", vin)
    home.car.set_level(33)
    await home.poll()
    assert home.shown(*BATTERY).state == "33"
    assert _issue_keys(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_car_with_a_new_id_is_found(home: Home) -> None:
    """A car with a new id is found by its VIN, even if another car now has its old id."""
    first, second = home.simulator.vehicles
    first.identity, second.identity = (
        replace(first.identity, id=second.id),
        replace(second.identity, id=first.id),
    )
    await home.advance(5 * MINUTE)
    await home.call("lock", "unlock", LOCK[1])
    assert not first.body.locked
    assert second.body.locked
    assert _issue_keys(home) == []


# The user


async def _enter_new_token(home: Home) -> None:
    """Enter a new token, as in reauthentication."""
    home.simulator.token = "a-new-token"
    data = {**home.entry.data, "access_token": "a-new-token"}
    home.hass.config_entries.async_update_entry(home.entry, data=data)
    await home.idle()


async def test_token_of_another_user(home: Home) -> None:
    """A token of another user with the same cars creates an issue, until the first user's token is back."""
    first = home.car.identity
    home.car.identity = replace(first, user_id=first.user_id + 1)
    await _enter_new_token(home)
    await home.advance(2 * MINUTE)
    assert _issue_keys(home) == ["other_account"]
    assert home.shown(*BATTERY).state == "72"
    home.car.identity = first
    await home.advance(5 * MINUTE)
    assert _issue_keys(home) == []


async def test_new_token_of_the_same_user(home: Home) -> None:
    """A new token of the same user creates no issue."""
    await _enter_new_token(home)
    await home.advance(2 * MINUTE)
    assert _issue_keys(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_user_id_of_a_shared_car_is_ignored(home: Home) -> None:
    """A shared car that reports its owner's user id does not make the token another user's."""
    shared = home.simulator.vehicles[1]
    shared.identity = replace(shared.identity, user_id=shared.identity.user_id + 1)
    await home.restart()
    await home.advance(5 * MINUTE)
    assert _issue_keys(home) == []


# Another car whose VIN is masked


@pytest.mark.parametrize("vin", ["5YJ3E1EA9XXXXXXXX", None])
async def test_masked_vin_does_not_end_the_issue(home: Home, vin: str | None) -> None:
    """Once the id is known to be another car's, an answer without a full VIN does not change that."""
    await _serve_other_car(home)
    live = full_record(home.car, Variant.CURRENT)
    home.simulator.faults.serve(
        "GET", f"/api/1/vehicles/{home.car.id}/vehicle_data", {"response": {**live, "vin": vin}}
    )
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.call("button", "press", "refresh")
    await home.coordinator.async_refresh()
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in _issue_keys(home)
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.call("lock", "unlock", LOCK[1])
    assert not home.requests("/command/")


async def test_other_car_is_not_read_on_request(home: Home) -> None:
    """A refresh and actions that read do not keep another car awake."""
    await _serve_other_car(home)
    for read in (home.call("button", "press", "refresh"), home.act("get_vehicle_data")):
        with pytest.raises(HomeAssistantError, match="another car"):
            await read
    assert not home.requests("/vehicle_data")
