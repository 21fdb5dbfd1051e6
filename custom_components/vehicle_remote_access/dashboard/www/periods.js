/** The periods of a log that a user can choose: years, quarters and months. */

import { element } from "./dom.js";
import { option } from "./forms.js";
import { periodText } from "./log_texts.js";
import { DOMAIN } from "./words.js";

/** The months from the first to the last one, newest first, such as `2026-10`. */
export function monthsBetween(/** @type {string} */ first, /** @type {string} */ last) {
  const months = [];
  const day = new Date(last);
  for (; day >= new Date(first); day.setUTCMonth(day.getUTCMonth() - 1)) months.push(day.toISOString().slice(0, 7));
  return months;
}

/** The quarters of some months, in the same order. */
export function quartersOf(/** @type {string[]} */ months) {
  const quarter = (/** @type {number} */ month) => `Q${Math.ceil(month / 3)}`;
  return [...new Set(months.map((month) => `${month.slice(0, 4)}-${quarter(Number(month.slice(5)))}`))];
}

/** @type {Periods} For each year a group with the year, its quarters if they are wanted, and its months */
export function periods({ words, formats }, months, hasQuarters = false) {
  const years = [...new Set(months.map((month) => month.slice(0, 4)))];
  return years.map((year) => {
    const ofYear = months.filter((month) => month.startsWith(year));
    const quarters = hasQuarters ? quartersOf(ofYear) : [];
    return element(
      "optgroup",
      { label: year },
      option(year, words("whole_year", { year })),
      ...[...quarters, ...ofYear].map((name) => option(name, periodText(words, formats, name))),
    );
  });
}

/** @type {SelectPeriod} Select a period. If it is not among the choices, because it has no entry, add it */
export function selectPeriod(field, { words, formats }, period) {
  field.value = period;
  if (field.value === period) return;
  field.insertBefore(option(period, periodText(words, formats, period)), field.querySelector("optgroup"));
  field.value = period;
}

/** @type {FillPeriods} Load the choices of a period, and all time. The chosen one stays */
export async function fillPeriods(field, context) {
  const { hass, words, deviceId } = context;
  const { first, last } = await hass.callWS({ type: `${DOMAIN}/log/span`, device_id: deviceId });
  const chosen = field.value;
  const choices = first ? periods(context, monthsBetween(first, last)) : [];
  field.replaceChildren(option("", words("all_time")), ...choices);
  selectPeriod(field, context, chosen);
}
