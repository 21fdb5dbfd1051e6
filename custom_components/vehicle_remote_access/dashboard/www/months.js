/** The page with the months and years of a car's log, each beside the same time of the year before. */

import { createRow, createRows, createSection, createTable, createTiles, element } from "./dom.js";
import { hundred } from "./formats.js";
import { LogContent } from "./log_element.js";
import { joined, logTexts } from "./log_texts.js";
import { MONTHS_STYLES } from "./styles.js";

export default class Months extends LogContent {
  styles = MONTHS_STYLES;
  /** The years whose months are visible or not, if the user has chosen that. */
  #chosen = /** @type {Map<string, boolean>} */ (new Map());

  load(/** @type {SendLogCommand} */ send) {
    return send("months");
  }

  isEmpty(/** @type {LogMonths} */ { months }) {
    return !months.length;
  }

  get later() {
    return this.words("months_later");
  }

  fill(/** @type {HTMLElement} */ root, /** @type {LogMonths} */ { months, years, current, units }) {
    const last = months[months.findIndex(({ period }) => period === current) + 1] ?? months[0];
    const columns = this.#columns(units);
    const open = new Set([current, last.period].map((period) => period.slice(0, 4)));
    const table = createTable(
      this.words("months"),
      this.words("month"),
      columns,
      ...years.map((year) => {
        const ofYear = months.filter(({ period }) => period.startsWith(year.period));
        return this.#year(columns, year, ofYear, this.#chosen.get(year.period) ?? open.has(year.period));
      }),
    );
    const isCompared = [...months, ...years].some(({ before }) => before);
    const focused = /** @type {ShadowRoot} */ (root.getRootNode()).activeElement?.getAttribute("data-year");
    root.replaceChildren(
      this.#highlights(columns, last, last.period === current),
      element("p", { class: "secondary" }, isCompared ? this.words("compared") : this.words("compared_later")),
      table,
    );
    if (focused) root.querySelector(`[data-year="${focused}"]`)?.focus();
  }

  /** @type {(columns: Columns, year: PeriodTotals, months: PeriodTotals[], isOpen: boolean) => HTMLElement} */
  #year(columns, year, months, isOpen) {
    const button = element("button", { type: "button", "data-year": year.period }, this.formats.period(year.period));
    const rows = months.map((month) => createRow(columns, month, this.formats.period(month.period)));
    const show = (/** @type {boolean} */ isShown) => {
      button.setAttribute("aria-expanded", String(isShown));
      for (const each of rows) each.hidden = !isShown;
    };
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-expanded") !== "true";
      this.#chosen.set(year.period, isShown);
      show(isShown);
    });
    show(isOpen);
    const total = createRow(columns, year, button, { scope: "rowgroup", class: "year" });
    return createRows("tbody", total, ...rows);
  }

  /** What people ask most often, about the last month. */
  #highlights(/** @type {Columns} */ columns, /** @type {PeriodTotals} */ month, /** @type {boolean} */ isCurrent) {
    const { words } = this;
    const show = new Map(columns);
    const time = this.formats.period(month.period);
    const names = [words("distance"), words("charging_cost"), words("used_most"), words("standby_loss")];
    return createSection(
      isCurrent ? words("this_month", { time }) : words("last_month", { time }),
      createTiles(names.map((name) => [name, show.get(name)?.(month) ?? []])),
    );
  }

  /** The columns of the table. Each has a name, and returns the texts of a period. */
  #columns(/** @type {LogUnits} */ units) {
    const { words, formats } = this;
    const { energy, cost, consumption, perDay, fromCharger, otherCosts, withoutCost, ...texts } = logTexts(this, units);
    const distance = (/** @type {number | null} */ value) => texts.distance(value, 0);
    // A value, how it has changed since the year before, and more about it.
    /** @type {CreateColumn} */
    const column = (title, name, format, more = () => [], changed = format) => [
      title,
      (values) => [format(values[name]), this.#change(values[name], values.before?.[name], changed), ...more(values)],
    ];
    const driven = (/** @type {Totals} */ { drives, driving }) => [drives > 0 && formats.hours(driving)];
    const used = (/** @type {Totals} */ { energy: value, drives_without_energy: count }) => [
      value !== null && words("used_by_drives", { value: energy(value) }),
      value !== null && count > 0 && words("drives_without_energy", { count: formats.number(count) }),
    ];
    const paid = (/** @type {Totals} */ values) => [
      values.cost_per_100 !== null && formats.per(cost(values.cost_per_100), hundred(units)),
      ...otherCosts(values),
      withoutCost(values),
    ];
    const lost = (/** @type {Totals} */ { standby_lost: share, standby_energy: value, standby_days: days }) => [
      share !== null && joined(energy(value) ?? formats.percent(share, 1), formats.days(days)),
    ];
    return /** @type {Columns} */ ([
      column(words("distance"), "distance", distance),
      column(words("drives"), "drives", (count) => formats.number(count ?? 0), driven),
      // Without the unit, a value of the year before fits into one line.
      column(words("consumption"), "consumption", consumption, used, (value) => formats.number(value, 1)),
      column(words("energy_charged"), "energy_added", energy, (values) => [fromCharger(values)]),
      column(words("charging_cost"), "cost", cost, paid),
      column(words("standby_loss"), "standby_per_day", perDay, lost, (value) => formats.percent(value, 1)),
      [words("used_most"), ({ most_energy, longest }) => this.#top(most_energy ?? longest, units)],
    ]);
  }

  /** @type {ChangeOf} The change since the year before, with an arrow and a sign, or undefined if it is unknown */
  #change(value, before, format) {
    if (value === null || !before) return undefined;
    const change = (value - before) / Math.abs(before);
    const arrow = Math.round(change * 100) === 0 ? "→" : change > 0 ? "↑" : "↓";
    // A cost below zero has no percentage of another one.
    const hasShare = value >= 0 && before > 0;
    const amount = hasShare ? this.formats.change(change) : format(Math.abs(value - before));
    return this.words("change_from", { change: `${arrow}\u00a0${amount}`, value: format(before) });
  }

  #top(/** @type {TopDrive | null} */ drive, /** @type {LogUnits} */ units) {
    if (!drive) return [];
    const { energy, distance, places } = logTexts(this, units);
    const date = this.formats.date(Date.parse(drive.start));
    const length = distance(drive.distance, 0);
    return drive.energy === null
      ? [length, places(drive), date]
      : [energy(drive.energy), places(drive), joined(date, length)];
  }
}
