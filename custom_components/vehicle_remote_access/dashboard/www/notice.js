/** A card with the time of a car's old data, and a button that wakes the car. */

import { CardContent } from "./element.js";
import { NOTICE_STYLES } from "./styles.js";

export default class Notice extends CardContent {
  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = `
      <style>${NOTICE_STYLES}</style>
      <ha-card role="status"><ha-state-icon></ha-state-icon><span></span><button class="action"></button></ha-card>`;
  }

  draw(/** @type {ShadowRoot} */ root, /** @type {Status=} */ status) {
    if (!status) return;
    root.querySelector("span").textContent = status.notice;
    Object.assign(root.querySelector("ha-state-icon"), { hass: this.hass, stateObj: status.state("state") });
    this.drawWakeUp(root.querySelector(".action"));
  }
}
