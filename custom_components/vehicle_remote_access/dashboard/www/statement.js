/** The page with a statement, which is printed. It is a document of its own, without Home Assistant's frontend. */

import { element } from "./dom.js";
import { Formats } from "./formats.js";
import { periodText } from "./log_texts.js";

/** Paper is white, so the screen is too. */
const STYLES = `
  :root { color-scheme: light; }
  body {
    max-width: 1000px;
    margin: 0 auto;
    padding: 24px 16px;
    background: white;
    color: black;
    font: 14px/1.35 system-ui, sans-serif;
  }
  h1 { margin: 0 0 12px; font-size: 1.6em; line-height: 1.2; }
  header { display: flex; gap: 16px; align-items: start; justify-content: space-between; }
  button {
    min-height: 44px;
    padding-inline: 24px;
    border: 0;
    border-radius: 22px;
    background: #d6ebf7;
    color: black;
    font: inherit;
    cursor: pointer;
  }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 16px; margin: 0 0 16px; }
  dt { color: #555; }
  dd { margin: 0; overflow-wrap: anywhere; }
  .scroll { overflow-x: auto; }
  /* Borders that collapse are not printed with a repeated header. */
  table { width: 100%; border-spacing: 0; }
  th, td { padding: 4px 6px; vertical-align: top; text-align: start; overflow-wrap: break-word; }
  thead th { border-bottom: 1.5px solid black; font-weight: 600; vertical-align: bottom; }
  tbody td { border-bottom: 0.5px solid #bbb; }
  .total td { border-top: 1.5px solid black; border-bottom: 0; font-weight: 600; }
  .number { text-align: end; font-variant-numeric: tabular-nums; }
  td.number, .start, .end { white-space: nowrap; }
  .note { min-width: 9em; }
  p { margin: 12px 0 0; }
  p + p { margin-top: 4px; }
  @page { margin: 15mm 12mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
  @media print {
    body { max-width: none; padding: 0; font-size: 8.5pt; }
    button { display: none; }
    .scroll { overflow: visible; }
    th, td { padding: 1mm 1.2mm; }
    tr, p, .last { break-inside: avoid; }
  }`;

/** With more columns, the page is printed in landscape. */
const MOST_COLUMNS = 8;

const styles = new CSSStyleSheet();
document.adoptedStyleSheets = [styles];

/** @type {StatementData} */
const data = JSON.parse(document.querySelector("script").textContent);
const { columns, texts, sums } = data;
styles.replaceSync(STYLES + (columns.length > MOST_COLUMNS ? "@page { size: landscape; }" : ""));
// The days are those of the log, so that each entry is in the period in which it counts.
const locale = { number_format: "language", time_format: "language", ...JSON.parse(data.locale ?? "{}") };
const formats = new Formats({
  language: document.documentElement.lang,
  locale: { language: document.documentElement.lang, ...locale, time_zone: "server" },
  config: { time_zone: data.time_zone },
});

/** @type {StatementWords} */
const words = (key, values) => texts[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** A text that can be in another direction than the page. */
const own = (/** @type {Child} */ text) => element("bdi", {}, text);

const dateAndTime = (/** @type {string} */ time) => formats.dateAndTime(Date.parse(time));

/** The time of an end, with the date if it is another day. */
function end(/** @type {string} */ time, /** @type {string} */ start) {
  const [ended, started] = [time, start].map(Date.parse);
  const isSameDay = formats.local(ended).day === formats.local(started).day;
  return isSameDay ? formats.time(ended) : dateAndTime(time);
}

/** @type {(value: StatementValue, column: StatementColumn, start: string, isApproximate: boolean) => string} */
function shown(value, { name, digits }, start, isApproximate) {
  if (value === null) return name === "note" ? "" : "—";
  if (name === "start") return (isApproximate ? "≈ " : "") + dateAndTime(start);
  if (name === "end") return end(String(value), start);
  return digits === null ? String(value) : formats.number(Number(value), digits);
}

/** A cell of a column. The class is `number`, or the name of a column of texts. */
const cell = (/** @type {StatementColumn} */ { name, digits }, /** @type {string} */ content) =>
  element("td", { class: digits === null ? name : "number" }, own(content));

const row = (/** @type {StatementValue[]} */ values, /** @type {number} */ index) => {
  const more = /** @type {const} */ ([String(values[0]), data.approximate[index]]);
  return element("tr", {}, ...columns.map((column, at) => cell(column, shown(values[at], column, ...more))));
};

const total = columns.map((column, index) => {
  const isText = !index || !(column.name in sums);
  return isText
    ? element("td", {}, index ? "" : texts.total)
    : cell(column, shown(sums[column.name], column, "", false));
});

const rows = data.rows.map(row);
const facts = Object.entries({
  [texts.car]: data.car,
  VIN: data.vin,
  [texts.period]: periodText(words, formats, data.period),
  [texts.tag]: data.tag,
  [texts.created_on]: dateAndTime(data.created),
}).filter(([, value]) => value);

const print = element("button", { type: "button" }, texts.print);
print.addEventListener("click", () => window.print());
const head = columns.map(({ title, digits }) =>
  element("th", { scope: "col", class: digits === null ? "" : "number" }, title),
);
document.title = [data.car, data.title, data.period, data.tag].filter(Boolean).join(" - ");
document.body.append(
  element("header", {}, element("h1", {}, data.title), print),
  element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, own(value))])),
  element(
    "div",
    { class: "scroll" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows.slice(0, -1)),
      // The sums are never alone on a page.
      element("tbody", { class: "last" }, ...rows.slice(-1), element("tr", { class: "total" }, ...total)),
    ),
  ),
  ...(data.rows.length ? data.remarks : [texts.no_entries]).map((remark) => element("p", {}, remark)),
);
