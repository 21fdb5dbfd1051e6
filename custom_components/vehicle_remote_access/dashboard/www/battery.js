/** The page with what a car's log shows of its battery: the capacity over time, and the charges by place and kind. */

import { createRow, createTable, createTiles, drawn, element } from "./dom.js";
import { ticks } from "./line_chart.js";
import { LogContent } from "./log_element.js";
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
    const distance = (miles) => formats.amount(miles, units.distance, 0);
    const own = distance(own_range);
    const parts = [
      [
        words("capacity"),
        now ? [this.#capacity(now, units)] : [undefined, words("capacity_later")],
      ],
      [
        words("battery_health"),
        now
          ? [formats.percent(health), words("health_refers"), this.#capacity(best, units)]
          : [undefined],
      ],
      [words("full_range"), [distance(range), own && words("full_range_by_use", { value: own })]],
      [
        words("standby_loss"),
        standby
          ? [
              words("per_day", { value: formats.percent(standby.per_day, 1) }),
              standby.power !== null && formats.amount(standby.power, "W", 0),
              words("asleep_share", { value: formats.percent(standby.asleep) }),
            ]
          : [undefined],
      ],
    ];
    return element("section", { class: "highlights" }, createTiles(parts));
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
    const kwh = (value) => formats.amount(value, units.energy);
    const cost = (value) => formats.cost(value, units.currency);
    const columns = [
      [words("charges"), (each) => [formats.number(each.charges)]],
      [
        words("energy_charged"),
        (each) => [
          kwh(each.energy_added),
          each.energy_used !== null && words("from_charger", { value: kwh(each.energy_used) }),
        ],
      ],
      [
        words("charging_cost"),
        (each) => [
          cost(each.cost),
          ...Object.entries(each.other_costs).map(([other, amount]) => formats.cost(amount, other)),
          each.charges_without_cost > 0 &&
            words("charges_without_cost", { count: formats.number(each.charges_without_cost) }),
        ],
      ],
      [words("cost_per_kwh"), (each) => [cost(each.cost_per_kwh)]],
    ];
    const kind = { ac: "AC", dc: "DC" };
    const rows = charges.map((each) =>
      createRow(columns, each, [each.place ?? words("elsewhere"), kind[each.current]].filter(Boolean).join(" · ")),
    );
    return element(
      "section",
      {},
      element("h2", {}, words("charges_by_place")),
      createTable(
        words("charges_by_place"),
        [words("place"), ...columns.map(([name]) => name)],
        element("tbody", { role: "rowgroup" }, ...rows),
        rows.length > 1 &&
          element("tfoot", { role: "rowgroup" }, createRow(columns, total, words("total"))),
      ),
    );
  }
}
