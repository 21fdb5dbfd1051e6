"""Identity checks: the car's VIN and the token's user must stay the same."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from ..conftest import BATTERY, LOCK, MINUTE, READ, Home
from ..issues import issue_keys

OTHER_VIN = "5YJ3E1EA9LF000042"
DIFFERENT = "reports a different car"


async def _serve_other_car(home: Home) -> None:
    """Let the service answer with another car under the car's id, and wait for the next poll."""
    home.simulator.faults.corrupt("vin", OTHER_VIN)
    home.simulator.faults.corrupt("display_name", "Stranger")
    home.car.set_level(11)
    await home.advance(70)
    home.simulator.requests.clear()


@pytest.mark.parametrize("source", ["list", "record", "live reads", "no polling"])
async def test_other_car_is_not_shown(home: Home, source: str) -> None:
    """Another car under the same id changes no name or value, gets no command, and creates an issue."""
    home.car.sleep_after = 24 * 60 * MINUTE
    if source == "live reads":
        path = f"/api/1/vehicles/{home.car.id}"
        home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    if source in ("record", "live reads"):
        # The missing list is detected at the next start.
        home.simulator.switches.list = False
        await home.restart()
    if source == "no polling":
        home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    # After a while, the car is no longer read live.
    await home.advance(20 * MINUTE, step=20)
    name = home.device.name
    await _serve_other_car(home)
    assert home.device.name == name
    assert home.shown(*BATTERY).state == "72"
    assert home.shown(*LOCK).state == "locked"
    for call in (home.call("lock", "unlock", LOCK[1]), home.press("wake_up")):
        assert DIFFERENT in await home.error_of(call)
    assert home.car.body.locked
    assert not home.requests("/command/")
    assert not home.requests("/wake_up")
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in issue_keys(home)


async def test_other_car_under_the_same_id_is_not_kept_awake_by_live_reads(home: Home) -> None:
    # After a while, the car is no longer read live.
    await home.advance(20 * MINUTE, step=20)
    await _serve_other_car(home)
    record = home.act("get_vehicle_data", record="drive_state")
    for read in (home.press("refresh"), home.act("get_vehicle_data"), record):
        assert DIFFERENT in await home.error_of(read)
    await home.advance(60 * MINUTE, step=20)
    assert not home.requests("_data")
    assert home.shown(*BATTERY).state == "unavailable"


async def test_command_fails_if_the_answer_to_the_wake_up_is_another_cars(home: Home) -> None:
    await home.let_car_sleep()
    home.simulator.faults.corrupt("vin", OTHER_VIN)
    home.simulator.faults.serve("GET", "/api/1/vehicles", {"response": []})
    assert DIFFERENT in await home.error_of(home.call("lock", "unlock", LOCK[1]))
    assert not home.requests("/command/")


@pytest.mark.parametrize("vin", ["5YJSA1E4XXXXXXXXX", "5YJ**************", "a text", 7, None])
async def test_masked_or_invalid_vin_does_not_mean_another_car(home: Home, vin: Any) -> None:
    home.simulator.faults.corrupt("vin", vin)
    home.car.set_level(33)
    await home.poll()
    assert home.shown(*BATTERY).state == "33"
    assert issue_keys(home) == []


@pytest.mark.parametrize("vin", ["5YJ3E1EA9XXXXXXXX", None])
async def test_returned_car_works_again_once_an_answer_has_its_full_vin(home: Home, vin: str | None) -> None:
    await _serve_other_car(home)
    path, live = f"/api/1/vehicles/{home.car.id}/vehicle_data", full_record(home.car)
    home.simulator.faults.serve("GET", path, {"response": {**live, "vin": vin}})
    assert DIFFERENT in await home.error_of(home.press("refresh"))
    await home.coordinator.async_refresh()
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in issue_keys(home)
    assert DIFFERENT in await home.error_of(home.call("lock", "unlock", LOCK[1]))
    assert not home.requests("/command/")
    home.simulator.faults.clear()
    await home.advance(2 * MINUTE)
    await home.poll()
    assert home.shown(*BATTERY).state == "11"
    await home.call("lock", "unlock", LOCK[1])
    assert not home.car.body.locked
    assert issue_keys(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_car_with_a_new_id_is_found_by_its_vin_even_if_another_car_has_its_old_id(home: Home) -> None:
    first, second = home.simulator.vehicles
    ids = first.id, second.id
    second.identity, first.identity = replace(second.identity, id=ids[0]), replace(first.identity, id=ids[1])
    await home.advance(5 * MINUTE)
    await home.call("lock", "unlock", LOCK[1])
    assert not first.body.locked
    assert second.body.locked
    assert issue_keys(home) == []


async def test_new_id_of_a_car_is_not_shown(home: Home) -> None:
    home.car.identity = replace(home.car.identity, id=home.car.id + 1)
    await home.advance(5 * MINUTE)
    home.simulator.faults.answer(400, body={"error": f"no car {home.car.id}"}, only=READ)
    error = await home.error_of(home.press("refresh"))
    assert "no car" in error
    assert str(home.car.id) not in error


@pytest.mark.parametrize("is_other_user", [False, True])
async def test_token_of_another_user_is_an_issue_while_it_is_used(home: Home, *, is_other_user: bool) -> None:
    first = home.car.identity
    home.car.identity = replace(first, user_id=first.user_id + is_other_user)
    home.simulator.token = "a-new-token"
    data = {**home.entry.data, "access_token": "a-new-token"}
    home.hass.config_entries.async_update_entry(home.entry, data=data)
    await home.idle()
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == (["other_account"] if is_other_user else [])
    assert home.shown(*BATTERY).state == "72"
    home.car.identity = first
    await home.advance(5 * MINUTE)
    assert issue_keys(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_user_id_of_a_shared_cars_owner_is_not_another_user_of_the_token(home: Home) -> None:
    shared = home.simulator.vehicles[1]
    shared.identity = replace(shared.identity, user_id=shared.identity.user_id + 1)
    await home.restart()
    await home.advance(5 * MINUTE)
    assert issue_keys(home) == []
