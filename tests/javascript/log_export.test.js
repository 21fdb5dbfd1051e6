/** The form that downloads the log. */

import assert from "node:assert/strict";
import test from "node:test";

import { monthsBetween } from "../../custom_components/vehicle_remote_access/dashboard/www/log_export.js";

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
