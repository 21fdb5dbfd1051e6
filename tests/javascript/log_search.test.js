/** What the bar above the log says of a search. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import { unnamedPlaces } from "../../custom_components/vehicle_remote_access/dashboard/www/log_places.js";
import { foundText, searchText } from "../../custom_components/vehicle_remote_access/dashboard/www/log_search.js";
import { logTexts } from "../../custom_components/vehicle_remote_access/dashboard/www/log_texts.js";
import { createHass, spaced, words } from "./home.js";

const UNITS = { distance: "km", energy: "kWh", currency: "EUR" };
const context = { words, formats: new Formats(createHass()), units: UNITS };
const DRIVES = { drives: 23, distance: 612, energy: 97.3, driving_cost: 24.1, drives_without_cost: 0 };
const CHARGES = { charges: 2, energy_added: 40.25, cost: 12, other_costs: {}, charges_without_cost: 0 };
const NO_DRIVES = { drives: 0, distance: 0, energy: null, driving_cost: null, drives_without_cost: 0 };
const NO_CHARGES = { charges: 0, energy_added: 0, cost: null, other_costs: {}, charges_without_cost: 0 };

test("drives and charges that were found have a line each", () => {
  const shown = (found) => spaced(foundText(context, found));
  const drives = "drives_count 23 · 612 km · 97.3 kWh · €24.10";
  const charges = "charges_count 2 · 40.3 kWh · €12.00";
  assert.equal(shown({ ...DRIVES, ...NO_CHARGES }), drives);
  assert.equal(shown({ ...NO_DRIVES, ...CHARGES }), charges);
  assert.equal(shown({ ...DRIVES, ...CHARGES }), `${drives}\n${charges}`);
  assert.equal(shown({ ...NO_DRIVES, ...NO_CHARGES }), "nothing_found");
});

test("a cost that is not that of all says how many are missing", () => {
  const found = { ...DRIVES, ...CHARGES, drives_without_cost: 2, charges_without_cost: 1 };
  const [drives, charges] = foundText(context, found).split("\n");
  assert.match(drives, /€24\.10 · drives_without_cost 2$/);
  assert.match(charges, /€12\.00 · charge_without_cost$/);
  const unknown = { ...DRIVES, ...NO_CHARGES, energy: null, driving_cost: null, drives_without_cost: 23 };
  assert.equal(spaced(foundText(context, unknown)), "drives_count 23 · 612 km");
});

test("a cost of driving is an estimate if the price of some of the energy is unknown", () => {
  const found = (price_known) => spaced(foundText(context, { ...DRIVES, ...NO_CHARGES, price_known }));
  assert.match(found(99), / · ≈ €24\.10$/);
  for (const known of [100, null]) assert.match(found(known), / kWh · €24\.10$/);
});

test("the filters of a link are named", () => {
  assert.equal(searchText(context, { text: "home", kind: "drives" }), "");
  const search = { period: "2024-07", tag: "business", longer_than: 100, without_cost: true };
  assert.equal(
    spaced(searchText(context, search)),
    "July 2024 · tag_business · at_least 100 km · charges_without_a_cost",
  );
});

test("places with a position and without a name can be named", () => {
  const here = { latitude: 52.5, longitude: 13.4 };
  const drive = {
    ...{ kind: "drive", start_place: null, start_latitude: 52.5, start_longitude: 13.4 },
    ...{ end_place: null, end_latitude: 0, end_longitude: 0 },
  };
  assert.deepEqual(unnamedPlaces(words, drive), [
    { action: "name_start", ...here },
    { action: "name_end", latitude: 0, longitude: 0 },
  ]);
  assert.deepEqual(unnamedPlaces(words, { ...drive, start_place: "Home", end_latitude: undefined }), []);
  assert.deepEqual(unnamedPlaces(words, { kind: "charge", place: null, ...here }), [{ action: "name_place", ...here }]);
  assert.deepEqual(unnamedPlaces(words, { kind: "charge", place: "Work", ...here }), []);
});

test("a charge is elsewhere if its position is known and has no name", () => {
  const { place } = logTexts(context, UNITS);
  assert.equal(place({ place: null, latitude: 0 }), "elsewhere");
  assert.equal(place({ place: "Work", latitude: 0 }), "Work");
  assert.equal(place({ place: null }), false);
});
