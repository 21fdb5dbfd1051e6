/** The page with what a car's log shows of its battery: the capacity over time, and the charges by place and kind. */

import { createRow, createRows, createSection, createTable, createTiles, drawn, element } from "./dom.js";
import { ticks } from "./line_chart.js";
import { LogElement } from "./log_element.js";
import { joined, logTexts } from "./log_texts.js";
import { BATTERY_STYLES } from "./styles.js";

export const BATTERY = "vehicle-remote-access-log-battery";

export class Battery extends LogElement {
  styles = BATTERY_STYLES;

  getCardSize() {
    return 12;
  }

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
    const { formats } = this;
    const [first, last] = [capacity[0], capacity.at(-1)];
    const bounds = capacity.flatMap(({ energy, uncertainty }) => [energy - uncertainty, energy + uncertainty]);
    const { numbers: values, digits } = ticks(bounds);
    const [low, high] = [values[0], values.at(-1)];
    const [start, end] = [Date.parse(first.time), Date.parse(last.time)];
    const point = (time, energy) =>
      `${((Date.parse(time) - start) / (end - start)) * 100},${((high - energy) / (high - low)) * 100}`;
    const upper = capacity.map((each) => point(each.time, each.energy + each.uncertainty));
    const lower = capacity.map((each) => point(each.time, each.energy - each.uncertainty));
    const line = capacity.map((each) => point(each.time, each.energy));
    const svg = drawn(
      "svg",
      { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
      ...values.map((value) => {
        const y = ((high - value) / (high - low)) * 100;
        return drawn("line", { class: "grid", x1: 0, x2: 100, y1: y, y2: y });
      }),
      drawn("polygon", { class: "band", points: [...upper, ...lower.reverse()].join(" ") }),
      drawn("polyline", { class: "line", points: line.join(" ") }),
    );
    const month = ({ time }) => formats.monthOf(Date.parse(time));
    const summary = this.words("capacity_from_to", {
      start: month(first),
      from: this.#capacity(first, units),
      end: month(last),
      to: this.#capacity(last, units),
    });
    const labels = values
      .toReversed()
      .map((value) => element("span", {}, formats.amount(value, units.energy, digits)));
    return element(
      "section",
      {},
      element("h2", {}, this.words("capacity_over_time")),
      element(
        "div",
        { class: "chart", role: "img", "aria-label": summary },
        element("div", { class: "scale" }, ...labels),
        svg,
        element("div", { class: "time" }, element("span", {}, month(first)), element("span", {}, month(last))),
      ),
    );
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
