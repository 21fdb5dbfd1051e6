/** The dashboard of cars, and the card with a picture of a car for any dashboard. */

import { getCar, getCars } from "./cars.js";
import { BATTERY, Battery } from "./battery.js";
import { loadBatteryCharts, loadCharts, loadMonthCharts } from "./charts.js";
import { LOG, Log } from "./log.js";
import { LOG_CARD, LogCard, suggestLogCard } from "./log_card.js";
import { MONTHS, Months } from "./months.js";
import { NOTICE, Notice } from "./notice.js";
import { CARD, Picture, getEntitySuggestion } from "./picture.js";
import { TABS, Tabs, pagePath } from "./tabs.js";
import { createLogPage, createView, devicePage } from "./view.js";
import { DOMAIN, getPageHass, loadWordsForCards } from "./words.js";

const STRATEGY = "vehicle-remote-access";
const ICON = "mdi:car-electric";
const DOCUMENTATION = "https://github.com/vehicle-remote-access/home-assistant";

/** A view that explains why it is empty, with buttons that solve that. */
const emptyView = (title, content, ...buttons) => ({
  type: "panel",
  cards: [{ type: "empty-state", icon: ICON, title, content, content_only: true, buttons }],
});

/** A button that opens a page of the settings, for administrators. */
const button = (hass, text, navigation_path) =>
  hass.user?.is_admin ? [{ text, tap_action: { action: "navigate", navigation_path } }] : [];

/** A view that shows an error. */
const errorView = (words, error) => ({
  cards: [{ type: "markdown", content: `${words("cannot_be_shown")}\n\n> ${error}` }],
});

/** The dashboard, with one view for each car. */
class Dashboard extends HTMLElement {
  static async generate({ vehicles, driver_side }, hass) {
    const words = await loadWordsForCards(hass);
    try {
      const cars = getCars(hass, vehicles);
      const views = cars.map((car) => ({
        title: car.name,
        path: car.id,
        icon: ICON,
        show_icon_and_title: true,
        strategy: { type: `custom:${STRATEGY}`, device_id: car.id, driver_side },
      }));
      const logs = cars.flatMap((car) =>
        ["log", "months", "battery"].map((page) => ({
          title: words("log_of", { name: car.name }),
          path: pagePath(car, page),
          subview: true,
          strategy: { type: `custom:${STRATEGY}`, device_id: car.id, page },
        })),
      );
      const add = button(hass, words("add"), `/config/integrations/integration/${DOMAIN}`);
      return { views: views.length ? [...views, ...logs] : [emptyView(words("no_cars"), words("add_an_account"), ...add)] };
    } catch (error) {
      console.error(error);
      return { views: [errorView(words, error)] };
    }
  }

  /** Home Assistant's editor would offer to delete the dashboard, which is not possible in the sidebar. */
  static get noEditor() {
    return location.pathname.split("/")[1] === STRATEGY;
  }

  static async getCreateSuggestions(hass) {
    const words = await loadWordsForCards(hass);
    return { title: words("cars"), icon: ICON };
  }
}

/** The charts of the pages of a log. */
const LOG_CHARTS = { months: loadMonthCharts, battery: loadBatteryCharts };

/** The view of a car, or a page of its log. */
class View extends HTMLElement {
  static async generate({ device_id, driver_side, page }, hass) {
    const words = await loadWordsForCards(hass);
    try {
      const car = getCar(hass, device_id);
      if (!car) return emptyView(words("no_such_car"), words("choose_another"));
      if (page) return createLogPage(car, page, (await LOG_CHARTS[page]?.(hass, words, car)) ?? []);
      if (car.isEmpty) {
        const page = button(hass, words("device_page"), devicePage(car.id));
        return emptyView(car.name, words("nothing_to_show"), ...page);
      }
      return createView(hass, words, car, { driver_side }, await loadCharts(hass, words, car));
    } catch (error) {
      console.error(error);
      return errorView(words, error);
    }
  }
}

/** Define an element, unless an earlier version of this script has defined it. */
function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

define(`ll-strategy-dashboard-${STRATEGY}`, Dashboard);
define(`ll-strategy-view-${STRATEGY}`, View);
define(CARD, Picture);
define(NOTICE, Notice);
define(LOG, Log);
define(TABS, Tabs);
define(MONTHS, Months);
define(BATTERY, Battery);
define(LOG_CARD, LogCard);

const listed = { documentationURL: DOCUMENTATION, name: "Vehicle Remote Access" };
const strategy = { ...listed, type: STRATEGY, strategyType: "dashboard" };
const card = { ...listed, type: CARD, preview: true, getEntitySuggestion };
(window.customStrategies ??= []).push(strategy);
const logCard = {
  ...listed,
  type: LOG_CARD,
  preview: true,
  getEntitySuggestion: suggestLogCard,
};
(window.customCards ??= []).push(card, logCard);

const words = await loadWordsForCards(await getPageHass());
strategy.description = words("dashboard_of_cars");
card.description = words("picture_of_a_car");
logCard.name = words("log_card");
logCard.description = words("log_card_shows");
