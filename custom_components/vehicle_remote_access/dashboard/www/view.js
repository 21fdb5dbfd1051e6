/** The view of a car. It consists of Home Assistant's own cards. */

import { CARD } from "./picture.js";

const HOURS = 24;
const COLUMNS = 4;
/** Home Assistant's feature flag for covers that can be closed. */
const CAN_CLOSE = 2;

const SLIDER = { type: "numeric-input", style: "slider" };
const STEPS = { type: "numeric-input", style: "buttons" };
const TREND = { type: "trend-graph" };
const MORE_INFO = { action: "more-info" };
const OWN_NAME = { type: "entity" };

/** The name of an entity without its device's name, or undefined before it has a state. */
const entityName = (hass, entity) =>
  hass.states[entity] && hass.formatEntityName(hass.states[entity], OWN_NAME);

// Cards

/** A tile card for an entity, if there is one. */
const tile = (entity, more) => entity && { type: "tile", entity, name: OWN_NAME, ...more };

const wide = { grid_options: { columns: 12 } };

/** Options that show a card only if an entity has, or has not, a state. Without the entity, always. */
const when = (entity, ...state) => (entity ? { visibility: [{ condition: "state", entity, state }] } : {});
const unless = (entity, ...state_not) =>
  entity ? { visibility: [{ condition: "state", entity, state_not }] } : {};

const performAction = (entity_id, perform_action, confirmation) => ({
  action: "perform-action",
  perform_action,
  target: { entity_id },
  ...(confirmation && { confirmation }),
});

/** The question before something opens or moves. */
const question = (hass, car, entity, text) => ({
  title: [car.name, entityName(hass, entity)].filter(Boolean).join(" · "),
  text,
});

/** A tile that performs an action when tapped, and opens the more-info dialog when held. */
function actionTile(entity, perform_action, more, confirmation) {
  const action = performAction(entity, perform_action, confirmation);
  return tile(entity, { tap_action: action, icon_tap_action: action, hold_action: MORE_INFO, ...more });
}

const button = (entity, more) => actionTile(entity, "button.press", { hide_state: true, ...more });

/** A heading and its cards. Without cards there is no heading. */
function group(heading, icon, cards, { badges = [], ...more } = {}) {
  const present = cards.filter(Boolean);
  const shown = badges.filter((badge) => badge.entity);
  return present.length ? [{ type: "heading", heading, icon, badges: shown, ...more }, ...present] : [];
}

/** The path of a device's page. */
export const devicePage = (id) => `/config/devices/device/${id}`;

/** Options for a heading that opens the page of a device, for administrators. */
const deviceLink = (hass, id) =>
  hass.user?.is_admin ? { tap_action: { action: "navigate", navigation_path: devicePage(id) } } : {};

const section = (groups, more) => ({ type: "grid", cards: groups.flat(), ...more });

// The groups of the view

/** The cards of a lid, which some cars can also close. */
function lid(hass, words, car, entity) {
  const closes = (hass.states[entity]?.attributes.supported_features & CAN_CLOSE) !== 0;
  return [
    actionTile(
      entity,
      "cover.open_cover",
      when(entity, "closed"),
      question(hass, car, entity, words("open_it")),
    ),
    closes &&
      actionTile(
        entity,
        "cover.close_cover",
        when(entity, "open"),
        question(hass, car, entity, words("close_it")),
      ),
    tile(entity, unless(entity, "closed", ...(closes ? ["open"] : []))),
  ];
}

function doors(hass, words, car) {
  const { shows } = car;
  const lids = [shows.trunk, shows.frunk, shows.chargePort, shows.sunRoof];
  const others = [shows.driverDoor, shows.passengerDoor, shows.driverRearDoor, shows.passengerRearDoor];
  return group(
    words("doors"),
    "mdi:car-door",
    [
      actionTile(
        shows.lock,
        "lock.unlock",
        { ...wide, ...when(shows.lock, "locked") },
        question(hass, car, shows.lock, words("unlock_it")),
      ),
      actionTile(shows.lock, "lock.lock", { ...wide, ...unless(shows.lock, "locked") }),
      ...lids.flatMap((each) => lid(hass, words, car, each)),
      // Only open doors. The picture shows the closed ones.
      ...others.map((each) => tile(each, { ...wide, ...unless(each, "off") })),
    ],
    { badges: [{ type: "entity", entity: shows.anyOpen }] },
  );
}

function charging(hass, words, { shows }) {
  const curves = [shows.battery, shows.power].filter(Boolean);
  return group(
    words("charging"),
    "mdi:ev-station",
    [
      tile(shows.battery, { features: [{ type: "bar-gauge" }] }),
      tile(shows.charge, { features: [{ type: "toggle" }] }),
      tile(shows.chargingState),
      tile(shows.range),
      tile(shows.power, when(shows.charging, "on")),
      tile(shows.chargingEnds, when(shows.charging, "on")),
      tile(shows.scheduledStart, { ...wide, ...when(shows.scheduledPending, "on") }),
      tile(shows.limit, { ...wide, features: [SLIDER] }),
      curves.length && {
        type: "history-graph",
        entities: curves.map((entity) => ({ entity, name: entityName(hass, entity) })),
        hours_to_show: HOURS,
        grid_options: { columns: 12, rows: 6 },
      },
    ],
    {
      badges: [
        { type: "entity", entity: shows.plug },
        { type: "entity", entity: shows.energyAdded, ...when(shows.plug, "on") },
      ],
    },
  );
}

function climate(words, { shows }) {
  return group(
    words("climate"),
    "mdi:thermostat",
    [
      tile(shows.climate, {
        ...wide,
        state_content: ["hvac_action", "current_temperature"],
        features: [{ type: "climate-hvac-modes" }, { type: "target-temperature" }],
      }),
      tile(shows.inside, { name: words("inside"), features: [TREND] }),
      tile(shows.outside, { name: words("outside"), features: [TREND] }),
      tile(shows.leftSeat, unless(shows.leftSeat, "off")),
      tile(shows.rightSeat, unless(shows.rightSeat, "off")),
      ...[shows.preconditioning, shows.frontDefroster, shows.rearDefroster, shows.wheelHeater].map((each) =>
        tile(each, when(each, "on")),
      ),
      tile(shows.keeper, unless(shows.keeper, "off")),
    ],
  );
}

function location(words, { shows }) {
  return group(
    words("location"),
    "mdi:map-marker",
    [
      shows.location && {
        type: "map",
        entities: [{ entity: shows.location, label_mode: "icon" }],
        hours_to_show: HOURS,
        default_zoom: 15,
        grid_options: { columns: 12, rows: 5 },
      },
      tile(shows.speed, when(shows.driving, "on")),
      tile(shows.gear, when(shows.driving, "on")),
    ],
    { badges: [{ type: "entity", entity: shows.location }] },
  );
}

function commands(words, { shows }) {
  return group(words("controls"), "mdi:gesture-tap", [
    button(shows.wakeUp, when(shows.state, "asleep", "offline", "unknown")),
    button(shows.refresh, unless(shows.state, "asleep", "offline", "unknown")),
    button(shows.flash),
    button(shows.honk),
    tile(shows.valet),
  ]);
}

function about(hass, words, { id, shows }) {
  return group(
    words("about"),
    "mdi:information-outline",
    [
      tile(shows.software),
      tile(shows.odometer),
      tile(shows.sentry),
      tile(shows.userPresent),
      tile(shows.lastData),
      tile(shows.pollingMode),
      tile(shows.inService, when(shows.inService, "on")),
    ],
    deviceLink(hass, id),
  );
}

function simulation(hass, words, { simulationId, controls, service }) {
  const { cable, drive, level, ...others } = controls;
  return group(
    words("simulation"),
    "mdi:test-tube",
    [
      tile(cable, { ...wide, features: [{ type: "select-options" }] }),
      tile(drive, { features: [STEPS] }),
      tile(level, { features: [STEPS] }),
      tile(simulationId && service.speed, { ...wide, features: [SLIDER] }),
      ...Object.values(others).map((each) => (each?.startsWith("button.") ? button : tile)(each)),
    ],
    deviceLink(hass, simulationId),
  );
}

/** Return the view of a car. */
export function createView(hass, words, car, options) {
  const picture = { type: `custom:${CARD}`, device_id: car.id, ...options, ...wide };
  const sections = [
    section([picture, doors(hass, words, car)]),
    section([charging(hass, words, car)]),
    section([climate(words, car), commands(words, car)]),
    section([location(words, car), about(hass, words, car)]),
    section([simulation(hass, words, car)], { column_span: COLUMNS }),
  ].filter((each) => each.cards.length);
  return { type: "sections", max_columns: COLUMNS, sections };
}
