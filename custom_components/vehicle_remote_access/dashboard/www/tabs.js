/** The links between the pages of a car's log. */

import { CardContent } from "./element.js";
import { LOG_PAGES, createLink, currentDashboard, opensElsewhere, pagePath } from "./navigation.js";
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
    const shown = [...LOG_PAGES.map((page) => words(page)), currentDashboard(), car.id].join();
    if (nav.dataset.shown !== shown) this.#fill(nav);
    nav.dataset.shown = shown; // Links that have not changed keep the focus.
    if (!isByKeyboard || !this.host.isConnected) return;
    isByKeyboard = false;
    nav.querySelector("[aria-current]")?.focus();
  }

  #fill(/** @type {HTMLElement} */ nav) {
    const { car, words } = this;
    nav.setAttribute("aria-label", words("log_of", { name: car.name }));
    nav.replaceChildren(
      ...LOG_PAGES.map((page) => {
        const isCurrent = page === this.config.page;
        const link = createLink(pagePath(car, page), words(page), { replace: true });
        if (isCurrent) link.setAttribute("aria-current", "page");
        const follow = (/** @type {MouseEvent} */ event) => {
          isByKeyboard = !isCurrent && event.detail === 0 && !opensElsewhere(event);
        };
        // Before the link opens its page.
        link.addEventListener("click", follow, { capture: true });
        return link;
      }),
    );
  }
}
