/** The ticks of the axes of charts. */

import assert from "node:assert/strict";
import test from "node:test";

import { ticks } from "../../custom_components/vehicle_remote_access/dashboard/www/line_chart.js";

/** The ticks with the digits that they need. */
function shown(values, smallest) {
  const { numbers, digits } = ticks(values, smallest);
  return numbers.map((number) => number.toFixed(digits)).join(" ");
}

test("ticks are round numbers around the values", () => {
  for (const [expected, ...values] of [
    ["0 5 10", 0, 10],
    ["0 50 100 150", 104, 3],
    ["60 65 70 75", 61, 72],
    ["-5 0 5 10", -3, 7],
    ["-250 -200 -150 -100", -240, -101],
    ["0.00 0.02 0.04 0.06", 0, 0.05],
    ["0.3 0.4 0.5", 0.3, 0.5],
  ]) {
    assert.equal(shown(values), expected);
  }
});

test("equal values are between two ticks", () => {
  for (const [expected, ...values] of [
    ["4 6", 5, 5],
    ["-6 -4", -5],
    ["0.0 0.5", 0, 0],
    ["50 100", 80],
  ]) {
    assert.equal(shown(values), expected);
  }
});

test("ticks have a least distance", () => {
  assert.equal(shown([70, 71]), "70.0 70.5 71.0");
  assert.equal(shown([70, 71], 1), "70 71");
  assert.equal(shown([0, 100], 1), "0 50 100");
});
