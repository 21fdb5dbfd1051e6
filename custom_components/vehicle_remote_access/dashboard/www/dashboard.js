/** The dashboard of cars, the views of a car, and what they show instead if a car is missing. */

import { isCar } from "./cars.js";
import { loadBatteryCharts, loadCharts } from "./charts.js";
import { Car, getCar } from "./entities.js";
import { LOG_PAGES, SETTINGS, currentDashboard, pagePath } from "./navigation.js";
import { getSimulation } from "./simulation.js";
import { createCarView, createLogPage, createOverview, devicePage } from "./view.js";
import { URL_PATH, getPageHass, loadWordsForCards } from "./words.js";

const ICON = "mdi:car-electric";

/** @type {EmptyView} A view that explains why it is empty, with buttons that help */
const emptyView = (title, content, ...buttons) => ({
  type: "panel",
  cards: [{ type: "empty-state", icon: ICON, title, content, content_only: true, buttons }],
});

/** A button that opens a page of the settings, for administrators. */
const button = (/** @type {Hass} */ hass, /** @type {string} */ text, /** @type {string} */ navigation_path) =>
  hass.user?.is_admin ? [{ text, tap_action: { action: "navigate", navigation_path } }] : [];

/** All cars, or those with these device ids, sorted by name. */
export const getCars = (/** @type {Hass} */ hass, /** @type {string[] | null} */ ids = null) =>
  Object.values(hass.devices)
    .filter((device) => isCar(hass, device) && (!ids || ids.includes(device.id)))
    .map((device) => new Car(hass, device))
    .sort((one, other) => one.name.localeCompare(other.name, hass.locale.language));

/** The entities that say whether a shown car is read-only. Each change of any state asks for them. */
const shownStates = /** @type {Set<string>} */ (new Set());

/** Whether a shown car has become read-only, or no longer is. Then it has other cards. */
export const hasChanged = (/** @type {Hass} */ before, /** @type {Hass} */ now) =>
  [...shownStates].some((id) => before.states[id]?.attributes.read_only !== now.states[id]?.attributes.read_only);

/** Return the configuration of a new card. */
export const getStubConfig = (/** @type {Hass} */ hass) => ({ device_id: getCars(hass)[0]?.id ?? "" });

/**
 * Return the dashboard: a view for each car, or for those with the device ids in the configuration.
 * Several cars have one view before theirs.
 */
export async function createDashboard(/** @type {Hass} */ hass, /** @type {DashboardConfig} */ config) {
  const { vehicles, driver_side } = config;
  const words = await loadWordsForCards(hass);
  // A car may have been added in the meantime. Before a dashboard is shown, Home Assistant does not generate it again.
  const cars = getCars(await getPageHass(), vehicles);
  const views = cars.map((car) => ({
    title: car.name,
    path: car.id,
    icon: ICON,
    show_icon_and_title: true,
    strategy: { type: `custom:${URL_PATH}`, device_id: car.id, driver_side },
  }));
  const logs = cars.flatMap((car) =>
    LOG_PAGES.map((page) => ({
      title: `${car.name} · ${words(page)}`,
      path: pagePath(car, page),
      subview: true,
      back_path: `/${currentDashboard()}/${car.id}`,
      strategy: { type: `custom:${URL_PATH}`, device_id: car.id, page },
    })),
  );
  const overview = cars.length > 1 ? [createOverview(words, cars, { driver_side })] : [];
  const add = button(hass, words("add"), SETTINGS);
  return {
    views: views.length
      ? [...overview, ...views, ...logs]
      : [emptyView(words("no_cars"), words("add_an_account"), ...add)],
  };
}

/** Return the title and the icon that Home Assistant suggests for a new dashboard of cars. */
export async function getCreateSuggestions(/** @type {Hass} */ hass) {
  const words = await loadWordsForCards(hass);
  return { title: words("cars"), icon: ICON };
}

/** Return the view of a car, or a page of its log. */
export async function createView(/** @type {Hass} */ hass, /** @type {ViewConfig} */ { device_id, driver_side, page }) {
  const words = await loadWordsForCards(hass);
  const car = getCar(hass, device_id);
  if (!car) return emptyView(words("no_such_car"), words("choose_another"));
  shownStates.add(car.entities.state ?? "");
  if (page) return createLogPage(car, page, page === "battery" ? await loadBatteryCharts(hass, words, car) : []);
  if (car.isEmpty) {
    const settings = button(hass, words("device_page"), devicePage(car.id));
    return emptyView(car.name, words("nothing_to_show"), ...settings);
  }
  const charts = await loadCharts(hass, words, car);
  return createCarView(hass, words, car, getSimulation(hass, car), { driver_side }, charts);
}
