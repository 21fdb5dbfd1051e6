/** Where a page arrives that was loaded before these scripts were there: it gets them, and the dashboard. */

import "./main.js";
import { DOMAIN } from "./words.js";

class Arrival extends HTMLElement {
  connectedCallback() {
    this.hass.callWS({ type: `${DOMAIN}/arrived` });
  }
}

customElements.define("vehicle-remote-access-arrival", Arrival);
