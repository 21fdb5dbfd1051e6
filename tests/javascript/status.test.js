/** What a car does, in words, from the states of its entities. */

import assert from "node:assert/strict";
import test from "node:test";

import { Status } from "../../custom_components/vehicle_remote_access/dashboard/www/status.js";
import { createHass, createState, setTime, setTimeZone, spaced, words } from "./home.js";

setTimeZone("Europe/Berlin");

/** A Wednesday, 20:00 in Berlin. */
const NOW = "2026-11-25T19:00:00Z";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ago = (duration) => new Date(Date.parse(NOW) - duration).toISOString();

/** The status of a car with these states of entities. All have been known for days. */
function createStatus(states, { language = "en", ...locale } = {}) {
  const all = { battery: "72", ...states };
  const known = Object.entries(all).filter(([, state]) => state !== undefined);
  const entities = Object.fromEntries(known.map(([name]) => [name, `entity.${name}`]));
  const hass = createHass({
    language,
    locale: { time_format: "24", ...locale },
    states: Object.fromEntries(
      known.map(([name, state]) => [entities[name], typeof state === "string" ? createState(state) : state]),
    ),
  });
  return new Status(hass, words, { name: "Comet", entities });
}

const parked = { state: "online", driving: "off", charging: "off" };
const driving = { ...parked, driving: "on" };
const charging = { ...parked, charging: "on" };
const asleep = (since) => ({ ...parked, state: createState("asleep", {}, since) });

test("the headline says what the car does", (t) => {
  setTime(t, NOW);
  for (const [headline, states] of [
    ["asleep_since 19:30", asleep(ago(HOUR / 2))],
    ["the state offline", { ...parked, state: "offline" }],
    ["the state unavailable", { ...parked, state: "unavailable" }],
    ["the state unknown", { ...parked, state: "unknown" }],
    ["waking", { ...parked, state: createState("asleep", { waking: true }) }],
    ["in_service", { ...driving, inService: "on" }],
    ["installing", { ...charging, software: createState("on", { in_progress: true }) }],
    ["driving · the state 105", { ...driving, speed: "105", charging: "on" }],
    ["driving", { ...driving, speed: "0" }],
    ["driving", { ...driving, speed: "unknown" }],
    ["driving", driving],
    ["charging_until 21:00", { ...charging, chargingEnds: ago(-HOUR) }],
    ["charging_until Thu 20:00", { ...charging, chargingEnds: ago(-DAY) }],
    ["charging", { ...charging, chargingEnds: ago(MINUTE) }],
    ["charging", { ...charging, chargingEnds: "unknown" }],
    ["charging", charging],
    ["parked_at_home", { ...parked, location: "home", software: createState("on", { in_progress: false }) }],
    ["parked_at Work", { ...parked, location: "Work" }],
    ["parked", { ...parked, location: "not_home" }],
    ["parked", { ...parked, location: "unknown" }],
    ["parked", { ...parked, location: "unavailable", inService: "off" }],
    ["parked", parked],
    ["parked", { ...parked, state: undefined }],
    ["the state online", { ...parked, driving: "unknown" }],
    ["the state online", { state: "online" }],
    ["", {}],
  ]) {
    assert.equal(spaced(createStatus(states).headline), headline, JSON.stringify(states));
  }
});

test("the command that is being done has a name, unless the headline says all", () => {
  const command = (attributes) => createStatus({ state: createState("asleep", attributes) }).command;
  const key = "component.vehicle_remote_access.entity.sensor.last_command.state";
  assert.equal(command({ command: "door_lock", waking: true }), `${key}.door_lock…`);
  assert.equal(command({ command: "wake_up", waking: true }), "");
  assert.equal(command({ command: "wake_up", waking: false }), `${key}.wake_up…`);
  for (const nothing of [command({ command: null }), command({}), createStatus({}).command]) assert.ok(!nothing);
});

test("a command that failed is news for five minutes", (t) => {
  setTime(t, NOW);
  const failure = (at) =>
    createStatus({
      state: createState("online", {
        failure: at && { command: "door_lock", reason: "rate_limited", placeholders: { minutes: "5" }, at },
      }),
    }).failure;
  const { command, reason, values } = failure(ago(5 * MINUTE - 1));
  assert.deepEqual([command.split(".").at(-1), reason, values], ["door_lock", "rate_limited", { minutes: "5" }]);
  for (const at of [ago(5 * MINUTE), null]) assert.equal(failure(at), undefined);
  assert.equal(createStatus({}).failure, undefined);
});

test("the route says where and when the car arrives, and with which battery level", (t) => {
  setTime(t, NOW);
  const route = { ...driving, destination: "Work", arrival: ago(-HOUR / 2), batteryAtArrival: "54" };
  for (const [text, states] of [
    ["the state Work · 20:30 · the state 54", route],
    ["the state Work", { ...route, arrival: "unknown", batteryAtArrival: "unknown" }],
    ["the state 54", { ...route, destination: undefined, arrival: ago(MINUTE) }],
    ["", driving],
    ["", { ...route, driving: "off" }],
    ["", { ...route, state: "offline" }],
  ]) {
    assert.equal(createStatus(states).route, text, JSON.stringify(states));
  }
});

test("tires are marked while the warning about their pressure is on", () => {
  const low = (state, attributes) => createStatus({ tirePressureLow: createState(state, attributes) }).lowTires;
  assert.deepEqual(low("on", { tires: ["front_left", "rear_right"] }), ["front_left", "rear_right"]);
  assert.deepEqual(low("on", {}), []);
  assert.deepEqual(low("off", { tires: [] }), []);
  assert.deepEqual(low("unavailable", { tires: ["front_left"] }), []);
  assert.deepEqual(createStatus({}).lowTires, []);
});

test("warnings name what was left unlocked or open", () => {
  const named = (state, friendly_name) => createState(state, { friendly_name });
  const left = { ...parked, userPresent: "off" };
  const trunk = named("open", "Trunk");
  const port = named("open", "Port");
  for (const [warnings, states] of [
    [["is_open Trunk"], { ...left, trunk }],
    [["is_open Trunk"], { ...left, trunk, state: "asleep" }],
    [["is_open Door", "is_open Trunk"], { ...left, trunk, driverDoor: named("on", "Door") }],
    [["Unlocked", "is_open Trunk"], { ...left, trunk, leftUnlocked: named("on", "Unlocked") }],
    [["is_open Port"], { ...left, chargePort: port, plug: "off" }],
    [["Windows"], { ...left, windowsLeftOpen: named("on", "Windows") }],
    [["Tires"], { ...driving, tirePressureLow: named("on", "Tires") }],
    [[], { ...left, chargePort: port, plug: "on" }],
    [[], { ...left, chargePort: port }],
    [[], { ...left, trunk: named("closed", "Trunk"), lock: "unlocked" }],
    [[], { ...left, trunk, userPresent: "on" }],
    [[], { ...left, trunk, userPresent: "unknown" }],
    [[], { ...parked, trunk }],
    [[], { ...left, trunk, driving: "on" }],
    [[], { ...left, trunk, driving: "unknown" }],
    [[], { ...left, trunk, state: "offline" }],
  ]) {
    assert.deepEqual(createStatus(states).warnings, warnings, JSON.stringify(states));
  }
});

test("how long the car has been asleep is unknown after a restart", (t) => {
  setTime(t, NOW);
  const since = ago(HOUR);
  const headline = (other) => createStatus({ ...asleep(since), battery: createState("72", {}, other) }).headline;
  assert.equal(headline(ago(HOUR - 4999)), "the state asleep");
  assert.equal(headline(ago(HOUR + 4999)), "the state asleep");
  assert.equal(headline(ago(HOUR + 5000)), "asleep_since 19:00");
});

test("a time that is not today has its day", (t) => {
  setTime(t, NOW);
  const headline = (since, locale) => spaced(createStatus(asleep(since), locale).headline);
  assert.equal(headline("2026-11-24T23:00:00Z"), "asleep_since 00:00");
  assert.equal(headline("2026-11-24T22:59:00Z"), "asleep_since Tue 23:59");
  assert.equal(headline("2026-11-19T19:01:00Z"), "asleep_since Thu 20:01");
  assert.equal(headline("2026-11-19T19:00:00Z"), "asleep_since Nov 19, 20:00");
  assert.equal(headline("2026-11-24T23:00:00Z", { time_zone: "server" }), "asleep_since Tue 18:00");
  assert.equal(headline("2026-11-25T05:00:00Z", { time_zone: "server" }), "asleep_since 00:00");
  assert.equal(headline("2026-11-25T12:05:00Z", { time_format: "12" }), "asleep_since 1:05 PM");
  assert.equal(headline("2026-11-25T12:05:00Z", { language: "he" }), "asleep_since \u206813:05\u2069");
});

test("the age of data that is not current", (t) => {
  setTime(t, NOW);
  for (const [age, duration] of [
    [undefined, -MINUTE],
    [undefined, 15 * MINUTE - 1],
    ["as_of 15 minutes ago", 15 * MINUTE],
    ["as_of 59 minutes ago", HOUR - 1],
    ["as_of 1 hour ago", 2 * HOUR - 1],
    ["as_of 23 hours ago", DAY - 1],
    // This is the day before yesterday.
    ["as_of 1 day ago", 2 * DAY - 1],
    ["as_of 2 days ago", 2 * DAY],
  ]) {
    assert.equal(createStatus({ ...parked, lastData: ago(duration) }).age, age);
  }
  assert.equal(createStatus({ ...parked, lastData: ago(HOUR) }, { language: "de" }).age, "as_of vor 1 Stunde");
});

test("the age counts from the last answer, if it is known", (t) => {
  setTime(t, NOW);
  const answered = { ...parked, state: createState("online", { data_updated: ago(MINUTE) }) };
  assert.equal(createStatus({ ...answered, lastData: ago(HOUR) }).age, undefined);
  assert.equal(createStatus({ ...parked, lastData: "unknown" }).age, undefined);
  assert.equal(createStatus(parked).age, undefined);
  assert.equal(createStatus({ ...parked, state: undefined, lastData: ago(HOUR) }).age, "as_of 1 hour ago");
  // After a restart while the service is down, it is unknown whether the car sleeps.
  assert.equal(createStatus({ ...parked, state: "unknown", lastData: ago(HOUR) }).age, "as_of 1 hour ago");
  for (const state of ["asleep", "offline", "unavailable"]) {
    assert.equal(createStatus({ ...parked, state, lastData: ago(HOUR) }).age, undefined, state);
  }
});

test("the small line says where the car sleeps or was last, what heats it, and what the plan does", (t) => {
  setTime(t, NOW);
  const next = (states) => spaced(createStatus({ ...parked, ...states }).next);
  assert.equal(next({}), "");
  assert.equal(next({ state: "asleep", location: "home" }), "parked_at_home");
  assert.equal(next({ state: "asleep", location: "unknown" }), "");
  assert.equal(next({ state: "offline", location: "home" }), "parked_at_home");
  assert.equal(next({ state: "offline", location: "home", driving: "on" }), "");
  const climate = createState("heat", { hvac_action: "heating" });
  assert.equal(next({ climate, inside: "12" }), "the hvac_action heating · the state 12");
  assert.equal(next({ climate, inside: "12", state: "asleep", location: "unknown" }), "");
  const plan = createState(ago(-5 * HOUR), { friendly_name: "Start" });
  assert.equal(next({ plan, state: "asleep", location: "home" }), "parked_at_home · Start: Thu 01:00");
  assert.equal(next({ plan, charging: "on" }), "");
  assert.equal(next({ plan: createState("unknown", { reason: "manual" }) }), "the reason manual");
  assert.equal(next({ plan: createState(ago(HOUR), { friendly_name: "Start" }) }), "");
});

test("a notice says that no commands are sent, and from when old data is", (t) => {
  setTime(t, NOW);
  const old = (state) => ({ state: createState(state, { data_updated: ago(DAY) }) });
  assert.equal(spaced(createStatus(old("asleep")).notice), "data_from Tue 20:00");
  assert.equal(createStatus({ state: "asleep" }).notice, "");
  const readOnly = (state) => createStatus({ state: createState(state, { read_only: true, data_updated: ago(DAY) }) });
  assert.equal(readOnly("online").notice, "read_only");
  assert.equal(spaced(readOnly("offline").notice), "read_only out_of_reach data_from Tue 20:00");
});

test("while the service fails, the status says why and since when", (t) => {
  setTime(t, NOW);
  assert.equal(createStatus(parked).outage, undefined);
  assert.equal(createStatus({ service: createState("on") }).outage, undefined);
  const failing = { reason: "rate_limited", placeholders: { minutes: "5" }, since: ago(HOUR) };
  const { since, ...failure } = createStatus({ service: createState("off", failing) }).outage;
  assert.deepEqual(failure, { reason: "rate_limited", values: { minutes: "5" } });
  assert.match(since, /^since /);
});

test("without data, the card says why, also while the service fails", () => {
  const failing = createState("off", { reason: "rate_limited", placeholders: {}, since: ago(HOUR) });
  const { explanation: reason } = createStatus({ service: failing, state: "unavailable", battery: "unavailable" });
  assert.equal(reason, "no_current_data Comet");
  for (const [explanation, state] of [
    ["asleep_without_data Comet", "asleep"],
    ["offline_without_data Comet", "offline"],
    ["no_current_data Comet", "unavailable"],
    ["no_data_yet Comet", "online"],
    ["no_data_yet Comet", undefined],
  ]) {
    for (const battery of ["unknown", "unavailable"]) {
      const status = createStatus({ state, battery, lock: battery });
      assert.deepEqual([status.hasData, status.explanation], [false, explanation]);
    }
  }
});

test("one known value is data, and so are cars whose main entities are all disabled", () => {
  const unknown = { state: "asleep", battery: "unknown" };
  assert.equal(createStatus({ ...unknown, odometer: "12345" }).explanation, undefined);
  assert.equal(createStatus({ ...unknown, battery: undefined }).explanation, undefined);
  assert.equal(createStatus(unknown).hasData, false);
});

test("a state without a number is no number", () => {
  const status = createStatus({ speed: "65.5", odometer: "unknown" });
  assert.equal(status.number("speed"), 65.5);
  assert.equal(status.number("odometer"), undefined);
  assert.equal(status.number("power"), undefined);
});
