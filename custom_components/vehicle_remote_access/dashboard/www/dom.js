/** Elements of the page. */

/** @template {Element} E */
function complete(/** @type {E} */ created, /** @type {Attributes} */ attributes, /** @type {Child[]} */ children) {
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.append(...children.filter(Boolean));
  return created;
}

/** @type {CreateElement} An element with its attributes and children. Empty children are left out */
export const element = (name, attributes, ...children) => complete(document.createElement(name), attributes, children);

/** @type {CreateDrawn} An SVG element with its attributes and children */
export const drawn = (name, attributes, ...children) =>
  complete(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** A section with a title. */
export const createSection = (/** @type {string} */ title, /** @type {Child[]} */ ...children) =>
  element("section", {}, element("h2", {}, title), ...children);

/** Show exactly these children, in this order. Those that stay are not moved, so that they keep the focus. */
export function arrange(/** @type {Element} */ parent, /** @type {Element[]} */ children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/** A line of text. Numbers with Latin units keep their order beside right-to-left scripts. */
const line = (/** @type {string} */ kind, /** @type {string} */ text) =>
  element("span", { class: kind }, element("bdi", {}, text));

/** Return the lines of a value: the value itself, and then explanations in small letters. */
export const valueLines = (/** @type {Line[]} */ [main, ...more]) => [
  line("main", main || "—"),
  ...more.filter(Boolean).map((text) => line("secondary", text)),
];

// Tables keep their roles when styles show rows as cards. For each column, `columns` has its name, and a
// function that returns the lines of its cell.

/** @type {CreateTable} A table. `header`: the name of the column of headers. `parts`: its bodies and its footer */
export function createTable(name, header, columns, ...parts) {
  const titles = [header, ...columns.map(([title]) => title)];
  const cells = titles.map((title) => element("th", { role: "columnheader", scope: "col" }, title));
  const head = createRows("thead", element("tr", { role: "row" }, ...cells));
  return element("table", { role: "table", "aria-label": name }, head, ...parts);
}

/** A part of a table: its `thead`, `tbody` or `tfoot`. */
export const createRows = (/** @type {"thead" | "tbody" | "tfoot"} */ part, /** @type {Child[]} */ ...rows) =>
  element(part, { role: "rowgroup" }, ...rows);

/** @type {CreateRow} A row of a table */
export const createRow = (columns, values, header, { scope = "row", ...attributes } = {}) =>
  element(
    "tr",
    { role: "row", ...attributes },
    element("th", { role: "rowheader", scope }, header),
    ...columns.map(([name, show]) => element("td", { role: "cell", "data-label": name }, ...valueLines(show(values)))),
  );

/** Tiles with a name and the lines of a value. */
export const createTiles = (/** @type {Tile[]} */ tiles) =>
  element(
    "dl",
    {},
    ...tiles.map(([name, lines]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, ...valueLines(lines))),
    ),
  );
