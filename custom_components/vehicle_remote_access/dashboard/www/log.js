/** The page with the log of a car: its drives, charges and stays, day by day. */

import { arrange, element } from "./dom.js";
import { LARGEST_PAGE } from "./limits.js";
import { Detail, tagText } from "./log_detail.js";
import { LogContent } from "./log_element.js";
import { createExport } from "./log_export.js";
import { joined, logTexts } from "./log_texts.js";
import { LOG_STYLES } from "./styles.js";

const DAY = 1440;
const ICONS = { drive: "mdi:car", charge: "mdi:ev-station", stay: "mdi:parking" };
/** Older entries are loaded when the end of the list is this close to the screen. */
const MARGIN = "1500px";

const sum = (entries, value) => entries.reduce((total, entry) => total + (entry[value] ?? 0), 0);

/** Whether two entries show the same. */
const isSame = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** Whether two lists of entries show the same. */
const areSame = (some, others) =>
  some.length === others.length && some.every((each, index) => isSame(each, others[index]));

/** The log. It fills the width of its view. */
export default class Log extends LogContent {
  styles = LOG_STYLES;
  showsOpen = true;
  #observer;
  /** The sections of days, each with the entries that it shows. */
  #days = new Map();
  /** The rows by the ids of their entries, with the details that are shown. */
  #items = new Map();
  /** The lines for days without an entry. */
  #gaps = new Map();
  #texts = {
    drive: (entry) => this.#drive(entry),
    charge: (entry) => this.#charge(entry),
    stay: (entry) => this.#stay(entry),
  };
  /** The day and minute of the start and the end of entries. */
  #times = new WeakMap();

  /** Load as many entries as are shown, or the first page. A change can affect any entry. */
  async load(send, shown) {
    let rest = shown?.entries.length ?? 0;
    let page = await send("list", rest ? { limit: Math.min(rest, LARGEST_PAGE) } : {});
    const entries = [...page.entries];
    while ((rest -= page.entries.length) > 0 && page.next !== null) {
      page = await send("list", { before: page.next, limit: Math.min(rest, LARGEST_PAGE) });
      entries.push(...page.entries);
    }
    return { ...page, entries };
  }

  /** Load older entries, unless the oldest one is loaded. */
  #loadMore() {
    const { next } = this.feed?.value ?? { next: null };
    if (next === null) return;
    this.feed.update(async (send, shown) => {
      const page = await send("list", { before: next });
      return { ...shown, entries: [...shown.entries, ...page.entries], next: page.next };
    });
  }

  isEmpty({ entries }) {
    return !entries.length && !this.feed.open.length;
  }

  get later() {
    return this.words("log_later");
  }

  reset() {
    this.#times = new WeakMap();
    for (const shown of [this.#days, this.#gaps, this.#items]) shown.clear();
  }

  fill(root) {
    if (!root.hasChildNodes()) this.#createContent(root);
    this.#drawDays(root.querySelector(".days"));
  }

  #createContent(root) {
    const form = createExport(this.hass, this.words, this.formats, this.car.id);
    root.append(
      element("div", { class: "export" }, form),
      element("div", { class: "days" }),
      element("div", { class: "end" }),
    );
    this.#observer?.disconnect();
    this.#observer = new IntersectionObserver(
      (changes) => changes.some((each) => each.isIntersecting) && this.#loadMore(),
      { rootMargin: MARGIN },
    );
  }

  /** Draw the days that have changed. Days are in the user's time zone, and the newest is the first. */
  #drawDays(list) {
    const { entries, next } = this.feed.value;
    const groups = new Map();
    const parts = new Map();
    const add = (map, day, value) => {
      if (map.has(day)) map.get(day).push(value);
      else map.set(day, [value]);
    };
    for (const entry of [...this.feed.open.map((each) => ({ ...each, isOpen: true })), ...entries]) {
      const [start, end] = this.#localTimes(entry);
      add(groups, start.day, entry);
      if (entry.kind === "stay") continue;
      add(parts, start.day, [entry.kind, start.minute, start.day === end.day ? end.minute : DAY]);
      if (start.day !== end.day) add(parts, end.day, [entry.kind, 0, end.minute]);
    }
    const focused = list.getRootNode().activeElement;
    const row = focused?.closest("li")?.firstElementChild;
    const position = row ? [...list.querySelectorAll(".entry")].indexOf(row) : -1;
    const days = [...groups.keys()];
    const sections = days.flatMap((day, index) => {
      const shown = groups.get(day);
      const between = index + 1 < days.length && this.#between(days[index + 1], day, groups);
      return [this.#day(day, shown, parts.get(day) ?? []), ...(between ? [between] : [])];
    });
    arrange(list, sections);
    const ids = new Set([...groups.values()].flatMap((shown) => shown.map(({ id }) => id)));
    for (const id of this.#items.keys()) if (!ids.has(id)) this.#items.delete(id);
    for (const day of this.#days.keys()) if (!groups.has(day)) this.#days.delete(day);
    // The buttons of an entry that was deleted are gone. The entry after it is in their place.
    if (position >= 0 && !focused.checkVisibility()) {
      const place = row.isConnected ? row : this.#rowAt(list, position);
      place?.focus({ preventScroll: true });
    }
    // The end of a short list stays on the screen, which is no change for the observer.
    const end = list.nextElementSibling;
    this.#observer.unobserve(end);
    if (next !== null) this.#observer.observe(end);
  }

  #localTimes(entry) {
    if (!this.#times.has(entry)) {
      const local = (time) => this.formats.local(Date.parse(time));
      this.#times.set(entry, [local(entry.start), local(entry.end)]);
    }
    return this.#times.get(entry);
  }

  /** The row of the first drive or charge at this position or after it, or the last one. */
  #rowAt(list, position) {
    const rows = [...list.querySelectorAll(".entry")];
    const isButton = (row) => row.matches("button");
    return rows.slice(position).find(isButton) ?? rows.findLast(isButton);
  }

  /** A line for the days without an entry between two days, in which the car was parked. */
  #between(older, newer, groups) {
    const days = this.formats.daysBetween(older, newer);
    const stay = groups.get(older).find(({ kind }) => kind === "stay");
    if (!days || !stay) return undefined;
    const key = `${older}/${newer}`;
    const text = `${days} · ${this.#parkedAt(stay)}`;
    if (this.#gaps.get(key)?.textContent !== text) {
      this.#gaps.set(key, element("section", { class: "between secondary", "aria-label": days }, text));
    }
    return this.#gaps.get(key);
  }

  /** Return the section of a day. What has not changed stays as it is. */
  #day(day, shown, parts) {
    if (!this.#days.has(day)) this.#days.set(day, this.#createDay(shown));
    const drawn = this.#days.get(day);
    const isChanged = !areSame(drawn.shown, shown) || !isSame(drawn.parts, parts);
    if (isChanged) {
      const total = this.#total(shown);
      drawn.total.textContent = total;
      drawn.strip.setAttribute("aria-label", total || this.words("parked"));
      drawn.strip.replaceChildren(
        ...parts.map(([kind, from, to]) => {
          const part = element("span", { class: kind });
          part.style.insetInlineStart = `${(from / DAY) * 100}%`;
          part.style.width = `${(Math.max(0, to - from) / DAY) * 100}%`;
          return part;
        }),
      );
      arrange(
        drawn.list,
        shown.map((entry) => this.#item(entry)),
      );
      Object.assign(drawn, { shown, parts });
    }
    for (const entry of shown) this.#updateDetail(entry);
    return drawn.section;
  }

  #createDay(shown) {
    const name = this.formats.day(Date.parse(shown[0].start));
    const total = element("span", { class: "secondary" });
    const strip = element("div", { class: "strip", role: "img" });
    const list = element("ul", {});
    const header = element("header", {}, element("h2", {}, name), total);
    const section = element("section", { class: "day", "aria-label": name }, header, strip, list);
    return { section, total, strip, list, shown: [], parts: undefined };
  }

  get #values() {
    return logTexts(this, this.feed.value.units);
  }

  /** What the car drove and charged in one day. Costs in other currencies are left out. */
  #total(entries) {
    const { distance, energy, cost } = this.#values;
    const paid = entries.filter((entry) => entry.cost && entry.currency === this.feed.value.units.currency);
    return joined(
      sum(entries, "distance") && distance(sum(entries, "distance")),
      sum(entries, "energy_added") && energy(sum(entries, "energy_added")),
      paid.length && cost(sum(paid, "cost")),
    );
  }

  /** Return the row of an entry with its details. */
  #item(entry) {
    if (!this.#items.has(entry.id)) this.#items.set(entry.id, this.#createItem(entry));
    const item = this.#items.get(entry.id);
    if (item.entry && isSame(item.entry, entry)) return item.element;
    item.entry = entry;
    const [start, end] = [Date.parse(entry.start), Date.parse(entry.end)];
    const formats = this.formats;
    const until = entry.isOpen ? this.words("until_now") : formats.timeAfter(end, start);
    const { title, main, more } = this.#texts[entry.kind](entry);
    const times = `${formats.time(start)} – ${until} · ${formats.duration(end - start)}`;
    const notes = joined(times, tagText(this.words, entry.tag), entry.note);
    item.row.className = `entry ${entry.kind}${entry.isOpen ? " open" : ""}`;
    item.row.replaceChildren(
      element("ha-icon", { icon: ICONS[entry.kind] }),
      element("span", { class: "title" }, title),
      element("span", { class: "main" }, main),
      element("span", { class: "secondary" }, notes),
      element("span", { class: "secondary more" }, joined(...more)),
    );
    return item.element;
  }

  #createItem({ id, kind }) {
    const hasDetail = kind !== "stay";
    const row = element(hasDetail ? "button" : "div", hasDetail ? { "aria-expanded": "false" } : {});
    const item = element("li", {}, row);
    if (hasDetail) row.addEventListener("click", () => this.#toggle(id));
    return { element: item, row };
  }

  /** Show or hide the details of an entry. */
  #toggle(id) {
    const item = this.#items.get(id);
    item.row.setAttribute("aria-expanded", !item.detail);
    if (item.detail) {
      item.detail.element.remove();
      item.detail = undefined;
    } else {
      item.detail = new Detail(this.#context);
      this.#updateDetail(item.entry);
      item.element.append(item.detail.element);
    }
  }

  get #context() {
    const { hass, words } = this;
    const { units, can_edit: canEdit } = this.feed.value;
    return { hass, words, units, canEdit, formats: this.formats, deviceId: this.car.id };
  }

  #updateDetail(entry) {
    const { detail } = this.#items.get(entry.id);
    if (!detail) return;
    const drives = this.feed.value.entries.filter((each) => each.kind === "drive");
    const next = drives[drives.findIndex((each) => each.id === entry.id) - 1];
    detail.update(this.#context, entry, next);
  }

  #drive(drive) {
    const { places, distance, consumption } = this.#values;
    return {
      title: drive.isOpen ? this.words("driving") : places(drive) || this.words("drive"),
      main: distance(drive.distance),
      more: [consumption(drive.consumption)],
    };
  }

  #charge(charge) {
    const { levels, energy, cost } = this.#values;
    const name = charge.isOpen ? this.words("charging") : this.words("charge");
    return {
      title: joined(name, charge.place),
      main: energy(charge.energy_added),
      more: [levels(charge), charge.currency && cost(charge.cost, charge.currency)],
    };
  }

  #stay(stay) {
    const isLoss = stay.battery_lost !== null && Math.round(stay.battery_lost) > 0;
    return { title: this.#parkedAt(stay), main: isLoss && this.formats.percent(-stay.battery_lost), more: [] };
  }

  #parkedAt({ place }) {
    return place ? this.words("parked_at", { zone: place }) : this.words("parked");
  }
}
