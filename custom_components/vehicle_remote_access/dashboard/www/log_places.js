/** Names for places that have none. */

import { element } from "./dom.js";
import { createAction, createField, createForm } from "./forms.js";

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
  const open = createAction(action, () => show(true), { "aria-expanded": "false" });
  const name = element("input", { required: "", autocomplete: "off" });
  const actions = [
    createAction(words("save"), undefined, { type: "submit" }),
    createAction(words("cancel"), () => show(false)),
  ];
  const fields = [
    createField(action, name),
    element("p", { class: "secondary" }, words("place_is_zone")),
    element("div", { class: "actions" }, ...actions),
  ];
  let isNamed = false;
  const { form } = createForm({ hidden: "" }, fields, async () => {
    const text = name.value.trim();
    // A second zone would do nothing.
    if (!text || isNamed) return;
    isNamed = true;
    try {
      await hass.callWS({ type: "zone/create", name: text, latitude, longitude, radius: RADIUS, passive: true });
      reload();
    } catch (error) {
      isNamed = false;
      throw error;
    }
  });
  const show = (/** @type {boolean} */ isOpen) => {
    form.hidden = !isOpen;
    open.hidden = isOpen;
    open.setAttribute("aria-expanded", String(isOpen));
    (isOpen ? name : open).focus();
  };
  return element("div", {}, open, form);
}
