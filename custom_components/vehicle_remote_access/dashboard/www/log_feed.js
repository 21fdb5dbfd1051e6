/** What a page shows of a car's log, loaded again after each change of the log. */

import { CarElement } from "./element.js";
import { Formats } from "./formats.js";
import { LogSubscription } from "./log_subscription.js";
import { DOMAIN } from "./words.js";

/** After this time, what failed is tried again. At the start of Home Assistant, accounts are not loaded yet. */
const RETRY = 10_000;

/** Loads and keeps current what `load` returns, until it is stopped. */
class LogFeed {
  value;
  error;
  #load;
  #changed;
  #revision;
  #timer;
  #isStopped = false;
  #subscription;

  /** `load` gets a function that sends a command about the car. `changed` is called after each change. */
  constructor(hass, deviceId, load, changed) {
    const send = (command, more) =>
      hass.callWS({ type: `${DOMAIN}/log/${command}`, device_id: deviceId, ...more });
    this.#load = () => load(send);
    this.#changed = changed;
    this.#subscription = new LogSubscription(
      hass,
      deviceId,
      ({ revision }) => this.#receive(revision),
      (error) => this.#fail(error),
    );
  }

  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#subscription.stop();
  }

  /** Try again what failed. */
  retry() {
    clearTimeout(this.#timer);
    if (this.#subscription.isActive) this.#reload();
    else this.#subscription.start();
  }

  #receive(revision) {
    if (revision === this.#revision && !this.error) return;
    this.#revision = revision;
    this.#reload();
  }

  async #reload() {
    const revision = this.#revision;
    try {
      const value = await this.#load();
      if (revision !== this.#revision || this.#isStopped) return; // A newer one is loading.
      clearTimeout(this.#timer);
      Object.assign(this, { value, error: undefined });
      this.#changed();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    if (this.#isStopped) return;
    this.error = error;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.retry(), RETRY);
    this.#changed();
  }
}

/** A card that shows something of the log. Subclasses implement `styles`, `load`, `isEmpty`, `later`, and `fill`. */
export class LogElement extends CarElement {
  #feed;
  #deviceId;
  #formats;
  #locale;
  #drawnWords;
  #isDrawn = false;

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop();
  }

  build(root) {
    root.innerHTML = `
      <style>${this.styles}</style>
      <ha-card>
        <div class="message" role="status"><strong></strong><span></span><button class="action"></button></div>
        <div class="content"></div>
      </ha-card>`;
    root.querySelector(".message button").addEventListener("click", () => this.#feed?.retry());
    return root;
  }

  get formats() {
    return this.#formats;
  }

  draw(root, status) {
    const content = root.querySelector(".content");
    if (!status) {
      this.#stop();
      this.#show(root, this.words("no_such_car"), this.words("choose_another"));
      return;
    }
    if (!this.isConnected) return;
    if (this.#deviceId !== this.car.id) this.#stop();
    if (!this.#feed) this.#start();
    if (this.#locale !== this.hass.locale || this.#drawnWords !== this.words) {
      this.#locale = this.hass.locale;
      this.#drawnWords = this.words;
      this.#formats = new Formats(this.hass);
      this.#isDrawn = false;
    }
    if (this.#isDrawn) return; // This is called after each change of the car.
    this.#isDrawn = true;
    const { value, error } = this.#feed;
    if (error) this.#show(root, this.words("cannot_be_shown"), error.message, this.words("try_again"));
    else if (value && this.isEmpty(value)) this.#show(root, this.words("log_empty"), this.later);
    else {
      root.querySelector(".message").hidden = true;
      content.hidden = !value;
      if (value) this.fill(content, value);
    }
  }

  /** Draw again, because the options have changed. */
  setConfig(config) {
    this.#isDrawn = false;
    super.setConfig(config);
  }

  #start() {
    this.#deviceId = this.car.id;
    const changed = () => {
      this.#isDrawn = false;
      this.redraw();
    };
    this.#feed = new LogFeed(this.hass, this.car.id, (send) => this.load(send), changed);
  }

  #stop() {
    this.#feed?.stop();
    this.#feed = undefined;
    this.#deviceId = undefined;
    this.#isDrawn = false;
  }

  /** Show a message in place of the content, and a button if it has a text. */
  #show(root, title, text, action) {
    const message = root.querySelector(".message");
    const button = message.querySelector("button");
    message.querySelector("strong").textContent = title;
    message.querySelector("span").textContent = text ?? "";
    button.textContent = action ?? "";
    button.hidden = !action;
    message.hidden = false;
    root.querySelector(".content").hidden = true;
  }
}
