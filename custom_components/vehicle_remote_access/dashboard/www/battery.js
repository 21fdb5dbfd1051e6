/** The page with what a car's log shows of its battery: the capacity over time, and the charges by place and kind. */

import { createRow, createRows, createSection, createTable, createTiles, element } from "./dom.js";
import { Plot } from "./line_chart.js";
import { LogContent } from "./log_element.js";
import { joined, logTexts } from "./log_texts.js";
import { BATTERY_STYLES } from "./styles.js";

export default class Battery extends LogContent {
  styles = BATTERY_STYLES;

  load(send) {
    return send("battery");
  }

  isEmpty({ capacity, charges, standby }) {
    return !capacity.length && !charges.length && !standby;
  }

  get later() {
    return this.words("battery_later");
  }

  fill(root, value) {
    root.replaceChildren(
      this.#highlights(value),
      ...(value.capacity.length > 1 ? [this.#chart(value.capacity, value.units)] : []),
      ...(value.charges.length ? [this.#charges(value)] : []),
    );
  }

  #highlights({ now, best, health, range, own_range, standby, units }) {
    const { words, formats } = this;
    const { distance, perDay } = logTexts(this, units);
    const own = distance(own_range, 0);
    const whole = now && [formats.percent(health), words("health_refers"), this.#capacity(best, units)];
    const lost = standby && [
      perDay(standby.per_day),
      standby.power !== null && formats.amount(standby.power, "W", 0),
      words("asleep_share", { value: formats.percent(standby.asleep) }),
    ];
    const parts = [
      [words("capacity"), now ? [this.#capacity(now, units)] : [undefined, words("capacity_later")]],
      [words("battery_health"), whole || []],
      [words("full_range"), [distance(range, 0), own && words("full_range_by_use", { value: own })]],
      [words("standby_loss"), lost || []],
    ];
    return element("section", {}, createTiles(parts));
  }

  #capacity({ energy, uncertainty }, units) {
    return `${this.formats.amount(energy, units.energy)} ±\u00a0${this.formats.number(uncertainty, 1)}`;
  }

  /** The capacity, with a band in which the true one is. */
  #chart(capacity, units) {
    const { words, formats } = this;
    const values = capacity.map(({ energy }) => energy);
    const band = capacity.map(({ energy, uncertainty }) => [energy - uncertainty, energy + uncertainty]);
    const times = capacity.map(({ time }) => Date.parse(time));
    const marks = [times[0], times.at(-1)].map((time) => [time, formats.monthOf(time)]);
    const [[start, first], [end, last]] = marks;
    const [from, to] = [capacity[0], capacity.at(-1)].map((each) => this.#capacity(each, units));
    const level = (value, digits) => formats.amount(value, units.energy, digits);
    const axes = { times, start, end, marks, level };
    const plot = new Plot({ values, band }, axes, words("capacity_from_to", { start: first, from, end: last, to }));
    return createSection(words("capacity_over_time"), element("div", { class: "chart" }, plot.element));
  }

  #charges({ charges, total, units }) {
    const { words, formats } = this;
    const { energy, cost, fromCharger, otherCosts, withoutCost } = logTexts(this, units);
    const columns = [
      [words("charges"), (each) => [formats.number(each.charges)]],
      [words("energy_charged"), (each) => [energy(each.energy_added), fromCharger(each)]],
      [words("charging_cost"), (each) => [cost(each.cost), ...otherCosts(each), withoutCost(each)]],
      [words("cost_per_kwh"), (each) => [cost(each.cost_per_kwh)]],
    ];
    const kind = { ac: "AC", dc: "DC" };
    const rows = charges.map((each) =>
      createRow(columns, each, joined(each.place ?? words("elsewhere"), kind[each.current])),
    );
    const title = words("charges_by_place");
    const sum = rows.length > 1 && createRows("tfoot", createRow(columns, total, words("total")));
    return createSection(title, createTable(title, words("place"), columns, createRows("tbody", ...rows), sum));
  }
}
