/** Paths of pages, and links to them. */

/** The path of the view with a page of a car's log, in the same dashboard. */
export const pagePath = (/** @type {{ id: string }} */ { id }, /** @type {string} */ page) => `${id}-${page}`;

/** Open a path of the web interface. With `replace`, Back returns to the page before the current one. */
function navigate(/** @type {string} */ path, { replace = false }) {
  if (replace) history.replaceState(history.state, "", path);
  else history.pushState(null, "", path);
  window.dispatchEvent(new CustomEvent("location-changed", { detail: { replace } }));
}

/** Whether a click opens a link in another tab or window. */
export const opensElsewhere = (/** @type {MouseEvent} */ { button, metaKey, ctrlKey, shiftKey }) =>
  Boolean(button) || metaKey || ctrlKey || shiftKey;

/** Let a link open its page within the web interface, unless the user opens it in another tab. */
export function openWithin(/** @type {HTMLAnchorElement} */ link, options = { replace: false }) {
  link.addEventListener("click", (event) => {
    if (opensElsewhere(event)) return;
    event.preventDefault();
    navigate(link.getAttribute("href") ?? "", options);
  });
}
