/** The controls of a simulated car. */

import { isOurs, shownBy } from "./cars.js";

/** The controls of a simulated car. */
const CONTROLS = {
  cable: "select.simulation_cable",
  drive: "number.simulation_drive",
  startDriving: "button.simulation_start_drive",
  park: "button.simulation_park",
  level: "number.simulation_battery_level",
  routine: "switch.simulation_routine",
  person: "switch.simulation_user_present",
  walkAway: "button.simulation_walk_away",
  fallAsleep: "button.simulation_fall_asleep",
  driverDoor: "switch.simulation_df",
  driverRearDoor: "switch.simulation_dr",
  passengerDoor: "switch.simulation_pf",
  passengerRearDoor: "switch.simulation_pr",
  frunk: "switch.simulation_ft",
  trunk: "switch.simulation_rt",
  coverage: "switch.simulation_coverage",
  supply: "switch.simulation_power_supply",
};

/** The controls of the simulator. */
const SERVICE = { speed: "number.simulation_speed" };

/** Return the device id of a car's simulation, and the entities that control it and the simulator. */
export function getSimulation(/** @type {Hass} */ hass, /** @type {Car} */ { id }) {
  const device = Object.values(hass.devices).find((each) => each.via_device_id === id && isOurs(each));
  const simulator = hass.devices[hass.devices[id].via_device_id ?? ""];
  return {
    id: device?.id,
    controls: shownBy(hass, device, CONTROLS),
    service: shownBy(hass, simulator, SERVICE),
  };
}
