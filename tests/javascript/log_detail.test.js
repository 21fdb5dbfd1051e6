/** What the details of a drive or a charge show. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import {
  curvesOf,
  facts,
  trackOf,
  withStartAndEnd,
} from "../../custom_components/vehicle_remote_access/dashboard/www/log_detail.js";
import { tagNames, tagOf, tagText } from "../../custom_components/vehicle_remote_access/dashboard/www/log_texts.js";
import { createHass, spaced, words } from "./home.js";

const hass = createHass();
const formats = new Formats(hass);
const UNITS = { distance: "km", energy: "kWh", speed: "km/h", power: "kW", price: "EUR/kWh", currency: "EUR" };
const context = { hass, words, formats, units: UNITS };
const NOTHING = {
  ...{ start_battery: null, end_battery: null, outside_temperature: null, max_speed: null },
  ...{ energy: null, cost: null, average_speed: null, energy_used: null, max_power: null },
};
const german = (key) => ({ tag_commute: "Arbeitsweg", tag_private: "Privat", tag_business: "Geschäftlich" })[key];

const curves = (entry, samples, more = {}) => curvesOf({ ...context, ...more }, entry, samples, UNITS);
const names = (found) => found.map(({ name, behind }) => (behind ? `${name} before ${behind.name}` : name)).join(", ");

test("facts are what is known of an entry", () => {
  assert.deepEqual(facts(context, NOTHING), []);
  const shown = (entry) => facts(context, { ...NOTHING, ...entry }).map((fact) => fact.map(spaced).join(": "));
  assert.deepEqual(shown({ start_battery: 0, end_battery: 80 }), ["battery: 0% → 80%"]);
  assert.deepEqual(shown({ start_battery: 80 }), []);
  assert.deepEqual(shown({ end_battery: 80 }), []);
  assert.deepEqual(shown({ energy: 8.24, max_speed: 131, outside_temperature: 0 }), [
    "energy_of_drive: 8.2 kWh",
    "outside: 0.0 °C",
    "highest_speed: 131 km/h",
  ]);
  assert.deepEqual(shown({ kind: "drive", cost: 2.4, currency: "EUR", average_speed: 54 }), [
    "cost: €2.40: cost_of_drive",
    "average_speed: 54 km/h",
  ]);
  const estimate = { kind: "drive", cost: 3.33, currency: "EUR", price_known: 58 };
  assert.deepEqual(shown(estimate), ["cost: ≈ €3.33: price_known 58%"]);
  assert.deepEqual(shown({ ...estimate, price_known: 100 }), ["cost: €3.33: cost_of_drive"]);
  assert.deepEqual(shown({ kind: "charge", cost: 2.4, currency: "EUR" }), []);
  const charge = (cost_at_once) => shown({ kind: "charge", cost: 2.4, cost_at_once, currency: "CHF" });
  assert.deepEqual(charge(4.1), ["cost_of_charging_at_once: CHF 4.10", "saved_by_charging_later: CHF 1.70"]);
  assert.deepEqual(charge(2.39), ["cost_of_charging_at_once: CHF 2.39", "dearer_by_charging_later: CHF 0.01"]);
  const billed = { kind: "charge", cost: 2.4, currency: "CHF", cost_source: "service" };
  assert.deepEqual(shown({ ...billed, fees: 5.5 }), ["cost: as_billed", "fees: CHF 5.50"]);
  assert.deepEqual(shown({ ...billed, fees: 0 }), ["cost: as_billed"]);
  for (const none of [2.4, null]) assert.deepEqual(charge(none), []);
  assert.deepEqual(shown({ energy_used: 41.2, max_power: 11 }), ["energy_used: 41.2 kWh", "highest_power: 11.0 kW"]);
});

test("a drive has curves of its speed, power and battery", () => {
  const [speed, power, battery] = curves({ kind: "drive" }, [{ speed: 29, power: 8.4, battery: 76 }, { speed: 31 }]);
  assert.deepEqual(
    [speed, power, battery].map(({ values }) => values),
    [
      [29, 31],
      [8.4, null],
      [76, null],
    ],
  );
  assert.deepEqual(
    [speed, power, battery].map(({ format, values }) => spaced(format(values[0]))),
    ["29 km/h", "8 kW", "76%"],
  );
});

test("a charge has curves of its power, battery, and cost with the price behind it", () => {
  const samples = [
    { power: 11, battery: 20, cost: 0, price: 0.31 },
    { power: 10.96, battery: 21, cost: 8.2, price: 0.31 },
  ];
  const found = curves({ kind: "charge", cost: 8.2 }, samples);
  assert.equal(names(found), "power, battery, cost before price");
  const [power, , cost] = found;
  assert.equal(spaced(power.format(10.96)), "11.0 kW");
  assert.equal(cost.format(8.2), "€8.20");
  assert.equal(cost.behind.format(0.31), "€0.31/kWh");
  const [, , foreign] = curves({ kind: "charge", cost: 8.2, currency: "CHF" }, samples);
  assert.deepEqual([foreign.format(8.2), foreign.behind.format(0.31)].map(spaced), ["CHF 8.20", "CHF 0.31/kWh"]);
});

test("a cost that differs from the samples has no curve, only the price", () => {
  const last = (entry, costs) =>
    curves(
      { kind: "charge", ...entry },
      costs.map((cost) => ({ cost })),
    ).at(-1).name;
  for (const [expected, entry, costs] of [
    ["cost", { cost: 9.0 }, [0, 8.2]],
    ["price", { cost: 9.1 }, [0, 8.2]],
    ["price", { cost: 3 }, [0, 8.2]],
    ["price", { cost: null }, [0, 8.2]],
    ["price", { cost: 8.2 }, [null, null]],
    ["price", { cost: 8.2 }, []],
    ["cost", { cost: 8.2 }, [0, 8.2, null]],
    // The owner was paid.
    ["cost", { cost: -8.2 }, [0, -8.2]],
    ["price", { cost: 8.2 }, [0, -8.2]],
    ["cost", { cost: 0 }, [0, 0]],
    ["price", { cost: null }, [0, 0]],
    ["cost", { cost: null, isOpen: true }, [0, 2]],
  ]) {
    assert.equal(last(entry, costs), expected, JSON.stringify([entry, costs]));
  }
});

test("a track goes from the start to the end, without unknown positions", () => {
  const drive = {
    ...{ start: "2026-11-23T07:00:00Z", start_latitude: 52.5, start_longitude: 13.4 },
    ...{ end: "2026-11-23T08:00:00Z", end_latitude: null, end_longitude: null },
  };
  const samples = [
    { at: "2026-11-23T07:10:00Z", latitude: 0, longitude: 0 },
    { at: "2026-11-23T07:20:00Z", latitude: 52.6 },
    { at: "2026-11-23T07:25:00Z", longitude: 13.4 },
    { at: "2026-11-23T07:30:00Z", latitude: 52.7, longitude: 13.5 },
  ];
  assert.deepEqual(trackOf(drive, samples), [
    { time: Date.UTC(2026, 10, 23, 7), position: [52.5, 13.4] },
    { time: Date.UTC(2026, 10, 23, 7, 10), position: [0, 0] },
    { time: Date.UTC(2026, 10, 23, 7, 30), position: [52.7, 13.5] },
  ]);
  assert.deepEqual(
    trackOf({ ...drive, end_latitude: 52.8, end_longitude: 13.6 }, []).map(({ position }) => position),
    [
      [52.5, 13.4],
      [52.8, 13.6],
    ],
  );
});

test("usual tags are in the user's language, and are stored in English", () => {
  assert.equal(tagText(german, "commute"), "Arbeitsweg");
  assert.equal(tagText(german, "Holiday"), "Holiday");
  assert.equal(tagText(german, null), null);
  for (const text of ["Arbeitsweg", "arbeitsweg"]) assert.equal(tagOf(german, text), "commute");
  assert.equal(tagOf(german, "Holiday"), "Holiday");
  assert.deepEqual(tagNames(german, ["Holiday", "private"]), ["Holiday", "Privat", "Geschäftlich", "Arbeitsweg"]);
});

test("a charge has its price per kWh", () => {
  const price = (entry) =>
    facts(context, { ...NOTHING, kind: "charge", ...entry }).map((fact) => fact.map(spaced).join(": "));
  assert.deepEqual(price({ cost: 8.4, energy_added: 20, currency: "EUR" }), ["cost_per_kwh: €0.42"]);
  assert.deepEqual(price({ cost: 8.4, energy_added: null }), []);
  assert.deepEqual(price({ cost: null, energy_added: 20 }), []);
});

test("the curve of the battery begins and ends with what the drive shows", () => {
  const samples = [{ at: "2026-11-30T07:05:00Z", battery: 79 }];
  const drive = { kind: "drive", start: "2026-11-30T07:00:00Z", end: "2026-11-30T07:30:00Z" };
  const levels = (entry, known) => withStartAndEnd(entry, known).map(({ battery }) => battery);
  assert.deepEqual(levels({ ...drive, start_battery: 80, end_battery: 71 }, samples), [80, 79, 71]);
  assert.deepEqual(withStartAndEnd({ ...drive, start_battery: 80, end_battery: 71 }, []), []);
  assert.deepEqual(withStartAndEnd({ ...drive, kind: "charge", start_battery: 20, end_battery: 80 }, samples), samples);
  const atStart = { at: drive.start, battery: 80, speed: 30 };
  assert.deepEqual(withStartAndEnd({ ...drive, start_battery: 80, end_battery: 71 }, [atStart, ...samples]), [
    ...[atStart, ...samples],
    { at: drive.end, battery: 71 },
  ]);
});
