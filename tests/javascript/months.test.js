/** The texts and the charts of months. */

import assert from "node:assert/strict";
import test from "node:test";

import { barsPath } from "../../custom_components/vehicle_remote_access/dashboard/www/bars.js";
import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import { Scale } from "../../custom_components/vehicle_remote_access/dashboard/www/line_chart.js";
import { logTexts } from "../../custom_components/vehicle_remote_access/dashboard/www/log_texts.js";
import {
  changeOf,
  monthBefore,
  monthValues,
} from "../../custom_components/vehicle_remote_access/dashboard/www/month_texts.js";
import { createHass, spaced } from "./home.js";

const UNITS = { distance: "km", energy: "kWh", consumption: "kWh/100 km", currency: "EUR" };
const words = (key, values) => [key, ...Object.values(values ?? {})].join("|");
const context = { words, formats: new Formats(createHass()) };

test("months before another one can be in an earlier year", () => {
  assert.deepEqual(
    [0, 1, 10, 11, 12, 23].map((count) => monthBefore("2026-11", count)),
    ["2026-11", "2026-10", "2026-01", "2025-12", "2025-11", "2024-12"],
  );
});

test("a change names the time and the value before", () => {
  const change = (period, value, before, name = "cost", until = undefined) => {
    const { format, short = format } = monthValues(context, UNITS)[name];
    const values = { period, [name]: value, before: before && { [name]: before, until } };
    return spaced(changeOf(context, values, name, short))
      ?.split("|")
      .slice(1);
  };
  assert.deepEqual(change("2027-10", 92, 100, "distance"), ["−8%", "Oct 2026", "100 km"]);
  assert.deepEqual(change("2027", 22, 20, "consumption"), ["+10%", "2026", "20.0"]);
  assert.deepEqual(change("2028-02", 2, 2, "cost", "2027-02-28"), ["0%", "Feb 1 – 28, 2027", "€2.00"]);
  assert.deepEqual(change("2028", 2, 1, "cost", "2027-02-28"), ["+100%", "Jan 1 – Feb 28, 2027", "€1.00"]);
  // Costs below zero have no percentage of each other.
  assert.deepEqual(change("2027-10", 5, -1), ["+€6.00", "Oct 2026", "-€1.00"]);
  assert.deepEqual(change("2027-10", -2, 4), ["−€6.00", "Oct 2026", "€4.00"]);
  for (const [value, before] of [
    [null, 2],
    [2, null],
    [2, 0],
  ]) {
    assert.equal(change("2027-10", value, before), undefined);
  }
});

test("bars begin at zero, and what is unknown has none", () => {
  const path = (...values) => {
    const bars = values.map((value, index) => ({ from: index / 2, to: (index + 0.9) / 2, value }));
    return barsPath(bars, new Scale({ values, isFromZero: true }));
  };
  assert.equal(path(10, null), "M0.0 1000.0V0.0H450.0V1000.0z");
  assert.equal(path(-5, 5), "M0.0 500.0V1000.0H450.0V500.0zM500.0 500.0V0.0H950.0V500.0z");
  assert.equal(path(null, null), "");
});

test("the cost of driving in a month says if it is an estimate", () => {
  const { driving_cost: cost, cost_per_kwh: perUnit, cost: charging } = monthValues(context, UNITS);
  const month = { price_known: 58, driving_cost: 3.33 };
  assert.equal(spaced(cost.format(3.33, month)), "≈ €3.33");
  assert.equal(cost.format(3.33, { price_known: 100 }), "€3.33");
  assert.equal(cost.format(null, month), undefined);
  for (const { format } of [charging, perUnit]) assert.equal(format(3.33, month), "€3.33");
  const { drivesWithoutCost } = logTexts(context, UNITS);
  assert.equal(drivesWithoutCost({ driving_cost: 3.33, drives_without_cost: 2 }), "drives_without_cost|2");
  assert.equal(drivesWithoutCost({ driving_cost: null, drives_without_cost: 2 }), false);
});

test("charges without a cost are counted", () => {
  const { withoutCost } = logTexts(context, UNITS);
  const texts = [0, 1, 4].map((charges_without_cost) => withoutCost({ charges_without_cost }));
  assert.deepEqual(texts, [false, "charge_without_cost", "charges_without_cost|4"]);
});

test("what charging later saved has a name, also if it cost more", () => {
  const { later } = logTexts(context, UNITS);
  assert.deepEqual(later(7.5), [{ name: "saved_by_charging_later", amount: "€7.50" }]);
  assert.deepEqual(
    later(-0.01, "CHF").map(({ name, amount }) => [name, spaced(amount)]),
    [["dearer_by_charging_later", "CHF 0.01"]],
  );
  for (const none of [0, null]) assert.deepEqual(later(none), []);
});
