// What can go wrong: the service refuses, it does not answer, or something else answers in its place.

import type { Fault, Instant, Problem, ProblemCode } from "./generated/types.js";

/** Everything this package throws, but for the reason of an `AbortSignal` and mistakes in how it is called. */
export class PerennialError extends Error {
  /** How often the call was tried. After more than one, an earlier attempt may have worked without our hearing of it. */
  attempts = 1;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The service refused. `code` is stable; what each means is in the service's `/docs/errors`. */
export class PerennialProblem extends PerennialError {
  readonly status: number;
  /** A service that is newer than this package may have codes that the type does not. */
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  /** All that is wrong with the input, each with a JSON pointer, a parameter or a header. */
  readonly errors: readonly Fault[];
  /** The whole document, with what only some problems have: `required_scope`, `conflicting_id`, `allowed` … */
  readonly problem: Readonly<Problem>;
  /** How long the service asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs?: number) {
    super(`${problem.code}: ${problem.title}. ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** The faults at a JSON pointer: `problem.at("/price")`. */
  at(pointer: string): readonly Fault[] {
    return this.errors.filter((fault) => fault.pointer === pointer);
  }
}

/** The feed of events no longer continues at this cursor. Read your records again, then read the feed from `start: "oldest"`. */
export class CursorGone extends PerennialProblem {
  /** When the oldest event entered the feed. */
  readonly oldest: Instant | null;
  /** False if the events after the cursor were pruned; true if the database was restored to an earlier state. */
  readonly restored: boolean;

  constructor(problem: Problem, retryAfterMs?: number) {
    super(problem, retryAfterMs);
    this.oldest = problem.oldest ?? null;
    this.restored = problem.restored ?? false;
  }
}

/** There was no answer. `cause` says why. */
export class ConnectionFailed extends PerennialError {}

/** The answer did not come in time. */
export class TimedOut extends ConnectionFailed {}

/** What answered does not speak as the service does: a proxy, or a wrong address. */
export class UnexpectedAnswer extends PerennialError {
  constructor(
    readonly status: number,
    readonly body: string,
    readonly retryAfterMs: number | undefined = undefined,
    what = "is not one of Perennial's",
  ) {
    super(`The answer with status ${status} ${what}. It begins: ${body.slice(0, 200)}`);
  }
}

/** A refusal as an error, whoever it comes from. */
export function refusal(status: number, headers: Headers, body: string, now: number): PerennialError {
  const retryAfterMs = waitAskedFor(headers.get("retry-after"), now);
  const problem = parsed(body);
  if (!isProblem(problem)) {
    return new UnexpectedAnswer(status, body, retryAfterMs);
  }
  return problem.code === "cursor_gone" ? new CursorGone(problem, retryAfterMs) : new PerennialProblem(problem, retryAfterMs);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  const problem = value as Partial<Problem> | null | undefined;
  return typeof problem?.code === "string" && typeof problem.status === "number";
}

/** `Retry-After`, in seconds or as a date. */
function waitAskedFor(header: string | null, now: number): number | undefined {
  if (header === null) {
    return undefined;
  }
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
