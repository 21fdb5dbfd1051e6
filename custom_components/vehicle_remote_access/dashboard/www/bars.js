/** A chart of pairs of bars. */

import { drawn, element } from "./dom.js";
import { SIZE, Scale, createPlot } from "./line_chart.js";

/** The width of a bar, as a share of the width of a pair. */
const WIDTH = 0.38;

/**
 * Return the outlines of bars from zero, as a path. What is unknown has no bar.
 *
 * `from`: where a bar begins, as a share of the width of a pair.
 */
export function barsPath(
  /** @type {(number | null)[]} */ values,
  /** @type {Scale} */ scale,
  /** @type {number} */ from,
) {
  const pair = SIZE / values.length;
  const bars = values.map((value, index) => {
    const x = (index + from) * pair;
    return (
      value !== null && `M${x.toFixed(1)} ${scale.y(0)}V${scale.y(value)}h${(WIDTH * pair).toFixed(1)}V${scale.y(0)}z`
    );
  });
  return bars.filter(Boolean).join("");
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
  const plot = createPlot({
    ...{ summary, scale, level },
    // There is no room for all names on a phone.
    marks: marks.filter((_, index) => (length - 1 - index) % 2 === 0),
    drawing: [
      drawn("path", { class: "bars before", d: barsPath(before, scale, 0.5 - WIDTH - 0.02) }),
      drawn("path", { class: "bars", d: barsPath(values, scale, 0.52) }),
    ],
  });
  const column = element("span", { class: "column", style: `width: ${100 / length}%` });
  plot.prepend(column);
  const value = element("div", { class: "value", "aria-hidden": "true" });
  // With the keyboard and with a screen reader, a slider selects the pair.
  const range = { min: 0, max: length - 1, value: length - 1, dir: "ltr", "data-key": "bars" };
  const slider = element("input", { type: "range", ...range, "aria-label": label });
  const show = (/** @type {number} */ index) => {
    const texts = describe(index);
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", texts.join(", "));
    column.style.left = `${(100 * index) / length}%`;
    value.replaceChildren(...texts.map((text) => element("span", {}, text)));
  };
  show(length - 1);
  slider.addEventListener("input", () => show(Number(slider.value)));
  const point = (/** @type {PointerEvent} */ { clientX }) => {
    const { left, width } = plot.getBoundingClientRect();
    show(Math.max(0, Math.min(length - 1, Math.floor(((clientX - left) / width) * length))));
  };
  plot.addEventListener("pointerdown", point);
  plot.addEventListener("pointermove", point);
  return element("div", { class: "charts" }, slider, element("div", { class: "chart" }, value, plot));
}
