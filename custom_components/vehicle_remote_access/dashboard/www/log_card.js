/** A card with the last drive, the last charge, and this month, for any dashboard. */

import { element, valueLines } from "./dom.js";
import { createConfigForm } from "./element.js";
import { LogContent } from "./log_element.js";
import { linkToPrice } from "./log_links.js";
import { joined, logTexts } from "./log_texts.js";
import { createLink, pagePath } from "./navigation.js";
import { LOG_CARD_STYLES } from "./styles.js";
import { URL_PATH, getPageHass, loadWords } from "./words.js";

/** The card. With the option `show_name: false`, it has no title. */
export default class LogCard extends LogContent {
  styles = LOG_CARD_STYLES;

  static async getConfigForm() {
    const words = await loadWords(await getPageHass());
    const showName = { name: "show_name", default: true, selector: { boolean: {} } };
    return createConfigForm(words, showName, words("show_name"));
  }

  load(/** @type {SendLogCommand} */ send) {
    return send("latest");
  }

  isEmpty(/** @type {Latest} */ { drive, charge }) {
    return !drive && !charge;
  }

  fill(/** @type {HTMLElement} */ root, /** @type {Latest} */ { drive, charge, month, units }) {
    const texts = logTexts(this, units);
    const part = (/** @type {string} */ name, /** @type {string} */ icon, /** @type {Line[]} */ lines) =>
      element("section", {}, element("h3", {}, element("ha-icon", { icon }), name), ...valueLines(lines));
    root.replaceChildren(
      ...(this.config.show_name === false ? [] : [element("h2", {}, this.car.name)]),
      element(
        "div",
        { class: "parts" },
        drive && part(this.words("last_drive"), "mdi:car", this.#drive(drive, texts)),
        charge && part(this.words("last_charge"), "mdi:ev-station", this.#charge(charge, texts)),
        part(this.formats.period(month.period), "mdi:calendar-month", this.#total(month, texts)),
        linkToPrice(this, month),
      ),
      ...this.#link,
    );
  }

  /** The link that covers the card, if there are pages of the log. */
  get #link() {
    if (!this.hass.panels?.[URL_PATH]) return [];
    const name = this.words("log_of", { name: this.car.name });
    const link = createLink(pagePath(this.car, "log"), "", { dashboard: URL_PATH });
    link.setAttribute("aria-label", name);
    return [link];
  }

  #drive(/** @type {Drive} */ drive, /** @type {LogTexts} */ { distance, places, consumption }) {
    return [distance(drive.distance), places(drive), this.#when(drive), consumption(drive.consumption)];
  }

  #charge(/** @type {Charge} */ charge, /** @type {LogTexts} */ { energy, levels, cost, later, savedBy }) {
    const [from, to] = [Date.parse(charge.start), Date.parse(charge.end)];
    return [
      energy(charge.energy_added),
      joined(charge.place, levels(charge)),
      `${this.formats.date(from)}, ${this.formats.timeSpan(from, to)}`,
      charge.currency && cost(charge.cost, charge.currency),
      ...later(savedBy(charge), charge.currency ?? undefined).map(({ name, amount }) => `${name}: ${amount}`),
    ];
  }

  #when(/** @type {Drive} */ { start, end }) {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    return joined(`${this.formats.date(from)}, ${this.formats.time(from)}`, this.formats.duration(to - from));
  }

  #total(/** @type {Latest["month"]} */ month, /** @type {LogTexts} */ { distance, energy, cost, withoutCost }) {
    const { words } = this;
    return [
      distance(month.distance, 0),
      Number(month.energy_added) > 0 && `${words("energy_charged")}: ${energy(month.energy_added)}`,
      month.cost !== null && `${words("charging_cost")}: ${cost(month.cost)}`,
      month.cost !== null && withoutCost(month),
    ];
  }
}
