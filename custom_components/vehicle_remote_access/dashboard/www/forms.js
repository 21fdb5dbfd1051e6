/** The parts of the forms in a log. */

import { element } from "./dom.js";

/** A field with its name. */
export const createField = (/** @type {string} */ name, /** @type {HTMLElement} */ field) =>
  element("label", {}, element("span", {}, name), field);

/** A choice of a field. */
export const option = (/** @type {string} */ value, /** @type {string} */ text) => element("option", { value }, text);

/** @type {CreateAction} A button with a text. One of the type `submit` sends its form */
export function createAction(text, press, attributes = {}) {
  const button = element("button", { class: "action", type: "button", ...attributes }, text);
  if (press) button.addEventListener("click", press);
  return button;
}

/**
 * Return a form that is sent with `send`, where it shows why a request failed, and what performs other requests of it.
 *
 * @type {CreateForm}
 */
export function createForm(attributes, children, send) {
  const failure = element("p", { class: "failure", role: "alert" });
  const form = element("form", attributes, ...children, failure);
  /** @type {ReturnType<CreateForm>["request"]} */
  const request = async (perform) => {
    failure.textContent = "";
    try {
      await perform();
    } catch (error) {
      failure.textContent = error.message;
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    request(() => send(/** @type {HTMLButtonElement} */ (event.submitter)));
  });
  return { form, failure, request };
}
