// The answers of `EntitlementCache`: by user, and by whatever else they name, so that an event drops what it concerns.

import type { UserEntitlements } from "./entitlement_source.js";

/** Whether a user may use a feature. */
export interface EntitlementDecision {
  readonly allowed: boolean;
  readonly value: boolean | number | "unlimited" | null;
  /** What is left of a quota; null for other kinds. */
  readonly remaining: number | "unlimited" | null;
  /** Null if allowed. The API's reasons, and `unavailable` if the service gave no answer. */
  readonly reason: "feature_inactive" | "no_subscription" | "not_granted" | "limit_reached" | "unavailable" | null;
}

/** One user's answer, and what was decided from it. */
export class Entry {
  readonly answer: UserEntitlements;
  /** Milliseconds since 1970. */
  readonly validUntil: number;
  readonly #decisions = new Map<string, { need: number; decision: EntitlementDecision }>();
  readonly #absent = new Map<string, EntitlementDecision>();

  constructor(answer: UserEntitlements) {
    this.answer = answer;
    this.validUntil = answer.valid_until === null ? Infinity : Date.parse(answer.valid_until);
  }

  /** What follows from the answer, unless the service must be asked: for a quota, and at first for a feature that is absent. */
  decided(feature: string, need: number): EntitlementDecision | undefined {
    const known = this.#decisions.get(feature);
    if (known?.need === need) {
      return known.decision;
    }
    const decision = decide(this.answer, feature, need);
    if (decision === undefined) {
      return this.#absent.get(feature);
    }
    this.#decisions.set(feature, { need, decision });
    return decision;
  }

  /** The service's word on a feature that the user does not have, whatever the need. */
  remember(feature: string, decision: EntitlementDecision): void {
    this.#absent.set(feature, decision);
  }
}

export class EntitlementEntries {
  readonly #most: number;
  readonly #byUser = new Map<string, Entry>();
  /** The users whose answers name this user or subscription. */
  readonly #named = new Map<string, Set<string>>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#byUser.size;
  }

  get(user: string): Entry | undefined {
    return this.#byUser.get(user);
  }

  put(user: string, answer: UserEntitlements): void {
    this.#remove(user);
    for (const oldest of this.#byUser.keys()) {
      if (this.#byUser.size < this.#most) {
        break;
      }
      this.#remove(oldest);
    }
    this.#byUser.set(user, new Entry(answer));
    for (const name of names(answer)) {
      const users = this.#named.get(name);
      if (users === undefined) {
        this.#named.set(name, new Set([user]));
      } else {
        users.add(user);
      }
    }
  }

  /** Drops the answers that name this user or subscription. */
  drop(name: string): void {
    for (const user of [...(this.#named.get(name) ?? [])]) {
      this.#remove(user);
    }
  }

  clear(): void {
    this.#byUser.clear();
    this.#named.clear();
  }

  #remove(user: string): void {
    const entry = this.#byUser.get(user);
    if (entry === undefined) {
      return;
    }
    this.#byUser.delete(user);
    for (const name of names(entry.answer)) {
      const users = this.#named.get(name);
      users?.delete(user);
      if (users?.size === 0) {
        this.#named.delete(name);
      }
    }
  }
}

function names(answer: UserEntitlements): Set<string> {
  const sources = Object.values(answer.entitlements).flatMap((entitlement) => entitlement.sources);
  return new Set([answer.user_id, ...sources.map((source) => source.subscription_id)]);
}

/** The rule of the API. Nothing for a quota, whose use is counted by the service, and for a feature that is absent. */
export function decide(answer: UserEntitlements, feature: string, need: number): EntitlementDecision | undefined {
  const granted = Object.hasOwn(answer.entitlements, feature) ? answer.entitlements[feature] : undefined;
  if (granted === undefined || granted.kind === "quota") {
    return undefined;
  }
  const { value } = granted;
  const allowed = value === true || value === "unlimited" || (typeof value === "number" && value >= need);
  const isNothing = value === false || value === 0;
  const reason = allowed ? null : isNothing ? "not_granted" : "limit_reached";
  return Object.freeze({ allowed, value, remaining: null, reason });
}
