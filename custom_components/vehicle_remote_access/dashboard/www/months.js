/** The page with the months and years of a car's log: their costs, their changes, and the totals of all time. */

import { createChoice } from "./choice.js";
import { createRow, createRows, createSection, createTable, createTiles, element } from "./dom.js";
import { createDots } from "./dots.js";
import { hundred } from "./formats.js";
import { LogContent } from "./log_element.js";
import { linkToPrice, linkWithoutCost } from "./log_links.js";
import { joined, logTexts, tagText } from "./log_texts.js";
import { createMonthChart } from "./month_chart.js";
import { changeOf, monthBefore, monthValues } from "./month_texts.js";
import { createLink, pagePath } from "./navigation.js";
import { ONE_DAY } from "./status.js";
import { MONTHS_STYLES } from "./styles.js";

/** The values in the row of a month. Others are in its details. */
const COLUMNS = /** @type {MonthValue[]} */ (["distance", "consumption", "cost", "driving_cost"]);

export default class Months extends LogContent {
  later = "months_later";
  styles = MONTHS_STYLES;
  /** @type {LogTexts} */ #texts;
  /** @type {LogUnits} */ #units;
  #today = "";
  // The user's choices
  #chart = { value: /** @type {MonthValue} */ ("distance"), yearsAgo: 0 };
  #years = /** @type {Map<string, boolean>} */ (new Map());
  #details = /** @type {Set<string>} */ (new Set());
  /** The year whose tags are shown, or all. */
  #tagYear = "";

  load(/** @type {SendLogCommand} */ send) {
    return send("months");
  }

  isEmpty(/** @type {LogMonths} */ { months }) {
    return !months.length;
  }

  fill(/** @type {HTMLElement} */ root, /** @type {LogMonths} */ log) {
    this.#units = log.units;
    this.#texts = logTexts(this, log.units);
    this.#today = log.today;
    const key = /** @type {ShadowRoot} */ (root.getRootNode()).activeElement?.getAttribute("data-key");
    const sections = [
      this.#highlights(log),
      createMonthChart(this, log, this.#chart),
      this.#temperatures(log),
      this.#table(log),
      this.#byTag(log),
      this.#totalSection(log.total),
    ];
    root.replaceChildren(...sections.filter(Boolean));
    if (key) root.querySelector(`[data-key="${key}"]`)?.focus();
  }

  /** This month, such as `2026-11`. */
  get #current() {
    return this.#today.slice(0, 7);
  }

  /** The cost of this month until now, of the last month, and of the same month of the last year. */
  #highlights(/** @type {LogMonths} */ { months, total }) {
    const { distance, cost, consumption, otherCosts } = this.#texts;
    const rows = new Map(months.map((month) => [month.period, month]));
    const now = rows.get(this.#current);
    const names = [
      this.#current,
      monthBefore(this.#current, 1),
      ...(now?.before ? [monthBefore(this.#current, 12)] : []),
    ];
    const shown = names.map((name) => rows.get(name)).filter(Boolean);
    const tiles = createTiles(
      shown.map((month) => [
        this.#monthName(month.period),
        [cost(month.cost), ...otherCosts(month), distance(month.distance, 0), consumption(month.consumption)],
      ]),
    );
    tiles.classList.add("times");
    shown.forEach((month, index) =>
      tiles.children[index].lastElementChild?.append(linkWithoutCost(this, month, this.#units, month.period) ?? ""),
    );
    return createSection(this.words("charging_cost"), tiles, linkToPrice(this, total));
  }

  /** The name of a month, with its year if that is another one than this year. */
  #monthName(/** @type {string} */ month) {
    const isThisYear = month.slice(0, 4) === this.#current.slice(0, 4);
    const time = this.formats.period(month, isThisYear ? { year: undefined } : {});
    return month === this.#current ? this.words("so_far", { time }) : time;
  }

  #temperatures(/** @type {LogMonths} */ { temperatures, at_temperatures: means }) {
    const [first, last] = [means[0], means.at(-1)];
    if (!last || means.length < 2) return undefined;
    const { words, formats, hass } = this;
    const degrees = (/** @type {number} */ value) =>
      formats.amount(value, hass.config.unit_system.temperature, 0) ?? "";
    const summary = words("consumption_at", {
      cold: degrees(first[0]),
      first: formats.number(first[1], 1),
      warm: degrees(last[0]),
      last: this.#texts.consumption(last[1]),
    });
    const level = (/** @type {number} */ value, /** @type {number} */ digits) => formats.number(value, digits);
    return createSection(
      words("consumption_by_temperature"),
      element("p", {}, summary),
      createDots({ points: temperatures, means, level, mark: degrees, summary }),
    );
  }

  // The table

  #table(/** @type {LogMonths} */ { months, years }) {
    const columns = this.#columns();
    const open = new Set([this.#current, monthBefore(this.#current, 1)].map((month) => month.slice(0, 4)));
    const parts = years.map((year) => {
      const ofYear = months.filter(({ period }) => period.startsWith(year.period));
      return this.#year(columns, year, ofYear, this.#years.get(year.period) ?? open.has(year.period));
    });
    return createSection(
      this.words("months"),
      this.#explanation(),
      createTable(this.words("months"), this.words("month"), columns, ...parts),
    );
  }

  /** What the two costs are. It is closed at first. */
  #explanation() {
    const [charging, driving] = [this.words("charging_cost"), this.words("cost_of_driving")];
    return element(
      "details",
      {},
      element("summary", { "data-key": "costs" }, joined(charging, driving)),
      element("p", {}, `${charging}: ${this.words("charging_cost_means")}`),
      element("p", {}, `${driving}: ${this.words("cost_of_driving_means")}`),
    );
  }

  /** @type {() => Columns} The columns of the table. Each has a name, and returns the texts of a period */
  #columns() {
    const values = monthValues(this, this.#units);
    return COLUMNS.map((name) => {
      const { title, format, short = format } = values[name];
      return [
        title,
        (month) => [
          format(month[name], month),
          changeOf(this, month, name, short),
          ...(name === "cost" ? this.#texts.otherCosts(month) : []),
          name === "driving_cost" && this.#texts.drivesWithoutCost(month),
        ],
      ];
    });
  }

  /** @type {(columns: Columns, year: PeriodTotals, months: PeriodTotals[], isOpen: boolean) => HTMLElement} */
  #year(columns, year, months, isOpen) {
    const name = this.formats.period(year.period);
    const button = element("button", { type: "button", class: "toggle", "data-key": year.period }, name);
    const label = `${this.words("details")}: ${name}`;
    const key = `${year.period} details`;
    const details = element("button", { type: "button", class: "link", "data-key": key, "aria-label": label });
    details.append(this.words("details"));
    const total = createRow(columns, year, button, { scope: "rowgroup", class: "year" });
    total.firstElementChild?.append(details);
    const body = createRows("tbody", total);
    let isFilled = false;
    this.#addDetails(details, total, year, columns);
    const show = (/** @type {boolean} */ isShown) => {
      button.setAttribute("aria-expanded", String(isShown));
      body.classList.toggle("closed", !isShown);
      if (isShown && !isFilled) body.append(...months.map((month) => this.#month(columns, month)));
      isFilled ||= isShown;
    };
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-expanded") !== "true";
      this.#years.set(year.period, isShown);
      show(isShown);
    });
    show(isOpen);
    return body;
  }

  #month(/** @type {Columns} */ columns, /** @type {PeriodTotals} */ month) {
    const name = this.formats.period(month.period);
    const button = element("button", { type: "button", class: "toggle", "data-key": month.period }, name);
    const row = createRow(columns, month, button, { class: month.cost === null ? "month unpriced" : "month" });
    this.#addDetails(button, row, month, columns);
    return row;
  }

  /** Let a button show what a row has no room for. */
  #addDetails(
    /** @type {HTMLButtonElement} */ button,
    /** @type {HTMLTableRowElement} */ row,
    /** @type {PeriodTotals} */ values,
    /** @type {Columns} */ columns,
  ) {
    const { period } = values;
    /** @type {HTMLElement | undefined} */
    let details;
    const show = (/** @type {boolean} */ isShown) => {
      button.setAttribute("aria-expanded", String(isShown));
      if (isShown) {
        const cell = element("td", { role: "cell", colspan: columns.length + 1 }, ...this.#detailsOf(values));
        // With the class of the row, the details are hidden like the row when the year is closed.
        details = element("tr", { role: "row", class: `${row.className} details` }, cell);
        row.after(details);
      } else details?.remove();
    };
    button.addEventListener("click", () => {
      const isShown = !this.#details.delete(period);
      if (isShown) this.#details.add(period);
      show(isShown);
    });
    show(false);
    // A row that is not in the table yet has no place for details.
    if (this.#details.has(period)) queueMicrotask(() => show(true));
  }

  #detailsOf(/** @type {PeriodTotals} */ values) {
    const { words, formats } = this;
    const { energy, cost, perDay, fromCharger, later } = this.#texts;
    const { standby_lost: lost, standby_energy: lostEnergy, drives_without_energy: withoutEnergy } = values;
    const tiles = createTiles([
      [words("drives"), [formats.number(values.drives), values.drives > 0 && formats.hours(values.driving)]],
      [
        words("energy_of_drives"),
        [
          energy(values.energy),
          values.energy !== null &&
            withoutEnergy > 0 &&
            words("drives_without_energy", { count: formats.number(withoutEnergy) }),
        ],
      ],
      this.#costOfHundred(values),
      [words("energy_charged"), [energy(values.energy_added), fromCharger(values)]],
      [words("cost_per_kwh"), [cost(values.cost_per_kwh)]],
      ...later(values.saved_by_charging_later).map(({ name, amount }) => /** @type {Tile} */ ([name, [amount]])),
      [
        words("standby_loss"),
        [
          perDay(values.standby_per_day),
          lost !== null && joined(energy(lostEnergy) ?? formats.percent(lost, 1), formats.days(values.standby_days)),
        ],
      ],
      [words("most_energy"), this.#top(values.most_energy ?? values.longest)],
    ]);
    const links = [
      createLink(pagePath(this.car, "log", { period: values.period }), words("show_in_log")),
      createLink(pagePath(this.car, "map", { period: values.period }), words("show_on_map")),
    ];
    return [
      tiles,
      ...this.#tags(values.tags, values.period),
      element("div", { class: "links" }, ...links, linkWithoutCost(this, values, this.#units, values.period)),
    ];
  }

  /** @type {(values: DriveTotals) => Tile} What drives cost, and for how much of their energy that is known */
  #costOfHundred(total) {
    const { drivingCost, priceKnown } = this.#texts;
    const cost = drivingCost(total.driving_cost_per_100, total);
    return [this.words("cost_for", { distance: hundred(this.#units) }), [cost, cost && priceKnown(total)]];
  }

  #top(/** @type {TopDrive | null} */ drive) {
    if (!drive) return [];
    const { energy, distance, places } = this.#texts;
    const date = this.formats.date(Date.parse(drive.start));
    const length = distance(drive.distance, 0);
    return drive.energy === null
      ? [length, places(drive), date]
      : [energy(drive.energy), places(drive), joined(date, length)];
  }

  // Tags, and everything

  #byTag(/** @type {LogMonths} */ { total, years }) {
    const { words, formats } = this;
    if (!total?.tags.length) return undefined;
    const tagged = years.filter(({ tags }) => tags.length);
    const options = tagged.map(({ period }) => /** @type {[string, string]} */ ([period, formats.period(period)]));
    const show = (/** @type {string} */ year) => {
      this.#tagYear = year;
      return this.#tags(tagged.find(({ period }) => period === year)?.tags ?? total.tags, year);
    };
    const chosen = tagged.some(({ period }) => period === this.#tagYear) ? this.#tagYear : "";
    const { choice, content } = createChoice(words("period"), [["", words("all_time")], ...options], chosen, show);
    return createSection(words("by_tag"), choice, content);
  }

  /** A table of the tags of a period, if there are any. */
  #tags(/** @type {TagTotals[]} */ tags, /** @type {string} */ period) {
    if (!tags.length) return [];
    const { words, formats } = this;
    const { distance, drivingCost, drivesWithoutCost, energy } = this.#texts;
    /** @type {Column<TagTotals>[]} */
    const columns = [
      [words("distance"), (each) => [distance(each.distance, 0)]],
      [words("drives"), (each) => [formats.number(each.drives)]],
      [words("energy_of_drives"), (each) => [energy(each.energy)]],
      [words("cost_of_driving"), (each) => [drivingCost(each.driving_cost, each), drivesWithoutCost(each)]],
    ];
    const rows = tags.map((each) => {
      if (each.tag === null) return createRow(columns, each, words("untagged"));
      const path = pagePath(this.car, "log", { period, tag: each.tag });
      return createRow(columns, each, createLink(path, tagText(words, each.tag) ?? ""));
    });
    return [createTable(words("by_tag"), words("tag"), columns, createRows("tbody", ...rows))];
  }

  #totalSection(/** @type {LogMonths["total"]} */ total) {
    if (!total) return undefined;
    const { words, formats } = this;
    const { distance, energy, cost, otherCosts, fromCharger } = this.#texts;
    const tiles = createTiles([
      [words("distance"), [distance(total.distance, 0)]],
      [words("drives"), [formats.number(total.drives), total.drives > 0 && formats.hours(total.driving)]],
      [words("energy_charged"), [energy(total.energy_added), fromCharger(total)]],
      [words("charging_cost"), [cost(total.cost), ...otherCosts(total)]],
      this.#costOfHundred(total),
    ]);
    const time = formats.date(Date.parse(total.since) + ONE_DAY / 2);
    return createSection(
      words("altogether"),
      element("p", { class: "secondary" }, words("since", { time })),
      tiles,
      element("div", { class: "links" }, linkWithoutCost(this, total, this.#units)),
    );
  }
}
