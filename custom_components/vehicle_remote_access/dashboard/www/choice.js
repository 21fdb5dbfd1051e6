/** A group of buttons. One of them is selected. */

import { element } from "./dom.js";

/** @type {CreateChoice} A group of buttons with this name. `options`: their values and texts */
export function createChoice(name, options, chosen, choose) {
  const buttons = options.map(([value, text]) =>
    element(
      "button",
      { type: "button", "data-key": `${name} ${value}`, "aria-pressed": String(value === chosen) },
      text,
    ),
  );
  buttons.forEach((button, index) =>
    button.addEventListener("click", () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      choose(options[index][0]);
    }),
  );
  return element("div", { class: "choice", role: "group", "aria-label": name }, ...buttons);
}
