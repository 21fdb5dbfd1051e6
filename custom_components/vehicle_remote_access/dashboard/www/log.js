/** The page with the log of a car: its drives, charges and stays, day by day. */

import { arrange, element } from "./dom.js";
import { Detail } from "./log_detail.js";
import { LogContent } from "./log_element.js";
import { createExport } from "./log_files.js";
import { SearchBar } from "./log_search.js";
import { Selection } from "./log_selection.js";
import { joined, logTexts, tagNames, tagOf, tagText } from "./log_texts.js";
import { createSettingsLink, navigate, searchOf, searchQuery } from "./navigation.js";
import { LOG_STYLES } from "./styles.js";

/** The largest number of entries in an answer of `log/list`. A test compares it with the one in Python. */
const LARGEST_PAGE = 1000;
const DAY = 1440;
const ICONS = { drive: "mdi:car", charge: "mdi:ev-station", stay: "mdi:parking" };
/** Older entries are loaded when the end of the list is this close to the screen. */
const MARGIN = "1500px";
/** A stay that lost more of the battery than this, in percent, has as large a row as a drive. */
const MUCH_LOST = 2;

const sum = (/** @type {ShownEntry[]} */ entries, /** @type {"distance" | "energy_added" | "cost"} */ value) =>
  entries.reduce((total, entry) => total + (entry[value] ?? 0), 0);

/** Whether two values show the same. */
const isSame = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Whether two lists of entries show the same. */
const areSame = (/** @type {unknown[]} */ some, /** @type {unknown[]} */ others) =>
  some.length === others.length && some.every((each, index) => isSame(each, others[index]));

/** @type {ShownEntries} The entries of completely loaded days, newest first, with those that have not ended */
export function shownEntries(open, { entries, next }, dayOf) {
  const all = [...open.map((each) => ({ ...each, isOpen: true })), ...entries];
  const incompleteDay = next === null ? "" : dayOf(entries[entries.length - 1]);
  const complete = all.filter((each) => dayOf(each) > incompleteDay);
  return complete.sort((one, other) => Date.parse(other.start) - Date.parse(one.start));
}

const isSearch = (/** @type {LogSearch} */ search) => Object.keys(search).length > 0;

/** The log. It fills the width of its view. */
export default class Log extends LogContent {
  styles = LOG_STYLES;
  showsOpen = true;
  /** @type {IntersectionObserver} */ #observer;
  /** @type {Map<string, LogDay>} The sections of days, each with the entries that it shows */
  #days = new Map();
  /** @type {Map<string, LogItem>} The rows by the ids of their entries, with the details that are shown */
  #items = new Map();
  /** @type {SearchBar} */ #bar;
  /** @type {Selection} */ #selection;
  #tags = element("datalist", { id: "tags" });
  /** @type {LogSearch} What is searched for */ #search = {};
  /** The path of the page with the log. Its query is the search. */
  #path = "";
  /** @type {WeakMap<ShownEntry, Record<"start" | "end", { day: string, minute: number }>>} The local times */
  #times = new WeakMap();

  connected() {
    this.#path = location.pathname;
    addEventListener("location-changed", this.#readAddress);
    addEventListener("popstate", this.#readAddress);
    this.#search = searchOf(location.search);
    super.connected();
  }

  disconnected() {
    removeEventListener("location-changed", this.#readAddress);
    removeEventListener("popstate", this.#readAddress);
    super.disconnected();
  }

  #readAddress = () => this.#find(searchOf(location.search), (search) => this.#bar?.fill(search));

  /** Search, and show the search with `show`: in the address or in the search bar. */
  #find(/** @type {LogSearch} */ search, /** @type {(search: LogSearch) => void} */ show) {
    // The user may have left the page, or may just be leaving it.
    if (location.pathname !== this.#path || isSame(search, this.#search)) return;
    this.#search = search;
    show(search);
    this.feed?.refresh();
  }

  /**
   * Load as many entries as are shown of the same search, or the first page. A change can affect any entry.
   *
   * @returns {Promise<FoundPage>}
   */
  async load(/** @type {SendLogCommand} */ send, /** @type {FoundPage | undefined} */ shown) {
    const search = this.#search;
    const same = isSame(search, shown?.search) ? shown : undefined;
    const isAll = this.#selection?.wantsAll || same?.next === null;
    const wanted = isAll ? Infinity : (same?.entries.length ?? 0);
    /** @type {LogEntry[]} */
    const entries = [];
    const loadPage = async (/** @type {number | undefined} */ before) => {
      const limit = wanted ? Math.min(wanted - entries.length, LARGEST_PAGE) : undefined;
      const page = await this.#list(send, search, { before, limit });
      entries.push(...page.entries);
      return page;
    };
    const first = await loadPage(undefined);
    let { next } = first;
    while (next !== null && entries.length < wanted) ({ next } = await loadPage(next));
    return { ...first, entries, next, search };
  }

  /** Request a page. */
  #list(/** @type {SendLogCommand} */ send, /** @type {LogSearch} */ search, /** @type {object} */ more) {
    return send("list", { ...this.#filter(search), ...more });
  }

  /** The filter for a search. The name of a usual tag also finds the tag itself. */
  #filter(/** @type {LogSearch} */ search) {
    return { ...search, ...(search.text && { named_tag: tagOf(this.words, search.text) }) };
  }

  get #page() {
    return /** @type {FoundPage} */ (this.feed?.value);
  }

  /** Load older entries, unless the oldest one is loaded. */
  #loadMore() {
    const next = this.#page?.next ?? null;
    if (next === null) return;
    this.feed.update(async (send, /** @type {FoundPage} */ shown) => {
      const page = await this.#list(send, shown.search, { before: next });
      return { ...shown, entries: [...shown.entries, ...page.entries], next: page.next };
    });
  }

  isEmpty(/** @type {FoundPage} */ { entries, search }) {
    return !entries.length && !this.feed.open.length && !isSearch(search);
  }

  reset() {
    this.#times = new WeakMap();
    this.#days.clear();
    this.#items.clear();
  }

  fill(/** @type {HTMLElement} */ root) {
    if (!root.hasChildNodes()) this.#createContent(root);
    const names = tagNames(this.words, this.#page.tags);
    if (names.length !== this.#tags.options.length) {
      this.#tags.replaceChildren(...names.map((value) => element("option", { value })));
    }
    this.#bar.update(this.#context, this.#page);
    this.#selection.update(this.#context, this.#page);
    this.#drawDays(root.querySelector(".days"));
  }

  #createContent(/** @type {HTMLElement} */ root) {
    const drawAgain = () => {
      this.#items.clear();
      for (const day of this.#days.values()) day.shown = [];
      this.fill(root);
    };
    this.#selection = new Selection(this.#context, drawAgain, () => this.feed.refresh());
    const showAddress = (/** @type {LogSearch} */ search) =>
      navigate(this.#path + searchQuery(search), { replace: true });
    this.#bar = new SearchBar(this.#context, (search) => this.#find(search, showAddress));
    this.#bar.fill(this.#search);
    const files = createExport(this.#context, () => this.#filter(this.#search));
    if (this.hass.user?.is_admin) files.append(createSettingsLink(this, this.words("import")));
    root.append(
      this.#bar.element,
      element("div", { class: "export" }, this.#selection.button, files),
      element("div", { class: "days" }),
      element("div", { class: "end" }),
      this.#selection.element,
      this.#tags,
    );
    this.#observer?.disconnect();
    const loadAtEnd = (/** @type {IntersectionObserverEntry[]} */ changes) =>
      changes.some((each) => each.isIntersecting) && this.#loadMore();
    this.#observer = new IntersectionObserver(loadAtEnd, { rootMargin: MARGIN });
  }

  /** Return the entries of each day, and the parts of its strip. Days are in the user's time zone, newest first. */
  #byDay(/** @type {boolean} */ isSearching) {
    const open = isSearching ? [] : this.feed.open;
    const entriesByDay = /** @type {Map<string, ShownEntry[]>} */ (new Map());
    const partsByDay = /** @type {Map<string, LogDayPart[]>} */ (new Map());
    /** @type {<V>(map: Map<string, V[]>, day: string, value: V) => void} */
    const add = (map, day, value) => map.set(day, [...(map.get(day) ?? []), value]);
    for (const entry of shownEntries(open, this.#page, (each) => this.#localTimes(each).start.day)) {
      const { start, end } = this.#localTimes(entry);
      // A search finds drives and charges that have ended.
      if (!isSearching || entry.kind !== "stay") add(entriesByDay, start.day, entry);
      if (entry.kind === "stay") continue;
      add(partsByDay, start.day, [entry.kind, start.minute, start.day === end.day ? end.minute : DAY]);
      if (start.day !== end.day) add(partsByDay, end.day, [entry.kind, 0, end.minute]);
    }
    return { entriesByDay, partsByDay };
  }

  /** Draw the days that have changed. */
  #drawDays(/** @type {HTMLElement} */ list) {
    const isSearching = isSearch(this.#page.search);
    const { entriesByDay, partsByDay } = this.#byDay(isSearching);
    const focused = /** @type {ShadowRoot} */ (list.getRootNode()).activeElement;
    const row = /** @type {HTMLElement | undefined} */ (focused?.closest("li")?.firstElementChild);
    const position = row ? [...list.querySelectorAll(".entry")].indexOf(row) : -1;
    const days = [...entriesByDay];
    const sections = days.flatMap(([day, shown], index) => {
      const between = !isSearching && index + 1 < days.length && this.#daysBetween(...days[index + 1], day);
      return [this.#day(day, shown, partsByDay.get(day) ?? []), ...(between ? [between] : [])];
    });
    arrange(list, sections);
    const ids = new Set([...entriesByDay.values()].flatMap((shown) => shown.map(({ id }) => id)));
    for (const id of this.#items.keys()) if (!ids.has(id)) this.#items.delete(id);
    for (const day of this.#days.keys()) if (!entriesByDay.has(day)) this.#days.delete(day);
    // The buttons of an entry that was deleted are gone. The entry after it is in their place.
    if (position >= 0 && !focused?.checkVisibility()) {
      const place = row?.isConnected ? row : this.#rowAt(list, position);
      place?.focus({ preventScroll: true });
    }
    // The end of a short list stays on the screen. The observer only reports it again if it is observed again.
    const end = /** @type {Element} */ (list.nextElementSibling);
    this.#observer.unobserve(end);
    if (this.#page.next !== null) this.#observer.observe(end);
  }

  #localTimes(/** @type {ShownEntry} */ entry) {
    const local = (/** @type {string} */ time) => this.formats.local(Date.parse(time));
    const times = this.#times.get(entry) ?? { start: local(entry.start), end: local(entry.end) };
    this.#times.set(entry, times);
    return times;
  }

  /** The row of the first drive or charge at this position or after it, or the last one. */
  #rowAt(/** @type {HTMLElement} */ list, /** @type {number} */ position) {
    const rows = [...list.querySelectorAll(".entry")];
    const isButton = (/** @type {HTMLElement} */ row) => row.matches("button");
    return rows.slice(position).find(isButton) ?? rows.findLast(isButton);
  }

  /** A line for the days without an entry between two days, in which the car was parked. */
  #daysBetween(/** @type {string} */ older, /** @type {ShownEntry[]} */ shown, /** @type {string} */ newer) {
    const days = this.formats.daysBetween(older, newer);
    const stay = shown.find((each) => each.kind === "stay" && this.#localTimes(each).end.day >= newer);
    if (!days || !stay) return undefined;
    const text = `${days} · ${this.#parkedAt(stay)}`;
    return element("section", { class: "between secondary", "aria-label": days }, text);
  }

  /** Return the section of a day. Only changes are drawn. */
  #day(/** @type {string} */ day, /** @type {ShownEntry[]} */ shown, /** @type {LogDayPart[]} */ parts) {
    const drawn = this.#days.get(day) ?? this.#createDay(shown);
    this.#days.set(day, drawn);
    const isChanged = !areSame(drawn.shown, shown) || !isSame(drawn.parts, parts);
    if (isChanged) {
      // The months count an entry when it has ended.
      drawn.total.textContent = this.#total(shown.filter(({ isOpen }) => !isOpen));
      drawn.strip.setAttribute("aria-label", this.#total(shown) || this.words("parked"));
      drawn.strip.replaceChildren(
        ...parts.map(([kind, from, to]) => {
          const part = element("span", { class: kind });
          part.style.insetInlineStart = `${(from / DAY) * 100}%`;
          part.style.width = `${(Math.max(0, to - from) / DAY) * 100}%`;
          return part;
        }),
      );
      const items = shown.map((entry) => this.#item(entry));
      arrange(drawn.list, items);
      Object.assign(drawn, { shown, parts });
    }
    for (const entry of shown) {
      this.#updateDetail(entry);
      const { checkbox } = /** @type {LogItem} */ (this.#items.get(entry.id));
      if (checkbox) checkbox.checked = this.#selection.has(entry.id);
    }
    return drawn.section;
  }

  /** @returns {LogDay} */
  #createDay(/** @type {ShownEntry[]} */ shown) {
    const name = this.formats.day(Date.parse(shown[0].start));
    const total = element("span", { class: "secondary" });
    const strip = element("div", { class: "strip", role: "img" });
    const list = element("ul", {});
    const header = element("header", {}, element("h2", {}, name), total);
    const section = element("section", { class: "day", "aria-label": name }, header, strip, list);
    return { section, total, strip, list, shown: [] };
  }

  get #values() {
    return logTexts(this, this.#page.units);
  }

  /** The distance, the energy and the cost of charging in a day. Costs in other currencies are left out. */
  #total(/** @type {ShownEntry[]} */ entries) {
    const { distance, energy, cost } = this.#values;
    const { currency } = this.#page.units;
    const paid = entries.filter((entry) => entry.kind === "charge" && entry.cost && entry.currency === currency);
    return joined(
      sum(entries, "distance") && distance(sum(entries, "distance")),
      sum(entries, "energy_added") && energy(sum(entries, "energy_added")),
      paid.length && cost(sum(paid, "cost")),
    );
  }

  /** Return the row of an entry with its details. */
  #item(/** @type {ShownEntry} */ entry) {
    const item = this.#items.get(entry.id) ?? this.#createItem(entry);
    this.#items.set(entry.id, item);
    if (item.entry && isSame(item.entry, entry)) return item.element;
    item.entry = entry;
    const [start, end] = [Date.parse(entry.start), Date.parse(entry.end)];
    const formats = this.formats;
    const until = entry.goes_on ? this.words("until_now") : formats.timeAfter(end, start);
    if (entry.kind === "stay" && (entry.battery_lost ?? 0) <= MUCH_LOST) {
      item.row.className = "entry thin secondary";
      item.row.textContent = joined(this.#parkedAt(entry), formats.duration(end - start), this.#lost(entry));
      return item.element;
    }
    const { title, main, more } = this.#texts(entry);
    const times = `${formats.time(start)} – ${until} · ${formats.duration(end - start)}`;
    const notes = joined(times, tagText(this.words, entry.tag), entry.note);
    item.row.className = `entry ${entry.kind}${entry.goes_on ? " open" : ""}`;
    arrange(item.row, [
      item.checkbox ?? element("ha-icon", { icon: ICONS[entry.kind] }),
      element("span", { class: "title" }, title),
      element("span", { class: "main" }, main),
      element("span", { class: "secondary" }, notes),
      element("span", { class: "secondary more" }, joined(...more)),
    ]);
    return item.element;
  }

  #createItem(/** @type {ShownEntry} */ { kind, isOpen }) {
    if (this.#selection.isOn && kind === "drive" && !isOpen) return this.#createChoice();
    const hasDetail = kind !== "stay";
    const row = element(hasDetail ? "button" : "div", hasDetail ? { "aria-expanded": "false" } : {});
    const item = /** @type {LogItem} */ ({ element: element("li", {}, row), row });
    if (hasDetail) row.addEventListener("click", () => this.#toggle(item));
    return item;
  }

  /** The row of a drive that can be selected. */
  #createChoice() {
    const checkbox = element("input", { type: "checkbox" });
    const row = element("label", {}, checkbox);
    const item = /** @type {LogItem} */ ({ element: element("li", {}, row), row, checkbox });
    const select = () => this.#selection.set(/** @type {Shown<Drive>} */ (item.entry), checkbox.checked);
    checkbox.addEventListener("change", select);
    return item;
  }

  /** Show or hide the details of an entry. */
  #toggle(/** @type {LogItem} */ item) {
    item.row.setAttribute("aria-expanded", String(!item.detail));
    if (item.detail) {
      item.detail.element.remove();
      item.detail = undefined;
    } else {
      item.detail = new Detail(this.#context);
      this.#updateDetail(/** @type {ShownEntry} */ (item.entry));
      item.element.append(item.detail.element);
      item.element.scrollIntoView?.({ block: "nearest" });
    }
  }

  get #context() {
    const { hass, words } = this;
    const { units, can_edit: canEdit } = this.#page;
    const reload = () => this.feed.refresh();
    return { hass, words, units, canEdit, reload, formats: this.formats, deviceId: this.car.id };
  }

  #updateDetail(/** @type {ShownEntry} */ entry) {
    const detail = this.#items.get(entry.id)?.detail;
    if (!detail || entry.kind === "stay") return;
    const drives = this.#page.entries.filter((each) => each.kind === "drive");
    const next = drives[drives.findIndex((each) => each.id === entry.id) - 1];
    detail.update(this.#context, entry, next);
  }

  #texts(/** @type {ShownEntry} */ entry) {
    if (entry.kind === "stay") return { title: this.#parkedAt(entry), main: this.#lost(entry), more: [] };
    return entry.kind === "drive" ? this.#drive(entry) : this.#charge(entry);
  }

  #drive(/** @type {Shown<Drive>} */ drive) {
    const { places, distance, consumption, drivingCost } = this.#values;
    return {
      title: drive.goes_on ? this.words("driving") : places(drive) || this.words("drive"),
      main: distance(drive.distance),
      more: [consumption(drive.consumption), drivingCost(drive.cost, drive)],
    };
  }

  #charge(/** @type {Shown<Charge>} */ charge) {
    const { place, levels, energy, cost } = this.#values;
    const name = charge.goes_on ? this.words("charging") : this.words("charge");
    return {
      title: joined(name, place(charge)),
      main: energy(charge.energy_added),
      more: [levels(charge), charge.currency && cost(charge.cost, charge.currency)],
    };
  }

  #lost(/** @type {Stay} */ { battery_lost: lost }) {
    return Math.round(lost ?? 0) > 0 && this.words("battery_lost", { value: this.formats.percent(lost ?? 0) });
  }

  #parkedAt(/** @type {ShownEntry} */ { place }) {
    return place ? this.words("parked_at", { zone: place }) : this.words("parked");
  }
}
