/** Names for places that have none. */

import { element } from "./dom.js";

/** In meters. It is that of Home Assistant's own form. */
const RADIUS = 100;

/** The places of an entry without a name: what names each, and its position. */
export function unnamedPlaces(/** @type {Words} */ words, /** @type {DetailEntry} */ entry) {
  /** @type {[string, string | null | undefined, number | undefined, number | undefined][]} */
  const places =
    entry.kind === "drive"
      ? [
          [words("name_start"), entry.start_place, entry.start_latitude, entry.start_longitude],
          [words("name_end"), entry.end_place, entry.end_latitude, entry.end_longitude],
        ]
      : [[words("name_place"), entry.place, entry.latitude, entry.longitude]];
  return places.flatMap(([action, place, latitude, longitude]) =>
    place === null && typeof latitude === "number" && typeof longitude === "number"
      ? [{ action, latitude, longitude }]
      : [],
  );
}

/** @type {CreatePlaceForm} A button that opens a form with a name, which becomes that of a zone */
export function createPlaceForm({ hass, words, reload }, { action, latitude, longitude }) {
  const open = element("button", { class: "action", type: "button", "aria-expanded": "false" }, action);
  const name = element("input", { required: "", autocomplete: "off" });
  const failure = element("p", { class: "failure", role: "alert" });
  const cancel = element("button", { class: "action", type: "button" }, words("cancel"));
  const form = element(
    "form",
    { hidden: "" },
    element("label", {}, element("span", {}, action), name),
    element("p", { class: "secondary" }, words("place_is_zone")),
    element("div", { class: "actions" }, element("button", { class: "action", type: "submit" }, words("save")), cancel),
    failure,
  );
  let isBusy = false;
  const show = (/** @type {boolean} */ isOpen) => {
    form.hidden = !isOpen;
    open.hidden = isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
    (isOpen ? name : open).focus();
  };
  open.addEventListener("click", () => show(true));
  cancel.addEventListener("click", () => show(false));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    failure.textContent = "";
    const text = name.value.trim();
    // A second zone would do nothing.
    if (!text || isBusy) return;
    isBusy = true;
    try {
      await hass.callWS({ type: "zone/create", name: text, latitude, longitude, radius: RADIUS, passive: true });
      reload();
    } catch (error) {
      failure.textContent = error.message;
      isBusy = false;
    }
  });
  return element("div", {}, open, form);
}
