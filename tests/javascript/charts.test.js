/** The charts of long-term statistics. */

import assert from "node:assert/strict";
import test from "node:test";

import { loadBatteryCharts, loadCharts } from "../../custom_components/vehicle_remote_access/dashboard/www/charts.js";
import { createHass, setTime, words } from "./home.js";

const ENTITIES = { battery: "sensor.battery", energyTotal: "sensor.energy", odometer: "sensor.odometer" };
const DAYS = [{ mean: 1 }, { mean: 2 }];

/** Home Assistant that answers each command like this. */
const createHome = (answer, components = ["recorder"]) => createHass({ config: { components }, callWS: answer });

const titles = (cards) => cards.map(({ title }) => title);

test("a car has charts as soon as one of its entities has statistics of two days", async () => {
  const load = (statistics) =>
    loadCharts(
      createHome(async () => statistics),
      words,
      { entities: ENTITIES },
    );
  assert.deepEqual(titles(await load({ "sensor.battery": DAYS.slice(1), "sensor.energy": DAYS })), [
    "battery_chart",
    "energy_chart",
    "distance_chart",
    "distance_chart",
  ]);
  assert.deepEqual(titles(await load({ "sensor.battery": DAYS.slice(1) })), ["no_charts"]);
  assert.deepEqual(titles(await load({})), ["no_charts"]);
});

test("statistics of the last week are asked for", async (t) => {
  setTime(t, "2026-11-23T12:00:00Z");
  const messages = [];
  const home = createHome(async (message) => {
    messages.push(message);
    return {};
  });
  await loadCharts(home, words, { entities: { battery: "sensor.battery" } });
  const [{ start_time, statistic_ids }] = messages;
  assert.deepEqual([start_time, statistic_ids], ["2026-11-16T12:00:00.000Z", ["sensor.battery"]]);
});

test("charts appear later if the recorder fails", async () => {
  const failing = createHome(() => Promise.reject(new Error("not ready")));
  assert.deepEqual(titles(await loadCharts(failing, words, { entities: ENTITIES })), ["no_charts"]);
});

test("without the recorder or entities, nothing is asked and shown", async () => {
  const never = () => assert.fail("asked");
  assert.deepEqual(await loadCharts(createHome(never, []), words, { entities: ENTITIES }), []);
  assert.deepEqual(await loadCharts(createHome(never), words, { entities: {} }), []);
});

test("the last chart is as wide as the others if only two are in a row", async () => {
  const [, , beside, below] = await loadCharts(
    createHome(async () => ({ any: DAYS })),
    words,
    { entities: ENTITIES },
  );
  assert.deepEqual([beside.grid_options.columns, below.grid_options.columns], [12, "full"]);
  assert.ok(beside.visibility[0].min > below.visibility[0].max);
  assert.deepEqual(beside.entities, ["sensor.odometer"]);
});

test("each chart of the battery appears when it has statistics of more than a month", async () => {
  const months = Array.from({ length: 31 }, () => ({ mean: 1 }));
  const entities = { health: "sensor.health", standbyLoss: "sensor.loss" };
  const load = (answer) => loadBatteryCharts(createHome(answer), words, { entities });
  assert.deepEqual(titles(await load(async () => ({ any: months }))), ["battery_health", "standby_loss"]);
  const onlyLoss = async ({ statistic_ids: [id] }) => ({ [id]: id === "sensor.loss" ? months : months.slice(1) });
  assert.deepEqual(titles(await load(onlyLoss)), ["standby_loss"]);
  assert.deepEqual(await load(() => Promise.reject(new Error("not ready"))), []);
  assert.deepEqual(
    await loadBatteryCharts(
      createHome(() => assert.fail("asked")),
      words,
      { entities: {} },
    ),
    [],
  );
});
