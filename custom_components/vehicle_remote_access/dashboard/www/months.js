/** The page with the months and years of a car's log, each beside the same time of the year before. */

import { createRow, createTable, createTiles, element } from "./dom.js";
import { hundred } from "./formats.js";
import { LogContent } from "./log_element.js";
import { MONTHS_STYLES } from "./styles.js";

export default class Months extends LogContent {
  styles = MONTHS_STYLES;
  /** The years whose months are visible or not, if the user has chosen that. */
  #chosen = new Map();

  load(send) {
    return send("months");
  }

  isEmpty({ months }) {
    return !months.length;
  }

  get later() {
    return this.words("months_later");
  }

  fill(root, { months, years, current, units }) {
    const last = months[months.findIndex(({ period }) => period === current) + 1] ?? months[0];
    const columns = this.#columns(units);
    const open = new Set([current, last.period].map((period) => period.slice(0, 4)));
    const table = createTable(
      this.words("months"),
      [this.words("month"), ...columns.map(([name]) => name)],
      ...years.map((year) => {
        const ofYear = months.filter(({ period }) => period.startsWith(year.period));
        return this.#year(columns, year, ofYear, this.#chosen.get(year.period) ?? open.has(year.period));
      }),
    );
    const isCompared = [...months, ...years].some(({ before }) => before);
    const focused = root.getRootNode().activeElement?.dataset.year;
    root.replaceChildren(
      this.#highlights(last, last.period === current, units),
      element("p", { class: "secondary" }, isCompared ? this.words("compared") : this.words("compared_later")),
      table,
    );
    if (focused) root.querySelector(`[data-year="${focused}"]`)?.focus();
  }

  #year(columns, year, months, isOpen) {
    const button = element("button", { type: "button", "data-year": year.period }, this.formats.period(year.period));
    const rows = months.map((month) => createRow(columns, month, this.formats.period(month.period)));
    const show = (isShown) => {
      button.setAttribute("aria-expanded", isShown);
      for (const each of rows) each.hidden = !isShown;
    };
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-expanded") !== "true";
      this.#chosen.set(year.period, isShown);
      show(isShown);
    });
    show(isOpen);
    const total = createRow(columns, year, button, { scope: "rowgroup", class: "year" });
    return element("tbody", { role: "rowgroup" }, total, ...rows);
  }

  /** What people ask most often, about the last month. */
  #highlights(month, isCurrent, units) {
    const words = this.words;
    const columns = new Map(this.#columns(units).map(([name, show]) => [name, show]));
    const time = this.formats.period(month.period);
    const names = [words("distance"), words("charging_cost"), words("used_most"), words("standby_loss")];
    return element(
      "section",
      { class: "highlights" },
      element("h2", {}, isCurrent ? words("this_month", { time }) : words("last_month", { time })),
      createTiles(names.map((name) => [name, columns.get(name)(month)])),
    );
  }

  /** The columns of the table. Each has a name, and returns the texts of a period. */
  #columns(units) {
    const { words, formats } = this;
    const distance = (value) => formats.amount(value, units.distance, 0);
    const kwh = (value) => formats.amount(value, units.energy);
    const cost = (value) => formats.cost(value, units.currency);
    const used = (value) => formats.consumption(value, units);
    const loss = (value) =>
      value === null ? undefined : words("per_day", { value: formats.percent(value, 1) });
    // Without the unit, a value of the year before fits into one line.
    const shortFormats = new Map([
      [used, (value) => formats.number(value, 1)],
      [loss, (value) => formats.percent(value, 1)],
    ]);
    // A value, how it has changed since the year before, and more about it.
    const compared = (values, name, format, ...more) => [
      format(values[name]),
      this.#change(values[name], values.before?.[name], shortFormats.get(format) ?? format),
      ...more,
    ];
    return [
      [words("distance"), (values) => compared(values, "distance", distance)],
      [
        words("drives"),
        (values) =>
          compared(
            values,
            "drives",
            (count) => formats.number(count),
            values.drives > 0 && formats.hours(values.driving),
          ),
      ],
      [
        words("consumption"),
        (values) =>
          compared(
            values,
            "consumption",
            used,
            values.energy !== null && words("used_by_drives", { value: kwh(values.energy) }),
            values.energy !== null &&
              values.drives_without_energy > 0 &&
              words("drives_without_energy", { count: formats.number(values.drives_without_energy) }),
          ),
      ],
      [
        words("energy_charged"),
        (values) =>
          compared(
            values,
            "energy_added",
            kwh,
            values.energy_used !== null && words("from_charger", { value: kwh(values.energy_used) }),
          ),
      ],
      [
        words("charging_cost"),
        (values) =>
          compared(
            values,
            "cost",
            cost,
            values.cost_per_100 !== null && formats.per(cost(values.cost_per_100), hundred(units)),
            ...Object.entries(values.other_costs).map(([other, amount]) => formats.cost(amount, other)),
            values.charges_without_cost > 0 &&
              words("charges_without_cost", { count: formats.number(values.charges_without_cost) }),
          ),
      ],
      [
        words("standby_loss"),
        (values) =>
          compared(
            values,
            "standby_per_day",
            loss,
            values.standby_lost !== null &&
              [
                kwh(values.standby_energy) ?? formats.percent(values.standby_lost, 1),
                formats.days(values.standby_days),
              ].join(" · "),
          ),
      ],
      [words("used_most"), ({ most_energy, longest }) => this.#top(most_energy ?? longest, kwh, distance)],
    ];
  }

  /** The change since the year before, with an arrow and a sign, or undefined if it is unknown. */
  #change(value, before, format) {
    if (value === null || !before) return undefined;
    const change = (value - before) / Math.abs(before);
    const arrow = Math.round(change * 100) === 0 ? "→" : change > 0 ? "↑" : "↓";
    // A cost below zero has no percentage of another one.
    const hasShare = value >= 0 && before > 0;
    const amount = hasShare ? this.formats.change(change) : format(Math.abs(value - before));
    return this.words("change_from", { change: `${arrow}\u00a0${amount}`, value: format(before) });
  }

  #top(drive, kwh, distance) {
    if (!drive) return [];
    const { start_place, end_place } = drive;
    const elsewhere = this.words("elsewhere");
    return [
      kwh(drive.energy) ?? distance(drive.distance),
      (start_place || end_place) && this.formats.fromTo(start_place ?? elsewhere, end_place ?? elsewhere),
      [this.formats.date(Date.parse(drive.start)), drive.energy !== null && distance(drive.distance)]
        .filter(Boolean)
        .join(" · "),
    ];
  }
}
