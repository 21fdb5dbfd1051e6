/** The styles of the cards. They use the theme's colors, so that the cards fit light and dark themes. */

const COMMON = `
  :host {
    --paper: var(--ha-card-background, var(--card-background-color, white));
    --ink: var(--primary-text-color);
    --link: color-mix(in srgb, var(--primary-color) 65%, var(--ink));
    display: block;
  }
  button {
    all: unset;
    cursor: pointer;
    border-radius: var(--ha-border-radius-md, 8px);
    -webkit-tap-highlight-color: transparent;
  }
  button:focus-visible, .part:focus-visible { outline: 2px solid var(--primary-color); outline-offset: 2px; }
  .action, .chip, .choice button, nav a {
    display: flex;
    align-items: center;
    min-height: 44px;
    border-radius: var(--ha-border-radius-pill, 22px);
    color: var(--ink);
  }
  .action, .chip:is(:has(:checked), [aria-pressed="true"], [aria-expanded="true"]),
  .choice button[aria-pressed="true"], nav a[aria-current] {
    border-color: transparent;
    background: color-mix(in srgb, var(--primary-color) 24%, var(--paper));
    font-weight: var(--ha-font-weight-medium, 500);
  }
  .action { flex: none; padding-inline: 18px; }
  .warning {
    color: color-mix(in srgb, var(--warning-color, #ffa600) 50%, var(--ink));
    font-weight: var(--ha-font-weight-medium, 500);
  }
  .action:disabled { opacity: 0.5; cursor: default; }
  .bar, .strip {
    position: relative;
    height: 10px;
    overflow: hidden;
    border-radius: 5px;
    background: color-mix(in srgb, var(--ink) 12%, var(--paper));
  }
  [hidden] { display: none !important; }`;

/** The styles of the card with the picture. */
export const PICTURE_STYLES = `
  ${COMMON}
  ha-card { display: flex; flex-direction: column; gap: 12px; height: 100%; box-sizing: border-box; padding: 16px; }
  h2 {
    margin: 0;
    overflow: hidden;
    color: var(--secondary-text-color);
    font-size: var(--ha-font-size-m, 14px);
    font-weight: var(--ha-font-weight-medium, 500);
    line-height: 1.4;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .headline {
    display: block;
    font-size: var(--ha-font-size-2xl, 24px);
    font-weight: var(--ha-font-weight-medium, 500);
    line-height: 1.25;
  }
  .warning { line-height: 1.4; }
  .line { min-height: 1.4em; color: var(--secondary-text-color); line-height: 1.4; }
  .failure { color: color-mix(in srgb, var(--error-color, #db4437) 70%, var(--ink)); }
  .warning:empty { display: none; }
  .message { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
  .message span { flex: 1 1 14em; line-height: 1.45; }

  svg { width: 100%; max-height: 300px; }
  .part[role="button"] { cursor: pointer; }

  .numbers { display: flex; align-items: baseline; gap: 4px 16px; }
  .numbers button { font-size: var(--ha-font-size-xl, 20px); white-space: nowrap; }
  .numbers .battery { font-size: var(--ha-font-size-3xl, 28px); font-weight: var(--ha-font-weight-medium, 500); }
  .numbers .range { margin-inline-start: auto; }
  .bar .level {
    height: 100%;
    border-radius: 5px;
    background: color-mix(in srgb, var(--level) 70%, var(--ink));
    transition: width 0.6s;
  }
  .bar .limit {
    position: absolute;
    top: 0;
    bottom: 0;
    width: 2px;
    margin-inline-start: -1px;
    background: var(--ink);
  }
  .empty > :not(.header) { display: none; }

  .link { position: relative; }
  .link svg { max-height: 140px; }
  .link button { position: relative; z-index: 1; }
  h2 a { color: inherit; text-decoration: none; }
  h2 a::after { content: ""; position: absolute; inset: 0; border-radius: inherit; }
  h2 a:focus-visible { outline: none; }
  h2 a:focus-visible::after { outline: 2px solid var(--primary-color); outline-offset: -2px; }`;

/** The styles of maps. Each page has its own height of them. */
const MAP = `ha-map { display: block; overflow: hidden; border-radius: var(--ha-border-radius-md, 8px); }`;

/** The styles of line charts and the map of a track. */
const CHART_STYLES = `
  .curves { display: grid; gap: 16px; }
  ${MAP}
  ha-map { height: 260px; }
  .charts { position: relative; display: grid; gap: 12px; }
  .charts input[type="range"] { position: absolute; width: 1px; min-height: 0; height: 1px; padding: 0; opacity: 0; }
  .charts:has(input:focus-visible) { outline: 2px solid var(--primary-color); outline-offset: 4px; border-radius: 4px; }
  .heading { display: flex; flex-wrap: wrap; gap: 2px 12px; justify-content: space-between; }
  .heading .name { color: var(--secondary-text-color); }
  .plot {
    --line: color-mix(in srgb, var(--primary-color) 75%, var(--ink));
    position: relative;
    height: 96px;
    margin: 8px 8px 8px 44px;
    touch-action: pan-y;
    cursor: crosshair;
  }
  .chart:last-child .plot { margin-bottom: 28px; }
  .chart:not(:last-child) .time { display: none; }
  .with-price .plot { margin-right: 44px; }
  .plot svg { position: absolute; inset: 0; width: 100%; height: 100%; max-height: none; overflow: visible; }
  .plot path { fill: none; vector-effect: non-scaling-stroke; }
  .plot .grid { stroke: color-mix(in srgb, var(--ink) 14%, var(--paper)); stroke-width: 1; }
  .plot .zero { stroke: color-mix(in srgb, var(--ink) 30%, var(--paper)); }
  .plot .line { stroke: var(--line); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
  .plot .area { fill: color-mix(in srgb, var(--line) 14%, transparent); }
  .plot .line.behind { stroke: color-mix(in srgb, var(--ink) 55%, var(--paper)); stroke-width: 1.5; stroke-dasharray: 4 3; }
  .plot .area.behind { fill: color-mix(in srgb, var(--ink) 8%, transparent); }
  .chart.battery, .chart.cost { --primary-color: var(--success-color, #43a047); }
  .tick { position: absolute; color: var(--secondary-text-color); font-size: 12px; line-height: 1; white-space: nowrap; }
  .tick.level { right: 100%; margin-right: 6px; transform: translateY(50%); }
  .tick.price { left: 100%; margin-left: 6px; transform: translateY(50%); }
  .tick.time { top: 100%; margin-top: 8px; transform: translateX(-50%); }
  .tick.time.edge { transform: translateX(-100%); }
  .tick.moment { padding: 0 10px; background: var(--paper); color: var(--ink); }
  .cursor { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--ink); }
  .dot {
    position: absolute;
    width: 10px;
    height: 10px;
    border: 2px solid var(--paper);
    border-radius: 50%;
    background: var(--line);
    transform: translate(-50%, 50%);
    box-sizing: border-box;
  }
  .cursor, .dot { pointer-events: none; }`;

/** The styles of charts of bars. */
const BAR_STYLES = `
  .chart > .value { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-bottom: 16px; }
  .plot .bars { fill: var(--bar); }
  .plot:has(.bars) { cursor: pointer; touch-action: pan-y; }
  .column { position: absolute; top: 0; bottom: 0; background: color-mix(in srgb, var(--ink) 9%, var(--paper)); }`;

/** The styles of the card with the charging plan. */
export const PLAN_STYLES = `
  ${COMMON}
  ${CHART_STYLES}
  ${BAR_STYLES}
  ha-card { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; padding: 12px 16px; line-height: 1.4; }
  .sentence { font-weight: var(--ha-font-weight-medium, 500); }
  .note { color: var(--secondary-text-color); }
  .help:empty, .picture:empty { display: none; }
  .help > * { display: flex; align-items: center; width: fit-content; min-height: 44px; }
  .help a { margin-block: -12px; color: var(--link); }
  .plot .surplus { --line: color-mix(in srgb, var(--warning-color, #ffa600) 75%, var(--ink)); }
  .plot .power { --line: color-mix(in srgb, var(--success-color, #43a047) 75%, var(--ink)); }
  .column { min-width: 2px; }
  .charts { --bar: color-mix(in srgb, var(--ink) 30%, var(--paper)); }
  .chosen { --bar: color-mix(in srgb, var(--success-color, #43a047) 75%, var(--ink)); }
  .plot .unknown { fill: color-mix(in srgb, var(--bar) 35%, transparent); stroke: var(--bar); stroke-dasharray: 3 3; }
  .plot .unknown.chosen { fill: color-mix(in srgb, var(--bar) 70%, transparent); }
  .plot .upright, .flat .grid { display: none; }
  .plot.flat { height: 32px; margin-left: 8px; }
  .chart:last-child .plot { margin-bottom: 22px; }
  /* A line that wraps would move the page. */
  .chart > .value { flex-wrap: nowrap; overflow: hidden; white-space: nowrap; }
  .with-power .value { flex-wrap: wrap; align-content: start; gap: 0 16px; height: 2.8em; }`;

/** The styles of a message in place of a log. */
const MESSAGE_STYLES = `
  .secondary, .message { color: var(--secondary-text-color); }
  .message { padding: 24px 8px; text-align: center; line-height: 1.5; }
  .message strong { display: block; color: var(--ink); font-size: var(--ha-font-size-xl, 20px); }
  .message .action { margin: 12px auto 0; width: fit-content; }`;

/** The styles of fields in forms. */
const FIELD_STYLES = `
  input, select {
    min-height: 44px;
    box-sizing: border-box;
    padding: 8px 12px;
    border: 1px solid var(--secondary-text-color);
    border-radius: var(--ha-border-radius-md, 8px);
    background: var(--paper);
    color: var(--ink);
    font: inherit;
  }`;

/** The styles of the log. */
export const LOG_STYLES = `
  ${COMMON}
  ${MESSAGE_STYLES}
  ${CHART_STYLES}
  ha-card { max-width: 900px; margin: 0 auto; padding: 16px; overflow: clip; }
  .day { content-visibility: auto; contain-intrinsic-size: auto 240px; padding-block: 8px 16px; }
  .day header { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; padding-inline: 8px; }
  .day h2 { flex: 1 1 auto; margin: 0; font-size: var(--ha-font-size-l, 16px); line-height: 1.4; }
  .strip { margin: 8px; }
  .strip span { position: absolute; top: 0; bottom: 0; min-width: 3px; }
  .drive { --kind: var(--primary-color); }
  .charge { --kind: var(--success-color, #43a047); }
  .strip span { background: color-mix(in srgb, var(--kind) 75%, var(--ink)); }
  ul { margin: 0; padding: 0; list-style: none; }
  .entry {
    display: grid;
    grid-template-columns: 24px minmax(0, 1fr) auto;
    gap: 2px 12px;
    align-items: center;
    min-height: 44px;
    padding: 6px 8px;
    line-height: 1.4;
  }
  button.entry { width: 100%; box-sizing: border-box; }
  /* The section of a day cuts what is outside. */
  button.entry:focus-visible { outline-offset: -2px; }
  .detail { display: grid; gap: 12px; padding: 4px 8px 16px; margin-inline-start: 36px; }
  @media (max-width: 600px) { .detail { margin-inline-start: 0; } }
  .detail .secondary { font-size: var(--ha-font-size-s, 12px); }
  .detail p { margin: 0; }
  .places, .actions, .chips { display: flex; flex-wrap: wrap; gap: 8px; }
  .places form, .export details[open], :is(.export, .selection) .failure { flex: 1 0 100%; }
  .far { display: flex; flex-wrap: wrap; gap: 8px; justify-content: end; margin-inline-start: auto; }
  .danger { background: color-mix(in srgb, var(--error-color, #db4437) 16%, var(--paper)); color: color-mix(in srgb, var(--error-color, #db4437) 60%, var(--ink)); }
  .between { margin: 0; padding: 4px 8px 16px; }
  .status:empty, .curves:empty, .places:empty, .selection .failure:empty { display: none; }
  .status { min-height: 1.4em; line-height: 1.4; }
  .status.error, .problem { color: var(--error-color, #db4437); }
  .problem { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 0; }
  @media (min-width: 900px) { dl { grid-template-columns: repeat(2, auto 1fr); column-gap: 32px; } }
  dt { color: var(--secondary-text-color); }
  dd { margin: 0; text-align: end; }
  form { display: grid; gap: 12px; }
  label { display: grid; gap: 4px; color: var(--secondary-text-color); }
  ${FIELD_STYLES}
  .export { display: flex; flex-wrap: wrap; gap: 8px; justify-content: end; padding: 8px; }
  .export .chip { margin-inline-end: auto; }
  .export summary {
    width: fit-content;
    min-height: 44px;
    margin-inline-start: auto;
    padding: 0 12px;
    border-radius: var(--ha-border-radius-md, 8px);
    line-height: 44px;
    cursor: pointer;
  }
  .export form { display: flex; flex-wrap: wrap; align-items: end; padding-block: 8px 16px; }
  .export label { flex: 1 1 200px; min-width: 0; }
  .export :is(select, input), .selection input { width: 100%; }
  .export a { color: var(--link); }
  .failure { margin: 0; color: color-mix(in srgb, var(--error-color) 70%, var(--ink)); }
  .entry ha-icon { grid-row: span 2; color: color-mix(in srgb, var(--kind, gray) 75%, var(--ink)); }
  .entry .title { overflow-wrap: anywhere; }
  .entry .main { font-weight: var(--ha-font-weight-medium, 500); white-space: nowrap; text-align: end; }
  .entry .more { text-align: end; }
  .entry input { grid-row: span 2; }
  .entry.stay { min-height: 32px; color: var(--secondary-text-color); }
  .entry.thin { display: block; min-height: 0; padding-block: 2px; margin-inline-start: 36px; }
  @media (max-width: 600px) {
    .entry .secondary { grid-column: 2 / -1; text-align: start; }
    .entry :is(ha-icon, input) { grid-row: span 3; }
    .entry .more:empty { display: none; }
  }
  label.entry { color: inherit; cursor: pointer; }
  .search { display: grid; gap: 8px; padding-inline: 8px; }
  .search form { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
  .find { position: relative; flex: 1 1 200px; }
  .find ha-icon { position: absolute; inset-inline-start: 12px; top: 10px; color: var(--secondary-text-color); }
  .find input { width: 100%; padding-inline-start: 44px; }
  .chip {
    position: relative;
    padding-inline: 14px;
    border: 1px solid color-mix(in srgb, var(--ink) 40%, var(--paper));
    box-sizing: border-box;
    cursor: pointer;
  }
  /* The color of a chosen one comes first. */
  button.entry:hover, .export summary:hover, :where(.chip):hover { background: color-mix(in srgb, var(--ink) 5%, var(--paper)); }
  .chip input { position: absolute; inset: 0; opacity: 0; cursor: inherit; }
  .chip:has(:focus-visible) { outline: 2px solid var(--primary-color); outline-offset: 2px; }
  .filters {
    display: grid;
    flex: 1 0 100%;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 140px), 1fr));
    gap: 12px;
    align-items: end;
  }
  .filters :is(select, input:not([type="checkbox"])) { width: 100%; min-width: 0; }
  .check { display: flex; gap: 12px; align-items: center; min-height: 44px; color: var(--ink); }
  input[type="checkbox"] { flex: none; width: 20px; min-height: 0; height: 20px; margin: 2px; accent-color: var(--primary-color); }
  .found { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; min-height: 44px; line-height: 1.4; }
  .found:has(.action[hidden]) { min-height: 0; }
  .found span { flex: 1 1 auto; white-space: pre-line; }
  .selection {
    position: sticky;
    bottom: max(8px, env(safe-area-inset-bottom));
    z-index: 1;
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: end;
    padding: 12px;
    border: 1px solid var(--divider-color);
    border-radius: var(--ha-border-radius-lg, 12px);
    background: var(--paper);
    box-shadow: 0 2px 12px rgb(0 0 0 / 25%);
  }
  .selection > [role="status"] { flex: 1 0 100%; font-weight: var(--ha-font-weight-medium, 500); }
  .selection label { flex: 1 1 100px; min-width: 0; }
  .entry.open .title::after { content: "●"; margin-inline-start: 6px; color: var(--kind, currentColor); }`;

/** The styles of the map of a month or a year. */
export const MAP_STYLES = `
  ${COMMON}
  ${MESSAGE_STYLES}
  ha-card { padding: 16px; }
  label { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; }
  ${FIELD_STYLES}
  ${MAP}
  ha-map { height: max(320px, 100vh - 400px); }
  h2 { margin: 16px 0 8px; font-size: var(--ha-font-size-l, 16px); font-weight: var(--ha-font-weight-medium, 500); }
  .places { display: flex; flex-wrap: wrap; gap: 8px; }`;

/** The styles of the links between the pages of a log. */
export const TABS_STYLES = `
  ${COMMON}
  nav { display: flex; flex-wrap: wrap; gap: 4px; justify-content: center; }
  a { padding-inline: 16px; text-decoration: none; }
  a:hover { background: color-mix(in srgb, var(--ink) 6%, transparent); }
  a:focus-visible { outline: 2px solid var(--primary-color); outline-offset: -2px; }`;

/** The styles of the tables of a log, and of what stands above them. On a narrow screen, rows are cards. */
const SUMMARY_STYLES = `
  ${COMMON}
  ${MESSAGE_STYLES}
  ${CHART_STYLES}
  :host { --soft: color-mix(in srgb, var(--secondary-text-color) 60%, var(--ink)); }
  ha-card { max-width: 1100px; margin: 0 auto; padding: 16px; container-type: inline-size; line-height: 1.4; }
  h2 { margin: 0 0 8px; font-size: var(--ha-font-size-l, 16px); font-weight: var(--ha-font-weight-medium, 500); }
  p { margin: 16px 0 8px; }
  .main, .secondary { display: block; overflow-wrap: break-word; }
  .secondary { color: var(--soft); }
  span.secondary { font-size: var(--ha-font-size-s, 12px); }
  dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 150px), 1fr)); gap: 8px; margin: 0; }
  dl > div {
    padding: 12px;
    border-radius: var(--ha-border-radius-lg, 12px);
    background: color-mix(in srgb, var(--ink) 5%, var(--paper));
  }
  dt { color: var(--soft); }
  dd { margin: 0; }
  dd .main { font-size: var(--ha-font-size-xl, 20px); font-weight: var(--ha-font-weight-medium, 500); }
  table { width: 100%; border-collapse: collapse; }
  th { font-weight: var(--ha-font-weight-medium, 500); text-align: start; }
  th, td { padding: 8px; vertical-align: top; text-align: start; }
  th:not(:first-child), td { text-align: end; }
  thead th { color: var(--soft); font-size: var(--ha-font-size-s, 12px); vertical-align: bottom; }
  tbody tr, tfoot tr { border-top: 1px solid var(--divider-color); }
  .year, tfoot tr { background: color-mix(in srgb, var(--ink) 5%, var(--paper)); }
  section + section { margin-top: 24px; }
  .choice { display: flex; flex-wrap: wrap; gap: 6px 4px; margin-bottom: 12px; }
  .choice button { min-height: 36px; padding-inline: 10px; border: 1px solid var(--divider-color); }
  a { color: var(--link); }
  a:focus-visible { outline: 2px solid var(--primary-color); outline-offset: 2px; border-radius: 2px; }
  .links { display: flex; flex-wrap: wrap; gap: 0 24px; }
  .links a { display: flex; align-items: center; min-height: 44px; }
  .chart { display: flow-root; }
  .plot { height: 180px; margin: 8px 0 0 60px; cursor: auto; touch-action: auto; }
  .plot .upright { display: none; }
  .tick { color: var(--soft); }
  @container (max-width: 640px) {
    .main, .secondary { overflow-wrap: anywhere; }
    table, thead, tbody, tfoot { display: block; }
    thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(130px, 1fr)); padding-block: 8px; }
    tr th { grid-column: 1 / -1; }
    td::before {
      content: attr(data-label) / "";
      display: block;
      color: var(--soft);
      font-size: var(--ha-font-size-s, 12px);
    }
    .year { border-radius: var(--ha-border-radius-md, 8px); }
  }`;

/** The styles of the months of a log. */
export const MONTHS_STYLES = `
  ${SUMMARY_STYLES}
  p { margin: 0 0 8px; }
  .times a { font-size: var(--ha-font-size-s, 12px); }
  @container (max-width: 500px) {
    .times { grid-template-columns: repeat(2, minmax(0, 1fr)); }
    .times > :nth-child(odd):nth-last-child(odd):first-child { grid-column: 1 / -1; }
  }
  .span { display: flex; gap: 8px; align-items: center; justify-content: space-between; }
  .span button { display: grid; width: 44px; height: 44px; place-items: center; }
  .span button:disabled { opacity: 0.3; cursor: default; }
  ${BAR_STYLES}
  .chart > .value span::before {
    content: "" / "";
    display: inline-block;
    width: 12px;
    height: 12px;
    margin-inline-end: 8px;
    border-radius: 2px;
    background: var(--bar);
  }
  .charts { --bar: color-mix(in srgb, var(--primary-color) 75%, var(--ink)); }
  .before, .chart > .value span + span { --bar: color-mix(in srgb, var(--ink) 46%, var(--paper)); }
  .plot .dots {
    stroke: color-mix(in srgb, var(--primary-color) 60%, var(--paper));
    stroke-width: 4;
    stroke-linecap: round;
  }
  .plot .line { stroke: var(--ink); }
  .toggle { display: inline-flex; align-items: center; min-height: 44px; white-space: nowrap; margin-block: -12px; padding-inline-end: 8px; }
  .toggle::after { content: "▾" / ""; margin-inline-start: 8px; }
  .toggle[aria-expanded="false"]::after { content: "▸" / ""; }
  :host(:dir(rtl)) .toggle[aria-expanded="false"]::after { content: "◂" / ""; }
  .year .link { min-height: 44px; margin-block: -12px; padding-inline: 8px; font-weight: normal; text-decoration: underline; }
  .closed .month { display: none; }
  .details > td { grid-column: 1 / -1; padding-block: 0 8px; text-align: start; }
  .details > td::before { content: none; }
  tbody .details { border-top: none; }
  .details table { margin-top: 16px; }
  summary { width: fit-content; min-height: 44px; line-height: 44px; cursor: pointer; }
  @container (max-width: 640px) {
    /* A closed month is one line: its name, its distance, and its cost or consumption. */
    .month:has([aria-expanded="false"]) {
      grid-template-columns: minmax(0, 1fr) auto minmax(88px, auto);
      align-items: center;
      padding-block: 4px;
    }
    .month:has([aria-expanded="false"]) th { grid-column: auto; }
    .month:has([aria-expanded="false"]) :is(.secondary, td:nth-child(n + 3)),
    .month:has([aria-expanded="false"]) td::before { display: none; }
    .month:has([aria-expanded="false"]):not(.unpriced) td:nth-child(4),
    .unpriced:has([aria-expanded="false"]) td:nth-child(3) { display: block; }
  }`;

/** The styles of the page about the battery. */
export const BATTERY_STYLES = `
  ${SUMMARY_STYLES}
  .plot { margin-inline-end: 24px; cursor: crosshair; }
  .plot .area { fill: color-mix(in srgb, var(--primary-color) 30%, transparent); }
  .tick.time:not(.edge, .moment) { transform: none; }`;

/** The styles of the card with the last drive and the last charge. */
export const LOG_CARD_STYLES = `
  ${COMMON}
  ${MESSAGE_STYLES}
  :host { height: 100%; }
  ha-card {
    position: relative;
    height: 100%;
    box-sizing: border-box;
    padding: 16px;
    container-type: inline-size;
    line-height: 1.4;
  }
  ha-card:has(a:hover) { background: color-mix(in srgb, var(--ink) 4%, var(--paper)); }
  h2 {
    margin: 0 0 12px;
    color: var(--secondary-text-color);
    font-size: var(--ha-font-size-m, 14px);
    font-weight: var(--ha-font-weight-medium, 500);
  }
  h3 {
    display: flex;
    gap: 8px;
    align-items: center;
    margin: 0 0 4px;
    color: var(--secondary-text-color);
    font-size: inherit;
    font-weight: var(--ha-font-weight-normal, 400);
  }
  .parts { display: grid; gap: 20px; }
  @container (min-width: 430px) { .parts { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
  .main, .secondary { display: block; overflow-wrap: anywhere; }
  .main { font-size: var(--ha-font-size-xl, 20px); font-weight: var(--ha-font-weight-medium, 500); }
  .content > a { position: absolute; inset: 0; border-radius: var(--ha-card-border-radius, 12px); }
  .parts a { position: relative; z-index: 1; color: var(--link); }
  a:focus-visible { outline: 2px solid var(--primary-color); outline-offset: -2px; }`;

/** The styles of the notice. */
export const NOTICE_STYLES = `
  ${COMMON}
  ha-card {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 16px;
    align-items: center;
    padding: 12px 16px;
    background: color-mix(in srgb, var(--primary-color) 10%, var(--paper));
  }
  span { flex: 1 1 12em; line-height: 1.45; }
  ha-state-icon { color: var(--secondary-text-color); }`;
