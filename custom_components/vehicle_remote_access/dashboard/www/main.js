/** The script of every page of Home Assistant. It loads the others when a card is shown. */

import { LOG, PICTURE, isCar, shownBy } from "./cars.js";
import { URL_PATH, getPageHass, loadWordsForCards } from "./words.js";

/** The direct and indirect imports of each script, requested at once */
const CARD_IMPORTS = ["element", "entities", "navigation", "status", "styles"];
const LOG_IMPORTS = [...CARD_IMPORTS, "dom", "formats", "log_element", "log_feed", "log_texts"];
const FIND_IMPORTS = ["forms", "log_places", "log_search", "log_selection", "periods"];
const SUMMARY_IMPORTS = [...LOG_IMPORTS, "choice", "line_chart", "log_links"];
/** @type {Record<string, string[]>} */
const IMPORTS = {
  battery: SUMMARY_IMPORTS,
  charging_plan: [...CARD_IMPORTS, "bars", "dom", "formats", "line_chart", "plan_picture", "plan_texts"],
  dashboard: ["charts", "conditions", "entities", "navigation", "simulation", "status", "view"],
  log: [...LOG_IMPORTS, ...FIND_IMPORTS, "line_chart", "log_detail", "log_files", "track_map"],
  log_card: [...LOG_IMPORTS, "log_links"],
  map: [...LOG_IMPORTS, "forms", "periods", "track_map"],
  months: [...SUMMARY_IMPORTS, "bars", "dots", "month_chart", "month_texts"],
  notice: CARD_IMPORTS,
  picture: [...CARD_IMPORTS, "drawing"],
  tabs: CARD_IMPORTS,
};
/** The scripts of the page of a car. */
const CAR_PAGE = ["dashboard", "notice", "picture", "charging_plan", "log_card"];

const GRID = { columns: 12, rows: "auto", min_columns: 6 };
/** @type {Record<string, CardDefinition>} The cards by the end of their names */
const CARDS = {
  car: { script: "picture", size: 7, grid: GRID, shows: PICTURE },
  "log-card": { script: "log_card", size: 4, grid: GRID, shows: LOG },
  "charging-plan": { script: "charging_plan", size: 4, grid: GRID },
  notice: { script: "notice", size: 1, grid: { columns: "full", rows: "auto" } },
  log: { script: "log", size: 12 },
  "log-tabs": { script: "tabs", size: 1 },
  "log-map": { script: "map", size: 12 },
  "log-months": { script: "months", size: 12 },
  "log-battery": { script: "battery", size: 12 },
};

const cardType = (/** @type {string} */ name) => `${URL_PATH}-${name}`;

const isDashboardOpen = () => location.pathname.split("/")[1] === URL_PATH;

/** @type {Record<string, any>} The scripts that are loaded */
const loaded = {};

/** Return a script, loaded with its imports. */
async function load(/** @type {string} */ script) {
  const modules = [script, ...IMPORTS[script]].map((name) => import(`./${name}.js`));
  return (loaded[script] = (await Promise.all(modules))[0]);
}

const preload = (/** @type {string[]} */ scripts) => scripts.forEach((script) => load(script).catch(() => undefined));

async function explain(/** @type {Hass} */ hass, /** @type {unknown} */ error) {
  console.error(error);
  const words = await loadWordsForCards(hass);
  return `${words("cannot_be_shown")}\n\n> ${error}`;
}

/** Return the result of a function in `dashboard.js`, or a view with its error. */
async function create(/** @type {string} */ name, /** @type {Hass} */ hass, /** @type {DashboardConfig} */ config) {
  try {
    return await (await load("dashboard"))[name](hass, config);
  } catch (error) {
    return { cards: [{ type: "markdown", content: await explain(hass, error) }] };
  }
}

class Dashboard extends HTMLElement {
  static async generate(/** @type {DashboardConfig} */ config, /** @type {Hass} */ hass) {
    const shown = await create("createDashboard", hass, config);
    return { views: [shown], ...shown };
  }

  /** The editor would offer to delete the dashboard, which the sidebar forbids. */
  static get noEditor() {
    return isDashboardOpen();
  }

  static async getCreateSuggestions(/** @type {Hass} */ hass) {
    return (await load("dashboard")).getCreateSuggestions(hass);
  }
}

/** The properties of `hass` that a view depends on. Home Assistant replaces the function when it loads texts. */
const VIEW_USES = /** @type {const} */ (["entities", "devices", "formatEntityAttributeName"]);

class View extends HTMLElement {
  static #started = 0;
  /** The newest view of each configuration, with the number of its start */
  static #newest = /** @type {Map<string, { start: number, view: object }>} */ (new Map());

  static shouldRegenerate(/** @type {ViewConfig} */ _, /** @type {Hass} */ before, /** @type {Hass} */ now) {
    return VIEW_USES.some((name) => before[name] !== now[name]) || loaded.dashboard?.hasChanged(before, now);
  }

  static async generate(/** @type {ViewConfig} */ config, /** @type {Hass} */ hass) {
    preload(config.page ? ["tabs", config.page] : CAR_PAGE);
    const [key, start] = [JSON.stringify(config), ++View.#started];
    const view = await create("createView", hass, config);
    const newest = View.#newest.get(key);
    // A view that was started later may already be shown. Home Assistant would replace it.
    if (newest && newest.start > start) return newest.view;
    View.#newest.set(key, { start, view });
    return view;
  }
}

/** A card of one car. Its content is loaded when it is first shown. */
class Card extends HTMLElement {
  /** @type {CarCardConfig} */ #config;
  /** @type {Hass} */ #hass;
  /** @type {Content | undefined} */ #content;
  #isLoading = false;

  get #definition() {
    return CARDS[this.localName.slice(URL_PATH.length + 1)];
  }

  static async getStubConfig(/** @type {Hass} */ hass) {
    return (await load("dashboard")).getStubConfig(hass);
  }

  setConfig(/** @type {CarCardConfig} */ config) {
    if (!config.device_id) throw new Error("device_id is missing");
    this.#config = config;
    this.#content?.setConfig(config);
  }

  set hass(hass) {
    this.#hass = hass;
    if (this.#content) this.#content.hass = hass;
  }

  get hass() {
    return this.#hass;
  }

  getCardSize() {
    return this.#definition.size;
  }

  getGridOptions() {
    return this.#definition.grid ?? {};
  }

  connectedCallback() {
    if (this.#content) this.#content.connected();
    else if (!this.#isLoading) this.#load();
  }

  disconnectedCallback() {
    this.#content?.disconnected();
  }

  async #load() {
    this.#isLoading = true;
    try {
      const { script } = this.#definition;
      // Without waiting, the card is drawn at once. A later one would move the page.
      const { default: Content } = loaded[script] ?? (await load(script));
      this.replaceChildren();
      const content = /** @type {Content} */ (new Content(this));
      content.setConfig(this.#config);
      if (this.#hass) content.hass = this.#hass;
      this.#content = content;
      if (this.isConnected) content.connected();
    } catch (error) {
      const card = document.createElement("ha-alert");
      card.append(await explain(this.#hass ?? (await getPageHass()), error));
      this.replaceChildren(card);
    } finally {
      this.#isLoading = false;
    }
  }
}

/** Define an element, unless an earlier version of this script has defined it. */
function define(/** @type {string} */ name, /** @type {CustomElementConstructor} */ element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

// Home Assistant replaces the registry of elements at its start. What an earlier registry got would be lost.
await customElements.whenDefined("home-assistant");
define(`ll-strategy-dashboard-${URL_PATH}`, Dashboard);
define(`ll-strategy-view-${URL_PATH}`, View);
for (const [name, { script, shows }] of Object.entries(CARDS)) {
  const DefinedCard = class extends Card {};
  // The editor has forms for suggested cards.
  const getConfigForm = async () => (await load(script)).default.getConfigForm();
  define(cardType(name), shows ? Object.assign(DefinedCard, { getConfigForm }) : DefinedCard);
}
// On a phone, the sidebar is opened before the page of a car.
if (isDashboardOpen()) preload(CAR_PAGE);
else addEventListener("hass-toggle-menu", () => preload(CAR_PAGE), { once: true });

const LISTED = {
  name: "Vehicle Remote Access",
  documentationURL: "https://github.com/vehicle-remote-access/home-assistant",
};

/** @returns {CustomCard} What the card picker lists of a card */
function listedCard(/** @type {string} */ name) {
  const type = cardType(name);
  /** @type {CustomCard["getEntitySuggestion"]} */
  const getEntitySuggestion = (hass, entityId) => {
    const device = hass.devices[hass.entities[entityId]?.device_id ?? ""];
    const shown = isCar(hass, device) ? shownBy(hass, device, CARDS[name].shows ?? {}) : {};
    const config = { type: `custom:${type}`, device_id: device?.id };
    return Object.values(shown).includes(entityId) ? { config } : null;
  };
  return { ...LISTED, type, preview: true, getEntitySuggestion };
}

/** @type {CustomStrategy} */
const strategy = { ...LISTED, type: URL_PATH, strategyType: "dashboard" };
const picture = listedCard("car");
const logCard = listedCard("log-card");
(window.customStrategies ??= []).push(strategy);
(window.customCards ??= []).push(picture, logCard);

/** Load the texts of the dialogs that add cards and dashboards. Most pages never open them. */
async function describe() {
  if (!location.search.includes("edit=1") && !location.pathname.startsWith("/config/lovelace")) return;
  removeEventListener("location-changed", describe);
  const words = await loadWordsForCards(await getPageHass());
  strategy.description = words("dashboard_of_cars");
  picture.description = words("picture_of_a_car");
  logCard.name = words("log_card");
  logCard.description = words("log_card_shows");
}
addEventListener("location-changed", describe);
describe();
