/** The cars in Home Assistant, and the entities that cards are suggested for. `entities.js` has the others. */

import { DOMAIN } from "./words.js";

// Names of entities in the scripts, with their platforms and translation keys: these do not change with their ids,
// names, or the language. Of several keys, the first one counts whose entity exists.

/** The parts of the picture. */
export const PARTS = {
  driverDoor: "binary_sensor.vehicle_state_df",
  driverRearDoor: "binary_sensor.vehicle_state_dr",
  passengerDoor: "binary_sensor.vehicle_state_pf",
  passengerRearDoor: "binary_sensor.vehicle_state_pr",
  frunk: "cover.vehicle_state_ft",
  trunk: "cover.vehicle_state_rt",
  sunRoof: "cover.vehicle_state_sun_roof_percent_open",
  chargePort: "cover.charge_state_charge_port_door_open",
  lock: "lock.vehicle_state_locked",
};

/** The entities that the picture is suggested for. */
export const PICTURE = {
  ...PARTS,
  state: "sensor.state",
  battery: "sensor.charge_state_battery_level",
  power: "sensor.charge_state_charger_power",
  // The integration enables the range that the car's own display shows.
  range: [
    "sensor.charge_state_battery_range",
    "sensor.charge_state_ideal_battery_range",
    "sensor.charge_state_est_battery_range",
  ],
};

/** The entities that the card of the log is suggested for. */
export const LOG = {
  lastDrive: "sensor.log_last_drive_distance",
  lastCharge: "sensor.log_last_charge_energy",
  monthDistance: "sensor.log_month_distance",
};

/** @type {ShownBy} Return the ids of a device's entities by their names in `names`, without hidden entities */
export function shownBy(hass, device, names) {
  const ids = /** @type {Entities} */ ({});
  for (const entity of Object.values(hass.entities)) {
    if (entity.device_id === device?.id && entity.platform === DOMAIN && !entity.hidden) {
      ids[`${entity.entity_id.split(".")[0]}.${entity.translation_key}`] = entity.entity_id;
    }
  }
  const first = (/** @type {string | string[]} */ keys) => ids[[keys].flat().find((key) => ids[key]) ?? ""];
  return Object.fromEntries(Object.entries(names).map(([name, keys]) => [name, first(keys)]));
}

export const isOurs = (/** @type {Device=} */ device) =>
  !device?.disabled_by && device?.identifiers.some(([domain]) => domain === DOMAIN);

const isAccount = (/** @type {Device=} */ device) => device?.entry_type === "service";

/** A car's parent device is its account or none. A device below a car has the controls of its simulation. */
export const isCar = (/** @type {Hass} */ hass, /** @type {Device=} */ device) => {
  const parent = hass.devices[device?.via_device_id ?? ""];
  return isOurs(device) && !isAccount(device) && (!parent || isAccount(parent));
};
