/** The view of a car. It consists of Home Assistant's own cards, and the two cards of this integration. */

import {
  COLUMNS,
  fewerColumns,
  hasData,
  hasLog,
  oneColumn,
  severalColumns,
  threeColumns,
  unless,
  unlessPending,
  when,
  whileFailing,
  whilePending,
  whileReadOnly,
} from "./conditions.js";
import { TIRES } from "./entities.js";
import { LOG_PAGES, SETTINGS, pagePath, settingsText } from "./navigation.js";
import { OLD, commandName } from "./status.js";
import { URL_PATH } from "./words.js";

const HOURS = 24;
/** Home Assistant's feature flag for covers that can be closed. */
const CAN_CLOSE = 2;

/** Places the features of a tile beside its name. */
const INLINE = { features_position: "inline" };
const STEPS = { type: "numeric-input", style: "buttons" };
const TREND = { type: "trend-graph" };
const MORE_INFO = { action: "more-info" };
/** Lets a tap on a tile turn its entity on and off. */
const TOGGLE = { tap_action: { action: "toggle" }, icon_tap_action: { action: "toggle" }, hold_action: MORE_INFO };
/** Lets a tile show the state after the pending command. Without a pending command, it shows the state. */
const TARGET = { state_content: "target" };
const OWN_NAME = /** @type {const} */ ({ type: "entity" });

// Cards

const wide = { grid_options: { columns: 12 } };
const full = { grid_options: { columns: "full" } };
/** As wide as the view. */
const across = { column_span: COLUMNS };

/** A card of this integration for a car. */
function ownCard(/** @type {string} */ name, /** @type {Car} */ { id }, more = {}) {
  return { type: `custom:${URL_PATH}-${name}`, device_id: id, ...more };
}

/** @type {OfEntity} A tile card for an entity, if there is one */
const anyTile = (entity, visibility = [], more = {}) =>
  entity && { type: "tile", entity, name: OWN_NAME, visibility, ...more };

/** @type {OfEntity} A tile that is not visible while the state of its entity is unknown */
const tile = (entity, visibility = [], more = {}) =>
  anyTile(entity, [...unless(entity, "unknown"), ...visibility], more);

/** Lets an action ask the user first. `confirm_text`: the text of the button that does it. */
const confirm = (/** @type {Car} */ { name }, /** @type {string} */ text, confirm_text = "") => ({
  confirmation: { title: name, text, ...(confirm_text && { confirm_text }) },
});

/** Lets a tap on a tile perform an action. Holding the tile opens the more-info dialog. */
const onTap = (/** @type {string} */ perform_action, /** @type {string=} */ entity_id, options = {}) => {
  const action = { action: "perform-action", perform_action, target: { entity_id }, ...options };
  return { tap_action: action, icon_tap_action: action, hold_action: MORE_INFO };
};

/** @type {OfEntity} A tile of a button */
const press = (entity, visibility, options) =>
  anyTile(entity, visibility, { hide_state: true, ...onTap("button.press", entity, options) });

/** A wide tile that is visible while its entity is on. */
const whileOn = (/** @type {string=} */ entity, more = {}) => tile(entity, when(entity, "on"), { ...wide, ...more });

/** Whether an entity is a control. Services without it have a sensor with the same value. */
const isControl = (entity = "") => /^(select|switch)\./.test(entity);

/** A wide tile of a switch, or of a sensor while that is on. */
const onOff = (/** @type {string=} */ entity) =>
  isControl(entity) ? tile(entity, [], { ...wide, ...TOGGLE, ...TARGET }) : whileOn(entity);

/** A wide tile with a list of levels, or of a sensor while that is not off. */
function level(/** @type {string=} */ entity) {
  if (!isControl(entity)) return [tile(entity, unless(entity, "off"), wide)];
  const levels = { ...wide, ...INLINE, features: [{ type: "select-options" }] };
  return [
    tile(entity, unlessPending(entity), { ...levels, hide_state: true }),
    tile(entity, whilePending(entity), { ...levels, ...TARGET }),
  ];
}

/** @type {CardGroup} A heading and its cards. Without cards there is no heading */
function group(heading, icon, cards, more = {}) {
  const present = cards.filter(Boolean);
  return present.length ? [{ type: "heading", heading, icon, ...more }, ...present] : [];
}

/** The path of a device's page. */
export const devicePage = (/** @type {string=} */ id) => `/config/devices/device/${id}`;

/** Options for a heading that opens the page of a device, for administrators. */
const deviceLink = (/** @type {Hass} */ hass, /** @type {string=} */ id) =>
  hass.user?.is_admin ? { tap_action: { action: "navigate", navigation_path: devicePage(id) } } : {};

/** Cards that are only visible under these conditions. */
const only = (/** @type {Condition[]} */ conditions, /** @type {CardOrNone[]} */ cards) =>
  cards.filter(Boolean).map((each) => ({ ...each, visibility: [...conditions, ...(each.visibility ?? [])] }));

/** The cards of a car that gets no commands: without buttons and controls. To read the car is no command. */
const readOnly = (/** @type {CardConfig[]} */ cards, /** @type {Car} */ { entities }) =>
  cards
    .filter(({ entity, hide_state, features }) => entity === entities.refresh || !hide_state || features)
    .map((card) => {
      if (card.type !== "tile" || card.entity === entities.refresh) return card;
      const features = card.features?.filter((/** @type {unknown} */ each) => each === TREND);
      return { ...card, hide_state: false, features, tap_action: MORE_INFO, icon_tap_action: { action: "none" } };
    });

const section = (/** @type {CardGroups} */ groups, /** @type {Condition[]} */ visibility = [], more = {}) => ({
  type: "grid",
  cards: groups.flat().filter(Boolean),
  visibility,
  ...more,
});

// The groups of the view

/** The name of an entity, or the car's. */
function nameOf(/** @type {Hass} */ hass, /** @type {Car} */ car, entity = "") {
  const state = hass.states[entity];
  return (state && hass.formatEntityName(state, OWN_NAME)) || car.name;
}

/** @type {LidTiles} The tiles of a lid or of the windows, which some cars can also close */
function lid(hass, words, car, entity, visibility = []) {
  const closes = (hass.states[entity ?? ""]?.attributes.supported_features & CAN_CLOSE) !== 0;
  const names = { name: nameOf(hass, car, entity) };
  // Home Assistant's texts for covers speak of curtains and shutters in some languages.
  const open = onTap("cover.open_cover", entity, confirm(car, words("open_it", names)));
  const close = onTap("cover.close_cover", entity, confirm(car, words("close_it", names)));
  return [
    tile(entity, [...visibility, ...when(entity, "closed")], open),
    closes && tile(entity, [...visibility, ...when(entity, "open")], close),
    tile(entity, [...visibility, ...unless(entity, "closed", ...(closes ? ["open"] : []))]),
  ];
}

/** The tiles of the lock. The unlocked state has a color only if the car was left unlocked. */
function lock(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
  const entity = car.entities.lock;
  const unlock = onTap("lock.unlock", entity, confirm(car, words("unlock_it"), hass.localize("ui.card.lock.unlock")));
  const unlocked = unless(entity, "locked");
  const left = car.entities.leftUnlocked;
  const tapToLock = onTap("lock.lock", entity);
  return [
    tile(entity, when(entity, "locked"), unlock),
    left && tile(entity, [...unlocked, ...when(left, "on")], tapToLock),
    tile(entity, [...unlocked, ...unless(left, "on")], { color: "grey", ...tapToLock }),
  ];
}

/** The state of charging, and the button that starts or stops it, or the charge port while no cable is plugged in. */
function charge(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
  const { entities } = car;
  const settled = unlessPending(entities.charge);
  const isOn = [...when(entities.charging, "on"), ...settled];
  const isOff = [...when(entities.plug, "on"), ...unless(entities.charging, "on"), ...settled];
  const button = (/** @type {string} */ command, /** @type {string} */ icon, /** @type {string} */ action) => ({
    // Home Assistant loads these texts while it shows the first page.
    name: commandName(hass, command) || OWN_NAME,
    ...{ icon, hide_state: true, ...onTap(action, entities.charge) },
  });
  return [
    // The other tiles show sensors, which have no target.
    tile(entities.charge, whilePending(entities.charge), {
      name: words("charging"),
      icon: "mdi:ev-station",
      ...TARGET,
    }),
    tile(entities.energyAdded ?? entities.chargingState, isOn, {
      name: entities.energyAdded ? words("energy_added") : words("charging"),
      color: "green",
      icon: "mdi:ev-station",
    }),
    tile(entities.charge, isOn, button("charge_stop", "mdi:stop-circle-outline", "switch.turn_off")),
    tile(entities.chargingState, isOff, { name: words("charging") }),
    tile(
      entities.charge,
      [...isOff, ...unless(entities.chargingState, "complete")],
      button("charge_start", "mdi:play-circle-outline", "switch.turn_on"),
    ),
    ...lid(hass, words, car, entities.chargePort, unless(entities.plug, "on")),
  ];
}

/** The most frequent actions, the open doors and windows, and a warning about the tires. */
function actions(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
  const { entities } = car;
  const warnings = [
    ...[entities.tirePressureLow, entities.driverDoor, entities.passengerDoor],
    ...[entities.driverRearDoor, entities.passengerRearDoor, entities.driverWindow, entities.passengerWindow],
    ...[entities.driverRearWindow, entities.passengerRearWindow],
  ];
  return [
    ...lock(hass, words, car),
    tile(entities.climate, unlessPending(entities.climate), { state_content: "hvac_action", ...TOGGLE }),
    tile(entities.climate, whilePending(entities.climate), { ...TARGET, ...TOGGLE }),
    ...charge(hass, words, car),
    ...lid(hass, words, car, entities.trunk),
    ...warnings.map((each) => whileOn(each, { color: "orange" })),
  ];
}

function controls(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
  const { entities } = car;
  const isListening = [...when(entities.userPresent, "on"), ...when(entities.media, "playing")];
  return group(words("controls"), "mdi:gesture-tap", [
    ...lid(hass, words, car, entities.frunk),
    ...lid(hass, words, car, entities.sunRoof),
    ...lid(hass, words, car, entities.windows),
    press(entities.flash),
    press(entities.honk),
    press(entities.refresh),
    // The notice has this button, unless the entity with the car's state is disabled.
    !entities.state && press(entities.wakeUp),
    press(entities.homelink, [], confirm(car, nameOf(hass, car, entities.homelink))),
    press(entities.remoteStart, [], confirm(car, nameOf(hass, car, entities.remoteStart))),
    tile(entities.valet, [], TARGET),
    isControl(entities.sentry) && tile(entities.sentry, [], TARGET),
    tile(entities.media, [{ condition: "or", conditions: isListening }], {
      ...wide,
      state_content: ["media_title", "media_artist"],
      features: [{ type: "media-player-playback" }, { type: "media-player-volume-slider" }],
    }),
  ]);
}

function charging(/** @type {Words} */ words, /** @type {Car} */ car) {
  const { entities } = car;
  const visibility = [...when(entities.chargingPlan, "on"), ...unless(entities.plan, "unavailable")];
  return group(words("charging"), "mdi:ev-station", [
    tile(entities.limit, [], { ...wide, ...TARGET, features: [STEPS] }),
    tile(entities.current, [], { ...wide, ...TARGET, features: [STEPS] }),
    tile(entities.chargingPlan, [], TOGGLE),
    tile(entities.readyBy),
    entities.plan && ownCard("charging-plan", car, { ...wide, visibility }),
    tile(entities.scheduledStart, when(entities.scheduledPending, "on"), wide),
  ]);
}

function climate(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
  const { entities } = car;
  const state = hass.states[entities.climate ?? ""];
  const presets = state?.attributes.preset_modes && { type: "climate-preset-modes", style: "icons" };
  return group(words("climate"), "mdi:thermostat", [
    tile(entities.climate, [], {
      ...wide,
      name: state && hass.formatEntityAttributeName(state, "temperature"),
      hide_state: true,
      state_content: "temperature",
      features: [{ type: "target-temperature" }, presets].filter(Boolean),
    }),
    anyTile(entities.inside, [], { name: words("inside"), features: [TREND] }),
    anyTile(entities.outside, [], { name: words("outside"), features: [TREND] }),
    ...[entities.leftSeat, entities.rightSeat, entities.leftCooling, entities.rightCooling].flatMap(level),
    ...[entities.defrost, entities.preconditioning, entities.frontDefroster, entities.rearDefroster].map(onOff),
    onOff(entities.wheelHeater),
    !presets && tile(entities.keeper, unless(entities.keeper, "off"), wide),
  ]);
}

const location = (/** @type {Words} */ words, /** @type {Car} */ car, /** @type {number} */ rows) =>
  group(words("location"), "mdi:map-marker", [
    car.entities.location && {
      type: "map",
      entities: [{ entity: car.entities.location, label_mode: "icon" }],
      hours_to_show: HOURS,
      default_zoom: 15,
      grid_options: { columns: "full", rows },
    },
  ]);

function about(/** @type {Hass} */ hass, /** @type {Words} */ words, /** @type {Car} */ car) {
  const { id, entities } = car;
  const tires = Object.keys(TIRES)
    .map((tire) => entities[tire])
    .filter((each) => each?.startsWith("sensor."));
  const software = tile(entities.software, [], { ...wide, state_content: ["state", "installed_version"] });
  const sentry = !isControl(entities.sentry) && tile(entities.sentry);
  const pressures = only(unless(tires[0], "unknown"), [list(...tires.map((each) => row(each)))]);
  const settings = list(linkRow(hass, settingsText({ words, car }, hass.localize("panel.config")), SETTINGS));
  const tiles = [tile(entities.odometer), tile(entities.userPresent), sentry, software, ...pressures, settings];
  return group(words("about"), "mdi:information-outline", tiles, deviceLink(hass, id));
}

/** The icons of the pages of a log. */
const PAGE_ICONS = {
  log: "mdi:timeline-text-outline",
  months: "mdi:calendar-month-outline",
  map: "mdi:map-outline",
  battery: "mdi:battery-heart-variant",
};
const openPage = (/** @type {Car} */ car, /** @type {PageName} */ page) => ({
  tap_action: { action: "navigate", navigation_path: pagePath(car, page) },
});

const log = (/** @type {Words} */ words, /** @type {Car} */ car) =>
  group(words("log"), PAGE_ICONS.log, [ownCard("log-card", car, { show_name: false, ...full })], openPage(car, "log"));

/** The links to the pages of the log at the top of the view. */
const logBadges = (/** @type {Words} */ words, /** @type {Car} */ car) =>
  (car.entities.lastDrive ? LOG_PAGES : []).map((page) => ({
    ...{ type: "entity", entity: car.entities.lastDrive, name: words(page), icon: PAGE_ICONS[page] },
    ...{ show_name: true, show_state: false, visibility: hasLog(car), ...openPage(car, page) },
  }));

/** @type {OfEntity} A row of a list of entities, if there is one. Names can be longer than on tiles */
const row = (entity, conditions) =>
  entity && conditions ? { type: "conditional", conditions, row: row(entity) } : entity && { entity, name: OWN_NAME };

/** A list of entities. Without any, there is no list. */
const list = (/** @type {CardOrNone[]} */ ...rows) =>
  rows.some(Boolean) && {
    type: "entities",
    entities: rows.filter(Boolean),
    show_header_toggle: false,
    ...wide,
  };

/** A row that opens another page of Home Assistant, for administrators. */
const linkRow = (/** @type {Hass} */ hass, /** @type {string} */ name, url = "") =>
  url && hass.user?.is_admin && { type: "weblink", name, icon: "mdi:tune", url, new_tab: false };

/** @type {SimulationCards} */
function simulation(hass, words, { entities }, { id, controls: own }) {
  const rows = (/** @type {string[]} */ ...names) => names.map((name) => row(own[name]));
  return group(
    words("simulation"),
    "mdi:test-tube",
    [
      list(
        row(own.drive),
        row(own.startDriving, unless(entities.driving, "on")),
        row(own.park, when(entities.driving, "on")),
        ...rows("cable", "fallAsleep"),
      ),
      list(
        ...rows("routine", "level", "person", "walkAway", "driverDoor", "trunk"),
        linkRow(hass, words("all_controls"), id && devicePage(id)),
      ),
    ],
    deviceLink(hass, id),
  );
}

/** @type {CreateCarView} Until the car has sent data, it has only the picture and the simulation */
export function createCarView(hass, words, car, simulated, options, charts) {
  const { entities } = car;
  const known = hasData(car);
  const others = controls(hass, words, car);
  const facts = about(hass, words, car);
  const notices = [
    ...when(entities.state, ...OLD),
    ...whileFailing(entities.service),
    ...whileReadOnly(entities.state),
  ];
  const sections = [
    // Without data, the picture says why.
    section(
      [notices.length > 0 && ownCard("notice", car)],
      [...known, { condition: "or", conditions: notices }],
      across,
    ),
    section([
      ownCard("car", car, { ...options, ...wide }),
      ...only(known, actions(hass, words, car)),
      ...only([...known, ...severalColumns], others),
    ]),
    section([charging(words, car), climate(hass, words, car), only(severalColumns, facts)], known),
    // In one column, what is needed less often comes last.
    section([others, facts], [...known, ...oneColumn]),
    // The third column is a high map. With fewer columns, the map is as wide as the view.
    section([location(words, car, 11)], [...known, ...threeColumns]),
    section([location(words, car, 5)], [...known, ...fewerColumns], across),
    section([log(words, car)], hasLog(car), across),
    section([group(hass.localize("panel.history"), "mdi:chart-line", charts)], known, across),
    section([simulation(hass, words, car, simulated)], [], across),
  ].filter((each) => each && each.cards.length);
  const isReadOnly = hass.states[entities.state ?? ""]?.attributes.read_only;
  const shown = isReadOnly ? sections.map((each) => ({ ...each, cards: readOnly(each.cards, car) })) : sections;
  return { type: "sections", max_columns: COLUMNS, badges: logBadges(words, car), sections: shown };
}

const PAGES = { log: "log", months: "log-months", map: "log-map", battery: "log-battery" };

/** @type {CreateLogPage} The view with a page of a car's log. Charts are above it, or below it on a narrow screen */
export function createLogPage(car, page, charts) {
  const sections = [
    section([ownCard("log-tabs", car, { page, ...full })], [], across),
    section([charts], threeColumns, across),
    section([ownCard(PAGES[page], car, full)], [], across),
    section([charts], fewerColumns, across),
  ].filter(({ cards }) => cards.length);
  return { type: "sections", max_columns: COLUMNS, sections };
}

/** @type {CreateOverview} The view with all cars. Each is a link to its own */
export const createOverview = (words, cars, options) => ({
  title: words("all"),
  path: "all",
  icon: "mdi:view-grid-outline",
  show_icon_and_title: true,
  type: "sections",
  max_columns: COLUMNS,
  sections: cars.map((car) => section([ownCard("car", car, { ...options, path: car.id, ...wide })])),
});
