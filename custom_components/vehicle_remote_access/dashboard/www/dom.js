/** Elements of the page. */

/** Return an element with its attributes and children. Children can be texts, and are left out if empty. */
export function element(name, attributes, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children.filter(Boolean));
  return created;
}

/** Return an SVG element with its attributes and children. */
export function drawn(name, attributes, ...children) {
  const created = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

/** Show exactly these children, in this order. Those that stay are not moved, so that they keep the focus. */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/** A line of text. Numbers with Latin units keep their order beside right-to-left scripts. */
const line = (kind, text) => element("span", { class: kind }, element("bdi", {}, text));

/** What is known of a value: the value itself, and more about it in small letters. */
export const valueLines = ([main, ...more]) => [
  line("main", main || "—"),
  ...more.filter(Boolean).map((text) => line("secondary", text)),
];

/** A table. `parts`: its bodies and its footer. Roles stay the same when styles show rows as cards. */
export const createTable = (name, titles, ...parts) =>
  element(
    "table",
    { role: "table", "aria-label": name },
    element(
      "thead",
      { role: "rowgroup" },
      element(
        "tr",
        { role: "row" },
        ...titles.map((title) => element("th", { role: "columnheader", scope: "col" }, title)),
      ),
    ),
    ...parts,
  );

/** A row of a table. `columns`: for each column its name, and a function that returns the lines of its cell. */
export const createRow = (columns, values, header, { scope = "row", ...attributes } = {}) =>
  element(
    "tr",
    { role: "row", ...attributes },
    element("th", { role: "rowheader", scope }, header),
    ...columns.map(([name, show]) =>
      element("td", { role: "cell", "data-label": name }, ...valueLines(show(values))),
    ),
  );

/** Tiles with a name and the lines of a value. */
export const createTiles = (tiles) =>
  element(
    "dl",
    {},
    ...tiles.map(([name, lines]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, ...valueLines(lines))),
    ),
  );
