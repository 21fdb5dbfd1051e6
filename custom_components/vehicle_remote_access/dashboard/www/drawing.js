/**
 * The drawing of a car from above. The dashboard shows it with the front to the left. The simulator's page
 * shows it with the front up, so this file uses nothing of Home Assistant.
 */

/** Mirror a drawing to the other side of the car, whose middle is at y = 120. */
const mirrored = (/** @type {string} */ drawn) => `<g transform="matrix(1 0 0 -1 0 240)">${drawn}</g>`;
const bothSides = (/** @type {string} */ drawn) => drawn + mirrored(drawn);

// The attribute `data-part` names what a part shows. The invisible element with the class `touch` is larger
// than its part, so that a finger hits it.

/** A door in the lower side of the drawing. It turns about its front end. */
const door = (/** @type {string} */ part, /** @type {number} */ x, /** @type {number} */ length) => `
  <g class="part door" data-part="${part}">
    <rect class="touch" x="${x - 2}" y="168" width="${length + 4}" height="72" />
    <rect class="hole" x="${x}" y="187" width="${length}" height="11" rx="3" />
    <rect class="panel" x="${x}" y="187.5" width="${length}" height="11" rx="4" />
  </g>`;

/** A window in the lower side of the drawing. Only an open one is visible. */
const pane = (/** @type {string} */ part, /** @type {number} */ x) => `
  <rect class="pane" role="img" data-part="${part}" x="${x}" y="172.5" width="62" height="9" rx="4.5" />`;

/** A tire in the lower side of the drawing, with a warning about its pressure. */
const tire = (/** @type {string} */ part, /** @type {number} */ x) => `
  <g class="part" data-part="${part}">
    <rect class="touch" x="${x - 3}" y="174" width="60" height="66" />
    <rect class="panel" x="${x}" y="186" width="54" height="19" rx="6" />
  </g>`;

/** A lid with its hinge toward the windows, above the hole that is visible while it is open. */
const lid = (/** @type {string} */ part, /** @type {string} */ touch, /** @type {string} */ shape) => `
  <g class="part lid" data-part="${part}">
    <rect class="touch" ${touch} />
    <path class="hole" d="${shape}" />
    <path class="panel" d="${shape}" />
  </g>`;

const BODY = `M36 120C36 92 40 68 52 56C62 46 84 42 108 41C150 39 190 40 240 40C300 40 350 40 384 43
  C414 46 430 54 436 68C442 84 444 102 444 120C444 138 442 156 436 172C430 186 414 194 384 197
  C350 200 300 200 240 200C190 200 150 201 108 199C84 198 62 194 52 184C40 172 36 148 36 120Z`;
const FRUNK = `M142 66C112 64 80 66 62 74C52 96 52 144 62 166C80 174 112 176 142 174C131 150 131 90 142 66Z`;
const TRUNK = `M397 68C412 70 423 75 428 82C434 100 434 140 428 158C423 165 412 170 397 172
  C408 146 408 94 397 68Z`;
/** All windows and the glass roof. The battery level shows through them, from the rear to the front. */
const GLASS = `M150 62C168 57 210 54 250 54C300 54 350 57 386 64C398 90 398 150 386 176
  C350 183 300 186 250 186C210 186 168 183 150 178C138 152 138 88 150 62Z`;
const PILLARS = `M204 74C198 100 198 140 204 166M334 72C340 98 340 142 334 168`;
const ROOF_RAIL = `M152 64C172 70 190 73 204 74C246 77 300 76 334 72C352 70 372 67 384 65`;
const MIRROR = `M164 43C165 35 172 30 182 30C187 30 188 34 186 37L179 43Z`;
const HEADLIGHT = `M46 80C49 66 57 58 70 54L88 52C74 60 62 68 52 82Z`;
const TAIL_LIGHT = `M430 72C434 80 437 92 438 104L443 104C442 90 440 78 436 68Z`;
const BEAM = `M46 78L-24 30Q-36 62 -32 100L40 96Z`;
const CABLE = `M399 192C399 222 420 226 440 226`;
const FRONT_OF_GLASS = 143;
const LENGTH_OF_GLASS = 253;

/** The elements of the drawing. */
const CAR = `
  <defs>
    <clipPath id="windows"><path d="${GLASS}" /></clipPath>
    <linearGradient id="shine" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="black" stop-opacity="0.18" />
      <stop offset="0.1" stop-color="white" stop-opacity="0.18" />
      <stop offset="0.3" stop-color="white" stop-opacity="0.04" />
      <stop offset="0.7" stop-color="white" stop-opacity="0.02" />
      <stop offset="0.9" stop-color="white" stop-opacity="0.1" />
      <stop offset="1" stop-color="black" stop-opacity="0.2" />
    </linearGradient>
    <linearGradient id="reflection" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="white" stop-opacity="0.16" />
      <stop offset="0.35" stop-color="white" stop-opacity="0" />
      <stop offset="1" stop-color="white" stop-opacity="0.07" />
    </linearGradient>
    <linearGradient id="beam" x1="1" y1="0" x2="0" y2="0">
      <stop offset="0" stop-color="#ffd76a" stop-opacity="0.9" />
      <stop offset="1" stop-color="#ffd76a" stop-opacity="0" />
    </linearGradient>
  </defs>
  <g class="road"><path d="M24 12H468" /><path d="M24 228H468" /></g>
  <g class="horn">
    <path d="M16 100A28 28 0 0 0 16 140" /><path d="M2 88A46 46 0 0 0 2 152" />
    <path d="M-12 76A64 64 0 0 0 -12 164" />
  </g>
  <g class="beams">${bothSides(`<path d="${BEAM}" />`)}</g>
  <g class="vehicle">
    <g class="shell">
      <g class="wheels">
        ${bothSides(`<rect x="88" y="35" width="54" height="16" rx="6" />
          <rect x="334" y="35" width="54" height="16" rx="6" />`)}
      </g>
      <g class="mirrors">${bothSides(`<path d="${MIRROR}" />`)}</g>
      <path class="edge" d="${BODY}" />
      <path class="body" d="${BODY}" />
      <path class="shine" d="${BODY}" />
      ${bothSides(`<path class="headlight" d="${HEADLIGHT}" /><path class="tail-light" d="${TAIL_LIGHT}" />`)}
      <path class="glass" d="${GLASS}" />
      <g clip-path="url(#windows)">
        <g class="battery-level">
          <rect class="charge" x="${FRONT_OF_GLASS}" y="50" width="${LENGTH_OF_GLASS}" height="140" />
          <rect class="surface" x="${FRONT_OF_GLASS}" y="50" width="2.5" height="140" />
        </g>
        <path class="charge-limit" d="M${FRONT_OF_GLASS} 50V190" />
      </g>
      <g class="seats">
        <rect x="222" y="88" width="34" height="30" rx="9" />
        <rect x="222" y="122" width="34" height="30" rx="9" />
        <rect x="306" y="86" width="25" height="68" rx="9" />
      </g>
      <g class="driver side">
        <g class="person">
          <ellipse class="steering" cx="214" cy="137" rx="3" ry="10" />
          <path d="M253 121Q235 121 235 137T253 153Q260 137 253 121Z" /><circle cx="240" cy="137" r="8.5" />
        </g>
      </g>
      <g class="air">
        <path d="M209 88q5-5 10 0t10 0" /><path d="M209 120q5-5 10 0t10 0" />
        <path d="M209 152q5-5 10 0t10 0" />
      </g>
      <path class="reflection" d="${GLASS}" />
      <path class="pillars" d="${PILLARS}" />
      ${bothSides(`<path class="roof-rail" d="${ROOF_RAIL}" />`)}
    </g>
    ${lid("frunk", 'x="56" y="66" width="78" height="108"', FRUNK)}
    ${lid("trunk", 'x="386" y="76" width="72" height="88"', TRUNK)}
    <g class="part roof-window" data-part="sunRoof">
      <rect class="touch" x="188" y="84" width="72" height="72" />
      <rect class="hole" x="212" y="90" width="46" height="60" rx="7" />
      <rect class="panel" x="212" y="90" width="46" height="60" rx="7" />
    </g>
    <g class="driver side">
      ${door("driverDoor", 182, 76)}${door("driverRearDoor", 262, 70)}
      ${pane("driverWindow", 192)}${pane("driverRearWindow", 266)}
    </g>
    <g class="passenger side">
      ${door("passengerDoor", 182, 76)}${door("passengerRearDoor", 262, 70)}
      ${pane("passengerWindow", 192)}${pane("passengerRearWindow", 266)}
    </g>
    <g class="part watch" data-part="sentry">
      <circle class="touch" cx="174" cy="120" r="14" />
      <circle class="panel" cx="174" cy="120" r="6" />
    </g>
  </g>
  <g class="part port" data-part="chargePort">
    <rect class="touch" x="370" y="168" width="96" height="84" />
    <g class="charger">
      <path class="wire" d="${CABLE}" /><path class="current" d="${CABLE}" />
      <g class="upright">
        <rect class="post" x="438" y="206" width="24" height="40" rx="6" />
        <path class="bolt" d="M452 214L444 229H449L447 239L456 224H450Z" />
      </g>
    </g>
    <rect class="hole" x="389" y="183" width="20" height="10" rx="4" />
    <rect class="panel" x="389" y="183" width="20" height="10" rx="4" />
    <circle class="connector" cx="399" cy="189" r="7" />
  </g>
  <g class="part padlock upright" data-part="lock">
    <circle class="touch" cx="284" cy="118" r="36" />
    <path class="shackle" d="M275 117V108A9 9 0 0 1 293 108V117" />
    <rect class="panel" x="269" y="115" width="30" height="23" rx="5" />
    <text x="284" y="133">?</text>
  </g>
  ${tire("front_left", 88)}${tire("rear_left", 334)}
  ${mirrored(tire("front_right", 88) + tire("rear_right", 334))}
  <g class="upright"><g class="sleep" aria-hidden="true">
    <text class="small" x="346" y="26">z</text><text class="medium" x="363" y="13">z</text>
    <text x="386" y="0">z</text>
  </g></g>`;

/** Return the drawing with its front to the left, or up. */
export function drawing(isUpright = false) {
  const [look, size, content] = isUpright
    ? ["is-upright", "-256 4 272 464", `<g transform="rotate(90)">${CAR}</g>`]
    : ["", "24 -14 444 268", CAR];
  return `<svg xmlns="http://www.w3.org/2000/svg" class="drawing ${look}" viewBox="${size}">${content}</svg>`;
}

// Paint

const DARK_LINE = "#33393d";
const LIGHT_LINE = "#f0f3f5";

/** The colors that names of exterior colors stand for, and those of the lines on them. The first match counts. */
const PAINTS = /** @type {[RegExp, string, string][]} */ ([
  [/white|pearl/i, "#f3f4f3", DARK_LINE],
  [/black|obsidian/i, "#202326", LIGHT_LINE],
  [/midnight.?silver|gr[ae]y|steel|graphite|anthracite/i, "#464c52", LIGHT_LINE],
  [/quick.?silver|silver|titanium|alumin/i, "#aeb4b8", DARK_LINE],
  [/cherry|burgundy|maroon/i, "#6b1524", LIGHT_LINE],
  [/red/i, "#a3151f", LIGHT_LINE],
  [/blue/i, "#1d3d73", LIGHT_LINE],
  [/green/i, "#24503a", LIGHT_LINE],
  [/brown|bronze|copper/i, "#5c4536", LIGHT_LINE],
  [/beige|gold|champagne/i, "#c9b58b", DARK_LINE],
  [/orange/i, "#c9601d", LIGHT_LINE],
  [/yellow/i, "#d9b526", DARK_LINE],
]);

/** Paint the car in the color of this name. If it is unknown, the color fits the page. */
function paint(/** @type {SVGElement} */ svg, /** @type {string=} */ name) {
  const [, color = "", line = ""] = PAINTS.find(([pattern]) => pattern.test(name ?? "")) ?? [];
  svg.style.setProperty("--car-paint", color);
  svg.style.setProperty("--car-line", line);
}

// States

/** Move an element from the front of the windows to a battery level. Without a level, hide it. */
function moveTo(/** @type {SVGElement} */ element, /** @type {number=} */ percent) {
  element.classList.toggle("is-hidden", percent === undefined);
  element.style.transform = `translateX(${LENGTH_OF_GLASS * (1 - (percent ?? 0) / 100)}px)`;
}

/**
 * Draw a car's state.
 *
 * `parts`: for each name in `data-part`, "open", "closed" or "unknown". A part without a state is hidden.
 * `marks`: whether the car is asleep, offline, driving, plugged, charging, occupied, heating, cooling,
 * left-unlocked (the open lock is a warning), right-hand (the driver sits on the right).
 * `color`: the name of the exterior color. `level` and `limit`: percent of the battery. All are optional.
 */
export function drawCar(/** @type {SVGElement} */ svg, /** @type {DrawnCar} */ { parts, marks, color, level, limit }) {
  for (const [name, isSet] of Object.entries(marks)) svg.classList.toggle(`is-${name}`, Boolean(isSet));
  for (const part of svg.querySelectorAll("[data-part]")) {
    const state = parts[part.dataset.part];
    part.classList.toggle("is-hidden", !state);
    for (const each of ["open", "closed", "unknown"]) part.classList.toggle(each, each === state);
  }
  paint(svg, color);
  moveTo(svg.querySelector(".battery-level"), level);
  moveTo(svg.querySelector(".charge-limit"), limit);
}

/**
 * The styles of the drawing.
 *
 * The page defines two colors: --paper is behind the drawing, and --ink is the color of text. The colors that are
 * drawn on --paper contain enough of --ink for a contrast of at least 3:1, on light and on dark pages.
 */
export const DRAWING_STYLES = `
  .drawing {
    --edge: color-mix(in srgb, var(--ink) 62%, var(--paper));
    --paint: var(--car-paint, color-mix(in srgb, var(--ink) 13%, var(--paper)));
    --line: var(--car-line, color-mix(in srgb, var(--ink) 75%, var(--paper)));
    --alert: color-mix(in srgb, #ff9100 62%, var(--ink));
    --good: color-mix(in srgb, #1fa15a 76%, var(--ink));
    --glass: #262d33;
    --charge: #1d6b49;
    --surface: #4fd39a;
    --locked: #a5efc0;
    --unlocked: #ffbe5c;
    display: block;
    overflow: visible;
  }
  .is-hidden { display: none; }
  .upright { transform-box: fill-box; transform-origin: center; }
  .is-upright .upright { transform: rotate(-90deg); }

  .vehicle { filter: drop-shadow(0 5px 7px rgb(0 0 0 / 0.25)); }
  .shell { transition: filter 0.6s; }
  .body, .mirrors { fill: var(--paint); transition: fill 0.6s; }
  .shine { fill: url("#shine"); pointer-events: none; }
  .edge, .mirrors { stroke: var(--edge); stroke-width: 1.5; }
  /* The body covers the inner half, so that the paint needs no contrast with the outline. */
  .edge { stroke-width: 3; }
  .edge, .pillars, .roof-rail { fill: none; }
  .wheels { fill: #23272a; stroke: var(--edge); stroke-width: 0.75; }
  .headlight { fill: #fff6d6; stroke: var(--edge); stroke-width: 0.75; }
  .tail-light { fill: #d0312d; }
  .pillars { stroke: var(--paint); stroke-width: 4; }
  .roof-rail { stroke: var(--paint); stroke-width: 6; }
  .glass { fill: var(--glass); }
  .reflection { fill: url("#reflection"); pointer-events: none; }
  .battery-level, .charge-limit { transition: transform 0.8s; }
  .charge { fill: var(--charge); }
  .surface { fill: var(--surface); }
  .charge-limit { fill: none; stroke: #d6dde2; stroke-width: 2; stroke-dasharray: 3 5; opacity: 0.8; }
  .is-charging .charge { animation: breathe 1.6s ease-in-out infinite alternate; }
  @keyframes breathe { to { opacity: 0.6; } }

  .seats { fill: #b9c4cc; fill-opacity: 0.32; }
  .person { opacity: 0; transition: opacity 0.4s; fill: #f4f7f6; stroke: #1c2226; stroke-width: 1.5; }
  .is-occupied .person { opacity: 1; }
  .person .steering { fill: none; stroke: #d4dbdf; stroke-width: 2.5; }
  .air { fill: none; stroke: none; stroke-width: 3; stroke-linecap: round; }
  .is-heating .air { stroke: #ff9d75; }
  .is-cooling .air { stroke: #86c6ff; }
  :is(.is-heating, .is-cooling) .air { animation: drift 1.6s ease-in-out infinite alternate; }
  @keyframes drift { to { transform: translateX(8px); } }

  .part { outline: none; }
  .touch { fill: transparent; stroke: none; }
  .panel { fill: transparent; stroke: var(--line); stroke-width: 1.5; transition: transform 0.6s, fill 0.6s; }
  .hole { fill: transparent; transition: fill 0.6s; }
  .unknown > .panel { stroke-dasharray: 4 4; }
  .open > .hole { fill: #14181b; }
  .open > .panel { fill: var(--alert); stroke: var(--paper); }
  [data-part="frunk"] > .panel { transform-origin: 140px 120px; }
  [data-part="trunk"] > .panel { transform-origin: 400px 120px; }
  .lid.open > .panel { transform: scaleX(0.42); }
  .door > .panel { transform-origin: 182px 198px; }
  [data-part$="RearDoor"] > .panel { transform-origin: 262px 198px; }
  .door.open > .panel { transform: rotate(38deg); }
  /* The driver's side is at the bottom of the drawing, or at the top if the driver sits on the right. */
  .side.passenger, .is-right-hand .side.driver { transform: matrix(1, 0, 0, -1, 0, 240); }
  .is-right-hand .side.passenger { transform: none; }
  .roof-window > .panel { fill: rgb(255 255 255 / 0.08); stroke: #98a2a9; transform-origin: 258px 120px; }
  .roof-window.open > .panel { transform: scaleX(0.4); }
  .pane { fill: none; pointer-events: none; }
  .pane.open { fill: var(--unlocked); }
  .watch > .panel { fill: #4a545b; stroke: #98a2a9; }
  .watch.open > .panel { fill: #ff5a52; stroke: #ffd4d1; }

  .port.open > .panel { transform: translateY(17px); }

  .charger { opacity: 0; transition: opacity 0.6s; }
  .is-plugged .charger { opacity: 1; }
  .wire, .current { fill: none; stroke-width: 5; }
  .wire { stroke: var(--edge); }
  .current { stroke: var(--good); stroke-dasharray: 10 7; opacity: 0; }
  .is-charging .current { opacity: 1; animation: flow 0.9s linear infinite; }
  @keyframes flow { to { stroke-dashoffset: 17; } }
  .connector { display: none; fill: var(--edge); stroke: var(--paper); stroke-width: 2; }
  .is-plugged .connector { display: inline; }
  .is-plugged .port > :is(.panel, .hole) { display: none; }
  .post { fill: var(--paper); stroke: var(--edge); stroke-width: 1.5; }
  .bolt { fill: var(--edge); }
  .is-charging :is(.connector, .bolt) { fill: var(--good); }

  .shackle {
    fill: none;
    stroke: var(--locked);
    stroke-width: 4.5;
    transform-origin: 293px 117px;
    transition: transform 0.6s;
  }
  .padlock > .panel { fill: var(--locked); stroke: none; }
  .padlock text { display: none; fill: var(--glass); font: 700 17px sans-serif; text-anchor: middle; }
  :is(.padlock.open, .padlock.unknown) > .panel { fill: #d6dde2; }
  :is(.padlock.open, .padlock.unknown) > .shackle { stroke: #d6dde2; }
  .padlock.open > .shackle { transform: rotate(32deg); }
  .is-left-unlocked .padlock.open > .panel { fill: var(--unlocked); }
  .is-left-unlocked .padlock.open > .shackle { stroke: var(--unlocked); }
  .padlock.unknown text { display: block; }

  .road { stroke: var(--edge); stroke-width: 4; stroke-dasharray: 34 30; opacity: 0; }
  .is-driving .road { opacity: 0.6; animation: road 0.7s linear infinite; }
  @keyframes road { to { stroke-dashoffset: -64; } }

  .sleep { opacity: 0; }
  .sleep text { fill: color-mix(in srgb, var(--ink) 75%, var(--paper)); font: italic 600 32px sans-serif; }
  .sleep text.small { font-size: 20px; }
  .sleep text.medium { font-size: 26px; }
  .is-asleep .sleep { opacity: 1; }
  :is(.is-asleep, .is-offline) .shell { filter: saturate(0.3); }
  .is-offline .edge { stroke-dasharray: 8 6; }

  .beams { fill: url("#beam"); opacity: 0; }
  .horn { fill: none; stroke: var(--good); stroke-width: 5; stroke-linecap: round; opacity: 0; }
  .is-flashing .beams { animation: signal 0.8s 2; }
  .is-flashing .headlight { fill: #ffd76a; }
  .is-flashing .tail-light { fill: #ff3b30; }
  .is-honking .horn { animation: signal 0.6s 3; }
  @keyframes signal { 30%, 60% { opacity: 1; } }

  @media (prefers-reduced-motion: reduce) {
    .drawing * { animation: none !important; transition: none !important; }
    .is-honking .horn, .is-flashing .beams { opacity: 1; }
  }`;
