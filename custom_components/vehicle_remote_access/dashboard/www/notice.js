/** A card that says that all data of a car on this page is old, beside a button that wakes the car. */

import { CardContent } from "./element.js";
import { NOTICE_STYLES } from "./styles.js";

const TEMPLATE = `
  <style>${NOTICE_STYLES}</style>
  <ha-card role="status">
    <ha-state-icon></ha-state-icon>
    <span></span>
    <button class="action"></button>
  </ha-card>`;

export default class Notice extends CardContent {
  build(root) {
    root.innerHTML = TEMPLATE;
    root.querySelector(".action").addEventListener("click", ({ target }) => this.wakeUp(target));
    return root;
  }

  draw(root, status) {
    if (!status) return;
    root.querySelector("span").textContent = status.notice;
    Object.assign(root.querySelector("ha-state-icon"), { hass: this.hass, stateObj: status.state("state") });
    this.drawWakeUp(root.querySelector(".action"));
  }
}
