/** The strategies that every page defines. */

import assert from "node:assert/strict";
import test from "node:test";

import { createHass, settled } from "./home.js";

const elements = new Map();
const page = { hass: createHass() };
Object.assign(globalThis, {
  HTMLElement: class {},
  customElements: {
    get: (name) => elements.get(name),
    define: (name, element) => elements.set(name, element),
    whenDefined: async () => undefined,
  },
  document: { querySelector: () => page },
  location: { pathname: "/", search: "" },
  window: {},
  addEventListener: () => undefined,
});
await import("../../custom_components/vehicle_remote_access/dashboard/www/main.js");
const View = elements.get("ll-strategy-view-vehicle-remote-access");

test("an older view does not replace a newer one", async () => {
  const platform = "vehicle_remote_access";
  const car = { id: "car", name: "Comet", identifiers: [[platform, "car"]] };
  const health = { entity_id: "sensor.health", device_id: "car", platform, translation_key: "log_battery_health" };
  const answers = [];
  const hass = {
    ...page.hass,
    devices: { car },
    entities: { [health.entity_id]: health },
    callWS: () => new Promise((resolve) => answers.push(resolve)),
  };
  const generate = (now) => View.generate({ device_id: "car", page: "battery" }, now);
  const older = generate(hass);
  await settled();
  const newer = generate({ ...hass, devices: {} });
  assert.equal((await newer).cards[0].title, "No such car");
  assert.equal(answers.length, 1);
  answers[0]({});
  assert.equal(await older, await newer);
  assert.notEqual(await generate({ ...hass, entities: {} }), await newer);
});

test("a view is generated again when its entities or their texts have changed, or its car is read-only", async () => {
  const { hass } = page;
  assert.equal(View.shouldRegenerate({}, hass, { ...hass, states: {} }), false);
  for (const changed of ["formatEntityAttributeName", "entities", "devices"]) {
    assert.equal(View.shouldRegenerate({}, hass, { ...hass, [changed]: {} }), true, changed);
  }
  const platform = "vehicle_remote_access";
  const devices = { car: { id: "car", name: "Comet", identifiers: [[platform, "car"]] } };
  const entity = { entity_id: "sensor.state", device_id: "car", platform, translation_key: "state" };
  await View.generate({ device_id: "car", page: "log" }, { ...hass, devices, entities: { "sensor.state": entity } });
  const states = { "sensor.state": { attributes: { read_only: true } } };
  assert.equal(View.shouldRegenerate({}, hass, { ...hass, states }), true);
  assert.equal(View.shouldRegenerate({}, { ...hass, states }, { ...hass, states: { ...states } }), false);
});
