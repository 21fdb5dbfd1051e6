/** A card that says why the service sends nothing, or from when old data is, with a button that helps. */

import { CardContent } from "./element.js";
import { SETTINGS, navigate } from "./navigation.js";
import { NOTICE_STYLES } from "./styles.js";

export default class Notice extends CardContent {
  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = `
      <style>${NOTICE_STYLES}</style>
      <ha-card role="status"><ha-state-icon></ha-state-icon><span></span><button class="action"></button></ha-card>`;
  }

  draw(/** @type {ShadowRoot} */ root, /** @type {Status=} */ status) {
    if (!status) return;
    const { outage } = status;
    const texts = outage ? [this.reasonText(outage), outage.since] : [status.notice];
    root.querySelector("span").textContent = texts.filter(Boolean).join(" · ");
    const stateObj = status.state(outage ? "service" : "state");
    Object.assign(root.querySelector("ha-state-icon"), { hass: this.hass, stateObj });
    const button = root.querySelector(".action");
    if (!outage) {
      this.drawWakeUp(button);
      return;
    }
    button.hidden = !this.hass.user?.is_admin;
    button.textContent = this.hass.localize("panel.config");
    button.onclick = () => navigate(SETTINGS, {});
  }
}
