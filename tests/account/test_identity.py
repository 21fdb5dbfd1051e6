"""The answering car is the one that was added, and the token belongs to the same user as before."""

from dataclasses import replace
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator.http.answers import Variant, full

from ..conftest import Home

MINUTE: Final = 60.0
LOCK: Final = ("lock", "vehicle_state.locked")
BATTERY: Final = ("sensor", "charge_state.battery_level")


def _repairs(home: Home) -> list[str | None]:
    issues = ir.async_get(home.hass).issues.values()
    return [issue.translation_key for issue in issues if issue.domain == DOMAIN]


async def _give_id_away(home: Home) -> None:
    """Let the service answer with another car under the car's id, and Home Assistant notice."""
    home.simulator.switches.other_car = True
    home.car.set_level(11)
    await home.advance(70)
    home.simulator.requests.clear()


async def _without_list(home: Home) -> None:
    """Let the service list no cars, as seen at the next start."""
    home.simulator.switches.list = False
    await home.restart()
    await home.advance(5 * MINUTE)


async def _without_records(home: Home) -> None:
    """Let the service tell nothing of a car but its live data, as seen at the next start."""
    path = f"/api/1/vehicles/{home.car.id}"
    home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    await _without_list(home)
    await _quiet(home)


async def _without_polling(home: Home) -> None:
    """Switch polling off, and let time pass."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.advance(20 * MINUTE, step=60)


async def _quiet(home: Home) -> None:
    """Let time pass in which the car is not read live."""
    await home.advance(20 * MINUTE, step=20)


SERVICES: Final = {
    "list": _quiet,
    "record": _without_list,
    "live reads": _without_records,
    "no polling": _without_polling,
}


@pytest.mark.parametrize("service", SERVICES)
async def test_other_car_is_not_shown(hass_storage: dict[str, Any], home: Home, service: str) -> None:
    """Another car under the same id renames nothing, shows nothing, takes no command, and is reported."""
    home.car.sleep_after = 24 * 60 * MINUTE
    await SERVICES[service](home)
    name = home.device.name
    await _give_id_away(home)
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
    assert "other_vehicle" in _repairs(home)


async def test_other_car_is_not_kept_awake(home: Home) -> None:
    """Another car under the same id is not read live while the service's own record can tell."""
    await _quiet(home)
    await _give_id_away(home)
    await home.advance(60 * MINUTE, step=20)
    assert not home.requests("/vehicle_data")
    assert home.shown(*BATTERY).state == "unavailable"


async def test_car_that_is_back(home: Home) -> None:
    """Once the service answers with the right car again, it is shown, takes commands, and the repair ends."""
    await _give_id_away(home)
    home.simulator.switches.other_car = False
    await home.advance(2 * MINUTE)
    assert home.shown(*BATTERY).state == "11"
    await home.call("lock", "unlock", LOCK[1])
    assert not home.car.body.locked
    assert _repairs(home) == []


async def test_other_car_wakes_up(home: Home) -> None:
    """A command stops when the answer to the wake-up shows that it is another car."""
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.switches.other_car = True
    home.simulator.faults.serve("GET", "/api/1/vehicles", {"response": []})
    (ended,) = await home.while_time_passes(home.call("lock", "unlock", LOCK[1]))
    assert "another car" in str(ended)
    assert not home.requests("/command/")


@pytest.mark.parametrize("action", [{"record": "drive_state"}, {}], ids=["record", "everything"])
async def test_actions_do_not_read_another_car(home: Home, action: dict[str, str]) -> None:
    """An action that reads the car does not return the data of another one."""
    await _give_id_away(home)
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.act("get_vehicle_data", **action)


@pytest.mark.parametrize("vin", ["5YJSA1E4XXXXXXXXX", "5YJ**************", "a text", 7, None])
async def test_masked_vin_is_no_other_car(home: Home, vin: Any) -> None:
    """A VIN that is masked or broken says nothing about which car it is."""
    home.simulator.faults.corrupt("vin", vin)
    home.car.set_level(33)
    await home.poll()
    assert home.shown(*BATTERY).state == "33"
    assert _repairs(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_new_id_of_the_same_car(home: Home) -> None:
    """A car that got a new id is found by its VIN, although its old id is another car's."""
    first, second = home.simulator.vehicles
    first.identity, second.identity = (
        replace(first.identity, id=second.id),
        replace(second.identity, id=first.id),
    )
    await home.advance(5 * MINUTE)
    await home.call("lock", "unlock", LOCK[1])
    assert not first.body.locked
    assert second.body.locked
    assert _repairs(home) == []


# The user


async def _new_token(home: Home) -> None:
    """Enter a new token, as in reauthentication."""
    home.simulator.token = "a-new-token"
    data = {**home.entry.data, "access_token": "a-new-token"}
    home.hass.config_entries.async_update_entry(home.entry, data=data)
    await home.idle()


async def test_token_of_another_user(home: Home) -> None:
    """A token of another user with the same cars is reported, until a token of the first user is entered."""
    first = home.car.identity
    home.car.identity = replace(first, user_id=first.user_id + 1)
    await _new_token(home)
    await home.advance(2 * MINUTE)
    assert _repairs(home) == ["other_account"]
    assert home.shown(*BATTERY).state == "72"
    home.car.identity = first
    await home.advance(5 * MINUTE)
    assert _repairs(home) == []


async def test_new_token_of_the_same_user(home: Home) -> None:
    """A new token of the same user is no reason for a repair."""
    await _new_token(home)
    await home.advance(2 * MINUTE)
    assert _repairs(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_shared_car_names_its_owner(home: Home) -> None:
    """A car that is shared with the account, and names its owner, does not make the token another user's."""
    shared = home.simulator.vehicles[1]
    shared.identity = replace(shared.identity, user_id=shared.identity.user_id + 1)
    await home.restart()
    await home.advance(5 * MINUTE)
    assert _repairs(home) == []


# Another car whose VIN is masked


@pytest.mark.parametrize("vin", ["5YJ3E1EA9XXXXXXXX", None])
async def test_masked_vin_does_not_end_the_alarm(home: Home, vin: str | None) -> None:
    """Once the id is known to be another car's, an answer without a VIN does not make it ours again."""
    await _give_id_away(home)
    live = full(home.car, Variant.CURRENT)
    home.simulator.faults.serve(
        "GET", f"/api/1/vehicles/{home.car.id}/vehicle_data", {"response": {**live, "vin": vin}}
    )
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.call("button", "press", "refresh")
    await home.coordinator.async_refresh()
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in _repairs(home)
    with pytest.raises(HomeAssistantError, match="another car"):
        await home.call("lock", "unlock", LOCK[1])
    assert not home.requests("/command/")


async def test_other_car_is_not_read_on_request(home: Home) -> None:
    """Refresh, and actions that read, do not keep another car awake."""
    await _give_id_away(home)
    for read in (home.call("button", "press", "refresh"), home.act("get_vehicle_data")):
        with pytest.raises(HomeAssistantError, match="another car"):
            await read
    assert not home.requests("/vehicle_data")
