/** A card with the picture of a car: its doors and lids, its battery, and the age of the data. */

import { getCar, getCars } from "./cars.js";
import { DRAWING } from "./drawing.js";
import { STYLES } from "./looks.js";
import { DOMAIN, getPageHass, loadWords } from "./words.js";

export const CARD = "vehicle-remote-access-car";

/** How states of doors, lids, and the lock are drawn. All other states are drawn as unknown. */
const DRAWN = {
  ...{ on: "open", open: "open", opening: "open", closing: "open", unlocked: "open", unlocking: "open" },
  ...{ off: "closed", closed: "closed", locked: "closed", locking: "closed" },
};
/** Countries with left-hand traffic, where the driver sits on the right unless the option says otherwise. */
const DRIVES_LEFT =
  "AG AI AU BB BD BM BN BS BT BW CC CK CX CY DM FJ FK GB GD GG GY HK ID IE IM IN JE JM JP KE KI KN KY " +
  "LC LK LS MO MS MT MU MV MW MY MZ NA NF NP NR NU NZ PG PK PN SB SC SG SH SR SZ TC TH TK TL TO TT TV " +
  "TZ UG VC VG WS ZA ZM ZW";
const FACTS = ["lock", "chargingState", "climate", "location"];
const MINUTE = 60_000;
const AGES = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

const fact = (what) =>
  `<button data-opens="${what}"><ha-state-icon></ha-state-icon><span></span></button>`;

const TEMPLATE = `
  <style>${STYLES}</style>
  <ha-card>
    <header>
      <div><h2></h2><span class="summary"></span></div>
      <button data-opens="state"><ha-state-icon></ha-state-icon></button>
    </header>
    ${DRAWING}
    <div class="charge">
      <button class="battery" data-opens="battery"></button>
      <button data-opens="range"></button>
    </div>
    <div class="bar"><div class="level"></div><div class="limit"></div></div>
    <div class="facts">${FACTS.map(fact).join("")}</div>
  </ha-card>`;

/** The names of the entities on the card, which are keys of the car's `shows`. */
const SHOWN = [...TEMPLATE.matchAll(/data-(?:opens|part)="(\w+)"/g)].map(([, name]) => name);

/** Return the card for an entity that it shows, or null. The card picker calls this since 2026.6. */
export function getEntitySuggestion(hass, entityId) {
  const car = getCar(hass, hass.entities[entityId]?.device_id);
  const isShown = car && SHOWN.some((name) => car.shows[name] === entityId);
  return isShown ? { config: { type: `custom:${CARD}`, device_id: car.id } } : null;
}

/** Return Home Assistant's color for a battery level. */
function colorOf(percent) {
  const level = percent >= 70 ? "high" : percent >= 30 ? "medium" : "low";
  return `var(--state-sensor-battery-${level}-color)`;
}

/** The card. Selecting a part opens the more-info dialog of its entity. No part sends a command. */
export class Picture extends HTMLElement {
  #config;
  #hass;
  #car;
  #words;
  #shown;
  #clock;

  // The interface of Home Assistant's custom cards

  static getStubConfig(hass) {
    return { device_id: getCars(hass)[0]?.id ?? "" };
  }

  static async getConfigForm() {
    const words = await loadWords(await getPageHass());
    const labels = { device_id: words("car"), driver_side: words("driver_side") };
    const sides = [
      { value: "left", label: words("left") },
      { value: "right", label: words("right") },
    ];
    return {
      schema: [
        { name: "device_id", required: true, selector: { device: { filter: { integration: DOMAIN } } } },
        { name: "driver_side", selector: { select: { mode: "dropdown", options: sides } } },
      ],
      computeLabel: ({ name }) => labels[name],
    };
  }

  setConfig(config) {
    if (!config.device_id) throw new Error("device_id is missing");
    this.#config = config;
    this.#shown = undefined;
    if (this.#hass) this.hass = this.#hass;
  }

  getCardSize() {
    return 7;
  }

  getGridOptions() {
    return { columns: 12, rows: "auto", min_columns: 6 };
  }

  set hass(hass) {
    const before = this.#hass;
    this.#hass = hass;
    if (hass.language !== before?.language) {
      loadWords(hass).then((words) => {
        this.#words = words;
        this.#draw();
      });
    }
    if (!this.#shown || hass.entities !== before?.entities || hass.devices !== before?.devices) {
      this.#car = getCar(hass, this.#config.device_id);
      this.#shown = undefined;
    }
    // This is called after every state change in Home Assistant, so draw only if a state of the car changed.
    // The format of states also changes: when translations are loaded, and with the user's number format.
    const entities = Object.values(this.#car?.shows ?? {});
    const states = [hass.formatEntityState, ...entities.map((entity) => hass.states[entity])];
    if (!this.#shown || states.some((state, index) => state !== this.#shown[index])) {
      this.#shown = states;
      this.#draw();
    }
  }

  connectedCallback() {
    this.#draw(); // The drawing may be old.
    this.#clock = setInterval(() => this.#draw(), MINUTE);
  }

  disconnectedCallback() {
    clearInterval(this.#clock);
  }

  // Drawing

  #state(what) {
    return this.#hass.states[this.#car.shows[what]];
  }

  /** The name of an entity, for example `Battery`. Its state is formatted by #text, for example `82 %`. */
  #name(state) {
    return this.#hass.formatEntityName(state, { type: "entity" });
  }

  #text(what) {
    const state = this.#state(what);
    return state ? this.#hass.formatEntityState(state) : undefined;
  }

  #number(what) {
    const number = Number.parseFloat(this.#state(what)?.state);
    return Number.isNaN(number) ? undefined : number;
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = TEMPLATE;
    for (const each of root.querySelectorAll("[data-opens], [data-part]")) {
      const open = () => this.#open(each.dataset.opens ?? each.dataset.part);
      each.addEventListener("click", open);
      if (each.dataset.part) {
        each.setAttribute("role", "button");
        each.setAttribute("tabindex", "0");
        each.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault(); // The space key would scroll the page.
          open();
        });
      }
    }
    return root;
  }

  #open(what) {
    const detail = { entityId: this.#car?.shows[what] };
    this.dispatchEvent(new CustomEvent("hass-more-info", { bubbles: true, composed: true, detail }));
  }

  #draw() {
    if (!this.#words || !this.#hass) return;
    const root = this.shadowRoot ?? this.#build();
    root.querySelector("h2").textContent = this.#car?.name ?? this.#words("no_such_car");
    root.querySelector(".summary").textContent = this.#car ? this.#summary() : this.#words("choose_another");
    root.querySelector("ha-card").classList.toggle("empty", !this.#car);
    if (!this.#car) return;
    this.#drawParts(root);
    this.#drawBattery(root);
    for (const each of root.querySelectorAll("[data-opens]")) this.#drawFact(each);
  }

  /** The state of the car, its speed, and the age of the data. */
  #summary() {
    const updatedAt = Date.parse(this.#state("lastData")?.state);
    const age = Number.isNaN(updatedAt) ? undefined : this.#words("as_of", { ago: this.#ago(updatedAt) });
    const speed = this.#state("driving")?.state === "on" ? this.#text("speed") : undefined;
    return [this.#text("state"), speed, age].filter(Boolean).join(" · ");
  }

  #ago(timestamp) {
    // The car's clock may be ahead. Data of the last minute counts as new.
    const seconds = Math.max((Date.now() - timestamp) / 1000, 0);
    const [unit, length] = AGES.find(([, each]) => seconds >= each) ?? AGES.at(-1);
    const format = new Intl.RelativeTimeFormat(this.#hass.locale.language, { numeric: "auto" });
    return format.format(unit === "second" ? 0 : -Math.floor(seconds / length), unit);
  }

  get #driverSide() {
    return this.#config.driver_side ?? (DRIVES_LEFT.includes(this.#hass.config.country) ? "right" : "left");
  }

  #drawParts(root) {
    const svg = root.querySelector("svg");
    svg.classList.toggle("away", (this.#state("state")?.state ?? "online") !== "online");
    svg.classList.toggle("charging", this.#state("charging")?.state === "on");
    svg.classList.toggle("right", this.#driverSide === "right");
    for (const part of svg.querySelectorAll("[data-part]")) {
      const state = this.#state(part.dataset.part);
      const drawn = DRAWN[state?.state] ?? "unknown";
      part.toggleAttribute("hidden", !state);
      for (const each of ["open", "closed", "unknown"]) part.classList.toggle(each, each === drawn);
      if (state) part.setAttribute("aria-label", `${this.#name(state)}: ${this.#text(part.dataset.part)}`);
    }
  }

  #drawBattery(root) {
    const bar = root.querySelector(".bar");
    const level = this.#number("battery");
    const limit = this.#number("limit");
    bar.hidden = level === undefined;
    root.querySelector(".battery").classList.toggle("unknown", bar.hidden);
    bar.classList.toggle("moving", this.#state("charging")?.state === "on");
    bar.style.setProperty("--level", colorOf(level));
    bar.querySelector(".level").style.width = `${level}%`;
    bar.querySelector(".limit").hidden = limit === undefined;
    bar.querySelector(".limit").style.insetInlineStart = `${limit}%`;
  }

  #drawFact(button) {
    const state = this.#state(button.dataset.opens);
    const icon = button.querySelector("ha-state-icon");
    button.hidden = !state;
    if (!state) return;
    const text = this.#fact(button.dataset.opens);
    button.setAttribute("aria-label", `${this.#name(state)}: ${text}`);
    button.title = button.getAttribute("aria-label");
    if (icon) Object.assign(icon, { hass: this.#hass, stateObj: state });
    else button.textContent = text;
    button.querySelector("span")?.replaceChildren(text);
  }

  /** The text of a state and of a related one. If the climate is off, only the temperature. */
  #fact(what) {
    const state = this.#state(what);
    if (what === "climate") {
      const action = state.attributes.hvac_action;
      const mode = action ? this.#hass.formatEntityAttributeValue(state, "hvac_action") : this.#text(what);
      const inside = this.#number("inside") === undefined ? undefined : this.#text("inside");
      return inside && state.state === "off" ? inside : [mode, inside].filter(Boolean).join(" · ");
    }
    const isCharging = what === "chargingState" && this.#state("charging")?.state === "on";
    return [this.#text(what), isCharging && this.#text("power")].filter(Boolean).join(" · ");
  }
}
