/** The texts of the dashboard. */

import assert from "node:assert/strict";
import test from "node:test";

import {
  isRightToLeft,
  loadWords,
  loadWordsForCards,
} from "../../custom_components/vehicle_remote_access/dashboard/www/words.js";
import { createHass } from "./home.js";

const KEY = "component.vehicle_remote_access.common.";

const page = {};
globalThis.document = { querySelector: () => page };

/** A page with texts of a language, which each test needs for itself, because loaded texts are kept. */
function createHome(language, texts) {
  const loaded = {};
  const home = createHass({
    language,
    calls: 0,
    texts,
    // While it loads the texts of an integration, and after an error, it answers further calls without waiting.
    loadBackendTranslation: async (_, integration = "all") => {
      home.calls += 1;
      if (!loaded[integration]) {
        loaded[integration] = {};
        await new Promise(setImmediate);
        if (home.texts instanceof Error) throw home.texts;
        loaded[integration] = home.texts;
      }
      const found = { ...loaded.all, ...loaded.vehicle_remote_access };
      return (key, values) => found[key.replace(KEY, "")]?.replace("{name}", values?.name) ?? "";
    },
  });
  page.hass = home;
  return home;
}

test("simultaneous loads share one call", async () => {
  const home = createHome("de-1", { cars: "Autos", log_of: "Log von {name}" });
  const [words, others] = await Promise.all([loadWords(home), loadWords(home)]);
  assert.equal(words("cars"), "Autos");
  assert.equal(others("log_of", { name: "Comet" }), "Log von Comet");
  await loadWords(home);
  assert.equal(home.calls, 1);
});

test("each language is loaded", async () => {
  const [german, french] = [createHome("de-2", { cars: "Autos" }), createHome("fr-2", { cars: "Voitures" })];
  assert.equal((await loadWords(german))("cars"), "Autos");
  assert.equal((await loadWords(french))("cars"), "Voitures");
});

test("the text of a key without a translation is the key in words", async () => {
  const words = await loadWords(createHome("de-3", { cars: "Autos" }));
  assert.equal(words("no_such_text"), "No such text");
});

test("texts are loaded again after a failure", async (t) => {
  const warn = t.mock.method(console, "warn", () => undefined);
  const home = createHome("de-4", new Error("offline"));
  assert.equal((await loadWords(home))("no_cars"), "No cars");
  assert.equal(warn.mock.callCount(), 1);
  home.texts = { cars: "Autos" };
  assert.equal((await loadWords(home))("cars"), "Autos");
});

test("texts are loaded again if Home Assistant did not have them", async () => {
  const home = createHome("de-5", { cars: "" });
  assert.equal((await loadWords(home))("cars"), "Cars");
  home.texts.cars = "Autos";
  assert.equal((await loadWords(home))("cars"), "Autos");
});

test("texts are loaded again if the language of the page has changed", async () => {
  const home = createHome("de-7", { cars: "Cars" });
  page.hass = { language: "en-7" };
  assert.equal((await loadWords(home))("cars"), "Cars");
  Object.assign(home.texts, { cars: "Autos" });
  page.hass = home;
  await loadWords(home);
  await loadWords(home);
  assert.equal(home.calls, 2);
});

test("texts say which language they are in", async () => {
  assert.equal((await loadWords(createHome("de-6", { cars: "Autos", language: "de" }))).language, "de");
  assert.equal((await loadWords(createHome("xx-6", { cars: "Cars" }))).language, "en");
});

test("English texts keep their direction on a page that is written from right to left", async () => {
  const english = { cars: "Cars", language: "en" };
  assert.equal((await loadWordsForCards(createHome("he", english)))("cars"), "\u2068Cars\u2069");
  assert.equal((await loadWordsForCards(createHome("en", english)))("cars"), "Cars");
});

test("the direction of an unknown language is from left to right", () => {
  assert.equal(isRightToLeft(createHass(), "he"), true);
  assert.equal(isRightToLeft(createHass(), "xx"), false);
  assert.equal(isRightToLeft({}, "he"), false);
});
