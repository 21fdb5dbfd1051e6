/** The status of a car in words and numbers, from the states of its entities. */

import { PARTS } from "./cars.js";
import { DOMAIN, isRightToLeft, isolated } from "./words.js";

export const MINUTE = 60_000;
export const ONE_DAY = 1440 * MINUTE;
/** What changes slowly is shown after this many days. Before, it would show single charges and stays. */
export const ENOUGH_DAYS = 30;
/** Within this time, the name of a weekday says which day it is. */
export const WEEKDAY_IS_CLEAR = 6 * ONE_DAY;
/** Data that is not older than this counts as current. */
const CURRENT = 15 * MINUTE;
/** For this time, the page says why a command failed. */
const FAILURE_IS_NEWS = 5 * MINUTE;
/** States that change within this time come from the same event, for example a restart of Home Assistant. */
const SAME_TIME = 5000;
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", ONE_DAY],
  ["hour", 60 * MINUTE],
];

/** The states of entities without data. */
export const WITHOUT_DATA = ["unknown", "unavailable"];
/** The states of the car in which its data is old. */
export const OLD = ["asleep", "offline"];

const isKnown = (/** @type {HassEntity=} */ state) => state !== undefined && !WITHOUT_DATA.includes(state.state);

/** The name of a command. Those of some services have none. */
export const commandName = (/** @type {Hass} */ hass, /** @type {string} */ command) =>
  hass.localize(`component.${DOMAIN}.entity.sensor.last_command.state.${command}`);

/** Return entities that together show whether the car has ever been read. */
export const mainEntities = (/** @type {Car} */ { entities }) =>
  [entities.battery, entities.lock, entities.odometer, entities.inside].filter(Boolean);

/** The user's format for times, as Home Assistant's own pages use it. */
export function timeFormat(/** @type {HassFormats} */ { locale, config }) {
  const hour12 = /** @type {Record<string, boolean>} */ ({ 12: true, 24: false })[locale.time_format];
  const language = locale.time_format === "system" ? undefined : locale.language;
  const { hourCycle } = new Intl.DateTimeFormat(language, { hour: "numeric", hour12 }).resolvedOptions();
  const is12 = hourCycle?.startsWith("h1");
  return /** @type {Intl.DateTimeFormatOptions} */ ({
    hour: is12 ? "numeric" : "2-digit",
    minute: "2-digit",
    hourCycle: is12 ? "h12" : "h23",
    ...(locale.time_zone === "server" && { timeZone: config.time_zone }),
  });
}

/** Return a time for a sentence. If it is not today, it has the day of the week or the date. */
function formatTime(/** @type {Hass} */ hass, /** @type {number} */ timestamp) {
  const time = timeFormat(hass);
  const days = new Intl.DateTimeFormat("en", { dateStyle: "short", timeZone: time.timeZone });
  const isToday = days.format(timestamp) === days.format(Date.now());
  const isClose = Math.abs(timestamp - Date.now()) < WEEKDAY_IS_CLEAR;
  /** @type {Intl.DateTimeFormatOptions} */
  const day = isClose ? { weekday: "short" } : { month: "short", day: "numeric" };
  const format = { ...(!isToday && day), ...time };
  const text = new Intl.DateTimeFormat(hass.locale.language, format).format(timestamp);
  return isRightToLeft(hass, hass.language) ? isolated(text) : text;
}

/** The status of a car. */
export class Status {
  #hass;
  #words;
  #car;

  constructor(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
    this.#hass = hass;
    this.#words = words;
    this.#car = car;
  }

  state(/** @type {string} */ what) {
    return this.#hass.states[this.#car.entities[what] ?? ""];
  }

  /** The state in words with its unit, for example `82 %`. */
  text(/** @type {string} */ what) {
    return this.#hass.formatEntityState(this.state(what));
  }

  number(/** @type {string} */ what) {
    const number = Number.parseFloat(this.state(what)?.state ?? "");
    return Number.isNaN(number) ? undefined : number;
  }

  isOn(/** @type {string} */ what) {
    return this.state(what)?.state === "on";
  }

  /** The name of an entity that exists, without the car's. */
  name(/** @type {string} */ what) {
    const state = /** @type {HassEntity} */ (this.state(what));
    return this.#hass.formatEntityName(state, { type: "entity" });
  }

  /** The tires whose pressure is low. */
  get lowTires() {
    const warning = this.state("tirePressureLow");
    return /** @type {string[]} */ ((warning?.state === "on" && warning.attributes.tires) || []);
  }

  /** Whether the car has sent data. */
  get hasData() {
    const main = mainEntities(this.#car);
    return !main.length || main.some((each) => isKnown(this.#hass.states[each]));
  }

  /** Asleep, offline, online, unknown or unavailable. */
  get connection() {
    return this.state("state")?.state ?? "online";
  }

  /** Whether the options forbid all commands. */
  get isReadOnly() {
    return Boolean(this.state("state")?.attributes.read_only);
  }

  #command(/** @type {string=} */ name) {
    return name && commandName(this.#hass, name);
  }

  /** The command that is being done. */
  get command() {
    const { command, waking } = this.state("state")?.attributes ?? {};
    const name = command === "wake_up" && waking ? "" : this.#command(command);
    return name && `${name}…`;
  }

  /** The command that has just failed, and the key of the reason with its placeholders. */
  get failure() {
    const failure = this.state("state")?.attributes.failure;
    const age = Date.now() - Date.parse(failure?.at);
    if (!(age < FAILURE_IS_NEWS)) return undefined;
    return { command: this.#command(failure.command), reason: failure.reason, values: failure.placeholders };
  }

  /** Why requests to the service fail, and since when. */
  get outage() {
    const { reason, placeholders, since } = this.state("service")?.attributes ?? {};
    if (!reason) return undefined;
    const time = formatTime(this.#hass, Date.parse(since));
    return { reason, values: placeholders, since: this.#words("since", { time }) };
  }

  /** What the car does now, or why that is unknown. */
  get headline() {
    const words = this.#words;
    if (this.state("state")?.attributes.waking) return words("waking");
    if (this.connection === "asleep") {
      const since = this.#asleepSince;
      return since ? words("asleep_since", { time: formatTime(this.#hass, since) }) : this.text("state");
    }
    if (this.connection !== "online") return this.text("state");
    if (this.isOn("inService")) return words("in_service");
    if (this.state("software")?.attributes.in_progress) return words("installing");
    if (this.isOn("driving")) {
      return this.number("speed") ? `${words("driving")} · ${this.text("speed")}` : words("driving");
    }
    if (this.isOn("charging")) {
      const end = Date.parse(this.state("chargingEnds")?.state ?? "");
      return end > Date.now() ? words("charging_until", { time: formatTime(this.#hass, end) }) : words("charging");
    }
    if (this.state("driving")?.state === "off") return this.#parked;
    return this.state("state") ? this.text("state") : "";
  }

  /** Warnings for the owner: the car was left unlocked or open, or the pressure of a tire is low. */
  get warnings() {
    if (!["online", "asleep"].includes(this.connection)) return [];
    // Someone may be in the car while that is unknown.
    const isLeft = ["userPresent", "driving"].every((what) => this.state(what)?.state === "off");
    const isOpen = (/** @type {string} */ part) =>
      ["on", "open"].includes(this.state(part)?.state ?? "") &&
      (part !== "chargePort" || this.state("plug")?.state === "off");
    const open = isLeft ? Object.keys(PARTS).filter(isOpen) : [];
    return [
      this.isOn("leftUnlocked") && this.name("leftUnlocked"),
      ...open.map((part) => this.#words("is_open", { name: this.name(part) })),
      this.isOn("windowsLeftOpen") && this.name("windowsLeftOpen"),
      this.isOn("tirePressureLow") && this.name("tirePressureLow"),
    ].filter(Boolean);
  }

  /** The destination of a driving car, and the time and the battery level at arrival, if they are known. */
  get route() {
    if (this.connection !== "online" || !this.isOn("driving")) return "";
    const arrival = Date.parse(this.state("arrival")?.state ?? "");
    return [
      isKnown(this.state("destination")) && this.text("destination"),
      arrival > Date.now() && formatTime(this.#hass, arrival),
      isKnown(this.state("batteryAtArrival")) && this.text("batteryAtArrival"),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** Where a car sleeps or was last, its route, what heats or cools it, and what the plan does. */
  get next() {
    const climate = this.state("climate");
    const isActive =
      this.connection === "online" && ["heating", "cooling", "preheating"].includes(climate?.attributes.hvac_action);
    // A charge that goes on says when it ends.
    const plan = this.isOn("charging") ? undefined : this.state("plan");
    const start = Date.parse(plan?.state ?? "");
    return [
      OLD.includes(this.connection) && !this.isOn("driving") && isKnown(this.state("location")) && this.#parked,
      this.route,
      isActive && climate && this.#hass.formatEntityAttributeValue(climate, "hvac_action"),
      isActive && isKnown(this.state("inside")) && this.text("inside"),
      start > Date.now() && `${this.name("plan")}: ${formatTime(this.#hass, start)}`,
      plan?.attributes.reason === "manual" && this.#hass.formatEntityAttributeValue(plan, "reason"),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  get #parked() {
    const place = this.state("location");
    if (place?.state === "home") return this.#words("parked_at_home");
    if (!isKnown(place) || place?.state === "not_home") return this.#words("parked");
    return this.#words("parked_at", { zone: place?.state });
  }

  /** The time at which the car fell asleep. After a restart of Home Assistant, the time is unknown. */
  get #asleepSince() {
    const since = Date.parse(this.state("state")?.last_changed ?? "");
    const others = mainEntities(this.#car).map((each) => Date.parse(this.#hass.states[each]?.last_changed ?? ""));
    return others.some((each) => Math.abs(each - since) < SAME_TIME) ? undefined : since;
  }

  get #dataTime() {
    const time = this.state("state")?.attributes.data_updated ?? this.state("lastData")?.state;
    const timestamp = Date.parse(time);
    return Number.isNaN(timestamp) ? undefined : timestamp;
  }

  /** The age of the data of a car that is not known to sleep, if the data is not current. */
  get age() {
    const age = Date.now() - Number(this.#dataTime);
    if (!["online", "unknown"].includes(this.connection) || !(age >= CURRENT)) return undefined;
    const [unit, length] = UNITS.find(([, each]) => age >= each) ?? ["minute", MINUTE];
    const format = new Intl.RelativeTimeFormat(this.#hass.locale.language);
    return this.#words("as_of", { ago: format.format(-Math.floor(age / length), unit) });
  }

  /** Why there is no data. */
  get explanation() {
    const words = this.#words;
    if (this.hasData) return undefined;
    const values = { name: this.#car.name };
    if (this.connection === "asleep") return words("asleep_without_data", values);
    if (this.connection === "offline") return words("offline_without_data", values);
    if (this.connection === "unavailable") return words("no_current_data", values);
    return words("no_data_yet", values);
  }

  /** That no commands are sent or the car can't be reached, and the time of old data. */
  get notice() {
    const time = OLD.includes(this.connection) && this.#dataTime;
    const from = time ? this.#words("data_from", { time: formatTime(this.#hass, time) }) : "";
    const isOffline = this.connection === "offline";
    const reasons = [this.isReadOnly && this.#words("read_only"), isOffline && this.#words("out_of_reach")];
    return [...reasons, from].filter(Boolean).join(" ");
  }
}
