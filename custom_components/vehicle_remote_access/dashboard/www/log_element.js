/** The base class of the content of a card that shows the log of a car. */

import { CardContent } from "./element.js";
import { Formats } from "./formats.js";
import { LogFeed } from "./log_feed.js";

export class LogContent extends /** @type {LogBase} */ (CardContent) {
  /** Whether the card also shows what has not ended. */
  showsOpen = false;
  /** The key of the text that says when the log has something to show. */
  later = "log_later";
  /** @type {LogFeed | undefined} */ #feed;
  /** @type {string | undefined} */ #deviceId;
  /** @type {Formats} */ formats;
  /** @type {FrontendLocale | undefined} */ #locale;
  /** @type {Words} */ #drawnWords;
  #isDrawn = false;

  disconnected() {
    super.disconnected();
    this.#stop();
  }

  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = `
      <style>${this.styles}</style>
      <ha-card>
        <div class="message" role="status"><strong></strong><span></span><button class="action"></button></div>
        <div class="content"></div>
      </ha-card>`;
    root.querySelector(".message button").addEventListener("click", () => this.#feed?.retry());
  }

  get feed() {
    return /** @type {LogFeed} */ (this.#feed);
  }

  /** Forget what was drawn for another car or with other formats. The content is empty then. */
  reset() {}

  draw(/** @type {ShadowRoot} */ root, /** @type {Status | undefined} */ status) {
    const content = root.querySelector(".content");
    if (!status) {
      this.#stop();
      content.hidden = true;
      this.#show(root, this.words("no_such_car"), this.words("choose_another"));
      return;
    }
    if (!this.host.isConnected) return;
    if (this.#deviceId !== this.car.id) this.#stop();
    const { value, error } = this.#feed ?? this.#start();
    if (this.#locale !== this.hass.locale || this.#drawnWords !== this.words) {
      this.#locale = this.hass.locale;
      this.#drawnWords = this.words;
      this.formats = new Formats(this.hass);
      this.#isDrawn = false;
      content.replaceChildren();
      this.reset();
    }
    if (this.#isDrawn) return; // The car has changed, but not its log.
    this.#isDrawn = true;
    const isEmpty = value && this.isEmpty(value);
    if (error) this.#show(root, this.words("log_unavailable"), error.message, this.words("try_again"));
    else if (isEmpty) this.#show(root, this.words("log_empty"), this.words(this.later));
    else root.querySelector(".message").hidden = true;
    content.hidden = !value || isEmpty;
    if (!content.hidden) this.fill(content, value);
  }

  /** Draw again, because the options have changed. */
  setConfig(/** @type {CarCardConfig} */ config) {
    this.#isDrawn = false;
    super.setConfig(config);
  }

  #start() {
    this.#deviceId = this.car.id;
    const changed = () => {
      this.#isDrawn = false;
      this.redraw();
    };
    const load = this.load.bind(this);
    this.#feed = new LogFeed(this.hass, this.car.id, load, changed, () => this.showsOpen && changed());
    return this.#feed;
  }

  #stop() {
    this.#feed?.stop();
    this.#feed = undefined;
    this.#deviceId = undefined;
    this.#locale = undefined;
    this.#isDrawn = false;
  }

  /** Show a message, and a button if it has a text. */
  #show(/** @type {ShadowRoot} */ root, /** @type {string} */ title, text = "", action = "") {
    const message = root.querySelector(".message");
    const button = message.querySelector("button");
    message.querySelector("strong").textContent = title;
    message.querySelector("span").textContent = text;
    button.textContent = action;
    button.hidden = !action;
    message.hidden = false;
  }
}
