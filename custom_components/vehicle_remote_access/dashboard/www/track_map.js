/** The map with tracks of drives: an element of Home Assistant's own frontend. */

const MAP = "ha-map";
const PATIENCE = 10_000;
/** The dashes of a line. The last one ends at its end. */
const DASHES = 8;
const LAST = 2 * DASHES - 1;

/** Load the element of the map. A map card needs it, too. */
async function loadMap() {
  if (customElements.get(MAP)) return true;
  const helpers = await window.loadCardHelpers?.();
  helpers?.createCardElement({ type: "map", entities: ["zone.home"] });
  const timeout = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([customElements.whenDefined(MAP), timeout]);
  return customElements.get(MAP) !== undefined;
}

/** Return the dashes of a straight line between two positions. A single position is a dot. */
export function dashes(/** @type {MapPosition[]} */ points) {
  const [[north, east], [toNorth, toEast]] = [points[0], points[points.length - 1]];
  const at = (/** @type {number} */ share) =>
    /** @type {MapPosition} */ ([north + share * (toNorth - north), east + share * (toEast - east)]);
  return Array.from({ length: DASHES }, (_, index) => [at((2 * index) / LAST), at((2 * index + 1) / LAST)]);
}

/** @type {CreateMap} Return a map with lines, or undefined if there is none */
export async function createMap(hass, name, lines) {
  if (!lines.length || !(await loadMap().catch(() => false))) return undefined;
  const map = document.createElement(MAP);
  map.hass = hass;
  map.setAttribute("aria-label", name);
  map.paths = lines.map((points) => ({
    name,
    points: points.map(({ time, position }) => ({ point: position, timestamp: new Date(time) })),
  }));
  // The map remembers what it shows until it is on the page.
  map.updateComplete?.then(() => map.fitBounds?.(lines.flat().map(({ position }) => position)));
  return map;
}
