/** The details of a drive or a charge: its values and curves, and the form that changes it. */

import { arrange, element } from "./dom.js";
import { createAction, createField } from "./forms.js";
import { createCharts } from "./line_chart.js";
import { createPlaceForm, unnamedPlaces } from "./log_places.js";
import { joined, logTexts, tagOf, tagText } from "./log_texts.js";
import { createMap } from "./track_map.js";
import { DOMAIN } from "./words.js";

/** The most characters of a tag and of a note. A test compares them with those in Python. */
export const LONGEST_TAG = 50;
const LONGEST_NOTE = 1000;

/** By this share, the cost of a charge may differ from the sum of its samples. An entered cost differs more. */
const TOLERANCE = 0.1;

/** The values that the list does not show, each with its name, and some with an explanation. */
export function facts(/** @type {LogContext} */ context, /** @type {DetailEntry} */ entry) {
  const { hass, words, formats, units } = context;
  const { energy, cost, drivingCost, priceKnown, levels, later, savedBy } = logTexts(context, units);
  const currency = entry.currency ?? units.currency;
  // The list already shows the cost of a charge.
  const driving = entry.kind === "drive" && drivingCost(entry.cost, entry);
  const { cost_at_once: atOnce = null } = entry;
  const price = entry.kind === "charge" && entry.cost !== null && entry.cost / Number(entry.energy_added);
  return [
    [words("battery"), levels(entry)],
    [words("energy_of_drive"), energy(entry.energy)],
    [words("cost"), driving, priceKnown(entry) || words("cost_of_drive")],
    [words("cost"), entry.cost_source === "service" ? words("as_billed") : undefined],
    [words("cost_per_kwh"), price && Number.isFinite(price) ? cost(price, currency) : undefined],
    [words("fees"), entry.fees ? cost(entry.fees, currency) : undefined],
    ...later(savedBy(entry), currency).flatMap(({ name, amount }) => [
      [words("cost_of_charging_at_once"), cost(atOnce, currency)],
      [name, amount],
    ]),
    [words("average_speed"), formats.amount(entry.average_speed, units.speed, 0)],
    [words("outside"), formats.amount(entry.outside_temperature, hass.config.unit_system.temperature)],
    [words("highest_speed"), formats.amount(entry.max_speed, units.speed, 0)],
    [words("energy_used"), energy(entry.energy_used)],
    [words("highest_power"), joined(formats.amount(entry.max_power, "kW"), entry.current?.toUpperCase())],
  ].filter(([, value]) => value);
}

/** @type {CurvesOf} The curves of a drive or a charge */
export function curvesOf({ words, formats }, entry, samples, units) {
  const isDrive = entry.kind === "drive";
  /** @type {(name: SampleValue, title: string, format: Curve["format"], more: Partial<Curve>) => Curve} */
  const curve = (name, title, format, more) => ({
    ...{ name, title, format, plain: format, values: samples.map((sample) => sample[name] ?? null) },
    ...more,
  });
  /** @type {(name: "speed" | "power" | "price", title: string, digits: number, more: Partial<Curve>) => Curve} */
  const inUnit = (name, title, digits, more) =>
    curve(name, title, (value) => formats.amount(value, units[name], digits), {
      plain: (value) => formats.number(value, digits),
      ...more,
    });
  // A driving car reports whole kilowatts.
  const power = inUnit("power", words("power"), isDrive ? 0 : 1, { isFromZero: true });
  const battery = curve("battery", words("battery"), (value) => formats.percent(value), { smallest: 1 });
  if (isDrive) {
    return [inUnit("speed", words("speed"), 0, { isFromZero: true, smallest: 1 }), power, battery];
  }
  const money = (/** @type {number} */ value) => formats.cost(value, entry.currency ?? units.currency);
  const perUnit = (/** @type {number} */ value) => formats.per(money(value), units.energy);
  const price = inUnit("price", words("price"), 2, { format: perUnit, isFromZero: true, isStep: true });
  const cost = curve("cost", words("cost"), money, { isFromZero: true, behind: price });
  const last = cost.values.findLast((value) => value !== null);
  const isSum = (/** @type {number} */ sum) => Math.abs((entry.cost ?? Infinity) - sum) <= TOLERANCE * Math.abs(sum);
  return [power, battery, last !== undefined && (entry.isOpen || isSum(last)) ? cost : price];
}

/** Return the samples with the battery at the start and at the end of a drive, unless there are samples at these times. */
export function withStartAndEnd(/** @type {DetailEntry} */ entry, /** @type {Sample[]} */ samples) {
  if (entry.kind !== "drive" || !samples.length) return samples;
  const times = new Set(samples.map(({ at }) => Date.parse(at)));
  const ends = [
    { at: entry.start, battery: entry.start_battery },
    { at: entry.end, battery: entry.end_battery },
  ];
  const [start, end] = ends.map((each) => (times.has(Date.parse(each.at)) ? [] : [each]));
  return [...start, ...samples, ...end];
}

/** The positions of a drive, with its start and its end, or that of a charge. */
export function trackOf(/** @type {DetailEntry} */ entry, /** @type {Sample[]} */ samples) {
  /** @type {(at: string, ...position: (number | null | undefined)[]) => TrackPoint} */
  const point = (at, ...position) => ({ time: Date.parse(at), position: /** @type {MapPosition} */ (position) });
  return [
    point(entry.start, entry.start_latitude, entry.start_longitude),
    ...samples.map(({ at, latitude, longitude }) => point(at, latitude, longitude)),
    point(entry.end, entry.end_latitude, entry.end_longitude),
    point(entry.start, entry.latitude, entry.longitude),
  ].filter(({ position: [latitude, longitude] }) => Number.isFinite(latitude) && Number.isFinite(longitude));
}

/** The details of one entry. They stay on the page while the entry changes. */
export class Detail {
  #context;
  /** @type {DetailEntry} */ #entry;
  /** @type {string} */ #loaded;
  #facts = element("dl", {});
  #curves = element("div", { class: "curves" });
  #status = element("div", { class: "status", role: "status" });
  #places = element("div", { class: "places" });
  /** @type {Map<string, HTMLElement>} */ #placeForms = new Map();
  /** @type {HTMLFormElement} */ #form;
  /** @type {HTMLElement | false} */ #merge;
  /** @type {Drive | undefined} */ #next;
  /** @type {Record<string, string>} The values in the fields that are stored */ #stored = {};
  #isBusy = false;

  /** `context`: what the page knows, such as the texts, the units, and whether the user may edit. */
  constructor(/** @type {LogContext} */ context) {
    this.#context = context;
    this.element = element("div", { class: "detail" }, this.#facts, this.#curves);
  }

  /** Show an entry. `next` is the drive after it, if there is one. */
  update(/** @type {LogContext} */ context, /** @type {DetailEntry} */ entry, /** @type {Drive=} */ next) {
    this.#context = context;
    this.#entry = entry;
    this.#next = next;
    const terms = facts(context, entry).flatMap(([name, value, explanation]) => [
      element("dt", {}, name),
      element("dd", {}, value, explanation && element("div", { class: "secondary" }, explanation)),
    ]);
    this.#facts.replaceChildren(...terms);
    const version = JSON.stringify([entry.start, entry.end, entry.isOpen, entry.cost]);
    if (version !== this.#loaded) {
      this.#loaded = version;
      this.#loadCurves(version);
    }
    const canEdit = context.canEdit && !entry.isOpen;
    if (canEdit && !this.#form) this.#form = this.#createForm();
    if (canEdit) this.#fill();
    this.#showPlaces();
    const form = canEdit ? [this.#form, this.#status] : [];
    arrange(this.element, [this.#facts, this.#curves, this.#places, ...form]);
  }

  /** Offer to name places, which only administrators may do. */
  #showPlaces() {
    const { hass, words } = this.#context;
    const canName = hass.user?.is_admin && !this.#entry.isOpen;
    const forms = (canName ? unnamedPlaces(words, this.#entry) : []).map((place) => {
      const created = this.#placeForms.get(place.action) ?? createPlaceForm(this.#context, place);
      this.#placeForms.set(place.action, created);
      return created;
    });
    arrange(this.#places, forms);
  }

  // Curves

  async #loadCurves(/** @type {string} */ version) {
    const { hass, words, formats, deviceId } = this.#context;
    const entry = this.#entry;
    let shown;
    try {
      const message = { device_id: deviceId, entry_id: entry.id };
      const { samples, units } = await hass.callWS({ type: `${DOMAIN}/log/detail`, ...message });
      const shownSamples = withStartAndEnd(entry, samples);
      const times = shownSamples.map(({ at }) => Date.parse(at));
      const [start, end] = [Date.parse(entry.start), Date.parse(entry.end)];
      const curves = curvesOf(this.#context, entry, shownSamples, units);
      const charts = createCharts({ curves, times, start, end: Math.max(end, ...times), formats, words });
      const points = trackOf(entry, samples);
      const name = entry.kind === "drive" ? words("track") : words("map");
      shown = [await createMap(hass, name, points.length ? [{ points }] : []), charts].filter(Boolean);
    } catch (error) {
      const retry = createAction(words("try_again"), () => this.#loadCurves(version));
      const text = element("span", {}, words("curves_failed"), " ", error.message);
      shown = [element("div", { class: "problem", role: "alert" }, text, retry)];
    }
    // The entry may have changed in the meantime.
    if (version === this.#loaded) this.#showCurves(shown);
  }

  /** Show the curves. If the slider of the ones before has the focus, the new one gets it in the same place. */
  #showCurves(/** @type {Element[]} */ shown) {
    const before = this.#curves.querySelector("input:focus");
    this.#curves.replaceChildren(...shown);
    const slider = this.#curves.querySelector("input");
    if (!before || !slider) return;
    slider.value = before.value;
    slider.focus({ preventScroll: true });
  }

  // The form

  #createForm() {
    const { words, units } = this.#context;
    const { id, kind } = this.#entry;
    const isDrive = kind === "drive";
    const field = (/** @type {string} */ name, /** @type {string} */ label, attributes = {}) =>
      createField(label, element("input", { name, ...attributes }));
    // The second click of a double click does nothing.
    const button = (/** @type {string} */ text, /** @type {() => void} */ press) =>
      createAction(text, ({ detail }) => detail < 2 && press());
    // The first press asks, and the second one deletes.
    const remove = button(words("delete"), () => {
      if (cancel.hidden) ask(true);
      else this.#act("delete_log_entry", { id });
    });
    const cancel = button(words("cancel"), () => {
      ask(false);
      remove.focus();
    });
    const ask = (/** @type {boolean} */ asks) => {
      cancel.hidden = !asks;
      remove.textContent = asks ? words("delete_it") : words("delete");
    };
    ask(false);
    remove.classList.add("danger");
    const merge = () => this.#act("merge_drives", { ids: [id, this.#next?.id] });
    this.#merge = isDrive && button(words("merge"), merge);
    const costIn = words("amount_in", { amount: words("cost"), unit: units.currency });
    const form = element(
      "form",
      {},
      isDrive
        ? field("tag", words("tag"), { list: "tags", maxlength: LONGEST_TAG, autocomplete: "off" })
        : field("cost", costIn, { type: "number", step: "any" }),
      field("note", words("note"), { maxlength: LONGEST_NOTE, autocomplete: "off" }),
      element(
        "div",
        { class: "actions" },
        createAction(words("save"), undefined, { type: "submit" }),
        this.#merge,
        element("span", { class: "far" }, cancel, remove),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    form.addEventListener("input", () => this.#say(""));
    // A key that is held down presses a button only once.
    form.addEventListener("keydown", (event) => {
      if (event.repeat && /** @type {HTMLElement} */ (event.target).localName === "button") event.preventDefault();
    });
    return form;
  }

  /** Show the stored values, unless the user has changed them. */
  #fill() {
    const { words, units } = this.#context;
    const entry = this.#entry;
    // A cost in another currency is replaced by one in the currency of Home Assistant.
    const cost = entry.currency === units.currency ? entry.cost : null;
    const values = /** @type {Record<string, unknown>} */ ({ tag: tagText(words, entry.tag), cost, note: entry.note });
    for (const input of this.#form.querySelectorAll("input")) {
      const value = String(values[input.name] ?? "");
      if (input.value === (this.#stored[input.name] ?? "")) input.value = value;
      this.#stored[input.name] = value;
    }
    // A drive between them may have been deleted.
    if (this.#merge) this.#merge.hidden = this.#next?.start_odometer !== entry.end_odometer;
  }

  async #save() {
    const { words } = this.#context;
    const changed = [];
    for (const input of this.#form.querySelectorAll("input")) {
      const text = input.value.trim();
      const value = input.name === "tag" ? tagOf(words, text) : text;
      // From now on, the field shows what is stored.
      if (input.name === "tag") input.value = tagText(words, value);
      if (input.name === "note") input.value = text;
      const sent = input.name === "cost" ? Number(text) : value;
      if (input.value !== this.#stored[input.name]) changed.push([input.name, text === "" ? null : sent]);
    }
    const data = { id: this.#entry.id, ...Object.fromEntries(changed) };
    if (!changed.length || (await this.#act("update_log_entry", data))) this.#say(words("saved"));
  }

  /** Call an action. Return whether it succeeded, or show why it failed. */
  async #act(/** @type {string} */ action, /** @type {Record<string, unknown>} */ data) {
    const { hass, deviceId } = this.#context;
    if (this.#isBusy) return false;
    this.#isBusy = true;
    const buttons = [...this.#form.querySelectorAll("button")];
    this.#say("");
    // Disabled buttons would lose the focus.
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    try {
      await hass.callService(DOMAIN, action, { device_id: deviceId, ...data }, undefined, false);
      return true;
    } catch (error) {
      this.#say(error.message, true);
      return false;
    } finally {
      this.#isBusy = false;
      for (const button of buttons) button.removeAttribute("aria-disabled");
    }
  }

  #say(/** @type {string} */ text, isError = false) {
    this.#status.textContent = text;
    this.#status.classList.toggle("error", isError);
  }
}
