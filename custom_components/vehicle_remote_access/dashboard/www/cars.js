/** The cars in Home Assistant, and their entities. */

import { DOMAIN } from "./words.js";

/** The platforms and translation keys of entities, which do not change with their ids, names, or the language. */
const ENTITIES = {
  state: "sensor.state",
  lastData: "sensor.charge_state_timestamp",
  location: "device_tracker.drive_state",
  driving: "binary_sensor.drive_state_shift_state",
  speed: "sensor.drive_state_speed",
  odometer: "sensor.vehicle_state_odometer",

  battery: "sensor.charge_state_battery_level",
  ratedRange: "sensor.charge_state_battery_range",
  idealRange: "sensor.charge_state_ideal_battery_range",
  estimatedRange: "sensor.charge_state_est_battery_range",
  chargingState: "sensor.charge_state_charging_state",
  charging: "binary_sensor.charge_state_charging_state",
  plug: "binary_sensor.charge_state_conn_charge_cable",
  power: "sensor.charge_state_charger_power",
  chargingEnds: "sensor.charge_state_time_to_full_charge",
  energyAdded: "sensor.charge_state_charge_energy_added",
  energyTotal: "sensor.charge_state_charge_energy_added_lifetime",
  scheduledStart: "sensor.charge_state_scheduled_charging_start_time",
  scheduledPending: "binary_sensor.charge_state_scheduled_charging_pending",
  charge: "switch.charge_state_charging_state",
  limit: "number.charge_state_charge_limit_soc",

  climate: "climate.climate_state",
  inside: "sensor.climate_state_inside_temp",
  outside: "sensor.climate_state_outside_temp",
  keeper: "sensor.climate_state_climate_keeper_mode",
  preconditioning: "binary_sensor.climate_state_is_preconditioning",
  frontDefroster: "binary_sensor.climate_state_is_front_defroster_on",
  rearDefroster: "binary_sensor.climate_state_is_rear_defroster_on",
  wheelHeater: "binary_sensor.climate_state_steering_wheel_heater",
  leftSeat: "sensor.climate_state_seat_heater_left",
  rightSeat: "sensor.climate_state_seat_heater_right",

  lock: "lock.vehicle_state_locked",
  leftUnlocked: "binary_sensor.vehicle_state_locked_left",
  driverDoor: "binary_sensor.vehicle_state_df",
  driverRearDoor: "binary_sensor.vehicle_state_dr",
  passengerDoor: "binary_sensor.vehicle_state_pf",
  passengerRearDoor: "binary_sensor.vehicle_state_pr",
  frunk: "cover.vehicle_state_ft",
  trunk: "cover.vehicle_state_rt",
  chargePort: "cover.charge_state_charge_port_door_open",
  sunRoof: "cover.vehicle_state_sun_roof_percent_open",

  wakeUp: "button.wake_up",
  refresh: "button.refresh",
  flash: "button.flash_lights",
  honk: "button.honk_horn",
  valet: "switch.vehicle_state_valet_mode",
  sentry: "binary_sensor.vehicle_state_sentry_mode",
  userPresent: "binary_sensor.vehicle_state_is_user_present",
  inService: "binary_sensor.in_service",
  software: "update.vehicle_state_software_update",
  pollingMode: "sensor.polling_mode",
  color: "sensor.vehicle_config_exterior_color",

  lastDrive: "sensor.log_last_drive_distance",
  lastCharge: "sensor.log_last_charge_energy",
  monthDistance: "sensor.log_month_distance",
  standbyLoss: "sensor.log_standby_loss",
  health: "sensor.log_battery_health",
};

/** The entities that are parts of the picture. */
export const PARTS = [
  ...["driverDoor", "driverRearDoor", "passengerDoor", "passengerRearDoor", "frunk", "trunk", "sunRoof"],
  ...["chargePort", "lock"],
];

/** @type {ShownBy} Return the ids of a device's entities by their names in `names`, without hidden entities */
export function shownBy(hass, device, names) {
  const ids = /** @type {Entities} */ ({});
  for (const entity of Object.values(hass.entities)) {
    if (entity.device_id === device?.id && entity.platform === DOMAIN && !entity.hidden) {
      ids[`${entity.entity_id.split(".")[0]}.${entity.translation_key}`] = entity.entity_id;
    }
  }
  return Object.fromEntries(Object.entries(names).map(([name, key]) => [name, ids[key]]));
}

export const isOurs = (/** @type {Device=} */ device) =>
  !device?.disabled_by && device?.identifiers.some(([domain]) => domain === DOMAIN);

const isAccount = (/** @type {Device=} */ device) => device?.entry_type === "service";

/** A car's parent device is its account or none. A device below a car has the controls of its simulation. */
export const isCar = (/** @type {Hass} */ hass, /** @type {Device=} */ device) => {
  const parent = hass.devices[device?.via_device_id ?? ""];
  return isOurs(device) && !isAccount(device) && (!parent || isAccount(parent));
};

/** A car and its entities. */
export class Car {
  constructor(/** @type {Hass} */ hass, /** @type {Device} */ device) {
    this.id = device.id;
    this.name = device.name_by_user || device.name || "";
    this.entities = shownBy(hass, device, ENTITIES);
    // The integration enables the range that the car's own display shows.
    this.entities.range = this.entities.ratedRange ?? this.entities.idealRange ?? this.entities.estimatedRange;
  }

  /** Whether none of its entities is visible. */
  get isEmpty() {
    return !Object.values(this.entities).some(Boolean);
  }
}

/** Return the car with this device id, or undefined. */
export const getCar = (/** @type {Hass} */ hass, /** @type {string=} */ id = "") =>
  isCar(hass, hass.devices[id]) ? new Car(hass, hass.devices[id]) : undefined;
