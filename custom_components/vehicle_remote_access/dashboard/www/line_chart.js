/** Small line charts that share a time axis. */

import { drawn, element } from "./dom.js";
import { MINUTE } from "./status.js";

/** While nothing was seen for longer than this, no line is drawn. */
const GAP = 5 * MINUTE;
/** The distances of time ticks in minutes. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
const MOST_TIME_TICKS = 3.5;
/** Charts are drawn in a square of this size, which is stretched. */
export const SIZE = 1000;
/** From this share of the width on, a centered label could leave the card. */
const AT_EDGE = 0.97;

const isKnown = /** @type {(value: unknown) => value is number} */ (Number.isFinite);

/** Return round numbers around some values, from the lowest to the highest. `smallest`: their least distance. */
export function ticks(/** @type {number[]} */ values, smallest = 0) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max((high - low || Math.abs(high) || 1) / 3, smallest, 1e-6);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((factor) => factor * power).find((each) => each >= rough * 0.999) ?? 10 * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { numbers, digits };
}

/** Return the round times of a period, in the user's time zone. */
export function timeTicks(/** @type {number} */ start, /** @type {number} */ end, /** @type {Formats} */ formats) {
  const step = TIME_STEPS.find((each) => (end - start) / MINUTE / each <= MOST_TIME_TICKS) ?? 1440;
  const { minute } = formats.local(start);
  const found = [];
  let time = (Math.floor(start / MINUTE) + ((step - (minute % step)) % step)) * MINUTE;
  for (; time <= end; time += step * MINUTE) if (time >= start) found.push(time);
  return found;
}

/** Return the longest time between two samples that belong together. Long charges have fewer samples. */
function longestGap(/** @type {number[]} */ times) {
  const distances = times.slice(1).map((time, index) => time - times[index]);
  distances.sort((one, other) => one - other);
  return Math.max(GAP, 3 * (distances[Math.floor(distances.length / 2)] ?? 0));
}

/** The scale of one curve: the position of each value between the bottom (0) and the top (1). */
export class Scale {
  constructor(/** @type {PlottedCurve} */ { values, band = [], smallest, isFromZero }) {
    const shown = [...values, ...band.flat(), ...(isFromZero ? [0] : [])];
    const { numbers, digits } = ticks(shown.filter(isKnown), smallest);
    this.numbers = numbers;
    this.digits = digits;
  }

  at(/** @type {number} */ value) {
    const [low, high] = [this.numbers[0], Math.max(...this.numbers)];
    return (value - low) / (high - low);
  }

  y(/** @type {number} */ value) {
    return ((1 - this.at(value)) * SIZE).toFixed(1);
  }
}

/** Return the parts of a curve between gaps, as lists of points. */
function parts(/** @type {PlottedCurve} */ curve, /** @type {number[]} */ times, /** @type {number} */ gap) {
  const found = /** @type {number[][][]} */ ([]);
  let before = -Infinity;
  curve.values.forEach((value, index) => {
    if (!isKnown(value)) return;
    if (times[index] - before > gap || !found.length) found.push([]);
    found.at(-1)?.push([times[index], value]);
    before = times[index];
  });
  return found;
}

/** Draw a curve, and its band, or the area between it and zero or the lowest value. */
/** @type {(curve: PlottedCurve, scale: Scale, axes: Pick<Axes, "times" | "gap">, x: (time: number) => string, name: string) => Child[]} */
export function drawCurve(curve, scale, { times, gap = Infinity }, x, name) {
  const path = (/** @type {number[][]} */ [[first, value], ...others]) => {
    const segments = others.map(([time, each]) =>
      curve.isStep ? `H${x(time)}V${scale.y(each)}` : `L${x(time)} ${scale.y(each)}`,
    );
    // A line without a length is a dot.
    return `M${x(first)} ${scale.y(value)}${segments.join("") || "h0"}`;
  };
  const lines = parts(curve, times, gap);
  const bottom = scale.y(Math.min(Math.max(0, scale.numbers[0]), Math.max(...scale.numbers)));
  const edge = (/** @type {number} */ side) => (curve.band ?? []).map((each, index) => [times[index], each[side]]);
  const areas = curve.band
    ? [`${path([...edge(1), ...edge(0).reverse()])}Z`]
    : lines.map((points) => `${path(points)}V${bottom}H${x(points[0][0])}Z`);
  return [
    drawn("path", { class: `area ${name}`, d: areas.join("") }),
    drawn("path", { class: `line ${name}`, d: lines.map(path).join("") }),
  ];
}

const createLabel = (/** @type {string} */ name, /** @type {Line} */ text, /** @type {string} */ style) =>
  element("span", { class: `tick ${name}`, style, "aria-hidden": "true" }, text);

/** @type {(name: string, scale: Scale, level: Axes["level"]) => HTMLElement[]} The labels of a scale */
export const createLevels = (name, scale, level) =>
  scale.numbers.map((number) => createLabel(name, level(number, scale.digits), `bottom: ${scale.at(number) * 100}%`));

/**
 * Return what is drawn in a square of `SIZE`, with its axes. It fills the width of the page.
 *
 * `marks`: the labels of the other axis, with their place in the width. `level`: see `Chart`.
 */
export function createPlot(/** @type {PlotOptions} */ { summary, scale, level, marks, drawing }) {
  const line = (/** @type {string} */ name, /** @type {string} */ d) => drawn("path", { class: `grid ${name}`, d });
  return element(
    "div",
    { class: "plot", dir: "ltr" },
    drawn(
      "svg",
      { viewBox: `0 0 ${SIZE} ${SIZE}`, preserveAspectRatio: "none", role: "img", "aria-label": summary },
      ...scale.numbers.map((number) => line(number ? "" : "zero", `M0 ${scale.y(number)}H${SIZE}`)),
      ...marks.map(([share]) => line("upright", `M${(share * SIZE).toFixed(1)} 0V${SIZE}`)),
      ...drawing,
    ),
    ...createLevels("level", scale, level),
    ...marks.map(([share, text]) => createLabel(share > AT_EDGE ? "time edge" : "time", text, `left: ${share * 100}%`)),
  );
}

/**
 * One chart of a curve, and possibly of another one behind it. Its heading shows the sample that the user points at.
 *
 * `axes`: the `times` of the values, from `start` to `end`; the time without a value in which a line ends, the
 * `gap`; the times with a label and its text, the `marks`; and what returns the label of a `level`.
 */
class Chart {
  constructor(/** @type {Curve} */ curve, /** @type {Axes} */ axes, /** @type {Words} */ words) {
    this.#curve = curve;
    this.#axes = axes;
    this.#scale = new Scale(curve);
    const values = curve.values.filter(isKnown);
    const [from, to] = [Math.min(...values), Math.max(...values)];
    this.#range = `${curve.plain(from)} – ${curve.format(to)}`;
    const { behind } = curve;
    const back = behind && new Scale(behind);
    const title = behind ? `${curve.title} · ${behind.title}` : curve.title;
    const x = (/** @type {number} */ time) => (this.#share(time) * SIZE).toFixed(1);
    this.plot = createPlot({
      ...{ scale: this.#scale, level: axes.level },
      summary: words("chart_summary", { title, from: curve.format(from), to: curve.format(to) }),
      marks: axes.marks.map(([time, text]) => [this.#share(time), text]),
      drawing: [
        ...(back ? drawCurve(behind, back, axes, x, "behind") : []),
        ...drawCurve(curve, this.#scale, axes, x, "front"),
      ],
    });
    this.plot.append(...(back ? createLevels("price", back, axes.level) : []), this.#cursor, this.#dot);
    this.#value.textContent = this.#range;
    const heading = element("div", { class: "heading" }, element("span", { class: "name" }, title), this.#value);
    this.element = element("div", { class: `chart ${curve.name}` }, heading, this.plot);
  }

  #curve;
  #axes;
  #scale;
  #range;
  #cursor = element("span", { class: "cursor", hidden: "" });
  #dot = element("span", { class: "dot", hidden: "" });
  #value = element("span", { class: "value", dir: "ltr", "aria-hidden": "true" });

  #share(/** @type {number} */ time) {
    const { start, end } = this.#axes;
    return (time - start) / (end - start || 1);
  }

  left(/** @type {number} */ time) {
    return `${this.#share(time) * 100}%`;
  }

  /** The text of a sample. */
  text(/** @type {number} */ index) {
    const show = (/** @type {Curve} */ { format, values }) =>
      (isKnown(values[index]) && format(values[index], index)) || "—";
    const { behind } = this.#curve;
    return behind ? `${show(this.#curve)} · ${show(behind)}` : show(this.#curve);
  }

  /** Show a sample, or none if the index is undefined. */
  show(/** @type {number=} */ index) {
    const value = this.#curve.values[index ?? -1];
    this.#cursor.hidden = index === undefined;
    this.#dot.hidden = !isKnown(value);
    this.#value.textContent = index === undefined ? this.#range : this.text(index);
    if (index === undefined) return;
    const left = this.left(this.#axes.times[index]);
    this.#cursor.style.left = left;
    if (isKnown(value)) Object.assign(this.#dot.style, { left, bottom: `${this.#scale.at(value) * 100}%` });
  }
}

/**
 * Return charts of samples, with a shared time axis and a readout of the sample that the user points at.
 *
 * `times`: the times of the samples, oldest first. A curve has a `title`, the `values` of the samples, a
 * `format` for a value with its unit and a `plain` one, and can have another curve `behind` it.
 */
export function createCharts(/** @type {ChartOptions} */ options) {
  const { curves, times, start, end, formats, words } = options;
  const { gap = longestGap(times), textOf = (time) => formats.time(time) } = options;
  const shown = curves.filter((curve) => curve.values.filter(isKnown).length > 1);
  if (!shown.length) return undefined;
  const marked = options.marked ?? timeTicks(start, end, formats);
  const marks = marked.map((time) => /** @type {Mark} */ ([time, textOf(time)]));
  const level = (/** @type {number} */ value, /** @type {number} */ digits) => formats.number(value, digits);
  const axes = { times, start, end, gap, marks, level };
  const charts = shown.map((curve) => new Chart(curve, axes, words));
  const moment = element("span", { class: "tick time moment", "aria-hidden": "true", hidden: "" });
  charts.at(-1)?.plot.append(moment);
  // With the keyboard and with a screen reader, a slider selects the sample.
  const last = times.length - 1;
  const slider = element("input", { type: "range", min: 0, max: last, dir: "ltr", "aria-label": words("time") });
  slider.value = "0";
  const describe = (/** @type {number} */ index) =>
    [textOf(times[index]), ...charts.map((chart, at) => `${shown[at].title} ${chart.text(index)}`)].join(", ");
  const show = (/** @type {number | undefined} */ index) => {
    for (const chart of charts) chart.show(index);
    moment.hidden = index === undefined;
    if (index === undefined) return;
    moment.textContent = textOf(times[index]);
    moment.style.left = charts[0].left(times[index]);
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", describe(index));
  };
  slider.setAttribute("aria-valuetext", describe(0));
  slider.addEventListener("input", () => show(Number(slider.value)));
  slider.addEventListener("focus", () => show(Number(slider.value)));
  slider.addEventListener("blur", () => show(undefined));
  const point = (/** @type {PointerEvent} */ { clientX, currentTarget }) => {
    const { left, width } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
    const time = start + ((clientX - left) / width) * (end - start);
    const distances = times.map((each) => Math.abs(each - time));
    show(distances.indexOf(Math.min(...distances)));
  };
  for (const { plot } of charts) {
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerleave", () => show(undefined));
  }
  const hasPrice = shown.some((curve) => curve.behind);
  return element(
    "div",
    { class: `charts${hasPrice ? " with-price" : ""}` },
    slider,
    ...charts.map((chart) => chart.element),
  );
}
