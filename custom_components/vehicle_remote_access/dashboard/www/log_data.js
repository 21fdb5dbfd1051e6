/** The entries of a car's log that a page has loaded, newest first, and what has not ended. */

import { LogSubscription } from "./log_subscription.js";
import { DOMAIN } from "./words.js";

/** The largest number of entries that the command returns. */
const LARGEST = 1000;
const RETRY = 10_000;

/** Loads the log page by page, and keeps it current until it is stopped. */
export class LogData {
  entries = [];
  /** What has not ended, newest first. */
  open = [];
  units;
  /** Whether the user may change entries. */
  canEdit = false;
  error;
  #hass;
  #deviceId;
  #changed;
  #next;
  #revision;
  #subscription;
  #retry;
  /** What has not ended, until the entries that have ended since are loaded. */
  #latestOpen = [];
  #loading = false;
  #isStopped = false;

  /** `changed` is called after each change. */
  constructor(hass, deviceId, changed) {
    this.#hass = hass;
    this.#deviceId = deviceId;
    this.#changed = changed;
    this.#subscription = new LogSubscription(
      hass,
      deviceId,
      (event) => this.#receive(event),
      (error) => this.#fail(error),
    );
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#subscription.stop();
  }

  /** Try again now what failed. */
  tryAgain() {
    clearTimeout(this.#retry);
    if (this.#subscription.isActive) this.#reload();
    else this.#subscription.start();
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
    this.#latestOpen = open;
    const isChanged = revision !== this.#revision || this.error;
    this.#revision = revision;
    if (isChanged) {
      this.#reload();
    } else if (!this.#loading) {
      this.open = open;
      this.#changed();
    }
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
      Object.assign(this, { entries, units: page.units, canEdit: page.can_edit });
      this.#next = page.next;
    });
  }

  async #load(load) {
    this.#loading = true;
    clearTimeout(this.#retry);
    const revision = this.#revision;
    try {
      await load();
      this.error = undefined;
    } catch (error) {
      this.#loading = false;
      this.#fail(error);
      return;
    }
    this.#loading = false;
    if (this.#isStopped) return;
    if (revision === this.#revision) this.open = this.#latestOpen;
    this.#changed();
    if (revision !== this.#revision) await this.#reload();
  }

  /** Show an error, and try again later. Without the permission, that would not help. */
  #fail(error) {
    if (this.#isStopped) return;
    this.error = error;
    this.#changed();
    clearTimeout(this.#retry);
    if (error?.code !== "unauthorized") this.#retry = setTimeout(() => this.tryAgain(), RETRY);
  }

  #list(more) {
    return this.#hass.callWS({ type: `${DOMAIN}/log/list`, device_id: this.#deviceId, ...more });
  }
}
