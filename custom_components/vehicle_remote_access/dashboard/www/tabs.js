/** The links between the pages of a car's log. */

import { element } from "./dom.js";
import { CarElement } from "./element.js";
import { TABS_STYLES } from "./styles.js";

export const TABS = "vehicle-remote-access-log-tabs";

/** The path of the view with a page of a car's log, in the same dashboard. */
export const pagePath = ({ id }, page) => `${id}-${page}`;

/**
 * Open a path of the web interface.
 *
 * With `replace`, Back returns to the page before the current one.
 */
export function navigate(path, { replace = false } = {}) {
  if (replace) history.replaceState(history.state, "", path);
  else history.pushState(null, "", path);
  window.dispatchEvent(new CustomEvent("location-changed", { detail: { replace } }));
}

/** Whether a click opens a link in another tab or window. */
const opensElsewhere = ({ button, metaKey, ctrlKey, shiftKey }) => button || metaKey || ctrlKey || shiftKey;

/** Let a link open its page within the web interface, unless the user opens it in another tab. */
export function openWithin(link, options) {
  link.addEventListener("click", (event) => {
    if (opensElsewhere(event)) return;
    event.preventDefault();
    navigate(link.getAttribute("href"), options);
  });
}

/** Whether a link was followed with the keyboard, so that the next page's link gets the focus. */
let isByKeyboard = false;

/** The links. The option `page` names the current page. */
export class Tabs extends CarElement {
  getCardSize() {
    return 1;
  }

  build(root) {
    root.innerHTML = `<style>${TABS_STYLES}</style><nav></nav>`;
    return root;
  }

  draw(root, status) {
    const nav = root.querySelector("nav");
    nav.hidden = !status;
    if (!status) return;
    const { words, car } = this;
    const dashboard = location.pathname.split("/")[1];
    const pages = [
      ["log", words("log")],
      ["months", words("months")],
      ["battery", words("battery")],
    ];
    const shown = [...pages.flat(), dashboard, car.id].join();
    if (nav.dataset.shown !== shown) this.#fill(nav, pages, dashboard);
    nav.dataset.shown = shown; // Links that have not changed keep the focus.
    if (!isByKeyboard || !this.isConnected) return;
    isByKeyboard = false;
    nav.querySelector("[aria-current]")?.focus();
  }

  #fill(nav, pages, dashboard) {
    const { car, words } = this;
    nav.setAttribute("aria-label", words("log_of", { name: car.name }));
    nav.replaceChildren(
      ...pages.map(([page, text]) => {
        const isCurrent = page === this.config.page;
        const link = element("a", { href: `/${dashboard}/${pagePath(car, page)}` }, text);
        if (isCurrent) link.setAttribute("aria-current", "page");
        link.addEventListener("click", (event) => {
          isByKeyboard = !isCurrent && event.detail === 0 && !opensElsewhere(event);
        });
        openWithin(link, { replace: true });
        return link;
      }),
    );
  }
}
