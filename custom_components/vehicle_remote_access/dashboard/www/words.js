/** The texts of the dashboard in the user's language. */

export const DOMAIN = "vehicle_remote_access";
/** The path of the sidebar's dashboard. The names of the strategies and cards start with it. */
export const URL_PATH = "vehicle-remote-access";

/** The text for a key without a translation: the key itself, which is English. */
const readable = (/** @type {string} */ key) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");

const textKey = (/** @type {string} */ key) => `component.${DOMAIN}.common.${key}`;

/** The texts that are loaded or being loaded, by language. */
const loads = /** @type {Map<string, Promise<Words>>} */ (new Map());

async function load(/** @type {Hass} */ hass) {
  /** @type {Localize | undefined} */
  let localize;
  try {
    localize = await hass.loadBackendTranslation("common", DOMAIN);
    // After an error, Home Assistant does not load the texts of one integration again. It loads those of all.
    if (!localize(textKey("cars"))) localize = await hass.loadBackendTranslation("common");
  } catch (error) {
    console.warn(`${DOMAIN}: no translations`, error);
  }
  const hasChanged = (await getPageHass()).language !== hass.language;
  // The next call tries again.
  if (hasChanged || !localize?.(textKey("cars"))) loads.delete(hass.language);
  const words = (/** @type {string} */ key, /** @type {Record<string, unknown>=} */ values) =>
    localize?.(textKey(key), values) || readable(key);
  // Home Assistant returns the English texts if there is no translation.
  return Object.assign(words, { language: localize?.(textKey("language")) || "en" });
}

/** Whether a language is written from right to left. */
export const isRightToLeft = (/** @type {HassFormats} */ hass, /** @type {string} */ language) =>
  Boolean(hass.translationMetadata?.translations[language]?.isRTL);

/** A text that keeps its own direction within another text. */
export const isolated = (/** @type {string} */ text) => `\u2068${text}\u2069`;

/** While Home Assistant loads texts, it answers further calls without waiting. So all callers share one. */
export function loadWords(/** @type {Hass} */ hass) {
  const words = loads.get(hass.language) ?? load(hass);
  loads.set(hass.language, words);
  return words;
}

/** The texts on Home Assistant's cards: English ones keep their direction in the page's. */
export async function loadWordsForCards(/** @type {Hass} */ hass) {
  const words = await loadWords(hass);
  const hasPageDirection = isRightToLeft(hass, words.language) === isRightToLeft(hass, hass.language);
  const isolatedWords = (/** @type {Parameters<Words>} */ ...args) => isolated(words(...args));
  return hasPageDirection ? words : Object.assign(isolatedWords, { language: words.language });
}

/** Return the page's `hass` object as soon as it exists. There is no event for that. */
export async function getPageHass() {
  const page = document.querySelector("home-assistant");
  while (!page?.hass?.language) await new Promise(requestAnimationFrame);
  return page.hass;
}
