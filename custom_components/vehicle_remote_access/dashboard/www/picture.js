/** A card with the picture of a car: what it does, what is open, and its battery. */

import { PARTS } from "./cars.js";
import { DRAWING_STYLES, drawCar, drawing } from "./drawing.js";
import { CardContent, createConfigForm } from "./element.js";
import { TIRES } from "./entities.js";
import { createLink } from "./navigation.js";
import { PICTURE_STYLES } from "./styles.js";
import { getPageHass, loadWords } from "./words.js";

/** The parts that open the more-info dialog of an entity. */
const BUTTONS = { ...PARTS, ...TIRES };
/**
 * How states of doors, lids, windows, and the lock are drawn: as they were until the car has done a command.
 * All other states are drawn as unknown.
 */
const DRAWN = /** @type {Record<string, string>} */ ({
  ...{ on: "open", open: "open", closing: "open", unlocked: "open", locking: "open" },
  ...{ off: "closed", closed: "closed", opening: "closed", locked: "closed", unlocking: "closed" },
});
/** Countries with left-hand traffic, where the driver sits on the right unless the option says otherwise. */
const DRIVES_LEFT =
  "AG AI AU BB BD BM BN BS BT BW CC CK CX CY DM FJ FK GB GD GG GY HK ID IE IM IN JE JM JP KE KI KN KY " +
  "LC LK LS MO MS MT MU MV MW MY MZ NA NF NP NR NU NZ PG PK PN SB SC SG SH SR SZ TC TH TK TL TO TT TV " +
  "TZ UG VC VG WS ZA ZM ZW";

const TEMPLATE = `
  <style>${DRAWING_STYLES}${PICTURE_STYLES}</style>
  <ha-card>
    <div class="header">
      <h2></h2>
      <button class="headline" data-opens="state"></button>
      <div class="warning"></div>
      <div class="line" role="status"></div>
    </div>
    <div class="message"><span></span><button class="action"></button></div>
    ${drawing()}
    <div class="numbers">
      <button class="battery" data-opens="battery"></button>
      <button class="power" data-opens="power"></button>
      <button class="range" data-opens="range"></button>
    </div>
    <div class="bar"><div class="level"></div><div class="limit"></div></div>
  </ha-card>`;

/** Return Home Assistant's color for a battery level. A car is usually charged to 80 %, so 40 % is not little. */
function colorOf(/** @type {number} */ percent) {
  const belowHigh = percent >= 10 ? "medium" : "low";
  return `var(--state-sensor-battery-${percent >= 20 ? "high" : belowHigh}-color)`;
}

/**
 * The card. Selecting a part opens the more-info dialog of its entity. Only its button sends a command.
 * With the option `path`, the card is smaller and a link to that page.
 */
export default class Picture extends CardContent {
  static async getConfigForm() {
    const words = await loadWords(await getPageHass());
    const options = [
      { value: "left", label: words("left") },
      { value: "right", label: words("right") },
    ];
    const side = { name: "driver_side", selector: { select: { mode: "dropdown", options } } };
    return createConfigForm(words, side, words("driver_side"));
  }

  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = TEMPLATE;
    const { path } = this.config;
    for (const part of path ? [] : root.querySelectorAll("[data-part]")) {
      if (!(part.dataset.part in BUTTONS)) continue;
      part.setAttribute("role", "button");
      part.setAttribute("tabindex", "0");
      part.addEventListener("click", () => this.#open(part.dataset.part));
      part.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault(); // The space key would scroll the page.
        this.#open(part.dataset.part);
      });
    }
    for (const each of root.querySelectorAll("[data-opens]")) {
      each.addEventListener("click", () => this.#open(each.dataset.opens));
    }
    if (!path) return;
    root.querySelector("ha-card").classList.add("link");
    root.querySelector("h2").append(createLink(path));
  }

  #open(/** @type {string} */ what) {
    const detail = { entityId: this.car?.entities[what] };
    this.host.dispatchEvent(new CustomEvent("hass-more-info", { bubbles: true, composed: true, detail }));
  }

  draw(/** @type {ShadowRoot} */ root, /** @type {Status | undefined} */ status) {
    (root.querySelector("h2 a") ?? root.querySelector("h2")).textContent = this.car?.name ?? this.words("no_such_car");
    root.querySelector(".headline").textContent = status?.headline ?? "";
    root.querySelector(".warning").textContent = status?.warnings.join(" · ") ?? "";
    this.#drawLine(root.querySelector(".line"), status);
    root.querySelector("ha-card").classList.toggle("empty", !status);
    if (!status) return;
    this.#drawMessage(root, status);
    this.#drawCar(root, status);
    this.#drawBattery(root, status);
  }

  #describe(/** @type {Status["failure"]} */ failure) {
    const text = failure && this.reasonText(failure);
    return failure?.command && text ? `${failure.command}: ${text}` : text;
  }

  /** Show the current command, why the last one failed, the age of the data, or what comes next. */
  #drawLine(/** @type {HTMLElement} */ line, /** @type {Status | undefined} */ status) {
    const failure = this.#describe(status?.failure);
    line.classList.toggle("failure", Boolean(failure));
    line.textContent = status ? failure || status.command || (status.age ?? status.next) : this.words("choose_another");
  }

  #drawMessage(/** @type {ShadowRoot} */ root, /** @type {Status} */ status) {
    root.querySelector(".message").hidden = status.hasData;
    if (status.hasData) return;
    root.querySelector(".message span").textContent = this.outageText(status) || (status.explanation ?? "");
    this.drawAction(root.querySelector(".action"), status);
  }

  #drawCar(/** @type {ShadowRoot} */ root, /** @type {Status} */ status) {
    const svg = root.querySelector("svg");
    const action = status.state("climate")?.attributes.hvac_action;
    const isMoving = status.connection === "online" && status.isOn("driving");
    const marks = {
      asleep: status.connection === "asleep",
      offline: !["asleep", "online"].includes(status.connection),
      driving: isMoving,
      plugged: status.isOn("plug"),
      charging: status.isOn("charging"),
      occupied: status.isOn("userPresent") || isMoving,
      heating: ["heating", "preheating"].includes(action),
      cooling: action === "cooling",
      "left-unlocked": status.isOn("leftUnlocked"),
      "right-hand": this.#driverSide === "right",
    };
    const warning = status.state("tirePressureLow");
    const parts = /** @type {DrawnCar["parts"]} */ ({});
    for (const part of svg.querySelectorAll("[data-part]")) {
      const what = part.dataset.part;
      const state = status.state(what);
      if (!state || !status.hasData) continue;
      parts[what] = DRAWN[state.state] ?? "unknown";
      if (this.config.path) continue; // In a link, the parts are not buttons.
      const label = this.#label(state, status.text(what));
      part.setAttribute("aria-label", what in TIRES && warning ? this.#label(warning, label) : label);
    }
    if (!status.isOn("sentry")) delete parts.sentry;
    for (const tire of Object.keys(TIRES)) parts[tire] = status.lowTires.includes(tire) ? "open" : undefined;
    drawCar(svg, { parts, marks, color: status.state("color")?.state, level: status.number("battery") });
    svg.setAttribute("role", this.config.path ? "img" : "group");
    svg.setAttribute("aria-label", this.words("seen_from_above", { name: this.car?.name }));
  }

  /** The name of an entity and its state, for example `Battery: 82 %`. */
  #label(/** @type {HassEntity} */ state, /** @type {string} */ text) {
    return `${this.hass.formatEntityName(state, { type: "entity" })}: ${text}`;
  }

  get #driverSide() {
    return this.config.driver_side ?? (DRIVES_LEFT.includes(String(this.hass.config.country)) ? "right" : "left");
  }

  #drawBattery(/** @type {ShadowRoot} */ root, /** @type {Status} */ status) {
    const level = status.number("battery");
    const limit = status.number("limit");
    const numbers = root.querySelector(".numbers");
    const isCharging = status.isOn("charging");
    for (const button of numbers.children) {
      const what = button.dataset.opens;
      const state = status.state(what);
      const isShown = state && status.number(what) !== undefined && (what !== "power" || isCharging);
      button.hidden = !isShown;
      if (!isShown) continue;
      const text = status.text(what);
      button.textContent = text;
      button.title = this.#label(state, text);
      button.setAttribute("aria-label", button.title);
    }
    const bar = root.querySelector(".bar");
    bar.hidden = level === undefined;
    bar.style.setProperty("--level", colorOf(level ?? 0));
    bar.querySelector(".level").style.width = `${level}%`;
    bar.querySelector(".limit").hidden = limit === undefined;
    bar.querySelector(".limit").style.insetInlineStart = `${limit}%`;
  }
}
