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
