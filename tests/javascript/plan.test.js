/** What the charging plan says, and its bars. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import {
  isReasonShown,
  planBars,
  planNotes,
  planSentence,
  powerSamples,
} from "../../custom_components/vehicle_remote_access/dashboard/www/plan_texts.js";
import { createHass, setTimeZone, spaced, words } from "./home.js";

setTimeZone("Europe/Berlin");

/** A time of a night in Berlin. */
const at = (time) => `2026-11-${time > "12" ? 25 : 26}T${time}:00+01:00`;
const slot = (start, end, price = null) => ({ start: at(start), end: at(end), price });
const NIGHT = [slot("01:00", "02:00", 0.1), slot("02:00", "04:30", 0.12)];
const EVENING = Date.parse(at("20:00"));
const PLAN = { ready_by: at("07:00"), is_reachable: true, missing: 0, cost: 2.1, slots: NIGHT };

function sentence(plan, locale = {}) {
  const formats = new Formats(createHass({ locale: { time_format: "24", ...locale } }));
  const english = Object.assign((...args) => words(...args), { language: "en" });
  return spaced(planSentence({ words: english, formats }, { ...PLAN, ...plan }, "EUR", EVENING));
}

test("the sentence says when the car charges, and what that costs if it is known", () => {
  assert.equal(sentence({}), "plan_charges_for 01:00–04:30 Thu 07:00 €2.10");
  assert.equal(sentence({ cost: 0 }), "plan_charges_for 01:00–04:30 Thu 07:00 €0.00");
  assert.equal(sentence({ cost: null }), "plan_charges 01:00–04:30 Thu 07:00");
  const slots = [slot("22:00", "23:00"), ...NIGHT];
  assert.equal(sentence({ slots, cost: null }), "plan_charges 22:00–23:00 and 01:00–04:30 Thu 07:00");
  const later = [slot("22:00", "23:00"), { start: "2026-11-26T22:00:00+01:00", end: "2026-11-26T23:00:00+01:00" }];
  assert.equal(sentence({ slots: later, cost: null }), "plan_charges 22:00–23:00 and Thu 22:00–23:00 Thu 07:00");
});

test("its times are in the time zone of the user", () => {
  assert.match(sentence({}, { time_zone: "server" }), / 19:00–22:30 Thu 01:00 /);
});

test("the sentence says how much is missing if there is not enough time", () => {
  assert.equal(sentence({ is_reachable: false, missing: 5.25 }), "plan_missing 01:00–04:30 Thu 07:00 5.3 kWh");
});

test("on the day itself, the sentence does not name it", () => {
  const ready = at("23:00");
  assert.equal(sentence({ ready_by: ready, cost: null }), "plan_charges 01:00–04:30 23:00");
});

test("there is no sentence if the car does not charge, or if it is unknown for how long", () => {
  assert.equal(sentence({ slots: [] }), "");
  assert.equal(sentence({ is_reachable: null }), "");
  assert.equal(sentence({ slots: undefined }), "");
});

test("the sentence says when a car would charge that is not plugged in", () => {
  assert.equal(sentence({ slots: [], if_plugged_in: NIGHT, is_reachable: null }), "plan_if_plugged_in 01:00–04:30");
});

test("with enough surplus power, the sentence says that it is likely", () => {
  assert.equal(sentence({ reason: "surplus", slots: [] }), "plan_surplus Thu 07:00");
});

test("notes say what the charge has cost, what came from the surplus, and when the car itself charges", () => {
  const formats = new Formats(createHass({ locale: { time_format: "24" } }));
  const notes = (plan) => planNotes({ words, formats }, plan, "EUR", EVENING).map(spaced);
  assert.deepEqual(notes({ charged: 10, from_surplus: 0 }), ["", "", ""]);
  assert.deepEqual(notes({ cost_so_far: 1.1 }), ["cost_so_far €1.10", "", ""]);
  assert.deepEqual(notes({ car_schedule: at("23:00") }), ["", "", ""]);
  assert.deepEqual(notes({ charged: 10, from_surplus: 7.5, car_schedule: at("23:00"), slots: NIGHT }), [
    "",
    "plan_from_surplus 10.0 kWh 7.5 kWh",
    "plan_car_schedule 23:00",
  ]);
});

test("the surplus is what would be exported without the car", () => {
  const means = (...values) => values.map((mean, index) => ({ start: index, mean }));
  const statistics = { grid: means(-4, -1, 2), power: means(0, 3.5) };
  const imported = powerSamples(statistics, "power", { surplus_entity: "grid", surplus_is_imported: true });
  assert.deepEqual(imported, { times: [0, 1, 2], power: [0, 3.5, 0], surplus: [4, 4.5, 0] });
  const exported = powerSamples(statistics, "power", { surplus_entity: "grid" });
  assert.deepEqual(exported.surplus, [0, 2.5, 2]);
  assert.deepEqual(powerSamples({}, "power", {}).times, []);
});

test("a reason is shown unless it contradicts what the car does", () => {
  const shown = (charging) =>
    ["cheapest", "latest", "low_level", "too_late", "speed_unknown", "some_unknown", "cheap_hours", "off", "manual"]
      .filter((reason) => isReasonShown({ reason }, charging))
      .join(" ");
  // "So it charges as late as possible" is not said while it charges, nor "so it charges now" while it does not.
  assert.equal(shown("on"), "low_level too_late speed_unknown some_unknown cheap_hours off manual");
  assert.equal(shown("off"), "latest some_unknown cheap_hours off manual");
  assert.equal(shown("unknown"), "latest low_level too_late speed_unknown some_unknown cheap_hours off manual");
});

test("bars have the price of each time from now on, and are divided where a charge starts or ends", () => {
  const prices = [slot("22:00", "00:00", 0.3), slot("00:00", "02:00", 0.1), slot("02:00", "07:00", 0.12)];
  const shown = planBars({ prices: [...prices, slot("07:00", "08:00")], slots: NIGHT }, Date.parse(at("00:00")));
  const hour = (time) => (time - Date.parse(at("00:00"))) / 3_600_000;
  assert.deepEqual(
    shown.map(({ start, end, price, charges }) => [hour(start), hour(end), price, charges]),
    [
      [0, 1, 0.1, false],
      [1, 2, 0.1, true],
      [2, 4.5, 0.12, true],
      [4.5, 7, 0.12, false],
      [7, 8, null, false],
    ],
  );
  assert.deepEqual(planBars({}, 0), []);
});
