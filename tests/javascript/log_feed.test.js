/** What a page shows of a car's log, while the log changes and connections fail. */

import assert from "node:assert/strict";
import test from "node:test";

import { LogFeed } from "../../custom_components/vehicle_remote_access/dashboard/www/log_feed.js";
import { settled } from "./home.js";

const DRIVE = { kind: "drive" };
const UNAVAILABLE = { code: "home_assistant_error", message: "The account is not loaded" };
const UNAUTHORIZED = { code: "unauthorized", message: "Unauthorized" };

/** A page with a feed. Its connection to Home Assistant and its loads end when the test lets them end. */
class Page {
  /** For each subscription its `message`, `options`, what `receive`s its events, and whether it `isActive`. */
  subscriptions = [];
  /** For each load the value before it, and what ends it. */
  loads = [];
  listeners = { ready: new Set() };
  changes = 0;
  openChanges = 0;

  constructor({ subscribes = async () => undefined } = {}) {
    this.subscribes = subscribes;
    const connection = {
      addEventListener: (type, listener) => this.listeners[type].add(listener),
      removeEventListener: (type, listener) => this.listeners[type].delete(listener),
      subscribeMessage: async (receive, message, options) => {
        await this.subscribes();
        const subscription = { receive, message, options, isActive: true };
        this.subscriptions.push(subscription);
        return async () => {
          subscription.isActive = false;
        };
      },
    };
    this.feed = new LogFeed(
      { connection, callWS: async (message) => message },
      "car",
      (send, before) => {
        const { promise, resolve, reject } = Promise.withResolvers();
        this.loads.push({ send, before, resolve, reject });
        return promise;
      },
      () => (this.changes += 1),
      () => (this.openChanges += 1),
    );
  }

  /** Let the log change. */
  async receive(revision, open = []) {
    this.subscriptions.at(-1).receive({ revision, open });
    await settled();
  }

  async answer(value) {
    this.loads.at(-1).resolve(value);
    await settled();
  }

  async fail(error) {
    this.loads.at(-1).reject(error);
    await settled();
  }

  /** Let the connection be ready again. */
  async reconnect() {
    for (const listener of this.listeners.ready) listener();
    await settled();
  }

  get active() {
    return this.subscriptions.filter(({ isActive }) => isActive).length;
  }
}

/** A page that shows the value `first` of revision 1. */
async function openPage() {
  const page = new Page();
  await settled();
  await page.receive(1);
  await page.answer("first");
  return page;
}

test("the log is loaded when Home Assistant sends its revision", async () => {
  const page = new Page();
  await settled();
  assert.equal(page.loads.length, 0);
  const [{ message, options }] = page.subscriptions;
  assert.deepEqual(message, { type: "vehicle_remote_access/log/subscribe", device_id: "car" });
  // The account may not be loaded yet when the connection is ready again.
  assert.deepEqual(options, { resubscribe: false });
  await page.receive(1, [DRIVE]);
  assert.equal(page.changes, 0);
  await page.answer("first");
  assert.deepEqual([page.feed.value, page.feed.error, page.feed.open], ["first", undefined, [DRIVE]]);
  assert.deepEqual([page.loads.length, page.changes, page.openChanges], [1, 1, 0]);
});

test("a load sends commands about the car, and knows the value before", async () => {
  const page = await openPage();
  const [{ send, before }] = page.loads;
  assert.equal(before, undefined);
  const message = { type: "vehicle_remote_access/log/list", device_id: "car", limit: 5 };
  assert.deepEqual(await send("list", { limit: 5 }), message);
  await page.receive(2);
  assert.equal(page.loads.at(-1).before, "first");
});

test("a new revision during a load loads again", async () => {
  const page = await openPage();
  await page.receive(2);
  await page.receive(3, [DRIVE]);
  assert.equal(page.loads.length, 2);
  await page.answer("second");
  // What has not ended fits to the third revision only.
  assert.deepEqual([page.feed.value, page.feed.open, page.loads.length], ["second", [], 3]);
  await page.answer("third");
  assert.deepEqual([page.feed.value, page.feed.open, page.loads.length], ["third", [DRIVE], 3]);
});

test("what is wanted now is loaded after what was wanted before", async () => {
  const page = await openPage();
  page.feed.refresh();
  page.feed.refresh();
  assert.equal(page.loads.length, 2);
  await page.answer("before");
  assert.deepEqual([page.feed.value, page.loads.length], ["before", 3]);
  await page.answer("now");
  assert.deepEqual([page.feed.value, page.loads.length], ["now", 3]);
});

test("a change of an open entry loads nothing", async () => {
  const page = await openPage();
  await page.receive(1, [DRIVE]);
  assert.deepEqual([page.feed.open, page.openChanges], [[DRIVE], 1]);
  assert.deepEqual([page.loads.length, page.changes], [1, 1]);
});

test("a change of an open entry is shown after the current load", async () => {
  const page = await openPage();
  await page.receive(2);
  await page.receive(2, [DRIVE]);
  assert.deepEqual([page.feed.open, page.openChanges], [[], 0]);
  await page.answer("second");
  assert.deepEqual([page.feed.open, page.loads.length], [[DRIVE], 2]);
});

test("the page loads more with another function, but not twice at once", async () => {
  const page = await openPage();
  const { promise, resolve } = Promise.withResolvers();
  const update = page.feed.update((send, before) => promise.then((more) => `${before} and ${more}`));
  await page.feed.update();
  assert.equal(page.loads.length, 1);
  resolve("more");
  await update;
  assert.equal(page.feed.value, "first and more");
});

test("what failed is tried again after ten seconds", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = await openPage();
  await page.receive(2);
  await page.fail(UNAVAILABLE);
  assert.deepEqual([page.feed.error, page.feed.value, page.changes], [UNAVAILABLE, "first", 2]);
  t.mock.timers.tick(9999);
  assert.equal(page.loads.length, 2);
  t.mock.timers.tick(1);
  assert.equal(page.loads.length, 3);
  await page.answer("second");
  assert.deepEqual([page.feed.error, page.feed.value], [undefined, "second"]);
  t.mock.timers.tick(60_000);
  assert.equal(page.loads.length, 3);
});

test("a subscription that failed is tried again after ten seconds", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = new Page({ subscribes: () => Promise.reject(UNAVAILABLE) });
  await settled();
  assert.deepEqual([page.feed.error, page.changes], [UNAVAILABLE, 1]);
  page.subscribes = async () => undefined;
  t.mock.timers.tick(10_000);
  await settled();
  assert.equal(page.active, 1);
  await page.receive(1);
  await page.answer("first");
  assert.deepEqual([page.feed.error, page.feed.value], [undefined, "first"]);
});

test("the user tries again what failed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = await openPage();
  await page.receive(2);
  await page.fail(UNAVAILABLE);
  page.feed.retry();
  await page.answer("second");
  assert.deepEqual([page.feed.value, page.loads.length], ["second", 3]);
  t.mock.timers.tick(10_000);
  assert.deepEqual([page.loads.length, page.active], [3, 1]);
});

test("after an error, the next event loads again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = await openPage();
  await page.receive(2);
  await page.fail(UNAVAILABLE);
  await page.receive(2);
  await page.answer("second");
  assert.deepEqual([page.feed.error, page.feed.value], [undefined, "second"]);
});

test("without permission, only the user tries again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = new Page({ subscribes: () => Promise.reject(UNAUTHORIZED) });
  await settled();
  assert.equal(page.feed.error, UNAUTHORIZED);
  page.subscribes = async () => undefined;
  t.mock.timers.tick(60_000);
  await settled();
  assert.equal(page.active, 0);
  page.feed.retry();
  await settled();
  assert.equal(page.active, 1);
});

test("when the connection is ready again, the page subscribes again", async () => {
  const page = await openPage();
  await page.reconnect();
  assert.equal(page.subscriptions.length, 2);
  await page.receive(1);
  assert.equal(page.loads.length, 1);
  // Only the last subscription counts.
  page.subscriptions[0].receive({ revision: 7, open: [] });
  assert.equal(page.loads.length, 1);
  await page.receive(2);
  assert.equal(page.loads.length, 2);
});

test("of two simultaneous attempts to subscribe, only the last one stays", async () => {
  const first = Promise.withResolvers();
  const page = new Page({ subscribes: () => first.promise });
  page.subscribes = async () => undefined;
  await page.reconnect();
  first.resolve();
  await settled();
  assert.deepEqual([page.subscriptions.length, page.active], [2, 1]);
  assert.equal(page.subscriptions[0].isActive, true);
  page.feed.stop();
  assert.equal(page.active, 0);
});

test("a page that is closed unsubscribes", async () => {
  const page = await openPage();
  page.feed.stop();
  assert.deepEqual([page.active, page.listeners.ready.size], [0, 0]);
  await page.receive(2);
  assert.equal(page.loads.length, 1);
});

test("a page that is closed while it subscribes unsubscribes later", async () => {
  const attempt = Promise.withResolvers();
  const page = new Page({ subscribes: () => attempt.promise });
  page.feed.stop();
  attempt.resolve();
  await settled();
  assert.deepEqual([page.subscriptions.length, page.active], [1, 0]);
});

for (const [how, end] of [
  ["an answer", (page) => page.answer("second")],
  ["an error", (page) => page.fail(UNAVAILABLE)],
]) {
  test(`${how} after the page was closed changes nothing`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const page = await openPage();
    await page.receive(2);
    page.feed.stop();
    await end(page);
    t.mock.timers.tick(60_000);
    assert.deepEqual([page.feed.value, page.feed.error], ["first", undefined]);
    assert.deepEqual([page.loads.length, page.changes], [2, 1]);
  });
}

test("an error is not tried again after the page was closed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = await openPage();
  await page.receive(2);
  await page.fail(UNAVAILABLE);
  page.feed.stop();
  t.mock.timers.tick(60_000);
  assert.equal(page.loads.length, 2);
});
