// Axes and stacks of plots, and months.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastDay, monthsBefore } from "../src/pages/parts/months.js";
import { labelStep, short, stacked, ticks } from "../src/pages/parts/scale.js";

test("an axis has round values and includes zero", () => {
  assert.deepEqual(ticks([0, 37_058]), [0, 10_000, 20_000, 30_000, 40_000]);
  assert.deepEqual(ticks([-1_800, 4_900]), [-2_000, 0, 2_000, 4_000, 6_000]);
  assert.deepEqual(ticks([]), [0, 0.25, 0.5, 0.75, 1]);
  assert.ok(ticks([0, 0]).length >= 2);
  for (const value of [0.03, 1, 7, 99, 1234.5, 9e9]) {
    const marks = ticks([value]);
    assert.ok(marks[0] === 0 && marks.at(-1)! >= value && marks.length <= 6, `${value}: ${marks}`);
  }
});

test("labels of an axis are its values", () => {
  assert.deepEqual(ticks([0, 1]).map(short), ["0", "0.25", "0.5", "0.75", "1"]);
  assert.deepEqual(ticks([0.09]).map(short), ["0", "0.025", "0.05", "0.075", "0.1"]);
  assert.deepEqual(ticks([-0.3, 0.3]).map(short), ["-0.4", "-0.2", "0", "0.2", "0.4"]);
  assert.deepEqual(ticks([0, 10]).map(short), ["0", "2.5", "5", "7.5", "10"]);
  assert.deepEqual([37_058, 1_000, 2_500_000].map(short), ["37.1K", "1K", "2.5M"]);
});

test("gains are stacked above zero and losses below", () => {
  const bar = (series: string, value: number) => ({ series, value, label: "" });
  const places = stacked([bar("new", 5), bar("expansion", 0), bar("reactivation", 2), bar("contraction", -1), bar("churned", -3)]);
  assert.deepEqual(places.map(({ from, to }) => [from, to]), [[0, 5], [5, 7], [0, -1], [-1, -4]]);
});

test("labels do not overlap", () => {
  assert.equal(labelStep(12, 700), 1);
  assert.equal(labelStep(365, 700), 29);
});

test("months are counted across years", () => {
  assert.equal(monthsBefore("2026-01", 1), "2025-12");
  assert.equal(monthsBefore("2026-11", 23), "2024-12");
  assert.equal(lastDay("2028-02"), "2028-02-29");
});
