/** The links between the pages of a car's log. */

import { element } from "./dom.js";
import { CardContent } from "./element.js";
import { opensElsewhere, openWithin, pagePath } from "./navigation.js";
import { TABS_STYLES } from "./styles.js";

/** Whether a link was followed with the keyboard, so that the next page's link gets the focus. */
let isByKeyboard = false;

/** The links. The option `page` names the current page. */
export default class Tabs extends CardContent {
  build(/** @type {ShadowRoot} */ root) {
    root.innerHTML = `<style>${TABS_STYLES}</style><nav></nav>`;
  }

  draw(/** @type {ShadowRoot} */ root, /** @type {Status=} */ status) {
    const nav = root.querySelector("nav");
    nav.hidden = !status;
    if (!status) return;
    const { words, car } = this;
    const dashboard = location.pathname.split("/")[1];
    const pages = [
      ["log", words("log")],
      ["months", words("months")],
      ["map", words("map")],
      ["battery", words("battery")],
    ];
    const shown = [...pages.flat(), dashboard, car.id].join();
    if (nav.dataset.shown !== shown) this.#fill(nav, pages, dashboard);
    nav.dataset.shown = shown; // Links that have not changed keep the focus.
    if (!isByKeyboard || !this.host.isConnected) return;
    isByKeyboard = false;
    nav.querySelector("[aria-current]")?.focus();
  }

  #fill(/** @type {HTMLElement} */ nav, /** @type {string[][]} */ pages, /** @type {string} */ dashboard) {
    const { car, words } = this;
    nav.setAttribute("aria-label", words("log_of", { name: car.name }));
    nav.replaceChildren(
      ...pages.map(([page, text]) => {
        const isCurrent = page === this.config.page;
        const link = element("a", { href: `/${dashboard}/${pagePath(car, page)}` }, text);
        if (isCurrent) link.setAttribute("aria-current", "page");
        link.addEventListener("click", (/** @type {MouseEvent} */ event) => {
          isByKeyboard = !isCurrent && event.detail === 0 && !opensElsewhere(event);
        });
        openWithin(link, { replace: true });
        return link;
      }),
    );
  }
}
