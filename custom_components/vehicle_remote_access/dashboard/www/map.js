/** The page with a map of where a car was in a month, in a year, or in all time. */

import { element } from "./dom.js";
import { Formats } from "./formats.js";
import { createAction, createField, option } from "./forms.js";
import { LogContent } from "./log_element.js";
import { currentDashboard, navigate, pagePath, searchOf, searchQuery } from "./navigation.js";
import { monthsBetween, periods, selectPeriod } from "./periods.js";
import { MAP_STYLES } from "./styles.js";
import { createMap } from "./track_map.js";

/** The color of an unknown route, which stands out from light and dark maps. */
const UNKNOWN = "#808080";
const PLACE_ZOOM = 16;
/** The query for all time. Without one, the map has this year, which loads faster. */
const ALL_TIME = "?period=all";

export default class LogMap extends LogContent {
  styles = MAP_STYLES;

  async load(/** @type {SendLogCommand} */ send) {
    const usual = location.search === ALL_TIME ? "" : String(new Date().getFullYear());
    const period = searchOf(location.search).period ?? usual;
    const [span, found] = await Promise.all([send("span"), send("map", period ? { period } : {})]);
    return { span, ...found, period };
  }

  isEmpty(/** @type {MapOfPeriod} */ { span }) {
    return span.first === null;
  }

  async fill(/** @type {HTMLElement} */ root, /** @type {MapOfPeriod} */ value) {
    if (!root.hasChildNodes()) this.#createContent(root);
    const { span, tracks, places, period } = value;
    const select = root.querySelector("select");
    const months = monthsBetween(span.first ?? period, span.last ?? period);
    select.replaceChildren(option("", this.words("all_time")), ...periods(this, months));
    selectPeriod(select, this, period);
    const isIncomplete = tracks.some(({ is_track }) => !is_track);
    const noteOnRoutes = isIncomplete ? this.words("unknown_route") : "";
    root.querySelector("[role=status]").textContent = tracks.length ? noteOnRoutes : this.words("no_positions");
    // A line with one point is a dot.
    const dots = places.map(({ position, start }) => ({ points: [{ time: start * 1000, position }] }));
    const map = await createMap(this.hass, this.words("map"), [...linesOf(tracks), ...dots], this.words("drive"));
    if (map) {
      hideDots(map);
      map.clickable = true;
      map.entities = [this.car.entities.location].filter(Boolean);
      map.addEventListener("map-clicked", ({ detail }) => this.#openDay(nearestTime(tracks, detail.location)));
    }
    // Another period may have been selected in the meantime.
    if (this.feed?.value !== value) return;
    root.querySelector(".map").replaceChildren(...(map ? [map, ...this.#mostVisited(map, places)] : []));
  }

  /** The places most visited, with the number of stays. Selecting one shows it on the map. */
  #mostVisited(/** @type {HaMap} */ map, /** @type {VisitedPlace[]} */ places) {
    if (!places.length) return [];
    const buttons = places.map(({ place, position, stays }) => {
      const name = place ?? position.map((degrees) => degrees.toFixed(4)).join(", ");
      return createAction(`${name} · ${this.formats.number(stays)}×`, () => {
        map.fitBounds?.([position], { zoom: PLACE_ZOOM });
        map.scrollIntoView({ block: "nearest" });
      });
    });
    return [element("h2", {}, this.words("most_visited")), element("div", { class: "places" }, ...buttons)];
  }

  /** Open the log of the day on which a drive began. */
  #openDay(/** @type {number | undefined} */ time) {
    if (time === undefined) return;
    const search = { period: dayOf(this.hass, time) };
    navigate(`/${currentDashboard()}/${pagePath(this.car, "log", search)}`, {});
  }

  #createContent(/** @type {HTMLElement} */ root) {
    const select = element("select", {});
    select.addEventListener("change", () => {
      navigate(location.pathname + (searchQuery({ period: select.value }) || ALL_TIME), { replace: true });
      this.feed.refresh();
    });
    root.append(
      createField(this.words("period"), select),
      element("p", { role: "status", class: "secondary" }),
      element("div", { class: "map" }),
    );
  }
}

/** The lines of the map. A drive whose route is unknown is a straight, gray line. */
const linesOf = (/** @type {Track[]} */ tracks) =>
  tracks.map(({ is_track, points }) => ({
    color: is_track ? undefined : UNKNOWN,
    points: points.map(([latitude, longitude, start]) => ({
      time: start * 1000,
      position: /** @type {MapPosition} */ ([latitude, longitude]),
    })),
  }));

/** Draw lines without the dots of their points. The element has no option for it. With another engine, they stay. */
export function hideDots(/** @type {HaMap} */ map) {
  /** @type {MapEngine | undefined} */
  let engine;
  const set = (/** @type {MapEngine | undefined} */ created) => {
    engine = created;
    const add = created?.addPath?.bind(created);
    if (created && add)
      created.addPath = (path) => add({ ...path, markers: path.segments?.length ? [] : path.markers });
  };
  Object.defineProperty(map, "_engine", { get: () => engine, set });
}

/** The day of a time as the log finds it: in the time zone of Home Assistant, not in that of the user. */
export const dayOf = (/** @type {Hass} */ hass, /** @type {number} */ time) =>
  new Formats({ ...hass, locale: { ...hass.locale, time_zone: "server" } }).local(time).day;

/** @type {NearestTime} When the drive with the line nearest to a position began */
export function nearestTime(tracks, [latitude, longitude]) {
  const scale = Math.cos((latitude * Math.PI) / 180);
  let nearest = Infinity;
  let start;
  for (const { points } of tracks) {
    points.forEach(([north, east, time], index) => {
      const [nextNorth, nextEast, nextTime] = points[index + 1] ?? points[index];
      const [x, y] = [(longitude - east) * scale, latitude - north];
      const [dx, dy] = [(nextEast - east) * scale, nextNorth - north];
      const share = Math.min(1, Math.max(0, (x * dx + y * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(x - share * dx, y - share * dy);
      if (distance >= nearest) return;
      nearest = distance;
      start = (share < 0.5 ? time : nextTime) * 1000;
    });
  }
  return start;
}
