/** A card with the last drive, the last charge, and this month, for any dashboard. */

import { getCar, getCars } from "./cars.js";
import { element, valueLines } from "./dom.js";
import { LogElement } from "./log_element.js";
import { joined, logTexts } from "./log_texts.js";
import { LOG_CARD_STYLES } from "./styles.js";
import { openWithin, pagePath } from "./tabs.js";
import { DOMAIN, getPageHass, loadWords } from "./words.js";

export const LOG_CARD = "vehicle-remote-access-log-card";

/** The sidebar's dashboard, which has the pages of the log. */
const DASHBOARD = "vehicle-remote-access";

/** Return the card for an entity with one of its values, or null. The card picker calls this since 2026.6. */
export function suggestLogCard(hass, entityId) {
  const car = getCar(hass, hass.entities[entityId]?.device_id);
  const shown = car && [car.entities.lastDrive, car.entities.lastCharge, car.entities.monthDistance];
  return shown?.includes(entityId) ? { config: { type: `custom:${LOG_CARD}`, device_id: car.id } } : null;
}

/** The card. With the option `show_name: false`, it has no title. */
export class LogCard extends LogElement {
  styles = LOG_CARD_STYLES;

  static getStubConfig(hass) {
    return { device_id: getCars(hass)[0]?.id ?? "" };
  }

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

  getCardSize() {
    return 4;
  }

  getGridOptions() {
    return { columns: 12, rows: "auto", min_columns: 6 };
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
    if (!this.hass.panels?.[DASHBOARD]) return [];
    const name = this.words("log_of", { name: this.car.name });
    const link = element("a", { href: `/${DASHBOARD}/${pagePath(this.car, "log")}`, "aria-label": name });
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
