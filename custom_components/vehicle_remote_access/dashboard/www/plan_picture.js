/** The picture of a charging plan: the surplus and the charge so far, and the price of each hour to come. */

import { barsPath, createSelection } from "./bars.js";
import { drawn } from "./dom.js";
import { SIZE, Scale, createLevels, createPlot, drawCurve, timeTicks } from "./line_chart.js";
import { MINUTE } from "./status.js";

/** The space between two bars, and the least height of one, as shares of the chart. */
const GAP = 0.003;
const LEAST = 0.02;
/** Home Assistant keeps the mean powers of so many milliseconds. */
export const POWER_STEP = 5 * MINUTE;

/** @type {CreatePlanPicture} Without powers and without a plan, there is no picture */
export function createPlanPicture({ bars: planned, power, words, formats, currency }) {
  const ends = power.times.map((time) => time + POWER_STEP);
  const now = ends.at(-1) ?? 0;
  const bars = planned.map((bar) => ({ ...bar, start: Math.max(bar.start, now) })).filter((bar) => bar.start < bar.end);
  const [start, end] = [power.times[0] ?? bars[0]?.start, bars.at(-1)?.end ?? now];
  if (start === undefined) return [];
  const hasPower = ends.length > 0;
  const share = (/** @type {number} */ time) => (time - start) / (end - start);
  const known = bars.flatMap(({ price, estimate }) => price ?? estimate ?? []);
  // Without any price of that time, a bar has a usual height.
  const usual = known.reduce((sum, price) => sum + price / known.length, 0) || 1;
  const priceScale = new Scale({ values: known.length ? known : [usual], isFromZero: true });
  const powerScale = new Scale({ values: [...power.surplus, ...power.power], isFromZero: true });
  const number = (/** @type {number} */ value, /** @type {number} */ digits) => formats.number(value, digits);
  const price = known.length ? number : () => "";
  const title = [hasPower && words("surplus"), bars.length && words("price")].filter(Boolean).join(" · ");
  const plot = createPlot({
    summary: words("chart_summary", { title, from: formats.time(start), to: formats.time(end) }),
    scale: hasPower ? powerScale : priceScale,
    level: hasPower ? number : price,
    marks: timeTicks(start, end, formats).map((time) => [share(time), formats.time(time)]),
    drawing: [...drawBars(bars, usual, priceScale, share), ...(hasPower ? drawPower(power, powerScale, share) : [])],
  });
  plot.classList.toggle("flat", !known.length && !hasPower);
  const hasBoth = hasPower && known.length > 0;
  if (hasBoth) plot.append(...createLevels("price", priceScale, price));
  const describe = (/** @type {number} */ index) => {
    if (index < ends.length) {
      const [surplus, charging] = [power.surplus, power.power].map((values) => formats.amount(values[index], "kW"));
      const time = formats.timeSpan(power.times[index], ends[index]);
      return [time, `${words("surplus")}: ${surplus}`, `${words("charging")}: ${charging}`];
    }
    const bar = bars[index - ends.length];
    const cost = bar.price ?? bar.estimate;
    const about = bar.price === null ? "≈\u00a0" : "";
    const perUnit = cost === undefined ? "—" : about + formats.per(formats.cost(cost, currency), "kWh");
    const time = formats.timeSpan(bar.start, bar.end);
    return [known.length ? `${time}: ${perUnit}` : time, bar.charges && words("charging")].filter(Boolean);
  };
  // First the first hour that charges, else what comes next, else what was last.
  const first = bars.findIndex(({ charges }) => charges);
  const selected = ends.length + (bars.length ? Math.max(0, first) : -1);
  const shares = [...ends, ...bars.map((bar) => bar.end)].map(share);
  const picture = createSelection(plot, shares, selected, words("time"), describe);
  picture.classList.toggle("with-power", hasPower);
  picture.classList.toggle("with-price", hasBoth);
  return [picture];
}

/** @type {(bars: PlanBar[], usual: number, scale: Scale, share: (time: number) => number) => Child[]} */
function drawBars(bars, usual, scale, share) {
  const least = LEAST * (Math.max(...scale.numbers) - scale.numbers[0]);
  const path = (/** @type {boolean} */ isKnown, /** @type {boolean} */ charges) => {
    const alike = bars.filter((bar) => (bar.price !== null) === isKnown && bar.charges === charges);
    const shown = alike.map((bar) => {
      const value = bar.price ?? bar.estimate ?? usual;
      const [from, to] = [share(bar.start), share(bar.end) - GAP];
      return { from, to, value: Math.abs(value) < least ? least : value };
    });
    const kind = `bars${isKnown ? "" : " unknown"}${charges ? " chosen" : ""}`;
    return drawn("path", { class: kind, d: barsPath(shown, scale) });
  };
  return [path(true, false), path(false, false), path(true, true), path(false, true)];
}

/** @type {(power: PowerRows, scale: Scale, share: (time: number) => number) => Child[]} */
function drawPower({ times, surplus, power }, scale, share) {
  const x = (/** @type {number} */ time) => (share(time) * SIZE).toFixed(1);
  const axes = { times, gap: 3 * POWER_STEP };
  return [
    ...drawCurve({ values: surplus }, scale, axes, x, "surplus"),
    ...drawCurve({ values: power }, scale, axes, x, "power"),
  ];
}
