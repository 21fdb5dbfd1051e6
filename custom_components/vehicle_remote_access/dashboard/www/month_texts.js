/** Texts for the values of a month, and for their changes. */

import { logTexts } from "./log_texts.js";

/** Return the month before another one by a number of months. */
export function monthBefore(/** @type {string} */ month, /** @type {number} */ count) {
  const [year, number] = month.split("-").map(Number);
  const months = year * 12 + number - 1 - count;
  return `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, "0")}`;
}

/** @type {MonthValues} The values of a month that are compared */
export function monthValues(context, units) {
  const { words, formats } = context;
  const { distance, energy, cost, drivingCost, consumption } = logTexts(context, units);
  return {
    distance: { title: words("distance"), format: (value) => distance(value, 0) },
    energy_added: { title: words("energy_charged"), format: energy },
    cost: { title: words("charging_cost"), format: (value) => cost(value) },
    driving_cost: { title: words("cost_of_driving"), format: drivingCost },
    consumption: {
      title: words("consumption"),
      format: consumption,
      // Without the unit, a comparison fits into one line.
      short: (value) => formats.number(value, 1),
    },
    cost_per_kwh: { title: words("cost_per_kwh"), format: (value) => cost(value) },
  };
}

/** @type {ChangeOf} The change since the year before, with the earlier value, or undefined if it is unknown */
export function changeOf({ words, formats }, values, name, format) {
  const [value, before] = [values[name], values.before?.[name]];
  if (value === null || !before) return undefined;
  // A cost below zero has no percentage of another one.
  const hasShare = value >= 0 && before > 0;
  const amount = `${value < before ? "\u2212" : "+"}${format(Math.abs(value - before))}`;
  const change = hasShare ? formats.change((value - before) / before) : amount;
  const period = timeBefore(formats, values.period, values.before?.until);
  return words("change_from", { change, period, value: format(before) });
}

/** @type {(formats: Formats, period: string, until?: string) => string} The time with which a period is compared */
function timeBefore(formats, period, until) {
  const before = `${Number(period.slice(0, 4)) - 1}${period.slice(4)}`;
  if (!until) return formats.period(before, { month: "short" });
  return formats.daysFromTo(`${before}-01-01`.slice(0, 10), until);
}
