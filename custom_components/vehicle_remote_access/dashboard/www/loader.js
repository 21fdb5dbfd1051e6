/** The panel for pages without the scripts. It loads them, and then requests the dashboard. */

import "./main.js";
import { DOMAIN } from "./words.js";

class ScriptLoader extends /** @type {new () => HTMLElement & { hass: Hass }} */ (HTMLElement) {
  connectedCallback() {
    this.hass.callWS({ type: `${DOMAIN}/arrived` });
  }
}

customElements.define("vehicle-remote-access-loader", ScriptLoader);
