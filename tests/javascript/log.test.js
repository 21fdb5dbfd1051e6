/** The order of the days and the entries on the page with the log. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import { shownEntries } from "../../custom_components/vehicle_remote_access/dashboard/www/log.js";
import { createHass } from "./home.js";

const HOUR = 3_600_000;
const ZONES = ["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe"];

/** The days of the entries in a time zone, and the entries of each as `kind hour`. */
function daysOf(open, page, timeZone = "Europe/Berlin") {
  const formats = new Formats(createHass({ locale: { time_zone: "server" }, config: { time_zone: timeZone } }));
  const dayOf = ({ start }) => formats.local(Date.parse(start)).day;
  const days = new Map();
  for (const entry of shownEntries(open, page, dayOf)) {
    const day = dayOf(entry);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return days;
}

const entry = (kind, start, end, more = {}) => ({ kind, id: `${kind} ${start}`, start, end, ...more });
const on = (day, time) => `2026-11-${day}T${time}:00+01:00`;
const idsOf = (days) => [...days].map(([day, entries]) => [day, ...entries.map(({ kind }) => kind)]);

const STAY = entry("stay", on(27, "18:00"), on(29, "09:00"));
const NIGHT = [
  entry("charge", on(28, "01:30"), on(28, "05:00")),
  entry("drive", on(27, "17:30"), on(27, "18:00")),
  entry("drive", on(26, "08:00"), on(26, "08:30")),
];

test("a charge after midnight is above the day before, on which the car was parked until now", () => {
  const days = daysOf([STAY], { entries: NIGHT, next: null });
  assert.deepEqual(idsOf(days), [
    ["2026-11-28", "charge"],
    ["2026-11-27", "stay", "drive"],
    ["2026-11-26", "drive"],
  ]);
  assert.deepEqual(
    [...days.values()].flat().map(({ isOpen }) => isOpen),
    [undefined, true, undefined, undefined],
  );
});

test("a charge that began before midnight is on the day on which it began", () => {
  const charge = entry("charge", on(27, "23:30"), on(28, "05:00"));
  const days = daysOf([charge, STAY], { entries: NIGHT.slice(1), next: null });
  assert.deepEqual(idsOf(days), [
    ["2026-11-27", "charge", "stay", "drive"],
    ["2026-11-26", "drive"],
  ]);
});

test("a day is shown as soon as it is loaded as a whole", () => {
  const page = (count) => ({ entries: NIGHT.slice(0, count), next: Date.parse(NIGHT[count - 1].start) / 1000 });
  assert.deepEqual(idsOf(daysOf([STAY], page(1))), []);
  assert.deepEqual(idsOf(daysOf([STAY], page(2))), [["2026-11-28", "charge"]]);
  assert.deepEqual(idsOf(daysOf([STAY], page(3))), [
    ["2026-11-28", "charge"],
    ["2026-11-27", "stay", "drive"],
  ]);
});

test("a car that has been parked for longer than what is loaded is not shown above it", () => {
  const long = { ...STAY, start: on(25, "12:00") };
  assert.deepEqual(idsOf(daysOf([long], { entries: NIGHT.slice(0, 2), next: 0 })), [["2026-11-28", "charge"]]);
});

/** Numbers from 0 to 1 that are the same each time. */
function randomNumbers(seed) {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** A log over the end of a year and both changes of the clocks, newest first, and what has not ended. */
function randomLog(random) {
  const entries = [];
  let [now, parkedSince] = [Date.parse("2026-10-20T00:00:00Z"), undefined];
  const iso = (time) => new Date(time).toISOString();
  const add = (kind, duration) => {
    const start = now;
    now += duration;
    const added = { kind, id: `${kind}-${entries.length}`, start: iso(start), end: iso(now), energy_added: random() };
    entries.push(added);
    return added;
  };
  for (let index = 0; index < 250; index += 1) {
    now += random() ** 3 * 60 * HOUR;
    if (random() < 0.5) add("charge", random() * 12 * HOUR);
    else {
      if (parkedSince) entries.push({ kind: "stay", id: `stay-${index}`, start: iso(parkedSince), end: iso(now) });
      // A drive can have no duration, so that the stay after it starts at the same moment.
      add("drive", random() < 0.1 ? 0 : random() * 4 * HOUR);
      parkedSince = now;
    }
  }
  const open = [{ kind: "stay", id: "stay-open", start: iso(parkedSince ?? now), end: iso(now) }];
  if (random() < 0.5) open.unshift(add("charge", HOUR));
  const ended = entries.filter((each) => !open.includes(each));
  return { open, entries: ended.sort((one, other) => Date.parse(other.start) - Date.parse(one.start)) };
}

test("days of random logs are in order and whole, however much is loaded", () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = randomNumbers(seed);
    const { open, entries } = randomLog(random);
    const zone = ZONES[seed % ZONES.length];
    const everything = daysOf(open, { entries, next: null }, zone);
    const ids = [...everything.values()].flat().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(new Set(ids), new Set([...open, ...entries].map(({ id }) => id)));
    for (let loaded = 0; loaded < entries.length;) {
      loaded += 1 + Math.floor(random() * 60);
      // The server sends all entries that start at the same moment.
      while (loaded < entries.length && entries[loaded].start === entries[loaded - 1].start) loaded += 1;
      const isLast = loaded >= entries.length;
      const next = isLast ? null : Date.parse(entries[loaded - 1].start) / 1000;
      const days = daysOf(open, { entries: entries.slice(0, loaded), next }, zone);
      const names = [...days.keys()];
      assert.deepEqual(names, [...names].sort().reverse());
      assert.deepEqual([...days], [...everything].slice(0, isLast ? Infinity : days.size));
      for (const shown of days.values()) {
        const starts = shown.map(({ start }) => Date.parse(start));
        assert.deepEqual(
          starts,
          [...starts].sort((one, other) => other - one),
        );
      }
    }
  }
});
