// What users are entitled to, answered from memory. The feed of events names what has changed, and that is dropped.
//
// An answer is kept only if the feed was open before the answer was asked for, and named nothing while it was on its way:
// no change can fall in between.

import { internalsOf, type Perennial } from "./client.js";
import { decide, EntitlementEntries, type EntitlementDecision, type Entry } from "./entitlement_entries.js";
import { reach } from "./entitlement_events.js";
import { EntitlementSource, type UserEntitlements } from "./entitlement_source.js";
import { WAIT_SECONDS } from "./events.js";
import type { Event } from "./generated/types.js";
import { each } from "./pages.js";
import { CursorGone, PerennialProblem } from "./problem.js";
import { mayPass } from "./retry.js";

export interface EntitlementCacheOptions {
  /** For how many seconds answers are used after the feed was last heard from, 300 unless given. */
  staleSeconds?: number | undefined;
  /** What `check` returns if an answer is needed and the service gives none: `deny` unless given. */
  onUnavailable?: "deny" | "allow" | undefined;
  /** The number of users that are kept in memory, 10,000 unless given. */
  maxUsers?: number | undefined;
  /** Called when the feed cannot be read, such as for want of the scope `events:read`. It is tried again. */
  onFeedError?: ((failure: unknown) => void) | undefined;
}

const TYPES = ["subscription.*", "plan.updated", "feature.*", "member.*", "usage.*"];
/** The first pause after the feed failed; each next one is twice as long. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const NOBODY_ASKED: EntitlementDecision = Object.freeze({ allowed: false, value: null, remaining: null, reason: "unavailable" });

/** A load in progress, and how many events had been seen when it began. */
interface Loading {
  events: number;
  answer: Promise<UserEntitlements>;
}

/**
 * Entitlements in memory. The client needs the scopes `entitlements:read` and `events:read`; with `subscriptions:read` a change of
 * a subscription drops its members only, and everyone otherwise. Quotas are always asked for. Call `close` when you are done.
 */
export class EntitlementCache {
  readonly #client: Perennial;
  readonly #source: EntitlementSource;
  readonly #now: () => number;
  readonly #staleMs: number;
  readonly #unavailable: EntitlementDecision;
  readonly #onFeedError: ((failure: unknown) => void) | undefined;
  readonly #entries: EntitlementEntries;
  readonly #loading = new Map<string, Loading>();
  /** Features whose use is counted. A feature's kind never changes. */
  readonly #quotas = new Set<string>();
  readonly #stop = new AbortController();
  /** When the feed was last heard from. */
  #heardAt = -Infinity;
  #events = 0;

  constructor(client: Perennial, options: EntitlementCacheOptions = {}) {
    const { caller, now, sleep } = internalsOf(client);
    this.#client = client;
    this.#source = new EntitlementSource(caller);
    this.#now = now;
    this.#staleMs = (options.staleSeconds ?? 300) * 1000;
    const allows = options.onUnavailable === "allow";
    this.#unavailable = allows ? Object.freeze({ ...NOBODY_ASKED, allowed: true }) : NOBODY_ASKED;
    this.#onFeedError = options.onFeedError;
    this.#entries = new EntitlementEntries(options.maxUsers ?? 10_000);
    void this.#follow(sleep);
  }

  /**
   * All entitlements of a user. `used` and `remaining` of quotas are those of when they were read. If there is no answer in memory and
   * the service gives none, the failure is thrown; with `onUnavailable: "allow"` the last answer is returned, if there was one.
   */
  async get(user: string): Promise<UserEntitlements> {
    const entry = this.#fresh(user);
    if (entry !== undefined) {
      return entry.answer;
    }
    try {
      return await this.#load(user);
    } catch (failure) {
      const last = this.#unavailable.allowed && isUnavailable(failure) ? this.#entries.get(user) : undefined;
      if (last === undefined) {
        throw failure;
      }
      return last.answer;
    }
  }

  /** Whether a user may use a feature, or `need` of it. */
  async check(user: string, feature: string, need = 1): Promise<EntitlementDecision> {
    if (!Number.isSafeInteger(need) || need < 1) {
      throw new TypeError(`\`need\` must be a positive integer; ${need} is not.`);
    }
    const known = this.#fresh(user)?.decided(feature, need);
    if (known !== undefined) {
      return known;
    }
    try {
      return await this.#ask(user, feature, need);
    } catch (failure) {
      if (!isUnavailable(failure)) {
        throw failure;
      }
      return this.#unavailable;
    }
  }

  /** Stops following the feed. Every call asks the service from then on. */
  close(): void {
    this.#stop.abort();
    this.#heardAt = -Infinity;
    this.#entries.clear();
  }

  #fresh(user: string): Entry | undefined {
    const entry = this.#entries.get(user);
    if (entry === undefined) {
      return undefined;
    }
    const now = this.#now();
    return now < entry.validUntil && now - this.#heardAt <= this.#staleMs ? entry : undefined;
  }

  async #ask(user: string, feature: string, need: number): Promise<EntitlementDecision> {
    if (!this.#quotas.has(feature) && this.#fresh(user) === undefined) {
      const decision = decide(await this.#load(user), feature, need);
      if (decision !== undefined) {
        return decision;
      }
    }
    const entry = this.#fresh(user);
    const events = this.#events;
    const { kind, allowed, value, remaining, reason } = await this.#source.check(user, feature, need);
    const decision: EntitlementDecision = Object.freeze({ allowed, value, remaining, reason });
    if (kind === "quota") {
      this.#quotas.add(feature);
    } else if (value === null && events === this.#events) {
      entry?.remember(feature, decision);
    }
    return decision;
  }

  /** Asks the service. Calls at the same time share one request, unless the feed said something in between. */
  #load(user: string): Promise<UserEntitlements> {
    const events = this.#events;
    const running = this.#loading.get(user);
    if (running?.events === events) {
      return running.answer;
    }
    const isCovered = this.#heardAt > -Infinity;
    const loading: Loading = { events, answer: this.#source.get(user) };
    this.#loading.set(user, loading);
    const finish = (answer?: UserEntitlements): void => {
      if (this.#loading.get(user) === loading) {
        this.#loading.delete(user);
      }
      if (answer !== undefined && isCovered && events === this.#events && !this.#stop.signal.aborted) {
        this.#entries.put(user, answer);
      }
    };
    loading.answer.then(finish, () => finish());
    return loading.answer;
  }

  async #follow(sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    // The feed is heard from twice before an answer is stale.
    const waitSeconds = Math.min(Math.max(Math.floor(this.#staleMs / 2_000), 1), WAIT_SECONDS);
    let cursor: string | undefined;
    let pause = PAUSE_MS;
    const onCursor = (next: string): void => {
      cursor = next;
      pause = PAUSE_MS;
      this.#heardAt = signal.aborted ? -Infinity : this.#now();
    };
    while (!signal.aborted) {
      try {
        for await (const event of this.#client.events({ types: TYPES, start: "newest", cursor, onCursor, waitSeconds, signal })) {
          await this.#apply(event);
        }
      } catch (failure) {
        if (signal.aborted) {
          return;
        }
        if (failure instanceof CursorGone) {
          // Events were missed.
          cursor = undefined;
          this.#heardAt = -Infinity;
          this.#forget();
        }
        this.#onFeedError?.(failure);
        await sleep(pause, signal).catch(() => undefined);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  async #apply(event: Event): Promise<void> {
    this.#events += 1;
    const reached = reach(event);
    if (reached === "everyone") {
      this.#forget();
      return;
    }
    for (const name of reached.names) {
      this.#entries.drop(name);
    }
    if (reached.membersOf !== undefined && this.#entries.size > 0) {
      await this.#dropMembers(reached.membersOf);
    }
  }

  /** A member whom the subscription gave nothing until now does not have it among its sources. */
  async #dropMembers(subscription: string): Promise<void> {
    try {
      const { signal } = this.#stop;
      for await (const { user_id } of each((cursor) => this.#source.members(subscription, cursor, { signal }), undefined)) {
        this.#entries.drop(user_id);
      }
    } catch (failure) {
      const isDeleted = failure instanceof PerennialProblem && failure.status === 404;
      if (!isDeleted) {
        this.#forget();
      }
    }
  }

  #forget(): void {
    this.#events += 1;
    this.#entries.clear();
  }
}

/** Whether the service could not answer. A refusal, such as of an unknown user, is an answer. */
function isUnavailable(failure: unknown): boolean {
  return mayPass(failure, true) || (failure instanceof PerennialProblem && failure.status >= 500);
}
