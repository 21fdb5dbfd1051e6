/** A card with the hours in which the charging plan of a car charges, the prices, and the surplus so far. */

import { element } from "./dom.js";
import { CardContent } from "./element.js";
import { Formats } from "./formats.js";
import { createSettingsLink } from "./navigation.js";
import { POWER_STEP, createPlanPicture } from "./plan_picture.js";
import { isReasonShown, planBars, planNotes, planSentence, powerSamples } from "./plan_texts.js";
import { MINUTE } from "./status.js";
import { PLAN_STYLES } from "./styles.js";

/** The powers of so many minutes are shown. */
const SHOWN_MINUTES = 12 * 60;
const NO_POWER = powerSamples({}, "", {});

export default class ChargingPlan extends CardContent {
  /** @type {Formats} */ #formats;
  /** @type {FrontendLocale | undefined} */ #locale;
  #drawn = "";
  #power = NO_POWER;
  #readAt = 0;

  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = `
      <style>${PLAN_STYLES}</style>
      <ha-card><div class="texts" role="status"></div><div class="help"></div><div class="picture"></div></ha-card>`;
  }

  draw(/** @type {ShadowRoot} */ root, /** @type {Status | undefined} */ status) {
    const { hass } = this;
    if (this.#locale !== hass.locale) {
      this.#locale = hass.locale;
      this.#formats = new Formats(hass);
    }
    const lines = status ? this.#lines(status) : [];
    const plan = status?.state("plan")?.attributes ?? {};
    this.#readPower(plan).catch(() => undefined);
    const bars = planBars(plan, Date.now());
    const power = plan.surplus_entity ? this.#power : NO_POWER;
    // Without a change, the selected bar stays.
    const shown = JSON.stringify([lines, bars, power, hass.locale]);
    if (shown === this.#drawn) return;
    this.#drawn = shown;
    const hasFocus = root.activeElement !== null;
    root.querySelector(".texts").replaceChildren(...lines.map(([kind, text]) => element("div", { class: kind }, text)));
    root.querySelector(".help").replaceChildren(...this.#help(plan));
    root.querySelector(".picture").replaceChildren(
      ...createPlanPicture({
        bars,
        power,
        words: this.words,
        formats: this.#formats,
        currency: hass.config.currency,
      }),
    );
    if (hasFocus) root.querySelector("input")?.focus();
  }

  /** A button that gives the charge back to the plan, or a link to where a price can be set. */
  #help(/** @type {PlanAttributes} */ { reason, prices = [] }) {
    if (reason === "manual") {
      const button = element("button", { class: "action" }, this.words("follow_plan"));
      this.letPerform(button, "switch.turn_on", this.car.entities.chargingPlan);
      return [button];
    }
    const isUnknown = prices.length > 0 && prices.every(({ price, estimate = null }) => (price ?? estimate) === null);
    return isUnknown && this.hass.user?.is_admin ? [createSettingsLink(this, this.words("set_price"))] : [];
  }

  /** Lines about what the plan does, and why. Each has a kind and a text. */
  #lines(/** @type {Status} */ status) {
    const plan = status.state("plan");
    if (!plan) return [];
    const { attributes } = plan;
    const texts = { words: this.words, formats: this.#formats };
    const [{ currency }, now] = [this.hass.config, Date.now()];
    const sentence = planSentence(texts, attributes, currency, now);
    const charging = status.state("charging")?.state ?? "";
    const starts =
      charging === "off" && Date.parse(plan.state) > 0 && status.state("chargingState")?.state !== "no_power";
    return [
      [attributes.is_reachable === false ? "warning" : "sentence", sentence],
      ["note", isReasonShown(attributes, charging) ? this.hass.formatEntityAttributeValue(plan, "reason") : ""],
      ["note", attributes.house ? this.hass.formatEntityAttributeValue(plan, "house") : ""],
      ["note", starts ? this.words("home_assistant_starts") : ""],
      ...planNotes(texts, attributes, currency, now).map((text) => ["note", text]),
    ].filter(([, text]) => text);
  }

  /** Read the powers of the surplus and of the charge, if Home Assistant keeps statistics of them. */
  async #readPower(/** @type {PlanAttributes} */ plan) {
    if (!plan.surplus_entity || Date.now() - this.#readAt < POWER_STEP) return;
    this.#readAt = Date.now();
    const power = this.car.entities.power ?? "";
    const statistics = await this.hass.callWS({
      type: "recorder/statistics_during_period",
      start_time: new Date(this.#readAt - SHOWN_MINUTES * MINUTE).toISOString(),
      statistic_ids: [plan.surplus_entity, power],
      period: "5minute",
      types: ["mean"],
      units: { power: "kW" },
    });
    this.#power = powerSamples(/** @type {Statistics} */ (statistics), power, plan);
    this.redraw();
  }
}
