/** Links from other pages into the log, and to the settings of a car. */

import { logTexts } from "./log_texts.js";
import { createLink, createSettingsLink, pagePath } from "./navigation.js";

/** A link to the charges without a cost of a period, or of all time. Undefined if there are none. */
export function linkWithoutCost(
  /** @type {WithFormats & { car: Car }} */ context,
  /** @type {ChargeTotals} */ values,
  /** @type {LogUnits} */ units,
  period = "",
) {
  const text = logTexts(context, units).withoutCost(values);
  const path = pagePath(context.car, "log", { period, kind: "charges", without_cost: true });
  return text ? createLink(path, text) : undefined;
}

/** @type {LinkToPrice} A link to the settings for administrators if no charge has a cost. Otherwise undefined */
export function linkToPrice(context, total) {
  if (!context.hass.user?.is_admin || !total?.charges || total.charges_without_cost < total.charges) return undefined;
  return createSettingsLink(context, context.words("set_price"));
}
