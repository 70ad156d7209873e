// Axes and stacks of plots, and months.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastDay, monthsBefore } from "../src/pages/parts/months.js";
import { labelStep, stacked, ticks } from "../src/pages/parts/scale.js";

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
