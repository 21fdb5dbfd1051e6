/** The base class of the content of a card, which shows one car. */

import { getCar } from "./entities.js";
import { SETTINGS, navigate } from "./navigation.js";
import { MINUTE, Status } from "./status.js";
import { DOMAIN, isRightToLeft, loadWords } from "./words.js";

/** @type {CreateConfigForm} The form in the editor of a card: its car, and another option with its label */
export const createConfigForm = (words, option, label) => ({
  schema: [{ name: "device_id", required: true, selector: { device: { filter: { integration: DOMAIN } } } }, option],
  computeLabel: ({ name }) => (name === option.name ? label : words("car")),
});

/** The content of a card, the host. */
export class CardContent {
  /** @type {CarCardConfig} */ config;
  /** @type {Hass} */ #hass;
  /** @type {Car | undefined} */ #car;
  /** @type {Words} */ words;
  /** @type {unknown[] | undefined} */ #drawnStates;
  /** @type {number} */ #timer;

  constructor(/** @type {HTMLElement} */ host) {
    this.host = host;
  }

  // The host calls these.

  setConfig(/** @type {CarCardConfig} */ config) {
    this.config = config;
    this.#drawnStates = undefined;
    if (this.#hass) this.hass = this.#hass;
  }

  set hass(hass) {
    const before = this.#hass;
    this.#hass = hass;
    if (hass.language !== before?.language) {
      loadWords(hass).then((words) => {
        this.words = words;
        this.redraw();
      });
    }
    if (!this.#drawnStates || hass.entities !== before?.entities || hass.devices !== before?.devices) {
      this.#car = getCar(hass, this.config.device_id);
      this.#drawnStates = undefined;
    }
    // Home Assistant sets `hass` after every state change, so draw only if a state of the car changed, or its
    // format: when translations are loaded, and with the user's number format.
    const entityIds = Object.values(this.#car?.entities ?? {});
    const states = [hass.formatEntityState, hass.locale, ...entityIds.map((id) => hass.states[id ?? ""])];
    if (!this.#drawnStates || states.some((state, index) => state !== this.#drawnStates?.[index])) {
      this.#drawnStates = states;
      this.redraw();
    }
  }

  get hass() {
    return this.#hass;
  }

  connected() {
    this.redraw(); // While the card was not on the page, time has passed.
    this.#timer = setInterval(() => this.redraw(), MINUTE);
  }

  disconnected() {
    clearInterval(this.#timer);
  }

  // For subclasses

  /** @type {(root: ShadowRoot) => void} Create what `draw` fills */
  build() {}
  /** @type {(root: ShadowRoot, status?: Status) => void} */
  draw() {}

  /** The shown car. It is missing only if `draw` gets no status. */
  get car() {
    return /** @type {Car} */ (this.#car);
  }

  /** Let a button perform an action of an entity. If that fails, Home Assistant shows why. */
  letPerform(/** @type {HTMLButtonElement} */ button, /** @type {string} */ action, /** @type {string=} */ entity_id) {
    const [domain, name] = action.split(".");
    button.onclick = async () => {
      button.disabled = true;
      await this.#hass.callService(domain, name, { entity_id }).catch(() => undefined);
      button.disabled = false;
    };
  }

  /** Let a button wake the car, with the name of the car's own button. Without that, hide it. */
  #drawWakeUp(/** @type {HTMLButtonElement} */ button) {
    const state = this.#hass.states[this.car.entities.wakeUp ?? ""];
    this.letPerform(button, "button.press", this.car.entities.wakeUp);
    button.hidden = !state || state.state === "unavailable";
    if (state) button.textContent = this.#hass.formatEntityName(state, { type: "entity" });
  }

  /** Return why a request failed. The first failure loads the texts, and then Home Assistant lets all cards draw again. */
  reasonText(/** @type {Failure} */ { reason, values }) {
    const text = this.#hass.localize(`component.${DOMAIN}.exceptions.${reason}.message`, values);
    if (!text) this.#hass.loadBackendTranslation("exceptions", DOMAIN).catch(() => undefined);
    return text;
  }

  /** Return why the service fails, and since when. Empty while it works. */
  outageText(/** @type {Status} */ { outage }) {
    return outage ? [this.reasonText(outage), outage.since].filter(Boolean).join(" · ") : "";
  }

  /** Let a button open the settings while the service fails or the car is read-only, or else wake the car. */
  drawAction(/** @type {HTMLButtonElement} */ button, /** @type {Status} */ { outage, isReadOnly }) {
    if (!outage && !isReadOnly) {
      this.#drawWakeUp(button);
      return;
    }
    button.onclick = () => navigate(SETTINGS, {});
    button.hidden = !this.#hass.user?.is_admin;
    button.textContent = this.#hass.localize("panel.config");
  }

  /** Draw once the texts and the state are loaded. */
  redraw() {
    if (!this.words || !this.#hass) return;
    const { language } = this.words;
    Object.assign(this.host, { lang: language, dir: isRightToLeft(this.#hass, language) ? "rtl" : "ltr" });
    const root = this.host.shadowRoot ?? this.host.attachShadow({ mode: "open" });
    if (!root.hasChildNodes()) this.build(root);
    this.draw(root, this.#car && new Status(this.#hass, this.words, this.#car));
  }
}
