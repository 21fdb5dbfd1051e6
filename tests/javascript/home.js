/** What the scripts get from Home Assistant's frontend, as far as they use it. */

const LOCALE = { number_format: "language", time_format: "language", time_zone: "local" };

/** Return a `hass` object. Its user and its server are in different time zones. */
export const createHass = ({ language = "en", locale, config, ...more } = {}) => ({
  language,
  locale: { language, ...LOCALE, ...locale },
  config: { time_zone: "America/New_York", components: [], unit_system: { temperature: "°C" }, ...config },
  translationMetadata: { translations: { en: {}, de: {}, he: { isRTL: true } } },
  localize: (key) => key,
  loadBackendTranslation: async () => () => "",
  formatEntityState: ({ state }) => `the state ${state}`,
  formatEntityName: ({ attributes }) => attributes.friendly_name,
  formatEntityAttributeName: (state, name) => `the ${name}`,
  formatEntityAttributeValue: ({ attributes }, name) => `the ${name} ${attributes[name]}`,
  states: {},
  entities: {},
  devices: {},
  ...more,
});

/** The state of an entity. */
export const createState = (state, attributes = {}, last_changed = "2020-01-01T00:00:00Z") => ({
  state,
  attributes,
  last_changed,
});

/** The key of a text, with the values of its placeholders. */
export const words = (key, values = {}) => [key, ...Object.values(values)].join(" ");

/** Set the time zone of the user's device. Each file of tests runs in a process of its own. */
export const setTimeZone = (name) => {
  process.env.TZ = name;
};

/** Let the time stand still. */
export const setTime = (test, time, ...apis) =>
  test.mock.timers.enable({ apis: ["Date", ...apis], now: new Date(time) });

/** A text with plain spaces and apostrophes. Which ones a language has changes between versions of Node. */
export const spaced = (text) => text?.replace(/[\u00a0\u2009\u202f]/g, " ").replaceAll("’", "'");

/** Wait until nothing more happens without a timer. */
export const settled = () => new Promise(setImmediate);
