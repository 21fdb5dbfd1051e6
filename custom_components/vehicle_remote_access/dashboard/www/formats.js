/** Numbers, times and durations in the user's format. */

import { MINUTE, ONE_DAY, WEEKDAY_IS_CLEAR, timeFormat } from "./status.js";
import { isRightToLeft, isolated } from "./words.js";

/** @type {Record<string, string[]>} The languages whose format of numbers the user can choose */
const NUMBER_LANGUAGES = {
  comma_decimal: ["en-US", "en"],
  decimal_comma: ["de", "es", "it"],
  space_comma: ["fr", "sv", "cs"],
  quote_decimal: ["de-CH"],
  none: ["en-US"],
};

/** The distance that the cost of driving is for. */
export const hundred = (/** @type {LogUnits} */ { distance }) => `100\u00a0${distance}`;

/** The formats of one user. Creating formats is slow, so each is created once. */
export class Formats {
  #language;
  #numberLanguage;
  #useGrouping;
  #created = new Map();
  #time;
  #isRightToLeft;
  #parts;
  #timeZone;

  constructor(/** @type {HassFormats} */ hass) {
    const { locale, language } = hass;
    const time = timeFormat(hass);
    const { timeZone } = time;
    this.#timeZone = timeZone;
    this.#language = locale.language;
    this.#isRightToLeft = isRightToLeft(hass, language);
    const chosen = NUMBER_LANGUAGES[locale.number_format] ?? locale.language;
    this.#numberLanguage = locale.number_format === "system" ? undefined : chosen;
    this.#useGrouping = locale.number_format !== "none";
    this.#time = new Intl.DateTimeFormat(this.#language, time);
    this.#parts = new Intl.DateTimeFormat("en", {
      ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
      ...{ hourCycle: "h23", timeZone },
    });
  }

  /** @template T */
  #cached(/** @type {unknown} */ options, /** @type {() => T} */ create) {
    const key = JSON.stringify(options);
    if (!this.#created.has(key)) this.#created.set(key, create());
    return /** @type {T} */ (this.#created.get(key));
  }

  #number(/** @type {number} */ value, /** @type {NumberOptions} */ options) {
    return this.#numberFormat(this.#numberLanguage, options).format(value);
  }

  #numberFormat(/** @type {string | string[]=} */ language, /** @type {NumberOptions} */ options) {
    const grouped = { useGrouping: this.#useGrouping, ...options };
    return this.#cached([language, options], () => new Intl.NumberFormat(language, grouped));
  }

  /** A number with a unit in words. These are in the user's language, whatever the format of numbers is. */
  #withUnit(/** @type {number} */ value, /** @type {NumberOptions} */ { unit, unitDisplay = "short", ...digits }) {
    const format = this.#numberFormat(this.#language, { style: "unit", unit, unitDisplay, ...digits });
    const parts = format.formatToParts(value);
    const isWord = (/** @type {Intl.NumberFormatPart} */ { type }) => type === "unit" || type === "literal";
    const number = parts.findIndex((part) => !isWord(part));
    // The digits of the language are replaced by the number in the user's format.
    parts[number] = { type: "literal", value: this.#number(value, digits) };
    return parts.map((part) => (isWord(part) ? part.value : "")).join("");
  }

  /** The format of dates with these options, in the user's time zone unless they have another one. */
  #dates(/** @type {Intl.DateTimeFormatOptions} */ options) {
    const inZone = { timeZone: this.#timeZone, ...options };
    return this.#cached(options, () => new Intl.DateTimeFormat(this.#language, inZone));
  }

  /** A number with this many decimal digits. */
  number(/** @type {number} */ value, digits = 0) {
    return this.#number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  /** A number with its unit, or undefined if the number is unknown. */
  amount(/** @type {number | null=} */ value, /** @type {string} */ unit, digits = 1) {
    if (value === null || value === undefined) return undefined;
    return this.#leftToRight(`${this.number(value, digits)}\u00a0${unit}`);
  }

  /** An amount for each unit of something. */
  per(/** @type {string=} */ amount, /** @type {string} */ unit) {
    return this.#leftToRight(`${amount}/${unit}`);
  }

  /** Two texts with an arrow from one to the other. */
  fromTo(/** @type {string} */ from, /** @type {string} */ to) {
    return this.#leftToRight(`${this.#isolated(from)} → ${this.#isolated(to)}`);
  }

  /** A text that keeps its order within a right-to-left language. */
  #leftToRight(/** @type {string} */ text) {
    return this.#isRightToLeft ? `\u2066${text}\u2069` : text;
  }

  /** A text of a right-to-left language that keeps its order in other texts. */
  #isolated(/** @type {string} */ text) {
    return this.#isRightToLeft ? isolated(text) : text;
  }

  percent(/** @type {number} */ value, digits = 0) {
    return this.#number(value / 100, { style: "percent", maximumFractionDigits: digits });
  }

  /** A change as a percentage with its sign. */
  change(/** @type {number} */ share) {
    const text = this.#number(share, { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" });
    return text.replace("-", "\u2212");
  }

  /** A number of hours, whole ones if there are many, or of minutes. */
  hours(/** @type {number} */ value) {
    if (value < 1) return this.duration(value * 60 * MINUTE);
    return this.#isolated(this.#withUnit(value, { unit: "hour", maximumFractionDigits: value < 10 ? 1 : 0 }));
  }

  /** A number of days, whole ones if there are many. */
  days(/** @type {number} */ value) {
    const digits = { maximumFractionDigits: value < 10 ? 1 : 0 };
    return this.#isolated(this.#withUnit(value, { unit: "day", unitDisplay: "long", ...digits }));
  }

  /** A cost, or undefined if it is unknown. */
  cost(/** @type {number | null=} */ value, /** @type {string} */ currency) {
    if (value === null || value === undefined) return undefined;
    try {
      return this.#leftToRight(this.#number(value, { style: "currency", currency }));
    } catch {
      return this.amount(value, currency, 2); // The currency code is unknown.
    }
  }

  time(/** @type {number} */ timestamp) {
    return this.#isolated(this.#time.format(timestamp));
  }

  /** Two times, from one to the other, with the day of the first one if that is a day or more after an earlier time. */
  timeSpan(/** @type {number} */ from, /** @type {number} */ to, earlier = from) {
    const start = from - earlier < ONE_DAY ? this.#time.format(from) : this.timeAfter(from, earlier);
    return this.#isolated(`${start}–${this.#time.format(to)}`);
  }

  /** The day and the minute of the day of a time. Days have the format `2026-11-23`. */
  local(/** @type {number} */ timestamp) {
    const parts = this.#parts.formatToParts(timestamp);
    const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
    return {
      day: `${part.year}-${part.month}-${part.day}`,
      minute: Number(part.hour) * 60 + Number(part.minute),
    };
  }

  /** The day of a time in few letters. */
  date(/** @type {number} */ timestamp) {
    return this.#named(timestamp, { day: "numeric", month: "short", ...this.#year(timestamp) });
  }

  /** The date and the time, for a document that lasts. */
  dateAndTime(/** @type {number} */ timestamp) {
    const date = this.#named(timestamp, { year: "numeric", month: "2-digit", day: "2-digit" });
    return `${date} ${this.time(timestamp)}`;
  }

  /** The month of a time in few letters. */
  monthOf(/** @type {number} */ timestamp) {
    return this.#named(timestamp, { month: "short", year: "numeric" });
  }

  /** The name of a year such as `2026`, a month such as `2026-11`, or a day. Options: the length of its parts. */
  period(/** @type {string} */ name, /** @type {Intl.DateTimeFormatOptions} */ options = {}) {
    const [, month, day] = name.split("-");
    const parts = /** @type {Intl.DateTimeFormatOptions} */ ({
      ...{ year: "numeric", month: "long", day: day && "numeric", ...options },
      ...(!month && { month: undefined }),
    });
    return this.#named(Date.parse(name), { ...parts, timeZone: "UTC" });
  }

  /** Two days, such as `2026-11-01` and `2026-11-23`, from one to the other in few letters. */
  daysFromTo(/** @type {string} */ first, /** @type {string} */ last) {
    const days = this.#dates({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
    return this.#isolated(days.formatRange(Date.parse(first), Date.parse(last)));
  }

  #named(/** @type {number} */ timestamp, /** @type {Intl.DateTimeFormatOptions} */ options) {
    return this.#isolated(this.#dates(options).format(timestamp));
  }

  /** The option that shows the year, unless the time is in this year. */
  #year(/** @type {number} */ timestamp) {
    const [year, now] = [timestamp, Date.now()].map((time) => this.local(time).day.slice(0, 4));
    return /** @type {Intl.DateTimeFormatOptions} */ (year === now ? {} : { year: "numeric" });
  }

  /** The name of the day of a time. */
  day(/** @type {number} */ timestamp) {
    return this.#named(timestamp, { weekday: "long", day: "numeric", month: "long", ...this.#year(timestamp) });
  }

  /** A time, with its day if that differs from the day of an earlier time. */
  timeAfter(/** @type {number} */ timestamp, /** @type {number} */ earlier) {
    const isSameDay = this.local(timestamp).day === this.local(earlier).day;
    const isClear = timestamp - earlier < WEEKDAY_IS_CLEAR;
    const day = this.#dates(isClear ? { weekday: "short" } : { day: "numeric", month: "short" });
    return isSameDay ? this.time(timestamp) : this.#isolated(`${day.format(timestamp)} ${this.time(timestamp)}`);
  }

  /** The days between two days, or undefined if one follows the other. */
  daysBetween(/** @type {string} */ older, /** @type {string} */ newer) {
    const [first, last] = [Date.parse(older) + ONE_DAY, Date.parse(newer) - ONE_DAY];
    if (first > last) return undefined;
    const days = this.#dates({ day: "numeric", month: "long", timeZone: "UTC" });
    return this.#isolated(first === last ? days.format(first) : days.formatRange(first, last));
  }

  /** A duration in days, hours and minutes, with at most two units. */
  duration(/** @type {number} */ milliseconds) {
    const minutes = Math.max(1, Math.round(milliseconds / MINUTE));
    const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
    /** @type {[number, string][]} */
    const values = [
      [days, "day"],
      [hours, "hour"],
      [days ? 0 : minutes % 60, "minute"],
    ];
    const texts = values.filter(([value]) => value).map(([value, unit]) => this.#withUnit(value, { unit }));
    return this.#isolated(texts.join(" "));
  }
}
