// A value that components can observe.

import { useEffect, useState } from "preact/hooks";

export interface Cell<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function cell<T>(first: T): Cell<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (!Object.is(next, value)) {
        value = next;
        for (const listener of [...listeners]) {
          listener();
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a cell; the component renders again when it changes. */
export function useCell<T>(observed: Cell<T>): T {
  const [, render] = useState({});
  const value = observed.get();
  useEffect(() => {
    // Effects run after the paint: the value may have changed since it was read.
    if (!Object.is(observed.get(), value)) {
      render({});
    }
    return observed.subscribe(() => render({}));
  }, [observed]);
  return value;
}
