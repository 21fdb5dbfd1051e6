/** The paths of pages. */

import assert from "node:assert/strict";
import test from "node:test";

import { pagePath, searchOf } from "../../custom_components/vehicle_remote_access/dashboard/www/navigation.js";

const CAR = { id: "c0ffee" };

test("a link into the log contains its search", () => {
  for (const [search, path] of [
    [{}, "c0ffee-log"],
    [{ text: "", tag: undefined, without_cost: false }, "c0ffee-log"],
    [{ period: "2024-07", tag: "business" }, "c0ffee-log?period=2024-07&tag=business"],
    [{ kind: "charges", without_cost: true }, "c0ffee-log?kind=charges&without_cost"],
    [{ text: "Äpfel & Bar", longer_than: 100 }, "c0ffee-log?text=%C3%84pfel%20%26%20Bar&longer_than=100"],
  ]) {
    assert.equal(pagePath(CAR, "log", search), path);
  }
});

test("the log finds the search in its address", () => {
  for (const search of [
    {},
    { text: "Café & Bar", kind: "drives", period: "2024", tag: "A=B", longer_than: 0.5 },
    { period: "2024-07", without_cost: true },
    { period: "2024-07-31" },
  ]) {
    assert.deepEqual(searchOf(new URL(pagePath(CAR, "log", search), "http://home").search), search);
  }
});

test("what is not valid in an address is not searched for", () => {
  for (const query of [
    "kind=stays",
    "period=2024-13",
    "period=2024-07-00",
    "period=2024-07-32",
    "period=now",
    "longer_than=far",
    "longer_than=-1",
    "text=+",
    "edit=1",
  ]) {
    assert.deepEqual(searchOf(`?${query}`), {}, query);
  }
});
