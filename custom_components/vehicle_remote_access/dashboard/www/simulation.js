/** The simulation of a car. */

import { isOurs, shownBy } from "./cars.js";

/** The controls that the page of a car has. The device of its simulation has more. */
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
  trunk: "switch.simulation_rt",
};

/** Return the device id of a car's simulation, and the entities that control it. */
export function getSimulation(/** @type {Hass} */ hass, /** @type {Car} */ { id }) {
  const device = Object.values(hass.devices).find((each) => each.via_device_id === id && isOurs(each));
  return { id: device?.id, controls: shownBy(hass, device, CONTROLS) };
}
