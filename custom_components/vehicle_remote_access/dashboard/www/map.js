/** The page with a map of where a car was in a month or a year. */

import { element } from "./dom.js";
import { Formats } from "./formats.js";
import { createField } from "./forms.js";
import { LogContent } from "./log_element.js";
import { currentDashboard, navigate, pagePath, searchOf, searchQuery } from "./navigation.js";
import { monthsBetween, periods, selectPeriod } from "./periods.js";
import { MAP_STYLES } from "./styles.js";
import { createMap } from "./track_map.js";

/** The color of an unknown route, which stands out from light and dark maps. */
const UNKNOWN = "#808080";

export default class LogMap extends LogContent {
  styles = MAP_STYLES;

  async load(/** @type {SendLogCommand} */ send) {
    const period = searchOf(location.search).period ?? String(new Date().getFullYear());
    const [span, { tracks }] = await Promise.all([send("span"), send("map", { period })]);
    return { span, tracks, period };
  }

  isEmpty(/** @type {MapOfPeriod} */ { span }) {
    return span.first === null;
  }

  async fill(/** @type {HTMLElement} */ root, /** @type {MapOfPeriod} */ value) {
    if (!root.hasChildNodes()) this.#createContent(root);
    const { span, tracks, period } = value;
    const select = root.querySelector("select");
    const months = monthsBetween(span.first ?? period, span.last ?? period);
    select.replaceChildren(...periods(this, months));
    selectPeriod(select, this, period);
    const isIncomplete = tracks.some(({ is_track }) => !is_track);
    const noteOnRoutes = isIncomplete ? this.words("unknown_route") : "";
    root.querySelector("p").textContent = tracks.length ? noteOnRoutes : this.words("no_positions");
    const map = await createMap(this.hass, this.words("map"), linesOf(tracks), this.words("drive"));
    if (map) {
      map.clickable = true;
      map.addEventListener("map-clicked", ({ detail }) => this.#openDay(nearestTime(tracks, detail.location)));
    }
    // Another period may have been selected in the meantime.
    if (this.feed?.value === value) root.querySelector(".map").replaceChildren(...(map ? [map] : []));
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
      navigate(location.pathname + searchQuery({ period: select.value }), { replace: true });
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

/** The day of a time as the log finds it: in the time zone of Home Assistant, not in that of the user. */
export const dayOf = (/** @type {Hass} */ hass, /** @type {number} */ time) =>
  new Formats({ ...hass, locale: { ...hass.locale, time_zone: "server" } }).local(time).day;

/** @type {NearestTime} When the drive with the point nearest to a position began */
export function nearestTime(tracks, [latitude, longitude]) {
  const scale = Math.cos((latitude * Math.PI) / 180);
  const distance = (/** @type {Track["points"][0]} */ [north, east]) =>
    Math.hypot(north - latitude, (east - longitude) * scale);
  let nearest = Infinity;
  let start;
  // A year can have more points than a function can have arguments.
  for (const point of tracks.flatMap((track) => track.points)) {
    if (distance(point) >= nearest) continue;
    nearest = distance(point);
    start = point[2] * 1000;
  }
  return start;
}
