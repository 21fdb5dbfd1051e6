/** Charts of bars. */

import { drawn, element } from "./dom.js";
import { SIZE, Scale, createPlot } from "./line_chart.js";

/** The width of a bar, as a share of the width of a pair. */
const WIDTH = 0.38;

/** Return the outlines of bars from zero, as a path. Unknown values have no bar. */
export function barsPath(/** @type {Bar[]} */ bars, /** @type {Scale} */ scale) {
  const x = (/** @type {number} */ share) => (share * SIZE).toFixed(1);
  return bars
    .map(
      ({ from, to, value }) => value !== null && `M${x(from)} ${scale.y(0)}V${scale.y(value)}H${x(to)}V${scale.y(0)}z`,
    )
    .filter(Boolean)
    .join("");
}

/**
 * Return a chart with two bars for each name: the value, and a paler one before it.
 *
 * `describe` returns the texts of a pair. The pair that the user points at is shown above the chart.
 */
export function createBars(/** @type {BarsOptions} */ { names, values, before, level, summary, label, describe }) {
  const scale = new Scale({ values: [...values, ...before], isFromZero: true });
  const { length } = names;
  const marks = names.map((name, index) => /** @type {Mark} */ ([(index + 0.5) / length, name]));
  const barsOf = (/** @type {(number | null)[]} */ shown, /** @type {number} */ start) =>
    shown.map((value, index) => ({ from: (index + start) / length, to: (index + start + WIDTH) / length, value }));
  const plot = createPlot({
    ...{ summary, scale, level },
    // There is no room for all names on a phone.
    marks: marks.filter((_, index) => (length - 1 - index) % 2 === 0),
    drawing: [
      drawn("path", { class: "bars before", d: barsPath(barsOf(before, 0.5 - WIDTH - 0.02), scale) }),
      drawn("path", { class: "bars", d: barsPath(barsOf(values, 0.52), scale) }),
    ],
  });
  const ends = names.map((_, index) => (index + 1) / length);
  return createSelection(plot, ends, length - 1, label, describe);
}

/** @type {CreateSelection} A plot with columns. The user selects one, whose texts are above the plot */
export function createSelection(plot, ends, selected, label, describe) {
  const column = element("span", { class: "column" });
  plot.prepend(column);
  const value = element("div", { class: "value", "aria-hidden": "true" });
  // With the keyboard and with a screen reader, a slider selects the column.
  const range = { min: 0, max: ends.length - 1, value: selected, dir: "ltr", "data-key": "bars" };
  const slider = element("input", { type: "range", ...range, "aria-label": label });
  const show = (/** @type {number} */ index) => {
    const texts = describe(index);
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", texts.join(", "));
    const left = index ? ends[index - 1] : 0;
    Object.assign(column.style, { left: `${100 * left}%`, width: `${100 * (ends[index] - left)}%` });
    value.replaceChildren(...texts.map((text) => element("span", {}, text)));
  };
  show(selected);
  slider.addEventListener("input", () => show(Number(slider.value)));
  const point = (/** @type {PointerEvent} */ { clientX }) => {
    const { left, width } = plot.getBoundingClientRect();
    const index = ends.findIndex((end) => (clientX - left) / width < end);
    show(index < 0 ? ends.length - 1 : index);
  };
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointermove", point);
  return element("div", { class: "charts" }, slider, element("div", { class: "chart" }, value, plot));
}
