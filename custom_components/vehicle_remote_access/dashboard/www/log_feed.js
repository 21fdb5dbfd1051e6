/** The data of a page about a car's log, loaded again after each change of the log. */

import { DOMAIN } from "./words.js";

/** A failed request is repeated after this time. At the start of Home Assistant, accounts are not loaded yet. */
const RETRY = 10_000;

/** Loads what `load` returns, and keeps it current until it is stopped. */
export class LogFeed {
  /** @type {unknown} */ value;
  /** @type {HassError | undefined} */ error;
  /** @type {LogEntry[]} The entries that have not ended, newest first */ open = [];
  #hass;
  #deviceId;
  #load;
  #changed;
  #openChanged;
  /** @type {number | undefined} */ #revision;
  #version = 0;
  /** @type {LogEntry[]} Those that `open` will have once the entries that ended are loaded */ #latestOpen = [];
  #isLoading = false;
  #isStopped = false;
  /** @type {number | undefined} */ #timer;
  /** @type {symbol} */ #attempt;
  /** @type {(() => Promise<void>) | undefined} */ #unsubscribe;

  /**
   * `load` gets a function that sends a command about the car, and the value that it returned before. `changed`
   * is called after each change of the value or the error, and `openChanged` after a change of `open` alone.
   */
  constructor(
    /** @type {Hass} */ hass,
    /** @type {string} */ deviceId,
    /** @type {LoadLog} */ load,
    /** @type {() => void} */ changed,
    /** @type {() => void} */ openChanged,
  ) {
    this.#hass = hass;
    this.#deviceId = deviceId;
    this.#load = load;
    this.#changed = changed;
    this.#openChanged = openChanged;
    // After a restart, the account may not be loaded yet. So the connection must not subscribe again itself.
    hass.connection.addEventListener("ready", this.#subscribe);
    this.#subscribe();
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#hass.connection.removeEventListener("ready", this.#subscribe);
    this.#unsubscribe?.().catch(() => undefined);
  }

  /** Repeat the failed request now. */
  retry() {
    clearTimeout(this.#timer);
    if (this.#unsubscribe) this.update();
    else this.#subscribe();
  }

  /** Load the value again, because `load` would now return another one. */
  refresh() {
    this.#version += 1;
    return this.update();
  }

  /** Load the value again, or with another function, unless it is being loaded. */
  async update(load = this.#load) {
    if (this.#isLoading) return;
    this.#isLoading = true;
    clearTimeout(this.#timer);
    const version = this.#version;
    try {
      const value = await load(this.#send, this.value);
      if (this.#isStopped) return;
      this.value = value;
      this.error = undefined;
    } catch (error) {
      this.#fail(error);
      return;
    } finally {
      this.#isLoading = false;
    }
    const isCurrent = version === this.#version;
    if (isCurrent) this.open = this.#latestOpen;
    this.#changed();
    if (!isCurrent) await this.update();
  }

  /** @type {SendLogCommand} */
  #send = (command, more) =>
    this.#hass.callWS({ type: `${DOMAIN}/log/${command}`, device_id: this.#deviceId, ...more });

  #subscribe = async () => {
    this.#unsubscribe = undefined;
    // An earlier attempt may still be going on.
    const attempt = (this.#attempt = Symbol("attempt"));
    const isCurrent = () => attempt === this.#attempt && !this.#isStopped;
    const message = { type: `${DOMAIN}/log/subscribe`, device_id: this.#deviceId };
    const receive = (/** @type {LogEvent} */ event) => isCurrent() && this.#receive(event);
    try {
      const { connection } = this.#hass;
      const unsubscribe = await connection.subscribeMessage(receive, message, { resubscribe: false });
      if (isCurrent()) this.#unsubscribe = unsubscribe;
      else await unsubscribe().catch(() => undefined);
    } catch (error) {
      if (isCurrent()) this.#fail(error);
    }
  };

  #receive(/** @type {LogEvent} */ { open, revision }) {
    this.#latestOpen = open;
    const isChanged = revision !== this.#revision || this.error;
    if (revision !== this.#revision) this.#version += 1;
    this.#revision = revision;
    if (isChanged) {
      this.update();
    } else if (!this.#isLoading) {
      this.open = open;
      this.#openChanged();
    }
  }

  /** Show an error, and try again later unless the user lacks the permission. */
  #fail(/** @type {HassError} */ error) {
    if (this.#isStopped) return;
    this.error = error;
    clearTimeout(this.#timer);
    if (error?.code !== "unauthorized") this.#timer = setTimeout(() => this.retry(), RETRY);
    this.#changed();
  }
}
