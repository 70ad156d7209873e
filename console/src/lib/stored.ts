// Settings of this browser. A browser that stores nothing still works.

import { cell, type Cell } from "./cell.js";

/** A setting with its value before it is changed. */
export function stored(name: string, first: string): Cell<string> {
  const key = `perennial.${name}`;
  const inner = cell(read(key) ?? first);
  return {
    ...inner,
    set(value) {
      try {
        localStorage.setItem(key, value);
      } catch {
        // Then it lasts until the page is closed.
      }
      inner.set(value);
    },
  };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
