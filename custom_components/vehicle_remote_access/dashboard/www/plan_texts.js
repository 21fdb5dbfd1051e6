/** Bars and texts about the charging plan of a car, from the attributes of its entity. */

/** @type {PlanBars} The spans of time from now until *Ready by*. In each, the car charges or it does not */
export function planBars({ prices = [], slots = [] }, now) {
  const charges = blocks(slots);
  const edges = charges.flatMap(({ start, end }) => [start, end]);
  return prices
    .flatMap((each) => {
      const { start, end } = times(each);
      const ends = [...edges.filter((edge) => start < edge && edge < end), end];
      const { price, estimate } = each;
      return ends.map((until, index) => ({ start: index ? ends[index - 1] : start, end: until, price, estimate }));
    })
    .filter(({ end }) => end > now)
    .map((bar) => ({ ...bar, charges: charges.some(({ start, end }) => start <= bar.start && bar.start < end) }));
}

/** @type {PlanSentence} When the car charges before *Ready by*, or would. Without such a plan, there is no sentence */
export function planSentence({ words, formats }, plan, currency, now) {
  const { reason, slots = [], is_reachable: isReachable, missing, cost, ready_by: readyBy } = plan;
  const { if_plugged_in: preview = [] } = plan;
  const time = readyBy && formats.timeAfter(Date.parse(readyBy), now);
  if (reason === "surplus") return words("plan_surplus", { time });
  const spans = blocks([...slots, ...preview]).map(({ start, end }) => formats.timeSpan(start, end, now));
  const times = new Intl.ListFormat(words.language).format(spans);
  if (preview.length) return words("plan_if_plugged_in", { times });
  if (!slots.length || typeof isReachable !== "boolean") return "";
  if (!isReachable) return words("plan_missing", { times, time, energy: formats.amount(missing, "kWh") });
  return cost === null || cost === undefined
    ? words("plan_charges", { times, time })
    : words("plan_charges_for", { times, time, cost: formats.cost(cost, currency) });
}

/** @type {PlanNotes} What the charge has cost, what of it is surplus, and what may be in the way of the plan */
export function planNotes({ words, formats }, plan, currency, now) {
  const { charged = 0, from_surplus: fromSurplus = 0, car_schedule: schedule, cost_so_far: cost, slots = [] } = plan;
  const [energy, surplus] = [charged, fromSurplus].map((each) => formats.amount(each, "kWh"));
  return [
    cost === undefined ? "" : words("cost_so_far", { cost: formats.cost(cost, currency) }),
    fromSurplus ? words("plan_from_surplus", { energy, surplus }) : "",
    schedule && slots.length ? words("plan_car_schedule", { time: formats.timeAfter(Date.parse(schedule), now) }) : "",
  ];
}

/** @type {PowerSamples} The mean powers of the last hours in kW: of the car, and of the surplus with it */
export function powerSamples(statistics, powerId, { surplus_entity: surplusId, surplus_is_imported: isImported }) {
  const powers = new Map((statistics[powerId] ?? []).map(({ start, mean }) => [start, mean]));
  const rows = statistics[surplusId ?? ""] ?? [];
  const power = rows.map(({ start }) => powers.get(start) ?? 0);
  const surplus = rows.map(({ mean }, index) => Math.max(0, (isImported ? -mean : mean) + power[index]));
  return { times: rows.map(({ start }) => start), power, surplus };
}

/** @type {Record<string, string>} The state of charging that contradicts a reason */
const CONTRADICTED_BY = { latest: "on", low_level: "off", speed_unknown: "off", too_late: "off" };

/** Whether to show the reason of a plan while the car charges (`on`) or does not (`off`). */
export const isReasonShown = (/** @type {PlanAttributes} */ { reason = "" }, /** @type {string} */ charging) =>
  !["cheapest", "surplus"].includes(reason) && CONTRADICTED_BY[reason] !== charging;

const times = (/** @type {PlanSlot} */ { start, end }) => ({ start: Date.parse(start), end: Date.parse(end) });

/** Return the slots as spans of time. Slots that follow each other are one span. */
function blocks(/** @type {PlanSlot[]} */ slots) {
  const found = /** @type {ReturnType<typeof times>[]} */ ([]);
  for (const slot of slots.map(times)) {
    const last = found.at(-1);
    if (last?.end === slot.start) last.end = slot.end;
    else found.push(slot);
  }
  return found;
}
