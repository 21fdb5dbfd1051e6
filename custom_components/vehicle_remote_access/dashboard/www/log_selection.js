/** Several drives at once: they are selected in the list, and get the same tag. */

import { element } from "./dom.js";
import { createAction, createField, createForm } from "./forms.js";
import { LONGEST_TAG } from "./log_detail.js";
import { joined, logTexts, tagOf } from "./log_texts.js";
import { DOMAIN } from "./words.js";

/** The button that starts and ends the selection, and the bar below the list while drives are selected. */
export class Selection {
  isOn = false;
  /** Whether all drives that were found are wanted, as soon as they are loaded */
  wantsAll = false;
  #context;
  #changed;
  /** @type {Map<string, Shown<Drive>>} By their ids */ #drives = new Map();
  #count = element("span", { role: "status" });
  #failure;
  #all;
  #set;
  #tag;

  /** `changed` is called after the selection starts or ends, and `loadAll` if all drives are wanted. */
  constructor(/** @type {LogContext} */ context, /** @type {() => void} */ changed, /** @type {() => void} */ loadAll) {
    this.#context = context;
    this.#changed = changed;
    const { words } = context;
    this.button = element("button", { class: "chip", type: "button", "aria-pressed": "false" }, words("select"));
    this.button.addEventListener("click", () => this.#turn(!this.isOn));
    this.#all = createAction(words("select_all_found"), () => {
      this.wantsAll = true;
      loadAll();
    });
    this.#tag = element("input", { list: "tags", maxlength: LONGEST_TAG, autocomplete: "off", required: "" });
    this.#set = createAction(words("set_tag"), undefined, { type: "submit" });
    const cancel = createAction(words("cancel"), () => this.#turn(false));
    const fields = [this.#count, this.#all, createField(words("tag"), this.#tag), this.#set, cancel];
    const { form, failure } = createForm({ class: "selection", hidden: "" }, fields, () => this.#setTag());
    this.element = form;
    this.#failure = failure;
  }

  #turn(/** @type {boolean} */ isOn) {
    this.isOn = isOn;
    this.wantsAll = false;
    this.#drives.clear();
    this.#failure.textContent = "";
    this.element.hidden = !isOn;
    this.button.setAttribute("aria-pressed", String(isOn));
    this.#changed();
    if (!isOn) this.button.focus();
  }

  has(/** @type {string} */ id) {
    return this.#drives.has(id);
  }

  set(/** @type {Shown<Drive>} */ drive, /** @type {boolean} */ isSelected) {
    if (isSelected) this.#drives.set(drive.id, drive);
    else this.#drives.delete(drive.id);
    this.#show();
  }

  /** Keep what is shown of a selection. Only drives that are shown can be selected. */
  update(/** @type {LogContext} */ context, /** @type {FoundPage} */ { entries, found, next }) {
    this.#context = context;
    this.button.hidden = !context.canEdit;
    if (!this.isOn) return;
    if (!context.canEdit) {
      this.#turn(false);
      return;
    }
    const selectsAll = this.wantsAll && next === null;
    if (selectsAll) this.wantsAll = false;
    const drives = entries.filter((entry) => entry.kind === "drive");
    const selected = drives.filter(({ id }) => selectsAll || this.has(id));
    this.#drives = new Map(selected.map((drive) => [drive.id, drive]));
    this.#all.hidden = !found;
    this.#show();
  }

  #show() {
    const { words, formats, units } = this.#context;
    const drives = [...this.#drives.values()];
    const { distance } = logTexts(this.#context, units);
    const known = drives.map((drive) => drive.distance).filter((value) => value !== null);
    const sum = known.reduce((total, value) => total + value, 0);
    const count = words("drives_count", { count: formats.number(drives.length) });
    this.#count.textContent = joined(count, known.length > 0 && distance(sum, 0));
    this.#set.disabled = !drives.length;
  }

  async #setTag() {
    const { hass, words, deviceId } = this.#context;
    const tag = tagOf(words, this.#tag.value.trim());
    const data = { device_id: deviceId, id: [...this.#drives.keys()], tag };
    this.#set.disabled = true;
    try {
      await hass.callService(DOMAIN, "update_log_entry", data, undefined, false);
    } finally {
      this.#set.disabled = false;
    }
    this.#tag.value = "";
    this.#turn(false);
  }
}
