/** The texts of the dashboard in the user's language. */

export const DOMAIN = "vehicle_remote_access";

/** The text for a key without a translation: the key itself, which is English. */
const readable = (key) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");

/** Return a function that returns the text for a key and its placeholder values. */
export async function loadWords(hass) {
  let localize;
  try {
    localize = await hass.loadBackendTranslation("common", DOMAIN);
  } catch (error) {
    console.warn(`${DOMAIN}: no translations`, error);
  }
  return (key, values) => localize?.(`component.${DOMAIN}.common.${key}`, values) || readable(key);
}

/** Return the page's `hass` object as soon as it exists. There is no event for that. */
export async function getPageHass() {
  const page = document.querySelector("home-assistant");
  while (!page?.hass?.language) await new Promise(requestAnimationFrame);
  return page.hass;
}
