/** Links from the pages of a log. */

import assert from "node:assert/strict";
import test from "node:test";

import { linkToPrice } from "../../custom_components/vehicle_remote_access/dashboard/www/log_links.js";
import { createHass, words } from "./home.js";

globalThis.document = { createElement: () => ({ addEventListener: () => undefined }) };

test("administrators get a link to the price while no charge has a cost", () => {
  const hass = createHass({ user: { is_admin: true } });
  const car = { name: "Tessa" };
  const link = (charges, charges_without_cost, more = { hass }) =>
    linkToPrice({ words, car, ...more }, { charges, charges_without_cost });
  assert.equal(link(3, 3).href, "/config/integrations/integration/vehicle_remote_access");
  assert.equal(link(3, 3).textContent, "set_price: gear_icon Tessa");
  assert.equal(link(3, 2), undefined);
  assert.equal(link(0, 0), undefined);
  assert.equal(link(3, 3, { hass: createHass({ user: { is_admin: false } }) }), undefined);
  assert.equal(linkToPrice({ words, hass, car }, null), undefined);
});
