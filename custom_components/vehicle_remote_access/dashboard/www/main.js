/** The dashboard of cars, and the card with a picture of one, for any dashboard. */

import { carOf, carsOf } from "./cars.js";
import { CARD, Picture, getEntitySuggestion } from "./picture.js";
import { pageOf, viewOf } from "./view.js";
import { DOMAIN, hassOfPage, wordsOf } from "./words.js";

const STRATEGY = "vehicle-remote-access";
const ICON = "mdi:car-electric";
const DOCUMENTATION = "https://github.com/vehicle-remote-access/home-assistant";

/** A view that says why it has nothing to show, and what to do about it. */
const note = (title, content, ...buttons) => ({
  type: "panel",
  cards: [{ type: "empty-state", icon: ICON, title, content, content_only: true, buttons }],
});

/** A button that leads to the settings, for those who may change them. */
const button = (hass, text, navigation_path) =>
  hass.user?.is_admin ? [{ text, tap_action: { action: "navigate", navigation_path } }] : [];

/** What is shown instead of what cannot be shown. */
const apology = (words, error) => ({
  cards: [{ type: "markdown", content: `${words("cannot_be_shown")}\n\n> ${error}` }],
});

/** All cars, each with a view of its own. */
class Dashboard extends HTMLElement {
  static async generate({ vehicles, driver_side }, hass) {
    const words = await wordsOf(hass);
    try {
      const views = carsOf(hass, vehicles).map((car) => ({
        title: car.name,
        path: car.id,
        icon: ICON,
        show_icon_and_title: true,
        strategy: { type: `custom:${STRATEGY}`, device_id: car.id, driver_side },
      }));
      const add = button(hass, words("add"), `/config/integrations/integration/${DOMAIN}`);
      return { views: views.length ? views : [note(words("no_cars"), words("add_an_account"), ...add)] };
    } catch (error) {
      console.error(error);
      return { views: [apology(words, error)] };
    }
  }

  /** What Home Assistant's editor offers is to delete a dashboard, and the one in the sidebar is nobody's. */
  static get noEditor() {
    return location.pathname.split("/")[1] === STRATEGY;
  }

  static async getCreateSuggestions(hass) {
    const words = await wordsOf(hass);
    return { title: words("cars"), icon: ICON };
  }
}

/** One car. */
class View extends HTMLElement {
  static async generate({ device_id, driver_side }, hass) {
    const words = await wordsOf(hass);
    try {
      const car = carOf(hass, device_id);
      if (!car) return note(words("no_such_car"), words("choose_another"));
      if (car.isEmpty) {
        const page = button(hass, words("device_page"), pageOf(car.id));
        return note(car.name, words("nothing_to_show"), ...page);
      }
      return viewOf(hass, words, car, { driver_side });
    } catch (error) {
      console.error(error);
      return apology(words, error);
    }
  }
}

/** Define an element, unless an earlier version of this script did. */
function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

define(`ll-strategy-dashboard-${STRATEGY}`, Dashboard);
define(`ll-strategy-view-${STRATEGY}`, View);
define(CARD, Picture);

const listed = { documentationURL: DOCUMENTATION, name: "Vehicle Remote Access" };
const strategy = { ...listed, type: STRATEGY, strategyType: "dashboard" };
const card = { ...listed, type: CARD, preview: true, getEntitySuggestion };
(window.customStrategies ??= []).push(strategy);
(window.customCards ??= []).push(card);

const words = await wordsOf(await hassOfPage());
strategy.description = words("dashboard_of_cars");
card.description = words("picture_of_a_car");
