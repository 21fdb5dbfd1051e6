/** Small line charts that share a time axis. */

import { drawn, element } from "./dom.js";

const MINUTE = 60_000;
/** While nothing was seen for longer than this, no line is drawn. */
const GAP = 5 * MINUTE;
/** The distances of time ticks in minutes. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
const MOST_TIME_TICKS = 3.5;
/** Lines are drawn in a square of this size, which is stretched. */
const SIZE = 1000;

const known = (values) => values.filter((value) => value !== null && value !== undefined);

/** Return round numbers around some values, from the lowest to the highest. `smallest`: their least distance. */
export function ticks(values, smallest = 0) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max((high - low || Math.abs(high) || 1) / 3, smallest, 1e-6);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { numbers, digits };
}

/** Return the round times of a period, in the user's time zone. */
function timeTicks(start, end, formats) {
  const step = TIME_STEPS.find((each) => (end - start) / MINUTE / each <= MOST_TIME_TICKS) ?? 1440;
  const { minute } = formats.local(start);
  const found = [];
  let time = (Math.floor(start / MINUTE) + ((step - (minute % step)) % step)) * MINUTE;
  for (; time <= end; time += step * MINUTE) if (time >= start) found.push(time);
  return found;
}

/** Return the longest time between two samples that belong together. Long charges have fewer samples. */
function longestGap(times) {
  const distances = times.slice(1).map((time, index) => time - times[index]);
  distances.sort((one, other) => one - other);
  return Math.max(GAP, 3 * (distances[Math.floor(distances.length / 2)] ?? 0));
}

/** The scale of one curve: the position of each value between the bottom (0) and the top (1). */
class Scale {
  constructor({ values, smallest, isFromZero }) {
    const { numbers, digits } = ticks([...known(values), ...(isFromZero ? [0] : [])], smallest);
    Object.assign(this, { numbers, digits });
  }

  at(value) {
    const [low, high] = [this.numbers[0], this.numbers.at(-1)];
    return (value - low) / (high - low);
  }
}

/** Return the parts of a curve between gaps, as lists of points. */
function parts(curve, times, gap) {
  const found = [];
  let before = -Infinity;
  curve.values.forEach((value, index) => {
    if (value === null || value === undefined) return;
    if (times[index] - before > gap) found.push([]);
    found.at(-1).push([times[index], value]);
    before = times[index];
  });
  return found;
}

/** Draw a curve, and the area between it and zero, or the lowest value. */
function drawCurve(curve, scale, times, gap, x, name) {
  const y = (value) => ((1 - scale.at(value)) * SIZE).toFixed(1);
  const bottom = y(Math.min(Math.max(0, scale.numbers[0]), scale.numbers.at(-1)));
  const lines = parts(curve, times, gap).map((points) => {
    const [[first, value], ...others] = points;
    const segments = others.map(([time, each]) =>
      curve.isStep ? `H${x(time)}V${y(each)}` : `L${x(time)} ${y(each)}`,
    );
    // A line without a length is a dot.
    const line = `M${x(first)} ${y(value)}${segments.join("") || "h0"}`;
    return { line, area: `${line}V${bottom}H${x(first)}Z` };
  });
  return [
    drawn("path", { class: `area ${name}`, d: lines.map(({ area }) => area).join("") }),
    drawn("path", { class: `line ${name}`, d: lines.map(({ line }) => line).join("") }),
  ];
}

/** One chart: a curve, and possibly another one behind it. */
class Chart {
  constructor(curve, { times, start, end, formats, words, hasTimes }) {
    this.#curve = curve;
    this.#times = times;
    const percent = (time) => ((time - start) / (end - start || 1)) * 100;
    const x = (time) => (percent(time) * (SIZE / 100)).toFixed(1);
    const scale = new Scale(curve);
    const gap = longestGap(times);
    this.#percent = percent;
    this.#scale = scale;
    const [from, to] = [Math.min(...known(curve.values)), Math.max(...known(curve.values))];
    this.#range = `${curve.plain(from)} – ${curve.format(to)}`;
    const title = curve.behind ? `${curve.title} · ${curve.behind.title}` : curve.title;
    const summary = words("chart_summary", { title, from: curve.format(from), to: curve.format(to) });
    const lines = scale.numbers.map((number) => {
      const y = ((1 - scale.at(number)) * SIZE).toFixed(1);
      return drawn("path", { class: number ? "grid" : "grid zero", d: `M0 ${y}H${SIZE}` });
    });
    const marks = timeTicks(start, end, formats);
    const upright = marks.map((time) => drawn("path", { class: "grid", d: `M${x(time)} 0V${SIZE}` }));
    const back = curve.behind && new Scale(curve.behind);
    const svg = drawn(
      "svg",
      { viewBox: `0 0 ${SIZE} ${SIZE}`, preserveAspectRatio: "none", role: "img", "aria-label": summary },
      ...lines,
      ...upright,
      ...(back ? drawCurve(curve.behind, back, times, gap, x, "behind") : []),
      ...drawCurve(curve, scale, times, gap, x, "front"),
    );
    const label = (text, name, style) => element("span", { class: `tick ${name}`, style, "aria-hidden": "true" }, text);
    const levels = (each, name) =>
      each.numbers.map((number) =>
        label(formats.number(number, each.digits), name, `bottom: ${each.at(number) * 100}%`),
      );
    this.#cursor = element("span", { class: "cursor", hidden: "" });
    this.#dot = element("span", { class: "dot", hidden: "" });
    this.#value = element("span", { class: "value", dir: "ltr", "aria-hidden": "true" }, this.#range);
    this.plot = element(
      "div",
      { class: `plot${hasTimes ? " with-times" : ""}`, dir: "ltr" },
      svg,
      ...levels(scale, "level"),
      ...(back ? levels(back, "price") : []),
      ...(hasTimes ? marks.map((time) => label(formats.time(time), "time", `left: ${percent(time)}%`)) : []),
      this.#cursor,
      this.#dot,
    );
    const heading = element("div", { class: "heading" }, element("span", { class: "name" }, title), this.#value);
    this.element = element("div", { class: `chart ${curve.name}` }, heading, this.plot);
  }

  #curve;
  #times;
  #percent;
  #scale;
  #range;
  #cursor;
  #dot;
  #value;

  /** The text of a sample. */
  text(index) {
    const { behind, format, values } = this.#curve;
    const show = (form, value) => (value === null || value === undefined ? "—" : form(value));
    const shown = show(format, values[index]);
    return behind ? `${shown} · ${show(behind.format, behind.values[index])}` : shown;
  }

  /** Show a sample, or none if the index is undefined. */
  show(index) {
    const value = this.#curve.values[index];
    const hasValue = value !== null && value !== undefined;
    this.#cursor.hidden = index === undefined;
    this.#dot.hidden = !hasValue;
    this.#value.textContent = index === undefined ? this.#range : this.text(index);
    if (index === undefined) return;
    const left = `${this.#percent(this.#times[index])}%`;
    this.#cursor.style.left = left;
    Object.assign(this.#dot.style, { left, bottom: `${hasValue ? this.#scale.at(value) * 100 : 0}%` });
  }
}

/**
 * Return charts of samples, with a shared time axis and a readout of the sample that the user points at.
 *
 * `times`: the times of the samples, oldest first. A curve has a `title`, the `values` of the samples, a
 * `format` for a value with its unit and a `plain` one, and can have another curve `behind` it.
 */
export function createCharts({ curves, times, start, end, formats, words }) {
  const shown = curves.filter((curve) => known(curve.values).length > 1);
  if (!shown.length) return undefined;
  const charts = shown.map((curve, index) => {
    const hasTimes = index === shown.length - 1;
    return new Chart(curve, { times, start, end, formats, words, hasTimes });
  });
  const moment = element("span", { class: "tick time moment", "aria-hidden": "true", hidden: "" });
  charts.at(-1).plot.append(moment);
  // With the keyboard and with a screen reader, a slider selects the sample.
  const last = times.length - 1;
  const slider = element("input", { type: "range", min: 0, max: last, dir: "ltr", "aria-label": words("time") });
  slider.value = 0;
  const describe = (index) =>
    [formats.time(times[index]), ...charts.map((chart, at) => `${shown[at].title} ${chart.text(index)}`)].join(", ");
  const show = (index) => {
    for (const chart of charts) chart.show(index);
    moment.hidden = index === undefined;
    if (index === undefined) return;
    moment.textContent = formats.time(times[index]);
    moment.style.left = `${((times[index] - start) / (end - start || 1)) * 100}%`;
    slider.value = index;
    slider.setAttribute("aria-valuetext", describe(index));
  };
  slider.setAttribute("aria-valuetext", describe(0));
  slider.addEventListener("input", () => show(Number(slider.value)));
  slider.addEventListener("focus", () => show(Number(slider.value)));
  slider.addEventListener("blur", () => show());
  const point = ({ clientX, currentTarget }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const time = start + ((clientX - left) / width) * (end - start);
    const distances = times.map((each) => Math.abs(each - time));
    show(distances.indexOf(Math.min(...distances)));
  };
  for (const { plot } of charts) {
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerleave", () => show());
  }
  const hasPrice = shown.some((curve) => curve.behind);
  return element(
    "div",
    { class: `charts${hasPrice ? " with-price" : ""}` },
    slider,
    ...charts.map((chart) => chart.element),
  );
}
