/** A group of buttons. One of them is selected. */

import { element } from "./dom.js";

/**
 * Return a group of buttons with this name, and below it what `show` returns for the chosen one.
 *
 * `options`: the values of the buttons and their texts.
 *
 * @type {CreateChoice}
 */
export function createChoice(name, options, chosen, show) {
  const content = element("div", {}, ...show(chosen));
  /** @type {HTMLElement[]} */
  const buttons = options.map(([value, text]) => {
    const isChosen = String(value === chosen);
    const button = element(
      "button",
      { type: "button", "data-key": `${name} ${value}`, "aria-pressed": isChosen },
      text,
    );
    button.addEventListener("click", () => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
      content.replaceChildren(...show(value));
    });
    return button;
  });
  return { choice: element("div", { class: "choice", role: "group", "aria-label": name }, ...buttons), content };
}
