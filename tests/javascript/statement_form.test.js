/** The form for statements. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import { periodText } from "../../custom_components/vehicle_remote_access/dashboard/www/log_texts.js";
import { quartersOf } from "../../custom_components/vehicle_remote_access/dashboard/www/statement_form.js";
import { createHass, words } from "./home.js";

test("the quarters of months", () => {
  assert.deepEqual(quartersOf(["2026-04", "2026-03", "2026-01", "2025-12"]), ["2026-Q2", "2026-Q1", "2025-Q4"]);
  assert.deepEqual(quartersOf([]), []);
});

test("the name of a period", () => {
  const formats = new Formats(createHass());
  const names = ["2026", "2026-Q4", "2026-11"].map((period) => periodText(words, formats, period));
  assert.deepEqual(names, ["2026", "quarter 4 2026", "November 2026"]);
});
