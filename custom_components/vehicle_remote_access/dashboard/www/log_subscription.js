/** A subscription to a car's log. */

import { DOMAIN } from "./words.js";

/** Subscribes again after each restart of Home Assistant, until it is stopped. */
export class LogSubscription {
  #hass;
  #deviceId;
  #receive;
  #fail;
  #attempt;
  #unsubscribe;

  /** `receive` gets each event. `fail` gets the error if subscribing failed. */
  constructor(hass, deviceId, receive, fail) {
    this.#hass = hass;
    this.#deviceId = deviceId;
    this.#receive = receive;
    this.#fail = fail;
    // After a restart, the account may not be loaded yet. So the connection must not subscribe again itself.
    hass.connection.addEventListener("ready", this.start);
    this.start();
  }

  get isActive() {
    return Boolean(this.#unsubscribe);
  }

  start = async () => {
    this.#unsubscribe = undefined;
    // An earlier attempt may still be going on.
    const attempt = (this.#attempt = Symbol("attempt"));
    const isCurrent = () => attempt === this.#attempt;
    const message = { type: `${DOMAIN}/log/subscribe`, device_id: this.#deviceId };
    const receive = (event) => isCurrent() && this.#receive(event);
    try {
      const { connection } = this.#hass;
      const unsubscribe = await connection.subscribeMessage(receive, message, { resubscribe: false });
      if (isCurrent()) this.#unsubscribe = unsubscribe;
      else await unsubscribe().catch(() => undefined);
    } catch (error) {
      if (isCurrent()) this.#fail(error);
    }
  };

  stop() {
    this.#attempt = undefined;
    this.#hass.connection.removeEventListener("ready", this.start);
    this.#unsubscribe?.().catch(() => undefined);
  }
}
