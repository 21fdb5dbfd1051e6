/** The entries of a car's log that a page has loaded, newest first, and what has not ended. */

import { DOMAIN } from "./words.js";

/** The largest number of entries that the command returns. */
const LARGEST = 1000;

/** Loads the log page by page, and keeps it current until it is stopped. */
export class LogData {
  entries = [];
  /** What has not ended, newest first. */
  open = [];
  units;
  error;
  #hass;
  #deviceId;
  #changed;
  #next;
  #revision;
  #unsubscribe;
  #loading = false;
  #isStopped = false;

  /** `changed` is called after each change. */
  constructor(hass, deviceId, changed) {
    this.#hass = hass;
    this.#deviceId = deviceId;
    this.#changed = changed;
    this.#unsubscribe = hass.connection
      .subscribeMessage((event) => this.#receive(event), {
        type: `${DOMAIN}/log/subscribe`,
        device_id: deviceId,
      })
      .catch((error) => this.#fail(error));
  }

  async stop() {
    this.#isStopped = true;
    (await this.#unsubscribe)?.();
  }

  /** Whether the oldest entry is loaded. */
  get isComplete() {
    return this.#next === null;
  }

  /** Load older entries, unless that is going on. */
  async loadMore() {
    if (this.#loading || this.#next === undefined || this.isComplete) return;
    await this.#load(async () => {
      const page = await this.#list({ before: this.#next });
      this.entries = [...this.entries, ...page.entries];
      this.#next = page.next;
    });
  }

  #receive({ open, revision }) {
    this.open = open;
    const isChanged = revision !== this.#revision;
    this.#revision = revision;
    if (isChanged) this.#reload();
    else this.#changed();
  }

  /** Load all that is loaded again. A change can affect any entry. */
  async #reload() {
    if (this.#loading) return;
    await this.#load(async () => {
      let rest = this.entries.length;
      let page = await this.#list(rest ? { limit: Math.min(rest, LARGEST) } : {});
      const entries = [...page.entries];
      while ((rest -= page.entries.length) > 0 && page.next !== null) {
        page = await this.#list({ before: page.next, limit: Math.min(rest, LARGEST) });
        entries.push(...page.entries);
      }
      Object.assign(this, { entries, units: page.units });
      this.#next = page.next;
    });
  }

  async #load(load) {
    this.#loading = true;
    const revision = this.#revision;
    try {
      await load();
      this.error = undefined;
    } catch (error) {
      this.#fail(error);
    }
    this.#loading = false;
    if (this.#isStopped) return;
    this.#changed();
    if (revision !== this.#revision) await this.#reload();
  }

  #fail(error) {
    this.error = error;
    this.#changed();
  }

  #list(more) {
    return this.#hass.callWS({ type: `${DOMAIN}/log/list`, device_id: this.#deviceId, ...more });
  }
}
