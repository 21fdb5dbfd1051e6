/** A card with the hours in which the charging plan of a car charges, and the price of each hour. */

import { barsPath, createSelection } from "./bars.js";
import { drawn, element } from "./dom.js";
import { CardContent } from "./element.js";
import { Formats } from "./formats.js";
import { Scale, createCharts, createPlot, timeTicks } from "./line_chart.js";
import { houseNotes, isReasonShown, planBars, planSentence, powerSamples } from "./plan_texts.js";
import { MINUTE } from "./status.js";
import { PLAN_STYLES } from "./styles.js";

/** The space between two bars, and the least height of one, as shares of the chart. */
const GAP = 0.003;
const LEAST = 0.02;
const MOST_TIME_TICKS = 5;
/** The powers of so many minutes are shown, and read again after some. */
const SHOWN_MINUTES = 12 * 60;
const READ_AGAIN = 5 * MINUTE;

export default class ChargingPlan extends CardContent {
  /** @type {Formats} */ #formats;
  /** @type {FrontendLocale | undefined} */ #locale;
  #drawn = "";
  #readAt = 0;

  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = `
      <style>${PLAN_STYLES}</style>
      <ha-card><div class="texts" role="status"></div><div class="picture"></div><div class="power"></div></ha-card>`;
  }

  draw(/** @type {ShadowRoot} */ root, /** @type {Status | undefined} */ status) {
    const { hass } = this;
    if (this.#locale !== hass.locale) {
      this.#locale = hass.locale;
      this.#formats = new Formats(hass);
    }
    const lines = status ? this.#lines(status) : [];
    this.#drawPower(root, status?.state("plan")?.attributes ?? {}).catch(() => undefined);
    const bars = planBars(status?.state("plan")?.attributes ?? {}, Date.now());
    // Without a change, the selected bar stays.
    const shown = JSON.stringify([lines, bars, hass.locale]);
    if (shown === this.#drawn) return;
    this.#drawn = shown;
    const hasFocus = root.activeElement !== null;
    root.querySelector(".texts").replaceChildren(...lines.map(([kind, text]) => element("div", { class: kind }, text)));
    root.querySelector(".picture").replaceChildren(...(bars.length ? [this.#picture(bars)] : []));
    if (hasFocus) root.querySelector("input")?.focus();
  }

  /** Lines about what the plan does, and why. Each has a kind and a text. */
  #lines(/** @type {Status} */ status) {
    const plan = status.state("plan");
    if (!plan) return [];
    const { attributes } = plan;
    const sentence = planSentence({ words: this.words, formats: this.#formats }, attributes, this.hass.config.currency);
    const charging = status.state("charging")?.state ?? "";
    const starts =
      charging === "off" && Date.parse(plan.state) > 0 && status.state("chargingState")?.state !== "no_power";
    return [
      [attributes.is_reachable === false ? "warning" : "sentence", sentence],
      ["note", isReasonShown(attributes, charging) ? this.hass.formatEntityAttributeValue(plan, "reason") : ""],
      ["note", attributes.house ? this.hass.formatEntityAttributeValue(plan, "house") : ""],
      ["note", starts ? this.words("home_assistant_starts") : ""],
      ...houseNotes({ words: this.words, formats: this.#formats }, attributes).map((text) => ["note", text]),
    ].filter(([, text]) => text);
  }

  /** Draw the powers of the surplus and of the charge, if Home Assistant keeps statistics of them. */
  async #drawPower(/** @type {ShadowRoot} */ root, /** @type {PlanAttributes} */ plan) {
    const { hass, words } = this;
    const power = this.car?.entities.power ?? "";
    const place = root.querySelector(".power");
    if (!plan.surplus_entity) place.replaceChildren();
    if (!plan.surplus_entity || Date.now() - this.#readAt < READ_AGAIN) return;
    this.#readAt = Date.now();
    const start = this.#readAt - SHOWN_MINUTES * MINUTE;
    const statistics = await hass.callWS({
      type: "recorder/statistics_during_period",
      start_time: new Date(start).toISOString(),
      statistic_ids: [plan.surplus_entity, power],
      period: "5minute",
      types: ["mean"],
      units: { power: "kW" },
    });
    const samples = powerSamples(/** @type {Statistics} */ (statistics), power, plan);
    const formats = this.#formats;
    const curve = (/** @type {string} */ title, /** @type {number[]} */ values) => {
      const format = (/** @type {number} */ value) => formats.amount(value, "kW");
      const plain = (/** @type {number} */ value) => formats.number(value, 1);
      return { name: "power", title, values, format, plain, isFromZero: true };
    };
    const name = hass.states[power] ? hass.formatEntityName(hass.states[power], { type: "entity" }) : "";
    const curves = [curve(words("surplus"), samples.surplus), curve(name, samples.power)];
    const options = { curves, times: samples.times, start, end: this.#readAt, formats, words };
    place.replaceChildren(...[createCharts(options)].flatMap((charts) => charts ?? []));
  }

  #picture(/** @type {PlanBar[]} */ bars) {
    const { words } = this;
    const formats = this.#formats;
    const { currency } = this.hass.config;
    const [start, end] = [bars[0].start, bars[bars.length - 1].end];
    const share = (/** @type {number} */ time) => (time - start) / (end - start);
    const known = bars.flatMap(({ price }) => price ?? []);
    // A price that is unknown has a bar of a usual height.
    const usual = known.reduce((sum, price) => sum + price / known.length, 0) || 1;
    const scale = new Scale({ values: known.length ? known : [usual], isFromZero: true });
    const least = LEAST * (Math.max(...scale.numbers) - scale.numbers[0]);
    const path = (/** @type {boolean} */ isKnown, /** @type {boolean} */ charges) => {
      const alike = bars.filter((bar) => (bar.price !== null) === isKnown && bar.charges === charges);
      const shown = alike.map((bar) => {
        const value = bar.price ?? usual;
        const [from, to] = [share(bar.start), share(bar.end) - GAP];
        return { from, to, value: Math.abs(value) < least ? least : value };
      });
      const kind = `bars${isKnown ? "" : " unknown"}${charges ? " chosen" : ""}`;
      return drawn("path", { class: kind, d: barsPath(shown, scale) });
    };
    const [from, to] = [formats.time(start), formats.time(end)];
    const plot = createPlot({
      summary: words("chart_summary", { title: words("price"), from, to }),
      scale,
      level: (value, digits) => (known.length ? formats.number(value, digits) : ""),
      marks: timeTicks(start, end, formats, MOST_TIME_TICKS).map((time) => [share(time), formats.time(time)]),
      drawing: [path(true, false), path(false, false), path(true, true), path(false, true)],
    });
    plot.classList.toggle("flat", !known.length);
    const describe = (/** @type {number} */ index) => {
      const bar = bars[index];
      const price = bar.price === null ? "—" : formats.per(formats.cost(bar.price, currency), "kWh");
      const time = formats.timeSpan(bar.start, bar.end);
      return [known.length ? `${time}: ${price}` : time, bar.charges && words("charging")].filter(Boolean);
    };
    const first = bars.findIndex(({ charges }) => charges);
    const ends = bars.map((bar) => share(bar.end));
    return createSelection(plot, ends, Math.max(0, first), words("time"), describe);
  }
}
