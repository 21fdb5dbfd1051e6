/** A card with the last drive, the last charge, and this month, for any dashboard. */

import { element, valueLines } from "./dom.js";
import { LogContent } from "./log_element.js";
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
    const parts = [
      [this.words("last_drive"), "mdi:car", drive && this.#drive(drive, units)],
      [this.words("last_charge"), "mdi:ev-station", charge && this.#charge(charge, units)],
      [this.#month(month), "mdi:calendar-month", this.#total(month, units)],
    ];
    root.replaceChildren(
      ...(this.config.show_name === false ? [] : [element("h2", {}, this.car.name)]),
      element(
        "div",
        { class: "parts" },
        ...parts
          .filter(([, , texts]) => texts)
          .map(([name, icon, texts]) =>
            element(
              "section",
              {},
              element("h3", {}, element("ha-icon", { icon }), name),
              ...valueLines(texts),
            ),
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

  #drive(drive, units) {
    const { words, formats } = this;
    const elsewhere = words("elsewhere");
    const { start_place, end_place } = drive;
    return [
      formats.amount(drive.distance, units.distance),
      (start_place || end_place) && formats.fromTo(start_place ?? elsewhere, end_place ?? elsewhere),
      this.#when(drive),
      formats.consumption(drive.consumption, units),
    ];
  }

  #charge(charge, units) {
    const { words, formats } = this;
    const { start_battery: start, end_battery: end } = charge;
    const isKnown = start !== null && end !== null;
    return [
      formats.amount(charge.energy_added, units.energy),
      [
        charge.place,
        isKnown && formats.fromTo(formats.percent(start), formats.percent(end)),
      ]
        .filter(Boolean)
        .join(" · "),
      this.#when(charge),
      charge.currency && formats.cost(charge.cost, charge.currency),
    ];
  }

  #when({ start, end }) {
    const [from, to] = [Date.parse(start), Date.parse(end)];
    return [`${this.formats.date(from)}, ${this.formats.time(from)}`, this.formats.duration(to - from)].join(" · ");
  }

  #month({ period }) {
    return this.formats.period(period);
  }

  #total({ distance, energy_added, cost, charges_without_cost }, units) {
    const { words, formats } = this;
    return [
      formats.amount(distance, units.distance, 0),
      energy_added > 0 && `${words("energy_charged")}: ${formats.amount(energy_added, units.energy)}`,
      cost !== null && `${words("charging_cost")}: ${formats.cost(cost, units.currency)}`,
      cost !== null &&
        charges_without_cost > 0 &&
        words("charges_without_cost", { count: formats.number(charges_without_cost) }),
    ];
  }
}
