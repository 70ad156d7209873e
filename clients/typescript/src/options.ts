// What can be set: for a client once, and for each call.

import type { PerennialProblem } from "./problem.js";
import type { TokenStore } from "./session.js";

export interface ClientOptions {
  /** Where the service is: `https://billing.example.com`. */
  baseUrl: string;
  /** A public client's ID in a browser; on a server a trusted client's, which is a secret. Empty for an operator. */
  clientId: string;
  /**
   * `operator` sends the cookie of the operator who is signed in to the console instead of a client's ID. It works only on
   * pages of the service's origin.
   */
  credentials?: "client" | "operator" | undefined;
  /** Where the tokens of whoever signs in are kept; in memory unless given. */
  tokens?: TokenStore | undefined;
  /** Called when the session turns out to be over, with the problem that said so. */
  onSignedOut?: ((problem: PerennialProblem) => void) | undefined;
  retry?: RetryOptions | undefined;
  /** How long one attempt may take, 30 seconds unless given. */
  timeoutMs?: number | undefined;
  /** Headers for every call, such as `traceparent`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** What the client takes from around it, for tests and unusual places. */
  surroundings?: Partial<Surroundings> | undefined;
}

export interface RetryOptions {
  /** How often a call is tried, 4 unless given; 1 means never again. */
  attempts?: number | undefined;
  /** About how long the first wait is, 250 ms unless given; each next one is twice as long. */
  firstWaitMs?: number | undefined;
  /** How long a wait may be, 30 seconds unless given. Who is told to come back later than that gets the problem at once. */
  longestWaitMs?: number | undefined;
}

/** Time, chance and the network. */
export interface Surroundings {
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now: () => number;
  /** From 0 to 1. */
  random: () => number;
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  timeoutMs?: number | undefined;
  /** A person's access token for this call, in place of the session's. It is not refreshed. */
  token?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface CreateOptions extends CallOptions {
  /** The key that all attempts of this call share; a new one unless given. Give one that outlives the process. */
  idempotencyKey?: string | undefined;
}

export interface ReadOptions<T> extends CallOptions {
  /** A record that was read before. If it has not changed, it is what is answered, the very same. */
  ifNoneMatch?: T | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The record as it was read, or its entity tag: if it has changed since, the call is refused as `stale`. */
  ifMatch?: object | string | undefined;
}
