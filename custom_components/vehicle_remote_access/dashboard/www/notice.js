/** A card that says why no data comes or no command is sent, or from when old data is, with a button that helps. */

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
    root.querySelector("span").textContent = this.outageText(status) || status.notice;
    const stateObj = status.state(status.outage ? "service" : "state");
    Object.assign(root.querySelector("ha-state-icon"), { hass: this.hass, stateObj });
    this.drawAction(root.querySelector(".action"), status);
  }
}
