/** Numbers, times and durations in the user's format. */

import assert from "node:assert/strict";
import test from "node:test";

import { Formats, hundred } from "../../custom_components/vehicle_remote_access/dashboard/www/formats.js";
import { logTexts } from "../../custom_components/vehicle_remote_access/dashboard/www/log_texts.js";
import { createHass, setTime, setTimeZone, spaced } from "./home.js";

setTimeZone("Europe/Berlin");

const consumption = (formats, value, units) => logTexts({ formats }, units).consumption(value);

const KM = { distance: "km", consumption: "kWh/100 km" };
const MILES = { distance: "mi", consumption: "mi/kWh" };
/** A language whose numbers and times differ from those of this machine. */
const FOREIGN = (1.5).toLocaleString() === "1.5" ? "de" : "en";

const create = (language, locale) => new Formats(createHass({ language, locale }));
const english = create("en");
const at = (text) => Date.parse(text);

/** Check what `act` returns for each case: its result, and its arguments. */
function check(act, cases) {
  for (const [expected, ...values] of cases) assert.equal(spaced(act(...values)), expected, JSON.stringify(values));
}

// Numbers

test("the user chooses the format of numbers", () => {
  check(
    (number_format, language) => create(language, { number_format }).number(1234.5, 1),
    [
      ["1,234.5", "comma_decimal", "de"],
      ["1.234,5", "decimal_comma", "en"],
      ["1 234,5", "space_comma", "en"],
      ["1'234.5", "quote_decimal", "en"],
      ["1234.5", "none", "de"],
      ["1.234,5", "language", "de"],
      [spaced((1234.5).toLocaleString()), "system", FOREIGN],
    ],
  );
});

test("units in words are in the user's language in each format of numbers", () => {
  for (const number_format of ["comma_decimal", "space_comma", "none", "system"]) {
    const formats = create("de", { number_format });
    assert.equal(spaced(formats.days(2)), "2 Tage");
    assert.equal(spaced(formats.duration(65 * 60_000)), "1 Std. 5 Min.");
  }
  assert.equal(spaced(create("de", { number_format: "comma_decimal" }).hours(1.5)), "1.5 Std.");
  assert.equal(spaced(create("de", { number_format: "decimal_comma" }).days(1234)), "1.234 Tage");
});

test("numbers have as many digits as they need", () => {
  check(
    (...values) => english.number(...values),
    [
      ["1,235", 1234.5],
      ["2.00", 2, 2],
      ["-0.5", -0.5, 1],
    ],
  );
});

test("an amount has its unit, unless it is unknown", () => {
  assert.equal(english.amount(0, "kW"), "0.0\u00a0kW");
  assert.equal(english.amount(12.34, "km", 0), "12\u00a0km");
  assert.equal(english.amount(null, "kW"), undefined);
  assert.equal(english.amount(undefined, "kW"), undefined);
});

test("values of a drive are in the units of the log", () => {
  assert.equal(consumption(english, 16.24, KM), "16.2\u00a0kWh/100\u00a0km");
  assert.equal(consumption(english, 3.8, MILES), "3.8\u00a0mi/kWh");
  assert.equal(consumption(english, null, KM), undefined);
  assert.equal(hundred(KM), "100\u00a0km");
  assert.equal(hundred(MILES), "100\u00a0mi");
});

test("costs are in their currency", () => {
  check(
    (...values) => english.cost(...values),
    [
      ["€1.50", 1.5, "EUR"],
      ["-€0.50", -0.5, "EUR"],
      ["¥120", 120, "JPY"],
      ["ABC 1.50", 1.5, "ABC"],
      ["1.50 Taler", 1.5, "Taler"], // no code of a currency
      [undefined, null, "EUR"],
      [undefined, undefined, "EUR"],
    ],
  );
  assert.equal(spaced(create("de").cost(1234.5, "EUR")), "1.234,50 €");
  assert.equal(english.per(english.cost(0.3, "EUR"), "kWh"), "€0.30/kWh");
});

test("percentages and changes", () => {
  check(
    (...values) => english.percent(...values),
    [
      ["72%", 72.4],
      ["0.9%", 0.94, 1],
      ["1%", 1, 1],
    ],
  );
  check(
    (share) => english.change(share),
    [
      ["+12%", 0.124],
      ["−50%", -0.5],
      ["0%", 0],
      ["0%", 0.001],
    ],
  );
  assert.equal(spaced(create("de").percent(72)), "72 %");
});

// Durations

test("a document always has the year of a date", () => {
  const [now, year] = [Date.now(), String(new Date().getFullYear())];
  assert.ok(english.dateAndTime(now).includes(year));
  assert.equal(spaced(create("de").dateAndTime(at("2026-03-05T07:08:00Z"))), "05.03.2026 08:08");
});

test("durations have at most two units", () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  check(
    (duration) => english.duration(duration),
    [
      ["1 min", 0],
      ["1 min", 89_000],
      ["2 min", 90_000],
      ["59 min", hour - minute],
      ["1 hr", hour - 1],
      ["2 hr 5 min", 2 * hour + 5 * minute],
      ["1 day", day],
      ["1 day 23 hr", 2 * day - minute],
      ["3 days", 3 * day + 59 * minute],
    ],
  );
});

test("hours and days", () => {
  check(
    (value) => english.hours(value),
    [
      ["1 min", 0.01],
      ["29 min", 0.49],
      ["1.5 hr", 1.49],
      ["9 hr", 9],
      ["10 hr", 9.96],
      ["12 hr", 12.4],
    ],
  );
  check(
    (value) => english.days(value),
    [
      ["0.3 days", 0.3],
      ["1 day", 1],
      ["12 days", 12.4],
      ["1,000 days", 1000],
    ],
  );
});

// Times and days

test("times have 12 or 24 hours, as the user chose", () => {
  const evening = at("2026-11-23T19:05:00Z");
  const midnight = at("2026-11-22T23:05:00Z");
  check(
    (time_format, language, time) => create(language, { time_format }).time(time),
    [
      ["8:05 PM", "language", "en", evening],
      ["20:05", "language", "de", evening],
      ["20:05", "24", "en", evening],
      ["8:05 PM", "12", "de", evening],
      ["12:05 AM", "12", "en", midnight],
      ["00:05", "24", "en", midnight],
      ["09:05", "24", "es", at("2026-11-23T08:05:00Z")],
    ],
  );
  const is12 = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions().hour12;
  assert.equal(spaced(create(is12 ? "de" : "en", { time_format: "system" }).time(evening)), is12 ? "8:05 PM" : "20:05");
});

test("times are in the time zone of the user or of the server", (t) => {
  setTime(t, "2026-11-26T12:00:00Z");
  const time = at("2026-11-23T02:05:00Z");
  const [user, server] = ["local", "server"].map((time_zone) => create("en", { time_zone }));
  assert.deepEqual(user.local(time), { day: "2026-11-23", minute: 185 });
  assert.deepEqual(server.local(time), { day: "2026-11-22", minute: 21 * 60 + 5 });
  assert.equal(spaced(user.time(time)), "3:05 AM");
  assert.equal(spaced(server.time(time)), "9:05 PM");
  assert.equal(user.date(time), "Nov 23");
  assert.equal(server.date(time), "Nov 22");
  assert.equal(user.monthOf(at("2026-10-31T23:30:00Z")), "Nov 2026");
  assert.equal(server.monthOf(at("2026-10-31T23:30:00Z")), "Oct 2026");
});

test("the minute of the day follows the clock when it changes", () => {
  check(
    (time) => JSON.stringify(english.local(at(time))),
    [
      ['{"day":"2026-03-29","minute":119}', "2026-03-29T00:59:00Z"],
      ['{"day":"2026-03-29","minute":180}', "2026-03-29T01:00:00Z"],
      ['{"day":"2026-10-25","minute":120}', "2026-10-25T00:00:00Z"],
      ['{"day":"2026-10-25","minute":120}', "2026-10-25T01:00:00Z"],
      ['{"day":"2026-10-26","minute":0}', "2026-10-25T23:00:00Z"],
    ],
  );
});

test("a day has its year if it is not this year", (t) => {
  setTime(t, "2026-12-31T22:30:00Z");
  check(
    (time) => english.day(at(time)),
    [
      ["Monday, November 23", "2026-11-23T12:00:00Z"],
      ["Wednesday, December 31, 2025", "2025-12-31T12:00:00Z"],
      ["Friday, January 1, 2027", "2026-12-31T23:30:00Z"],
    ],
  );
  check(
    (time) => english.date(at(time)),
    [
      ["Nov 23", "2026-11-23T12:00:00Z"],
      ["Dec 31, 2025", "2025-12-31T12:00:00Z"],
      ["Jan 1, 2027", "2026-12-31T23:30:00Z"],
    ],
  );
  // For the server, it is still 2026 when the user's new year has begun.
  assert.equal(create("en", { time_zone: "server" }).date(at("2026-12-31T23:30:00Z")), "Dec 31");
});

test("years, months and days have their names in each time zone", () => {
  check(
    (name) => english.period(name),
    [
      ["2026", "2026"],
      ["January 2026", "2026-01"],
      ["December 2025", "2025-12"],
      ["November 30, 2026", "2026-11-30"],
    ],
  );
  assert.equal(create("de", { time_zone: "server" }).period("2026-03"), "März 2026");
});

test("a later time has its day, if that is another one", () => {
  check(
    (time, earlier) => english.timeAfter(at(time), at(earlier)),
    [
      ["11:59 PM", "2026-11-23T22:59:00Z", "2026-11-22T23:00:00Z"],
      ["Tue 12:00 AM", "2026-11-23T23:00:00Z", "2026-11-23T22:59:00Z"],
      ["Sun 11:59 AM", "2026-11-29T10:59:00Z", "2026-11-23T11:00:00Z"],
      ["Nov 29 12:00 PM", "2026-11-29T11:00:00Z", "2026-11-23T11:00:00Z"],
      // This day has 25 hours.
      ["11:30 PM", "2026-10-25T22:30:00Z", "2026-10-24T22:00:00Z"],
    ],
  );
  const server = create("en", { time_zone: "server" });
  assert.equal(spaced(server.timeAfter(at("2026-11-23T23:00:00Z"), at("2026-11-23T22:59:00Z"))), "6:00 PM");
});

test("the days between two days", () => {
  check(
    (older, newer) => english.daysBetween(older, newer),
    [
      [undefined, "2026-03-28", "2026-03-28"],
      [undefined, "2026-03-28", "2026-03-29"],
      ["March 29", "2026-03-28", "2026-03-30"], // The clock changes on this day.
      ["October 25", "2026-10-24", "2026-10-26"],
      ["November 24 – 25", "2026-11-23", "2026-11-26"],
      ["December 31, 2026 – January 2, 2027", "2026-12-30", "2027-01-03"],
    ],
  );
  assert.equal(create("en", { time_zone: "server" }).daysBetween("2026-03-28", "2026-03-30"), "March 29");
});

// Languages that are written from right to left

test("texts keep their order in languages that are written from right to left", (t) => {
  setTime(t, "2026-11-23T12:00:00Z");
  const hebrew = create("he");
  const time = at("2026-11-23T12:00:00Z");
  for (const text of [
    hebrew.amount(1, "kW"),
    consumption(hebrew, 1, KM),
    hebrew.cost(1, "EUR"),
    hebrew.per("1", "kWh"),
  ]) {
    assert.match(text, /^\u2066[^\u2066\u2069]+\u2069$/);
  }
  for (const text of [
    hebrew.hours(1),
    hebrew.days(1),
    hebrew.duration(1),
    hebrew.time(time),
    hebrew.date(time),
    hebrew.day(time),
    hebrew.monthOf(time),
    hebrew.period("2026"),
    hebrew.daysBetween("2026-11-23", "2026-11-25"),
  ]) {
    assert.match(text, /^\u2068[^\u2068\u2069]+\u2069$/);
  }
  assert.equal(hebrew.fromTo("1", "2"), "\u2066\u20681\u2069 → \u20682\u2069\u2069");
  assert.equal(english.fromTo("1", "2"), "1 → 2");
});

test("a number can be a part of the word for its unit", () => {
  assert.equal(create("he").days(2), "\u2068יומיים\u2069");
});
