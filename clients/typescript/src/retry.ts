// Whether a call is tried again, and when. Only what cannot be done twice by it is.

import type { ProblemCode } from "./generated/types.js";
import type { RetryOptions, Surroundings } from "./options.js";
import { ConnectionFailed, PerennialProblem, UnexpectedAnswer } from "./problem.js";

/** Refusals that say that nothing was changed, and that it may work soon. */
const NOTHING_DONE: ReadonlySet<ProblemCode> = new Set([
  "rate_limited",
  "contended",
  "idempotency_in_flight",
  "overloaded",
  "shutting_down",
  "storage_unavailable",
  "identity_provider_unavailable",
] as const);

/** Statuses that leave open whether something was done. */
const UNCERTAIN: ReadonlySet<number> = new Set([408, 502, 503, 504]);

export class Retries {
  readonly #attempts: number;
  readonly #firstWaitMs: number;
  readonly #longestWaitMs: number;
  readonly #random: Surroundings["random"];

  constructor(options: RetryOptions, random: Surroundings["random"]) {
    this.#attempts = options.attempts ?? 4;
    this.#firstWaitMs = options.firstWaitMs ?? 250;
    this.#longestWaitMs = options.longestWaitMs ?? 30_000;
    this.#random = random;
  }

  /** How long to wait before trying again, or nothing if that is not to be. */
  wait(failure: unknown, repeatable: boolean, attempt: number): number | undefined {
    if (attempt >= this.#attempts || !mayPass(failure, repeatable)) {
      return undefined;
    }
    // Between half and all of it, so that those who failed together do not come back together.
    const own = this.#firstWaitMs * 2 ** (attempt - 1) * (0.5 + this.#random() / 2);
    const asked = failure instanceof PerennialProblem || failure instanceof UnexpectedAnswer ? failure.retryAfterMs : undefined;
    if (asked === undefined) {
      return Math.min(own, this.#longestWaitMs);
    }
    return asked > this.#longestWaitMs ? undefined : asked + this.#random() * this.#firstWaitMs;
  }
}

/** Whether the same request may succeed later. */
export function mayPass(failure: unknown, repeatable: boolean): boolean {
  if (failure instanceof PerennialProblem) {
    return NOTHING_DONE.has(failure.code) || (repeatable && UNCERTAIN.has(failure.status));
  }
  if (failure instanceof UnexpectedAnswer) {
    return failure.status === 429 || (repeatable && UNCERTAIN.has(failure.status));
  }
  return repeatable && failure instanceof ConnectionFailed;
}
