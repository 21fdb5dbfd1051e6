/** The cards of the view of a car. */

import assert from "node:assert/strict";
import test from "node:test";

import { createHass, createState, words } from "./home.js";
import {
  createCarView,
  createLogPage,
  createOverview,
} from "../../custom_components/vehicle_remote_access/dashboard/www/view.js";

const CHART = { type: "statistics-graph" };

/** A car with entities of these names. The id of each is its name after its platform. */
const createCar = (entities = []) => ({ id: "car", name: "Comet", entities: idsOf(entities) });

const idsOf = (list) => Object.fromEntries(list.map((id) => [id.split(".")[1], id]));

/** The view of a car. */
function view(car, { charts = [], controls = [], simulation, ...hass } = {}) {
  const simulated = { id: simulation, controls: idsOf(controls) };
  return createCarView(createHass(hass), words, car, simulated, {}, charts);
}

const SIMULATED = { simulation: "simulation", controls: ["select.cable"] };

/** Whether a condition about the number of columns is met. Others count as met. */
const fits = ({ min = 1, max = Infinity }, columns) => min <= columns && columns <= max;

/** The cards on a screen with this number of columns. */
const cardsOf = ({ sections }, columns = 3) =>
  sections
    .flatMap(({ visibility, cards }) => cards.map((card) => [card, [...visibility, ...(card.visibility ?? [])]]))
    .filter(([, visibility]) => visibility.every((condition) => fits(condition, columns)))
    .map(([card]) => card);

/** The tiles of an entity. */
const tilesOf = (shown, entity) => cardsOf(shown).filter((card) => card.type === "tile" && card.entity === entity);

/** The rows of the lists of entities. */
const listsOf = (car, more) =>
  cardsOf(view(car, more))
    .filter(({ type }) => type === "entities")
    .map(({ entities }) => entities);

const headingsOf = (shown) =>
  cardsOf(shown)
    .filter(({ type }) => type === "heading")
    .map(({ heading }) => heading);

const headingOf = (shown, name) => cardsOf(shown).find((card) => card.heading === name);

/** Whether a card is visible, while entities and attributes have these states and all others an unknown one. */
function isVisible({ visibility }, states) {
  const applies = ({ condition, entity, attribute, state, state_not, conditions }) => {
    if (condition === "or") return conditions.some(applies);
    if (condition === "view_columns") return true;
    assert.equal(condition, "state");
    const is = states[attribute ? `${entity} ${attribute}` : entity] ?? "unknown";
    return state ? state.includes(is) : !state_not.includes(is);
  };
  return visibility.every(applies);
}

/** What the visible tile of an entity does when tapped: the action. There must be one such tile. */
function actionOf(shown, entity, states) {
  const visible = tilesOf(shown, entity).filter((tile) => isVisible(tile, states));
  assert.equal(visible.length, 1, JSON.stringify(states));
  return visible[0].tap_action?.perform_action;
}

const lidWith = (supported_features) => ({
  states: { "cover.trunk": createState("closed", { supported_features, friendly_name: "Trunk" }) },
});

test("a car without entities has its picture and its log", () => {
  const { sections, badges } = view(createCar());
  assert.deepEqual(
    sections.map(({ cards }) => cards.map(({ type }) => type)),
    [["custom:vehicle-remote-access-car"], ["heading", "custom:vehicle-remote-access-log-card"]],
  );
  assert.deepEqual(badges, []);
});

test("the picture has the options of the view", () => {
  const { sections } = createCarView(createHass(), words, createCar(), { controls: {} }, { driver_side: "right" }, []);
  const [{ device_id, driver_side }] = sections[0].cards;
  assert.deepEqual([device_id, driver_side], ["car", "right"]);
});

test("groups appear with the first of their entities", () => {
  for (const [heading, entity] of [
    ["controls", "button.flash"],
    ["controls", "cover.frunk"],
    ["charging", "number.limit"],
    ["charging", "number.current"],
    ["charging", "switch.chargingPlan"],
    ["climate", "sensor.inside"],
    ["location", "device_tracker.location"],
    ["about", "sensor.odometer"],
  ]) {
    const shown = view(createCar([entity]));
    assert.deepEqual([...new Set(headingsOf(shown))], [heading, "log"]);
    assert.ok(JSON.stringify(cardsOf(shown)).includes(`"${entity}"`), entity);
  }
});

test("no card is for an entity that does not exist", () => {
  for (const card of cardsOf(view(createCar(["lock.lock", "climate.climate", "cover.trunk", "sensor.inside"])))) {
    if (card.type === "tile") assert.ok(card.entity, JSON.stringify(card));
  }
});

test("a notice says that data is old, or why none comes. Without data, the picture does", () => {
  const { sections } = view(createCar(["sensor.state", "lock.lock", "binary_sensor.service"]));
  const notice = sections.find(({ cards: [{ type }] }) => type === "custom:vehicle-remote-access-notice");
  const failing = { "binary_sensor.service reason": "cannot_connect" };
  for (const [isShown, states] of [
    [false, { "sensor.state": "online", "lock.lock": "locked" }],
    [true, { "sensor.state": "asleep", "lock.lock": "locked" }],
    [false, { "sensor.state": "asleep" }],
    [true, { "sensor.state": "online", "lock.lock": "locked", ...failing }],
    [true, { "sensor.state": "online", "lock.lock": "locked", "sensor.state read_only": true }],
    [false, failing],
  ]) {
    assert.equal(isVisible(notice, states), isShown, JSON.stringify(states));
  }
});

test("the page of a read-only car shows all states, and sends no command but a read", () => {
  const controls = ["lock.lock", "number.limit", "select.leftSeat", "climate.climate", "switch.charge"];
  const car = createCar(["sensor.state", ...controls, "button.flash", "button.refresh", "sensor.inside"]);
  const shown = view(car, { states: { "sensor.state": createState("online", { read_only: true }) } });
  const tiles = cardsOf(shown).filter(({ type }) => type === "tile");
  const performs = ({ tap_action, icon_tap_action, features = [] }) =>
    [tap_action, icon_tap_action].some((each) => /perform|toggle/.test(each?.action)) ||
    features.some(({ type }) => type !== "trend-graph");
  assert.deepEqual([...new Set(tiles.filter(performs).map(({ entity }) => entity))], ["button.refresh"]);
  const entities = new Set(tiles.filter(({ hide_state: isHidden }) => !isHidden).map(({ entity }) => entity));
  assert.deepEqual([...entities].sort(), [...controls, "sensor.inside"].sort());
});

test("the pressures of the tires are shown, and no warning in their place", () => {
  const [card] = cardsOf(view(createCar(["sensor.front_left", "sensor.rear_right"]))).filter(
    ({ type }) => type === "entities",
  );
  assert.deepEqual(
    card.entities.map(({ entity }) => entity),
    ["sensor.front_left", "sensor.rear_right"],
  );
  assert.ok(isVisible(card, { "sensor.front_left": "2.9" }) && !isVisible(card, {}));
  assert.deepEqual(listsOf(createCar(["binary_sensor.front_left"])), []);
});

test("values that are unknown are not shown", () => {
  const [tile] = tilesOf(view(createCar(["sensor.odometer"])), "sensor.odometer");
  assert.equal(isVisible(tile, {}), false);
  assert.equal(isVisible(tile, { "sensor.odometer": "12345" }), true);
});

test("a condition about an entity that does not exist is met", () => {
  const pending = "binary_sensor.scheduledPending";
  const visible = (...entities) =>
    tilesOf(view(createCar(["sensor.scheduledStart", ...entities])), "sensor.scheduledStart").map((tile) =>
      isVisible(tile, { "sensor.scheduledStart": "2026-11-23T07:00:00Z" }),
    );
  assert.deepEqual(visible(), [true]);
  assert.deepEqual(visible(pending), [false]);
});

test("until the car has sent data, only the picture and the simulation are visible", () => {
  const car = createCar(["sensor.battery", "lock.lock", "button.flash", "sensor.odometer"]);
  const visible = (states) =>
    view(car, SIMULATED)
      .sections.filter((section) => isVisible(section, states))
      .flatMap(({ cards }) => cards.filter((card) => !card.visibility || isVisible(card, states)))
      .map(({ type, heading, entity }) => heading ?? entity ?? type);
  assert.deepEqual(visible({}), ["custom:vehicle-remote-access-car", "simulation", "entities"]);
  const shown = visible({ "sensor.battery": "72" });
  assert.ok(shown.includes("button.flash"));
  assert.ok(shown.includes("about"));
});

test("without data from the service, the log stays visible", () => {
  const shown = view(createCar(["sensor.battery", "sensor.lastDrive", "lock.lock"]));
  const isShown = (card, lastDrive) =>
    isVisible(card, { "sensor.battery": "unavailable", "sensor.lastDrive": lastDrive });
  const headings = (lastDrive) =>
    headingsOf({ ...shown, sections: shown.sections.filter((each) => isShown(each, lastDrive)) });
  assert.deepEqual(headings("12.5"), ["log"]);
  assert.deepEqual(headings("unknown"), []);
  assert.ok(shown.badges.every((badge) => isShown(badge, "12.5") && !isShown(badge, "unavailable")));
});

test("the tile of the lock does the opposite of its state", () => {
  const shown = view(createCar(["lock.lock", "binary_sensor.leftUnlocked"]));
  const entity = "lock.lock";
  assert.equal(actionOf(shown, entity, { [entity]: "locked" }), "lock.unlock");
  assert.equal(actionOf(shown, entity, { [entity]: "unlocked" }), "lock.lock");
  assert.equal(actionOf(shown, entity, { [entity]: "unlocked", "binary_sensor.leftUnlocked": "on" }), "lock.lock");
  assert.ok(!tilesOf(shown, entity).some((tile) => isVisible(tile, {})));
});

test("the open lock has a color only if the car was left unlocked", () => {
  const color = (entities, leftUnlocked) => {
    const states = { "lock.lock": "unlocked", "binary_sensor.leftUnlocked": leftUnlocked };
    const tiles = tilesOf(view(createCar(entities)), "lock.lock").filter((tile) => isVisible(tile, states));
    assert.equal(tiles.length, 1);
    return tiles[0].color;
  };
  const both = ["lock.lock", "binary_sensor.leftUnlocked"];
  assert.equal(color(both, "on"), undefined);
  assert.equal(color(both, "off"), "grey");
  assert.equal(color(both, "unknown"), "grey");
  assert.equal(color(["lock.lock"], "unknown"), "grey");
});

test("unlocking and opening ask first, locking does not", () => {
  const shown = view(createCar(["lock.lock", "cover.trunk"]), lidWith(3));
  const confirmations = (entity) =>
    Object.fromEntries(
      tilesOf(shown, entity)
        .filter(({ tap_action }) => tap_action)
        .map(({ tap_action }) => [tap_action.perform_action, tap_action.confirmation?.text]),
    );
  assert.deepEqual(confirmations("lock.lock"), { "lock.unlock": "unlock_it", "lock.lock": undefined });
  // Home Assistant's text for opening covers is about curtains in Chinese.
  assert.ok(tilesOf(shown, "cover.trunk").every(({ tap_action }) => !tap_action?.confirmation.confirm_text));
  assert.deepEqual(confirmations("cover.trunk"), {
    "cover.open_cover": "open_it Trunk",
    "cover.close_cover": "close_it Trunk",
  });
});

test("a lid that only opens has no tile that closes it", () => {
  const actions = (features) =>
    ["closed", "open", "opening"].map((state) =>
      actionOf(view(createCar(["cover.trunk"]), lidWith(features)), "cover.trunk", { "cover.trunk": state }),
    );
  assert.deepEqual(actions(3), ["cover.open_cover", "cover.close_cover", undefined]);
  assert.deepEqual(actions(1), ["cover.open_cover", undefined, undefined]);
});

test("buttons that say so start and stop charging, and a tap on the energy does not", () => {
  const [state, port] = ["sensor.chargingState", "cover.chargePort"];
  const car = createCar([state, port, "switch.charge", "binary_sensor.plug", "binary_sensor.charging"]);
  const shown = view(car);
  const states = { [state]: "Stopped", [port]: "closed" };
  const visible = (plug, charging) => {
    const all = { ...states, "binary_sensor.plug": plug, "binary_sensor.charging": charging };
    return [state, port, "switch.charge"]
      .flatMap((entity) => tilesOf(shown, entity))
      .filter((tile) => isVisible(tile, all))
      .map(({ tap_action }) => tap_action?.perform_action);
  };
  states["switch.charge"] = "on";
  assert.deepEqual(visible("on", "on"), [undefined, "switch.turn_off"]);
  states["switch.charge"] = "off";
  assert.deepEqual(visible("on", "off"), [undefined, "switch.turn_on"]);
  states[state] = "complete";
  assert.deepEqual(visible("on", "off"), [undefined]);
  states[state] = "disconnected";
  assert.deepEqual(visible("off", "off"), ["cover.open_cover"]);
});

test("the buttons of charging have the name of the switch while the texts of commands are not loaded", () => {
  const names = tilesOf(view(createCar(["switch.charge"]), { localize: () => "" }), "switch.charge").map(
    ({ name }) => name,
  );
  assert.deepEqual(names, ["charging", { type: "entity" }, { type: "entity" }]);
});

test("while a command is pending, the tile shows what it brings about", () => {
  const [climate, seat, charge] = ["climate.climate", "select.leftSeat", "switch.charge"];
  const others = ["sensor.chargingState", "binary_sensor.charging", "binary_sensor.plug"];
  const shown = view(createCar([climate, seat, charge, ...others]));
  const contents = (entity, ...targets) => {
    const plugged = { "sensor.chargingState": "stopped", "binary_sensor.plug": "on" };
    const states = { [climate]: "off", [seat]: "off", [charge]: "off", ...plugged };
    for (const each of targets) states[`${each} target`] = "on";
    const tiles = tilesOf(shown, entity).filter((tile) => isVisible(tile, states));
    return tiles.map(({ state_content, hide_state }) => (hide_state ? "nothing" : state_content));
  };
  assert.deepEqual(contents(climate), ["hvac_action", "nothing"]);
  assert.deepEqual(contents(climate, climate), ["target", "nothing"]);
  assert.deepEqual(contents(seat), ["nothing"]);
  assert.deepEqual(contents(seat, seat), ["target"]);
  assert.deepEqual([contents(charge), contents("sensor.chargingState")], [["nothing"], [undefined]]);
  assert.deepEqual([contents(charge, charge), contents("sensor.chargingState", charge)], [["target"], []]);
});

test("without the switch, the tiles of charging only show", () => {
  const entities = ["sensor.energyAdded", "sensor.chargingState", "binary_sensor.plug", "binary_sensor.charging"];
  const tiles = ["sensor.energyAdded", "sensor.chargingState"].flatMap((id) => tilesOf(view(createCar(entities)), id));
  assert.deepEqual(
    tiles.map(({ entity, tap_action }) => [entity, tap_action]),
    [
      ["sensor.energyAdded", undefined],
      ["sensor.chargingState", undefined],
    ],
  );
});

test("open doors and windows and low tires have an orange tile", () => {
  for (const entity of ["driverDoor", "passengerRearWindow", "tirePressureLow"].map(
    (name) => `binary_sensor.${name}`,
  )) {
    const [tile] = tilesOf(view(createCar([entity])), entity);
    assert.equal(tile.color, "orange");
    assert.equal(isVisible(tile, { [entity]: "on" }), true);
    assert.equal(isVisible(tile, { [entity]: "off" }), false);
  }
});

test("windows open and close after a confirmation", () => {
  const entity = "cover.windows";
  const shown = view(createCar([entity]), { states: { [entity]: createState("closed", { supported_features: 3 }) } });
  assert.equal(actionOf(shown, entity, { [entity]: "closed" }), "cover.open_cover");
  assert.equal(actionOf(shown, entity, { [entity]: "open" }), "cover.close_cover");
  assert.ok(tilesOf(shown, entity).every(({ tap_action }) => !tap_action || tap_action.confirmation.text));
});

test("HomeLink and remote start ask first, the horn does not", () => {
  const [homelink, start, horn] = ["button.homelink", "button.remoteStart", "button.honk"];
  const shown = view(createCar([homelink, start, horn]), {
    states: { [homelink]: createState("unknown", { friendly_name: "HomeLink" }) },
  });
  const confirmation = (entity) => tilesOf(shown, entity)[0].tap_action.confirmation;
  assert.deepEqual(confirmation(homelink), { title: "Comet", text: "HomeLink" });
  assert.equal(confirmation(start).title, "Comet");
  assert.equal(confirmation(horn), undefined);
});

test("sentry mode is among the controls if the service can switch it", () => {
  const place = (entity) => headingsOf(view(createCar([entity])))[0];
  assert.equal(place("switch.sentry"), "controls");
  assert.equal(place("binary_sensor.sentry"), "about");
});

test("the charging plan has a picture while it is on", () => {
  const [plan, toggle] = ["sensor.plan", "switch.chargingPlan"];
  const shown = view(createCar([plan, toggle, "time.readyBy"]));
  const card = cardsOf(shown).find(({ type }) => type === "custom:vehicle-remote-access-charging-plan");
  assert.equal(isVisible(card, { [plan]: "unknown", [toggle]: "on" }), true);
  assert.equal(isVisible(card, { [plan]: "unknown", [toggle]: "off" }), false);
  assert.equal(isVisible(card, { [plan]: "unavailable", [toggle]: "on" }), false);
  assert.equal(tilesOf(shown, "time.readyBy")[0].tap_action, undefined);
});

test("controls of the climate are always visible, sensors only while something is on", () => {
  for (const [control, sensor] of [
    ["select.leftSeat", "sensor.leftSeat"],
    ["switch.wheelHeater", "binary_sensor.wheelHeater"],
  ]) {
    const visible = (entity, state) =>
      tilesOf(view(createCar([entity])), entity).some((tile) => isVisible(tile, { [entity]: state }));
    assert.deepEqual([visible(control, "off"), visible(control, "on")], [true, true]);
    assert.deepEqual([visible(sensor, "off"), visible(sensor, "on")], [false, true]);
  }
});

test("the climate has a list of presets if it has any", () => {
  const shown = (attributes) => {
    const car = createCar(["climate.climate", "sensor.keeper"]);
    const shownView = view(car, { states: { "climate.climate": createState("off", attributes) } });
    const features = tilesOf(shownView, "climate.climate").flatMap((tile) => tile.features ?? []);
    return [features.map(({ type }) => type), tilesOf(shownView, "sensor.keeper").length];
  };
  assert.deepEqual(shown({}), [["target-temperature"], 1]);
  assert.deepEqual(shown({ preset_modes: ["off", "dog"] }), [["target-temperature", "climate-preset-modes"], 0]);
});

test("the media player is visible while someone is in the car, or while it plays", () => {
  const [media, present] = ["media_player.media", "binary_sensor.userPresent"];
  const visible = (entities, states) => isVisible(tilesOf(view(createCar(entities)), media)[0], states);
  assert.equal(visible([media, present], { [media]: "paused", [present]: "on" }), true);
  assert.equal(visible([media, present], { [media]: "paused", [present]: "off" }), false);
  assert.equal(visible([media], { [media]: "playing" }), true);
  assert.equal(visible([media], { [media]: "paused" }), false);
});

test("while the car is asleep or offline, a notice says that its data is old", () => {
  const shown = view(createCar(["sensor.state", "number.limit"]));
  const [notice] = shown.sections;
  assert.deepEqual(notice.cards, [{ type: "custom:vehicle-remote-access-notice", device_id: "car" }]);
  for (const [state, isOld] of Object.entries({ asleep: true, offline: true, online: false })) {
    const states = { "sensor.state": state };
    assert.equal(isVisible(notice, states), isOld, state);
  }
});

test("without the entity with the car's state, there is a button that wakes the car", () => {
  const wakesUp = (...entities) => tilesOf(view(createCar(["button.wakeUp", ...entities])), "button.wakeUp").length;
  assert.equal(wakesUp(), 1);
  assert.equal(wakesUp("sensor.state"), 0);
});

test("only administrators have links to the pages of devices", () => {
  const car = createCar(["sensor.odometer"]);
  const links = (user) => {
    const shown = view(car, { ...SIMULATED, user });
    return ["about", "simulation"].map((name) => headingOf(shown, name).tap_action?.navigation_path);
  };
  assert.deepEqual(links({ is_admin: true }), ["/config/devices/device/car", "/config/devices/device/simulation"]);
  assert.deepEqual(links({ is_admin: false }), [undefined, undefined]);
  assert.deepEqual(links(undefined), [undefined, undefined]);
});

test("the pages of the log have badges at the top, and its heading opens the log", () => {
  const shown = view(createCar(["sensor.lastDrive"]));
  assert.deepEqual(
    shown.badges.map(({ name, tap_action }) => [name, tap_action.navigation_path]),
    [
      ["log", "car-log"],
      ["months", "car-months"],
      ["map", "car-map"],
      ["battery", "car-battery"],
    ],
  );
  assert.equal(headingOf(shown, "log").tap_action.navigation_path, "car-log");
});

test("on a phone, charging and climate come before the other controls, which are beside them on wider screens", () => {
  const shown = view(createCar(["button.honk", "number.limit", "sensor.inside", "sensor.odometer"]));
  const order = (columns) => cardsOf(shown, columns).flatMap(({ heading = [] }) => heading);
  assert.deepEqual(order(1), ["charging", "climate", "controls", "about", "log"]);
  for (const columns of [2, 3]) {
    assert.deepEqual(order(columns), ["controls", "charging", "climate", "about", "log"]);
  }
});

test("the temperatures keep their place while they are unknown", () => {
  for (const entity of ["sensor.inside", "sensor.outside"]) {
    assert.equal(isVisible(tilesOf(view(createCar([entity])), entity)[0], {}), true);
  }
});

test("each car in the view of all cars is a link to its page", () => {
  const cars = [createCar(), { ...createCar(), id: "other" }];
  const cards = cardsOf(createOverview(words, cars, { driver_side: "right" }));
  assert.deepEqual(
    cards.map(({ type, device_id, path, driver_side }) => [type, device_id, path, driver_side]),
    ["car", "other"].map((id) => ["custom:vehicle-remote-access-car", id, id, "right"]),
  );
});

test("charts have a heading if there are any", () => {
  assert.ok(!headingsOf(view(createCar())).includes("panel.history"));
  const shown = view(createCar(), { charts: [CHART] });
  assert.deepEqual(shown.sections.at(-1).cards.slice(1), [CHART]);
  assert.deepEqual(headingsOf(shown).slice(-1), ["panel.history"]);
});

test("the controls of a simulation fit to the car's state", () => {
  const [list] = listsOf(createCar(["binary_sensor.driving"]), {
    simulation: "simulation",
    controls: ["button.startDriving", "button.park"],
  });
  const shown = (state) =>
    list
      .filter(({ conditions = [] }) => isVisible({ visibility: conditions }, { "binary_sensor.driving": state }))
      .map(({ entity, row }) => entity ?? row.entity);
  assert.deepEqual(shown("on"), ["button.park"]);
  assert.deepEqual(shown("off"), ["button.startDriving"]);
});

test("only administrators have links to the settings and to all controls of the simulation", () => {
  const rows = (user) => listsOf(createCar(), { ...SIMULATED, user }).flat();
  const links = (user) => new Set(rows(user).flatMap(({ url }) => url ?? []));
  const settings = "/config/integrations/integration/vehicle_remote_access";
  assert.deepEqual(links({ is_admin: true }), new Set([settings, "/config/devices/device/simulation"]));
  assert.deepEqual(links({ is_admin: false }), new Set());
});

test("the map is beside the cards on a wide screen, and below them on others", () => {
  const { sections, max_columns } = view(createCar(["device_tracker.location"]));
  const maps = sections.filter(({ cards }) => cards.some(({ type }) => type === "map"));
  assert.deepEqual(
    maps.map(({ visibility, column_span }) => [visibility.at(-1), column_span]),
    [
      [{ condition: "view_columns", min: max_columns }, undefined],
      [{ condition: "view_columns", max: max_columns - 1 }, max_columns],
    ],
  );
});

test("each page of the log has its tabs, its card, and charts above or below it", () => {
  for (const page of ["log", "months", "battery"]) {
    const [tabs, above, content, below] = createLogPage(createCar(), page, [CHART]).sections;
    assert.deepEqual([tabs.cards[0].page, tabs.cards[0].device_id], [page, "car"]);
    assert.match(content.cards[0].type, page === "log" ? /-log$/ : new RegExp(`-log-${page}$`));
    assert.deepEqual([above.cards, below.cards], [[CHART], [CHART]]);
    assert.ok(above.visibility[0].min > below.visibility[0].max);
    assert.equal(createLogPage(createCar(), page, []).sections.length, 2);
  }
});
