// Reading data for a page. Earlier data stays visible while newer data loads.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { guarded } from "./api.js";
import { cell } from "./cell.js";

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  isBusy: boolean;
  reload: () => void;
}

/** How many reads are under way. `main` is busy while there is one. */
export const reads = cell(0);

/** Reads when `key` changes. A key of null reads nothing. */
export function useLoad<T>(key: string | null, read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isBusy: boolean }>({ isBusy: key !== null });
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    if (key === null) {
      return undefined;
    }
    let isCurrent = true;
    const finish = (update: (earlier: { data?: T; error?: unknown }) => { data?: T; error?: unknown }): void => {
      if (isCurrent) {
        setState((earlier) => ({ ...update(earlier), isBusy: false }));
      }
    };
    setState((earlier) => ({ ...earlier, isBusy: true }));
    reads.set(reads.get() + 1);
    guarded(() => latest.current())
      .then(
        (data) => finish(() => ({ data })),
        (error: unknown) => finish((earlier) => ({ ...earlier, error })),
      )
      .finally(() => reads.set(reads.get() - 1));
    return () => {
      isCurrent = false;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((round) => round + 1), []);
  return { data: state.data, error: state.error, isBusy: state.isBusy, reload };
}

/** Whether something is slow enough to show that it loads: what comes within 150 ms does not flicker. */
export function useSlow(isBusy: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isBusy) {
      setSlow(false);
      return undefined;
    }
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, [isBusy]);
  return isSlow;
}
