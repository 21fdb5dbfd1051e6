/** The page with the log of a car: its drives, charges and stays, day by day. */

import { CarElement } from "./element.js";
import { Formats } from "./formats.js";
import { LogData } from "./log_data.js";
import { createDetail, element } from "./log_detail.js";
import { createExport } from "./log_export.js";
import { LOG_STYLES } from "./looks.js";

export const LOG = "vehicle-remote-access-log";

const DAY = 1440;
const ICONS = { drive: "mdi:car", charge: "mdi:ev-station", stay: "mdi:parking" };
/** Older entries are loaded when the end of the list is this close to the screen. */
const MARGIN = "1500px";

const TEMPLATE = `
  <style>${LOG_STYLES}</style>
  <ha-card>
    <div class="message" role="status"></div>
    <div class="export"></div>
    <div class="days"></div>
    <div class="end"></div>
  </ha-card>`;

const sum = (entries, value) => entries.reduce((total, entry) => total + (entry[value] ?? 0), 0);

/** Whether two lists of entries show the same. */
const areSame = (some, others) =>
  some.length === others.length &&
  some.every((each, index) => each === others[index] || JSON.stringify(each) === JSON.stringify(others[index]));

/** The log. It fills the width of its view. */
export class Log extends CarElement {
  #data;
  #formats;
  #locale;
  #observer;
  #isDrawn = false;
  /** The sections of days, each with the entries that it shows. */
  #days = new Map();
  /** The ids of the entries whose details are shown. */
  #opened = new Set();
  #texts = {
    drive: (entry) => this.#drive(entry),
    charge: (entry) => this.#charge(entry),
    stay: (entry) => this.#stay(entry),
  };
  /** The day and minute of the start and the end of entries. */
  #times = new WeakMap();

  getCardSize() {
    return 12;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#data?.stop();
    this.#data = undefined;
    this.#isDrawn = false;
    this.#observer?.disconnect();
  }

  build(root) {
    root.innerHTML = TEMPLATE;
    return root;
  }

  draw(root, status) {
    const message = root.querySelector(".message");
    if (!status) {
      this.#show(message, this.words("no_such_car"), this.words("choose_another"));
      return;
    }
    if (!this.isConnected) return;
    if (!this.#data) this.#start(root);
    if (this.#locale !== this.hass.locale) {
      this.#locale = this.hass.locale;
      this.#formats = new Formats(this.hass);
      this.#isDrawn = false;
      this.#times = new WeakMap();
      this.#days.clear();
      root.querySelector(".days").replaceChildren();
      root.querySelector(".export").replaceChildren(createExport(this.hass, this.words, this.#formats, this.car.id));
    }
    if (this.#isDrawn) return; // This is called after each change of the car.
    this.#isDrawn = true;
    const { entries, open, units, error } = this.#data;
    const isEmpty = units && !entries.length && !open.length;
    if (error) this.#show(message, this.words("cannot_be_shown"), error.message);
    else if (isEmpty) this.#show(message, this.words("log_empty"), this.words("log_later"));
    message.hidden = !error && !isEmpty;
    root.querySelector(".export").hidden = !units || isEmpty;
    if (units) this.#drawDays(root.querySelector(".days"));
  }

  #show(message, title, text) {
    message.replaceChildren(element("strong", {}, title), text ?? "");
    message.hidden = false;
  }

  #start(root) {
    this.#data = new LogData(this.hass, this.car.id, () => {
      this.#isDrawn = false;
      this.redraw();
    });
    this.#observer = new IntersectionObserver(
      (changes) => changes.some((each) => each.isIntersecting) && this.#data?.loadMore(),
      { rootMargin: MARGIN },
    );
    this.#observer.observe(root.querySelector(".end"));
  }

  /** Draw the days that have changed. Days are in the user's time zone, and the newest is the first. */
  #drawDays(list) {
    const { entries, open } = this.#data;
    const groups = new Map();
    const parts = new Map();
    const add = (map, day, value) => map.set(day, [...(map.get(day) ?? []), value]);
    for (const entry of [...open.map((each) => ({ ...each, isOpen: true })), ...entries]) {
      const [start, end] = this.#localTimes(entry);
      add(groups, start.day, entry);
      if (entry.kind === "stay") continue;
      add(parts, start.day, [entry.kind, start.minute, start.day === end.day ? end.minute : DAY]);
      if (start.day !== end.day) add(parts, end.day, [entry.kind, 0, end.minute]);
    }
    let next = list.firstElementChild;
    for (const [day, shown] of groups) {
      const strip = parts.get(day) ?? [];
      const drawn = this.#days.get(day);
      if (!drawn || !areSame(drawn.shown, shown) || JSON.stringify(drawn.strip) !== JSON.stringify(strip)) {
        const section = this.#day(shown, strip);
        if (drawn) {
          if (next === drawn.section) next = section;
          drawn.section.replaceWith(section);
        } else {
          list.insertBefore(section, next);
        }
        this.#days.set(day, { shown, strip, section });
      }
      next = this.#days.get(day).section.nextElementSibling;
    }
    for (const [day, { section }] of this.#days) {
      if (groups.has(day)) continue;
      section.remove();
      this.#days.delete(day);
    }
    // The end of a short list stays on the screen, which is no change for the observer.
    const end = list.nextElementSibling;
    this.#observer.unobserve(end);
    if (!this.#data.isComplete) this.#observer.observe(end);
  }

  #localTimes(entry) {
    if (!this.#times.has(entry)) {
      const local = (time) => this.#formats.local(Date.parse(time));
      this.#times.set(entry, [local(entry.start), local(entry.end)]);
    }
    return this.#times.get(entry);
  }

  #day(entries, parts) {
    const name = this.#formats.day(Date.parse(entries[0].start));
    const total = this.#total(entries);
    const strip = element("div", { class: "strip", role: "img", "aria-label": total || this.words("parked") });
    for (const [kind, from, to] of parts) {
      const part = element("span", { class: kind });
      part.style.insetInlineStart = `${(from / DAY) * 100}%`;
      part.style.width = `${(Math.max(0, to - from) / DAY) * 100}%`;
      strip.append(part);
    }
    return element(
      "section",
      { class: "day", "aria-label": name },
      element("header", {}, element("h2", {}, name), element("span", { class: "secondary" }, total)),
      strip,
      element("ul", {}, ...entries.map((entry) => this.#entry(entry))),
    );
  }

  /** What the car drove and charged in one day. Costs in other currencies are left out. */
  #total(entries) {
    const formats = this.#formats;
    const { distance, energy, currency } = this.#data.units;
    const paid = entries.filter((entry) => entry.cost && entry.currency === currency);
    return [
      sum(entries, "distance") && formats.amount(sum(entries, "distance"), distance),
      sum(entries, "energy_added") && formats.amount(sum(entries, "energy_added"), energy),
      paid.length && formats.cost(sum(paid, "cost"), currency),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  #entry(entry) {
    const [start, end] = [Date.parse(entry.start), Date.parse(entry.end)];
    const formats = this.#formats;
    const until = entry.isOpen ? this.words("until_now") : formats.time(end);
    const { title, main, more } = this.#texts[entry.kind](entry);
    const times = `${formats.time(start)} – ${until} · ${formats.duration(end - start)}`;
    const canOpen = !entry.isOpen && entry.kind !== "stay";
    const row = element(
      canOpen ? "button" : "div",
      { class: `entry ${entry.kind}${entry.isOpen ? " open" : ""}` },
      element("ha-icon", { icon: ICONS[entry.kind] }),
      element("span", { class: "title" }, title),
      element("span", { class: "main" }, main),
      element("span", { class: "secondary" }, [times, entry.tag, entry.note].filter(Boolean).join(" · ")),
      element("span", { class: "secondary more" }, more.filter(Boolean).join(" · ")),
    );
    const item = element("li", {}, row);
    if (canOpen) {
      row.addEventListener("click", () => this.#toggle(item, entry));
      row.setAttribute("aria-expanded", this.#opened.has(entry.id));
      if (this.#opened.has(entry.id)) item.append(this.#detail(entry));
    }
    return item;
  }

  /** Show or hide the details of an entry. */
  #toggle(item, entry) {
    const isOpen = !this.#opened.delete(entry.id);
    if (isOpen) this.#opened.add(entry.id);
    item.firstElementChild.setAttribute("aria-expanded", isOpen);
    if (isOpen) item.append(this.#detail(entry));
    else item.lastElementChild.remove();
  }

  #detail(entry) {
    const { entries, units } = this.#data;
    const drives = entries.filter((each) => each.kind === "drive");
    const next = drives[drives.findIndex((each) => each.id === entry.id) - 1];
    const { hass, words } = this;
    const context = { hass, words, units, formats: this.#formats, deviceId: this.car.id };
    return createDetail(context, entry, next);
  }

  #drive(drive) {
    const { distance, energy } = this.#data.units;
    const elsewhere = this.words("elsewhere");
    const from = drive.start_place ?? elsewhere;
    const to = drive.end_place ?? elsewhere;
    const isKnown = drive.start_place || drive.end_place;
    const title = isKnown ? this.words("from_to", { from, to }) : this.words("drive");
    return {
      title: drive.isOpen ? this.words("driving") : title,
      main: this.#formats.amount(drive.distance, distance),
      more: [this.#formats.amount(drive.consumption, `${energy}/100\u00a0${distance}`)],
    };
  }

  #charge(charge) {
    const formats = this.#formats;
    const { start_battery: start, end_battery: end } = charge;
    const isKnown = start !== null && end !== null;
    const title = [this.words("charging"), charge.place].filter(Boolean).join(" · ");
    return {
      title,
      main: formats.amount(charge.energy_added, this.#data.units.energy),
      more: [
        isKnown && this.words("from_to", { from: formats.percent(start), to: formats.percent(end) }),
        charge.currency && formats.cost(charge.cost, charge.currency),
      ],
    };
  }

  #stay(stay) {
    const title = stay.place ? this.words("parked_at", { zone: stay.place }) : this.words("parked");
    const isLoss = stay.battery_lost !== null && Math.round(stay.battery_lost) > 0;
    return { title, main: isLoss && this.#formats.percent(-stay.battery_lost), more: [] };
  }
}
