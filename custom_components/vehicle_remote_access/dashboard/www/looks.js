/** The styles of the picture. They use the theme's colors, so that the picture fits light and dark themes. */

export const STYLES = `
  :host {
    --paper: var(--ha-card-background, var(--card-background-color, white));
    --ink: var(--primary-text-color);
    --paint: color-mix(in srgb, var(--ink) 13%, var(--paper));
    --seam: color-mix(in srgb, var(--ink) 30%, var(--paper));
    --glass: color-mix(in srgb, black 58%, var(--paint));
    --open: var(--warning-color, #ffa600);
    --good: var(--success-color, #43a047);
    display: block;
  }
  ha-card {
    display: flex;
    flex-direction: column;
    gap: 12px;
    height: 100%;
    box-sizing: border-box;
    padding: 16px;
  }
  header { display: flex; align-items: flex-start; gap: 12px; }
  header div { flex: 1; min-width: 0; }
  h2 {
    margin: 0;
    overflow: hidden;
    font-size: var(--ha-font-size-xl, 20px);
    font-weight: var(--ha-font-weight-medium, 500);
    line-height: 1.3;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .summary { color: var(--secondary-text-color); line-height: 1.4; }
  header ha-state-icon { color: var(--secondary-text-color); padding: 2px; }

  button {
    all: unset;
    cursor: pointer;
    border-radius: var(--ha-border-radius-md, 8px);
    -webkit-tap-highlight-color: transparent;
  }
  button:focus-visible, .part:focus-visible { outline: 2px solid var(--primary-color); outline-offset: 2px; }

  /* The car */
  svg { display: block; width: 100%; max-height: 300px; overflow: visible; }
  .car { filter: drop-shadow(0 5px 7px rgb(0 0 0 / 0.22)); transition: opacity 0.6s, filter 0.6s; }
  .away .car { opacity: 0.55; filter: none; }
  .body { fill: var(--paint); stroke: var(--seam); stroke-width: 1.5; }
  .shine { fill: url(#shine); pointer-events: none; }
  .wheels { fill: #2b2b2b; }
  .mirrors { fill: var(--paint); stroke: var(--seam); stroke-width: 1.5; }
  .glass { fill: var(--glass); }
  .roof { fill: color-mix(in srgb, var(--paint) 92%, var(--ink)); }
  .headlight { fill: color-mix(in srgb, #fff3c4 75%, var(--paint)); }
  .tail-light { fill: color-mix(in srgb, #d32f2f 75%, var(--paint)); }

  .part { cursor: pointer; outline: none; }
  .part[hidden] { display: none; }
  .touch { fill: transparent; stroke: none; }
  .panel {
    fill: var(--paint);
    stroke: var(--seam);
    stroke-width: 1.5;
    transition: transform 0.6s, fill 0.6s;
  }
  .hole { fill: transparent; transition: fill 0.6s; }
  .unknown > .panel { fill: transparent; stroke: var(--secondary-text-color); stroke-dasharray: 4 4; }
  .door { transition: transform 0.6s; }
  .open > .panel { fill: var(--open); stroke: color-mix(in srgb, black 25%, var(--open)); }
  .open > .hole { fill: color-mix(in srgb, black 60%, var(--paint)); }
  .lid.open > .panel { transform: scaleX(0.45); }
  .roof-window.closed > .panel { fill: var(--glass); stroke: none; }
  .roof-window > .panel { transform-origin: 254px 120px; }
  .roof-window.open > .panel { transform: scaleX(0.4); }
  /* In right-hand traffic, the driver sits on the left, which is at the bottom of the drawing. */
  .side.passenger { transform: matrix(1, 0, 0, -1, 0, 240); }
  .right .side.passenger { transform: none; }
  .right .side.driver { transform: matrix(1, 0, 0, -1, 0, 240); }
  .door.open { transform: rotate(38deg); }

  .cable path { fill: none; stroke-linecap: round; }
  .cable .touch { stroke: transparent; stroke-width: 24; }
  .wire { stroke: var(--secondary-text-color); stroke-width: 5; }
  .current { stroke: var(--good); stroke-width: 5; stroke-dasharray: 1 17; opacity: 0; }
  .end { fill: var(--secondary-text-color); }
  .cable:not(.open) .wire, .cable:not(.open) .end, .cable:not(.open) .touch { display: none; }
  .charging .wire { stroke: color-mix(in srgb, var(--good) 40%, var(--paper)); }
  .charging .end { fill: var(--good); }
  .charging .current { opacity: 1; animation: flow 1.2s linear infinite; }
  @keyframes flow { to { stroke-dashoffset: 18; } }

  .padlock .shackle {
    fill: none;
    stroke: var(--good);
    stroke-width: 4;
    transform-origin: 296px 118px;
    transition: transform 0.6s;
  }
  .padlock .panel { fill: var(--good); stroke: none; }
  .padlock text { display: none; fill: var(--paper); font-size: 15px; font-weight: 700; text-anchor: middle; }
  .padlock.open .panel { fill: var(--open); }
  .padlock.open .shackle { stroke: var(--open); transform: rotate(32deg); }
  .padlock.unknown .panel { fill: var(--secondary-text-color); stroke: none; }
  .padlock.unknown .shackle { stroke: var(--secondary-text-color); }
  .padlock.unknown text { display: block; }

  /* The battery */
  .charge { display: flex; align-items: baseline; justify-content: space-between; gap: 12px; }
  .charge button { font-size: var(--ha-font-size-xl, 20px); white-space: nowrap; }
  .charge .battery:not(.unknown) {
    font-size: var(--ha-font-size-3xl, 28px);
    font-weight: var(--ha-font-weight-medium, 500);
  }
  .bar {
    position: relative;
    height: 10px;
    overflow: hidden;
    border-radius: 5px;
    background: color-mix(in srgb, var(--ink) 12%, var(--paper));
  }
  .bar .level { height: 100%; border-radius: 5px; background: var(--level); transition: width 0.6s; }
  .bar .limit {
    position: absolute;
    top: 0;
    bottom: 0;
    width: 2px;
    margin-inline-start: -1px;
    background: var(--ink);
  }
  .bar.moving .level { animation: breathe 2s ease-in-out infinite alternate; }
  @keyframes breathe { to { opacity: 0.6; } }

  /* The other states */
  .facts { display: flex; flex-wrap: wrap; gap: 6px; }
  .facts button {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    padding: 6px 11px 6px 7px;
    border-radius: 18px;
    background: color-mix(in srgb, var(--ink) 6%, var(--paper));
    font-size: var(--ha-font-size-s, 12px);
    font-weight: var(--ha-font-weight-medium, 500);
  }
  .facts ha-state-icon { --mdc-icon-size: 18px; color: var(--secondary-text-color); }
  [hidden], .empty > :not(header), .empty header button { display: none !important; }

  @media (prefers-reduced-motion: reduce) {
    *, .charging .current { animation: none !important; transition: none !important; }
  }`;
