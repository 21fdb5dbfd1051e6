/** The map with tracks of drives: an element of Home Assistant's own frontend. */

const MAP = "ha-map";
const TIMEOUT = 10_000;
/** The share of the map that stays free around what it shows. */
const MARGIN = 0.1;

/** Load the element of the map. A map card needs it, too. */
async function loadMap() {
  if (customElements.get(MAP)) return true;
  const helpers = await window.loadCardHelpers?.();
  helpers?.createCardElement({ type: "map", entities: ["zone.home"] });
  const timeout = new Promise((resolve) => setTimeout(resolve, TIMEOUT));
  await Promise.race([customElements.whenDefined(MAP), timeout]);
  return customElements.get(MAP) !== undefined;
}

/** @type {CreateMap} A map with lines that have a title, or undefined without lines or the element of the map */
export async function createMap(hass, name, lines, title = name) {
  if (!lines.length || !(await loadMap().catch(() => false))) return undefined;
  const map = document.createElement(MAP);
  map.hass = hass;
  // Only an element with a role can have a label.
  map.setAttribute("role", "group");
  map.setAttribute("aria-label", name);
  map.paths = lines.map(({ points, color }) => ({
    ...{ name: title, color, fullDatetime: true },
    points: points.map(({ time, position }) => ({ point: position, timestamp: new Date(time) })),
  }));
  const positions = lines.flatMap(({ points }) => points.map(({ position }) => position));
  // The map remembers what it shows until it is on the page.
  map.updateComplete?.then(() => map.fitBounds?.(positions, { pad: MARGIN }));
  return map;
}
