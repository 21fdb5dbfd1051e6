/** The chart of one value of the months, beside those of the year before. */

import { createBars } from "./bars.js";
import { createChoice } from "./choice.js";
import { createSection, element } from "./dom.js";
import { monthBefore, monthValues } from "./month_texts.js";

/** The number of months that are shown at once. */
const SHOWN = 12;

/** @type {CreateMonthChart} The chart, or undefined if no value is known. `chosen` is what the user has chosen */
export function createMonthChart(context, { months, today, units }, chosen) {
  const { words, formats } = context;
  const current = today.slice(0, 7);
  const rows = new Map(months.map((month) => [month.period, month]));
  const values = monthValues(context, units);
  const names = /** @type {MonthValue[]} */ (Object.keys(values));
  const known = names.filter((name) => months.some((month) => month[name] !== null));
  if (!known.length) return undefined;
  if (!known.includes(chosen.value)) [chosen.value] = known;
  const earlier = createArrow("mdi:chevron-left", words("earlier"));
  const later = createArrow("mdi:chevron-right", words("later"));
  const span = element("span", { role: "status" });
  const valueOf = (/** @type {string} */ month) => rows.get(month)?.[chosen.value] ?? null;
  const textOf = (/** @type {string} */ month) => {
    const time = formats.period(month);
    const value = values[chosen.value].format(valueOf(month), rows.get(month)) ?? "—";
    return `${month === current ? words("so_far", { time }) : time}: ${value}`;
  };
  const draw = () => {
    const last = monthBefore(current, chosen.yearsAgo * SHOWN);
    const shown = Array.from({ length: SHOWN }, (_, index) => monthBefore(last, SHOWN - 1 - index));
    const [from, to] = [shown[0], last].map((month) => formats.period(month, { month: "short" }));
    span.textContent = `${from} – ${to}`;
    earlier.disabled = shown[0] <= months[months.length - 1].period;
    later.disabled = chosen.yearsAgo === 0;
    return createBars({
      names: shown.map((month) => formats.period(month, { month: "short", year: undefined })),
      values: shown.map(valueOf),
      before: shown.map((month) => valueOf(monthBefore(month, SHOWN))),
      level: (value, digits) => formats.number(value, digits),
      summary: words("chart_summary", { title: values[chosen.value].title, from, to }),
      label: words("month"),
      describe: (index) => [shown[index], monthBefore(shown[index], SHOWN)].map(textOf),
    });
  };
  const go = (/** @type {number} */ years) => {
    chosen.yearsAgo += years;
    content.replaceChildren(draw());
    // A disabled button has no focus.
    if (earlier.disabled) later.focus();
    else if (later.disabled) earlier.focus();
  };
  earlier.addEventListener("click", () => go(1));
  later.addEventListener("click", () => go(-1));
  const options = known.map((name) => /** @type {[MonthValue, string]} */ ([name, values[name].title]));
  const { choice, content } = createChoice(words("by_month"), options, chosen.value, (name) => {
    chosen.value = name;
    return [draw()];
  });
  return createSection(words("by_month"), choice, element("div", { class: "span" }, earlier, span, later), content);
}

const createArrow = (/** @type {string} */ icon, /** @type {string} */ name) =>
  element("button", { type: "button", "aria-label": name, "data-key": icon }, element("ha-icon", { icon }));
