/** Charts of a car's long-term statistics, which Home Assistant keeps for years. */

import { fewerColumns, threeColumns } from "./conditions.js";
import { ENOUGH_DAYS, ONE_DAY } from "./status.js";

const chart = (/** @type {string=} */ entity, /** @type {CardConfig} */ options) =>
  entity && {
    type: "statistics-graph",
    entities: [entity],
    hide_legend: true,
    grid_options: { columns: 12, rows: 5 },
    ...options,
  };

const BARS = { chart_type: "bar", stat_types: ["change"] };

/** Whether there are statistics of more days than these. With one, the charts would be empty. */
async function hasStatistics(/** @type {Hass} */ hass, /** @type {string[]} */ entities, count = 1) {
  const statistics = await hass.callWS({
    type: "recorder/statistics_during_period",
    start_time: new Date(Date.now() - (count + 6) * ONE_DAY).toISOString(),
    statistic_ids: entities,
    period: "day",
    types: ["state", "mean"],
  });
  return Object.values(statistics).some((days) => days.length > count);
}

/** @type {LoadCharts} Return the cards with the statistics of a car's battery, if they show how it changes */
export async function loadBatteryCharts(hass, words, { entities }) {
  // A line of months would be empty in the first month.
  const mean = (/** @type {string=} */ entity, /** @type {string} */ title) =>
    chart(entity, { title, days_to_show: 365, period: "day", stat_types: ["mean"] });
  const cards = [
    mean(entities.health, words("battery_health")),
    mean(entities.standbyLoss, words("standby_loss")),
  ].filter(Boolean);
  const isLong = (/** @type {CardConfig} */ { entities: shown }) => hasStatistics(hass, shown, ENOUGH_DAYS);
  const isShown = await Promise.all(cards.map((card) => isLong(card).catch(() => false)));
  return cards.filter((_, index) => isShown[index]);
}

/** @type {LoadCharts} Return the cards with the charts of a car, or a card that says when they appear */
export async function loadCharts(hass, words, { entities }) {
  const shown = [entities.battery, entities.energyTotal, entities.odometer].filter(Boolean);
  if (!shown.length || !hass.config.components.includes("recorder")) return [];
  if (!(await hasStatistics(hass, shown).catch(() => false))) {
    return [
      {
        type: "empty-state",
        icon: "mdi:chart-line",
        title: words("no_charts"),
        content: words("charts_later"),
        grid_options: { columns: "full" },
      },
    ];
  }
  const months = { title: words("distance_chart"), days_to_show: 365, period: "month", ...BARS };
  const distance = chart(entities.odometer, months);
  return [
    chart(entities.battery, {
      title: words("battery_chart"),
      days_to_show: 7,
      period: "hour",
      stat_types: ["mean", "min", "max"],
      min_y_axis: 0,
      max_y_axis: 100,
    }),
    chart(entities.energyTotal, { title: words("energy_chart"), days_to_show: 30, period: "day", ...BARS }),
    // The distance is beside the other charts. With fewer columns, it is below them and as wide as both.
    distance && { ...distance, visibility: threeColumns },
    distance && { ...distance, grid_options: { ...distance.grid_options, columns: "full" }, visibility: fewerColumns },
  ].filter(Boolean);
}
