/** What the pages of a log say of its values, in its units. */

/** The texts that are known, in one line. */
export const joined = (...texts) => texts.filter(Boolean).join(" · ");

/** Return functions for texts. What is unknown or has no need to be said is undefined or false. */
export function logTexts({ words, formats }, units) {
  const energy = (value) => formats.amount(value, units.energy);
  const cost = (value, currency = units.currency) => formats.cost(value, currency);
  return {
    energy,
    cost,
    distance: (value, digits) => formats.amount(value, units.distance, digits),
    consumption: (value) => formats.consumption(value, units),
    perDay: (value) => value !== null && words("per_day", { value: formats.percent(value, 1) }),

    /** The places between which a drive was. */
    places: ({ start_place: start, end_place: end }) =>
      (start || end) && formats.fromTo(start ?? words("elsewhere"), end ?? words("elsewhere")),

    /** The battery's level at the start and at the end. */
    levels: ({ start_battery: start, end_battery: end }) =>
      start !== null && end !== null && formats.fromTo(formats.percent(start), formats.percent(end)),

    fromCharger: ({ energy_used: used }) => used !== null && words("from_charger", { value: energy(used) }),

    otherCosts: ({ other_costs: others }) => Object.entries(others).map(([currency, value]) => cost(value, currency)),

    withoutCost: ({ charges_without_cost: count }) =>
      count > 0 && words("charges_without_cost", { count: formats.number(count) }),
  };
}
