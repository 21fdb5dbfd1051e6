/** Our words, in the language of the person who looks. */

export const DOMAIN = "vehicle_remote_access";

/** What is left of a word whose translation did not come: the name of it, which is English. */
const readable = (key) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");

/** Return a function from a word's key, and what stands in it, to the word. */
export async function wordsOf(hass) {
  let localize;
  try {
    localize = await hass.loadBackendTranslation("common", DOMAIN);
  } catch (error) {
    console.warn(`${DOMAIN}: no translations`, error);
  }
  return (key, values) => localize?.(`component.${DOMAIN}.common.${key}`, values) || readable(key);
}

/** Return Home Assistant's state in this page, once the page has it. Nothing tells when that is. */
export async function hassOfPage() {
  const page = document.querySelector("home-assistant");
  while (!page?.hass?.language) await new Promise(requestAnimationFrame);
  return page.hass;
}
