/** What a click on the map of drives opens. */

import assert from "node:assert/strict";
import test from "node:test";

import { dayOf, hideDots, nearestTime } from "../../custom_components/vehicle_remote_access/dashboard/www/map.js";
import { createHass, setTimeZone } from "./home.js";

setTimeZone("Europe/Berlin");

test("a click opens the drive with the nearest point, in the distances of the map", () => {
  const tracks = [
    {
      points: [
        [60, 10, 100],
        [60, 11, 100],
      ],
    },
    { points: [[60.8, 10, 200]] },
  ];
  assert.equal(nearestTime(tracks, [60.01, 10.1]), 100_000);
  // At this latitude, a degree to the east is half as far as one to the north.
  assert.equal(nearestTime(tracks, [60.1, 11.2]), 100_000);
  assert.equal(nearestTime(tracks, [60.3, 10.0]), 100_000);
  assert.equal(nearestTime(tracks, [60.5, 10.0]), 200_000);
  assert.equal(nearestTime([], [60, 10]), undefined);
});

test("a click on a line without points opens its drive", () => {
  const line = [
    [60, 10, 100],
    [60, 12, 200],
  ];
  const tracks = [{ points: [[60.2, 10.8, 300]] }, { points: line }];
  assert.equal(nearestTime(tracks, [60.05, 10.9]), 100_000);
  assert.equal(nearestTime(tracks, [60.05, 11.1]), 200_000);
});

test("only places have a dot", () => {
  const map = {};
  hideDots(map);
  for (const other of [undefined, {}]) map._engine = other;
  map._engine = { addPath: ({ markers }) => markers.length };
  const paths = [{ segments: [1], markers: [1, 2] }, { segments: [], markers: [1] }, { markers: [1, 2] }];
  assert.deepEqual(paths.map(map._engine.addPath), [0, 1, 2]);
});

test("a click finds the nearest of very many points", () => {
  const points = Array.from({ length: 200_000 }, (_, index) => [60 + index / 1e6, 10, index]);
  assert.equal(nearestTime([{ points }], [60.1, 10]), 100_000_000);
});

test("the day of a drive is that of Home Assistant, by which the log is searched", () => {
  assert.equal(dayOf(createHass(), Date.parse("2026-11-25T02:00:00Z")), "2026-11-24");
});
