/** A card with the last drive, the last charge, and this month, for any dashboard. */

import { element, valueLines } from "./dom.js";
import { LogContent } from "./log_element.js";
import { joined, logTexts } from "./log_texts.js";
import { openWithin, pagePath } from "./navigation.js";
import { LOG_CARD_STYLES } from "./styles.js";
import { DOMAIN, URL_PATH, getPageHass, loadWords } from "./words.js";

/** The card. With the option `show_name: false`, it has no title. */
export default class LogCard extends LogContent {
  styles = LOG_CARD_STYLES;

  static async getConfigForm() {
    const words = await loadWords(await getPageHass());
    const labels = { device_id: words("car"), show_name: words("show_name") };
    return {
      schema: [
        { name: "device_id", required: true, selector: { device: { filter: { integration: DOMAIN } } } },
        { name: "show_name", default: true, selector: { boolean: {} } },
      ],
      computeLabel: ({ name }) => labels[name],
    };
  }

  async load(send) {
    const [drives, charges, { months, units }] = await Promise.all([
      send("list", { kind: "drives", limit: 1 }),
      send("list", { kind: "charges", limit: 1 }),
      send("months"),
    ]);
    return { drive: drives.entries[0], charge: charges.entries[0], month: months[0], units };
  }

  isEmpty({ drive, charge }) {
    return !drive && !charge;
  }

  get later() {
    return this.words("log_later");
  }

  fill(root, { drive, charge, month, units }) {
    const texts = logTexts(this, units);
    const parts = [
      [this.words("last_drive"), "mdi:car", drive && this.#drive(drive, texts)],
      [this.words("last_charge"), "mdi:ev-station", charge && this.#charge(charge, texts)],
      [this.formats.period(month.period), "mdi:calendar-month", this.#total(month, texts)],
    ];
    root.replaceChildren(
      ...(this.config.show_name === false ? [] : [element("h2", {}, this.car.name)]),
      element(
        "div",
        { class: "parts" },
        ...parts
          .filter(([, , lines]) => lines)
          .map(([name, icon, lines]) =>
            element("section", {}, element("h3", {}, element("ha-icon", { icon }), name), ...valueLines(lines)),
          ),
      ),
      ...this.#link,
    );
  }

  /** The link that covers the card, if there are pages of the log. */
  get #link() {
    if (!this.hass.panels?.[URL_PATH]) return [];
    const name = this.words("log_of", { name: this.car.name });
    const link = element("a", { href: `/${URL_PATH}/${pagePath(this.car, "log")}`, "aria-label": name });
    openWithin(link);
    return [link];
  }

  #drive(drive, { distance, places, consumption }) {
    return [distance(drive.distance), places(drive), this.#when(drive), consumption(drive.consumption)];
  }

  #charge(charge, { energy, levels, cost }) {
    return [
      energy(charge.energy_added),
      joined(charge.place, levels(charge)),
      this.#when(charge),
      charge.currency && cost(charge.cost, charge.currency),
    ];
  }

  #when({ start, end }) {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    return joined(`${this.formats.date(from)}, ${this.formats.time(from)}`, this.formats.duration(to - from));
  }

  #total(month, { distance, energy, cost, withoutCost }) {
    const { words } = this;
    return [
      distance(month.distance, 0),
      month.energy_added > 0 && `${words("energy_charged")}: ${energy(month.energy_added)}`,
      month.cost !== null && `${words("charging_cost")}: ${cost(month.cost)}`,
      month.cost !== null && withoutCost(month),
    ];
  }
}
