/** The bar above the log: fields to search, and a summary of what was found. */

import { element } from "./dom.js";
import { createField, option } from "./forms.js";
import { joined, logTexts, tagText } from "./log_texts.js";
import { searchOf } from "./navigation.js";
import { fillPeriods } from "./periods.js";

/** A search starts this long after the last letter, in milliseconds. */
const PAUSE = 250;
const LONGEST_SEARCH = 200;
const TYPED = ["search", "number"];
/** Filters that are behind a button. */
const HIDDEN = /** @type {const} */ (["period", "tag", "longer_than", "without_cost"]);

/** Return the filters of a search, besides its text and its kind, in one line. */
export function searchText(/** @type {LogContext} */ { words, formats, units }, /** @type {LogSearch} */ search) {
  return joined(
    search.period && formats.period(search.period),
    search.tag && tagText(words, search.tag),
    search.longer_than &&
      words("at_least", {
        value: formats.amount(search.longer_than, units.distance, Number.isInteger(search.longer_than) ? 0 : 1),
      }),
    search.without_cost && words("charges_without_a_cost"),
  );
}

/** Return the totals of the found entries: a line for drives and a line for charges. */
export function foundText(/** @type {LogContext} */ context, /** @type {Totals} */ found) {
  const { words, formats, units } = context;
  const { distance, energy, cost, drivingCost, drivesWithoutCost, otherCosts, withoutCost } = logTexts(context, units);
  const [drives, charges] = [found.drives, found.charges].map((count) => formats.number(count));
  const lines = [
    found.drives > 0 &&
      joined(
        words("drives_count", { count: drives }),
        distance(found.distance, 0),
        energy(found.energy),
        drivingCost(found.driving_cost, found),
        drivesWithoutCost(found),
      ),
    found.charges > 0 &&
      joined(
        words("charges_count", { count: charges }),
        energy(found.energy_added),
        cost(found.cost),
        ...otherCosts(found),
        found.cost !== null && withoutCost(found),
      ),
  ];
  return lines.filter(Boolean).join("\n") || words("nothing_found");
}

/** The bar. It stays on the page while what is found changes, so that its fields keep the focus. */
export class SearchBar {
  #context;
  #find;
  /** @type {string[]} */ #tags = [];
  /** @type {number | undefined} */ #timer;
  #period = element("select", { name: "period" });
  #tag = element("select", { name: "tag" });
  #filter = element("button", { class: "chip", type: "button", "aria-expanded": "false" });
  #filters = element("div", { class: "filters", hidden: "" });
  #found = element("span", { role: "status" });
  #everything = element("button", { class: "action", type: "button", hidden: "" });
  #form;

  /** `find` is called with what to search for. */
  constructor(/** @type {LogContext} */ context, /** @type {(search: LogSearch) => void} */ find) {
    this.#context = context;
    this.#find = find;
    const { words, units } = context;
    const text = element("input", {
      ...{ type: "search", name: "text", autocomplete: "off", enterkeyhint: "search" },
      ...{ "aria-label": words("find"), placeholder: words("find_in"), maxlength: LONGEST_SEARCH },
    });
    const kind = (/** @type {string} */ value, /** @type {string} */ name) =>
      element("label", { class: "chip" }, element("input", { type: "radio", name: "kind", value }), name);
    const kinds = [
      kind("", words("kind_all")),
      kind("drives", words("kind_drives")),
      kind("charges", words("kind_charges")),
    ];
    const distance = { type: "number", name: "longer_than", min: 0, step: "any", inputmode: "decimal" };
    const withoutCost = element("input", { type: "checkbox", name: "without_cost" });
    this.#filters.append(
      createField(words("period"), this.#period),
      createField(words("tag"), this.#tag),
      createField(words("at_least", { value: `… ${units.distance}` }), element("input", distance)),
      element("label", { class: "check" }, withoutCost, words("charges_without_a_cost")),
    );
    this.#everything.textContent = words("show_everything");
    this.#form = element(
      "form",
      { role: "search" },
      element("div", { class: "find" }, element("ha-icon", { icon: "mdi:magnify" }), text),
      this.#filter,
      element("div", { class: "chips", role: "radiogroup", "aria-label": words("log") }, ...kinds),
      this.#filters,
    );
    this.element = element(
      "div",
      { class: "search" },
      this.#form,
      element("div", { class: "found" }, this.#found, this.#everything),
    );
    this.#listen(text);
  }

  #listen(/** @type {HTMLInputElement} */ text) {
    const find = () => {
      clearTimeout(this.#timer);
      // The fields have the names of the parts of an address.
      const fields = /** @type {any} */ (new FormData(this.#form));
      this.#find(searchOf(String(new URLSearchParams(fields))));
    };
    this.#form.addEventListener("input", ({ target }) => {
      clearTimeout(this.#timer);
      const isTyped = TYPED.includes(/** @type {HTMLInputElement} */ (target).type);
      if (isTyped) this.#timer = setTimeout(find, PAUSE);
      else find();
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      find();
    });
    this.#everything.addEventListener("click", () => {
      this.fill({});
      find();
      text.focus();
    });
    this.#filter.addEventListener("click", () => {
      this.#filters.hidden = !this.#filters.hidden;
      this.#filter.setAttribute("aria-expanded", String(!this.#filters.hidden));
      if (!this.#filters.hidden) this.#loadPeriods();
    });
  }

  async #loadPeriods() {
    // Without them, everything else can be searched for.
    await fillPeriods(this.#period, this.#context).catch(() => undefined);
  }

  /** Show in the fields what is searched for. */
  fill(/** @type {LogSearch} */ search) {
    clearTimeout(this.#timer);
    const { words, formats } = this.#context;
    const { period = "", tag = "" } = search;
    this.#period.replaceChildren(
      option("", words("all_time")),
      ...(period ? [option(period, formats.period(period))] : []),
    );
    if (!this.#filters.hidden) this.#loadPeriods();
    this.#fillTags(tag);
    for (const field of this.#form.querySelectorAll("input, select")) {
      const value = search[/** @type {keyof LogSearch} */ (field.name)];
      if (field.type === "radio") field.checked = field.value === (value ?? "");
      else if (field.type === "checkbox") field.checked = Boolean(value);
      else if (field.name !== "tag") field.value = value ?? "";
    }
  }

  #fillTags(chosen = this.#tag.value) {
    const { words } = this.#context;
    const tags = [...new Set([...this.#tags, chosen])].filter(Boolean);
    this.#tag.replaceChildren(
      option("", words("all_tags")),
      ...tags.map((tag) => option(tag, tagText(words, tag) ?? "")),
    );
    this.#tag.value = chosen;
  }

  /** Show what was found. */
  update(/** @type {LogContext} */ context, /** @type {FoundPage} */ { search, found, tags, entries }) {
    this.#context = context;
    const { words } = context;
    if (tags.join("\n") !== this.#tags.join("\n")) {
      this.#tags = tags;
      this.#fillTags();
    }
    const hidden = HIDDEN.filter((name) => search[name]).length;
    this.#filter.textContent = joined(words("filter"), hidden);
    // A search for a kind alone needs no text, because the kind's chip is chosen. But it says that nothing was found.
    const isNothing = !entries.length && search.kind && words("nothing_found");
    const lines = found ? [searchText(context, search), foundText(context, found)] : [isNothing];
    const text = lines.filter(Boolean).join("\n");
    this.#everything.hidden = !text;
    if (this.#found.textContent !== text) this.#found.textContent = text;
  }
}
