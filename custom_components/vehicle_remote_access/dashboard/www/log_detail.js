/** The details of a drive or a charge, where the user changes, merges or deletes it. */

import { DOMAIN } from "./words.js";

const TAGS = ["business", "private", "commute"];

/** Return an element with its attributes and children. Children can be texts, and are left out if empty. */
export function element(name, attributes, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children.filter(Boolean));
  return created;
}

/** The values that the list does not show. */
function facts({ hass, words, formats, units }, entry) {
  const { start_battery: start, end_battery: end, outside_temperature: outside, max_speed: speed } = entry;
  const isKnown = start !== null && end !== null;
  const speedUnit = units.distance === "mi" ? "mph" : `${units.distance}/h`;
  return [
    [words("battery"), isKnown && words("from_to", { from: formats.percent(start), to: formats.percent(end) })],
    [words("energy_of_drive"), formats.amount(entry.energy, units.energy)],
    [words("outside"), formats.amount(outside, hass.config.unit_system.temperature)],
    [words("highest_speed"), formats.amount(speed, speedUnit, 0)],
    [words("energy_used"), formats.amount(entry.energy_used, units.energy)],
    [words("highest_power"), formats.amount(entry.max_power, "kW")],
  ].filter(([, value]) => value);
}

/** Return the details of an entry. `next` is the drive after it, if there is one. */
export function createDetail(context, entry, next) {
  const { hass, words } = context;
  const act = (action, data) =>
    hass.callService(DOMAIN, action, { device_id: context.deviceId, ...data }).catch(() => undefined);

  const field = (name, label, attributes = {}) => {
    const input = element("input", { name, value: entry[name] ?? "", ...attributes });
    return element("label", {}, element("span", {}, label), input);
  };
  const button = (text, press, type = "button") => {
    const created = element("button", { class: "action", type }, text);
    if (press) created.addEventListener("click", () => press(created));
    return created;
  };
  // The first press asks, and the second one deletes.
  const remove = (pressed) => {
    if (pressed.textContent === words("delete_it")) act("delete_log_entry", { id: entry.id });
    else pressed.textContent = words("delete_it");
  };

  const isDrive = entry.kind === "drive";
  const options = TAGS.map((value) => element("option", { value }));
  const form = element(
    "form",
    {},
    isDrive
      ? field("tag", words("tag"), { list: "tags", maxlength: 50 })
      : field("cost", words("cost"), { type: "number", min: 0, step: "any" }),
    field("note", words("note"), { maxlength: 1000 }),
    isDrive && element("datalist", { id: "tags" }, ...options),
    element(
      "div",
      { class: "actions" },
      button(words("save"), undefined, "submit"),
      next && button(words("merge"), () => act("merge_drives", { ids: [entry.id, next.id] })),
      button(words("delete"), remove),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const changed = [...new FormData(form)]
      .map(([name, text]) => [name, text.trim() === "" ? null : name === "cost" ? Number(text) : text.trim()])
      .filter(([name, value]) => value !== (entry[name] ?? null));
    if (changed.length) act("update_log_entry", { id: entry.id, ...Object.fromEntries(changed) });
  });
  const terms = facts(context, entry).flatMap(([name, value]) => [
    element("dt", {}, name),
    element("dd", {}, value),
  ]);
  return element("div", { class: "detail" }, element("dl", {}, ...terms), form);
}
