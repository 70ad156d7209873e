// The organization's time: real time, or that of its test clock.

import { guarded, PerennialProblem, readTestClock, type TestClock } from "./api.js";
import { cell } from "./cell.js";
import { can, currentSession } from "./session.js";

/** Undefined until it is read; null if there is none. */
export const testClock = cell<TestClock | null | undefined>(undefined);

/** Only a test organization can have a clock. */
export const isTest = (): boolean => currentSession()?.organization.mode === "test" && can("organization:read");

export async function readClock(): Promise<TestClock | null> {
  if (!isTest()) {
    return null;
  }
  let clock: TestClock | null = null;
  try {
    clock = await guarded(readTestClock);
  } catch (failure) {
    if (!(failure instanceof PerennialProblem && failure.status === 404)) {
      throw failure;
    }
  }
  testClock.set(clock);
  return clock;
}

/** As far as it is known. */
export function now(): number {
  const clock = testClock.get();
  return clock === null || clock === undefined ? Date.now() : Date.parse(clock.now);
}

/** Whether the clock changes without another call. */
export const isMoving = (clock: TestClock | null | undefined): boolean => ["working", "advancing", "deleting"].includes(clock?.status ?? "");
