// WCAG 2.2 AA as numbers: text has a contrast of at least 4.5, edges of controls of at least 3, in both themes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync("src/style/tokens.css", "utf8");
const tokens = new Map([...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [name!, [light!, dark!] as const]));

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function check(front: string, backs: readonly string[], least: number): void {
  for (const back of backs) {
    for (const theme of [0, 1] as const) {
      const measured = contrast(tokens.get(front)![theme], tokens.get(back)![theme]);
      assert.ok(measured >= least, `${front} on ${back}, theme ${theme}: ${measured.toFixed(2)} < ${least}`);
    }
  }
}

test("text can be read on every background that it is used on", () => {
  for (const name of ["text", "faint", "accent"]) {
    check(name, ["page", "surface", "soft"], 4.5);
  }
  check("danger", ["page", "surface"], 4.5);
  check("on-accent", ["accent"], 4.5);
  for (const tone of ["good", "wait", "bad", "over"]) {
    check(tone, [`${tone}-soft`], 4.5);
  }
});

test("edges of controls can be seen", () => {
  check("edge", ["page", "surface"], 3);
  check("accent", ["page", "surface"], 3);
});

test("bars and lines can be seen on their card", () => {
  for (const series of ["new", "expansion", "reactivation", "contraction", "churned"]) {
    check(`plot-${series}`, ["surface"], 3);
  }
});
