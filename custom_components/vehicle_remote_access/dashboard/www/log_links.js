/** Links from other pages into the log. */

import { logTexts } from "./log_texts.js";
import { createLink, pagePath } from "./navigation.js";

/** A link to the entries of a car's log that a search finds. */
export const createLogLink = (/** @type {Car} */ car, /** @type {LogSearch} */ search, /** @type {string} */ text) =>
  createLink(pagePath(car, "log", search), text);

/** A link to the map of a period. */
export const createMapLink = (/** @type {Car} */ car, /** @type {string} */ period, /** @type {string} */ text) =>
  createLink(pagePath(car, "map", { period }), text);

/** A link to the charges without a cost of a period, or of all time. Undefined if there are none. */
export function linkWithoutCost(
  /** @type {WithFormats & { car: Car }} */ context,
  /** @type {ChargeTotals} */ values,
  /** @type {LogUnits} */ units,
  period = "",
) {
  const text = logTexts(context, units).withoutCost(values);
  return text ? createLogLink(context.car, { period, kind: "charges", without_cost: true }, text) : undefined;
}
