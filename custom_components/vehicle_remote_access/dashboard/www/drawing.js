/** A car from above, its front to the left. The attribute `data-part` names the entity that a part shows. */

/** Mirror a drawing to the other side of the car, whose middle is at y = 120. */
const bothSides = (drawn) => `${drawn}<g transform="matrix(1 0 0 -1 0 240)">${drawn}</g>`;

/** A door in the lower side of the drawing. It turns about its front end. */
const door = (part, x, length) => `
  <g class="part door" data-part="${part}" style="transform-origin: ${x}px 195px">
    <rect class="touch" x="${x}" y="180" width="${length}" height="34" />
    <rect class="panel" x="${x}" y="191" width="${length}" height="8" rx="4" />
  </g>`;

/** A lid with its hinge at x, above the hole that is visible while it is open. */
const lid = (part, x, shape) => `
  <g class="part lid" data-part="${part}">
    <path class="hole" d="${shape}" />
    <path class="panel" style="transform-origin: ${x}px 120px" d="${shape}" />
  </g>`;

const BODY = `M36 120C36 92 40 68 52 56C62 46 84 42 108 41C150 39 190 40 240 40C300 40 350 40 384 43
  C414 46 430 54 436 68C442 84 444 102 444 120C444 138 442 156 436 172C430 186 414 194 384 197
  C350 200 300 200 240 200C190 200 150 201 108 199C84 198 62 194 52 184C40 172 36 148 36 120Z`;
const FRUNK = `M142 66C112 64 80 66 62 74C52 96 52 144 62 166C80 174 112 176 142 174C131 150 131 90 142 66Z`;
const TRUNK = `M397 68C412 70 423 75 428 82C434 100 434 140 428 158C423 165 412 170 397 172
  C408 146 408 94 397 68Z`;
const WINDSHIELD = `M150 62C138 88 138 152 150 178C168 172 186 166 204 164C197 140 197 100 204 76
  C186 74 168 68 150 62Z`;
const REAR_WINDOW = `M334 76C340 100 340 140 334 164C352 167 370 172 386 176C398 150 398 90 386 64
  C370 68 352 73 334 76Z`;
const SIDE_WINDOW = `M162 58C182 65 202 69 222 69L256 68L256 55C222 53 190 53 162 58ZM264 55L264 68
  C290 68 314 69 334 70C350 68 364 64 375 60C340 56 300 55 264 55Z`;
const MIRROR = `M164 43C165 35 172 30 182 30C187 30 188 34 186 37L179 43Z`;
const HEADLIGHT = `M46 80C49 66 57 58 70 54L88 52C74 60 62 68 52 82Z`;
const TAIL_LIGHT = `M430 72C434 80 437 92 438 104L443 104C442 90 440 78 436 68Z`;

export const DRAWING = `
  <svg viewBox="24 -12 444 264" role="group">
    <defs>
      <linearGradient id="shine" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="white" stop-opacity="0.05" />
        <stop offset="0.28" stop-color="white" stop-opacity="0.35" />
        <stop offset="0.6" stop-color="white" stop-opacity="0" />
        <stop offset="1" stop-color="black" stop-opacity="0.16" />
      </linearGradient>
    </defs>
    <g class="car">
      <g class="wheels">
        ${bothSides(`<rect x="88" y="35" width="54" height="16" rx="6" />
          <rect x="334" y="35" width="54" height="16" rx="6" />`)}
      </g>
      <g class="mirrors">${bothSides(`<path d="${MIRROR}" />`)}</g>
      <path class="body" d="${BODY}" />
      <path class="shine" d="${BODY}" />
      ${bothSides(`<path class="headlight" d="${HEADLIGHT}" /><path class="tail-light" d="${TAIL_LIGHT}" />`)}
      ${lid("frunk", 140, FRUNK)}
      ${lid("trunk", 400, TRUNK)}
      <path class="glass" d="${WINDSHIELD}" />
      <path class="glass" d="${REAR_WINDOW}" />
      ${bothSides(`<path class="glass" d="${SIDE_WINDOW}" />`)}
      <path class="roof" d="M206 78C199 101 199 139 206 162C250 166 300 166 332 162C338 139 338 101 332 78
        C300 74 250 74 206 78Z" />
      <g class="part roof-window" data-part="sunRoof">
        <rect class="hole" x="214" y="92" width="40" height="56" rx="7" />
        <rect class="panel" x="214" y="92" width="40" height="56" rx="7" />
      </g>
      <g class="doors">
        <g class="driver side">${door("driverDoor", 182, 76)}${door("driverRearDoor", 262, 70)}</g>
        <g class="passenger side">${door("passengerDoor", 182, 76)}${door("passengerRearDoor", 262, 70)}</g>
      </g>
      <g class="part port" data-part="chargePort">
        <rect class="touch" x="382" y="172" width="34" height="34" />
        <rect class="panel" x="390" y="184" width="18" height="9" rx="4" />
      </g>
    </g>
    <g class="part cable" data-part="plug">
      <path class="touch" d="M399 192C399 222 424 232 468 232" />
      <path class="wire" d="M399 192C399 222 424 232 468 232" />
      <path class="current" d="M399 192C399 222 424 232 468 232" />
      <circle class="end" cx="399" cy="190" r="7" />
    </g>
    <g class="part padlock" data-part="lock">
      <circle class="touch" cx="288" cy="120" r="26" />
      <path class="shackle" d="M280 118V110A8 8 0 0 1 296 110V118" />
      <rect class="panel" x="275" y="116" width="26" height="20" rx="4" />
      <text x="288" y="131">?</text>
    </g>
  </svg>`;
