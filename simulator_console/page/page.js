// Shows and controls the simulated cars through the API under /simulator/.
// Data from there is only inserted as text, never as markup.

import { DRAWING_STYLES, drawCar, drawing } from "./drawing.js";

const EVERY = 1000; // milliseconds between two updates
const SHOWN_REQUESTS = 60;
const KEPT_PLACES = 3000;
const MILE = 1 / 69.05; // degrees of latitude
const BRIEFLY = 1800;
const CHARGES = new Set(["Starting", "Charging", "Calibrating"]);
const CHARGING = {
  Disconnected: "unplugged",
  NoPower: "no power",
  Starting: "starting",
  Charging: "charging",
  Calibrating: "calibrating",
  Complete: "complete",
  Stopped: "not charging",
};
const OPENINGS = {
  df: "Driver door",
  dr: "Driver rear door",
  pf: "Passenger door",
  pr: "Passenger rear door",
  ft: "Frunk",
  rt: "Trunk",
};

/** The parts of the picture that open and close, by the names of the drawing. */
const OPENING_PARTS = {
  driverDoor: "df",
  driverRearDoor: "dr",
  passengerDoor: "pf",
  passengerRearDoor: "pr",
  frunk: "ft",
  trunk: "rt",
};
/** The controls of the other parts. Of two, the second one undoes the first. A single one is on or off. */
const PRESSED = { lock: ["unlock", "lock"], chargePort: ["plug_in", "unplug"], sentry: ["sentry"] };

const find = (id) => document.getElementById(id);
const inWords = (name) => name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

let controls = {};
let vin = "";
let seen = null;
let picture;
let names = new Map(); // of the cars, by the id in paths
const heard = new Map(); // each car's count of honks and flashes at the last update
const tracks = new Map();

// The service

class Refused extends Error {
  constructor(words, status) {
    super(words);
    this.status = status;
  }
}

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    stopped(true);
    throw new Refused("The simulator doesn't respond.");
  }
  stopped(false);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? "The request failed.", response.status);
  return answer;
}

function stopped(is) {
  document.body.classList.toggle("is-stopped", is);
  find("stopped").hidden = !is;
}

/** Run an action. If it fails, show the error at a place on the page. */
async function attempt(place, act) {
  place.textContent = "";
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    place.textContent = error.message.replace(/^./, (first) => first.toUpperCase());
  }
}

async function run(control, values = {}) {
  const vehicle = await ask("POST", `vehicles/${vin}/${control}`, values);
  if (vehicle.vin === vin) show(vehicle);
}

// Elements

function make(tag, { text, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function onSubmit(form, act) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(form.querySelector(".error"), () => act(event.submitter));
  });
}

// The picture

function show(vehicle) {
  seen = vehicle;
  const { vehicle_state: state } = vehicle.record;
  find("name").textContent = vehicle.name;
  find("model").textContent = `${vehicle.model} · ${vehicle.vin}`;
  const words = [...vehicle.doing, state.locked ? "locked" : "unlocked"];
  find("doing").replaceChildren(...words.map((text) => make("span", { text })));
  drawPicture(vehicle);
  showFacts(vehicle);
  showTrack(vehicle);
  showSwitchedOn(vehicle);
  notice(vehicle);
}

function drawPicture(vehicle) {
  const { charge_state: charge, climate_state: climate, drive_state: drive } = vehicle.record;
  const { vehicle_state: state, vehicle_config: config } = vehicle.record;
  const isDriving = (drive.speed ?? 0) > 0;
  const warms = climate.is_climate_on && (climate.left_temp_direction > 0 || climate.is_front_defroster_on);
  const hasCable = charge.charging_state !== "Disconnected";
  const marks = {
    asleep: vehicle.record.state === "asleep",
    offline: !["asleep", "online"].includes(vehicle.record.state),
    driving: isDriving,
    occupied: state.is_user_present,
    plugged: hasCable,
    charging: CHARGES.has(charge.charging_state),
    powered: vehicle.power_supply,
    heating: warms,
    cooling: climate.is_climate_on && !warms,
    "left-unlocked": !isDriving && !state.is_user_present,
    "right-hand": config.rhd,
  };
  const drawn = (isOpen) => (isOpen ? "open" : "closed");
  const parts = {
    lock: drawn(!state.locked),
    chargePort: drawn(charge.charge_port_door_open),
    sentry: drawn(state.sentry_mode),
    sunRoof: config.sun_roof_installed > 0 && drawn(state.sun_roof_percent_open > 0),
  };
  for (const [part, opening] of Object.entries(OPENING_PARTS)) {
    const isOpen = state[opening] !== 0;
    parts[part] = drawn(isOpen);
    mark(part, isOpen, `${OPENINGS[opening]}: ${isOpen ? "close" : "open"}`);
  }
  drawCar(picture, {
    parts,
    marks,
    color: config.exterior_color,
    level: charge.battery_level,
    limit: charge.charge_limit_soc,
  });
  mark("chargePort", hasCable, hasCable ? "Charge port: unplug" : "Charge port: plug in");
  mark("sentry", state.sentry_mode, `Sentry mode is ${state.sentry_mode ? "on" : "off"}`);
  mark("lock", !state.locked, state.locked ? "Locked: unlock" : "Unlocked: lock");
}

function mark(name, is, label) {
  const part = picture.querySelector(`[data-part="${name}"]`);
  part.setAttribute("aria-pressed", String(is));
  if (part.getAttribute("aria-label") === label) return;
  part.setAttribute("aria-label", label);
  let title = part.querySelector("title");
  if (!title) part.prepend((title = document.createElementNS("http://www.w3.org/2000/svg", "title")));
  title.textContent = label;
}

/** Show that the car honked or flashed since the last update. */
function notice(vehicle) {
  const before = heard.get(vehicle.vin);
  heard.set(vehicle.vin, { horn: vehicle.horn, lights: vehicle.lights });
  if (!before) return;
  for (const [counter, name] of [
    ["horn", "is-honking"],
    ["lights", "is-flashing"],
  ]) {
    if (vehicle[counter] <= before[counter]) continue;
    picture.classList.add(name);
    setTimeout(() => picture.classList.remove(name), BRIEFLY);
  }
}

function showFacts(vehicle) {
  const { charge_state: charge, climate_state: climate, drive_state: drive } = vehicle.record;
  const degrees = (value) => (value === null ? "unknown" : `${value.toFixed(1)} °C`);
  const hours = charge.time_to_full_charge;
  const miles = (value) => `${Math.round(value).toLocaleString()} mi`;
  const facts = {
    battery: `${charge.battery_level}%`,
    "charge-limit": `${charge.charge_limit_soc}%`,
    range: miles(charge.battery_range),
    charging: hours ? `${hours} h left` : CHARGING[charge.charging_state],
    power: `${charge.charger_power ? -charge.charger_power : drive.power} kW`,
    motion: drive.speed === null ? "parked" : `${drive.speed} mph`,
    cabin: degrees(climate.inside_temp),
    outside: degrees(climate.outside_temp),
    odometer: miles(vehicle.record.vehicle_state.odometer),
    rest: rest(vehicle),
  };
  for (const [id, text] of Object.entries(facts)) find(id).textContent = text;
}

function rest(vehicle) {
  if (vehicle.stays_awake.length) return `Stays awake: ${vehicle.stays_awake.join(", ")}.`;
  if (!vehicle.falls_asleep) return "The car is asleep.";
  return `Falls asleep at ${new Date(vehicle.falls_asleep).toLocaleTimeString()} unless its data is read.`;
}

function showTrack(vehicle) {
  const { latitude, longitude } = vehicle.record.drive_state;
  const track = tracks.get(vehicle.vin) ?? [];
  tracks.set(vehicle.vin, track);
  if (latitude === undefined) {
    find("coordinates").textContent = "The location is not reported.";
    return;
  }
  const last = track.at(-1);
  if (!last || last[0] !== latitude || last[1] !== longitude) track.push([latitude, longitude]);
  if (track.length > KEPT_PLACES) track.shift();
  const shrink = Math.cos((latitude * Math.PI) / 180);
  const flat = track.map(([north, east]) => [east * shrink, -north]);
  const [left, right] = [Math.min(...flat.map(([x]) => x)), Math.max(...flat.map(([x]) => x))];
  const [top, bottom] = [Math.min(...flat.map(([, y]) => y)), Math.max(...flat.map(([, y]) => y))];
  const across = Math.max((right - left) / 290, (bottom - top) / 120, MILE / 2000);
  const fromMiddle = (value, low, high) => Number(((value - (low + high) / 2) / across).toFixed(1));
  const drawn = flat.map(([x, y]) => [160 + fromMiddle(x, left, right), 75 + fromMiddle(y, top, bottom)]);
  find("way").setAttribute("points", drawn.join(" "));
  find("here").setAttribute("cx", drawn.at(-1)[0]);
  find("here").setAttribute("cy", drawn.at(-1)[1]);
  find("coordinates").textContent = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const width = `${((across * 320) / MILE).toFixed(1)} mi wide`;
  find("scale").textContent = track.length > 1 ? width : "has not moved";
}

/** Insert the picture, which is the one of the dashboard, and make its parts buttons. */
function preparePicture() {
  const styles = new CSSStyleSheet();
  styles.replaceSync(DRAWING_STYLES);
  document.adoptedStyleSheets.push(styles);
  picture = new DOMParser().parseFromString(drawing(true), "image/svg+xml").documentElement;
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", "The car, seen from above");
  find("picture").append(picture);
  for (const name of [...Object.keys(OPENING_PARTS), ...Object.keys(PRESSED)]) {
    const part = picture.querySelector(`[data-part="${name}"]`);
    const acting = () => attempt(find("picture-error"), () => press(part));
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "0");
    part.addEventListener("click", acting);
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      acting();
    });
  }
}

function press({ dataset, ariaPressed }) {
  const isMarked = ariaPressed === "true";
  const opening = OPENING_PARTS[dataset.part];
  if (opening) return run(isMarked ? "close" : "open", { name: opening });
  const [control, other] = PRESSED[dataset.part];
  return other ? run(isMarked ? other : control) : run(control, { on: !isMarked });
}

// Controls

function prepareControls() {
  const groups = [...document.querySelectorAll(".group")];
  const placed = new Set(groups.flatMap((group) => group.dataset.controls.split(" ")));
  const others = Object.keys(controls).filter((name) => !placed.has(name));
  for (const group of groups) {
    const shown = group.dataset.controls.split(" ").filter((name) => name in controls);
    if (group === groups.at(-1)) shown.push(...others);
    group.append(make("div", { className: "content" }, ...shown.map((name) => line(name, controls[name]))));
    group.hidden = !shown.length;
  }
}

function line(name, { words, arguments: takes }) {
  const form = make("form", { className: "control" }, make("p", { text: words }));
  const fields = Object.entries(takes).map(([argument, kind]) => field(argument, kind));
  const acts = make("div", { className: "acts" }, ...fields.map((each) => each.label).filter(Boolean));
  const asksWhich = Object.entries(takes).find(([, kind]) => kind.needed && kind.types.includes("boolean"));
  const labels = asksWhich ? { On: true, Off: false } : { [inWords(name)]: undefined };
  for (const [text, value] of Object.entries(labels)) {
    const button = make("button", { text });
    if (asksWhich) {
      button.setAttribute("aria-label", `${inWords(name)}: ${text}`);
      Object.assign(button.dataset, { control: name, on: value });
    }
    button.answers = value === undefined ? {} : { [asksWhich[0]]: value };
    acts.append(button);
  }
  form.append(acts, make("p", { className: "error", role: "alert" }));
  onSubmit(form, (button) => {
    const values = { ...button?.answers };
    for (const { argument, read } of fields) {
      const value = read?.();
      if (value !== undefined) values[argument] = value;
    }
    return run(name, values);
  });
  return form;
}

/** Mark the buttons that match the present state. It contains the name of each control with On and Off. */
function showSwitchedOn(vehicle) {
  for (const button of document.querySelectorAll("button[data-on]")) {
    const isOn = String(vehicle[button.dataset.control]);
    button.setAttribute("aria-pressed", String(isOn === button.dataset.on));
  }
}

/** Return the input for an argument, and a function that returns its value, or undefined if it's empty. */
function field(argument, { types, choices, needed }) {
  if (types.includes("boolean")) {
    if (needed) return { argument };
    const input = make("input", { type: "checkbox" });
    return { argument, label: make("label", {}, input, inWords(argument)), read: () => input.checked || undefined };
  }
  const isNumber = types.includes("number") || types.includes("integer");
  const step = types.includes("number") ? "any" : "1";
  const input = choices.length
    ? make(
        "select",
        {},
        ...choices.map((value) => make("option", { value, text: OPENINGS[value] ?? value.replaceAll("_", " ") })),
      )
    : make("input", isNumber ? { type: "number", step } : { type: "text" });
  input.required = needed;
  const read = () => (input.value === "" ? undefined : isNumber ? Number(input.value) : input.value);
  return { argument, label: make("label", {}, inWords(argument), input), read };
}

// Faults

function prepareFaults() {
  onSubmit(find("fault"), async () => {
    const what = find("fault-what").value;
    const often = Number(find("fault-often").value);
    const fault = /^\d/.test(what) ? { status: Number(what) } : { fail: what };
    if (find("fault-only").value) fault.only = find("fault-only").value;
    if (find("fault-obeyed").checked) fault.is_obeyed = true;
    if (what === "429") fault.headers = { "Retry-After": "300" };
    const injected = often < 1 ? { share: often, seed: 0, among: [fault] } : { ...fault, times: often };
    showFaults(await ask("POST", "faults", injected));
  });
  onSubmit(find("corrupt"), async () => {
    const path = find("corrupt-path").value.trim();
    const value = find("corrupt-value").value.trim();
    const fault = value ? { corrupt: path, value: parsed(value) } : { remove: path };
    showFaults(await ask("POST", "faults", fault));
  });
  find("clear").addEventListener("click", () =>
    attempt(find("fault").querySelector(".error"), async () => showFaults(await ask("DELETE", "faults"))),
  );
}

/** Return the input as JSON, or as text if it isn't JSON. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function faultName(kind) {
  return [...find("fault-what").options].find((option) => option.value === String(kind))?.text ?? kind;
}

function describe(fault) {
  if (fault.among) return `${fault.share * 100}% of all requests: ${fault.among.map(describe).join(", ")}`;
  if (fault.remove) return `${fault.remove} is removed`;
  if (fault.corrupt) return `${fault.corrupt} is ${JSON.stringify(fault.value)}`;
  const times = fault.times > 1 ? ` × ${fault.times}` : "";
  return `${faultName(fault.status ?? fault.fail)}${times}${fault.only ? ` for paths with ${fault.only}` : ""}`;
}

function showFaults(faults) {
  const counts = Object.entries(faults.injected).map(([kind, times]) => `${faultName(kind)}, ${times} so far`);
  const list = faults.told.map((fault) => make("span", { text: describe(fault) }));
  find("told").replaceChildren(...list, ...counts.map((text) => make("small", { className: "muted", text })));
  find("clear").hidden = !faults.told.length;
  find("injected").textContent = faults.told.length ? `${faults.told.length} injected` : "none";
}

// Switches

function showSwitches({ service, switches }) {
  const lines = Object.entries(switches).map(([name, kind]) => {
    const error = make("p", { className: "error", role: "alert" });
    const input = switchInput(kind);
    input.setAttribute("aria-label", inWords(name));
    input.addEventListener("change", () =>
      attempt(error, async () => {
        await ask("POST", "switches", { [name]: switchValue(kind, input) });
        showSwitches(await ask("GET", "switches"));
      }),
    );
    const isChanged = kind.value !== kind.default;
    const words = make("p", { className: "muted", text: kind.words });
    const className = isChanged ? "switch is-changed" : "switch";
    return make("div", { className }, make("code", { text: name }), input, words, error);
  });
  const focused = document.activeElement?.getAttribute("aria-label");
  find("switches").replaceChildren(...lines);
  const inputs = [...find("switches").querySelectorAll("input, select")];
  inputs.find((each) => each.getAttribute("aria-label") === focused)?.focus();
  const changed = Object.values(switches).filter((kind) => kind.value !== kind.default).length;
  const words = changed ? `${changed} changed` : "all defaults";
  find("changes").textContent = service === "other" ? words : `${service}: ${words}`;
}

function switchInput({ value, types, choices }) {
  if (types.includes("boolean")) return make("input", { type: "checkbox", checked: value });
  if (choices.length && !types.length) {
    const select = make("select", {}, ...choices.map((each) => make("option", { text: each || "none", value: each })));
    return Object.assign(select, { value });
  }
  return make("input", { type: "text", value: String(value) });
}

function switchValue({ types, choices }, input) {
  if (types.includes("boolean")) return input.checked;
  const choice = choices.find((each) => String(each) === input.value);
  if (choice !== undefined) return choice;
  return types.includes("string") ? input.value : parsed(input.value);
}

// Clock and log

function showClock(clock) {
  find("now").textContent = new Date(clock.now).toLocaleString();
  if (document.activeElement !== find("speed")) find("speed").value = clock.speed;
}

function showRequests({ requests }) {
  find("silent").hidden = requests.length > 0;
  const lines = requests.reverse().map((each) => {
    const isGood = each.status >= 200 && each.status < 400;
    const status = make("td", { text: each.status || "lost", className: isGood ? "" : "is-bad" });
    const time = make("td", { text: new Date(each.moment).toLocaleTimeString() });
    const path = make("td", { text: shortened(each.path), title: each.path });
    return make("tr", {}, time, make("td", { text: each.method }), path, status);
  });
  find("requests").replaceChildren(...lines);
}

/** A path with the car's name instead of its id. */
function shortened(path) {
  const [, id, after] = path.match(/^\/api\/1\/vehicles\/(\d+)(.*)$/) ?? [];
  return names.has(id) ? names.get(id) + after : path;
}

// The page

async function look() {
  const { clock, vehicles } = await ask("GET", `state?vin=${vin}`);
  showClock(clock);
  if (vehicles[0].vin === vin) show(vehicles[0]);
  showRequests(await ask("GET", `requests?last=${SHOWN_REQUESTS}`));
  showFaults(await ask("GET", "faults"));
}

async function keepLooking() {
  try {
    if (seen) await look();
    else await begin();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 404) location.reload(); // another simulator, with other cars, now runs at this address
  } finally {
    setTimeout(keepLooking, EVERY);
  }
}

async function begin() {
  // All requests come first, so that a retry after a failure starts with an unchanged page.
  const { vehicles } = await ask("GET", "state");
  const known = await ask("GET", "controls");
  const switches = await ask("GET", "switches");
  ({ controls } = known);
  const option = (each) => make("option", { value: each.vin, text: `${each.name}, ${each.model}` });
  find("vehicles").replaceChildren(...vehicles.map(option));
  find("chooser").hidden = vehicles.length === 1;
  names = new Map(vehicles.map((each) => [each.record.id_s, each.name]));
  vin = vehicles[0].vin;
  prepareControls();
  showSwitches(switches);
  seen = vehicles[0];
  await look();
}

find("vehicles").addEventListener("change", (event) => {
  vin = event.target.value;
  find("picture-error").textContent = "";
  attempt(find("picture-error"), look);
});
onSubmit(find("clock"), async () => {
  showClock(await ask("POST", "clock", { speed: Number(find("speed").value) }));
});
if (matchMedia("(max-width: 47rem)").matches) {
  for (const details of document.querySelectorAll("details")) details.open = false;
}
preparePicture();
prepareFaults();
keepLooking();
