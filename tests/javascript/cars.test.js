/** The cars in Home Assistant, and their entities. */

import assert from "node:assert/strict";
import test from "node:test";

import { createDashboard, getCars } from "../../custom_components/vehicle_remote_access/dashboard/www/dashboard.js";
import { getCar } from "../../custom_components/vehicle_remote_access/dashboard/www/entities.js";
import { getSimulation } from "../../custom_components/vehicle_remote_access/dashboard/www/simulation.js";
import { createHass } from "./home.js";

const DOMAIN = "vehicle_remote_access";

const device = (id, more) => ({ id, name: id, identifiers: [[DOMAIN, id]], ...more });
const entity = (entity_id, translation_key, device_id, more) => ({
  ...{ entity_id, translation_key, device_id, platform: DOMAIN },
  ...more,
});

/** Home Assistant with these devices and entities. */
const createHome = (devices, entities = []) =>
  createHass({
    devices: Object.fromEntries(devices.map((each) => [each.id, each])),
    entities: Object.fromEntries(entities.map((each) => [each.entity_id, each])),
  });

const account = device("account", { entry_type: "service" });
const car = device("car", { name: "Comet", via_device_id: "account" });

/** The entities of the car that are known. */
const known = ({ entities }) => Object.fromEntries(Object.entries(entities).filter(([, id]) => id));

test("entities are found by their platform and translation key, whatever their ids and names are", () => {
  const { id, name, entities } = getCar(
    createHome(
      [account, car],
      [
        entity("sensor.akku", "charge_state_battery_level", "car", { name: "Akku" }),
        entity("switch.laden", "charge_state_charging_state", "car"),
        entity("binary_sensor.ladend", "charge_state_charging_state", "car"),
        entity("sensor.comet_battery", "something_new", "car"),
      ],
    ),
    "car",
  );
  assert.deepEqual([id, name], ["car", "Comet"]);
  assert.deepEqual(known({ entities }), {
    battery: "sensor.akku",
    charge: "switch.laden",
    charging: "binary_sensor.ladend",
  });
});

test("hidden entities and those of others are left out", () => {
  const battery = "charge_state_battery_level";
  for (const other of [
    entity("sensor.hidden", battery, "car", { hidden: true }),
    entity("sensor.other_car", battery, "other"),
    entity("sensor.other_integration", battery, "car", { platform: "template" }),
    entity("number.other_platform", battery, "car"),
  ]) {
    const found = getCar(createHome([account, car], [other]), "car");
    assert.deepEqual([known(found), found.isEmpty], [{}, true], other.entity_id);
  }
});

test("a car has one range: the one that is enabled first", () => {
  const ranges = ["battery_range", "ideal_battery_range", "est_battery_range"].map((name) =>
    entity(`sensor.${name}`, `charge_state_${name}`, "car"),
  );
  for (const index of [0, 1, 2]) {
    const found = getCar(createHome([account, car], ranges.slice(index)), "car");
    assert.equal(found.entities.range, ranges[index].entity_id);
    assert.equal(found.isEmpty, false);
  }
});

test("a control takes the place of the sensor with the same value", () => {
  const seat = "climate_state_seat_heater_left";
  const [control, sensor] = ["select", "sensor"].map((platform) => entity(`${platform}.seat`, seat, "car"));
  const found = (...entities) => getCar(createHome([account, car], entities), "car").entities.leftSeat;
  assert.equal(found(sensor, control), "select.seat");
  assert.equal(found(sensor), "sensor.seat");
});

test("without the sensor of its pressure, a tire has the warning", () => {
  const [warning, pressure] = [
    entity("binary_sensor.low", "vehicle_state_tpms_soft_warning_fl_any", "car"),
    entity("sensor.pressure", "vehicle_state_tpms_pressure_rr", "car"),
  ];
  const { entities } = getCar(createHome([account, car], [warning, pressure]), "car");
  assert.deepEqual([entities.front_left, entities.rear_right], ["binary_sensor.low", "sensor.pressure"]);
});

test("a simulated car has the controls of its simulation", () => {
  const simulation = device("simulation", { via_device_id: "car" });
  const home = createHome(
    [account, car, simulation],
    [entity("select.cable", "simulation_cable", "simulation"), entity("button.park", "simulation_park", "car")],
  );
  const { id, controls } = getSimulation(home, car);
  assert.deepEqual([id, controls.cable], ["simulation", "select.cable"]);
  assert.ok(getCar(home, "car").isEmpty);
  assert.equal(controls.park, undefined);
  assert.equal(getSimulation(createHome([account, car]), car).id, undefined);
});

test("only cars are cars", () => {
  const home = createHome([
    account,
    car,
    device("without account"),
    device("lost", { via_device_id: "removed" }),
    device("simulation", { via_device_id: "car" }),
    device("disabled", { via_device_id: "account", disabled_by: "user" }),
    device("other", { identifiers: [["hue", "1"]] }),
  ]);
  assert.deepEqual(
    getCars(home).map(({ id }) => id),
    ["car", "lost", "without account"],
  );
  for (const id of ["account", "simulation", "disabled", "other", "removed"]) {
    assert.equal(getCar(home, id), undefined, id);
  }
});

/** Return the views of the dashboard of these cars. The last one is added while the texts are loaded. */
async function createViews(cars, vehicles) {
  const page = {};
  Object.assign(globalThis, { document: { querySelector: () => page }, location: { pathname: "/cars/1-log" } });
  const loadBackendTranslation = async () => {
    page.hass = createHome(cars);
    return () => "";
  };
  page.hass = { ...createHome(cars.slice(0, -1)), loadBackendTranslation };
  return (await createDashboard(page.hass, { vehicles })).views;
}

test("several cars have a view of all before their own", async () => {
  const cars = ["1", "2"].map((id) => device(id));
  const paths = async (vehicles) =>
    (await createViews(cars, vehicles)).filter(({ subview }) => !subview).map(({ path }) => path);
  assert.deepEqual(await paths(), ["all", "1", "2"]);
  assert.deepEqual(await paths(["2"]), ["2"]);
});

test("each page of a car's log has its own title, and Back leads to the car", async () => {
  const pages = (await createViews([device("1", { name: "Comet" })])).filter(({ subview }) => subview);
  assert.deepEqual(
    pages.map(({ title }) => title),
    ["Comet · Log", "Comet · Months", "Comet · Map", "Comet · Battery"],
  );
  assert.deepEqual([...new Set(pages.map(({ back_path }) => back_path))], ["/cars/1"]);
});

test("cars are sorted by the names that users gave them", () => {
  const home = createHome([
    device("1", { name: "Zoe" }),
    device("2", { name: "Zoe", name_by_user: "Ärger" }),
    device("3", { name: "berta" }),
    device("4", { name: null }),
  ]);
  assert.deepEqual(
    getCars(home).map(({ name }) => name),
    ["", "Ärger", "berta", "Zoe"],
  );
  assert.deepEqual(
    getCars(home, ["1", "3", "removed"]).map(({ id }) => id),
    ["3", "1"],
  );
});
