/** Texts for the values of a log, in its units. */

/** The texts that are known, in one line. */
export const joined = (/** @type {unknown[]} */ ...texts) => texts.filter(Boolean).join(" · ");

/** The texts of the usual tags, which are stored in English. */
const tagTexts = (/** @type {Words} */ words) =>
  new Map([
    ["business", words("tag_business")],
    ["private", words("tag_private")],
    ["commute", words("tag_commute")],
  ]);

/** The text of a tag. */
export const tagText = (/** @type {Words} */ words, /** @type {ShownEntry["tag"]} */ tag) =>
  tagTexts(words).get(tag ?? "") ?? tag;

/** The texts of the tags of a log, and of the usual ones. */
export const tagNames = (/** @type {Words} */ words, /** @type {string[]} */ tags) => [
  ...new Set([...tags.map((tag) => tagTexts(words).get(tag) ?? tag), ...tagTexts(words).values()]),
];

/** The tag for a text. */
export function tagOf(/** @type {Words} */ words, /** @type {string} */ text) {
  return [...tagTexts(words)].find(([, name]) => name.toLowerCase() === text.toLowerCase())?.[0] ?? text;
}

/** The name of a year such as `2026`, of a quarter such as `2026-Q4`, or of a month such as `2026-11`. */
export function periodText(
  /** @type {StatementWords} */ words,
  /** @type {Formats} */ formats,
  /** @type {string} */ name,
) {
  const [year, quarter] = name.split("-Q");
  return quarter ? words("quarter", { quarter, year }) : formats.period(name);
}

/** Return functions for texts. They return undefined or false if a value is unknown or not worth a text. */
export function logTexts(/** @type {WithFormats} */ { words, formats }, /** @type {LogUnits} */ units) {
  const energy = (/** @type {number | null=} */ value) => formats.amount(value, units.energy);
  const cost = (/** @type {number | null=} */ value, currency = units.currency) => formats.cost(value, currency);
  /** The share of the energy whose price is known. Below 100 %, the cost is an estimate. */
  const priceKnown = (/** @type {PriceKnown} */ { price_known: known = null }) =>
    known !== null && known < 100 && words("price_known", { value: formats.percent(known) });
  return {
    energy,
    cost,
    priceKnown,
    drivingCost: (/** @type {number | null} */ value, /** @type {PriceKnown} */ of = {}) =>
      value === null ? undefined : `${priceKnown(of) ? "≈\u00a0" : ""}${cost(value)}`,
    drivesWithoutCost: (/** @type {DriveTotals} */ { driving_cost: value, drives_without_cost: count }) =>
      value !== null && count > 0 && words("drives_without_cost", { count: formats.number(count) }),
    distance: (/** @type {number | null=} */ value, digits = 1) => formats.amount(value, units.distance, digits),
    consumption: (/** @type {number | null=} */ value) =>
      formats.amount(value, units.consumption.replace(" ", "\u00a0")),
    perDay: (/** @type {number | null} */ value) =>
      value !== null && words("per_day", { value: formats.percent(value, 1) }),

    /** The places between which a drive was. */
    places: (/** @type {TopDrive} */ { start_place: start, end_place: end }) =>
      (start || end) && formats.fromTo(start ?? words("elsewhere"), end ?? words("elsewhere")),

    /** The place of a charge. Without a position, the charge may also have been at a named place. */
    place: (/** @type {Pick<Charge, "place" | "latitude">} */ { place, latitude }) =>
      place ?? (latitude !== undefined && words("elsewhere")),

    /** The battery's level at the start and at the end. */
    levels: (/** @type {Drive | Charge} */ { start_battery: start, end_battery: end }) =>
      start !== null && end !== null && formats.fromTo(formats.percent(start), formats.percent(end)),

    fromCharger: (/** @type {ChargeTotals} */ { energy_used: used }) =>
      used !== null && words("from_charger", { value: energy(used) }),

    otherCosts: (/** @type {ChargeTotals} */ { other_costs: others }) =>
      Object.entries(others).map(([currency, value]) => cost(value, currency)),

    /** What a charge cost less because it waited. Null if that is unknown. */
    savedBy: (/** @type {DetailEntry | Charge} */ { cost: paid, cost_at_once: atOnce = null }) =>
      atOnce === null || paid === null ? null : Math.round(100 * (atOnce - paid)) / 100,

    /** The name and the amount of what charging later saved or cost. Empty if that is unknown or 0. */
    later: (/** @type {number | null} */ saved, currency = units.currency) => {
      const name = (saved ?? 0) < 0 ? words("dearer_by_charging_later") : words("saved_by_charging_later");
      return saved ? [{ name, amount: cost(Math.abs(saved), currency) }] : [];
    },

    withoutCost: (/** @type {ChargeTotals} */ { charges_without_cost: count }) =>
      count === 1
        ? words("charge_without_cost")
        : count > 0 && words("charges_without_cost", { count: formats.number(count) }),
  };
}
