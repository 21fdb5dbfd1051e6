/** The page with what a car's log shows of its battery: the capacity over time, and the charges by place and kind. */

import { createRow, createRows, createSection, createTable, createTiles, element } from "./dom.js";
import { Plot } from "./line_chart.js";
import { LogContent } from "./log_element.js";
import { joined, logTexts } from "./log_texts.js";
import { BATTERY_STYLES } from "./styles.js";

export default class Battery extends LogContent {
  styles = BATTERY_STYLES;

  load(/** @type {SendLogCommand} */ send) {
    return send("battery");
  }

  isEmpty(/** @type {LogBattery} */ { capacity, charges: [{ places }], standby }) {
    return !capacity.length && !places.length && !standby;
  }

  get later() {
    return this.words("battery_later");
  }

  fill(/** @type {HTMLElement} */ root, /** @type {LogBattery} */ value) {
    root.replaceChildren(
      this.#highlights(value),
      ...(value.capacity.length > 1 ? [this.#chart(value.capacity, value.units)] : []),
      ...(value.charges[0].places.length ? [this.#charges(value)] : []),
    );
  }

  #highlights(/** @type {LogBattery} */ { now, best, health, range, own_range, standby, units }) {
    const { words, formats } = this;
    const { distance, perDay } = logTexts(this, units);
    const own = distance(own_range, 0);
    const isRated = best && health !== null;
    const whole = isRated && [formats.percent(health), words("health_refers"), this.#capacity(best, units)];
    const lost = standby && [
      perDay(standby.per_day),
      standby.power !== null && formats.amount(standby.power, "W", 0),
      words("asleep_share", { value: formats.percent(standby.asleep) }),
    ];
    const tiles = createTiles([
      [words("capacity"), now ? [this.#capacity(now, units)] : [undefined, words("capacity_later")]],
      [words("battery_health"), whole || []],
      [words("full_range"), [distance(range, 0), own && words("full_range_by_use", { value: own })]],
      [words("standby_loss"), lost || []],
    ]);
    return element("section", {}, tiles);
  }

  #capacity(/** @type {Capacity} */ { energy, uncertainty }, /** @type {LogUnits} */ units) {
    return `${this.formats.amount(energy, units.energy)} ±\u00a0${this.formats.number(uncertainty, 1)}`;
  }

  /** The capacity, with a band in which the true one is. */
  #chart(/** @type {LogBattery["capacity"]} */ capacity, /** @type {LogUnits} */ units) {
    const { words, formats } = this;
    const values = capacity.map(({ energy }) => energy);
    const band = capacity.map(({ energy, uncertainty }) => [energy - uncertainty, energy + uncertainty]);
    const times = capacity.map(({ time }) => Date.parse(time));
    const ends = [0, capacity.length - 1];
    const marks = ends.map((index) => /** @type {Mark} */ ([times[index], formats.monthOf(times[index])]));
    const [[start, first], [end, last]] = marks;
    const [from, to] = ends.map((index) => this.#capacity(capacity[index], units));
    const level = (/** @type {number} */ value, /** @type {number} */ digits) =>
      formats.amount(value, units.energy, digits);
    const axes = { times, start, end, marks, level };
    const plot = new Plot({ values, band }, axes, words("capacity_from_to", { start: first, from, end: last, to }));
    return createSection(words("capacity_over_time"), element("div", { class: "chart" }, plot.element));
  }

  #charges(/** @type {LogBattery} */ { charges: [{ places, total }], units }) {
    const { words, formats } = this;
    const { energy, cost, fromCharger, otherCosts, withoutCost } = logTexts(this, units);
    /** @type {Column<ChargeTotals>[]} */
    const columns = [
      [words("charges"), (each) => [formats.number(each.charges)]],
      [words("energy_charged"), (each) => [energy(each.energy_added), fromCharger(each)]],
      [words("charging_cost"), (each) => [cost(each.cost), ...otherCosts(each), withoutCost(each)]],
      [words("cost_per_kwh"), (each) => [cost(each.cost_per_kwh)]],
    ];
    const kind = { ac: "AC", dc: "DC" };
    const rows = places.map((each) =>
      createRow(columns, each, joined(each.place ?? words("elsewhere"), each.current && kind[each.current])),
    );
    const title = words("charges_by_place");
    const sum = rows.length > 1 && createRows("tfoot", createRow(columns, total, words("total")));
    return createSection(title, createTable(title, words("place"), columns, createRows("tbody", ...rows), sum));
  }
}
