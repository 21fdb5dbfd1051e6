/** The periods of a log that a user can choose. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import { periodText } from "../../custom_components/vehicle_remote_access/dashboard/www/log_texts.js";
import { monthsBetween, quartersOf } from "../../custom_components/vehicle_remote_access/dashboard/www/periods.js";
import { createHass, words } from "./home.js";

test("the months of the log, newest first", () => {
  for (const [first, last, ...months] of [
    ["2026-11-03", "2026-11-28", "2026-11"],
    ["2025-11", "2026-02", "2026-02", "2026-01", "2025-12", "2025-11"],
    ["2026-09", "2026-10", "2026-10", "2026-09"],
  ]) {
    assert.deepEqual(monthsBetween(first, last), months);
  }
  assert.equal(monthsBetween("2020-01", "2026-12").length, 84);
});

test("the quarters of months", () => {
  assert.deepEqual(quartersOf(["2026-04", "2026-03", "2026-01", "2025-12"]), ["2026-Q2", "2026-Q1", "2025-Q4"]);
  assert.deepEqual(quartersOf([]), []);
});

test("the name of a period", () => {
  const formats = new Formats(createHass());
  const names = ["2026", "2026-Q4", "2026-11"].map((period) => periodText(words, formats, period));
  assert.deepEqual(names, ["2026", "quarter 4 2026", "November 2026"]);
});
