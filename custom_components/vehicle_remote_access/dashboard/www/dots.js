/** A chart of dots, with a line through their means. */

import { drawn, element } from "./dom.js";
import { SIZE, Scale, createPlot } from "./line_chart.js";

/** Return a chart of points. `mark` returns the label of a number of the horizontal axis. */
export function createDots(/** @type {DotsOptions} */ { points, means, level, mark, summary }) {
  const across = new Scale({ values: points.map(([x]) => x) });
  const scale = new Scale({ values: points.map(([, y]) => y) });
  const place = (/** @type {Point} */ [x, y]) => `${(across.at(x) * SIZE).toFixed(1)} ${scale.y(y)}`;
  const plot = createPlot({
    ...{ summary, scale, level },
    marks: across.numbers.map((number) => [across.at(number), mark(number)]),
    drawing: [
      // A line without a length is a dot. One path for all is drawn at once.
      drawn("path", { class: "dots", d: points.map((point) => `M${place(point)}h0`).join("") }),
      drawn("path", { class: "line", d: `M${means.map(place).join("L")}` }),
    ],
  });
  return element("div", { class: "chart" }, plot);
}
