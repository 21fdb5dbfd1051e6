/** A car and its entities. */

import { LOG, PICTURE, isCar, shownBy } from "./cars.js";

/** The tires, as the warning about their pressure names them. Without a sensor, the warning itself stands for a tire. */
export const TIRES = {
  front_left: ["sensor.vehicle_state_tpms_pressure_fl", "binary_sensor.vehicle_state_tpms_soft_warning_fl_any"],
  front_right: ["sensor.vehicle_state_tpms_pressure_fr", "binary_sensor.vehicle_state_tpms_soft_warning_fl_any"],
  rear_left: ["sensor.vehicle_state_tpms_pressure_rl", "binary_sensor.vehicle_state_tpms_soft_warning_fl_any"],
  rear_right: ["sensor.vehicle_state_tpms_pressure_rr", "binary_sensor.vehicle_state_tpms_soft_warning_fl_any"],
};

/** All entities. Services without a control have a sensor with the same value. */
const ENTITIES = {
  ...PICTURE,
  ...LOG,
  ...TIRES,

  lastData: "sensor.charge_state_timestamp",
  location: "device_tracker.drive_state",
  driving: "binary_sensor.drive_state_shift_state",
  speed: "sensor.drive_state_speed",
  odometer: "sensor.vehicle_state_odometer",
  destination: "sensor.drive_state_active_route_destination",
  arrival: "sensor.drive_state_active_route_minutes_to_arrival",
  batteryAtArrival: "sensor.drive_state_active_route_energy_at_arrival",

  chargingState: "sensor.charge_state_charging_state",
  charging: "binary_sensor.charge_state_charging_state",
  plug: "binary_sensor.charge_state_conn_charge_cable",
  chargingEnds: "sensor.charge_state_time_to_full_charge",
  energyAdded: "sensor.charge_state_charge_energy_added",
  energyTotal: "sensor.charge_state_charge_energy_added_lifetime",
  scheduledStart: "sensor.charge_state_scheduled_charging_start_time",
  scheduledPending: "binary_sensor.charge_state_scheduled_charging_pending",
  charge: "switch.charge_state_charging_state",
  limit: "number.charge_state_charge_limit_soc",
  current: "number.charge_state_charge_current_request",
  chargingPlan: "switch.charging_plan",
  readyBy: "time.charging_plan_ready_by",
  plan: "sensor.charging_plan_start",

  climate: "climate.climate_state",
  inside: "sensor.climate_state_inside_temp",
  outside: "sensor.climate_state_outside_temp",
  keeper: "sensor.climate_state_climate_keeper_mode",
  preconditioning: "binary_sensor.climate_state_is_preconditioning",
  frontDefroster: "binary_sensor.climate_state_is_front_defroster_on",
  rearDefroster: "binary_sensor.climate_state_is_rear_defroster_on",
  defrost: "switch.climate_state_defrost_mode",
  wheelHeater: ["switch.climate_state_steering_wheel_heater", "binary_sensor.climate_state_steering_wheel_heater"],
  leftSeat: ["select.climate_state_seat_heater_left", "sensor.climate_state_seat_heater_left"],
  rightSeat: ["select.climate_state_seat_heater_right", "sensor.climate_state_seat_heater_right"],
  leftCooling: "select.climate_state_seat_fan_front_left",
  rightCooling: "select.climate_state_seat_fan_front_right",

  leftUnlocked: "binary_sensor.vehicle_state_locked_left",
  windowsLeftOpen: "binary_sensor.vehicle_state_fd_window_left",
  windows: "cover.windows",
  driverWindow: "binary_sensor.vehicle_state_fd_window",
  driverRearWindow: "binary_sensor.vehicle_state_rd_window",
  passengerWindow: "binary_sensor.vehicle_state_fp_window",
  passengerRearWindow: "binary_sensor.vehicle_state_rp_window",
  tirePressureLow: "binary_sensor.vehicle_state_tpms_soft_warning_fl_any",

  wakeUp: "button.wake_up",
  refresh: "button.refresh",
  flash: "button.flash_lights",
  honk: "button.honk_horn",
  homelink: "button.trigger_homelink",
  remoteStart: "button.remote_start_drive",
  valet: "switch.vehicle_state_valet_mode",
  sentry: ["switch.vehicle_state_sentry_mode", "binary_sensor.vehicle_state_sentry_mode"],
  media: "media_player.vehicle_state_media_info",
  userPresent: "binary_sensor.vehicle_state_is_user_present",
  inService: "binary_sensor.in_service",
  software: "update.vehicle_state_software_update",
  color: "sensor.vehicle_config_exterior_color",

  standbyLoss: "sensor.log_standby_loss",
  health: "sensor.log_battery_health",
};

/** Entities of the device of the account. */
const OF_ACCOUNT = { service: "binary_sensor.service_reachable" };

/** A car and its entities. */
export class Car {
  constructor(/** @type {Hass} */ hass, /** @type {Device} */ device) {
    this.id = device.id;
    this.name = device.name_by_user || device.name || "";
    const own = shownBy(hass, device, ENTITIES);
    this.entities = { ...own, ...shownBy(hass, hass.devices[device.via_device_id ?? ""], OF_ACCOUNT) };
    /** Whether none of its own entities is visible. */
    this.isEmpty = !Object.values(own).some(Boolean);
  }
}

/** Return the car with this device id, or undefined. */
export const getCar = (/** @type {Hass} */ hass, /** @type {string=} */ id = "") =>
  isCar(hass, hass.devices[id]) ? new Car(hass, hass.devices[id]) : undefined;
