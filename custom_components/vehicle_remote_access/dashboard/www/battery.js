/** The page about the battery of a car, from its log: the capacity over time, and the charges by place and kind. */

import { createChoice } from "./choice.js";
import { createRow, createRows, createSection, createTable, createTiles, element } from "./dom.js";
import { createCharts } from "./line_chart.js";
import { LogContent } from "./log_element.js";
import { linkWithoutCost } from "./log_links.js";
import { joined, logTexts } from "./log_texts.js";
import { ENOUGH_DAYS, ONE_DAY } from "./status.js";
import { BATTERY_STYLES } from "./styles.js";

/** Whether the capacity is known for long enough to show how it changes. */
const hasTrend = (/** @type {LogBattery} */ { capacity }) =>
  capacity.length > 1 &&
  Date.parse(capacity[capacity.length - 1].time) - Date.parse(capacity[0].time) >= ENOUGH_DAYS * ONE_DAY;

export default class Battery extends LogContent {
  later = "battery_later";
  styles = BATTERY_STYLES;
  /** The year whose charges are shown, or null for all. */
  #year = /** @type {number | null} */ (null);

  load(/** @type {SendLogCommand} */ send) {
    return send("battery");
  }

  isEmpty(/** @type {LogBattery} */ { capacity, charges: [{ places }], standby }) {
    return !capacity.length && !places.length && !standby;
  }

  fill(/** @type {HTMLElement} */ root, /** @type {LogBattery} */ value) {
    root.replaceChildren(
      this.#highlights(value),
      ...(hasTrend(value) ? [this.#chart(value.capacity, value.units)] : []),
      ...(value.charges[0].places.length ? [this.#charges(value)] : []),
    );
  }

  #highlights(/** @type {LogBattery} */ value) {
    const { now, best, health, range, own_range, stored, standby, units } = value;
    const { words, formats } = this;
    const { distance, energy, cost, perDay } = logTexts(this, units);
    const own = distance(own_range, 0);
    const isRated = best && health !== null && hasTrend(value);
    const whole = isRated && [formats.percent(health, 1), words("of_highest", { value: energy(best.energy) })];
    const lost = standby && [
      perDay(standby.per_day),
      standby.power !== null && formats.amount(standby.power, "W", 0),
      standby.asleep !== null && words("asleep_share", { value: formats.percent(standby.asleep) }),
    ];
    const price = stored && stored.cost_per_kwh !== null && formats.per(cost(stored.cost_per_kwh), units.energy);
    /** @type {Tile[]} */
    const inBattery = stored ? [[words("in_battery"), [energy(stored.energy), price]]] : [];
    const tiles = createTiles([
      [words("capacity"), now ? [this.#capacity(now, units)] : [undefined, words("capacity_later")]],
      [words("battery_health"), whole || []],
      [words("full_range"), [distance(range, 0), own && words("full_range_by_use", { value: own })]],
      [words("standby_loss"), lost || []],
      ...inBattery,
    ]);
    return element("section", {}, tiles);
  }

  #capacity(/** @type {Capacity} */ { energy, uncertainty }, /** @type {LogUnits} */ units) {
    return `${this.formats.amount(energy, units.energy)} ±\u00a0${this.formats.number(uncertainty, 1)}`;
  }

  /** The estimated capacity, with a band of its uncertainty. */
  #chart(/** @type {LogBattery["capacity"]} */ capacity, /** @type {LogUnits} */ units) {
    const { words, formats } = this;
    /** @type {Curve} */
    const curve = {
      ...{ name: "capacity", title: words("capacity") },
      format: (value, index) =>
        index === undefined ? formats.amount(value, units.energy) : this.#capacity(capacity[index], units),
      plain: (value) => formats.number(value, 1),
      values: capacity.map(({ energy }) => energy),
      band: capacity.map(({ energy, uncertainty }) => [energy - uncertainty, energy + uncertainty]),
    };
    const times = capacity.map(({ time }) => Date.parse(time));
    const [start, end] = [times[0], times[times.length - 1]];
    const textOf = (/** @type {number} */ time) => formats.monthOf(time);
    const axes = { times, start, end, marked: [start, end], gap: Infinity, textOf };
    return createSection(words("capacity_over_time"), createCharts({ curves: [curve], ...axes, formats, words }));
  }

  /** The charges of one year, or of all. */
  #charges(/** @type {LogBattery} */ { charges, units }) {
    const { words, formats } = this;
    const show = (/** @type {number | null} */ year) => {
      const shown = charges.find((each) => each.year === year) ?? charges[0];
      this.#year = shown.year;
      const link = linkWithoutCost(this, shown.total, units, String(shown.year ?? ""));
      return [this.#places(shown, units), element("div", { class: "links" }, link)];
    };
    const name = (/** @type {number | null} */ year) =>
      year === null ? words("all_time") : formats.period(String(year));
    const options = charges.map(({ year }) => /** @type {[number | null, string]} */ ([year, name(year)]));
    const chosen = charges.find(({ year }) => year === this.#year)?.year ?? null;
    const { choice, content } = createChoice(words("period"), options, chosen, show);
    return createSection(words("charges_by_place"), choice, content);
  }

  #places(/** @type {YearOfCharges} */ { places, total }, /** @type {LogUnits} */ units) {
    const { words, formats } = this;
    const { energy, cost, fromCharger, otherCosts, withoutCost } = logTexts(this, units);
    /** @type {Column<ChargeTotals>[]} */
    const columns = [
      [words("charges"), (each) => [formats.number(each.charges)]],
      [words("energy_charged"), (each) => [energy(each.energy_added), fromCharger(each)]],
      [words("charging_cost"), (each) => [cost(each.cost), ...otherCosts(each), each !== total && withoutCost(each)]],
      [words("cost_per_kwh"), (each) => [cost(each.cost_per_kwh)]],
    ];
    const kind = { ac: "AC", dc: "DC" };
    const rows = places.map((each) =>
      createRow(columns, each, joined(each.place ?? words("elsewhere"), each.current && kind[each.current])),
    );
    const sum = rows.length > 1 && createRows("tfoot", createRow(columns, total, words("total")));
    return createTable(words("charges_by_place"), words("place"), columns, createRows("tbody", ...rows), sum);
  }
}
