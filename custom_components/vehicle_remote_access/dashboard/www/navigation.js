/** Paths of pages, and links to them. */

import { DOMAIN } from "./words.js";

/** The page with the accounts and the cars in the settings. */
const SETTINGS_PATH = `integrations/integration/${DOMAIN}`;
export const SETTINGS = `/config/${SETTINGS_PATH}`;

/** The pages of a car's log. */
export const LOG_PAGES = /** @type {PageName[]} */ (["log", "months", "map", "battery"]);

const KINDS = ["drives", "charges"];
const PERIOD = /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/;

/** A search in the log as the query of a path. What is not searched for is left out. */
export function searchQuery(/** @type {LogSearch} */ { text, kind, period, tag, longer_than, without_cost }) {
  const values = Object.entries({ text, kind, period, tag, longer_than }).filter(([, value]) => value);
  const query = values.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  if (without_cost) query.push("without_cost");
  return query.length ? `?${query.join("&")}` : "";
}

/** Return the search in the log of a query. What is not valid is left out. */
export function searchOf(/** @type {string} */ query) {
  const values = new URLSearchParams(query);
  const [text, kind, period] = ["text", "kind", "period"].map((name) => (values.get(name) ?? "").trim());
  const distance = Number(values.get("longer_than"));
  return /** @type {LogSearch} */ ({
    ...(text && { text }),
    ...(KINDS.includes(kind) && { kind }),
    ...(PERIOD.test(period) && { period }),
    ...(values.get("tag") && { tag: values.get("tag") }),
    ...(distance > 0 && Number.isFinite(distance) && { longer_than: distance }),
    ...(values.has("without_cost") && { without_cost: true }),
  });
}

/** @type {PagePath} The path of the view with a page of a car's log, in the same dashboard, with a search in it */
export const pagePath = ({ id }, page, search = {}) => `${id}-${page}${searchQuery(search)}`;

/** Open a path of the web interface. With `replace`, Back returns to the page before the current one. */
export function navigate(/** @type {string} */ path, { replace = false }) {
  if (replace) history.replaceState(history.state, "", path);
  else history.pushState(null, "", path);
  window.dispatchEvent(new CustomEvent("location-changed", { detail: { replace } }));
}

/** Whether a click opens a link in another tab or window. */
export const opensElsewhere = (/** @type {MouseEvent} */ { button, metaKey, ctrlKey, shiftKey }) =>
  Boolean(button) || metaKey || ctrlKey || shiftKey;

/** Return a link to a view. It is opened within the web interface, unless the user opens it in another tab. */
export function createLink(
  /** @type {string} */ path,
  text = "",
  { dashboard = currentDashboard(), replace = false } = {},
) {
  const link = document.createElement("a");
  link.href = `/${dashboard}/${path}`;
  link.textContent = text;
  link.addEventListener("click", (event) => {
    if (opensElsewhere(event)) return;
    event.preventDefault();
    navigate(link.getAttribute("href") ?? "", { replace });
  });
  return link;
}

/** @type {SettingsText} Where to do something in the settings, which have no address for one car */
export const settingsText = ({ words, car }, text) => `${text}: ${words("gear_icon", { name: car.name })}`;

/** @type {SettingsLink} A link to the settings for a purpose */
export const createSettingsLink = (context, text) =>
  createLink(SETTINGS_PATH, settingsText(context, text), { dashboard: "config" });

/** The first part of the path of the dashboard that is open. */
export const currentDashboard = () => location.pathname.split("/")[1];
